//! Divides files into parts: at the ends of files, and where a document begins.

use std::ops::Range;

use landfall_sandbox::types::File;

/// Some bytes of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Slice {
    /// The position of the file.
    pub(super) file: usize,
    pub(super) bytes: Range<usize>,
}

/// Divides files into parts of about `size` bytes, in order. A part is larger where no
/// document begins, and never empty.
pub(super) fn divide(files: &[File], size: usize) -> Vec<Vec<Slice>> {
    let mut parts = Vec::new();
    let mut part = Vec::new();
    let mut left = size;
    for (nth, file) in files.iter().enumerate() {
        let text = &file.content;
        let mut start = 0;
        while text.len() - start > left {
            let Some(end) = next_document(text, start + left) else {
                break;
            };
            part.push(Slice {
                file: nth,
                bytes: start..end,
            });
            parts.push(std::mem::take(&mut part));
            (start, left) = (end, size);
        }
        left = left.saturating_sub(text.len() - start);
        part.push(Slice {
            file: nth,
            bytes: start..text.len(),
        });
        if left == 0 {
            parts.push(std::mem::take(&mut part));
            left = size;
        }
    }
    if !part.is_empty() {
        parts.push(part);
    }
    parts
}

/// Returns the first byte after `from` at which a document certainly begins with its `---`,
/// also for a reader that knows only the text from there.
///
/// The module does not take every `---` for the beginning of a document: after `...`, and at
/// the start of a file, it may follow comments and directives that belong to the same
/// document. So the last line before it must be another one.
fn next_document(text: &[u8], from: usize) -> Option<usize> {
    let markers = memchr::memmem::find_iter(text.get(from..)?, b"\n---");
    let mut starts = markers.map(|at| from + at + 1);
    starts.find(|start| {
        let after = text.get(start + 3..).unwrap_or_default();
        let ends = matches!(
            after,
            [b'\n' | b' ' | b'\t', ..] | [b'\r', b'\n', ..] | [b'\r'] | []
        );
        ends && ends_with_content(&text[..*start])
    })
}

/// Whether the last line that is not blank is content or a `---`.
fn ends_with_content(text: &[u8]) -> bool {
    let text = text.trim_ascii_end();
    let start = memchr::memrchr(b'\n', text).map_or(0, |end| end + 1);
    let line = &text[start..];
    let others: [&[u8]; 4] = [b"%", b"...", b"\xef\xbb\xbf", b"#"];
    let content = line.trim_ascii_start();
    !line.is_empty() && !others.iter().any(|other| content.starts_with(other))
}
