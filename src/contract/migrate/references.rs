//! The references of another dialect in scalars, and its escapes.

use std::ops::Range;

use crate::analysis::document::{AssignedNode, FoundReference, ScalarWithReferences};
use crate::collections::OrderedSet;
use crate::contract::migrate::candidate::{Candidate, shown, with_call, written};
use crate::contract::migrate::levels::Level;
use crate::contract::migrate::search::{Left, Search};
use crate::contract::migrate::translate::{Untranslatable, translated};
use crate::reference::Reference;
use yaml::{Decoded, Edit, Span, Style};

impl Search<'_> {
    /// Adds the references and escapes of one document.
    pub(super) fn add_references(&mut self, level: &Level<'_>) {
        let scalars = level.located.scalars.iter();
        for scalar in scalars.filter(|scalar| scalar.embedded.is_none()) {
            let Some(decoded) = level.decoded(scalar) else {
                continue;
            };
            for found in &scalar.references {
                self.add_reference(level, scalar, &decoded, found);
            }
            self.add_escapes(level, scalar, &decoded);
        }
    }

    fn add_reference(
        &mut self,
        level: &Level<'_>,
        scalar: &ScalarWithReferences,
        decoded: &Decoded<'_>,
        found: &FoundReference,
    ) {
        let reference = &found.reference;
        let range = level.in_file(&found.raw);
        let subject = shown(self.dialect, reference);
        let style = level.located.tree[scalar.id].style();
        let is_whole = reference.range == (0..decoded.text.len());
        let is_plain =
            is_whole && style == Some(Style::Plain) && self.dialect.notation().has_plain_literals;
        let left = if decoded.text[..reference.range.start].ends_with('$') {
            let is_escape = |escape: &&Range<usize>| precedes(escape, reference);
            if let Some(escape) = scalar.escapes.iter().find(is_escape) {
                let whole = escape.start..reference.range.end;
                let range = level.in_file(&decoded.raw_range(&whole));
                return self.leave(range, subject, Left::AfterDollar);
            }
            Left::AfterDollar
        } else {
            let styles = level.styles_of(scalar);
            match translated(reference, self.bindings, is_plain) {
                Ok(translated) => {
                    // The data of a Secret may be base64 already.
                    let verbatim = with_call(&translated, "verbatim");
                    let texts: Vec<String> = [&translated, &verbatim]
                        .map(|one| written(one, &styles))
                        .into_iter()
                        .flatten()
                        .collect();
                    if !texts.is_empty() {
                        let outer = match style {
                            Some(Style::SingleQuoted | Style::DoubleQuoted) if is_whole => {
                                styles.split_last()
                            }
                            _ => None,
                        };
                        let unquoted = outer.and_then(|(_, outer)| {
                            let scalar = level.located.tree[scalar.id].range();
                            Some(Edit {
                                span: Span::from(level.in_file(&scalar)),
                                text: written(&translated, outer)?.into_bytes(),
                            })
                        });
                        let candidate = Candidate::new(self.file, range, texts, subject);
                        self.candidates.push(candidate.or_unquoted(unquoted));
                        return;
                    }
                    Left::Quotes
                }
                Err(Untranslatable::Unbound(name)) => Left::Unbound(name),
                Err(Untranslatable::Operator(operator)) => Left::Operator(operator),
                Err(Untranslatable::Fallback) => Left::Fallback,
            }
        };
        self.leave(range, subject, left);
    }

    /// Removes the escapes of a scalar, except one before text that is a reference in
    /// landfall's own dialect.
    fn add_escapes(
        &mut self,
        level: &Level<'_>,
        scalar: &ScalarWithReferences,
        decoded: &Decoded<'_>,
    ) {
        for escape in &scalar.escapes {
            let mut references = scalar.references.iter();
            if references.any(|found| precedes(escape, &found.reference)) {
                continue;
            }
            // Flux's escapes: every two `$` of a run are one.
            let last = escape.end + escape.len().saturating_sub(1);
            let mut removed = escape.clone();
            if self.heads.is_head(&decoded.text, last) {
                removed.end -= 1;
                let at = level.in_file(&decoded.raw_range(&(last..last + 1)));
                self.known.insert(at.start);
            }
            if removed.is_empty() {
                continue;
            }
            let range = level.in_file(&decoded.raw_range(&removed));
            let candidate = Candidate::new(self.file, range, vec![String::new()], "$$");
            self.candidates.push(candidate);
        }
    }
}

/// Whether an escape leaves a `$` before a reference.
fn precedes(escape: &Range<usize>, reference: &Reference) -> bool {
    escape.end + escape.len() == reference.range.start
}

/// Adds a `$` before everything in a document that landfall's own dialect would read as a
/// reference, although the other one does not; `known` are the references that are escaped
/// already, and those of the other dialect.
pub(super) fn add_literals(
    level: &Level<'_>,
    file: usize,
    known: &OrderedSet<usize>,
    candidates: &mut Vec<Candidate>,
) {
    let located = level.located;
    let mut positions = Vec::new();
    let scalars = located.scalars.iter();
    for scalar in scalars.filter(|scalar| scalar.embedded.is_none()) {
        let bytes = located.tree[scalar.id].range();
        let first = located
            .masks
            .partition_point(|mask| mask.range.start < bytes.start);
        let masks = located
            .masks
            .iter()
            .skip(first)
            .take_while(|mask| mask.range.start < bytes.end);
        positions.extend(masks.map(|mask| mask.range.start));
    }
    for assigned in &located.assignments {
        if let AssignedNode::Comment {
            template, start, ..
        } = assigned
        {
            let references = template
                .references
                .iter()
                .map(|reference| reference.range.start);
            let escaped = template.escapes.iter().map(|escape| escape.end);
            positions.extend(references.chain(escaped).map(|at| start + at));
        }
    }
    for position in positions {
        let at = level.in_file(&(position..position + 1)).start;
        if !known.contains(&at) {
            let texts = vec!["$".to_owned()];
            candidates.push(Candidate::new(file, at..at, texts, "${"));
        }
    }
}
