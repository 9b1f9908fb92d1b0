//! The scalars of a document that contain references, and the references in them.

use std::ops::Range;
use std::sync::Arc;

use super::targets::Targets;
use super::{Analyser, Embedded};
use crate::collections::OrderedMap;
use crate::kubernetes::Format;
use crate::kubernetes::go_template::is_in_action;
use crate::reference::{Mask, ParsedReference, Reference, invalid_reference};
use crate::report::Origin;
use crate::steps::{self, RenderStep};
use yaml::{Decoded, NodeId, Role, Span, Style, Tree, decode};

/// Help for a reference that YAML reads as a key and its value.
const SPANS_VALUE: &str =
    "YAML reads it as a key and its value, because of the `:` in it: quote the whole reference";

/// A reference in a document or in the Binding.
#[derive(Clone, Debug)]
pub(crate) struct FoundReference {
    pub(crate) reference: Arc<Reference>,
    /// References of one source with the same number are equal; `None` if that isn't known.
    pub(crate) number: Option<u32>,
    /// Its bytes in the text of the document; empty if it is in the Binding.
    pub(crate) raw: Range<usize>,
    pub(crate) origin: Origin,
    pub(crate) span: Span,
}

impl FoundReference {
    /// The approximate size in bytes, including the path and calls.
    pub(crate) const WEIGHT: usize = size_of::<Self>() + 160;
}

/// A scalar that contains references or escapes.
#[derive(Debug)]
pub(crate) struct ScalarWithReferences {
    pub(crate) id: NodeId,
    pub(crate) references: Vec<FoundReference>,
    /// The decoded bytes to remove from escapes: the first `$` of `$${…`.
    pub(crate) escapes: Vec<Range<usize>>,
    /// The documents in the scalar, if it embeds any; then it has neither references nor
    /// escapes of its own.
    pub(crate) embedded: Option<Embedded>,
    /// What the Binding lists it as.
    pub(crate) listed: Option<Format>,
    /// Whether ordinary text is written in place of each reference as it is, and changes
    /// nothing else: see [`yaml::is_ordinary`].
    pub(crate) holds_ordinary_text: bool,
}

/// A scalar whose references are being parsed.
pub(super) struct PendingScalar<'d> {
    pub(super) id: NodeId,
    pub(super) decoded: Decoded<'d>,
    pub(super) references: Vec<FoundReference>,
    pub(super) escapes: Vec<Range<usize>>,
    /// The format of the documents that it embeds.
    pub(super) format: Option<Format>,
    /// The actions of a Go template that is not YAML: text in which every reference must
    /// become JSON.
    pub(super) actions: Option<Vec<Range<usize>>>,
    /// The actions of a text that Argo CD expands, and the strings in them.
    pub(super) go_actions: Vec<Range<usize>>,
    pub(super) go_strings: Vec<Range<usize>>,
}

impl<'d> PendingScalar<'d> {
    const fn new(id: NodeId, decoded: Decoded<'d>) -> Self {
        Self {
            id,
            decoded,
            references: Vec::new(),
            escapes: Vec::new(),
            format: None,
            actions: None,
            go_actions: Vec::new(),
            go_strings: Vec::new(),
        }
    }
}

impl<'a> Analyser<'a> {
    /// Returns the scalars that contain masks, and the masks where no value is allowed.
    pub(super) fn scalars(
        &self,
        tree: &Tree,
        masks: &[Mask],
    ) -> (Vec<PendingScalar<'a>>, Vec<Range<usize>>) {
        let _step = steps::enter(RenderStep::Read);
        let mut scalars = Vec::with_capacity(masks.len());
        let mut strays = Vec::new();
        let mut next = 0;
        let mut stray = |mask: &Mask| {
            let at = mask.range.start;
            if tree.comment_at(at).is_none() && !mask.escaped {
                strays.push(mask.range.clone());
            }
        };
        for (id, node) in tree.nodes() {
            let Some(mask) = masks.get(next) else {
                break;
            };
            let bytes = node.range();
            if bytes.end <= mask.range.start || node.style().is_none() {
                continue;
            }
            while masks
                .get(next)
                .is_some_and(|mask| mask.range.start < bytes.start)
            {
                stray(&masks[next]);
                next += 1;
            }
            let first = next;
            while masks
                .get(next)
                .is_some_and(|mask| mask.range.start < bytes.end)
            {
                next += 1;
            }
            if first < next {
                match decode(self.source.text, tree, id) {
                    Some(decoded) => scalars.push(PendingScalar::new(id, decoded)),
                    None => masks[first..next].iter().for_each(&mut stray),
                }
            }
        }
        masks[next..].iter().for_each(&mut stray);
        (scalars, strays)
    }

    /// Adds the scalars in whose text field paths continue.
    pub(super) fn add_target_scalars(
        &mut self,
        tree: &Tree,
        targets: &Targets,
        scalars: &mut Vec<PendingScalar<'a>>,
    ) {
        let found = scalars.len();
        for (id, inner) in &targets.inner_targets {
            let known = scalars[..found].binary_search_by_key(id, |scalar| scalar.id);
            if known.is_ok() {
                continue;
            }
            match decode(self.source.text, tree, *id) {
                Some(decoded) => scalars.push(PendingScalar::new(*id, decoded)),
                None => {
                    let span = self.span(&tree[*id].range());
                    self.end_in_text(inner, "it cannot be decoded", span, "quote it");
                }
            }
        }
        scalars.sort_by_key(|scalar| scalar.id);
    }

    /// Whether the value of a key contains the closer of a reference that is unclosed in the
    /// key.
    fn spans_value(&self, tree: &Tree, key: NodeId) -> bool {
        let value = match tree[key].role() {
            Role::Key => tree.value_of(key),
            _ => None,
        };
        value.is_some_and(|value| {
            let text = self
                .source
                .text
                .get(tree[value].range())
                .unwrap_or_default();
            text.contains(self.scope.heads.dialect().notation().closer)
        })
    }

    /// Parses the references of one scalar in its decoded text, which is authoritative.
    /// Returns whether one ends elsewhere than its mask.
    pub(super) fn parse_references(
        &mut self,
        tree: &Tree,
        scalar: &mut PendingScalar<'_>,
        masks: &[Mask],
        ends: &mut OrderedMap<usize, usize>,
    ) -> bool {
        let _step = steps::enter(RenderStep::Read);
        let dialect = self.scope.heads.dialect();
        let bytes = tree[scalar.id].range();
        let decoded = &scalar.decoded;
        let first = masks.partition_point(|mask| mask.range.start < bytes.start);
        let end = masks.partition_point(|mask| mask.range.start < bytes.end);
        let masks = &masks[first..end];
        if scalar.format.is_none() {
            scalar.references.reserve_exact(masks.len());
        }
        let mut ends_changed = false;
        let mut next = 0;
        for mask in masks {
            let Some(at) = decoded
                .decoded_at(mask.range.start)
                .filter(|at| *at >= next)
            else {
                continue;
            };
            // Across a line break, raw text may look like a head where the decoded text
            // does not.
            if !self.scope.heads.is_head(&decoded.text, at) {
                continue;
            }
            let parsed = match self.scope.parsed {
                Some(known) => known.parse(dialect, &decoded.text, at),
                None => dialect.parse(&decoded.text, at).map(ParsedReference::new),
            };
            let end = match &parsed {
                Ok(parsed) => parsed.reference.range.end,
                Err(_) => dialect.extent(&decoded.text, at).end,
            };
            let raw = decoded.raw_range(&(at..end));
            next = end;
            if raw.end != mask.range.end && ends.get(&mask.range.start) != Some(&raw.end) {
                ends.insert(mask.range.start, raw.end);
                ends_changed = true;
                continue;
            }
            // The embedded document is analysed separately.
            if scalar.format.is_some() || self.scope.keep_references {
                continue;
            }
            if mask.escaped {
                let escape = dialect.escape_before(decoded.text.as_bytes(), at);
                scalar.escapes.push(at.saturating_sub(escape)..at);
                continue;
            }
            match parsed {
                Ok(ParsedReference { reference, number }) => {
                    let raw = mask.range.start..raw.end;
                    let error = match &scalar.actions {
                        Some(actions) if !reference.becomes_json() => {
                            Some(self.not_json(&reference, &raw, actions))
                        }
                        None if !reference.becomes_json()
                            && is_in_action(&scalar.go_actions, &reference.range) =>
                        {
                            Some(self.not_json(&reference, &raw, &scalar.go_actions))
                        }
                        _ => self.quoted_json(&reference, scalar),
                    };
                    if let Some(error) = error {
                        self.findings.push(Some(scalar.id), error);
                    }
                    let is_value = self.is_json
                        && tree[scalar.id].style() == Some(Style::Plain)
                        && reference.range == (0..decoded.text.len());
                    let (reference, number) = if is_value && reference.becomes_json() {
                        (Arc::new(without_last_call(&reference)), None)
                    } else {
                        (reference, number)
                    };
                    scalar.references.push(FoundReference {
                        reference,
                        number,
                        origin: self.source.origin,
                        span: self.source.span(&raw),
                        raw,
                    });
                }
                Err(error) => {
                    let span_of = |range: &Range<usize>| self.span(&decoded.raw_range(range));
                    let (text, range, origin) = (&decoded.text, at..end, self.source.origin);
                    let mut found =
                        invalid_reference(dialect, &error, text, &range, origin, &span_of);
                    if error.unterminated && self.spans_value(tree, scalar.id) {
                        found.help = Some(SPANS_VALUE.to_owned());
                    }
                    self.findings.push(Some(scalar.id), found);
                    if error.at == decoded.text.len() || error.unterminated {
                        // It extends to the end of the scalar.
                        break;
                    }
                }
            }
        }
        ends_changed
    }
}

/// `${x | json}` as a value of JSON: what it would be as text is how the value is written there.
fn without_last_call(reference: &Reference) -> Reference {
    let mut calls = reference.calls.clone();
    calls.pop();
    Reference {
        calls,
        ..reference.clone()
    }
}
