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
        // As in kubectl, a missing namespace means `default`.
        let namespaces = match resource.namespace.as_str() {
            "" => ["default", ""],
            namespace => [namespace; 2],
        };
        let matches =
            |wanted: &Option<Pattern>, found: &[&str]| matches_any(wanted.as_ref(), found, steps);
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
        self.matches_kind(resource, steps)
            && matches(&self.name, &[&resource.name])
            && matches(&self.namespace, &namespaces)
            && has(&self.labels, "labels")
            && has(&self.annotations, "annotations")
    }

    /// Whether resources of this kind are selected, as far as the kind decides.
    pub(crate) fn matches_kind(&self, resource: &ResourceRef, steps: &Steps) -> bool {
        let (group, version) = resource.group_version();
        matches_any(self.kind.as_ref(), &[&resource.kind], steps)
            && matches_any(self.group.as_ref(), &[group], steps)
            && matches_any(self.version.as_ref(), &[version], steps)
    }
}

/// Whether a pattern, if there is one, matches any of these texts.
fn matches_any(wanted: Option<&Pattern>, found: &[&str], steps: &Steps) -> bool {
    wanted.is_none_or(|wanted| {
        let mut found = found.iter();
        found.any(|found| steps.take(wanted.cost(found)) && wanted.matches(found))
    })
}
