//! The generator: it adds the ConfigMaps and Secrets of `spec.generate` to the items, with their
//! references, which are then rendered like those of the other items.

use std::ops::Range;

use crate::config::generated::{Generated, Template};
use crate::contract::krm::list::List;
use crate::contract::krm::{Processed, value_of};
use crate::outputs::{OutputsDocument, Value};
use crate::report::Origin;
use yaml::{Context, Edit, Kind, NodeId, Span, Tree, flow, splice};

/// With it, kustomize appends a hash to the name of a resource that a generator returns
/// (kustomize 5.8.1, `fnplugin.go`).
const NEEDS_HASH: &str = "kustomize.config.k8s.io/needs-hash";

/// The groups of the annotations by which kustomize and kpt know the file and the position of an
/// item.
const CLIENTS: [&str; 3] = [
    "internal.config.kubernetes.io/",
    "config.kubernetes.io/",
    "config.k8s.io/",
];

/// A ResourceList to which resources were added.
pub(super) struct WithGenerated {
    /// The list with the resources.
    pub(super) text: String,
    /// In order.
    added: Vec<Added>,
}

/// A text that was added.
struct Added {
    /// What it replaces in the list as it was.
    replaced: Span,
    /// Where it is in the list with the resources.
    range: Range<usize>,
    copies: Vec<Copied>,
}

/// A scalar of the Binding in an added text.
struct Copied {
    /// In the list with the resources.
    range: Range<usize>,
    /// In the list as it was.
    from: Span,
}

impl WithGenerated {
    /// Adds resources to a list. An item with the same kind, name and namespace is replaced.
    pub(super) fn new(list: &List<'_>, resources: &[Generated]) -> Self {
        let mut written = written(list, resources);
        written.sort_by_key(|(span, _)| *span);
        let mut text = String::new();
        let mut added = Vec::new();
        let mut end = 0;
        for (replaced, writer) in written {
            text.push_str(list.text.get(end..replaced.start).unwrap_or_default());
            let start = text.len();
            text.push_str(&writer.text);
            let moved = |range: Range<usize>| start + range.start..start + range.end;
            let copies = writer.copies.into_iter().map(|copied| Copied {
                range: moved(copied.range),
                ..copied
            });
            added.push(Added {
                replaced,
                range: start..text.len(),
                copies: copies.collect(),
            });
            end = replaced.end;
        }
        text.push_str(list.text.get(end..).unwrap_or_default());
        Self { text, added }
    }

    /// Returns the documents with the locations that declare them in the list with the resources.
    pub(super) fn declared(&self, documents: &[OutputsDocument]) -> Vec<OutputsDocument> {
        let mut documents = documents.to_vec();
        for at in documents.iter_mut().filter_map(|d| d.declared_at.as_mut()) {
            let before = self.added.iter().filter(|added| added.replaced.end <= *at);
            let (grown, shrunk) = before.fold((0, 0), |(grown, shrunk), added| {
                let replaced = added.replaced.end - added.replaced.start;
                (grown + added.range.len(), shrunk + replaced)
            });
            *at = *at + grown - shrunk;
        }
        documents
    }

    /// Turns what was found in the list with the resources into edits and locations in the list
    /// as it was.
    pub(super) fn relocate(&self, processed: &mut Processed) {
        if !processed.failed {
            processed.edits = self.edits(std::mem::take(&mut processed.edits));
        }
        let is_added = |edit: &Edit| self.added_at(edit.span.start).is_some();
        for found in processed.diagnostics.iter_mut() {
            let labels =
                (found.labels.iter_mut()).filter(|label| label.origin == Origin::Manifest(0));
            for label in labels {
                label.span = self.original(label.span);
            }
            // The text of a resource is not that of the Binding.
            found.fixes.retain(|fix| !fix.edits.iter().any(is_added));
            for edit in found.fixes.iter_mut().flat_map(|fix| &mut fix.edits) {
                edit.span = self.original(edit.span);
            }
        }
    }

    /// Returns edits on the list as it was that have the same result as edits on the list with
    /// the resources.
    fn edits(&self, edits: Vec<Edit>) -> Vec<Edit> {
        let mut inside: Vec<Vec<Edit>> = self.added.iter().map(|_| Vec::new()).collect();
        let mut result = Vec::new();
        for mut edit in edits {
            if let Some(index) = self.added_at(edit.span.start) {
                let start = self.added[index].range.start;
                edit.span = Span::new(edit.span.start - start, edit.span.end - start);
                inside[index].push(edit);
            } else {
                edit.span = self.original(edit.span);
                result.push(edit);
            }
        }
        for (added, mut edits) in self.added.iter().zip(inside) {
            edits.sort_by_key(|edit| edit.span);
            let text = self.text.get(added.range.clone()).unwrap_or_default();
            result.push(Edit {
                span: added.replaced,
                text: splice(text.as_bytes(), &edits).unwrap_or_else(|_| text.into()),
            });
        }
        result
    }

    /// Returns which added text contains byte `at`.
    fn added_at(&self, at: usize) -> Option<usize> {
        let index = self.added.partition_point(|added| added.range.end <= at);
        let added = self.added.get(index)?;
        added.range.contains(&at).then_some(index)
    }

    /// Returns a location in the list as it was.
    fn original(&self, span: Span) -> Span {
        let (mut grown, mut shrunk) = (0, 0);
        for added in &self.added {
            if span.start < added.range.start {
                break;
            }
            if span.start < added.range.end {
                let copied = added
                    .copies
                    .iter()
                    .find(|copied| span.start < copied.range.end);
                let Some(copied) = copied else {
                    return Span::point(added.replaced.start);
                };
                if copied.range.len() != copied.from.end - copied.from.start
                    || span.start < copied.range.start
                    || span.end > copied.range.end
                {
                    return copied.from;
                }
                let start = copied.from.start + span.start - copied.range.start;
                return Span::new(start, start + span.end - span.start);
            }
            grown += added.range.len();
            shrunk += added.replaced.end - added.replaced.start;
        }
        Span::new(span.start + shrunk - grown, span.end + shrunk - grown)
    }
}

/// Returns the text of each resource, with what it replaces.
fn written(list: &List<'_>, resources: &[Generated]) -> Vec<(Span, Writer)> {
    let (tree, text) = (&list.tree, list.text);
    let items = value_of(tree, 0, "items");
    let members: Vec<NodeId> = items.map_or_else(Vec::new, |items| tree.members(items).collect());
    let existing = |resource: &Generated| {
        let is_same = |item: &&NodeId| is_same(tree, **item, resource);
        members.iter().find(is_same).copied()
    };
    let mut written: Vec<(Span, Writer)> = (resources.iter())
        .filter_map(|resource| {
            let item = existing(resource)?;
            let extent = tree[item].extent();
            let mut writer = match tree[item].kind() {
                Kind::Mapping {
                    flow: false,
                    column,
                } => Writer::in_block(column),
                _ => Writer::in_flow(),
            };
            writer.resource(list, resource, Some(item));
            let replaced = text.get(extent.clone()).unwrap_or_default();
            if replaced.ends_with('\n') {
                writer.end_line();
            }
            Some((Span::new(extent.start, extent.end), writer))
        })
        .collect();
    let new: Vec<&Generated> = (resources.iter())
        .filter(|resource| existing(resource).is_none())
        .collect();
    if !new.is_empty() {
        written.push(inserted(list, items, !members.is_empty(), &new));
    }
    written
}

/// Returns the text of resources before the first item, with what it replaces.
fn inserted(
    list: &List<'_>,
    items: Option<NodeId>,
    has_members: bool,
    resources: &[&Generated],
) -> (Span, Writer) {
    let tree = &list.tree;
    let root = match tree[0].kind() {
        Kind::Mapping {
            flow: false,
            column,
        } => Some(column),
        _ => None,
    };
    let (column, span, before, after) = match (items, root) {
        (Some(items), _) if has_members => {
            let range = tree[items].range();
            match tree[items].kind() {
                Kind::Sequence {
                    flow: false,
                    column,
                } => (Some(column), Span::point(range.start), "", ""),
                _ => (None, Span::point(range.end), "", ", "),
            }
        }
        (Some(items), Some(column)) => {
            let start = tree
                .colon(items)
                .map_or(tree[items].range().start, |colon| colon + 1);
            let span = Span::new(start, tree[items].end().max(start));
            (Some(column), span, "\n", "")
        }
        (Some(items), None) => {
            let extent = tree[items].extent();
            (None, Span::new(extent.start, extent.end), "[", "]")
        }
        (None, Some(column)) => (Some(column), Span::point(list.text.len()), "items:\n", ""),
        (None, None) => {
            let after = tree[0].range().end;
            (None, Span::point(after), "\"items\": [", "], ")
        }
    };
    let mut writer = column.map_or_else(Writer::in_flow, |column| Writer::in_block(column + 2));
    if items.is_none() && column.is_some() && !list.text.ends_with('\n') {
        writer.text.push('\n');
    }
    writer.text.push_str(before);
    for (index, resource) in resources.iter().enumerate() {
        match column {
            Some(column) => {
                if index > 0 || before == "\n" || before == "items:\n" {
                    writer.text.extend(std::iter::repeat_n(' ', column));
                }
                writer.text.push_str("- ");
                writer.resource(list, resource, None);
                writer.end_line();
            }
            None => {
                writer.text.push_str(if index > 0 { ", " } else { "" });
                writer.resource(list, resource, None);
            }
        }
    }
    if let (Some(column), true) = (column, has_members) {
        writer.text.extend(std::iter::repeat_n(' ', column));
    }
    writer.text.push_str(after);
    let rest = list.text.get(span.end..).unwrap_or_default();
    if writer.text.ends_with('\n') && rest.starts_with('\n') {
        writer.text.pop();
    }
    (span, writer)
}

/// Returns whether an item is the resource.
fn is_same(tree: &Tree, item: NodeId, resource: &Generated) -> bool {
    let text = |path: &[&str]| {
        let node = path
            .iter()
            .try_fold(item, |node, key| value_of(tree, node, key));
        node.and_then(|node| tree.text(node)).unwrap_or_default()
    };
    text(&["apiVersion"]) == "v1"
        && text(&["kind"]) == resource.kind
        && text(&["metadata", "name"]) == resource.name
        && text(&["metadata", "namespace"]) == resource.namespace
}

/// Writes resources as items of a list.
struct Writer {
    text: String,
    copies: Vec<Copied>,
    /// The column of an item's keys. `None`: in flow, as JSON.
    column: Option<usize>,
    depth: usize,
    is_first: bool,
}

impl Writer {
    fn in_block(column: usize) -> Self {
        Self {
            column: Some(column),
            ..Self::in_flow()
        }
    }

    const fn in_flow() -> Self {
        Self {
            text: String::new(),
            copies: Vec::new(),
            column: None,
            depth: 0,
            is_first: true,
        }
    }

    /// Writes a resource. It keeps the annotations of `existing` by which its client knows it.
    fn resource(&mut self, list: &List<'_>, resource: &Generated, existing: Option<NodeId>) {
        let tree = &list.tree;
        self.is_first = true;
        if self.column.is_none() {
            self.text.push('{');
        }
        self.entry("apiVersion", "v1");
        self.entry("kind", &resource.kind);
        self.open("metadata");
        self.entry("name", &resource.name);
        if !resource.namespace.is_empty() {
            self.entry("namespace", &resource.namespace);
        }
        self.section("labels", list, &resource.labels, &[]);
        let mut annotations: Vec<(&str, &str)> = Vec::new();
        let kept = existing
            .and_then(|item| value_of(tree, item, "metadata"))
            .and_then(|metadata| value_of(tree, metadata, "annotations"));
        for (key, value) in kept.into_iter().flat_map(|kept| tree.entries(kept)) {
            let (key, value) = (tree.text(key), tree.text(value));
            if let (Some(key), Some(value)) = (key, value)
                && CLIENTS.iter().any(|group| key.starts_with(group))
            {
                annotations.push((key, value));
            }
        }
        if resource.needs_hash {
            annotations.push((NEEDS_HASH, "true"));
        }
        self.section("annotations", list, &resource.annotations, &annotations);
        self.close();
        if !resource.secret_type.is_empty() {
            self.entry("type", &resource.secret_type);
        }
        let data = if resource.kind == "Secret" {
            "stringData"
        } else {
            "data"
        };
        self.section(data, list, &resource.data, &[]);
        if self.column.is_none() {
            self.text.push('}');
        }
    }

    /// Writes a mapping, if it has entries.
    fn section(
        &mut self,
        key: &str,
        list: &List<'_>,
        templates: &[Template],
        others: &[(&str, &str)],
    ) {
        if templates.is_empty() && others.is_empty() {
            return;
        }
        self.open(key);
        for template in templates {
            self.template(list, template);
        }
        for (key, value) in others {
            self.entry(key, value);
        }
        self.close();
    }

    fn open(&mut self, key: &str) {
        self.key(key);
        if self.column.is_none() {
            self.text.push_str(" {");
        }
        self.depth += 1;
        self.is_first = self.column.is_none();
    }

    fn close(&mut self) {
        if self.column.is_none() {
            self.text.push('}');
        }
        self.depth -= 1;
        self.is_first = false;
    }

    fn entry(&mut self, key: &str, value: &str) {
        self.key(key);
        self.text.push(' ');
        self.string(value);
    }

    /// Writes an entry whose value is written in block style as in the Binding, where its
    /// indentation is deeper.
    fn template(&mut self, list: &List<'_>, template: &Template) {
        let tree = &list.tree;
        self.key(&template.key);
        let extent = tree[template.value].extent();
        let colon = tree.colon(template.value);
        let from = colon.map_or(extent.start, |colon| colon + 1);
        let written = list.text.get(from..extent.end).unwrap_or_default();
        // The end of a block scalar may be after the indentation of the next line.
        let written = written.trim_end_matches(' ');
        let start = self.text.len();
        let from = if self.column.is_some() {
            self.text.push_str(written);
            Span::new(from, from + written.len())
        } else {
            self.text.push(' ');
            self.string(tree.text(template.value).unwrap_or_default());
            Span::new(extent.start, extent.end)
        };
        let range = start..self.text.len();
        self.copies.push(Copied { range, from });
    }

    fn key(&mut self, key: &str) {
        match self.column {
            Some(column) if !self.is_first => {
                self.end_line();
                let indent = column + 2 * self.depth;
                self.text.extend(std::iter::repeat_n(' ', indent));
            }
            None if !self.is_first => self.text.push_str(", "),
            _ => {}
        }
        self.is_first = false;
        self.string(key);
        self.text.push(':');
    }

    fn string(&mut self, text: &str) {
        let context = Context {
            flow: self.column.is_none(),
            json: self.column.is_none(),
        };
        let text = flow(&Value::String(text.to_owned()), context);
        self.text.push_str(&text);
    }

    fn end_line(&mut self) {
        if !self.text.ends_with('\n') {
            self.text.push('\n');
        }
    }
}
