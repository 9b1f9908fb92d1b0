//! Selects the resources of a target, with the fields of kustomize's selectors.

use crate::config::substitutions::Pattern;
use crate::config::substitutions::labels::Requirement;

/// The properties a resource must have; absent keys match everything.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Selector {
    pub(crate) group: Option<Pattern>,
    pub(crate) version: Option<Pattern>,
    pub(crate) kind: Option<Pattern>,
    pub(crate) name: Option<Pattern>,
    pub(crate) namespace: Option<Pattern>,
    pub(crate) labels: Vec<Requirement>,
    pub(crate) annotations: Vec<Requirement>,
}

impl Selector {
    /// Returns whether the selector is empty.
    pub(crate) fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Returns the kind, if the selector names exactly one.
    pub(crate) fn kind(&self) -> Option<&str> {
        self.kind.as_ref().and_then(Pattern::literal)
    }

    /// Returns the name, if the selector names exactly one.
    pub(crate) fn name(&self) -> Option<&str> {
        self.name.as_ref().and_then(Pattern::literal)
    }

    /// Describes the selector in a diagnostic: `kind Deployment, name web`.
    pub(crate) fn described(&self) -> String {
        let mut parts = Vec::new();
        for (what, value) in [
            ("group", &self.group),
            ("version", &self.version),
            ("kind", &self.kind),
            ("name", &self.name),
            ("namespace", &self.namespace),
        ] {
            let value = value.as_ref().map(Pattern::written);
            parts.extend(value.map(|value| format!("{what} `{value}`")));
        }
        for (what, requirements) in [("label", &self.labels), ("annotation", &self.annotations)] {
            let described = |requirement| format!("{what} `{requirement}`");
            parts.extend(requirements.iter().map(described));
        }
        parts.join(", ")
    }
}
