//! Applies the edits of the module's answer to source files. The slices of the source
//! and the new texts are written in turn, without building a copy.

use std::io::{self, Write};

pub(crate) use landfall_sandbox::BrokenEdits;
use landfall_sandbox::types::{Content, EditList};
use landfall_sandbox::{CheckedEdits, EditRef};

/// A file with its edits. The edits are validated on creation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spliced<'a> {
    source: &'a [u8],
    edits: CheckedEdits<'a>,
}

impl<'a> Spliced<'a> {
    /// Creates the file that results from applying `content` to `source`.
    pub(crate) fn new(source: &'a [u8], content: &'a Content) -> Result<Self, BrokenEdits> {
        match content {
            Content::Unchanged => Ok(Self::unedited(source)),
            Content::Edited(edits) => Self::with_edits(source, edits),
        }
    }

    /// Creates the file without edits.
    pub(crate) const fn unedited(source: &'a [u8]) -> Self {
        let edits = CheckedEdits::NONE;
        Self { source, edits }
    }

    /// Creates the file that results from applying `edits` to `source`.
    pub(crate) fn with_edits(source: &'a [u8], edits: &'a EditList) -> Result<Self, BrokenEdits> {
        let edits = edits.checked(source.len())?;
        Ok(Self { source, edits })
    }

    /// Returns the edits.
    pub(crate) const fn edits(&self) -> CheckedEdits<'a> {
        self.edits
    }

    /// Returns the bytes before the edits. Edits do not change document markers or the
    /// comments between documents, so these bytes show where documents start and end.
    pub(crate) const fn original(&self) -> &'a [u8] {
        self.source
    }

    /// Returns the slices of the edited file in order. No slice is empty.
    pub(crate) fn slices(self) -> impl Iterator<Item = &'a [u8]> {
        let end = self.source.len();
        // The bytes after the last edit.
        let tail = EditRef {
            start: end,
            end,
            text: &[],
        };
        let mut done = 0;
        self.edits
            .iter()
            .chain([tail])
            .flat_map(move |edit| {
                let kept = &self.source[done..edit.start];
                done = edit.end;
                [kept, edit.text]
            })
            .filter(|slice| !slice.is_empty())
    }

    /// Returns whether the edited file equals `bytes`.
    pub(crate) fn is(self, bytes: &[u8]) -> bool {
        let mut rest = bytes;
        for slice in self.slices() {
            match rest.strip_prefix(slice) {
                Some(after) => rest = after,
                None => return false,
            }
        }
        rest.is_empty()
    }

    /// Returns whether both edited files are equal.
    pub(crate) fn equals(self, other: Spliced<'_>) -> bool {
        self.slices().flatten().eq(other.slices().flatten())
    }

    /// Returns the edited file.
    pub(crate) fn to_vec(self) -> Vec<u8> {
        self.slices().collect::<Vec<_>>().concat()
    }

    /// Writes all slices.
    pub(crate) fn write_to(self, out: &mut impl Write) -> io::Result<()> {
        self.slices().try_for_each(|slice| out.write_all(slice))
    }
}

#[cfg(test)]
mod tests {
    use super::{BrokenEdits, Spliced};
    use landfall_sandbox::EditRef;
    use landfall_sandbox::types::{Content, EditList};

    fn edit(start: usize, end: usize, text: &str) -> EditRef<'_> {
        let text = text.as_bytes();
        EditRef { start, end, text }
    }

    #[track_caller]
    fn check(source: &str, edits: Vec<EditRef<'_>>, expect: Result<&str, BrokenEdits>) {
        let content = Content::Edited(edits.into_iter().collect());
        let actual = Spliced::new(source.as_bytes(), &content).map(|spliced| {
            let mut out = Vec::new();
            spliced.write_to(&mut out).unwrap();
            String::from_utf8(out).unwrap()
        });
        assert_eq!(actual.as_deref(), expect.as_deref());
    }

    #[test]
    fn applies_edits() {
        check(
            "a: ${x}\nb: ${y}\n",
            vec![edit(3, 7, "1"), edit(11, 15, "2")],
            Ok("a: 1\nb: 2\n"),
        );
        check("abc", vec![], Ok("abc"));
        check("", vec![edit(0, 0, "new")], Ok("new"));
        check("abc", vec![edit(0, 3, "")], Ok(""));
        check(
            "abc",
            vec![edit(0, 0, "<"), edit(1, 1, "|"), edit(3, 3, ">")],
            Ok("<a|bc>"),
        );
        check("abc", vec![edit(0, 1, "x"), edit(1, 2, "y")], Ok("xyc"));
    }

    #[test]
    fn rejects_invalid_edits() {
        check(
            "abc",
            vec![edit(1, 2, ""), edit(1, 2, "")],
            Err(BrokenEdits),
        );
        check(
            "abc",
            vec![edit(2, 3, ""), edit(0, 1, "")],
            Err(BrokenEdits),
        );
        check("abc", vec![edit(2, 1, "")], Err(BrokenEdits));
        check("abc", vec![edit(2, 4, "")], Err(BrokenEdits));
        check("abc", vec![edit(4, 4, "")], Err(BrokenEdits));
    }

    #[test]
    fn compares_edited_files() {
        let list = |edits: &[EditRef<'_>]| edits.iter().copied().collect::<EditList>();
        let is = |edits: &[EditRef<'_>], bytes: &str| {
            Spliced::with_edits(b"a: 1 # x", &list(edits))
                .unwrap()
                .is(bytes.as_bytes())
        };
        assert!(is(&[], "a: 1 # x"));
        assert!(is(&[edit(3, 4, "1")], "a: 1 # x"));
        assert!(is(&[edit(3, 4, "10")], "a: 10 # x"));
        assert!(!is(&[edit(3, 4, "10")], "a: 1 # x"));
        assert!(!is(&[], "a: 1 # x\n"));
        assert!(!is(&[], "a: 1"));
        let both = [edit(3, 4, "2"), edit(7, 8, "")];
        let same = Spliced::unedited(b"a: 2 # ");
        assert!(
            Spliced::with_edits(b"a: 1 # x", &list(&both))
                .unwrap()
                .equals(same)
        );
        assert!(!Spliced::unedited(b"a: 1 # x").equals(same));
    }

    #[test]
    fn unchanged_content_is_the_source() {
        let spliced = Spliced::new(b"abc", &Content::Unchanged).unwrap();
        assert_eq!(spliced.to_vec(), b"abc");
    }
}
