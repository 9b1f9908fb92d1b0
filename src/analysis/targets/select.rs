//! Matches resources with selectors.

use super::{Members, Steps};
use crate::config::substitutions::{Pattern, Requirement, Selector};
use crate::report::ResourceRef;
use yaml::NodeId;

impl Selector {
    /// Whether the resource at the node `id` is selected. Also false if that takes more
    /// steps than are left.
    pub(crate) fn matches(
        &self,
        members: &Members<'_>,
        id: NodeId,
        resource: &ResourceRef,
        steps: &Steps,
    ) -> bool {
        let (group, version) = resource.group_version();
        // As in kubectl, a missing namespace means `default`.
        let namespaces = match resource.namespace.as_str() {
            "" => ["default", ""],
            namespace => [namespace; 2],
        };
        let matches = |wanted: &Option<Pattern>, found: &[&str]| {
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
            // Aliases have the labels and texts that they repeat, as for kustomize.
            let tree = members.tree();
            let child = |id, key: &str| members.child(id, key).map(|child| tree.target(child));
            let metadata = child(id, "metadata");
            let entries = metadata.and_then(|metadata| child(metadata, map));
            requirements.iter().all(|requirement| {
                let found = entries.and_then(|entries| child(entries, &requirement.key));
                requirement.is_met_by(found.and_then(|id| tree.text(id)))
            })
        };
        matches(&self.kind, &[&resource.kind])
            && matches(&self.name, &[&resource.name])
            && matches(&self.group, &[group])
            && matches(&self.version, &[version])
            && matches(&self.namespace, &namespaces)
            && has(&self.labels, "labels")
            && has(&self.annotations, "annotations")
    }
}
