//! The values of mappings by their keys.

use yaml::{NodeId, Role, Tree};

/// Returns the value at a path of keys in a mapping.
pub(super) fn value_at(tree: &Tree, mapping: NodeId, path: &[&str]) -> Option<NodeId> {
    let mut keys = path.iter();
    keys.try_fold(mapping, |mapping, key| value_of(tree, mapping, key))
}

/// Returns the text at a path of keys in a mapping.
pub(super) fn text_at<'t>(tree: &'t Tree, mapping: NodeId, path: &[&str]) -> Option<&'t str> {
    tree.text(value_at(tree, mapping, path)?)
}

/// Returns the value of a key in a mapping.
pub(super) fn value_of(tree: &Tree, mapping: NodeId, key: &str) -> Option<NodeId> {
    tree.members(mapping)
        .find(|id| matches!(tree[*id].role(), Role::Value(id) if tree.text(id) == Some(key)))
}
