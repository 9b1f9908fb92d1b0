//! Verifies that references render to the bytes that they replace.

use std::ops::Range;

use crate::contract::adopt::AdoptionOutcome;
use crate::contract::adopt::candidates::Candidate;
use crate::contract::{Content, Detail, File, Request, Sources};
use crate::report::{Diagnostics, Origin, Severity};
use yaml::{Edit, Span, splice};

/// After this many renders, every candidate of the files that still differ is withdrawn, and
/// after as many again, all candidates.
const MAX_ROUNDS: usize = 16;

/// The sources as they are, and what rendering them gives.
pub(super) struct Verification<'s> {
    sources: &'s Sources,
    request: Request,
    rendered: Vec<Vec<u8>>,
}

/// A candidate that was applied: its position, and the bytes of its reference.
pub(in crate::contract) struct Applied {
    pub(in crate::contract) nth: usize,
    pub(in crate::contract) range: Range<usize>,
}

impl<'s> Verification<'s> {
    /// Renders the sources.
    ///
    /// # Errors
    /// All diagnostics of that.
    pub(super) fn new(sources: &'s Sources, request: &Request) -> Result<Self, Diagnostics> {
        let request = Request {
            keep_references: false,
            detail: Detail::Diagnostics,
            ..request.clone()
        };
        let answer = sources.generate(&request)?;
        let files = sources.files.iter().zip(&answer.sources);
        Ok(Self {
            rendered: files
                .map(|(file, content)| content.of(&file.content))
                .collect(),
            sources,
            request,
        })
    }

    /// Marks candidates as not adoptable, until rendering the others gives the same bytes.
    pub(super) fn withdraw(&self, candidates: &mut [Candidate]) {
        for round in 0_usize.. {
            let (files, applied) = self.apply(candidates);
            if applied.iter().all(Vec::is_empty) {
                return;
            }
            let mut wrong = self.wrong(&files, &applied, candidates);
            if wrong.is_empty() {
                return;
            }
            if round >= MAX_ROUNDS {
                let differs = |applied: &&Vec<Applied>| {
                    let mut applied = applied.iter();
                    round >= 2 * MAX_ROUNDS || applied.any(|one| wrong.contains(&one.nth))
                };
                let files = applied.iter().filter(differs);
                wrong = files.flatten().map(|applied| applied.nth).collect();
            }
            for nth in wrong {
                if let Some(candidate) = candidates.get_mut(nth) {
                    candidate.outcome = AdoptionOutcome::NotAdoptable;
                }
            }
        }
    }

    /// Returns the files with all candidates applied, and these candidates for each file.
    fn apply(&self, candidates: &[Candidate]) -> (Vec<File>, Vec<Vec<Applied>>) {
        let mut applied: Vec<Vec<Applied>> = self.rendered.iter().map(|_| Vec::new()).collect();
        let mut edits: Vec<Vec<Edit>> = self.rendered.iter().map(|_| Vec::new()).collect();
        let mut added = 0;
        let mut removed = 0;
        let mut current = None;
        for (nth, candidate) in candidates.iter().enumerate() {
            if candidate.outcome != AdoptionOutcome::Adopted {
                continue;
            }
            if current.replace(candidate.file) != Some(candidate.file) {
                (added, removed) = (0, 0);
            }
            let (Some(applied), Some(edits)) = (
                applied.get_mut(candidate.file),
                edits.get_mut(candidate.file),
            ) else {
                continue;
            };
            let start = candidate.range.start + added - removed;
            let length = candidate.reference.len();
            applied.push(Applied {
                nth,
                range: start..start + length,
            });
            added += length;
            removed += candidate.range.len();
            edits.push(Edit {
                span: Span::from(candidate.range.clone()),
                text: candidate.reference.clone().into_bytes(),
            });
        }
        let files = self
            .sources
            .files
            .iter()
            .zip(&edits)
            .map(|(file, edits)| File {
                path: file.path.clone(),
                content: splice(&file.content, edits).unwrap_or_else(|_| file.content.clone()),
            });
        (files.collect(), applied)
    }

    /// Returns the positions of the candidates that render to other bytes. It is empty only
    /// if all files render as they did without them.
    fn wrong(
        &self,
        files: &[File],
        applied: &[Vec<Applied>],
        candidates: &[Candidate],
    ) -> Vec<usize> {
        let answer = match Sources::new(files.to_vec()).generate(&self.request) {
            Ok(answer) => answer,
            Err(found) => return reported(&found, applied),
        };
        let mut wrong = Vec::new();
        for (file, applied) in applied.iter().enumerate() {
            let (Some(adopted), Some(content), Some(expected)) = (
                files.get(file),
                answer.sources.get(file),
                self.rendered.get(file),
            ) else {
                continue;
            };
            if content.of(&adopted.content) == *expected {
                continue;
            }
            let edits: &[Edit] = match content {
                Content::Edited(edits) => edits,
                Content::Unchanged => &[],
            };
            let before = wrong.len();
            wrong.extend(applied.iter().filter_map(|applied| {
                let original = candidates.get(applied.nth)?.range.clone();
                let original = self.sources.files.get(file)?.content.get(original)?;
                (!gives(edits, &applied.range, &adopted.content, original)).then_some(applied.nth)
            }));
            if wrong.len() == before {
                wrong.extend(applied.iter().map(|applied| applied.nth));
            }
        }
        wrong
    }
}

/// Returns the candidates that errors are about: those at their first labels, otherwise all in
/// these files, or all.
pub(in crate::contract) fn reported(found: &Diagnostics, applied: &[Vec<Applied>]) -> Vec<usize> {
    let errors = found
        .iter()
        .filter(|found| found.severity == Severity::Error);
    // The other labels are about what the error is related to.
    let labels: Vec<_> = errors
        .filter_map(|found| {
            let label = found.labels.first()?;
            let Origin::Manifest(file) = label.origin else {
                return None;
            };
            Some((applied.get(file)?, label.span))
        })
        .collect();
    let at_labels = labels.iter().flat_map(|(applied, span)| {
        let end = span.end.max(span.start + 1);
        let first = applied.partition_point(|applied| applied.range.end <= span.start);
        let touched = applied.iter().skip(first);
        touched.take_while(move |applied| applied.range.start < end)
    });
    let in_files = labels.iter().flat_map(|(applied, _)| applied.iter());
    let all = applied.iter().flatten();
    let positions = |applied: &mut dyn Iterator<Item = &Applied>| -> Vec<usize> {
        applied.map(|applied| applied.nth).collect()
    };
    let mut wrong = positions(&mut at_labels.into_iter());
    if wrong.is_empty() {
        wrong = positions(&mut in_files.into_iter());
    }
    if wrong.is_empty() {
        wrong = positions(&mut all.into_iter());
    }
    wrong
}

/// Whether edits replace the bytes of a reference by `expected`, and nothing around it.
fn gives(edits: &[Edit], reference: &Range<usize>, content: &[u8], expected: &[u8]) -> bool {
    let first = edits.partition_point(|edit| edit.span.end < reference.start);
    let touching: Vec<&Edit> = edits
        .iter()
        .skip(first)
        .take_while(|edit| edit.span.start <= reference.end)
        .filter(|edit| {
            // `spread` inserts the other items at the end.
            let is_inserted = edit.span.start == reference.end && edit.span.range().is_empty();
            edit.span.end > reference.start && edit.span.start < reference.end || is_inserted
        })
        .collect();
    let mut result = Vec::new();
    let mut done = reference.start;
    for edit in touching {
        if edit.span.start < done || edit.span.end > reference.end {
            return false;
        }
        result.extend_from_slice(content.get(done..edit.span.start).unwrap_or_default());
        result.extend_from_slice(&edit.text);
        done = edit.span.end;
    }
    result.extend_from_slice(content.get(done..reference.end).unwrap_or_default());
    result == expected
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::{Diagnostic, Rule};

    fn candidate(nth: usize) -> Applied {
        let range = 10 * nth..10 * nth + 5;
        Applied { nth, range }
    }

    #[test]
    fn withdraws_what_errors_are_about_and_not_what_they_are_related_to() {
        let applied = [vec![candidate(0), candidate(1)], vec![candidate(2)]];
        let error = |first: usize| {
            let at = |diagnostic: Diagnostic, file, start| {
                diagnostic.at(Origin::Manifest(file), Span::new(start, start + 1), "")
            };
            let error = Diagnostic::error(Rule::DocumentIsNotYaml, "wrong");
            let mut found = Diagnostics::default();
            found.push(at(at(error, 0, first), 1, 20));
            found
        };
        assert_eq!(reported(&error(10), &applied), [1]);
        // No value is there, so any in the file may be wrong.
        assert_eq!(reported(&error(7), &applied), [0, 1]);
        assert_eq!(reported(&Diagnostics::default(), &applied), [0, 1, 2]);
    }
}
