//! Locates values in the rendered text: from the parts of a scalar, through its edits, to
//! the bytes of the text.

use std::ops::Range;

use crate::bind::document::Renderer;
use crate::bind::document::validate::Placement;
use crate::bind::document::values::Write;
use crate::kubernetes::consumers::ForConsumer;
use crate::report::Substitution;
use yaml::{Edit, Span, Written, resolve};

impl Renderer<'_, '_> {
    /// Adds the edits of one node, and its substitutions with the locations of their
    /// results.
    pub(crate) fn add_edits(
        &mut self,
        edits: Vec<Edit>,
        substitutions: impl IntoIterator<Item = Substitution>,
        written: Vec<Written>,
    ) {
        let before = self.rendered.edits.len();
        self.rendered.edits.extend(edits);
        self.rendered.substitutions.extend(substitutions);
        let locations = written.into_iter().map(|written| Written {
            edit: written.edit.map(|nth| before + nth),
            ..written
        });
        self.rendered.result_locations.extend(locations);
    }

    /// Adds the substitutions of references that are not replaced, because the value of one
    /// of them is unknown.
    pub(crate) fn add_unwritten(
        &mut self,
        placement: &Placement<'_, '_>,
        changed_span: Option<Span>,
    ) {
        let substitutions: Vec<_> = self
            .substitutions(placement, changed_span)
            .map(|substitution| Substitution {
                unwritten: true,
                ..substitution
            })
            .collect();
        let written = vec![Written::default(); substitutions.len()];
        self.add_edits(Vec::new(), substitutions, written);
    }

    /// Sorts the edits, and sets the result spans of the substitutions in the rendered
    /// text.
    pub(crate) fn resolve_results(&mut self) {
        let rendered = &mut self.rendered;
        let spans = resolve(
            &mut rendered.edits,
            &std::mem::take(&mut rendered.result_locations),
        );
        for (substitution, span) in rendered.substitutions.iter_mut().zip(spans) {
            substitution.result_span = (span.start, span.end);
        }
    }
}

/// Returns the part that each reference of the placements becomes, and its bytes in that
/// part. `for_consumers` are the parts as written, if they differ from those of `write`.
pub(crate) fn result_parts(
    placements: &[Placement<'_, '_>],
    write: &Write<'_, '_>,
    for_consumers: &[Option<ForConsumer<'_>>],
) -> Vec<(usize, Option<Range<usize>>)> {
    let mut result_parts = Vec::new();
    if write.changed_span.is_none() {
        let each = placements.iter().flat_map(Placement::each);
        result_parts.extend(each.map(|(found, _)| {
            let start = found.reference.range.start;
            let parts = write.parts;
            (
                parts.partition_point(|part| part.decoded.start < start),
                None,
            )
        }));
    }
    for (nth, ranges) in write.reference_ranges.iter().enumerate() {
        let written = for_consumers.get(nth).and_then(Option::as_ref);
        let ranges = ranges.iter().cloned().map(|range| match written {
            Some(written) => Some(written.located(range?)),
            None => range,
        });
        result_parts.extend(ranges.map(|range| (nth, range)));
    }
    result_parts
}
