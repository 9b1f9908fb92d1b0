//! Where sensitive values may land.

use crate::binding::place::Field;

/// The kinds whose resources may hold sensitive values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SensitiveKinds {
    allowed: Vec<String>,
    /// Kinds that were asked for and that the operator leaves out.
    refused: Vec<String>,
}

impl Default for SensitiveKinds {
    fn default() -> Self {
        Self::new(None, None)
    }
}

impl SensitiveKinds {
    /// The kinds that are asked for, `Secret` where nobody says, as far as the
    /// operator names them too.
    pub(super) fn new(asked: Option<&[String]>, ceiling: Option<&[String]>) -> Self {
        let asked = asked.map_or_else(|| vec!["Secret".to_owned()], <[String]>::to_vec);
        let (allowed, refused) = asked
            .into_iter()
            .partition(|kind| ceiling.is_none_or(|ceiling| ceiling.contains(kind)));
        Self { allowed, refused }
    }

    /// Whether a sensitive value may stand in this field. In a Secret that is
    /// `data` and `stringData`; nowhere is it metadata or a key.
    pub(crate) fn allows(&self, field: &Field, is_key: bool) -> bool {
        let Some(resource) = field.resource.as_ref().filter(|_| !is_key) else {
            return false;
        };
        let in_data = match resource.kind.as_str() {
            "Secret" => matches!(field.key(0), Some("data" | "stringData")),
            _ => !matches!(field.key(0), Some("metadata" | "apiVersion" | "kind")),
        };
        in_data && self.allowed.contains(&resource.kind)
    }

    /// Why not.
    pub(crate) fn reason(&self, field: &Field, is_key: bool) -> String {
        let kind = field
            .resource
            .as_ref()
            .map(|resource| resource.kind.as_str());
        match kind {
            _ if self.allowed.is_empty() && !self.refused.is_empty() => {
                "the operator's policy keeps sensitive values out of manifests".to_owned()
            }
            _ if self.allowed.is_empty() => {
                "the policy keeps sensitive values out of manifests".to_owned()
            }
            _ if is_key => "it would be a key, which everyone can read".to_owned(),
            Some(kind) if self.refused.iter().any(|refused| refused == kind) => {
                format!("the operator's policy keeps sensitive values out of a {kind}")
            }
            Some("Secret") if self.allows_kind("Secret") => {
                "of a Secret, only the values of `data` and `stringData` are kept secret".to_owned()
            }
            Some(kind) if self.allows_kind(kind) => {
                format!("of a {kind}, metadata is never kept secret")
            }
            Some(kind) if self.is_default() => {
                format!("this is a {kind}, and only a Secret keeps its data secret")
            }
            Some(kind) => format!("this is a {kind}, and the policy names {}", self.named()),
            None if self.is_default() => "only the data of a Secret is kept secret".to_owned(),
            None => format!(
                "this is no resource of the policy's kinds, {}",
                self.named()
            ),
        }
    }

    /// What to do about it.
    pub(crate) fn help(&self) -> String {
        if self.allowed.is_empty() && !self.refused.is_empty() {
            return "Argo CD keeps rendered manifests in plain text in its cache; an operator who accepts that allows it with `--operator-policy`".to_owned();
        }
        match self.allows_kind("Secret") {
            true => "put it into `stringData` of a Secret and refer to that Secret here".to_owned(),
            false if self.allowed.is_empty() => {
                "`policy: {sensitive: {kinds: […]}}` in the Binding says where it may stand"
                    .to_owned()
            }
            false => format!("put it into one of {} and refer to that here", self.named()),
        }
    }

    fn allows_kind(&self, kind: &str) -> bool {
        self.allowed.iter().any(|allowed| allowed == kind)
    }

    fn is_default(&self) -> bool {
        self.allowed == ["Secret"]
    }

    fn named(&self) -> String {
        crate::binding::suggest::listed(self.allowed.iter().map(String::as_str))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::ResourceRef;

    fn check(asked: &[&str], ceiling: Option<&[&str]>, kind: &str, expected: &str) {
        let owned = |kinds: &[&str]| {
            kinds
                .iter()
                .map(|kind| (*kind).to_owned())
                .collect::<Vec<_>>()
        };
        let kinds = SensitiveKinds::new(Some(&owned(asked)), ceiling.map(owned).as_deref());
        let field = Field {
            resource: Some(ResourceRef {
                kind: kind.to_owned(),
                ..ResourceRef::default()
            }),
            steps: vec![crate::binding::place::FieldStep::Key("stringData".into())],
        };
        let told = match kinds.allows(&field, false) {
            true => "allowed".to_owned(),
            false => kinds.reason(&field, false),
        };
        assert_eq!(told, expected);
    }

    #[test]
    fn kinds_that_are_asked_for() {
        check(&["Secret"], None, "Secret", "allowed");
        check(&["Secret", "Vault"], None, "Vault", "allowed");
        check(
            &["Vault"],
            None,
            "Secret",
            "this is a Secret, and the policy names `Vault`",
        );
        check(
            &[],
            None,
            "Secret",
            "the policy keeps sensitive values out of manifests",
        );
    }

    #[test]
    fn a_hostile_binding_opens_no_further_kind() {
        let only_secrets: &[&str] = &["Secret"];
        check(
            &["Secret", "ConfigMap"],
            Some(only_secrets),
            "ConfigMap",
            "the operator's policy keeps sensitive values out of a ConfigMap",
        );
        check(
            &["Secret"],
            Some(&[]),
            "Secret",
            "the operator's policy keeps sensitive values out of manifests",
        );
    }
}
