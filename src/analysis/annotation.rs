//! The `landfall.dev/substitute` annotation, which disables substitution in a resource, and
//! the label or annotation of the dialect's own tool that does the same.

use std::sync::LazyLock;

use memchr::memmem::Finder;

use crate::collections::{OrderedMap, OrderedSet};
use crate::kubernetes::resources::Resources;
use crate::reference::{Dialect, Mask, Site};
use crate::report::{Diagnostic, Rule};
use yaml::{NodeId, Role, Tree};

pub(crate) const ANNOTATION: &str = "landfall.dev/substitute";

/// Searches for the annotation. Every document is searched, and most are short.
static IN_TEXT: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(ANNOTATION));

/// The group of the Binding, which is never a manifest.
const API_GROUP: &str = "landfall.dev/v";

static IN_BINDING: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(API_GROUP));

/// The resources of a document in which substitution is disabled.
#[derive(Debug, Default)]
pub(crate) struct Disabled {
    resources: OrderedSet<NodeId>,
    /// Annotations with an invalid value.
    invalid: Vec<NodeId>,
}

/// The values of the keys that lead to the annotation. Of duplicate keys the last one
/// counts, as in Kubernetes' own parsers.
struct LastValues<'a> {
    resources: &'a Resources<'a>,
    members: OrderedMap<(NodeId, &'a str), NodeId>,
}

impl<'a> LastValues<'a> {
    fn of(tree: &Tree, resources: &'a Resources<'a>, tools: Option<&str>) -> Self {
        let mut members = OrderedMap::new();
        for (id, node) in tree.nodes() {
            let (Role::Value(key), Some(mapping)) = (node.role(), node.parent()) else {
                continue;
            };
            let name = resources.text(key);
            if let Some(name) = name
                && (matches!(name, ANNOTATION | "annotations" | "labels" | "metadata")
                    || Some(name) == tools)
            {
                members.insert((mapping, name), id);
            }
        }
        Self { resources, members }
    }

    /// Whether a node is the last value of this key in a mapping, or the mapping has the
    /// key only through a merge key.
    fn is_last(&self, mapping: NodeId, name: &str, node: NodeId) -> bool {
        let last = self.members.get(&(mapping, name));
        last.is_none_or(|last| self.resources.target(*last) == self.resources.target(node))
    }

    /// Returns the mappings in which a node is the value of this key.
    fn owners(&self, node: NodeId, name: &str) -> impl Iterator<Item = NodeId> {
        let owners = self.resources.owners(node, name).into_iter();
        owners.filter(move |owner| self.is_last(*owner, name, node))
    }
}

impl Disabled {
    /// Finds the disabled resources of `text`, from which `tree` was parsed.
    pub(crate) fn of(
        text: &str,
        tree: &Tree,
        resources: &Resources<'_>,
        dialect: &dyn Dialect,
    ) -> Self {
        let mut disabled = Self::default();
        let has = |name: &str| memchr::memmem::find(text.as_bytes(), name.as_bytes()).is_some();
        let is_annotated = || IN_TEXT.find(text.as_bytes()).is_some();
        let tools = dialect.notation().disabled_by;
        // kustomize passes a generator its own Binding as an item (5.8.1, `fnplugin.go`).
        if IN_BINDING.find(text.as_bytes()).is_some() {
            let bindings = resources.resources().filter(|(_, found)| {
                found.kind == "Binding" && found.api_version.starts_with(API_GROUP)
            });
            disabled.resources.extend(bindings.map(|(id, _)| id));
        }
        let ignored = dialect.notation().ignored_kinds;
        if ignored.iter().copied().any(has) {
            let resources = resources.resources();
            let ignored = resources.filter(|(_, found)| ignored.contains(&found.kind.as_str()));
            disabled.resources.extend(ignored.map(|(id, _)| id));
        }
        if !is_annotated() && !tools.is_some_and(has) {
            return disabled;
        }
        let last_values = LastValues::of(tree, resources, tools);
        for (id, node) in tree.nodes() {
            let Role::Value(key) = node.role() else {
                continue;
            };
            let (name, fields): (_, &[&str]) = match resources.text(key) {
                Some(ANNOTATION) => (ANNOTATION, &["annotations"]),
                Some(name) if Some(name) == tools => (name, &["annotations", "labels"]),
                _ => continue,
            };
            let entries = node.parent();
            let Some(entries) = entries.filter(|at| last_values.is_last(*at, name, id)) else {
                continue;
            };
            let mut annotated = OrderedSet::new();
            for field in fields {
                for metadata in last_values.owners(entries, field) {
                    annotated.extend(last_values.owners(metadata, "metadata"));
                }
            }
            if annotated.is_empty() {
                continue;
            }
            match resources.text(id) {
                Some("disabled") => {
                    disabled.resources.extend(annotated);
                }
                Some("enabled") => {}
                // The other tool accepts any value.
                _ if name != ANNOTATION => {}
                _ => disabled.invalid.push(id),
            }
        }
        disabled
    }

    /// Finds the disabled resources for a render, with the errors about annotations and the
    /// nodes that they belong to.
    pub(crate) fn find(
        text: &str,
        tree: &Tree,
        resources: &Resources<'_>,
        masks: &[Mask],
        site: &Site<'_>,
    ) -> (Self, Vec<(NodeId, Diagnostic)>) {
        let disabled = Self::of(text, tree, resources, site.dialect);
        let mut found = Vec::new();
        for id in &disabled.invalid {
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

    /// Returns the aliases, each with the node that it repeats, that contain references and
    /// are disabled at only one of the two: the references would have to be kept in one
    /// resource and replaced in the other.
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
            // A nested alias may repeat a reference, too.
            let first = aliases.partition_point(|alias| *alias < target);
            let holds_alias = aliases
                .get(first)
                .is_some_and(|alias| tree[*alias].range().start < bytes.end);
            holds_reference || holds_alias
        };
        let split = aliases.iter().copied().filter(is_split);
        split.map(|alias| (alias, tree.target(alias))).collect()
    }

    /// Whether the comment at byte `at` belongs to a disabled resource: that of the node
    /// before it, or else of the first node.
    pub(crate) fn covers_comment(&self, tree: &Tree, at: usize) -> bool {
        if self.resources.is_empty() {
            return false;
        }
        let after = tree.first_from(at + 1);
        self.covers(tree, after.saturating_sub(1))
    }

    /// Whether a node belongs to a disabled resource.
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
