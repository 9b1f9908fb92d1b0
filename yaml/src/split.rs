//! Splits a stream into documents at their markers, without parsing it.

use crate::line::{Marker, marker};

/// One document of a stream, with the marker that opens it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Document<'a> {
    /// Its text, from its first directive, comment or `---` up to the next document.
    pub text: &'a str,
    /// The offset of its first byte in the stream.
    pub offset: usize,
}

/// Returns the documents of `text`, whose concatenated texts are `text`.
///
/// `---` opens a document, unless only directives, comments and blank lines precede it
/// since `...` or the start (YAML 1.2.2, 9.2); `...` ends one.
///
/// # Examples
/// ```
/// let texts: Vec<_> = landfall_yaml::split("a: 1\n---\nb: 2\n").iter().map(|one| one.text).collect();
/// assert_eq!(texts, ["a: 1\n", "---\nb: 2\n"]);
/// ```
#[must_use]
pub fn split(text: &str) -> Vec<Document<'_>> {
    let mut documents = Vec::new();
    let mut start = 0;
    // Where directives, comments and blank lines before the next `---` would begin.
    let mut prologue_to = 0;
    for (at, marker) in Markers::new(text) {
        match marker {
            Marker::Start => {
                let opens = at > 0 && !is_prologue(&text[prologue_to..at]);
                if opens {
                    documents.push(Document {
                        text: &text[start..at],
                        offset: start,
                    });
                    start = at;
                }
                // What follows the marker is content, even if it is blank.
                prologue_to = at;
            }
            Marker::End => {
                let next = memchr::memchr(b'\n', &text.as_bytes()[at..])
                    .map_or(text.len(), |line| at + line + 1);
                documents.push(Document {
                    text: &text[start..next],
                    offset: start,
                });
                start = next;
                prologue_to = next;
            }
        }
    }
    if start < text.len() || documents.is_empty() {
        documents.push(Document {
            text: &text[start..],
            offset: start,
        });
    }
    documents
}

/// Every `---` and `...` at the start of a line.
struct Markers<'a> {
    text: &'a str,
    /// Everything before this offset has been searched.
    at: usize,
}

impl<'a> Markers<'a> {
    const fn new(text: &'a str) -> Self {
        Self { text, at: 0 }
    }

    /// Returns the marker at byte `at`, which begins a line.
    fn marker(&self, at: usize) -> Option<Marker> {
        marker(self.text.get(at..)?)
    }
}

impl Iterator for Markers<'_> {
    type Item = (usize, Marker);

    fn next(&mut self) -> Option<Self::Item> {
        if self.at == 0 {
            let first = if self.text.starts_with('\u{feff}') {
                '\u{feff}'.len_utf8()
            } else {
                0
            };
            self.at = first;
            if let Some(marker) = self.marker(first) {
                self.at = first + 3;
                return Some((first, marker));
            }
        }
        while let Some(at) = line_like_a_marker(self.text.as_bytes(), self.at) {
            self.at = at;
            if let Some(marker) = self.marker(at) {
                return Some((at, marker));
            }
        }
        None
    }
}

/// Returns the start of the first line after byte `from` that begins with `-` or `.`.
fn line_like_a_marker(bytes: &[u8], from: usize) -> Option<usize> {
    let begins = |before: u8, first: u8| (before == b'\n') & ((first == b'-') | (first == b'.'));
    let mut at = from;
    // Such lines are rare: a step of 64 bytes has no branch inside, so that the compiler
    // can vectorize it.
    while let Some(step) = bytes.get(at..at + 65) {
        let found = step[..64]
            .iter()
            .zip(&step[1..])
            .fold(false, |found, (before, first)| {
                found | begins(*before, *first)
            });
        if found {
            break;
        }
        at += 64;
    }
    let mut pairs = bytes.get(at..)?.array_windows();
    let found = pairs.position(|[before, first]| begins(*before, *first))?;
    Some(at + found + 1)
}

/// Whether `text` has only directives, comments and blank lines.
fn is_prologue(text: &str) -> bool {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    text.lines().all(|line| {
        let content = line.trim_ascii_start();
        content.is_empty() || content.starts_with('#') || line.starts_with('%')
    })
}

#[cfg(test)]
mod tests {
    use super::split;

    fn check(text: &str, expected: &[&str]) {
        let documents = split(text);
        let texts: Vec<_> = documents.iter().map(|document| document.text).collect();
        assert_eq!(texts, expected, "{text:?}");
        assert_eq!(texts.concat(), text);
        let mut offset = 0;
        for document in documents {
            assert_eq!(document.offset, offset);
            offset += document.text.len();
        }
    }

    #[test]
    fn dashes_begin_a_document() {
        check(
            "a: 1\n---\nb: 2\n--- # c\nc: 3\n",
            &["a: 1\n", "---\nb: 2\n", "--- # c\nc: 3\n"],
        );
        check("---\na: 1\n---\nb: 2", &["---\na: 1\n", "---\nb: 2"]);
        check("--- a\n--- b\n", &["--- a\n", "--- b\n"]);
        check("a: 1\r\n---\r\nb: 2\r\n", &["a: 1\r\n", "---\r\nb: 2\r\n"]);
    }

    #[test]
    fn comments_and_directives_belong_to_the_document_that_follows() {
        check(
            "# c\n%YAML 1.2\n\n---\na: 1\n",
            &["# c\n%YAML 1.2\n\n---\na: 1\n"],
        );
        check("\u{feff}# c\n---\na: 1\n", &["\u{feff}# c\n---\na: 1\n"]);
        check(
            "a: 1\n...\n# c\n%TAG ! x\n---\nb: 2\n",
            &["a: 1\n...\n", "# c\n%TAG ! x\n---\nb: 2\n"],
        );
    }

    #[test]
    fn keeps_an_empty_document() {
        check("", &[""]);
        check("---\n---\na: 1\n", &["---\n", "---\na: 1\n"]);
        check(
            "---\n# only a comment\n---\na: 1\n",
            &["---\n# only a comment\n", "---\na: 1\n"],
        );
    }

    #[test]
    fn only_a_whole_token_at_the_beginning_of_a_line_is_a_marker() {
        check("a: |\n  ---\n  b\n", &["a: |\n  ---\n  b\n"]);
        check(
            "a: x---\n----\n---x\n...x\n",
            &["a: x---\n----\n---x\n...x\n"],
        );
    }

    #[test]
    fn dots_end_a_document() {
        check("a: 1\n...\n", &["a: 1\n...\n"]);
        check("a: 1\n...\nb: 2\n", &["a: 1\n...\n", "b: 2\n"]);
    }
}
