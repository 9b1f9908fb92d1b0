//! The annotation by which a resource says that nothing in it is a reference.

use crate::collections::{OrderedMap, OrderedSet};
use crate::kubernetes::resources::Resources;
use crate::reference::{Mask, Site};
use crate::report::{Diagnostic, Rule};
use yaml::{NodeId, Role, Tree};

const ANNOTATION: &str = "landfall.dev/substitute";

/// The resources of a document that are left as they are.
#[derive(Debug, Default)]
pub(crate) struct Disabled {
    resources: OrderedSet<NodeId>,
    /// Annotations with another value than they can have.
    unclear: Vec<NodeId>,
}

/// The values that count where a mapping has a key more than once: the last ones, as for
/// Kubernetes' own readers.
struct Last<'a> {
    resources: &'a Resources<'a>,
    members: OrderedMap<(NodeId, &'a str), NodeId>,
}

impl<'a> Last<'a> {
    fn of(tree: &Tree, resources: &'a Resources<'a>) -> Self {
        let mut members = OrderedMap::new();
        for (id, node) in tree.nodes() {
            let (Role::Value(key), Some(mapping)) = (node.role(), node.parent()) else {
                continue;
            };
            let name = resources.text(key);
            if let Some(name @ (ANNOTATION | "annotations" | "metadata")) = name {
                members.insert((mapping, name), id);
            }
        }
        Self { resources, members }
    }

    /// Whether a node is what a mapping has under this key, if it has the key itself.
    fn is(&self, mapping: NodeId, name: &str, node: NodeId) -> bool {
        let last = self.members.get(&(mapping, name));
        last.is_none_or(|last| self.resources.target(*last) == self.resources.target(node))
    }

    /// The mappings that have a node under this key.
    fn owners(&self, node: NodeId, name: &str) -> impl Iterator<Item = NodeId> {
        let owners = self.resources.owners(node, name).into_iter();
        owners.filter(move |owner| self.is(*owner, name, node))
    }
}

impl Disabled {
    /// Finds the disabled resources of `text`, whose tree this is.
    pub(crate) fn of(text: &str, tree: &Tree, resources: &Resources<'_>) -> Self {
        let mut disabled = Self::default();
        if memchr::memmem::find(text.as_bytes(), ANNOTATION.as_bytes()).is_none() {
            return disabled;
        }
        let last = Last::of(tree, resources);
        for (id, node) in tree.nodes() {
            let Role::Value(key) = node.role() else {
                continue;
            };
            let annotations = node
                .parent()
                .filter(|_| resources.text(key) == Some(ANNOTATION));
            let Some(annotations) = annotations.filter(|at| last.is(*at, ANNOTATION, id)) else {
                continue;
            };
            let mut annotated = OrderedSet::new();
            for metadata in last.owners(annotations, "annotations") {
                annotated.extend(last.owners(metadata, "metadata"));
            }
            if annotated.is_empty() {
                continue;
            }
            match resources.text(id) {
                Some("disabled") => {
                    disabled.resources.extend(annotated);
                }
                Some("enabled") => {}
                _ => disabled.unclear.push(id),
            }
        }
        disabled
    }

    /// Finds them for a render, with what is wrong with annotations and the nodes that it
    /// is about.
    pub(crate) fn find(
        text: &str,
        tree: &Tree,
        resources: &Resources<'_>,
        masks: &[Mask],
        site: &Site<'_>,
    ) -> (Self, Vec<(NodeId, Diagnostic)>) {
        let disabled = Self::of(text, tree, resources);
        let mut found = Vec::new();
        for id in &disabled.unclear {
            let message = format!("`{ANNOTATION}` must be `enabled` or `disabled`");
            let error = Diagnostic::error(Rule::InvalidAnnotation, message);
            let error = site
                .label(error, &tree[*id].range(), "")
                .help("write `disabled` to leave the whole resource unchanged, or remove the annotation to render it");
            found.push((*id, error));
        }
        for (alias, target) in disabled.split_aliases(tree, masks) {
            let error = Diagnostic::error(
                Rule::InvalidAnnotation,
                format!(
                    "an alias repeats references, but `{ANNOTATION}` disables them in only one of the two places"
                ),
            );
            let error = site.label(error, &tree[alias].range(), "this alias");
            let target = &tree[target].range();
            let error = site
                .label(error, target, "the node that it refers to")
                .help("repeat the text instead of using an alias");
            found.push((alias, error));
        }
        (disabled, found)
    }

    /// The aliases, each with the node that it repeats, that are disabled at only one of
    /// the two places and hold references: these would have to stay in one resource and
    /// not in the other.
    fn split_aliases(&self, tree: &Tree, masks: &[Mask]) -> Vec<(NodeId, NodeId)> {
        if self.resources.is_empty() {
            return Vec::new();
        }
        let aliases: Vec<NodeId> = tree.ids().filter(|id| tree.target(*id) != *id).collect();
        let is_split = |alias: &NodeId| {
            let target = tree.target(*alias);
            if self.covers(tree, *alias) == self.covers(tree, target) {
                return false;
            }
            let bytes = tree[target].range().start..tree[target].end();
            let first = masks.partition_point(|mask| mask.range.start < bytes.start);
            let holds_reference = masks.get(first).is_some_and(|m| m.range.start < bytes.end);
            // What aliases in it repeat may hold one, too.
            let first = aliases.partition_point(|alias| *alias < target);
            let holds_alias = aliases
                .get(first)
                .is_some_and(|alias| tree[*alias].range().start < bytes.end);
            holds_reference || holds_alias
        };
        let split = aliases.iter().copied().filter(is_split);
        split.map(|alias| (alias, tree.target(alias))).collect()
    }

    /// Whether the comment at byte `at` belongs to such a resource: to that of the node
    /// before it, or of the first one.
    pub(crate) fn covers_comment(&self, tree: &Tree, at: usize) -> bool {
        if self.resources.is_empty() {
            return false;
        }
        let after = tree.first_from(at + 1);
        self.covers(tree, after.saturating_sub(1))
    }

    /// Whether a node belongs to such a resource.
    pub(crate) fn covers(&self, tree: &Tree, id: NodeId) -> bool {
        let mut at = (!self.resources.is_empty()).then_some(id);
        while let Some(id) = at {
            if self.resources.contains(&id) {
                return true;
            }
            at = tree[id].parent();
        }
        false
    }
}
