//! What is wrong with one ApplicationSet: collected while it is expanded, each problem once,
//! however many Applications have it.

use std::ops::Range;

use crate::collections::{OrderedMap, OrderedSet};
use crate::contract::expand::document::{Document, Node};
use crate::contract::expand::selector::AllowedValues;
use crate::contract::request::DEFAULT_ANSWER_LIMIT;
use crate::report::{Diagnostic, Diagnostics, Rule, suggest};
use yaml::NodeId;

/// The maximum length of the part of a label's key after `/`, and of a label's value.
const MAX_LABEL: usize = 63;

/// The maximum length of the part of a label's key before `/`.
const MAX_PREFIX: usize = 253;

/// The maximum number of bytes that are read and written for one ApplicationSet, whether they
/// become Applications or not: a `selector` removes items only after they are made.
const MAX_WORK: u64 = 2 * DEFAULT_ANSWER_LIMIT;

/// What each missing parameter counts as: its names are listed and compared.
const MISSING_WORK: usize = 4096;

/// The problems of one ApplicationSet.
pub(super) struct Problems<'d> {
    pub(super) document: &'d Document,
    pub(super) diagnostics: Diagnostics,
    seen: OrderedSet<(NodeId, usize, String)>,
    /// Missing parameters, by the location of what refers to them.
    missing: OrderedMap<(NodeId, usize), MissingParameter>,
    work_left: u64,
}

/// A parameter that some of the Applications lack.
struct MissingParameter {
    diagnostic: Diagnostic,
    subjects: Vec<String>,
}

/// A place in a template: bytes of a scalar.
#[derive(Clone, Copy)]
pub(super) struct Place<'p> {
    pub(super) id: NodeId,
    /// The text of the scalar.
    pub(super) text: &'p str,
    pub(super) range: &'p Range<usize>,
}

impl<'d> Problems<'d> {
    pub(super) fn new(document: &'d Document) -> Self {
        Self {
            document,
            diagnostics: Diagnostics::default(),
            seen: OrderedSet::new(),
            missing: OrderedMap::new(),
            work_left: MAX_WORK,
        }
    }

    /// Counts bytes that are read or written for `id`. Returns false if all of them together
    /// have exceeded the limit, which is reported once.
    pub(super) fn may_work(&mut self, id: NodeId, bytes: usize) -> bool {
        if self.is_exhausted() {
            return false;
        }
        let bytes = u64::try_from(bytes).unwrap_or(u64::MAX);
        self.work_left = self.work_left.saturating_sub(bytes);
        if self.is_exhausted() {
            let message = "the ApplicationSet has too many or too large combinations of parameters";
            self.error(id, message, "select fewer clusters, or split it");
        }
        !self.is_exhausted()
    }

    /// Whether the limit of work has been exceeded.
    pub(super) const fn is_exhausted(&self) -> bool {
        self.work_left == 0
    }

    /// Returns all of them.
    pub(super) fn finish(self) -> Diagnostics {
        let mut diagnostics = self.diagnostics;
        for missing in self.missing.into_values() {
            let mut found = missing.diagnostic;
            let subjects = suggest::listed(missing.subjects.iter().map(String::as_str));
            found.message = format!("{} is missing for {subjects}", found.message);
            diagnostics.push(found);
        }
        diagnostics
    }

    pub(super) fn has_errors(&self) -> bool {
        self.diagnostics.has_errors() || !self.missing.is_empty()
    }

    /// Reports an error at a node.
    pub(super) fn error(
        &mut self,
        id: NodeId,
        message: impl Into<String>,
        help: impl Into<String>,
    ) {
        let error = Diagnostic::error(Rule::InvalidApplicationSet, message);
        self.push_at(id, error.help(help));
    }

    /// Reports an error at a place in a template.
    pub(super) fn error_at(
        &mut self,
        place: Place<'_>,
        message: impl Into<String>,
        help: impl Into<String>,
    ) {
        let error = Diagnostic::error(Rule::InvalidApplicationSet, message);
        let span = self.document.span_in(place.id, place.text, place.range);
        let error = error.at(self.document.origin, span, "").help(help);
        self.push(place.id, place.range.start, error);
    }

    /// Reports a warning at a node.
    pub(super) fn warn(&mut self, id: NodeId, message: impl Into<String>, help: impl Into<String>) {
        let warning = Diagnostic::warning(Rule::MisreadApplicationSet, message);
        self.push_at(id, warning.help(help));
    }

    /// Reports that the generators of an ApplicationSet, which begin at `id`, make nothing.
    pub(super) fn empty(&mut self, id: NodeId, name: &str) {
        let message = format!("the ApplicationSet `{name}` makes no Applications");
        let help = "check what its generators select; the clusters are those of the given Secrets and `in-cluster`";
        self.note(id, Rule::EmptyApplicationSet, message, help);
    }

    /// Reports a note at a node.
    pub(super) fn note(&mut self, id: NodeId, rule: Rule, message: String, help: &str) {
        self.push_at(id, Diagnostic::note(rule, message).help(help));
    }

    fn push_at(&mut self, id: NodeId, diagnostic: Diagnostic) {
        let span = self.document.span(id);
        self.push(id, 0, diagnostic.at(self.document.origin, span, ""));
    }

    /// Adds a diagnostic, unless it was added before.
    pub(super) fn push(&mut self, id: NodeId, at: usize, diagnostic: Diagnostic) {
        if self.seen.insert((id, at, diagnostic.message.clone())) {
            self.diagnostics.push(diagnostic);
        }
    }

    /// Reports that `subject` lacks a parameter.
    pub(super) fn missing(&mut self, place: Place<'_>, shown: &str, subject: &str, help: String) {
        if !self.may_work(place.id, MISSING_WORK) {
            return;
        }
        let key = (place.id, place.range.start);
        let span = self.document.span_in(place.id, place.text, place.range);
        let origin = self.document.origin;
        let missing = self.missing.entry(key).or_insert_with(|| MissingParameter {
            diagnostic: Diagnostic::error(Rule::MissingParameter, format!("`{shown}`"))
                .at(origin, span, "")
                .help(help),
            subjects: Vec::new(),
        });
        if missing.subjects.last().is_none_or(|last| last != subject) {
            missing.subjects.push(subject.to_owned());
        }
    }

    /// Reports the fields of an object that are not among these.
    pub(super) fn check_fields(&mut self, node: &Node, known: &[&str], what: &str) {
        for (key, _) in node.entries() {
            if known.contains(&key.name.as_str()) {
                continue;
            }
            let help = match suggest::closest(&key.name, known.iter().copied()) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!(
                    "expected one of: {}",
                    suggest::listed(known.iter().copied())
                ),
            };
            self.error(key.id, format!("{what} has no field `{}`", key.name), help);
        }
    }

    /// Reports a key that no label can have.
    pub(super) fn check_label_key(&mut self, key: &str, id: NodeId) {
        let (prefix, name) = match key.split_once('/') {
            Some((prefix, name)) => (Some(prefix), name),
            None => (None, key),
        };
        let is_prefix = |prefix: &str| {
            let is_part = |part: &str| {
                let is_edge = |byte: Option<&u8>| {
                    byte.is_some_and(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
                };
                let bytes = part.as_bytes();
                is_edge(bytes.first())
                    && is_edge(bytes.last())
                    && bytes
                        .iter()
                        .all(|byte| is_edge(Some(byte)) || *byte == b'-')
            };
            prefix.len() <= MAX_PREFIX && prefix.split('.').all(is_part)
        };
        if !is_label_text(name) || !prefix.is_none_or(is_prefix) {
            self.error(
                id,
                format!("`{key}` cannot be the key of a label"),
                "a key has at most 63 characters: letters, digits, `-`, `_` and `.`, with a letter or digit at both ends, and may follow a DNS name and `/`",
            );
        }
    }

    /// Reports a value that no label can have, if labels are selected by it.
    pub(super) fn check_label_value(&mut self, value: &str, node: &Node, allowed: AllowedValues) {
        if allowed == AllowedValues::Labels && !value.is_empty() && !is_label_text(value) {
            self.error(
                node.id,
                format!("`{value}` cannot be the value of a label"),
                "a value has at most 63 characters: letters, digits, `-`, `_` and `.`, with a letter or digit at both ends",
            );
        }
    }
}

/// Returns whether a text can be the value of a label, or the name in its key.
fn is_label_text(text: &str) -> bool {
    let bytes = text.as_bytes();
    text.len() <= MAX_LABEL
        && bytes.first().is_some_and(u8::is_ascii_alphanumeric)
        && bytes.last().is_some_and(u8::is_ascii_alphanumeric)
        && bytes
            .iter()
            .all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(byte))
}
