//! The ids by which kustomize and kpt match an item with its original.

use crate::contract::krm::ANNOTATIONS;
use crate::contract::members::{value_at, value_of};
use yaml::{BLANKS, NodeId, Role, Tree};
use yaml::{Edit, Span};

/// The annotations that contain the ids.
const IDS: &[&str] = &["internal.config.kubernetes.io/id", "config.k8s.io/id"];

/// Returns edits that remove the ids of every item in which a scalar became a list or
/// object; `reshaped` contains the positions of those scalars, ascending.
///
/// kustomize and kpt give each item an id, and afterwards copy the comments of the item
/// with that id back (kyaml 0.21.1, `comments.CopyComments`). That walk fails with "wrong
/// node kind" where a scalar has become a collection. An item without ids is not matched
/// and keeps what it has; our bytes still contain its comments.
pub(super) fn removed(text: &str, tree: &Tree, root: NodeId, reshaped: &[usize]) -> Vec<Edit> {
    let Some(items) = value_of(tree, root, "items") else {
        return Vec::new();
    };
    let starts: Vec<NodeId> = tree.members(items).collect();
    let mut edits: Vec<Edit> = Vec::new();
    for (nth, item) in starts.iter().enumerate() {
        let end = starts
            .get(nth + 1)
            .map_or(text.len(), |next| tree[*next].range().start);
        let from = reshaped.partition_point(|at| *at < tree[*item].range().start);
        if reshaped.get(from).is_none_or(|at| *at >= end) {
            continue;
        }
        if let Some(annotations) = value_at(tree, *item, &ANNOTATIONS) {
            let entries = IDS
                .iter()
                .filter_map(|id| entry(text, tree, annotations, id));
            edits.extend(entries.map(|span| Edit {
                span,
                text: Vec::new(),
            }));
        }
    }
    edits
}

/// Returns the bytes of the entry with this key.
fn entry(text: &str, tree: &Tree, mapping: NodeId, key: &str) -> Option<Span> {
    let value = value_of(tree, mapping, key)?;
    let Role::Value(key) = tree[value].role() else {
        return None;
    };
    let (start, end) = (tree[key].range().start, tree[value].range().end);
    Some(if tree.in_flow(key) {
        flow_entry(text, start, end)
    } else {
        lines(text, start, end)
    })
}

/// Whether an id must stay: an edit changes its bytes, or adds an entry after it in a flow
/// mapping, where its comma is needed. `edits` are ascending and disjoint.
pub(super) fn is_needed(id: &Edit, edits: &[Edit]) -> bool {
    let first = edits.partition_point(|edit| edit.span.end <= id.span.start);
    let overlaps = edits
        .get(first)
        .is_some_and(|edit| edit.span.start < id.span.end);
    let after = edits.partition_point(|edit| edit.span.start < id.span.end);
    let mut after = edits[after..]
        .iter()
        .take_while(|edit| edit.span.start == id.span.end);
    overlaps || after.any(|edit| edit.text.starts_with(b", "))
}

/// Returns the whole lines that contain bytes `start..end`, each with the line break before
/// it: an insertion after the last of them is kept.
fn lines(text: &str, start: usize, end: usize) -> Span {
    let from = memchr::memrchr(b'\n', &text.as_bytes()[..start]).unwrap_or(0);
    let to = memchr::memchr(b'\n', &text.as_bytes()[end..]).map_or(text.len(), |at| end + at);
    Span::new(from, to)
}

/// Returns an entry of a flow mapping with the comma after it; YAML allows the one before
/// it to remain.
fn flow_entry(text: &str, start: usize, end: usize) -> Span {
    let after = &text[end..];
    let blanks = after.len() - after.trim_start_matches(BLANKS).len();
    if after.trim_start_matches(BLANKS).starts_with(',') {
        Span::new(start, end + blanks + 1)
    } else {
        Span::new(start, end)
    }
}
