//! Follows field paths through the tree of a document.

use crate::analysis::targets::members::Members;
use crate::analysis::targets::steps::{PATH_STEP, Steps};
use crate::config::substitutions::PathStep;
use yaml::{Kind, NodeId, Style};

/// Where a field path ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PathEnd {
    Node(NodeId),
    /// The path continues, from the step `rest`, in the text of the scalar `node`, which
    /// may be a document.
    Inside {
        node: NodeId,
        rest: usize,
    },
    /// The path ends at `parent`, which does not have the field that the steps from `rest`
    /// on name.
    Missing {
        parent: NodeId,
        rest: usize,
    },
    /// The step `rest` does not fit the node `parent`: a key of a list, an index beyond the
    /// next item, a field of an alias.
    Unfit {
        parent: NodeId,
        rest: usize,
    },
}

/// Follows the steps of `path` from `nth` on, starting at the node `at`, and adds every end
/// to `found`.
pub(crate) fn find(
    members: &Members<'_>,
    at: NodeId,
    path: &[PathStep],
    nth: usize,
    steps: &Steps,
    found: &mut Vec<PathEnd>,
) {
    let Some(step) = path.get(nth) else {
        found.push(PathEnd::Node(at));
        return;
    };
    if !steps.take(PATH_STEP) {
        return;
    }
    let missing = PathEnd::Missing {
        parent: at,
        rest: nth,
    };
    let unfit = PathEnd::Unfit {
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
        (Kind::Scalar { .. }, _) if is_null(members, at) => Err(missing),
        (Kind::Scalar { .. }, _) => Err(PathEnd::Inside {
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

/// Whether a node is written as null, which can become a list or a map. A reference in it
/// decides its text, but it isn't null then.
pub(crate) fn is_null(members: &Members<'_>, id: NodeId) -> bool {
    let tree = members.tree();
    let node = &tree[id];
    node.style() == Some(Style::Plain)
        && node.tag().is_none()
        && matches!(
            tree.source().get(node.range()),
            Some("" | "null" | "~" | "Null" | "NULL")
        )
}
