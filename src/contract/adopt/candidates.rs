//! The values in a file that equal outputs, and what can be done about each.

use std::ops::Range;

use crate::collections::{OrderedMap, OrderedSet};
use crate::contract::adopt::known::{Found, KnownValues};
use crate::contract::adopt::lists::FoundList;
use crate::contract::adopt::{AdoptionOutcome, embedded, lists};
use crate::contract::hard_coded::{MAX_NAMED, Occurrence, SensitiveValues};
use crate::reference::{self, Heads, Mask, mask_references};
use yaml::{Kind, Node, NodeId, Role, Style, Tree, decode, line_end, line_start, masked};

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

/// What is looked for.
pub(super) struct Search<'s> {
    pub(super) heads: &'s Heads,
    pub(super) known: &'s KnownValues,
    pub(super) sensitive: &'s SensitiveValues,
}

impl Search<'_> {
    /// Appends the values of a file, in order.
    pub(super) fn find(
        &self,
        file: usize,
        text: &str,
        is_other_tools: bool,
        candidates: &mut Vec<Candidate>,
    ) {
        for document in yaml::split(text) {
            let masks = mask_references(document.text, self.heads, &OrderedMap::new());
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
                is_other_tools,
                tree: &tree,
                masks: &masks,
            };
            let mut found = Vec::new();
            for (id, _) in tree.nodes() {
                document.find(id, self, &mut found);
            }
            let lists: Vec<Candidate> = tree
                .ids()
                .flat_map(|id| document.find_lists(id, self, &found))
                .collect();
            let reports = document.report_others(self.sensitive, &found);
            found.extend(lists);
            found.extend(reports);
            found.sort_by_key(|candidate| candidate.range.start);
            let conceal = self.sensitive.conceal(document.text, &tree, self.heads);
            for candidate in &mut found {
                candidate.conceal = conceal;
            }
            candidates.append(&mut found);
        }
    }
}

struct Document<'d> {
    file: usize,
    text: &'d str,
    offset: usize,
    /// Whether another tool reads the file.
    is_other_tools: bool,
    tree: &'d Tree,
    masks: &'d [Mask],
}

/// Whether a document is encrypted with SOPS, or configures landfall.
fn is_left_alone(tree: &Tree) -> bool {
    tree.root_has("sops")
        || root_text(tree, "apiVersion").is_some_and(|version| version.starts_with("landfall.dev/"))
}

/// Returns the text of a key of the root.
fn root_text<'t>(tree: &'t Tree, name: &str) -> Option<&'t str> {
    if tree.is_empty() {
        return None;
    }
    text_of(tree, 0, name)
}

/// Returns the text of a key of a mapping.
fn text_of<'t>(tree: &'t Tree, mapping: NodeId, name: &str) -> Option<&'t str> {
    let mut entries = tree.entries(mapping);
    let (_, value) = entries.find(|(key, _)| tree.text(*key) == Some(name))?;
    tree.text(value)
}

impl Document<'_> {
    fn find(&self, id: NodeId, search: &Search<'_>, candidates: &mut Vec<Candidate>) {
        let Some(place) = Place::of(self.tree, id) else {
            return;
        };
        let Some(decoded) = decode(self.text, self.tree, id) else {
            return;
        };
        let all = search.known.find(&decoded.text);
        let ranges: Vec<Range<usize>> = all.iter().map(|found| found.range.clone()).collect();
        let places = embedded::places(&decoded.text, &ranges, &place, search.heads);
        let keys = keys(self.tree, id);
        // In this order: a root without a kind can have many keys.
        let takes_sensitive = keys.len() == 2
            && keys.last() == Some(&"stringData")
            && root_text(self.tree, "kind") == Some("Secret");
        let sensitive = search.sensitive.find(&decoded.text);
        for (Found { range, known }, place) in all.into_iter().zip(places) {
            // A sensitive value there is reported with its line.
            let Some(place) = place else { continue };
            let raw = decoded.raw_range(&range);
            let is_sensitive = known.is_sensitive;
            let mut overlapping = sensitive.iter();
            let is_overlapped =
                !is_sensitive && overlapping.any(|found| intersects(&found.range, &range));
            if is_overlapped || self.has_reference_at(&raw) {
                continue;
            }
            let output = known.outputs.first();
            let reference = output.and_then(|output| output.reference(place.excluded()));
            let outcome = match known.outputs.len() {
                _ if is_sensitive && !takes_sensitive => AdoptionOutcome::Sensitive,
                _ if self.is_other_tools => AdoptionOutcome::OtherTool,
                _ if place.is_unquoted_in_flow => AdoptionOutcome::Unquoted,
                1 if reference.is_none() => AdoptionOutcome::NotAdoptable,
                1 => AdoptionOutcome::Adopted,
                _ => AdoptionOutcome::Ambiguous,
            };
            let named = (known.outputs.iter())
                .filter(|output| output.is_sensitive || outcome != AdoptionOutcome::Sensitive);
            candidates.push(Candidate {
                outputs: named_once(named.map(|output| &output.label)),
                is_sensitive,
                ..self.candidate(&raw, reference.unwrap_or_default().to_owned(), outcome)
            });
        }
    }

    /// Returns the lists of outputs among the items of a sequence, but those in which single
    /// values are `found`.
    fn find_lists(
        &self,
        sequence: NodeId,
        search: &Search<'_>,
        found: &[Candidate],
    ) -> Vec<Candidate> {
        let lists = lists::find(self.text, self.tree, sequence, search.known);
        let candidate = |list: FoundList<'_>| {
            let raw = &list.range;
            let is_before = |one: &Candidate| one.range.end <= raw.start + self.offset;
            let next = found.get(found.partition_point(is_before));
            let has_values = next.is_some_and(|one| one.range.start < raw.end + self.offset);
            let is_kept = |id: &NodeId| {
                let text = self.tree.text(*id).unwrap_or_default();
                Place::of(self.tree, *id).is_none() || !search.sensitive.find(text).is_empty()
            };
            if has_values || list.values.iter().any(is_kept) || self.has_reference_at(raw) {
                return None;
            }
            let outcome = match list.known.outputs.len() {
                _ if self.is_other_tools => AdoptionOutcome::OtherTool,
                1 => AdoptionOutcome::Adopted,
                _ => AdoptionOutcome::Ambiguous,
            };
            Some(Candidate {
                outputs: named_once(list.known.outputs.iter().map(|(label, _)| label)),
                ..self.candidate(raw, list.reference()?, outcome)
            })
        };
        lists.into_iter().filter_map(candidate).collect()
    }

    /// Returns a candidate for these bytes of the document, without its outputs.
    fn candidate(
        &self,
        raw: &Range<usize>,
        reference: String,
        outcome: AdoptionOutcome,
    ) -> Candidate {
        Candidate {
            file: self.file,
            line: self.offset + line_start(self.text, raw.start),
            range: raw.start + self.offset..raw.end + self.offset,
            reference,
            outputs: Vec::new(),
            outcome,
            is_sensitive: false,
            conceal: false,
        }
    }

    /// Returns a report for each line with a sensitive value that is not in `found`: in
    /// comments, keys and other text that is not adopted. What is found is in order.
    fn report_others<'s>(
        &self,
        sensitive: &'s SensitiveValues,
        found: &[Candidate],
    ) -> Vec<Candidate> {
        let is_found = |raw: &Range<usize>| {
            let raw = raw.start + self.offset..raw.end + self.offset;
            let next = found.partition_point(|candidate| candidate.range.end < raw.end);
            let around = found.get(next);
            around.is_some_and(|one| one.is_sensitive && one.range.start <= raw.start)
        };
        let of_values: OrderedSet<(usize, &String)> = found
            .iter()
            .filter(|one| one.outcome == AdoptionOutcome::Sensitive)
            .flat_map(|one| one.outputs.iter().map(|output| (one.line, output)))
            .collect();
        let mut lines: Vec<(usize, &String)> = Vec::new();
        let mut add = |raw: &Range<usize>, outputs: &'s [String]| {
            if !is_found(raw) {
                let line = self.offset + line_start(self.text, raw.start);
                lines.extend(outputs.iter().map(|output| (line, output)));
            }
        };
        for (id, _) in self.tree.nodes() {
            if let Some(decoded) = decode(self.text, self.tree, id) {
                for occurrence in sensitive.find(&decoded.text) {
                    add(&decoded.raw_range(&occurrence.range), occurrence.outputs);
                }
            }
        }
        let mut start = 0;
        for line in self.text.split_inclusive('\n') {
            for Occurrence { range, outputs } in sensitive.find(line) {
                add(&(start + range.start..start + range.end), outputs);
            }
            start += line.len();
        }
        lines.sort_unstable();
        lines.dedup();
        let mut reports: Vec<Candidate> = Vec::new();
        for (line, output) in lines {
            if of_values.contains(&(line, output)) {
                continue;
            }
            match reports.last_mut().filter(|report| report.line == line) {
                Some(report) => report.outputs.push(output.clone()),
                None => reports.push(Candidate {
                    file: self.file,
                    range: line..line,
                    line,
                    reference: String::new(),
                    outputs: vec![output.clone()],
                    outcome: AdoptionOutcome::Sensitive,
                    is_sensitive: true,
                    conceal: true,
                }),
            }
        }
        reports
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

/// Returns the first [`MAX_NAMED`] labels, each once if equal ones follow each other.
fn named_once<'l>(labels: impl Iterator<Item = &'l String>) -> Vec<String> {
    let mut outputs: Vec<String> = Vec::new();
    for label in labels {
        if outputs.last() != Some(label) {
            outputs.push(label.clone());
        }
        if outputs.len() == MAX_NAMED {
            break;
        }
    }
    outputs
}

/// Where a scalar is written, and so how a reference in it may be written.
#[derive(Clone, Default)]
pub(super) struct Place {
    /// Whether the scalar, or one that embeds it, is a plain scalar in a flow collection.
    pub(super) is_unquoted_in_flow: bool,
    is_in_single_quotes: bool,
    is_in_double_quotes: bool,
}

impl Place {
    /// Returns the place of a scalar. `None` for other nodes, and for scalars that are never
    /// replaced.
    pub(super) fn of(tree: &Tree, id: NodeId) -> Option<Self> {
        let node = tree.get(id)?;
        let style = node.style()?;
        let is_replaced = node.role() != Role::Key && !node.has_anchor() && node.tag().is_none();
        let keys = keys(tree, id);
        if !is_replaced
            || is_identity(&keys)
            || names_field(tree, id, &keys)
            || is_data_of_secret(tree, id)
        {
            return None;
        }
        Some(Self {
            is_unquoted_in_flow: style == Style::Plain && is_in_flow(tree, id),
            is_in_single_quotes: style == Style::SingleQuoted,
            is_in_double_quotes: style == Style::DoubleQuoted,
        })
    }

    /// Returns this place in a document that is embedded in a scalar at another place.
    pub(super) const fn inside(&self, outer: &Self) -> Self {
        Self {
            is_unquoted_in_flow: self.is_unquoted_in_flow || outer.is_unquoted_in_flow,
            is_in_single_quotes: self.is_in_single_quotes || outer.is_in_single_quotes,
            is_in_double_quotes: self.is_in_double_quotes || outer.is_in_double_quotes,
        }
    }

    /// Returns the quotes that must not be in a reference.
    const fn excluded(&self) -> &'static str {
        match (self.is_in_single_quotes, self.is_in_double_quotes) {
            (false, false) => "",
            (true, false) => "'",
            (false, true) => "\"",
            (true, true) => "'\"",
        }
    }
}

/// Returns the keys above a scalar, from its own to that of the root.
fn keys(tree: &Tree, id: NodeId) -> Vec<&str> {
    let mut keys = Vec::new();
    let mut at = Some(id);
    while let Some(node) = at.and_then(|id| tree.get(id)) {
        if let Role::Value(key) = node.role() {
            keys.push(tree.text(key).unwrap_or_default());
        }
        at = node.parent();
    }
    keys
}

/// Whether these keys, from the scalar's own to that of the root, are of a field that
/// identifies a resource.
fn is_identity(keys: &[&str]) -> bool {
    matches!(
        keys,
        ["apiVersion" | "kind", ..] | ["name" | "namespace", "metadata", ..]
    )
}

/// Whether a scalar names a field, in a replacement of kustomize or an operation of a JSON patch.
/// Keys are never replaced, and it would not lead to one any more.
fn names_field(tree: &Tree, id: NodeId, keys: &[&str]) -> bool {
    let parent = tree.get(id).and_then(Node::parent);
    match keys {
        ["fieldPath" | "fieldPaths", ..] => true,
        ["path" | "from", ..] => {
            parent.is_some_and(|operation| text_of(tree, operation, "op").is_some())
        }
        _ => false,
    }
}

/// Whether a node is in the `data` of a Secret, which is in base64. The Secret may be an item
/// of a list.
fn is_data_of_secret(tree: &Tree, id: NodeId) -> bool {
    let mut at = id;
    while let Some((node, parent)) = tree.get(at).and_then(|node| Some((node, node.parent()?))) {
        if let Role::Value(key) = node.role()
            && tree.text(key) == Some("data")
            && text_of(tree, parent, "kind") == Some("Secret")
        {
            return true;
        }
        at = parent;
    }
    false
}

/// Whether a node is in a collection that is written in brackets or braces.
fn is_in_flow(tree: &Tree, id: NodeId) -> bool {
    let parent = tree.get(id).and_then(Node::parent);
    parent
        .and_then(|parent| tree.get(parent))
        .is_some_and(|parent| {
            matches!(
                parent.kind(),
                Kind::Mapping { flow: true, .. } | Kind::Sequence { flow: true, .. }
            )
        })
}

fn intersects(a: &Range<usize>, b: &Range<usize>) -> bool {
    a.start < b.end && b.start < a.end
}
