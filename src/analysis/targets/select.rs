//! Whether a selector selects a resource.

use super::{Members, Steps};
use crate::config::substitutions::{Pattern, Requirement, Selector};
use crate::report::ResourceRef;
use yaml::NodeId;

impl Selector {
    /// Whether the resource that is the node `id` is meant. False too when that
    /// takes more steps than are left.
    pub(crate) fn matches(
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
}
