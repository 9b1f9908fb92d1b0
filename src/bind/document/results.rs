//! Where values are in the rendered text: followed from the parts of a scalar, through its
//! edits, to the bytes of the text.

use std::ops::Range;

use crate::bind::document::Renderer;
use crate::bind::document::validate::Placement;
use crate::bind::document::values::Write;
use crate::outputs::Value;
use crate::report::Substitution;
use yaml::{Edit, Part, Written, resolve};

impl Renderer<'_, '_> {
    /// Takes edits of one node, and substitutions with where they are once these edits
    /// are made.
    pub(crate) fn take(
        &mut self,
        edits: Vec<Edit>,
        substitutions: impl IntoIterator<Item = Substitution>,
        written: Vec<Written>,
    ) {
        let before = self.rendered.edits.len();
        self.rendered.edits.extend(edits);
        self.rendered.substitutions.extend(substitutions);
        let written = written.into_iter().map(|written| Written {
            edit: written.edit.map(|nth| before + nth),
            ..written
        });
        self.rendered.written.extend(written);
    }

    /// Brings the edits into their order, and the results of the substitutions into the
    /// rendered text.
    pub(crate) fn resolve_results(&mut self) {
        let rendered = &mut self.rendered;
        let spans = resolve(&mut rendered.edits, &std::mem::take(&mut rendered.written));
        for (substitution, span) in rendered.substitutions.iter_mut().zip(spans) {
            substitution.result_span = (span.start, span.end);
        }
    }
}

/// The parts that the references of some arrivals become, as they are written: `parts`,
/// whose values may be other ones than those of `write`.
pub(crate) fn wanted(
    placements: &[Placement<'_, '_>],
    write: &Write<'_, '_>,
    parts: &[Part<'_, Value>],
) -> Vec<(usize, Option<Range<usize>>)> {
    let mut wanted = Vec::new();
    if write.place.is_none() {
        let each = placements.iter().flat_map(Placement::each);
        wanted.extend(each.map(|(read, _)| {
            let start = read.reference.range.start;
            (
                parts.partition_point(|part| part.decoded.start < start),
                None,
            )
        }));
    }
    for (nth, within) in write.within.iter().enumerate() {
        let [given, written] = [write.parts, parts].map(|parts| {
            let value = parts.get(nth).and_then(|part| part.value);
            value.and_then(Value::text).unwrap_or_default()
        });
        let within = within.iter().cloned();
        wanted.extend(within.map(|within| (nth, after_doubling(given, written, within))));
    }
    wanted
}

/// Returns where bytes of a text are in `written`, the text whose `$` may have been
/// doubled; `None` where it is another text.
pub(crate) fn after_doubling(
    given: &str,
    written: &str,
    within: Option<Range<usize>>,
) -> Option<Range<usize>> {
    let within = within.filter(|within| within.end <= given.len())?;
    let dollars = |end: usize| memchr::memchr_iter(b'$', &given.as_bytes()[..end]).count();
    match written.len().checked_sub(given.len())? {
        0 => Some(within),
        grown if grown == dollars(given.len()) => {
            Some(within.start + dollars(within.start)..within.end + dollars(within.end))
        }
        _ => None,
    }
}
