//! Where sensitive values are allowed.

use crate::config::BuiltInCeiling;
use crate::config::policy::ceiling::{Authority, Limit};
use crate::config::policy::declared::Policies;
use crate::config::policy::group_kind::GroupKind;
use crate::config::policy::in_force::{ListInForce, intersected};
use crate::kubernetes::resources::{Container, Field, Occurrence};
use crate::report::ResourceRef;
use crate::report::suggest;

/// The kinds whose resources may hold sensitive values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SensitiveKinds {
    kinds: ListInForce<GroupKind>,
    /// The kinds that may contain such a resource.
    inside: ListInForce<GroupKind>,
}

impl Default for SensitiveKinds {
    fn default() -> Self {
        let none = Policies::default();
        Self::in_force(&none, &none, &none, BuiltInCeiling::None)
    }
}

impl SensitiveKinds {
    /// Computes the requested kinds, `Secret` by default, and the kinds that may contain
    /// them. Each list is limited by its ceiling.
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

    /// Returns whether a sensitive value is allowed at this position. In a Secret these are
    /// the values of `data` and `stringData`; never metadata or a key. Inside other
    /// resources it is allowed only if their kinds are listed.
    pub(crate) fn allows(&self, occurrence: &Occurrence) -> bool {
        self.allows_field(occurrence)
            && occurrence
                .containers
                .iter()
                .all(|container| self.passes(container))
    }

    /// Returns whether the resource at this position, and every resource that contains it,
    /// may contain a resource with sensitive values in an embedded document.
    pub(crate) fn nests(&self, occurrence: &Occurrence) -> bool {
        self.is_inside(&occurrence.field)
            && occurrence
                .containers
                .iter()
                .all(|container| self.passes(container))
    }

    /// Returns whether resources of any kind may have sensitive values.
    pub(crate) const fn allows_any(&self) -> bool {
        !self.kinds.allowed.is_empty()
    }

    fn allows_field(&self, occurrence: &Occurrence) -> bool {
        let Some(resource) = occurrence.field.resource.as_deref() else {
            return false;
        };
        !occurrence.is_key
            && is_data(resource, &occurrence.field)
            && names(&self.kinds.allowed, resource)
    }

    /// Returns whether this resource may contain another.
    fn passes(&self, container: &Container) -> bool {
        container.is_list() || self.is_inside(&container.field)
    }

    /// Returns whether a field of a resource may contain another resource: never its
    /// metadata, which everyone can read, whatever the policy for the kind.
    fn is_inside(&self, field: &Field) -> bool {
        let resource = field.resource.as_deref();
        resource.is_some_and(|resource| {
            is_data(resource, field) && names(&self.inside.allowed, resource)
        })
    }

    /// Returns why the value is not allowed.
    pub(crate) fn reason(&self, occurrence: &Occurrence) -> String {
        let resource = occurrence.field.resource.as_deref();
        match resource {
            _ if self.kinds.allowed.is_empty() && !self.kinds.refused.is_empty() => {
                let ceiling = ceiling(&self.kinds);
                format!("{ceiling} does not allow sensitive values in manifests")
            }
            _ if self.kinds.allowed.is_empty() => {
                "the policy does not allow sensitive values in manifests".to_owned()
            }
            _ if occurrence.is_key => "it would be a key, and keys are never secret".to_owned(),
            Some(resource) if names(&self.kinds.refused, resource) => {
                let (ceiling, kind) = (ceiling(&self.kinds), with_article(&resource.kind));
                format!("{ceiling} does not allow sensitive values in {kind}")
            }
            Some(resource) if names(&self.kinds.allowed, resource) => self.misplaced(occurrence),
            Some(resource) => {
                let kind = with_article(&resource.kind);
                let namesake = self
                    .kinds
                    .allowed
                    .iter()
                    .find(|allowed| allowed.kind == resource.kind);
                match namesake {
                    Some(allowed) => format!(
                        "this is {kind} of `{}`, but `{allowed}` in the policy is {}",
                        resource.api_version,
                        allowed.described()
                    ),
                    None if self.is_default() => {
                        format!("this is {kind}, but only the data of a Secret is secret")
                    }
                    None => format!(
                        "this is {kind}, but the policy allows only {}",
                        self.named()
                    ),
                }
            }
            None if self.is_default() => "only the data of a Secret is secret".to_owned(),
            None => format!(
                "this is not a resource of a kind that the policy allows: {}",
                self.named()
            ),
        }
    }

    /// Returns why the value is not allowed in a resource of an allowed kind.
    fn misplaced(&self, occurrence: &Occurrence) -> String {
        let kind = match occurrence.field.resource.as_deref() {
            Some(resource) if !is_data(resource, &occurrence.field) => {
                match GroupKind::core("Secret") {
                    secret if secret.is(resource) => {
                        return "only values of `data` and `stringData` are secret in a Secret"
                            .to_owned();
                    }
                    _ => {
                        let kind = with_article(&resource.kind);
                        return format!("the metadata of {kind} is never secret");
                    }
                }
            }
            Some(resource) => &resource.kind,
            None => "resource",
        };
        let around = occurrence
            .containers
            .iter()
            .rev()
            .find(|around| !self.passes(around));
        match around.and_then(|around| around.field.resource.as_deref()) {
            Some(around) if names(&self.inside.refused, around) => {
                let (ceiling, around) = (ceiling(&self.inside), with_article(&around.kind));
                let kind = with_article(kind);
                format!("{ceiling} does not allow {kind} with sensitive values in {around}")
            }
            Some(around) if names(&self.inside.allowed, around) => format!(
                "this {kind} is not in the data of the surrounding {}, and the rest of it is never secret",
                around.kind
            ),
            Some(around) => format!(
                "this {kind} is inside a resource of the kind `{}`, which `policy.sensitive.inside` does not list",
                GroupKind::of(around)
            ),
            None => format!("this {kind} is inside a document that is not a resource"),
        }
    }

    /// Returns the help.
    pub(crate) fn help(&self, occurrence: &Occurrence) -> String {
        if self.kinds.allowed.is_empty() && !self.kinds.refused.is_empty() {
            let resource = occurrence.field.resource.as_ref();
            let is_secret =
                resource.is_some_and(|resource| names(&[GroupKind::core("Secret")], resource));
            let (first, it) = if is_secret {
                ("", "it")
            } else {
                (
                    "put it in a Secret and reference that Secret here; ",
                    "Secrets",
                )
            };
            return format!(
                "{first}Argo CD caches rendered manifests in plain text: an operator who accepts that can allow {it} with `sensitive: {{kinds: [Secret]}}` in the operator's policy"
            );
        }
        if self.allows_field(occurrence) {
            let mut containers = occurrence.containers.iter().rev();
            let container = containers.find(|around| !self.passes(around));
            let around = container.and_then(|around| around.field.resource.as_deref());
            let own = "write it as a separate manifest";
            let is_open = |around: &&ResourceRef| {
                ![&self.inside.refused, &self.inside.allowed]
                    .into_iter()
                    .any(|kinds| names(kinds, around))
            };
            return match around.filter(is_open) {
                Some(around) => format!(
                    "{own}, or, if the resource around it keeps it secret, list that kind: `policy: {{sensitive: {{inside: [{}]}}}}`",
                    GroupKind::of(around)
                ),
                None => own.to_owned(),
            };
        }
        let resource = occurrence.field.resource.as_deref();
        let namesake = resource.filter(|resource| {
            let mut allowed = self.kinds.allowed.iter();
            allowed.any(|allowed| allowed.kind == resource.kind && !allowed.is(resource))
        });
        match namesake {
            Some(resource) if GroupKind::core("Secret").kind != resource.kind => format!(
                "if this is intended, list `{}` in `policy: {{sensitive: {{kinds: […]}}}}`",
                GroupKind::of(resource)
            ),
            _ if occurrence.field.patches("", "Secret") => {
                "write a strategic merge patch with `apiVersion: v1` and `kind: Secret`".to_owned()
            }
            _ if names(&self.kinds.allowed, &secret()) => {
                "put it in `stringData` of a Secret and reference that Secret here".to_owned()
            }
            _ if self.kinds.allowed.is_empty() => {
                "list the kinds that may hold it in the Binding: `policy: {sensitive: {kinds: […]}}`"
                    .to_owned()
            }
            _ => format!("put it in one of {} and reference that here", self.named()),
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

/// Returns whether a field is one of those that a resource keeps secret.
fn is_data(resource: &ResourceRef, field: &Field) -> bool {
    let Some(first) = field.key(0) else {
        return false;
    };
    if GroupKind::core("Secret").is(resource) {
        matches!(first, "data" | "stringData")
    } else {
        !matches!(first, "metadata" | "apiVersion" | "kind")
    }
}

/// Writes `a ConfigMap`, `an Ingress`.
fn with_article(kind: &str) -> String {
    if kind.starts_with(['A', 'E', 'I', 'O']) {
        format!("an {kind}")
    } else {
        format!("a {kind}")
    }
}

/// Returns who refuses kinds.
fn ceiling(kinds: &ListInForce<GroupKind>) -> &'static str {
    match kinds.limited_by {
        Authority::ArgoCd => "landfall as a plugin",
        _ => "the operator's policy",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;
    use crate::kubernetes::resources::FieldStep;

    /// Returns the result for a value in the `stringData` of a resource, for a Binding that
    /// requests kinds, and a ceiling.
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
                patch: None,
            }
        };
        let containers = around.iter().map(|path| {
            let (resource, steps) = path.split_once(' ').unwrap();
            Container {
                mapping: None,
                field: field(resource, &steps.split('.').collect::<Vec<_>>()),
            }
        });
        let occurrence = Occurrence {
            field: field(resource, &["stringData", "a"]),
            containers: containers.collect(),
            ..Occurrence::default()
        };
        let found = if kinds.allows(&occurrence) {
            "allowed".to_owned()
        } else {
            kinds.reason(&occurrence)
        };
        assert_eq!(found, expected);
    }

    #[test]
    fn allows_the_requested_kinds() {
        let vault = "example.com/v1/Vault";
        check("kinds: [Secret]", "", "v1/Secret", &[], "allowed");
        check("kinds: [example.com/Vault]", "", vault, &[], "allowed");
        check(
            "kinds: [example.com/Vault]",
            "",
            "v1/Secret",
            &[],
            "this is a Secret, but the policy allows only `example.com/Vault`",
        );
        check(
            "kinds: [Secret, Vault]",
            "",
            vault,
            &[],
            "this is a Vault of `example.com/v1`, but `Vault` in the policy is in the core group",
        );
        check(
            "",
            "",
            "foo.example.com/v1/Secret",
            &[],
            "this is a Secret of `foo.example.com/v1`, but `Secret` in the policy is in the core group",
        );
        check(
            "",
            "",
            "networking.k8s.io/v1/Ingress",
            &[],
            "this is an Ingress, but only the data of a Secret is secret",
        );
        check(
            "kinds: []",
            "",
            "v1/Secret",
            &[],
            "the policy does not allow sensitive values in manifests",
        );
    }

    #[test]
    fn a_binding_cannot_allow_more_kinds_than_the_ceiling() {
        check(
            "kinds: [Secret, ConfigMap]",
            "kinds: [Secret]",
            "v1/ConfigMap",
            &[],
            "the operator's policy does not allow sensitive values in a ConfigMap",
        );
        check(
            "kinds: [Secret]",
            "kinds: []",
            "v1/Secret",
            &[],
            "the operator's policy does not allow sensitive values in manifests",
        );
        check(
            "inside: [example.com/Template, v1.example.com/Other]",
            "inside: [v1.example.com/Other]",
            "v1/Secret",
            &["example.com/v1/Template objects.0"],
            "the operator's policy does not allow a Secret with sensitive values in a Template",
        );
    }

    #[test]
    fn only_lists_do_not_count_as_nesting() {
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
                "this Secret is inside a resource of the kind `{kind}`, which `policy.sensitive.inside` does not list"
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
            "this Secret is inside a document that is not a resource",
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
