//! What may land where: the Binding's policy under the operator's ceiling.

use super::place::Field;

/// The policy in force for one render.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Policy {
    /// The kinds whose resources may hold sensitive values.
    pub(crate) sensitive_kinds: Vec<String>,
    /// The operator's policy leaves no kind at all.
    pub(crate) refused_by_operator: bool,
}

impl Default for Policy {
    fn default() -> Self {
        Self {
            sensitive_kinds: vec!["Secret".to_owned()],
            refused_by_operator: false,
        }
    }
}

impl Policy {
    /// Under the operator's ceiling: only kinds that it names too.
    pub(crate) fn under(mut self, operator_kinds: &[String]) -> Self {
        self.sensitive_kinds
            .retain(|kind| operator_kinds.contains(kind));
        self.refused_by_operator = self.sensitive_kinds.is_empty();
        self
    }

    /// Whether a sensitive value may stand in this field. In a Secret that is
    /// `data` and `stringData`; nowhere is it metadata or a key.
    pub(crate) fn allows_sensitive(&self, field: &Field, is_key: bool) -> bool {
        let Some(resource) = field.resource.as_ref().filter(|_| !is_key) else {
            return false;
        };
        let in_data = match resource.kind.as_str() {
            "Secret" => matches!(field.key(0), Some("data" | "stringData")),
            _ => !matches!(field.key(0), Some("metadata" | "apiVersion" | "kind")),
        };
        in_data && self.sensitive_kinds.contains(&resource.kind)
    }

    /// Why not.
    pub(crate) fn sensitive_rule(&self, field: &Field, is_key: bool) -> String {
        let kind = field
            .resource
            .as_ref()
            .map(|resource| resource.kind.as_str());
        match kind {
            _ if self.refused_by_operator => {
                "the operator's policy keeps sensitive values out of manifests".to_owned()
            }
            _ if is_key => "it would be a key, which everyone can read".to_owned(),
            Some("Secret") => {
                "of a Secret, only the values of `data` and `stringData` are kept secret".to_owned()
            }
            Some(kind) => format!("this is a {kind}, and only a Secret keeps its data secret"),
            None => "only the data of a Secret is kept secret".to_owned(),
        }
    }

    /// What to do about it.
    pub(crate) fn sensitive_help(&self) -> String {
        if self.refused_by_operator {
            "Argo CD keeps rendered manifests in plain text in its cache; an operator who accepts that allows it with `--operator-policy`".to_owned()
        } else {
            "put it into `stringData` of a Secret and refer to that Secret here".to_owned()
        }
    }
}
