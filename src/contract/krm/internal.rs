//! The annotations in which kustomize and kpt keep for themselves where a resource is from
//! (kubernetes-sigs/kustomize, kyaml/kio/kioutil and api/internal/utils/annotations.go, 5.8.1). A
//! path or a name in them repeats what the author has written elsewhere.

use std::ops::Range;

use crate::contract::krm::ANNOTATIONS;
use crate::contract::krm::list::List;
use crate::contract::members::{value_at, value_of};
use crate::report::Diagnostic;
use yaml::{Edit, NodeId, Role, Tree};

/// Those of all clients, and those with a key of their own.
const PREFIX: &str = "internal.config.kubernetes.io/";
const KEYS: [&str; 4] = [
    "config.kubernetes.io/index",
    "config.kubernetes.io/path",
    "config.k8s.io/id",
    KUSTOMIZE_ID,
];

/// What kustomize adds to each resource that it passes to a function (kustomize 5.8.1,
/// `fnplugin.go`); kpt does not.
pub(super) const KUSTOMIZE_ID: &str = "kustomize.config.k8s.io/id";

/// Those by which kustomize finds a resource again under a name in a reference to it, or in an
/// overlay: their references are rendered as in the name.
const NAMES: [&str; 4] = [
    KUSTOMIZE_ID,
    "internal.config.kubernetes.io/previousKinds",
    "internal.config.kubernetes.io/previousNames",
    "internal.config.kubernetes.io/previousNamespaces",
];

/// Returns whether an edit may change what it changes.
pub(super) fn is_ours(list: &List<'_>) -> impl Fn(&Edit) -> bool + use<> {
    let kept = values(list, |key| is_internal(key) && !NAMES.contains(&key));
    move |edit| !holds(&kept, edit.span.start)
}

/// Returns whether a finding is about what an author has written.
pub(super) fn is_elsewhere(list: &List<'_>) -> impl Fn(&Diagnostic) -> bool + use<> {
    let values = values(list, is_internal);
    move |found| {
        let primary = found.labels.first();
        primary.is_none_or(|label| !holds(&values, label.span.start))
    }
}

fn is_internal(key: &str) -> bool {
    key.starts_with(PREFIX) || KEYS.contains(&key)
}

/// Returns the bytes of the values under such keys, ascending.
fn values(list: &List<'_>, is_one: impl Fn(&str) -> bool) -> Vec<Range<usize>> {
    let tree: &Tree = &list.tree;
    let items = value_of(tree, 0, "items").into_iter();
    let items = items.flat_map(|items| tree.members(items));
    let annotations = items.filter_map(|item| value_at(tree, item, &ANNOTATIONS));
    let values = annotations.flat_map(|annotations| tree.members(annotations));
    let is_value = |value: &NodeId| match tree[*value].role() {
        Role::Value(key) => tree.text(key).is_some_and(&is_one),
        _ => false,
    };
    values
        .filter(is_value)
        .map(|value| tree[value].extent())
        .collect()
}

fn holds(values: &[Range<usize>], at: usize) -> bool {
    let nth = values.partition_point(|value| value.end <= at);
    values.get(nth).is_some_and(|value| value.start <= at)
}
