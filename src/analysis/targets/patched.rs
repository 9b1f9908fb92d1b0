//! Nodes of a patch that are fields of the patched resource: those of a strategic merge patch, and
//! the values of the operations of a JSON patch.

use crate::analysis::targets::steps::{PATH_STEP, Steps};
use crate::config::substitutions::PathStep;
use crate::kubernetes::resources::{PatchedField, Resources, unescaped};
use yaml::NodeId;

/// A node that a patch writes.
pub(super) struct PatchedNode {
    pub(super) id: NodeId,
    /// Where it is in the patched resource.
    pub(super) patch: PatchedField,
}

/// Returns the nodes of a document in which a patch writes.
pub(super) fn find(resources: &Resources<'_>) -> Vec<PatchedNode> {
    let of_operations = resources.values_of_operations();
    let merged = resources.merged_patch().map(|patch| (0, patch));
    let all = merged.into_iter().chain(of_operations);
    all.map(|(id, patch)| PatchedNode { id, patch }).collect()
}

impl PatchedNode {
    /// Returns the first step of a path that leads into the node, if the path leads through it.
    /// Which item of a list an operation changes is not known.
    pub(super) fn first_inside(&self, path: &[PathStep], steps: &Steps) -> Option<usize> {
        let mut first = 0;
        for token in self.patch.tokens() {
            let is_index = token == "-" || token.bytes().all(|byte| byte.is_ascii_digit());
            let is_same = match path.get(first)? {
                PathStep::Key(key) | PathStep::Index { key, .. } => *key == unescaped(token),
                PathStep::Any => true,
                PathStep::Match { .. } | PathStep::Append => is_index,
            };
            if !is_same || !steps.take(PATH_STEP) {
                return None;
            }
            first += 1;
        }
        Some(first)
    }
}
