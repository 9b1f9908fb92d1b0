//! The parts of a file in which two renderings can differ.

use std::borrow::Cow;
use std::ops::Range;

use landfall_sandbox::types::{Content, Edit};

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
pub(super) fn regions(old: &[Edit], new: &[Edit]) -> Vec<Region> {
    let mut spans: Vec<(u32, u32)> = old
        .iter()
        .chain(new)
        .map(|edit| (edit.start, edit.end))
        .collect();
    spans.sort_unstable();
    let mut merged: Vec<(u32, u32)> = Vec::new();
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
            source: start as usize,
            old: old.range(start, end),
            new: new.range(start, end),
        })
        .collect()
}

/// Returns the edits that turn a source of `len` bytes into `content`.
pub(super) fn edits(len: usize, content: &Content) -> Cow<'_, [Edit]> {
    match content {
        Content::Unchanged => Cow::Borrowed(&[]),
        Content::Edited(edits) => Cow::Borrowed(edits),
        Content::Replaced(bytes) => Cow::Owned(vec![Edit {
            start: 0,
            end: len.try_into().unwrap_or(u32::MAX),
            text: bytes.clone(),
        }]),
    }
}

/// One rendering, read from its start.
struct Rendered<'a> {
    edits: std::slice::Iter<'a, Edit>,
    /// The number of bytes that edits inserted and removed so far.
    inserted: usize,
    removed: usize,
}

impl<'a> Rendered<'a> {
    fn new(edits: &'a [Edit]) -> Self {
        Self {
            edits: edits.iter(),
            inserted: 0,
            removed: 0,
        }
    }

    /// Returns the bytes that `start..end` of the source become. No edit crosses its ends.
    fn range(&mut self, start: u32, end: u32) -> Range<usize> {
        let rendered_start = start as usize + self.inserted - self.removed;
        while let Some(edit) = self.edits.as_slice().first().filter(|edit| edit.end <= end) {
            self.inserted += edit.text.len();
            self.removed += (edit.end - edit.start) as usize;
            self.edits.next();
        }
        rendered_start..end as usize + self.inserted - self.removed
    }
}

#[cfg(test)]
mod tests {
    use landfall_sandbox::types::{Content, Edit};

    use super::{Region, edits, regions};

    fn edit(start: u32, end: u32, text: &str) -> Edit {
        Edit {
            start,
            end,
            text: text.as_bytes().to_vec(),
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

    #[test]
    fn replaced_content_is_one_edit() {
        let content = Content::Replaced(b"xy".to_vec());
        assert_eq!(edits(4, &content), [edit(0, 4, "xy")].as_slice());
    }
}
