//! Lines of a text, and the markers between documents.

use std::ops::Range;

/// The characters that YAML treats as blanks and line breaks. `str::trim` removes more,
/// such as U+00A0, which is content in YAML.
pub const BLANKS: [char; 4] = [' ', '\t', '\n', '\r'];

/// Returns the offset of the first byte of the line that contains byte `at`.
#[must_use]
pub fn line_start(text: &str, at: usize) -> usize {
    memchr::memrchr2(b'\n', b'\r', &text.as_bytes()[..at]).map_or(0, |end| end + 1)
}

/// Returns the offset of the line break that ends the line of byte `at`, or the end of
/// the text.
#[must_use]
pub fn line_end(text: &str, at: usize) -> usize {
    memchr::memchr2(b'\n', b'\r', &text.as_bytes()[at..]).map_or(text.len(), |length| at + length)
}

/// Returns the line break that a text uses: `\r\n` if its first line ends with one.
#[must_use]
pub fn line_break(text: &str) -> &'static str {
    match memchr::memchr(b'\n', text.as_bytes()) {
        Some(at) if at > 0 && text.as_bytes()[at - 1] == b'\r' => "\r\n",
        _ => "\n",
    }
}

/// A marker between documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Marker {
    /// `---`
    Start,
    /// `...`
    End,
}

/// Returns the document marker that a line begins with. Only a whole token counts:
/// `---x` is a scalar.
#[must_use]
pub fn marker(line: &str) -> Option<Marker> {
    let marker = match line.as_bytes().get(..3)? {
        b"---" => Marker::Start,
        b"..." => Marker::End,
        _ => return None,
    };
    matches!(
        line.as_bytes().get(3),
        None | Some(b' ' | b'\t' | b'\r' | b'\n')
    )
    .then_some(marker)
}

/// One line of a text.
pub(crate) struct Line {
    /// Its bytes without the line break.
    pub(crate) text: Range<usize>,
    /// The first byte of the next line.
    pub(crate) next: usize,
}

impl Line {
    /// Returns the rest of the line from byte `at`.
    pub(crate) fn at(source: &str, at: usize) -> Self {
        let bytes = source.as_bytes();
        let end = line_end(source, at);
        let next = match bytes.get(end..) {
            Some([b'\r', b'\n', ..]) => end + 2,
            Some([_, ..]) => end + 1,
            _ => end,
        };
        Self {
            text: at..end,
            next,
        }
    }

    /// Returns the line break as YAML reads it: `\n`, or nothing at the end of the text.
    pub(crate) const fn break_text(&self) -> &'static str {
        if self.next > self.text.end { "\n" } else { "" }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_between_two_breaks_of_any_kind() {
        let text = "ab\r\ncd\nef\rgh";
        let line = |at: usize| &text[line_start(text, at)..line_end(text, at)];
        let lines = [0, 1, 4, 5, 7, 8, 10, 11, 12].map(line);
        assert_eq!(
            lines,
            ["ab", "ab", "cd", "cd", "ef", "ef", "gh", "gh", "gh"]
        );
    }

    #[test]
    fn the_first_line_says_what_breaks_lines() {
        for (text, expected) in [
            ("", "\n"),
            ("\n", "\n"),
            ("\na\r\n", "\n"),
            ("a\nb\r\n", "\n"),
            ("a\r\nb\n", "\r\n"),
            ("a\rb\n", "\n"),
            ("\r\n", "\r\n"),
        ] {
            assert_eq!(line_break(text), expected, "{text:?}");
        }
    }

    #[test]
    fn a_marker_is_a_whole_token() {
        for (line, expected) in [
            ("---", Some(Marker::Start)),
            ("--- a", Some(Marker::Start)),
            ("---\ta", Some(Marker::Start)),
            ("...\r\n", Some(Marker::End)),
            ("...\n", Some(Marker::End)),
            ("---a", None),
            ("-- -", None),
            ("..", None),
            (" ---", None),
        ] {
            assert_eq!(marker(line), expected, "{line:?}");
        }
    }

    #[test]
    fn the_next_line_begins_after_the_whole_break() {
        let next = |text: &str| {
            let line = Line::at(text, 1);
            (line.text.clone(), line.next, line.break_text())
        };
        assert_eq!(next("ab\r\nc"), (1..2, 4, "\n"));
        assert_eq!(next("ab\nc"), (1..2, 3, "\n"));
        assert_eq!(next("ab\rc"), (1..2, 3, "\n"));
        assert_eq!(next("ab"), (1..2, 2, ""));
    }
}
