//! Field paths followed through the tree of a document.

use crate::analysis::targets::members::Members;
use crate::analysis::targets::steps::{PATH_STEP, Steps};
use crate::config::substitutions::PathStep;
use yaml::{Kind, NodeId, Style};

/// Where a field path leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Found {
    Node(NodeId),
    /// The path continues, from the step `rest`, in the text of the scalar `node`:
    /// that may be a document.
    Inside {
        node: NodeId,
        rest: usize,
    },
    /// The path ends at `parent`, which lacks what the steps from `rest` on name.
    Missing {
        parent: NodeId,
        rest: usize,
    },
    /// The step `rest` does not fit the node `parent`: a key of a list, an item far
    /// after the last one, a field of an alias.
    Unfit {
        parent: NodeId,
        rest: usize,
    },
}

/// Every place that the steps of `path` from `nth` on lead to from the node `at`.
pub(crate) fn find(
    members: &Members<'_>,
    at: NodeId,
    path: &[PathStep],
    nth: usize,
    steps: &Steps,
    found: &mut Vec<Found>,
) {
    let Some(step) = path.get(nth) else {
        found.push(Found::Node(at));
        return;
    };
    if !steps.take(PATH_STEP) {
        return;
    }
    let missing = Found::Missing {
        parent: at,
        rest: nth,
    };
    let unfit = Found::Unfit {
        parent: at,
        rest: nth,
    };
    let one = |child: Option<NodeId>| match child {
        Some(child) => Ok(vec![child]),
        None => Err(missing),
    };
    let next = match (members.tree()[at].kind(), step) {
        (Kind::Mapping { .. }, PathStep::Key(key) | PathStep::Index { key, .. }) => {
            one(members.child(at, key))
        }
        (Kind::Sequence { .. }, PathStep::Index { index, .. }) => {
            match members.of(at).len().checked_sub(*index) {
                None => Err(unfit),
                Some(0) => Err(missing),
                Some(_) => one(members.of(at).get(*index).copied()),
            }
        }
        (Kind::Sequence { .. }, PathStep::Match { key, value }) => {
            let (items, cost) = members.matching(at, key, value);
            if !steps.take(cost) {
                return;
            }
            Ok(items)
        }
        (Kind::Mapping { .. } | Kind::Sequence { .. }, PathStep::Any) => {
            Ok(members.of(at).to_vec())
        }
        (Kind::Sequence { .. }, PathStep::Append) => Err(missing),
        (Kind::Scalar { .. }, _) if is_nothing(members, at) => Err(missing),
        (Kind::Scalar { .. }, _) => Err(Found::Inside {
            node: at,
            rest: nth,
        }),
        (Kind::Mapping { .. } | Kind::Sequence { .. } | Kind::Alias(_), _) => Err(unfit),
    };
    match next {
        Ok(next) if next.is_empty() => found.push(missing),
        Ok(next) => {
            for id in next {
                find(members, id, path, nth + 1, steps, found);
            }
        }
        Err(end) => found.push(end),
    }
}

/// Whether a node is null, which can become a list or a map.
pub(crate) fn is_nothing(members: &Members<'_>, id: NodeId) -> bool {
    let tree = members.tree();
    let node = &tree[id];
    node.style() == Some(Style::Plain)
        && node.tag().is_none()
        && matches!(tree.text(id), Some("" | "null" | "~" | "Null" | "NULL"))
}
