//! Which resources a target selects: the fields of kustomize's selectors.

use crate::binding::place::Places;
use crate::manifest::{NodeId, Tree};
use crate::report::ResourceRef;

use super::find::child;

/// What a resource must have; what is not said is not asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Selector {
    pub(super) group: Option<String>,
    pub(super) version: Option<String>,
    pub(super) kind: Option<String>,
    pub(super) name: Option<String>,
    pub(super) namespace: Option<String>,
    pub(super) labels: Vec<Requirement>,
    pub(super) annotations: Vec<Requirement>,
}

/// One part of a label selector.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Requirement {
    pub(super) key: String,
    /// None: any value.
    pub(super) value: Option<String>,
    /// It must not be so.
    pub(super) not: bool,
}

/// Reads `a=b,c!=d,e,!f`.
pub(super) fn requirements(text: &str) -> Result<Vec<Requirement>, String> {
    text.split(',')
        .map(|part| {
            let part = part.trim();
            let (key, value, not) = match part.split_once('=') {
                Some((key, value)) => match key.strip_suffix('!') {
                    Some(key) => (key, Some(value), true),
                    None => (key, Some(value.strip_prefix('=').unwrap_or(value)), false),
                },
                None => match part.strip_prefix('!') {
                    Some(key) => (key, None, true),
                    None => (part, None, false),
                },
            };
            match key.trim() {
                "" => Err(format!("`{part}` names no key")),
                key if key.contains([' ', '(']) => Err(format!(
                    "`{part}` is not understood: write `key=value`, `key!=value`, `key` or `!key`"
                )),
                key => Ok(Requirement {
                    key: key.to_owned(),
                    value: value.map(|value| value.trim().to_owned()),
                    not,
                }),
            }
        })
        .collect()
}

impl Selector {
    /// Whether it asks for nothing.
    pub(super) fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    pub(super) const fn names_a_kind(&self) -> bool {
        self.kind.is_some()
    }

    /// Whether the resource that is the node `id` is meant.
    pub(super) fn matches(
        &self,
        tree: &Tree<'_>,
        places: &Places<'_>,
        id: NodeId,
        resource: &ResourceRef,
    ) -> bool {
        let (group, version) = resource.group_version();
        // As for kubectl, no namespace is the one called default.
        let namespace = match resource.namespace.as_str() {
            "" => "default",
            namespace => namespace,
        };
        let is = |wanted: &Option<String>, found: &str| {
            wanted.as_deref().is_none_or(|wanted| wanted == found)
        };
        let has = |requirements: &[Requirement], map: &str| {
            let metadata = child(tree, places, id, "metadata");
            let entries = metadata.and_then(|metadata| child(tree, places, metadata, map));
            requirements.iter().all(|requirement| {
                let found =
                    entries.and_then(|entries| child(tree, places, entries, &requirement.key));
                let found = found.and_then(|id| places.text(id));
                let meets = match &requirement.value {
                    Some(value) => found == Some(value),
                    None => found.is_some(),
                };
                meets != requirement.not
            })
        };
        is(&self.group, group)
            && is(&self.version, version)
            && is(&self.kind, &resource.kind)
            && is(&self.name, &resource.name)
            && is(&self.namespace, namespace)
            && has(&self.labels, "labels")
            && has(&self.annotations, "annotations")
    }

    /// Whether a document with this text may hold such a resource: false only
    /// where it cannot.
    pub(super) fn may_stand_in(&self, text: &str) -> bool {
        // An escape may spell any name.
        let spelled = |name: &Option<String>| {
            name.as_ref()
                .is_none_or(|name| memchr::memmem::find(text.as_bytes(), name.as_bytes()).is_some())
        };
        (spelled(&self.kind) && spelled(&self.name)) || text.contains(['\\', '&'])
    }

    /// As a diagnostic says it: `kind Deployment, name web`.
    pub(super) fn described(&self) -> String {
        let mut parts = Vec::new();
        for (what, value) in [
            ("group", &self.group),
            ("version", &self.version),
            ("kind", &self.kind),
            ("name", &self.name),
            ("namespace", &self.namespace),
        ] {
            parts.extend(value.as_ref().map(|value| format!("{what} `{value}`")));
        }
        for (what, requirements) in [("label", &self.labels), ("annotation", &self.annotations)] {
            for requirement in requirements {
                let not = if requirement.not { "no " } else { "" };
                let value = requirement.value.as_deref();
                let value = value.map_or(String::new(), |value| format!("={value}"));
                parts.push(format!("{not}{what} `{}{value}`", requirement.key));
            }
        }
        parts.join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        let found = match requirements(text) {
            Ok(labels) => Selector {
                labels,
                ..Selector::default()
            }
            .described(),
            Err(error) => format!("error: {error}"),
        };
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn label_selectors() {
        check(
            "app=web, tier==db,env!=test,x,!y",
            "label `app=web`, label `tier=db`, no label `env=test`, label `x`, no label `y`",
        );
        check("=a", "error: `=a` names no key");
        check(
            "a in (b)",
            "error: `a in (b)` is not understood: write `key=value`, `key!=value`, `key` or `!key`",
        );
    }
}
