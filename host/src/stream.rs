//! Writes several files as one YAML stream.
//!
//! The bytes of every file are written unchanged, with a `---` line between two files
//! unless one of them has it. The stream of a single file is exactly its bytes.
//!
//! kubectl and Argo CD parse a whole stream as JSON if its first character is `{`, and
//! fail at the first `---` (GuessJSONStream in pkg/util/yaml/decoder.go,
//! k8s.io/apimachinery; seen with kubectl 1.32). So a stream of several documents that
//! would start with `{` starts with `---`.

use std::io::{self, Write};

use crate::splice::Spliced;

const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// Writes files into one stream.
pub(crate) struct Stream<'a, W> {
    out: W,
    /// The first file if it looks like JSON. It is written when it is known whether
    /// another file follows.
    pending: Option<Spliced<'a>>,
    /// Whether anything except white space was written.
    has_text: bool,
    /// Whether the last byte written is not a line break.
    line_is_open: bool,
    /// Whether anything was written.
    is_started: bool,
    /// Whether the next file would continue the current document.
    document_is_open: bool,
}

impl<'a, W: Write> Stream<'a, W> {
    pub(crate) const fn new(out: W) -> Self {
        Self {
            out,
            pending: None,
            has_text: false,
            line_is_open: false,
            is_started: false,
            document_is_open: false,
        }
    }

    /// Adds one file.
    pub(crate) fn write(&mut self, file: Spliced<'a>) -> io::Result<()> {
        if file.original().is_empty() && file.slices().next().is_none() {
            return Ok(());
        }
        if let Some(first) = self.pending.take() {
            self.put(first, true)?;
        }
        let looks_like_json = !self.has_text && first_character(file) == Some(b'{');
        if looks_like_json && !has_marker(file.original()) {
            self.pending = Some(file);
            return Ok(());
        }
        self.put(file, looks_like_json)
    }

    /// Writes one file, preceded by `---` if `needs_marker`.
    fn put(&mut self, file: Spliced<'_>, needs_marker: bool) -> io::Result<()> {
        let original = file.original();
        let bytes = original.strip_prefix(BYTE_ORDER_MARK).unwrap_or(original);
        let start = FirstLine::of(bytes);
        if self.line_is_open {
            self.out.write_all(b"\n")?;
        }
        if needs_marker {
            self.out.write_all(b"---\n")?;
        } else if self.document_is_open {
            match start {
                FirstLine::Content => self.out.write_all(b"---\n")?,
                // A directive must follow an explicit document end.
                FirstLine::Directive => self.out.write_all(b"...\n")?,
                FirstLine::Marker | FirstLine::Nothing => {}
            }
        }
        // A byte order mark is allowed only at the start of a stream. Elsewhere YAML
        // parsers reject it.
        let mut may_start_with_mark = self.is_started;
        for mut slice in file.slices() {
            if std::mem::take(&mut may_start_with_mark) {
                slice = slice.strip_prefix(BYTE_ORDER_MARK).unwrap_or(slice);
            }
            if let Some(last) = slice.last() {
                self.line_is_open = *last != b'\n';
                self.out.write_all(slice)?;
            }
        }
        self.is_started = true;
        self.has_text |= first_character(file).is_some();
        if start != FirstLine::Nothing {
            self.document_is_open = !ends_with_marker(bytes);
        }
        Ok(())
    }

    /// Writes the pending file, if any, and flushes the stream.
    pub(crate) fn finish(mut self) -> io::Result<()> {
        if let Some(only) = self.pending.take() {
            self.put(only, false)?;
        }
        self.out.flush()
    }
}

/// The first line of a file that is neither blank nor a comment.
#[derive(Clone, Copy, PartialEq, Eq)]
enum FirstLine {
    Marker,
    Directive,
    Content,
    Nothing,
}

impl FirstLine {
    fn of(bytes: &[u8]) -> Self {
        for line in bytes.split_inclusive(|&byte| byte == b'\n') {
            if is_blank_or_comment(line) {
                continue;
            }
            return match line {
                [b'-', b'-', b'-', rest @ ..] if ends_token(rest) => Self::Marker,
                [b'%', ..] => Self::Directive,
                _ => Self::Content,
            };
        }
        Self::Nothing
    }
}

/// Returns whether the last line that is neither blank nor a comment is a bare `---`.
/// A `...` is not enough: Kubernetes' tools split at `---` lines only.
fn ends_with_marker(bytes: &[u8]) -> bool {
    let mut rest = bytes;
    while !rest.is_empty() {
        let body = rest.strip_suffix(b"\n").unwrap_or(rest);
        let start = memchr::memrchr(b'\n', body).map_or(0, |at| at + 1);
        let line = &rest[start..];
        if !is_blank_or_comment(line) {
            return line
                .strip_prefix(b"---")
                .is_some_and(|rest| ends_token(rest) && is_blank_or_comment(rest));
        }
        rest = &rest[..start];
    }
    false
}

/// Returns the first byte that is not white space.
fn first_character(file: Spliced<'_>) -> Option<u8> {
    let mut slices = file.slices();
    slices.find_map(|slice| slice.trim_ascii_start().first().copied())
}

/// Returns whether any line but the first is a document marker. YAML does not allow such
/// lines inside quoted scalars or flow collections.
fn has_marker(bytes: &[u8]) -> bool {
    memchr::memmem::find_iter(bytes, b"\n---").any(|at| ends_token(&bytes[at + 4..]))
}

fn ends_token(rest: &[u8]) -> bool {
    matches!(rest, [] | [b' ' | b'\t' | b'\r' | b'\n', ..])
}

fn is_blank_or_comment(line: &[u8]) -> bool {
    matches!(line.trim_ascii_start(), [] | [b'#', ..])
}

#[cfg(test)]
mod tests {
    use super::Stream;
    use crate::splice::Spliced;
    use landfall_sandbox::types::{Content, EditList};

    #[track_caller]
    fn check(files: &[&str], expect: &str) {
        let mut out = Vec::new();
        let mut stream = Stream::new(&mut out);
        for file in files {
            stream
                .write(Spliced::new(file.as_bytes(), &Content::Unchanged).unwrap())
                .unwrap();
        }
        stream.finish().unwrap();
        assert_eq!(String::from_utf8(out).unwrap(), expect);
    }

    #[test]
    fn a_single_file_is_written_unchanged() {
        for file in [
            "",
            "a: 1",
            "a: 1\n",
            "---\na: 1\n...\n",
            "\u{feff}a: 1\r\n",
            "# nothing\n",
            "---",
            "{\"a\": 1}\n",
            "\n {\"a\": \"---\"}\n# end\n",
        ] {
            check(&[file], file);
        }
    }

    #[test]
    fn files_are_separated_by_a_marker() {
        check(&["a: 1\n", "b: 1\n"], "a: 1\n---\nb: 1\n");
        check(&["a: 1", "b: 1"], "a: 1\n---\nb: 1");
        check(
            &["a: 1\n", "# about b\nb: 1\n"],
            "a: 1\n---\n# about b\nb: 1\n",
        );
        check(
            &["a: 1\n", "b: 1\n", "c: 1\n"],
            "a: 1\n---\nb: 1\n---\nc: 1\n",
        );
        check(&["a: 1\n...\n", "b: 1\n"], "a: 1\n...\n---\nb: 1\n");
        check(
            &["a: 1\n---\n---\nb: 1\n", "---not: a marker\n"],
            "a: 1\n---\n---\nb: 1\n---\n---not: a marker\n",
        );
    }

    #[test]
    fn several_documents_never_start_like_json() {
        check(
            &["{\"a\": 1}", "{\"b\": 1}"],
            "---\n{\"a\": 1}\n---\n{\"b\": 1}",
        );
        check(&["{a: 1}\n---\nb: 1\n"], "---\n{a: 1}\n---\nb: 1\n");
        check(
            &["\n ", "", "\n {a: 1}\n", "# end\n"],
            "\n \n---\n\n {a: 1}\n# end\n",
        );
        check(
            &["{a: 1}\n", "---\nb: 1\n", "c: 1\n"],
            "---\n{a: 1}\n---\nb: 1\n---\nc: 1\n",
        );
        check(
            &["# a comment\n", "{a: 1}\n", "b: 1\n"],
            "# a comment\n{a: 1}\n---\nb: 1\n",
        );
        check(&["a: 1\n", "{\"b\": 1}\n"], "a: 1\n---\n{\"b\": 1}\n");
    }

    #[test]
    fn no_second_marker_is_added() {
        check(&["a: 1\n", "---\nb: 1\n"], "a: 1\n---\nb: 1\n");
        check(
            &["a: 1\n", "\n# about b\n--- # b\nb: 1\n"],
            "a: 1\n\n# about b\n--- # b\nb: 1\n",
        );
        check(&["a: 1\n---\n", "b: 1\n"], "a: 1\n---\nb: 1\n");
        check(
            &["a: 1\n--- # next\n# end\n\n", "b: 1\n"],
            "a: 1\n--- # next\n# end\n\nb: 1\n",
        );
        check(&["a: 1\r\n---\r\n", "b: 1\r\n"], "a: 1\r\n---\r\nb: 1\r\n");
        check(&["a: 1\n---", "b: 1\n"], "a: 1\n---\nb: 1\n");
    }

    #[test]
    fn files_without_content_need_no_marker() {
        check(&["# licence\n", "a: 1\n"], "# licence\na: 1\n");
        check(
            &["a: 1\n", "# only a comment\n", "b: 1\n"],
            "a: 1\n# only a comment\n---\nb: 1\n",
        );
        check(&["a: 1\n", "", "b: 1\n"], "a: 1\n---\nb: 1\n");
        check(&["# no line break", "a: 1\n"], "# no line break\na: 1\n");
    }

    #[test]
    fn a_directive_follows_an_explicit_document_end() {
        check(
            &["a: 1\n", "%YAML 1.2\n---\nb: 1\n"],
            "a: 1\n...\n%YAML 1.2\n---\nb: 1\n",
        );
        check(
            &["%YAML 1.2\n---\na: 1\n", "b: 1\n"],
            "%YAML 1.2\n---\na: 1\n---\nb: 1\n",
        );
    }

    #[test]
    fn byte_order_marks_inside_the_stream_are_removed() {
        check(
            &["\u{feff}a: 1\n", "\u{feff}b: 1\n"],
            "\u{feff}a: 1\n---\nb: 1\n",
        );
    }

    #[test]
    fn adds_a_line_break_after_an_edit_at_the_end() {
        let content = Content::Edited(EditList {
            text: b"1".to_vec(),
            offsets: vec![3, 7, 1],
        });
        let mut out = Vec::new();
        let mut stream = Stream::new(&mut out);
        stream
            .write(Spliced::new(b"a: ${x}", &content).unwrap())
            .unwrap();
        stream
            .write(Spliced::new(b"b: 1\n", &Content::Unchanged).unwrap())
            .unwrap();
        assert_eq!(String::from_utf8(out).unwrap(), "a: 1\n---\nb: 1\n");
    }
}
