//! Where sensitive values may land.

use crate::config::BuiltInCeiling;
use crate::config::policy::ceiling::{Authority, Limit};
use crate::config::policy::group_kind::GroupKind;
use crate::config::policy::in_force::{ListInForce, intersected};
use crate::config::policy::stated::Policies;
use crate::kubernetes::resources::{Around, Field, Occurrence};
use crate::report::ResourceRef;
use crate::report::suggest;

/// The kinds whose resources may hold sensitive values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SensitiveKinds {
    kinds: ListInForce<GroupKind>,
    /// The kinds in which such a resource may be nested.
    inside: ListInForce<GroupKind>,
}

impl Default for SensitiveKinds {
    fn default() -> Self {
        let none = Policies::default();
        Self::in_force(&none, &none, &none, BuiltInCeiling::None)
    }
}

impl SensitiveKinds {
    /// The kinds that are asked for, `Secret` where nobody says, and those around
    /// them, each list as far as its ceiling names them too.
    pub(crate) fn in_force(
        binding: &Policies,
        flags: &Policies,
        operator: &Policies,
        built_in: BuiltInCeiling,
    ) -> Self {
        Self {
            kinds: intersected(
                [&binding.sensitive_kinds, &flags.sensitive_kinds],
                &[GroupKind::core("Secret")],
                Limit::of_list(operator.sensitive_kinds.as_ref(), built_in),
            ),
            inside: intersected(
                [&binding.sensitive_inside, &flags.sensitive_inside],
                &[],
                Limit::of_list(operator.sensitive_inside.as_ref(), built_in),
            ),
        }
    }

    /// Whether a sensitive value may be at this place. In a Secret that is the values
    /// of `data` and `stringData`; nowhere is it metadata or a key, and inside of other
    /// resources only where those are named.
    pub(crate) fn allows(&self, place: &Occurrence) -> bool {
        self.allows_field(place) && place.around.iter().all(|around| self.passes(around))
    }

    /// Whether the resource at this place, and all around it, may hold a resource with
    /// sensitive values in a document that it embeds.
    pub(crate) fn nests(&self, place: &Occurrence) -> bool {
        self.is_inside(&place.field) && place.around.iter().all(|around| self.passes(around))
    }

    fn allows_field(&self, place: &Occurrence) -> bool {
        let Some(resource) = place.field.resource.as_deref().filter(|_| !place.is_key) else {
            return false;
        };
        is_data(resource, &place.field) && names(&self.kinds.allowed, resource)
    }

    /// Whether a resource may be in this one.
    fn passes(&self, around: &Around) -> bool {
        around.is_list() || self.is_inside(&around.field)
    }

    /// Whether a field of a resource may hold another one: not its metadata, which
    /// everyone can read, whatever the policy says of the kind.
    fn is_inside(&self, field: &Field) -> bool {
        let resource = field.resource.as_deref();
        resource.is_some_and(|resource| {
            is_data(resource, field) && names(&self.inside.allowed, resource)
        })
    }

    /// Why not.
    pub(crate) fn reason(&self, place: &Occurrence) -> String {
        let resource = place.field.resource.as_deref();
        match resource {
            _ if self.kinds.allowed.is_empty() && !self.kinds.refused.is_empty() => {
                let ceiling = ceiling(&self.kinds);
                format!("{ceiling} keeps sensitive values out of manifests")
            }
            _ if self.kinds.allowed.is_empty() => {
                "the policy keeps sensitive values out of manifests".to_owned()
            }
            _ if place.is_key => "it would be a key, which everyone can read".to_owned(),
            Some(resource) if names(&self.kinds.refused, resource) => {
                let (ceiling, kind) = (ceiling(&self.kinds), &resource.kind);
                format!("{ceiling} keeps sensitive values out of a {kind}")
            }
            Some(resource) if names(&self.kinds.allowed, resource) => self.misplaced(place),
            Some(resource) => {
                let kind = &resource.kind;
                let namesake = self
                    .kinds
                    .allowed
                    .iter()
                    .find(|allowed| allowed.kind == *kind);
                match namesake {
                    Some(allowed) => format!(
                        "this is a {kind} of `{}`, and `{allowed}` in the policy is {}",
                        resource.api_version,
                        allowed.described()
                    ),
                    None if self.is_default() => {
                        format!("this is a {kind}, and only a Secret keeps its data secret")
                    }
                    None => format!("this is a {kind}, and the policy names {}", self.named()),
                }
            }
            None if self.is_default() => "only the data of a Secret is kept secret".to_owned(),
            None => format!(
                "this is no resource of the policy's kinds, {}",
                self.named()
            ),
        }
    }

    /// Why not in a resource of a kind that is allowed.
    fn misplaced(&self, place: &Occurrence) -> String {
        let kind = match place.field.resource.as_deref() {
            Some(resource) if !is_data(resource, &place.field) => match GroupKind::core("Secret") {
                secret if secret.is(resource) => {
                    return "of a Secret, only the values of `data` and `stringData` are kept secret"
                        .to_owned();
                }
                _ => return format!("of a {}, metadata is never kept secret", resource.kind),
            },
            Some(resource) => &resource.kind,
            None => "resource",
        };
        let around = place
            .around
            .iter()
            .rev()
            .find(|around| !self.passes(around));
        match around.and_then(|around| around.field.resource.as_deref()) {
            Some(around) if names(&self.inside.refused, around) => {
                let (ceiling, around) = (ceiling(&self.inside), &around.kind);
                format!("{ceiling} keeps a {kind} with sensitive values out of a {around}")
            }
            Some(around) if names(&self.inside.allowed, around) => format!(
                "this {kind} is not in the data of the {} around it, and the rest of that is never kept secret",
                around.kind
            ),
            Some(around) => format!(
                "this {kind} is inside of a resource of the kind `{}`, which `policy.sensitive.inside` does not name",
                GroupKind::of(around)
            ),
            None => format!("this {kind} is inside of something that is no resource"),
        }
    }

    /// What to do about it.
    pub(crate) fn help(&self, place: &Occurrence) -> String {
        if self.kinds.allowed.is_empty() && !self.kinds.refused.is_empty() {
            let is_secret = place.field.resource.as_ref();
            let is_secret =
                is_secret.is_some_and(|resource| names(&[GroupKind::core("Secret")], resource));
            let (first, it) = match is_secret {
                true => ("", "it"),
                false => (
                    "put it into a Secret and refer to that Secret here; ",
                    "Secrets",
                ),
            };
            return format!(
                "{first}Argo CD keeps rendered manifests in plain text in its cache: an operator who accepts that allows {it} with `sensitive: {{kinds: [Secret]}}` in the operator's policy"
            );
        }
        if self.allows_field(place) {
            let mut around = place.around.iter().rev();
            let around = around.find(|around| !self.passes(around));
            let around = around.and_then(|around| around.field.resource.as_deref());
            let own = "write it as a manifest of its own";
            let is_open = |around: &&ResourceRef| {
                ![&self.inside.refused, &self.inside.allowed]
                    .into_iter()
                    .any(|kinds| names(kinds, around))
            };
            return match around.filter(is_open) {
                Some(around) => format!(
                    "{own}, or name what is around it, if that keeps it secret: `policy: {{sensitive: {{inside: [{}]}}}}`",
                    GroupKind::of(around)
                ),
                None => own.to_owned(),
            };
        }
        let resource = place.field.resource.as_deref();
        let namesake = resource.filter(|resource| {
            let mut allowed = self.kinds.allowed.iter();
            allowed.any(|allowed| allowed.kind == resource.kind && !allowed.is(resource))
        });
        match namesake {
            Some(resource) if GroupKind::core("Secret").kind != resource.kind => format!(
                "write `{}` in `policy: {{sensitive: {{kinds: […]}}}}`, if that is meant",
                GroupKind::of(resource)
            ),
            _ if names(&self.kinds.allowed, &secret()) => {
                "put it into `stringData` of a Secret and refer to that Secret here".to_owned()
            }
            _ if self.kinds.allowed.is_empty() => {
                "`policy: {sensitive: {kinds: […]}}` in the Binding says where it may stand"
                    .to_owned()
            }
            _ => format!("put it into one of {} and refer to that here", self.named()),
        }
    }

    fn is_default(&self) -> bool {
        self.kinds.allowed == [GroupKind::core("Secret")]
    }

    fn named(&self) -> String {
        let named: Vec<String> = self
            .kinds
            .allowed
            .iter()
            .map(GroupKind::to_string)
            .collect();
        suggest::listed(named.iter().map(String::as_str))
    }
}

fn names(kinds: &[GroupKind], resource: &ResourceRef) -> bool {
    kinds.iter().any(|kind| kind.is(resource))
}

fn secret() -> ResourceRef {
    ResourceRef {
        api_version: "v1".to_owned(),
        kind: "Secret".to_owned(),
        ..ResourceRef::default()
    }
}

/// Whether a field is one of those that a resource keeps secret.
fn is_data(resource: &ResourceRef, field: &Field) -> bool {
    let Some(first) = field.key(0) else {
        return false;
    };
    match GroupKind::core("Secret").is(resource) {
        true => matches!(first, "data" | "stringData"),
        false => !matches!(first, "metadata" | "apiVersion" | "kind"),
    }
}

/// Who refuses kinds.
fn ceiling(kinds: &ListInForce<GroupKind>) -> &'static str {
    match kinds.limited_by {
        Authority::ArgoCd => "landfall under Argo CD",
        _ => "the operator's policy",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;
    use crate::kubernetes::resources::FieldStep;

    /// What comes of a value in the `stringData` of a resource, for a Binding that
    /// asks for kinds, and a ceiling.
    #[track_caller]
    fn check(asked: &str, ceiling: &str, resource: &str, around: &[&str], expected: &str) {
        let policies = |sensitive: &str| {
            let content = format!("sensitive: {{{sensitive}}}\n").into();
            let path = String::new();
            Policies::of_flags(&Config { path, content }).unwrap()
        };
        let kinds = SensitiveKinds::in_force(
            &policies(asked),
            &Policies::default(),
            &policies(ceiling),
            BuiltInCeiling::None,
        );
        let field = |resource: &str, steps: &[&str]| {
            let steps = steps.iter().map(|step| match step.parse() {
                Ok(index) => FieldStep::Index(index),
                Err(_) => FieldStep::Key((*step).into()),
            });
            let resource = resource
                .rsplit_once('/')
                .map(|(api_version, kind)| ResourceRef {
                    api_version: api_version.to_owned(),
                    kind: kind.to_owned(),
                    ..ResourceRef::default()
                });
            Field {
                resource: resource.map(Into::into),
                steps: steps.collect(),
            }
        };
        let around = around.iter().map(|path| {
            let (resource, steps) = path.split_once(' ').unwrap();
            Around {
                mapping: None,
                field: field(resource, &steps.split('.').collect::<Vec<_>>()),
            }
        });
        let place = Occurrence {
            field: field(resource, &["stringData", "a"]),
            around: around.collect(),
            ..Occurrence::default()
        };
        let found = match kinds.allows(&place) {
            true => "allowed".to_owned(),
            false => kinds.reason(&place),
        };
        assert_eq!(found, expected);
    }

    #[test]
    fn kinds_that_are_asked_for() {
        let vault = "example.com/v1/Vault";
        check("kinds: [Secret]", "", "v1/Secret", &[], "allowed");
        check("kinds: [example.com/Vault]", "", vault, &[], "allowed");
        check(
            "kinds: [example.com/Vault]",
            "",
            "v1/Secret",
            &[],
            "this is a Secret, and the policy names `example.com/Vault`",
        );
        check(
            "kinds: [Secret, Vault]",
            "",
            vault,
            &[],
            "this is a Vault of `example.com/v1`, and `Vault` in the policy is one of the core group",
        );
        check(
            "",
            "",
            "foo.example.com/v1/Secret",
            &[],
            "this is a Secret of `foo.example.com/v1`, and `Secret` in the policy is one of the core group",
        );
        check(
            "kinds: []",
            "",
            "v1/Secret",
            &[],
            "the policy keeps sensitive values out of manifests",
        );
    }

    #[test]
    fn a_hostile_binding_opens_no_further_kind() {
        check(
            "kinds: [Secret, ConfigMap]",
            "kinds: [Secret]",
            "v1/ConfigMap",
            &[],
            "the operator's policy keeps sensitive values out of a ConfigMap",
        );
        check(
            "kinds: [Secret]",
            "kinds: []",
            "v1/Secret",
            &[],
            "the operator's policy keeps sensitive values out of manifests",
        );
        check(
            "inside: [example.com/Template, v1.example.com/Other]",
            "inside: [v1.example.com/Other]",
            "v1/Secret",
            &["example.com/v1/Template objects.0"],
            "the operator's policy keeps a Secret with sensitive values out of a Template",
        );
    }

    #[test]
    fn lists_are_no_nesting_and_everything_else_is() {
        for list in [
            "v1/List items.0",
            "v1/SecretList items.3",
            "config.kubernetes.io/v1/ResourceList items.1",
        ] {
            check("", "", "v1/Secret", &[list], "allowed");
            check("", "", "v1/Secret", &["v1/List items.0", list], "allowed");
        }
        let inside = |kind: &str| {
            format!(
                "this Secret is inside of a resource of the kind `{kind}`, which `policy.sensitive.inside` does not name"
            )
        };
        check(
            "",
            "",
            "v1/Secret",
            &["example.com/v1/List items.0"],
            &inside("example.com/List"),
        );
        check("", "", "v1/Secret", &["v1/List other.0"], &inside("List"));
        check(
            "",
            "",
            "v1/Secret",
            &["v1/ConfigMapList items.0"],
            &inside("ConfigMapList"),
        );
        check(
            "",
            "",
            "v1/Secret",
            &["none x"],
            "this Secret is inside of something that is no resource",
        );
        let template = "example.com/v1/Template objects.0";
        let nested = &["v1/List items.0", template];
        check("", "", "v1/Secret", nested, &inside("example.com/Template"));
        check(
            "inside: [example.com/Template]",
            "",
            "v1/Secret",
            nested,
            "allowed",
        );
        check(
            "inside: [Template]",
            "",
            "v1/Secret",
            nested,
            &inside("example.com/Template"),
        );
    }
}
