//! Field paths followed through the tree of a document.

use super::path::PathStep;
use crate::binding::place::Places;
use crate::manifest::{Kind, NodeId, Role, Tree};

/// Where a field path leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Found {
    Node(NodeId),
    /// The path ends at `parent`, which lacks what the steps from `rest` on name.
    Missing {
        parent: NodeId,
        rest: usize,
    },
}

/// The members of a collection: a mapping's values, a sequence's items.
pub(crate) fn members<'t>(tree: &'t Tree<'_>, id: NodeId) -> impl Iterator<Item = NodeId> + 't {
    (id + 1..tree.nodes.len())
        .take_while(move |member| {
            tree.nodes[*member]
                .parent
                .is_some_and(|parent| parent >= id)
        })
        .filter(move |member| {
            let node = &tree.nodes[*member];
            node.parent == Some(id) && node.role != Role::Key
        })
}

/// The value under a key of a mapping. Of equal keys the last one counts.
pub(crate) fn child(
    tree: &Tree<'_>,
    places: &Places<'_>,
    mapping: NodeId,
    name: &str,
) -> Option<NodeId> {
    members(tree, mapping)
        .filter(
            |id| matches!(tree.nodes[*id].role, Role::Value(key) if places.text(key) == Some(name)),
        )
        .last()
}

/// Every place that the steps of `path` from `nth` on lead to from the node `at`.
pub(crate) fn find(
    tree: &Tree<'_>,
    places: &Places<'_>,
    at: NodeId,
    path: &[PathStep],
    nth: usize,
    found: &mut Vec<Found>,
) {
    let Some(step) = path.get(nth) else {
        found.push(Found::Node(at));
        return;
    };
    let next: Vec<NodeId> = match (&tree.nodes[at].kind, step) {
        (Kind::Mapping { .. }, PathStep::Key(name)) => {
            child(tree, places, at, name).into_iter().collect()
        }
        (Kind::Sequence { .. }, PathStep::Key(digits)) => {
            let index: Option<usize> = digits.parse().ok();
            let item = index.and_then(|index| members(tree, at).nth(index));
            item.into_iter().collect()
        }
        (Kind::Sequence { .. }, PathStep::Match { key, value }) => members(tree, at)
            .filter(|item| {
                child(tree, places, *item, key).and_then(|id| places.text(id)) == Some(value)
            })
            .collect(),
        (Kind::Mapping { .. } | Kind::Sequence { .. }, PathStep::Any) => {
            members(tree, at).collect()
        }
        _ => Vec::new(),
    };
    if next.is_empty() {
        found.push(Found::Missing {
            parent: at,
            rest: nth,
        });
    }
    for id in next {
        find(tree, places, id, path, nth + 1, found);
    }
}
