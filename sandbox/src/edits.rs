//! The edits of a document, checked: `types.edit-list` in `wit/`.

use std::ops::Range;

use crate::types::{Edit, EditList};

/// An edit whose text is elsewhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EditRef<'a> {
    /// The offset in the document of the first byte that it replaces.
    pub start: usize,
    /// One past the last byte that it replaces.
    pub end: usize,
    /// The bytes that replace them.
    pub text: &'a [u8],
}

/// Edits of a document, which are in ascending order, disjoint, and inside the document.
#[derive(Clone, Copy, Debug)]
pub struct CheckedEdits<'a> {
    text: &'a [u8],
    /// The start and end of each edit, and the end of its text in `text`.
    offsets: &'a [[u32; 3]],
}

/// The error for edits that violate the contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BrokenEdits;

impl EditList {
    /// Returns the edits if they can be applied to a document of `length` bytes.
    ///
    /// # Errors
    /// The edits are not in ascending order and disjoint, one is not inside the document, or
    /// their texts are not the parts of `text`.
    pub fn checked(&self, length: usize) -> Result<CheckedEdits<'_>, BrokenEdits> {
        let (offsets, []) = self.offsets.as_chunks() else {
            return Err(BrokenEdits);
        };
        let (mut done, mut text_done) = (0, 0);
        for &[start, end, text_end] in offsets {
            if start < done || end < start || text_end < text_done {
                return Err(BrokenEdits);
            }
            (done, text_done) = (end, text_end);
        }
        if done as usize > length || text_done as usize != self.text.len() {
            return Err(BrokenEdits);
        }
        let text = &self.text;
        Ok(CheckedEdits { text, offsets })
    }

    /// Returns the number of edits.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.offsets.len() / 3
    }

    /// Returns whether there are no edits.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl Default for EditList {
    /// Returns no edits.
    fn default() -> Self {
        Self {
            text: Vec::new(),
            offsets: Vec::new(),
        }
    }
}

impl<'a> From<&'a Edit> for EditRef<'a> {
    fn from(edit: &'a Edit) -> Self {
        Self {
            start: edit.start as usize,
            end: edit.end as usize,
            text: &edit.text,
        }
    }
}

impl<'a> FromIterator<EditRef<'a>> for EditList {
    /// Makes a list of edits, which are checked as those of an answer are. An offset that is
    /// too large for a list is one that [`EditList::checked`] rejects.
    fn from_iter<E: IntoIterator<Item = EditRef<'a>>>(edits: E) -> Self {
        let offset = |offset| u32::try_from(offset).unwrap_or(u32::MAX);
        let mut list = Self::default();
        for EditRef { start, end, text } in edits {
            list.text.extend_from_slice(text);
            let text_end = list.text.len();
            list.offsets.extend([start, end, text_end].map(offset));
        }
        list
    }
}

impl<'a> CheckedEdits<'a> {
    /// No edits.
    pub const NONE: Self = Self {
        text: &[],
        offsets: &[],
    };

    /// Returns the number of edits.
    #[must_use]
    pub const fn len(self) -> usize {
        self.offsets.len()
    }

    /// Returns whether there are no edits.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.offsets.is_empty()
    }

    /// Returns the edits in `range` or at its bounds, in ascending order.
    pub fn touching(self, range: Range<usize>) -> impl Iterator<Item = EditRef<'a>> {
        let first = self
            .offsets
            .partition_point(|[_, end, _]| (*end as usize) < range.start);
        let edits = self.from(first);
        edits.take_while(move |edit| edit.start <= range.end)
    }

    /// Returns the edits in ascending order.
    pub fn iter(self) -> impl ExactSizeIterator<Item = EditRef<'a>> {
        self.from(0)
    }

    /// Returns the edits from the position `first`, in ascending order.
    fn from(self, first: usize) -> impl ExactSizeIterator<Item = EditRef<'a>> {
        let before = first.checked_sub(1).and_then(|last| self.offsets.get(last));
        let mut text_start = before.map_or(0, |[_, _, text_end]| *text_end as usize);
        let offsets = self.offsets.get(first..).unwrap_or_default();
        offsets.iter().map(move |&[start, end, text_end]| {
            let text = text_start..text_end as usize;
            text_start = text.end;
            EditRef {
                start: start as usize,
                end: end as usize,
                text: &self.text[text],
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{BrokenEdits, EditList, EditRef};

    fn list(text: &str, offsets: &[u32]) -> EditList {
        EditList {
            text: text.into(),
            offsets: offsets.to_vec(),
        }
    }

    /// Checks a list of edits of a document of 10 bytes. The edits are `start..end text`.
    #[track_caller]
    fn check(text: &str, offsets: &[u32], expected: Result<&[&str], BrokenEdits>) {
        let list = list(text, offsets);
        let edits = list.checked(10).map(|edits| {
            let written = |edit: EditRef<'_>| {
                let text = str::from_utf8(edit.text).unwrap();
                format!("{}..{} {text}", edit.start, edit.end)
            };
            edits.iter().map(written).collect::<Vec<_>>()
        });
        assert_eq!(
            edits,
            expected.map(|edits| edits.iter().map(ToString::to_string).collect())
        );
    }

    #[test]
    fn returns_edits_with_their_texts() {
        check("", &[], Ok(&[]));
        check("one", &[0, 0, 3], Ok(&["0..0 one"]));
        check(
            "onetwo",
            &[0, 2, 3, 2, 2, 3, 9, 10, 6],
            Ok(&["0..2 one", "2..2 ", "9..10 two"]),
        );
    }

    #[test]
    fn rejects_edits_outside_the_document() {
        check("", &[10, 10, 0], Ok(&["10..10 "]));
        check("", &[9, 11, 0], Err(BrokenEdits));
        check("", &[11, 11, 0], Err(BrokenEdits));
        check("", &[0, u32::MAX, 0], Err(BrokenEdits));
    }

    #[test]
    fn rejects_edits_that_are_not_ascending_and_disjoint() {
        check("", &[4, 5, 0, 2, 3, 0], Err(BrokenEdits));
        check("", &[2, 4, 0, 3, 5, 0], Err(BrokenEdits));
        check("", &[2, 4, 0, 2, 4, 0], Err(BrokenEdits));
        check("", &[3, 2, 0], Err(BrokenEdits));
    }

    #[test]
    fn rejects_texts_outside_the_buffer() {
        check("abc", &[0, 1, 4], Err(BrokenEdits));
        check("abc", &[0, 1, u32::MAX], Err(BrokenEdits));
        // The second text would end before it starts.
        check("abc", &[0, 1, 3, 1, 2, 2], Err(BrokenEdits));
        check("abc", &[0, 1, 4, 1, 2, 3], Err(BrokenEdits));
    }

    #[test]
    fn rejects_text_after_that_of_the_last_edit() {
        check("abc", &[0, 1, 2], Err(BrokenEdits));
        check("abc", &[], Err(BrokenEdits));
    }

    #[test]
    fn rejects_offsets_that_are_not_three_for_each_edit() {
        check("", &[0], Err(BrokenEdits));
        check("", &[0, 0], Err(BrokenEdits));
        check("", &[0, 0, 0, 0], Err(BrokenEdits));
    }

    #[test]
    fn a_list_holds_the_edits_that_it_is_made_of() {
        let edits = [(1, 2, "one"), (3, 3, ""), (4, 6, "two")].map(|(start, end, text)| {
            let text = text.as_bytes();
            EditRef { start, end, text }
        });
        let list: EditList = edits.into_iter().collect();
        let checked = list.checked(6).unwrap();
        assert_eq!(checked.iter().collect::<Vec<_>>(), edits);
        assert_eq!((list.len(), checked.len()), (3, 3));
    }

    #[test]
    fn a_list_of_offsets_beyond_32_bits_is_rejected() {
        let start = usize::try_from(u64::from(u32::MAX) + 1).unwrap();
        let edit = EditRef {
            start: 0,
            end: start,
            text: b"",
        };
        let list: EditList = [edit].into_iter().collect();
        assert_eq!(list.checked(start - 2).err(), Some(BrokenEdits));
    }
}
