//! The generator: it adds the ConfigMaps and Secrets of `spec.generate` to the items, with their
//! references, which are then rendered like those of the other items.

use std::ops::Range;

use crate::collections::{OrderedMap, OrderedSet};
use crate::config::binding::API_VERSION;
use crate::config::generated::{Generated, Template, TemplateValue};
use crate::contract::krm::list::List;
use crate::contract::krm::{ANNOTATIONS, Processed};
use crate::contract::members::{text_at, value_at, value_of};
use crate::outputs::{OutputsDocument, Value};
use crate::report::{Diagnostic, Diagnostics, Origin, Rule};
use yaml::{BLANKS, Context, Edit, Kind, NodeId, Span, Style, Tree, flow, line_end, splice};

/// With it, kustomize appends a hash to the name of a resource that a generator returns
/// (kustomize 5.8.1, `fnplugin.go`).
const NEEDS_HASH: &str = "kustomize.config.k8s.io/needs-hash";

/// The annotations by which kustomize and kpt know the file and the position of an item. Those of
/// [`INTERNAL`] are theirs alone.
const CLIENTS: [&str; 3] = [
    "config.kubernetes.io/path",
    "config.kubernetes.io/index",
    "config.k8s.io/id",
];

const INTERNAL: &str = "internal.config.kubernetes.io/";

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
    /// Whether both are the same bytes.
    is_verbatim: bool,
}

impl WithGenerated {
    /// Adds resources to a list. An item with the same kind, name and namespace is replaced.
    ///
    /// # Errors
    /// There are several such items, or a hash is wanted that nothing appends.
    pub(super) fn new(list: &List<'_>, resources: &[Generated]) -> Result<Self, Diagnostics> {
        let needs_hash = resources.iter().find_map(|resource| resource.needs_hash);
        if let Some(span) = needs_hash.filter(|_| !is_of_generator(&list.tree)) {
            let message = "`nameSuffixHash` has no effect here";
            return Err(Diagnostic::error(Rule::InvalidBinding, message)
                .at_concealed(Origin::Manifest(0), span, "")
                .help("remove it, or name the Binding under `generators:` of a kustomization: kustomize appends hashes to what generators return")
                .into());
        }
        let mut written = written(list, resources)?;
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
        Ok(Self { text, added })
    }

    /// Returns the documents with the locations that declare them in the list with the resources.
    pub(super) fn declared(&self, documents: &[OutputsDocument]) -> Vec<OutputsDocument> {
        let mut documents = documents.to_vec();
        for at in documents.iter_mut().filter_map(|d| d.declared_at.as_mut()) {
            let before = self
                .added
                .partition_point(|added| added.replaced.end <= *at);
            if let Some(added) = before.checked_sub(1).map(|last| &self.added[last]) {
                *at = *at - added.replaced.end + added.range.end;
            }
        }
        documents
    }

    /// Turns what was found in the list with the resources into edits and locations in the list
    /// as it was.
    ///
    /// # Errors
    /// The edits are not disjoint.
    pub(super) fn relocate(&self, processed: &mut Processed) -> Result<(), Diagnostics> {
        if !processed.failed {
            processed.edits = self.edits(std::mem::take(&mut processed.edits))?;
        }
        let is_added = |edit: &Edit| self.added_at(edit.span.start).is_some();
        for found in processed.diagnostics.iter_mut() {
            let labels =
                (found.labels.iter_mut()).filter(|label| label.origin == Origin::Manifest(0));
            for label in labels {
                // A literal of a Secret may be next to the template in the Binding.
                label.conceal |= self.added_at(label.span.start).is_some();
                label.span = self.original(label.span);
            }
            // The text of a resource is not that of the Binding.
            found.fixes.retain(|fix| !fix.edits.iter().any(is_added));
            for edit in found.fixes.iter_mut().flat_map(|fix| &mut fix.edits) {
                edit.span = self.original(edit.span);
            }
        }
        Ok(())
    }

    /// Returns edits on the list as it was that have the same result as edits on the list with
    /// the resources.
    fn edits(&self, edits: Vec<Edit>) -> Result<Vec<Edit>, Diagnostics> {
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
            let text = splice(text.as_bytes(), &edits).map_err(|_| {
                let message = "the generated resources cannot be rendered";
                Diagnostic::error(Rule::InvalidResourceList, message)
            })?;
            result.push(Edit {
                span: added.replaced,
                text,
            });
        }
        Ok(result)
    }

    /// Returns which added text contains byte `at`.
    fn added_at(&self, at: usize) -> Option<usize> {
        let index = self.added.partition_point(|added| added.range.end <= at);
        let added = self.added.get(index)?;
        added.range.contains(&at).then_some(index)
    }

    /// Returns a location in the list as it was.
    fn original(&self, span: Span) -> Span {
        if let Some(index) = self.added_at(span.start) {
            return self.added[index].source(span);
        }
        let before = self
            .added
            .partition_point(|added| added.range.end <= span.start);
        let Some(added) = before.checked_sub(1).map(|last| &self.added[last]) else {
            return span;
        };
        let moved = |at: usize| at - added.range.end + added.replaced.end;
        Span::new(moved(span.start), moved(span.end))
    }
}

impl Added {
    /// Returns what the bytes at `span` were copied from, or else where the next template begins.
    fn source(&self, span: Span) -> Span {
        let next = (self.copies.iter()).find(|copied| span.start < copied.range.end);
        let Some(copied) = next else {
            return Span::point(self.replaced.start);
        };
        let is_inside = copied.range.start <= span.start && span.end <= copied.range.end;
        if !copied.is_verbatim || !is_inside {
            return Span::point(copied.from.start);
        }
        let start = copied.from.start + span.start - copied.range.start;
        Span::new(start, start + span.end - span.start)
    }
}

/// Returns whether a list is what kustomize passes to a generator: no item but its Binding.
fn is_of_generator(tree: &Tree) -> bool {
    let items = value_of(tree, 0, "items");
    let mut items = items.into_iter().flat_map(|items| tree.members(items));
    items.all(|item| {
        text_at(tree, item, &["kind"]) == Some("Binding")
            && text_at(tree, item, &["apiVersion"]) == Some(API_VERSION)
    })
}

/// Returns the text of each resource, with what it replaces.
///
/// # Errors
/// Several items are the same resource.
fn written(list: &List<'_>, resources: &[Generated]) -> Result<Vec<(Span, Writer)>, Diagnostics> {
    let (tree, text) = (&list.tree, list.text);
    let items = value_of(tree, 0, "items");
    let members: Vec<NodeId> = items.map_or_else(Vec::new, |items| tree.members(items).collect());
    let wanted: OrderedSet<[&str; 3]> = resources.iter().map(Generated::identity).collect();
    let mut known = OrderedMap::new();
    for item in &members {
        let Some(identity) = identity(tree, *item).filter(|found| wanted.contains(found)) else {
            continue;
        };
        if known.insert(identity, *item).is_some() {
            let [kind, name, _] = identity;
            let message = format!("several items are the {kind} `{name}`, which is generated");
            let second = Span::point(tree[*item].range().start);
            return Err(Diagnostic::error(Rule::InvalidResourceList, message)
                .at_concealed(Origin::Manifest(0), second, "the second one")
                .help("remove all but one of them")
                .into());
        }
    }
    let existing = |resource: &Generated| known.get(&resource.identity()).copied();
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
            // The end of a block scalar may be after the indentation of the next line.
            let replaced = text.get(extent.clone()).unwrap_or_default();
            let replaced = replaced.trim_end_matches(' ');
            let mut end = extent.start + replaced.len();
            if replaced.ends_with('\n') {
                writer.end_line();
            } else {
                // Left, a setter comment would be that of the last generated value.
                end = end_of_comment(text, end);
                writer.share_line_break(text, end);
            }
            Some((Span::new(extent.start, end), writer))
        })
        .collect();
    let new: Vec<&Generated> = (resources.iter())
        .filter(|resource| existing(resource).is_none())
        .collect();
    if !new.is_empty() {
        let insertion = Insertion::new(list, items, !members.is_empty());
        written.push((insertion.span, insertion.write(list, &new)));
    }
    Ok(written)
}

/// Where resources are inserted into a list.
struct Insertion {
    /// What they replace.
    span: Span,
    /// The column of the dashes. `None`: in flow.
    column: Option<usize>,
    before: &'static str,
    after: &'static str,
    /// Whether the first dash has its indentation already, and an item follows.
    is_before_item: bool,
}

impl Insertion {
    fn new(list: &List<'_>, items: Option<NodeId>, has_members: bool) -> Self {
        let tree = &list.tree;
        let root = match tree[0].kind() {
            Kind::Mapping {
                flow: false,
                column,
            } => Some(column),
            _ => None,
        };
        let (span, column, before, after) = match (items, root) {
            (Some(items), _) if has_members => {
                let range = tree[items].range();
                match tree[items].kind() {
                    Kind::Sequence {
                        flow: false,
                        column,
                    } => (Span::point(range.start), Some(column), "", ""),
                    _ => (Span::point(range.end), None, "", ", "),
                }
            }
            (Some(items), Some(column)) => {
                let colon = tree.colon(items);
                let start = colon.map_or(tree[items].range().start, |colon| colon + 1);
                let span = Span::new(start, tree[items].end().max(start));
                (span, Some(column), "\n", "")
            }
            (Some(items), None) => {
                let extent = tree[items].extent();
                (Span::new(extent.start, extent.end), None, "[", "]")
            }
            (None, Some(column)) => {
                let is_at_line_start = list.text.ends_with('\n');
                let before = if is_at_line_start {
                    "items:\n"
                } else {
                    "\nitems:\n"
                };
                (Span::point(list.text.len()), Some(column), before, "")
            }
            (None, None) => {
                let first = Span::point(tree[0].range().end);
                (first, None, "\"items\": [", "], ")
            }
        };
        Self {
            span,
            column,
            before,
            after,
            is_before_item: has_members && column.is_some(),
        }
    }

    /// Returns the text of resources.
    fn write(&self, list: &List<'_>, resources: &[&Generated]) -> Writer {
        let Some(column) = self.column else {
            let mut writer = Writer::in_flow();
            writer.text.push_str(self.before);
            for (index, resource) in resources.iter().enumerate() {
                writer.text.push_str(if index > 0 { ", " } else { "" });
                writer.resource(list, resource, None);
            }
            writer.text.push_str(self.after);
            return writer;
        };
        let mut writer = Writer::in_block(column + 2);
        let indentation = " ".repeat(column);
        writer.text.push_str(self.before);
        for (index, resource) in resources.iter().enumerate() {
            if index > 0 || !self.is_before_item {
                writer.text.push_str(&indentation);
            }
            writer.text.push_str("- ");
            writer.resource(list, resource, None);
            writer.end_line();
        }
        if self.is_before_item {
            writer.text.push_str(&indentation);
        } else {
            writer.share_line_break(list.text, self.span.end);
        }
        writer
    }
}

/// Returns the kind, name and namespace of an item that may have been generated.
fn identity(tree: &Tree, item: NodeId) -> Option<[&str; 3]> {
    let text = |path: &[&str]| text_at(tree, item, path);
    let identity = [
        text(&["kind"])?,
        text(&["metadata", "name"])?,
        text(&["metadata", "namespace"]).unwrap_or_default(),
    ];
    (text(&["apiVersion"]) == Some("v1")).then_some(identity)
}

/// Returns the end of the comment after a scalar that ends at `end`: it may be a setter comment.
pub(super) fn end_of_comment(text: &str, end: usize) -> usize {
    let rest = text.get(end..line_end(text, end)).unwrap_or_default();
    if !text.get(..end).is_some_and(|before| before.ends_with('\n'))
        && rest.starts_with(BLANKS)
        && rest.trim_start_matches(BLANKS).starts_with('#')
    {
        end + rest.trim_end().len()
    } else {
        end
    }
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
        let kept = existing.and_then(|item| value_at(tree, item, &ANNOTATIONS));
        for (key, value) in kept.into_iter().flat_map(|kept| tree.entries(kept)) {
            let (key, value) = (tree.text(key), tree.text(value));
            if let (Some(key), Some(value)) = (key, value)
                && (CLIENTS.contains(&key) || key.starts_with(INTERNAL))
                && resource.annotations.iter().all(|own| own.key != key)
            {
                annotations.push((key, value));
            }
        }
        if resource.needs_hash.is_some() {
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

    /// Writes an entry. In block style, its value is written as in the Binding if it means the
    /// same here.
    fn template(&mut self, list: &List<'_>, template: &Template) {
        let tree = &list.tree;
        self.key(&template.key);
        let start = self.text.len();
        let value = match &template.value {
            TemplateValue::Scalar(value) => *value,
            TemplateValue::Reference(text, from) => {
                self.text.push(' ');
                self.string(text);
                self.copies.push(Copied {
                    range: start..self.text.len(),
                    from: *from,
                    is_verbatim: false,
                });
                return;
            }
        };
        let node = &tree[value];
        let (content, end) = (node.range().start, node.extent().end);
        let from = tree.colon(value).map_or(content, |colon| colon + 1);
        let is_block = matches!(node.style(), Some(Style::Literal | Style::Folded));
        let end = if is_block || tree.in_flow(value) {
            end
        } else {
            end_of_comment(list.text, end)
        };
        let written = list.text.get(from..end).unwrap_or_default();
        // The end of a block scalar may be after the indentation of the next line.
        let written = written.trim_end_matches(' ');
        let header = list.text.get(from..content).unwrap_or_default();
        let has_indicator = is_block && header.bytes().any(|byte| byte.is_ascii_digit());
        let is_verbatim = self.column.is_some_and(|column| {
            let key = column + 2 * self.depth;
            let is_deeper = |line: &str| {
                let content = line.trim_start_matches(' ');
                content.trim_end().is_empty() || line.len() - content.len() > key
            };
            written.starts_with([' ', '\t', '\r', '\n'])
                && !has_indicator
                && written.lines().skip(1).all(is_deeper)
        });
        if is_verbatim {
            self.text.push_str(written);
        } else {
            self.text.push(' ');
            self.string(tree.text(value).unwrap_or_default());
        }
        self.copies.push(Copied {
            range: start..self.text.len(),
            from: Span::new(from, from + written.len()),
            is_verbatim,
        });
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

    /// Ends the last line with the line break at `end` of the list, if there is one.
    fn share_line_break(&mut self, list: &str, end: usize) {
        if self.text.ends_with('\n') && list.get(end..).is_some_and(|rest| rest.starts_with('\n')) {
            self.text.pop();
        }
    }
}
