//! The values in a file that equal outputs, and what can be done about each.

use std::ops::Range;

use crate::collections::OrderedMap;
use crate::contract::adopt::AdoptionOutcome;
use crate::contract::adopt::known::{Found, KnownValues};
use crate::reference::{self, Heads, Mask, mask_references};
use yaml::{Kind, NodeId, Role, Style, Tree, decode, line_end, line_start, masked};

/// A value in a file.
pub(super) struct Candidate {
    pub(super) file: usize,
    /// Its bytes in the file.
    pub(super) range: Range<usize>,
    /// The start of its line.
    pub(super) line: usize,
    /// The reference that may replace it.
    pub(super) reference: String,
    pub(super) outputs: Vec<String>,
    /// `Adopted` until verification withdraws it.
    pub(super) outcome: AdoptionOutcome,
    pub(super) is_sensitive: bool,
    pub(super) conceal: bool,
}

/// Appends the values of a file, in order.
pub(super) fn find(
    file: usize,
    text: &str,
    heads: &Heads,
    known: &KnownValues,
    candidates: &mut Vec<Candidate>,
) {
    for document in yaml::split(text) {
        let masks = mask_references(document.text, heads, &OrderedMap::new());
        let ranges: Vec<Range<usize>> = masks.iter().map(|mask| mask.range.clone()).collect();
        // A document that is not YAML is one that no render changes.
        let Ok(tree) = reference::locate(masked(document.text, ranges.iter())) else {
            continue;
        };
        let tree = tree.unmasked(document.text, &ranges);
        if is_left_alone(&tree) {
            continue;
        }
        let document = Document {
            file,
            text: document.text,
            offset: document.offset,
            is_json: is_json(&tree),
            is_secret: root_text(&tree, "kind") == Some("Secret"),
            tree: &tree,
            masks: &masks,
        };
        let first = candidates.len();
        for (id, _) in tree.nodes() {
            document.find(id, known, candidates);
        }
        let found = candidates.get_mut(first..).unwrap_or_default();
        found.sort_by_key(|candidate| candidate.range.start);
        let mut texts = tree.nodes().filter_map(|(id, _)| tree.text(id));
        let conceal =
            found.iter().any(|found| found.is_sensitive) || texts.any(|text| text == "Secret");
        for candidate in found {
            candidate.conceal = conceal;
        }
    }
}

struct Document<'d> {
    file: usize,
    text: &'d str,
    offset: usize,
    is_json: bool,
    is_secret: bool,
    tree: &'d Tree,
    masks: &'d [Mask],
}

/// Whether a document is encrypted with SOPS, or configures landfall.
fn is_left_alone(tree: &Tree) -> bool {
    tree.root_has("sops")
        || root_text(tree, "apiVersion").is_some_and(|version| version.starts_with("landfall.dev/"))
}

/// Whether a document is written in JSON: an unquoted reference would not be JSON.
fn is_json(tree: &Tree) -> bool {
    tree.get(0)
        .is_some_and(|root| matches!(root.kind(), Kind::Mapping { flow: true, .. }))
}

/// Returns the text of a key of the root.
fn root_text<'t>(tree: &'t Tree, name: &str) -> Option<&'t str> {
    let (_, value) = (!tree.is_empty())
        .then(|| tree.entries(0))?
        .find(|(key, _)| tree.text(*key) == Some(name))?;
    tree.text(value)
}

impl Document<'_> {
    fn find(&self, id: NodeId, known: &KnownValues, candidates: &mut Vec<Candidate>) {
        let Some(node) = self.tree.get(id) else {
            return;
        };
        let Some(style) = node.style() else { return };
        if node.role() == Role::Key || node.has_anchor() || node.tag().is_some() {
            return;
        }
        let keys = self.keys(id);
        if is_identity(&keys) || (self.is_json && style == Style::Plain) {
            return;
        }
        if self.is_secret && keys.last() == Some(&"data") {
            return;
        }
        let Some(decoded) = decode(self.text, self.tree, id) else {
            return;
        };
        let takes_sensitive =
            self.is_secret && keys.len() == 2 && keys.last() == Some(&"stringData");
        for Found { range, known } in known.find(&decoded.text) {
            let raw = decoded.raw_range(&range);
            if self.has_reference_at(&raw) {
                continue;
            }
            let outcome = match known.outputs.len() {
                _ if known.is_sensitive && !takes_sensitive => AdoptionOutcome::Sensitive,
                1 => AdoptionOutcome::Adopted,
                _ => AdoptionOutcome::Ambiguous,
            };
            let (references, outputs): (Vec<String>, Vec<String>) =
                known.outputs.iter().cloned().unzip();
            candidates.push(Candidate {
                file: self.file,
                line: self.offset + line_start(self.text, raw.start),
                range: raw.start + self.offset..raw.end + self.offset,
                reference: references.into_iter().next().unwrap_or_default(),
                outputs,
                outcome,
                is_sensitive: known.is_sensitive,
                conceal: false,
            });
        }
    }

    /// Returns the keys above a scalar, from its own to that of the root.
    fn keys(&self, id: NodeId) -> Vec<&str> {
        let mut keys = Vec::new();
        let mut at = Some(id);
        while let Some(node) = at.and_then(|id| self.tree.get(id)) {
            if let Role::Value(key) = node.role() {
                keys.push(self.tree.text(key).unwrap_or_default());
            }
            at = node.parent();
        }
        keys
    }

    /// Whether there is a reference in these bytes, or after them on the line: in the
    /// scalar itself, or in its setter comment.
    fn has_reference_at(&self, raw: &Range<usize>) -> bool {
        let end = line_end(self.text, raw.end.min(self.text.len()));
        let is_near = |mask: &Mask| mask.range.end > raw.start && mask.range.start < end;
        let next = self
            .masks
            .partition_point(|mask| mask.range.end <= raw.start);
        self.masks.get(next).is_some_and(is_near)
    }
}

/// Whether these keys, from the scalar's own to that of the root, are of a field that
/// identifies a resource.
fn is_identity(keys: &[&str]) -> bool {
    matches!(
        keys,
        ["apiVersion" | "kind", ..] | ["name" | "namespace", "metadata", ..]
    )
}
