//! Parses a kustomization as YAML that all parsers interpret in the same way.
//!
//! kustomize reads its files with other parsers (go-yaml, then encoding/json). A file that
//! they could read differently is refused: what is found here decides which files exist for
//! kustomize, and which of them are rendered.

use std::collections::BTreeMap;
use std::ops::Range;

use yaml::{BLANKS, Kind, NodeId, Role, Tree};

use super::fields::{Fields, Refusal};

/// The maximum number of reasons why one file is refused.
const MAX_REFUSALS: usize = 1_000;

/// Whether the references in a file have been rendered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Stage {
    /// They have not, so the file may not be valid YAML: placeholders are read as plain text.
    #[default]
    Source,
    /// They have, and the file is read as kustomize reads it. In a source, text that looks like
    /// a placeholder can hide scalars, as in `[{patch: '${'}, {path: x}, {patch: '}'}]`: they
    /// are found in this stage.
    Rendered,
}

#[derive(Default)]
pub(super) struct Reader {
    pub(super) fields: Fields,
    pub(super) stage: Stage,
    /// The offset of the tree's text in the file.
    pub(super) offset: usize,
    /// The placeholders in the tree's text.
    pub(super) placeholders: Vec<Range<usize>>,
    /// The scalar that the text is inside of, to which everything in it is attributed.
    pub(super) inside: Option<Range<usize>>,
}

impl Reader {
    pub(super) fn refuse(
        &mut self,
        span: Range<usize>,
        message: impl Into<String>,
        help: impl Into<String>,
    ) {
        if self.fields.refusals.len() >= MAX_REFUSALS {
            return;
        }
        let span = match &self.inside {
            Some(outer) => outer.clone(),
            None => span.start + self.offset..span.end + self.offset,
        };
        self.fields.refusals.push(Refusal {
            span,
            message: message.into(),
            help: help.into(),
        });
    }

    /// Refuses directives, and characters that only some parsers treat as line breaks, which
    /// end a comment. Returns whether there are none.
    pub(super) fn is_unambiguous(&mut self, text: &str) -> bool {
        let mut chars = text.char_indices().peekable();
        let mut is_line_start = true;
        while let Some((at, char)) = chars.next() {
            let lone_return = char == '\r' && chars.peek().is_none_or(|(_, next)| *next != '\n');
            let is_ambiguous = matches!(char, '\u{85}' | '\u{2028}' | '\u{2029}' | '\u{feff}');
            if lone_return || is_ambiguous || char == '%' && is_line_start {
                let message = match char {
                    '%' => "a YAML directive is not allowed in a kustomization".to_owned(),
                    _ => format!(
                        "YAML readers disagree about U+{:04X} in a kustomization",
                        u32::from(char)
                    ),
                };
                self.refuse(at..at + char.len_utf8(), message, "remove it");
                return false;
            }
            is_line_start = char == '\n';
        }
        true
    }

    /// Returns the document of a kustomization.
    pub(super) fn only_document<'t>(&mut self, text: &'t str) -> Option<yaml::Document<'t>> {
        if !self.is_unambiguous(text) {
            return None;
        }
        let has_content = |document: &yaml::Document<'_>| {
            let mut lines = document
                .text
                .lines()
                .map(|line| line.trim_matches(BLANKS))
                .filter(|line| !line.is_empty() && !line.starts_with('#'));
            lines.any(|line| !matches!(line, "---" | "..."))
        };
        let mut documents = yaml::split(text).into_iter().filter(has_content);
        let first = documents.next()?;
        if let Some(second) = documents.next() {
            self.refuse(
                second.offset..second.offset,
                "the kustomization has more than one YAML document",
                "keep one: kustomize reads only the first",
            );
            return None;
        }
        Some(first)
    }

    /// Parses a document, and refuses what YAML parsers interpret in different ways.
    pub(super) fn tree(&mut self, text: &str, offset: usize) -> Option<Tree> {
        self.offset = offset;
        self.placeholders = match self.stage {
            Stage::Source => placeholders(text),
            Stage::Rendered => Vec::new(),
        };
        let masked = yaml::masked(text, self.placeholders.iter());
        let tree = match yaml::locate(masked) {
            Ok(tree) => tree,
            Err(error) => {
                let at = error.at..error.at;
                self.refuse(at, error.described("the file"), "correct the YAML");
                return None;
            }
        };
        let before = self.fields.refusals.len();
        let mut keys: BTreeMap<(NodeId, &str), NodeId> = BTreeMap::new();
        for (id, node) in tree.nodes() {
            if let Some(tag) = node.tag() {
                self.refuse(tag, "a tag is not allowed here", "remove the tag");
            }
            if matches!(node.kind(), Kind::Alias(None)) {
                let help = "write the value itself";
                self.refuse(node.range(), "this alias has no anchor", help);
            }
            if node.role() != Role::Key {
                continue;
            }
            let (Some(parent), Some(key)) = (node.parent(), tree.text(id)) else {
                let help = "write the key itself";
                self.refuse(node.range(), "this key is not a string", help);
                continue;
            };
            if key == "<<" {
                let help = "write the keys themselves: YAML readers disagree about merge keys";
                self.refuse(node.range(), "a merge key is not allowed here", help);
            } else if keys.insert((parent, key), id).is_some() {
                let message = format!("duplicate key `{key}`");
                self.refuse(node.range(), message, "keep one of them");
            }
        }
        (self.fields.refusals.len() == before).then_some(tree)
    }

    /// Returns the values of a mapping by the keys in `known`. Any other spelling of a known
    /// key is refused: kustomize ignores the case of keys (encoding/json).
    pub(super) fn entries<'t>(
        &mut self,
        tree: &'t Tree,
        id: NodeId,
        known: &[&'static str],
    ) -> BTreeMap<&'t str, NodeId> {
        let mut entries = BTreeMap::new();
        for (key, value) in tree.entries(tree.target(id)) {
            let Some(name) = tree.text(key) else { continue };
            if let Some(meant) = known
                .iter()
                .find(|known| **known != name && folds(known, name))
            {
                let message = format!("`{name}` is not a key of a kustomization");
                self.refuse(tree[key].range(), message, format!("write `{meant}`"));
            }
            entries.insert(name, tree.target(value));
        }
        entries
    }

    pub(super) fn has_placeholder(&self, range: &Range<usize>) -> bool {
        let next = self
            .placeholders
            .partition_point(|placeholder| placeholder.end <= range.start);
        let next = self.placeholders.get(next);
        next.is_some_and(|placeholder| placeholder.start < range.end)
    }

    /// Returns whether an item of a list is a document rather than a path. kustomize tries to
    /// parse the item as YAML first.
    pub(super) fn is_inline(&mut self, tree: &Tree, item: NodeId) -> bool {
        let Some(text) = tree.text(item) else {
            return false;
        };
        let is_document = text.contains('\n')
            || yaml::locate(text).is_ok_and(|tree| !tree.is_empty() && tree.text(0).is_none());
        if is_document && self.has_placeholder(&tree[item].range()) {
            let help = "move it to a file of its own, and write the path here";
            let message = "references are not rendered in a document in this list";
            self.refuse(tree[item].range(), message, help);
        } else if is_document {
            self.fields.inline.push(text.to_owned());
        }
        is_document
    }
}

/// The maximum length of a placeholder in bytes, so that a line with many `${` is not searched
/// to its end for each of them.
const MAX_PLACEHOLDER: usize = 1_024;

/// Returns the placeholders in a text, which are often not valid YAML: `[${a}]`. The module
/// decides which of them are references. Here all of them are skipped, because no path may
/// contain one.
fn placeholders(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(start) = text[from..].find("${").map(|at| from + at) {
        from = start + 2;
        let mut quote = None;
        for (at, char) in text[from..].char_indices() {
            match (char, quote) {
                ('\n', _) => break,
                _ if at > MAX_PLACEHOLDER => break,
                ('}', None) => {
                    from += at + 1;
                    found.push(start..from);
                    break;
                }
                ('"' | '\'', None) => quote = Some(char),
                (char, Some(open)) if char == open => quote = None,
                _ => {}
            }
        }
    }
    found
}

/// Returns the items of a list, with aliases resolved. Any other node has no items.
pub(super) fn members(tree: &Tree, list: NodeId) -> Vec<NodeId> {
    match tree[list].kind() {
        Kind::Sequence { .. } => tree.members(list).map(|item| tree.target(item)).collect(),
        _ => Vec::new(),
    }
}

/// Returns whether encoding/json accepts `written` as the key `known`.
fn folds(known: &str, written: &str) -> bool {
    folded(known) == folded(written)
}

/// Returns a key without what encoding/json ignores: it ignores case, and treats `ſ` as an `s`
/// and the Kelvin sign as a `k`.
pub(super) fn folded(key: &str) -> String {
    let chars = key.chars().map(|char| match char {
        '\u{17f}' => 's',
        '\u{212a}' => 'k',
        char => char.to_ascii_lowercase(),
    });
    chars.collect()
}
