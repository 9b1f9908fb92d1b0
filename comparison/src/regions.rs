//! The parts of a file in which two renderings can differ.

use std::iter::Peekable;
use std::ops::Range;
use std::slice::Iter;

use crate::Edit;

/// A part of a source file that one rendering or both edit. All bytes outside of regions
/// are those of the source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Region {
    /// The offset of its first byte in the source.
    pub(crate) source: usize,
    /// Its bytes in the old rendering.
    pub(crate) old: Range<usize>,
    /// Its bytes in the new rendering.
    pub(crate) new: Range<usize>,
}

/// Returns the regions of a file in ascending order. Edits that touch are in one region, so
/// there is a byte between two regions.
pub(crate) fn regions(old: &[Edit], new: &[Edit]) -> Vec<Region> {
    let mut spans: Vec<(usize, usize)> = old
        .iter()
        .chain(new)
        .map(|edit| (edit.source.start, edit.source.end))
        .collect();
    spans.sort_unstable();
    let mut merged: Vec<(usize, usize)> = Vec::new();
    for (start, end) in spans {
        match merged.last_mut() {
            Some((_, last)) if start <= *last => *last = end.max(*last),
            _ => merged.push((start, end)),
        }
    }
    let (mut old, mut new) = (Rendered::new(old), Rendered::new(new));
    merged
        .into_iter()
        .map(|(start, end)| Region {
            source: start,
            old: old.range(start, end),
            new: new.range(start, end),
        })
        .collect()
}

/// One rendering, read from its start.
struct Rendered<'a> {
    edits: Peekable<Iter<'a, Edit>>,
    /// The number of bytes that edits inserted and removed so far.
    inserted: usize,
    removed: usize,
}

impl<'a> Rendered<'a> {
    fn new(edits: &'a [Edit]) -> Self {
        Self {
            edits: edits.iter().peekable(),
            inserted: 0,
            removed: 0,
        }
    }

    /// Returns the bytes that `start..end` of the source become. No edit crosses its ends.
    fn range(&mut self, start: usize, end: usize) -> Range<usize> {
        let rendered_start = start + self.inserted - self.removed;
        while let Some(edit) = self.edits.next_if(|edit| edit.source.end <= end) {
            self.inserted += edit.length;
            self.removed += edit.source.len();
        }
        rendered_start..end + self.inserted - self.removed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edit(start: usize, end: usize, text: &str) -> Edit {
        Edit {
            source: start..end,
            length: text.len(),
        }
    }

    #[track_caller]
    fn check(old: &[Edit], new: &[Edit], expect: &[(usize, [usize; 2], [usize; 2])]) {
        let expect: Vec<Region> = expect
            .iter()
            .map(|&(source, old, new)| Region {
                source,
                old: old[0]..old[1],
                new: new[0]..new[1],
            })
            .collect();
        assert_eq!(regions(old, new), expect);
    }

    #[test]
    fn regions_cover_the_edits_of_both_sides() {
        check(&[], &[], &[]);
        // One side edits more than the other.
        check(&[edit(2, 6, "abc")], &[], &[(2, [2, 5], [2, 6])]);
        check(
            &[edit(2, 6, "abc"), edit(10, 12, "")],
            &[edit(2, 6, "a"), edit(10, 12, "xyz")],
            &[(2, [2, 5], [2, 3]), (10, [9, 9], [7, 10])],
        );
        // Edits that overlap or touch are one region.
        check(
            &[edit(2, 4, "x")],
            &[edit(3, 6, "")],
            &[(2, [2, 5], [2, 3])],
        );
        check(
            &[edit(2, 2, "ab"), edit(4, 5, "c")],
            &[edit(2, 4, "")],
            &[(2, [2, 7], [2, 3])],
        );
    }
}
