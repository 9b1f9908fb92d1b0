//! The parts of a file in which two renderings can differ.

use std::borrow::Cow;
use std::iter::Peekable;
use std::ops::Range;

use landfall_sandbox::types::{Content, EditList};
use landfall_sandbox::{CheckedEdits, EditRef};

/// A part of a source file that one rendering or both edit. All bytes outside of regions
/// are those of the source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Region {
    /// The offset of its first byte in the source.
    pub(super) source: usize,
    /// Its bytes in the old rendering.
    pub(super) old: Range<usize>,
    /// Its bytes in the new rendering.
    pub(super) new: Range<usize>,
}

/// Returns the regions of a file in ascending order. Edits that touch are in one region, so
/// there is a byte between two regions.
pub(super) fn regions(old: CheckedEdits<'_>, new: CheckedEdits<'_>) -> Vec<Region> {
    let mut spans: Vec<(usize, usize)> = old
        .iter()
        .chain(new.iter())
        .map(|edit| (edit.start, edit.end))
        .collect();
    spans.sort_unstable();
    let mut merged: Vec<(usize, usize)> = Vec::new();
    for (start, end) in spans {
        match merged.last_mut() {
            Some((_, last)) if start <= *last => *last = end.max(*last),
            _ => merged.push((start, end)),
        }
    }
    let (mut old, mut new) = (Rendered::new(old.iter()), Rendered::new(new.iter()));
    merged
        .into_iter()
        .map(|(start, end)| Region {
            source: start,
            old: old.range(start, end),
            new: new.range(start, end),
        })
        .collect()
}

/// Returns the edits of a source.
pub(super) fn edits(content: &Content) -> Cow<'_, EditList> {
    match content {
        Content::Unchanged => Cow::Owned(EditList::default()),
        Content::Edited(edits) => Cow::Borrowed(edits),
    }
}

/// One rendering, read from its start.
struct Rendered<E: Iterator> {
    edits: Peekable<E>,
    /// The number of bytes that edits inserted and removed so far.
    inserted: usize,
    removed: usize,
}

impl<'a, E: Iterator<Item = EditRef<'a>>> Rendered<E> {
    fn new(edits: E) -> Self {
        Self {
            edits: edits.peekable(),
            inserted: 0,
            removed: 0,
        }
    }

    /// Returns the bytes that `start..end` of the source become. No edit crosses its ends.
    fn range(&mut self, start: usize, end: usize) -> Range<usize> {
        let rendered_start = start + self.inserted - self.removed;
        while let Some(edit) = self.edits.next_if(|edit| edit.end <= end) {
            self.inserted += edit.text.len();
            self.removed += edit.end - edit.start;
        }
        rendered_start..end + self.inserted - self.removed
    }
}

#[cfg(test)]
mod tests {
    use landfall_sandbox::EditRef;
    use landfall_sandbox::types::EditList;

    use super::{Region, regions};

    fn edit(start: usize, end: usize, text: &str) -> EditRef<'_> {
        let text = text.as_bytes();
        EditRef { start, end, text }
    }

    #[track_caller]
    fn check(old: &[EditRef<'_>], new: &[EditRef<'_>], expect: &[(usize, [usize; 2], [usize; 2])]) {
        let expect: Vec<Region> = expect
            .iter()
            .map(|&(source, old, new)| Region {
                source,
                old: old[0]..old[1],
                new: new[0]..new[1],
            })
            .collect();
        let [old, new] = [old, new].map(|edits| edits.iter().copied().collect::<EditList>());
        let [old, new] = [&old, &new].map(|edits| edits.checked(20).unwrap());
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
