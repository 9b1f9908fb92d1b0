//! Converts byte offsets to positions in JavaScript: UTF-16 code units, and lines and
//! columns from 1.

use serde::Serialize;

use landfall::Span;

/// A position in a document.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub(crate) struct Position {
    /// From 1. Lines end with `\n`, `\r\n` or `\r`.
    pub(crate) line: usize,
    /// From 1, in UTF-16 code units, like editors in a browser.
    pub(crate) column: usize,
    /// From 0, in UTF-16 code units of the whole text, counting a byte order mark.
    pub(crate) offset: usize,
}

/// A half-open range of a document.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub(crate) struct Range {
    /// The position of the first code unit.
    pub(crate) start: Position,
    /// The position after the last code unit; equal to `start` if the range is empty.
    pub(crate) end: Position,
}

/// The number of bytes between two entries of the index. A lookup scans at most this many
/// bytes.
const STRIDE: usize = 256;

/// The position index of a document, built in one pass.
#[derive(Debug)]
pub(crate) struct Positions<'t> {
    /// The document up to the first byte that is not UTF-8. Nothing after it is reported.
    bytes: &'t [u8],
    /// The position of every [`STRIDE`]th byte.
    marks: Vec<Mark>,
}

/// The counts before a byte.
#[derive(Clone, Copy, Debug, Default)]
struct Mark {
    units: usize,
    /// The number of line breaks.
    breaks: usize,
    /// The number of code units before the line.
    line: usize,
}

impl Mark {
    fn pass(&mut self, byte: u8, next: Option<&u8>) {
        self.units += match byte {
            // A continuation byte, already counted with its character.
            0x80..0xC0 => 0,
            // Encoded as a surrogate pair.
            0xF0.. => 2,
            _ => 1,
        };
        if byte == b'\n' || byte == b'\r' && next != Some(&b'\n') {
            self.breaks += 1;
            self.line = self.units;
        }
    }
}

impl<'t> Positions<'t> {
    pub(crate) fn new(content: &'t [u8]) -> Self {
        let bytes = content
            .utf8_chunks()
            .next()
            .map_or(&b""[..], |chunk| chunk.valid().as_bytes());
        let mut marks = Vec::with_capacity(bytes.len() / STRIDE + 1);
        let mut mark = Mark::default();
        for (at, &byte) in bytes.iter().enumerate() {
            if at % STRIDE == 0 {
                marks.push(mark);
            }
            mark.pass(byte, bytes.get(at + 1));
        }
        Self { bytes, marks }
    }

    /// Returns the position of the byte `at`, or of the end if it is greater.
    pub(crate) fn at(&self, at: usize) -> Position {
        let at = at.min(self.bytes.len());
        // The end may be right after the last entry.
        let nth = (at / STRIDE).min(self.marks.len().saturating_sub(1));
        let mut mark = self.marks.get(nth).copied().unwrap_or_default();
        for passed in nth * STRIDE..at {
            mark.pass(self.bytes[passed], self.bytes.get(passed + 1));
        }
        Position {
            line: mark.breaks + 1,
            column: mark.units - mark.line + 1,
            offset: mark.units,
        }
    }

    pub(crate) fn range(&self, span: Span) -> Range {
        Range {
            start: self.at(span.start),
            end: self.at(span.end),
        }
    }

    /// Returns the byte at an offset in code units. Inside a surrogate pair it is the first
    /// byte of the character.
    pub(crate) fn byte(&self, offset: usize) -> usize {
        let nth = self.marks.partition_point(|mark| mark.units <= offset);
        let nth = nth.saturating_sub(1);
        let mut mark = self.marks.get(nth).copied().unwrap_or_default();
        let mut at = nth * STRIDE;
        let mut character = at;
        while let Some(&byte) = self.bytes.get(at) {
            let begins = !(0x80..0xC0).contains(&byte);
            if begins {
                character = at;
                if mark.units >= offset {
                    return at;
                }
            }
            mark.pass(byte, self.bytes.get(at + 1));
            if mark.units > offset {
                return character;
            }
            at += 1;
        }
        at.min(self.bytes.len())
    }
}

#[cfg(test)]
mod tests {
    use super::Positions;

    /// Checks every character of `text` as `line:column@offset`, and the conversion back.
    #[track_caller]
    fn check(text: &str, expected: &str) {
        let positions = Positions::new(text.as_bytes());
        let ends = text.char_indices().map(|(at, _)| at).chain([text.len()]);
        let actual: Vec<String> = ends
            .map(|at| {
                let found = positions.at(at);
                assert_eq!(positions.byte(found.offset), at, "{text:?}: {found:?}");
                format!("{}:{}@{}", found.line, found.column, found.offset)
            })
            .collect();
        assert_eq!(actual.join(" "), expected, "{text:?}");
    }

    #[test]
    fn columns_and_offsets_are_utf_16() {
        check("", "1:1@0");
        check("ab", "1:1@0 1:2@1 1:3@2");
        check("ä€z", "1:1@0 1:2@1 1:3@2 1:4@3");
        check("a😀b", "1:1@0 1:2@1 1:4@3 1:5@4");
        check("\u{feff}a", "1:1@0 1:2@1 1:3@2");
    }

    #[test]
    fn lines_end_with_lf_crlf_or_cr() {
        check("a\nb", "1:1@0 1:2@1 2:1@2 2:2@3");
        check("a\r\nb", "1:1@0 1:2@1 1:3@2 2:1@3 2:2@4");
        check("a\rb\n", "1:1@0 1:2@1 2:1@2 2:2@3 3:1@4");
    }

    #[test]
    fn long_texts_are_counted_like_short_ones() {
        let line = "ключ: 😀 значение\r\n";
        for text in [
            line.repeat(200),
            "😀".repeat(1000),
            "x".repeat(512),
            "\r\n".repeat(300),
        ] {
            let positions = Positions::new(text.as_bytes());
            let (mut units, mut line, mut column) = (0, 1, 1);
            for (at, character) in text.char_indices() {
                let found = positions.at(at);
                assert_eq!(
                    (found.line, found.column, found.offset),
                    (line, column, units)
                );
                assert_eq!(positions.byte(units), at);
                units += character.len_utf16();
                column += character.len_utf16();
                if character == '\n' {
                    (line, column) = (line + 1, 1);
                }
            }
            assert_eq!(positions.at(text.len()).offset, units);
            assert_eq!(positions.byte(units), text.len());
        }
    }

    #[test]
    fn clamps_offsets_inside_a_surrogate_pair_and_beyond_the_end() {
        let positions = Positions::new("a😀b".as_bytes());
        assert_eq!(positions.byte(2), 1);
        assert_eq!(positions.byte(99), 6);
        assert_eq!(positions.at(99).offset, 4);
    }

    #[test]
    fn the_text_ends_at_invalid_utf_8() {
        let positions = Positions::new(b"a\xC3\xA4\xFFz");
        assert_eq!(positions.at(3).offset, 2);
        assert_eq!(positions.at(5).offset, 2);
        assert_eq!(positions.byte(9), 3);
    }
}
