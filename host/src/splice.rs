//! From the module's answer to bytes: slices of the source and the texts of the
//! edits, written in turn. No spliced copy is ever made.

use std::io::{self, Write};

use landfall_sandbox::types::{Content, Edit};

/// An answer that breaks the contract: edits must be ascending, disjoint and
/// inside their file. Nothing of such an answer is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BrokenEdits;

/// The bytes of one file after its edits, as slices. Checked when it is made.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spliced<'a> {
    source: &'a [u8],
    edits: &'a [Edit],
}

impl<'a> Spliced<'a> {
    /// `source` with `content` applied.
    pub(crate) fn new(source: &'a [u8], content: &'a Content) -> Result<Self, BrokenEdits> {
        match content {
            Content::Unchanged => Ok(Self { source, edits: &[] }),
            Content::Replaced(bytes) => Ok(Self {
                source: bytes,
                edits: &[],
            }),
            Content::Edited(edits) => Self::with_edits(source, edits),
        }
    }

    /// `source` with `edits` made.
    pub(crate) fn with_edits(source: &'a [u8], edits: &'a [Edit]) -> Result<Self, BrokenEdits> {
        let mut done = 0;
        for edit in edits {
            if edit.start < done || edit.end < edit.start {
                return Err(BrokenEdits);
            }
            done = edit.end;
        }
        if done as usize > source.len() {
            return Err(BrokenEdits);
        }
        Ok(Self { source, edits })
    }

    /// The bytes that the edits were made on. Edits change neither document
    /// markers nor the comments between them, so these tell where documents
    /// begin and end.
    pub(crate) const fn original(&self) -> &'a [u8] {
        self.source
    }

    /// The slices in their order; none is empty.
    pub(crate) fn slices(self) -> impl Iterator<Item = &'a [u8]> {
        let mut done = 0;
        let tail_start = self.edits.last().map_or(0, |edit| edit.end as usize);
        self.edits
            .iter()
            .flat_map(move |edit| {
                let kept = &self.source[done..edit.start as usize];
                done = edit.end as usize;
                [kept, &edit.text]
            })
            .chain(std::iter::once(&self.source[tail_start..]))
            .filter(|slice| !slice.is_empty())
    }

    /// Whether it is exactly `bytes`.
    pub(crate) fn is(self, bytes: &[u8]) -> bool {
        let mut rest = bytes;
        for slice in self.slices() {
            match rest.strip_prefix(slice) {
                Some(behind) => rest = behind,
                None => return false,
            }
        }
        rest.is_empty()
    }

    /// Whether both are the same bytes.
    pub(crate) fn equals(self, other: Spliced<'_>) -> bool {
        self.is(&other.slices().collect::<Vec<_>>().concat())
    }

    /// Writes all slices.
    pub(crate) fn write_to(self, out: &mut impl Write) -> io::Result<()> {
        self.slices().try_for_each(|slice| out.write_all(slice))
    }
}

#[cfg(test)]
mod tests {
    use super::{BrokenEdits, Spliced};
    use landfall_sandbox::types::{Content, Edit};

    fn edit(start: u32, end: u32, text: &str) -> Edit {
        Edit {
            start,
            end,
            text: text.as_bytes().to_vec(),
        }
    }

    #[track_caller]
    fn check(source: &str, edits: Vec<Edit>, expect: Result<&str, BrokenEdits>) {
        let content = Content::Edited(edits);
        let actual = Spliced::new(source.as_bytes(), &content).map(|spliced| {
            let mut out = Vec::new();
            spliced.write_to(&mut out).unwrap();
            String::from_utf8(out).unwrap()
        });
        assert_eq!(actual.as_deref(), expect.as_deref());
    }

    #[test]
    fn edits_are_made_in_place() {
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
    fn a_broken_answer_is_refused() {
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
    fn edits_that_change_nothing() {
        let is = |edits: &[Edit], bytes: &str| {
            Spliced::with_edits(b"a: 1 # x", edits)
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
        let same = Content::Replaced(b"a: 2 # ".to_vec());
        let same = Spliced::new(b"", &same).unwrap();
        assert!(
            Spliced::with_edits(b"a: 1 # x", &both)
                .unwrap()
                .equals(same)
        );
        assert!(!Spliced::with_edits(b"a: 1 # x", &[]).unwrap().equals(same));
    }

    #[test]
    fn replaced_and_unchanged() {
        let bytes = |content: &Content| {
            Spliced::new(b"abc", content)
                .unwrap()
                .slices()
                .flatten()
                .copied()
                .collect::<Vec<_>>()
        };
        assert_eq!(bytes(&Content::Unchanged), b"abc");
        assert_eq!(bytes(&Content::Replaced(b"xyz".to_vec())), b"xyz");
    }
}
