//! What the API server refuses although its type is right: names, labels, keys, quantities,
//! ports, addresses, and what a schema says about a value.

mod names;
mod number;
mod rules;
mod schema;
#[cfg(test)]
mod tests;
mod text;

pub(crate) use rules::{Base, FieldRule};
pub(crate) use schema::Limits;

use std::ops::Range;

/// Why a value is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Refusal {
    /// The bytes of the text that are wrong.
    pub(crate) range: Range<usize>,
    pub(crate) why: Why,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Why {
    /// The character is none of these.
    Character(&'static str),
    /// The text begins, or ends, with a character that is none of these.
    End {
        first: bool,
        allowed: &'static str,
    },
    TooLong(usize),
    Suffix,
    Other(String),
}

impl Refusal {
    const fn character(at: usize, allowed: &'static str) -> Self {
        Self {
            range: at..at + 1,
            why: Why::Character(allowed),
        }
    }

    const fn end(at: usize, first: bool, allowed: &'static str) -> Self {
        Self {
            range: at..at + 1,
            why: Why::End { first, allowed },
        }
    }

    const fn too_long(range: Range<usize>, max: usize) -> Self {
        Self {
            range,
            why: Why::TooLong(max),
        }
    }

    const fn unknown_suffix(range: Range<usize>) -> Self {
        Self {
            range,
            why: Why::Suffix,
        }
    }

    fn whole(text: &str, why: &str) -> Self {
        Self::because(text, why.to_owned())
    }

    fn because(text: &str, why: String) -> Self {
        Self {
            range: 0..text.len(),
            why: Why::Other(why),
        }
    }

    /// Describes what is wrong with a text.
    pub(crate) fn described(&self, text: &str) -> String {
        let wrong = || {
            text.get(self.range.start..)
                .and_then(|text| text.chars().next())
        };
        let wrong = || wrong().map_or_else(String::new, |c| c.escape_debug().collect());
        match &self.why {
            Why::Character(allowed) => {
                format!("`{}` is not allowed: use only {allowed}", wrong())
            }
            Why::End { first, allowed } => {
                let at = if *first { "begin" } else { "end" };
                format!("it must {at} with {allowed}, not with `{}`", wrong())
            }
            Why::TooLong(max) => {
                format!(
                    "it has {} characters, but at most {max} are allowed",
                    self.range.len()
                )
            }
            Why::Suffix => {
                let suffix = text.get(self.range.clone()).unwrap_or_default();
                format!("`{suffix}` is not a suffix of quantities, such as `m`, `k`, `Mi` or `Gi`")
            }
            Why::Other(why) => why.clone(),
        }
    }
}

impl FieldRule {
    /// Returns the rule for the keys of a map whose values have this rule.
    pub(crate) const fn of_keys(self) -> Option<Self> {
        match self {
            Self::LabelValue => Some(Self::LabelKey),
            Self::Annotation => Some(Self::AnnotationKey),
            Self::Data | Self::BinaryData => Some(Self::DataKey),
            _ => None,
        }
    }

    const fn is_of_keys(self) -> bool {
        matches!(self, Self::LabelKey | Self::AnnotationKey | Self::DataKey)
    }

    /// Returns whether the rule applies to values, and not to their keys alone.
    pub(crate) const fn is_of_values(self) -> bool {
        !matches!(self, Self::Annotation | Self::Data)
    }

    /// Names what the field accepts.
    pub(crate) const fn described(self) -> &'static str {
        match self {
            Self::LabelValue => "label value",
            Self::LabelKey => "label key",
            Self::Annotation | Self::AnnotationKey => "annotation key",
            Self::Data | Self::DataKey => "data key",
            Self::BinaryData => "base64 text",
            Self::Name => "resource name",
            Self::GenerateName | Self::NamePrefix => "prefix of names",
            Self::DnsLabel => "DNS label",
            Self::DnsLabel1035 => "DNS label that begins with a letter",
            Self::DnsSubdomain | Self::CronJobName => "DNS subdomain",
            Self::IngressHost | Self::DnsName => "DNS name",
            Self::PathSegment => "name in a path",
            Self::EnvName => "environment variable name",
            Self::PortName => "port name",
            Self::Ip | Self::ClusterIp => "IP address",
            Self::Cidr => "network in CIDR notation",
            Self::Port | Self::PortOrZero => "port",
            Self::NotNegative => "count",
            Self::PortOrName => "port",
            Self::Quantity => "quantity",
            Self::CountOrPercent => "count or percentage",
            Self::PullPolicy => "pull policy",
            Self::RestartPolicy => "restart policy",
            Self::DnsPolicy => "DNS policy",
            Self::Protocol => "protocol",
            Self::Scheme => "scheme",
            Self::ServiceType => "Service type",
            Self::TrafficPolicy => "traffic policy",
            Self::SessionAffinity => "session affinity",
            Self::IpFamilyPolicy => "IP family policy",
            Self::IpFamily => "IP family",
            Self::PathType => "path type",
            Self::PolicyType => "policy type",
            Self::DeploymentStrategy | Self::UpdateStrategy => "strategy",
            Self::PodManagement => "pod management policy",
            Self::ConcurrencyPolicy => "concurrency policy",
            Self::AccessMode => "access mode",
            Self::ReclaimPolicy => "reclaim policy",
            Self::VolumeMode => "volume mode",
            Self::BindingMode => "binding mode",
            Self::TaintEffect => "taint effect",
            Self::Unsatisfiable => "spreading policy",
        }
    }

    /// Returns texts that the rule accepts, to ask whether the text around a value would be
    /// accepted.
    pub(crate) const fn samples(self) -> &'static [&'static str] {
        match self {
            Self::Cidr => &["10.0.0.0/8", "1", "10.0.0.0"],
            Self::Ip | Self::ClusterIp => &["10.0.0.1", "1"],
            Self::BinaryData => &["YWFh"],
            Self::CountOrPercent => &["1", "1%"],
            _ => match self.choices() {
                [] => &["a", "1"],
                choices => choices,
            },
        }
    }

    /// Returns the rule in a resource: the names of each kind have their own. `is_own` is
    /// whether it is in the metadata of the resource itself.
    pub(crate) fn of_kind(self, api_version: &str, kind: &str, is_own: bool) -> Option<Self> {
        match self {
            Self::Name if is_own => Some(names::rule_of_kind(api_version, kind)),
            Self::GenerateName if is_own => match names::rule_of_kind(api_version, kind) {
                Self::PathSegment => Some(Self::PathSegment),
                _ => Some(Self::NamePrefix),
            },
            Self::Name | Self::GenerateName => None,
            _ => Some(self),
        }
    }

    /// Checks the text of a value.
    ///
    /// # Errors
    /// The API server refuses it.
    pub(crate) fn check(self, text: &str, is_number: bool) -> Result<(), Refusal> {
        match self {
            // Most fields are optional, and an empty text is as good as none. Whether a value
            // may be empty is a policy.
            _ if text.is_empty() && !self.is_of_keys() => Ok(()),
            Self::LabelValue => text::label_value(text),
            Self::LabelKey => text::label_key(text, false),
            Self::AnnotationKey => text::label_key(text, true),
            Self::DataKey => text::data_key(text),
            Self::BinaryData => text::base64(text),
            Self::DnsLabel => text::dns_label(text),
            Self::DnsLabel1035 => text::dns_label_1035(text),
            Self::DnsSubdomain => text::dns_subdomain(text, 0),
            Self::NamePrefix => text::dns_subdomain(text.strip_suffix('-').unwrap_or(text), 0),
            Self::CronJobName => text::cron_job_name(text),
            Self::IngressHost => text::ingress_host(text),
            Self::DnsName => text::dns_name(text),
            Self::PathSegment => text::path_segment(text),
            Self::EnvName => text::env_name(text),
            Self::PortName => text::port_name(text),
            Self::Ip => number::ip(text),
            Self::ClusterIp if text == "None" => Ok(()),
            Self::ClusterIp => number::ip(text),
            Self::Cidr => number::cidr(text),
            Self::Port => number::port(text, 1),
            Self::PortOrZero => number::port(text, 0),
            Self::NotNegative => number::between(text, Some(0), None),
            Self::PortOrName if is_number => number::integer(text, 1, number::MAX_PORT),
            Self::PortOrName => text::port_name(text),
            Self::Quantity => number::quantity(text),
            Self::CountOrPercent if is_number => number::integer(text, 0, i32::MAX.into()),
            Self::CountOrPercent => number::percent(text),
            _ => match self.choices() {
                // The rule is about other parts of the resource, or depends on its kind.
                [] => Ok(()),
                choices => schema::one_of(text, choices),
            },
        }
    }
}
