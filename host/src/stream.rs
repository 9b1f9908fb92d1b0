//! Several files as one YAML stream.
//!
//! The bytes of every file are written as they are; between two files there is a line
//! `---`, unless one of them has it. One document alone is exactly its bytes.
//!
//! kubectl and Argo CD take a stream whose first character is `{` for JSON, all of it,
//! and fail at the first `---` (GuessJSONStream in pkg/util/yaml/decoder.go,
//! k8s.io/apimachinery; seen with kubectl 1.32). So a stream of several documents that would begin with
//! `{` begins with `---`.

use std::io::{self, Write};

use crate::splice::Spliced;

const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// Writes files into one stream, one after the other.
pub(crate) struct Stream<'a, W> {
    out: W,
    /// The first file, when it reads as JSON: it is written once it is known whether
    /// anything follows.
    held: Option<Spliced<'a>>,
    /// Something was written that is not white space.
    has_text: bool,
    /// Something was written, and its last byte is no line break.
    line_is_open: bool,
    /// Something was written.
    is_begun: bool,
    /// A document has content that the next file would continue.
    document_is_open: bool,
}

impl<'a, W: Write> Stream<'a, W> {
    pub(crate) const fn new(out: W) -> Self {
        Self {
            out,
            held: None,
            has_text: false,
            line_is_open: false,
            is_begun: false,
            document_is_open: false,
        }
    }

    /// Adds one file.
    pub(crate) fn write(&mut self, file: Spliced<'a>) -> io::Result<()> {
        if file.original().is_empty() && file.slices().next().is_none() {
            return Ok(());
        }
        if let Some(first) = self.held.take() {
            self.put(first, true)?;
        }
        let begins_like_json = !self.has_text && first_character(file) == Some(b'{');
        if begins_like_json && !has_marker(file.original()) {
            self.held = Some(file);
            return Ok(());
        }
        self.put(file, begins_like_json)
    }

    /// Writes one file; with a `---` of its own before it when it `needs_marker`.
    fn put(&mut self, file: Spliced<'_>, needs_marker: bool) -> io::Result<()> {
        let original = file.original();
        let bytes = original.strip_prefix(BYTE_ORDER_MARK).unwrap_or(original);
        let begin = Begin::of(bytes);
        if self.line_is_open {
            self.out.write_all(b"\n")?;
        }
        if needs_marker {
            self.out.write_all(b"---\n")?;
        } else if self.document_is_open {
            match begin {
                Begin::Content => self.out.write_all(b"---\n")?,
                // A directive is one only after an explicit end.
                Begin::Directive => self.out.write_all(b"...\n")?,
                Begin::Marker | Begin::Nothing => {}
            }
        }
        // The mark tells the encoding of a file. Inside a stream it is a
        // character, which YAML readers refuse.
        let mut may_begin_with_mark = self.is_begun;
        for mut slice in file.slices() {
            if std::mem::take(&mut may_begin_with_mark) {
                slice = slice.strip_prefix(BYTE_ORDER_MARK).unwrap_or(slice);
            }
            if let Some(last) = slice.last() {
                self.line_is_open = *last != b'\n';
                self.out.write_all(slice)?;
            }
        }
        self.is_begun = true;
        self.has_text |= first_character(file).is_some();
        if begin != Begin::Nothing {
            self.document_is_open = !ends_with_marker(bytes);
        }
        Ok(())
    }

    /// Writes what is left.
    pub(crate) fn finish(mut self) -> io::Result<()> {
        if let Some(only) = self.held.take() {
            self.put(only, false)?;
        }
        self.out.flush()
    }
}

/// What the first line is that is neither blank nor a comment.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Begin {
    Marker,
    Directive,
    Content,
    Nothing,
}

impl Begin {
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

/// Whether the last line that is neither blank nor a comment is a bare `---`.
/// After `...` a marker is still wanted: tools that split at `---` lines, as
/// Kubernetes' do, would make one document of two.
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

/// The first byte that is not white space.
fn first_character(file: Spliced<'_>) -> Option<u8> {
    let mut slices = file.slices();
    slices.find_map(|slice| slice.trim_ascii_start().first().copied())
}

/// Whether a line begins a document. Quoted and flow scalars have no such line.
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
    use landfall_sandbox::types::{Content, Edit};

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
    fn one_file_is_exactly_its_bytes() {
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
    fn a_marker_between_files() {
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
    fn several_documents_never_begin_like_json() {
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
    fn a_marker_that_is_there_is_enough() {
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
    fn files_without_content_open_nothing() {
        check(&["# licence\n", "a: 1\n"], "# licence\na: 1\n");
        check(
            &["a: 1\n", "# only a comment\n", "b: 1\n"],
            "a: 1\n# only a comment\n---\nb: 1\n",
        );
        check(&["a: 1\n", "", "b: 1\n"], "a: 1\n---\nb: 1\n");
        check(&["# no line break", "a: 1\n"], "# no line break\na: 1\n");
    }

    #[test]
    fn directives_need_an_explicit_end_before_them() {
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
    fn a_byte_order_mark_stays_only_at_the_start() {
        check(
            &["\u{feff}a: 1\n", "\u{feff}b: 1\n"],
            "\u{feff}a: 1\n---\nb: 1\n",
        );
    }

    #[test]
    fn edits_at_the_end_decide_about_the_line_break() {
        let edit = Edit {
            start: 3,
            end: 7,
            text: b"1".to_vec(),
        };
        let content = Content::Edited(vec![edit]);
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
