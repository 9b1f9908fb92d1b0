//! Joins the results of parts into one answer.

use landfall_sandbox::types::{
    Answer, Content, Counts, Diagnostic, Edit, File, RenderedPart, Severity,
};

use crate::splice::Spliced;

use super::divide::Slice;

/// The maximum number of diagnostics in an answer. With more, the module omits some.
const MAX_DIAGNOSTICS: usize = 1_000;

/// Joins the results of all parts; `unused` are the diagnostics about unused outputs. Returns
/// `None` if one instance would have reported an error, or if a result violates the contract.
pub(super) fn join(
    files: &[File],
    parts: &[Vec<Slice>],
    rendered: Vec<RenderedPart>,
    unused: Vec<Diagnostic>,
) -> Option<Answer> {
    let mut diagnostics = rendered.first()?.diagnostics.clone();
    diagnostics.extend(unused);
    let is_error = |found: &Diagnostic| found.severity == Severity::Error;
    if diagnostics.iter().any(is_error) || diagnostics.len() > MAX_DIAGNOSTICS {
        return None;
    }
    let mut sources = vec![Content::Unchanged; files.len()];
    for (slices, part) in std::iter::zip(parts, rendered) {
        if slices.len() != part.sources.len() {
            return None;
        }
        for (slice, content) in std::iter::zip(slices, part.sources) {
            let file = files.get(slice.file)?.content.get(slice.bytes.clone())?;
            Spliced::new(file, &content).ok()?;
            add(sources.get_mut(slice.file)?, slice, content)?;
        }
    }
    Some(Answer {
        sources,
        generated: Vec::new(),
        diagnostics,
        omitted: Counts::default(),
        substitutions: None,
    })
}

/// Adds the result of a slice to that of its file.
fn add(all: &mut Content, slice: &Slice, content: Content) -> Option<()> {
    let edits = match content {
        Content::Unchanged => return Some(()),
        Content::Edited(edits) => edits,
        Content::Replaced(_) => return None,
    };
    let offset = u32::try_from(slice.bytes.start).ok()?;
    let shifted = edits.into_iter().map(|edit| {
        Some(Edit {
            start: edit.start.checked_add(offset)?,
            end: edit.end.checked_add(offset)?,
            ..edit
        })
    });
    match all {
        Content::Edited(before) => {
            for edit in shifted {
                before.push(edit?);
            }
        }
        _ => *all = Content::Edited(shifted.collect::<Option<_>>()?),
    }
    Some(())
}

/// Returns the numbers that all of the ascending lists have.
pub(super) fn unused_in_all<'p>(mut lists: impl Iterator<Item = &'p [u32]>) -> Vec<u32> {
    let mut all = lists.next().unwrap_or_default().to_vec();
    for list in lists {
        all.retain(|output| list.binary_search(output).is_ok());
    }
    all
}
