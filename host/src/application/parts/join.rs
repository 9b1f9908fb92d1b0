//! Joins the results of parts into one answer.

use landfall_sandbox::types::{Content, Diagnostic, EditList, File, RenderedPart, Severity};

use crate::engine::Answer;
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
    let mut findings = rendered.first()?.findings.clone();
    findings.diagnostics.extend(unused);
    let is_error = |found: &Diagnostic| found.severity == Severity::Error;
    if findings.diagnostics.iter().any(is_error) || findings.diagnostics.len() > MAX_DIAGNOSTICS {
        return None;
    }
    findings.has_unbound_names = (rendered.iter()).any(|part| part.findings.has_unbound_names);
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
        built: Vec::new(),
        findings,
        substitutions: None,
    })
}

/// Adds the result of a slice to that of its file.
fn add(all: &mut Content, slice: &Slice, content: Content) -> Option<()> {
    let edits = match content {
        Content::Unchanged => return Some(()),
        Content::Edited(edits) => edits,
    };
    if matches!(all, Content::Unchanged) {
        *all = Content::Edited(EditList::default());
    }
    let Content::Edited(before) = all else {
        return None;
    };
    let start = u32::try_from(slice.bytes.start).ok()?;
    let text_start = u32::try_from(before.text.len()).ok()?;
    for offsets in edits.offsets.chunks(3) {
        let [edit_start, edit_end, text_end] = offsets else {
            return None;
        };
        before.offsets.extend([
            edit_start.checked_add(start)?,
            edit_end.checked_add(start)?,
            text_end.checked_add(text_start)?,
        ]);
    }
    before.text.extend_from_slice(&edits.text);
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
