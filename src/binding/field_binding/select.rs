//! Which resources a target selects: the fields of kustomize's selectors.

use super::labels::Requirement;
use super::members::Members;
use super::pattern::Pattern;
use super::steps::Steps;
use crate::report::ResourceRef;
use yaml::NodeId;

/// What a resource must have; what is not said is not asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Selector {
    pub(super) group: Option<Pattern>,
    pub(super) version: Option<Pattern>,
    pub(super) kind: Option<Pattern>,
    pub(super) name: Option<Pattern>,
    pub(super) namespace: Option<Pattern>,
    pub(super) labels: Vec<Requirement>,
    pub(super) annotations: Vec<Requirement>,
}

impl Selector {
    /// Whether it asks for nothing.
    pub(super) fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// The kind, where the selector names one.
    pub(super) fn kind(&self) -> Option<&str> {
        self.kind.as_ref().and_then(Pattern::literal)
    }

    /// The name, where the selector names one.
    pub(super) fn name(&self) -> Option<&str> {
        self.name.as_ref().and_then(Pattern::literal)
    }

    /// Whether the resource that is the node `id` is meant. False too when that
    /// takes more steps than are left.
    pub(super) fn matches(
        &self,
        members: &Members<'_>,
        id: NodeId,
        resource: &ResourceRef,
        steps: &Steps,
    ) -> bool {
        let (group, version) = resource.group_version();
        // As for kubectl, no namespace is the one called default.
        let namespaces = match resource.namespace.as_str() {
            "" => ["default", ""],
            namespace => [namespace; 2],
        };
        let is = |wanted: &Option<Pattern>, found: &[&str]| {
            wanted.as_ref().is_none_or(|wanted| {
                let mut found = found.iter();
                found.any(|found| steps.take(wanted.cost(found)) && wanted.matches(found))
            })
        };
        let has = |requirements: &[Requirement], map: &str| {
            let cost: usize = requirements.iter().map(Requirement::cost).sum();
            if requirements.is_empty() || !steps.take(u64::try_from(cost).unwrap_or(u64::MAX)) {
                return requirements.is_empty();
            }
            let metadata = members.child(id, "metadata");
            let entries = metadata.and_then(|metadata| members.child(metadata, map));
            requirements.iter().all(|requirement| {
                let found = entries.and_then(|entries| members.child(entries, &requirement.key));
                requirement.is_met_by(found.and_then(|id| members.tree().text(id)))
            })
        };
        is(&self.kind, &[&resource.kind])
            && is(&self.name, &[&resource.name])
            && is(&self.group, &[group])
            && is(&self.version, &[version])
            && is(&self.namespace, &namespaces)
            && has(&self.labels, "labels")
            && has(&self.annotations, "annotations")
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
