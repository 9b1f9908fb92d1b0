//! Verifies that migrated manifests render to the same documents: the original in its
//! dialect and the result in landfall's own are rendered and compared.

use std::ops::Range;

use crate::collections::OrderedSet;
use crate::contract::adopt::{Applied, reported};
use crate::contract::migrate::candidate::Candidate;
use crate::contract::migrate::documents::differing;
use crate::contract::{Content, Detail, File, Request, Sources};
use crate::report::Diagnostics;
use yaml::{Edit, splice};

/// Candidates are tried one by one if at most this many may be wrong.
const MAX_SINGLE: usize = 32;

/// After this many renders, everything that still differs is withdrawn.
const MAX_ROUNDS: usize = 12;

/// Replaces what is left in both manifests, so that it is text to both dialects.
const NEUTRAL: u8 = b'q';

/// The sources, and how they are rendered.
pub(super) struct Verification<'s> {
    pub(super) sources: &'s Sources,
    /// In the other dialect.
    pub(super) before: Request,
    /// In landfall's own.
    pub(super) after: Request,
    /// What is left, by file.
    pub(super) left: Vec<Vec<Range<usize>>>,
}

/// How two renders differ.
#[derive(Default)]
struct Comparison {
    /// The positions of the applied candidates that may be why.
    wrong: Vec<usize>,
    /// The documents that differ, each with its file.
    differing: Vec<(usize, Range<usize>)>,
    /// Why the migrated manifests cannot be rendered.
    errors: Option<Diagnostics>,
}

impl Verification<'_> {
    /// Tries other texts for candidates, and withdraws them, until the results are equal.
    /// Returns the documents that differ all the same, each with its file.
    ///
    /// # Errors
    /// The migrated manifests cannot be rendered, whatever is migrated.
    pub(super) fn confirm(
        &self,
        candidates: &mut [Candidate],
    ) -> Result<Vec<(usize, Range<usize>)>, Diagnostics> {
        for round in 0.. {
            let found = self.compare(candidates, &|_| true);
            if found.wrong.is_empty() {
                return match found.errors {
                    Some(errors) => Err(errors),
                    None => Ok(found.differing),
                };
            }
            let is_last = round >= 2 * MAX_ROUNDS;
            let is_single = found.wrong.len() <= MAX_SINGLE && round < MAX_ROUNDS;
            let wrong = match (is_last, is_single) {
                (true, _) => (0..candidates.len()).collect(),
                (false, true) => self.wrong_alone(candidates, found.wrong),
                (false, false) => found.wrong,
            };
            for nth in wrong {
                if let Some(candidate) = candidates.get_mut(nth) {
                    if round < MAX_ROUNDS {
                        candidate.try_next();
                    } else {
                        candidate.withdraw();
                    }
                }
            }
        }
        Ok(Vec::new())
    }

    /// Returns those of the candidates that are wrong even without the others; all of them if
    /// none is.
    fn wrong_alone(&self, candidates: &[Candidate], wrong: Vec<usize>) -> Vec<usize> {
        if wrong.len() == 1 {
            return wrong;
        }
        let suspects: OrderedSet<usize> = wrong.iter().copied().collect();
        let alone: Vec<usize> = wrong
            .iter()
            .copied()
            .filter(|one| {
                let is_applied = |nth: usize| nth == *one || !suspects.contains(&nth);
                let found = self.compare(candidates, &is_applied);
                found.wrong.contains(one)
            })
            .collect();
        if alone.is_empty() { wrong } else { alone }
    }

    /// Compares the renders with some of the candidates applied.
    fn compare(&self, candidates: &[Candidate], is_applied: &dyn Fn(usize) -> bool) -> Comparison {
        let mut neutral = self.left.clone();
        let mut edits: Vec<Vec<(Edit, Option<usize>)>> =
            neutral.iter().map(|_| Vec::new()).collect();
        for (nth, candidate) in candidates.iter().enumerate() {
            if is_applied(nth)
                && let Some(edit) = candidate.edit()
            {
                if let Some(edits) = edits.get_mut(candidate.file) {
                    edits.push((edit, Some(nth)));
                }
            } else if let Some(neutral) = neutral.get_mut(candidate.file) {
                neutral.push(candidate.range.clone());
            }
        }
        let files = self.sources.files.iter().zip(&neutral);
        let before: Vec<File> = files
            .map(|(file, ranges)| neutralised(file, ranges))
            .collect();
        let mut after = Vec::with_capacity(before.len());
        let mut applied = Vec::with_capacity(before.len());
        for (file, edits) in before.iter().zip(&mut edits) {
            edits.sort_by_key(|(edit, _)| (edit.span.start, edit.span.end));
            applied.push(positions(edits));
            let edits: Vec<Edit> = edits.iter().map(|(edit, _)| edit.clone()).collect();
            let content = splice(&file.content, &edits).unwrap_or_default();
            after.push(File {
                path: file.path.clone(),
                content,
            });
        }
        let wrong = |wrong| Comparison {
            wrong,
            ..Comparison::default()
        };
        let Ok(expected) = render(before.clone(), &self.before) else {
            // Neutral text is not allowed somewhere.
            return wrong(applied.iter().flatten().map(|one| one.nth).collect());
        };
        let found = match render(after, &self.after) {
            Ok(found) => found,
            Err(found) => {
                return Comparison {
                    errors: Some(found.clone()),
                    ..wrong(reported(&found, &applied))
                };
            }
        };
        let mut comparison = Comparison::default();
        for (file, applied) in applied.iter().enumerate() {
            let (Some(expected), Some(found), Some(source)) =
                (expected.get(file), found.get(file), before.get(file))
            else {
                continue;
            };
            let ranges = differing(&source.content, expected, found);
            let is_in = |nth: usize| {
                let range = candidates.get(nth).map(|candidate| &candidate.range);
                let start = range.map_or(0, |range| range.start);
                ranges.iter().any(|range| range.contains(&start))
            };
            let wrong = applied.iter().map(|one| one.nth);
            comparison.wrong.extend(wrong.filter(|nth| is_in(*nth)));
            comparison
                .differing
                .extend(ranges.iter().map(|range| (file, range.clone())));
        }
        comparison
    }
}

/// Returns a file with some of its bytes replaced.
fn neutralised(file: &File, ranges: &[Range<usize>]) -> File {
    let mut content = file.content.clone();
    for range in ranges {
        let bytes = content.get_mut(range.clone()).unwrap_or_default();
        // A comment stays one.
        let text = match bytes {
            [b'#', b' ', text @ ..] => text,
            text => text,
        };
        text.fill(NEUTRAL);
    }
    File {
        path: file.path.clone(),
        content,
    }
}

/// Returns the candidates with their bytes in the edited file.
fn positions(edits: &[(Edit, Option<usize>)]) -> Vec<Applied> {
    let (mut added, mut removed) = (0, 0);
    let mut applied = Vec::with_capacity(edits.len());
    for (edit, nth) in edits {
        let start = edit.span.start + added - removed;
        let range = start..start + edit.text.len();
        added += edit.text.len();
        removed += edit.span.range().len();
        applied.extend(nth.map(|nth| Applied { nth, range }));
    }
    applied
}

/// Returns the rendered files.
fn render(files: Vec<File>, request: &Request) -> Result<Vec<Vec<u8>>, Diagnostics> {
    let sources = Sources::new(files);
    let request = Request {
        keep_references: false,
        detail: Detail::Diagnostics,
        ..request.clone()
    };
    let answer = sources.generate_without_secrets(&request)?;
    let files = sources.files.iter().zip(&answer.sources);
    let content = |(file, content): (&File, &Content)| content.of(&file.content);
    Ok(files.map(content).collect())
}
