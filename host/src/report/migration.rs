//! The report of `landfall migrate`: each changed line before and after, and a summary.

use std::fmt::Write as _;
use std::path::PathBuf;

use landfall_sandbox::types::Content;
use landfall_sandbox::{CheckedEdits, EditRef};

use crate::draw::Positions;
use crate::sanitize;
use crate::splice::{BrokenEdits, Spliced};

/// A file with its changes.
pub(crate) struct MigratedFile<'a> {
    /// Its path in diagnostics.
    pub(crate) path: &'a str,
    /// Its canonical path; `None` if it cannot be written.
    pub(crate) real_path: Option<PathBuf>,
    pub(crate) original: &'a [u8],
    pub(crate) content: &'a Content,
    /// For each edit, whether its line must not be shown.
    pub(crate) concealed: Vec<bool>,
}

/// Returns the changed lines of these files, and how many changes there are.
///
/// # Errors
/// The edits of a file are not in it.
pub(crate) fn migration_text(
    files: &[MigratedFile<'_>],
    left: usize,
    is_written: bool,
) -> Result<String, BrokenEdits> {
    let mut text = String::new();
    let mut count = 0;
    for file in files {
        let edits = Spliced::new(file.original, file.content)?.edits();
        count += edits.len();
        let positions = Positions::new(file.original);
        for lines in by_line(file, edits) {
            let Some(first) = lines.edits.first() else {
                continue;
            };
            let line = positions.at(first.start).line;
            let _ = writeln!(text, "{}:{line}", sanitize::line(file.path));
            lines.write(file.original, &mut text);
        }
    }
    let changes = if count == 1 { "change" } else { "changes" };
    let summary = match (count, is_written) {
        (0, _) => "nothing to migrate".to_owned(),
        (_, true) => format!("{count} {changes} written"),
        (_, false) => format!("{count} {changes}: `--write` writes them"),
    };
    let _ = match left {
        0 => writeln!(text, "{summary}"),
        _ => writeln!(text, "{summary}; {left} not migrated"),
    };
    Ok(text)
}

/// Edits of the same lines.
struct Lines<'e> {
    /// The bytes of the lines, without the last line break.
    start: usize,
    end: usize,
    edits: Vec<EditRef<'e>>,
    conceal: bool,
}

/// Returns the edits of a file by the lines that they change.
fn by_line<'e>(file: &MigratedFile<'_>, edits: CheckedEdits<'e>) -> Vec<Lines<'e>> {
    let original = file.original;
    let mut all: Vec<Lines<'e>> = Vec::new();
    for (nth, edit) in edits.iter().enumerate() {
        let EditRef { start, end, .. } = edit;
        let rest = original.get(end..).unwrap_or_default();
        let end = end + memchr::memchr2(b'\n', b'\r', rest).unwrap_or(rest.len());
        let conceal = file.concealed.get(nth).copied().unwrap_or(true);
        match all.last_mut().filter(|last| start <= last.end) {
            Some(last) => {
                last.end = last.end.max(end);
                last.edits.push(edit);
                last.conceal |= conceal;
            }
            None => {
                let before = original.get(..start).unwrap_or_default();
                let start = memchr::memrchr2(b'\n', b'\r', before).map_or(0, |at| at + 1);
                all.push(Lines {
                    start,
                    end,
                    edits: vec![edit],
                    conceal,
                });
            }
        }
    }
    all
}

/// Returns what may be shown of an edit in a document that may be a Secret: the output that a
/// reference names, but no fallback, and no text around it.
fn without_texts(edit: &[u8]) -> String {
    let reference = String::from_utf8_lossy(edit);
    let Some(rest) = reference.strip_prefix("${") else {
        return "(concealed)".to_owned();
    };
    match rest.split_once(" | ") {
        None => sanitize::line(&reference).into_owned(),
        Some((path, _)) => format!("${{{} | …}}", sanitize::line(path)),
    }
}

impl Lines<'_> {
    /// Writes the lines before and after their edits.
    fn write(&self, original: &[u8], text: &mut String) {
        let bytes = |start: usize, end: usize| {
            let bytes = original.get(start..end).unwrap_or_default();
            String::from_utf8_lossy(bytes).into_owned()
        };
        if self.conceal {
            let _ = writeln!(text, "- (concealed)");
            for edit in &self.edits {
                let _ = writeln!(text, "+ {}", without_texts(edit.text));
            }
            return;
        }
        let mut after = String::new();
        let mut at = self.start;
        for edit in &self.edits {
            after.push_str(&bytes(at, edit.start));
            after.push_str(&String::from_utf8_lossy(edit.text));
            at = edit.end;
        }
        after.push_str(&bytes(at, self.end));
        for (sign, lines) in [('-', bytes(self.start, self.end)), ('+', after)] {
            for line in lines.lines() {
                let _ = writeln!(text, "{sign} {}", sanitize::line(line));
            }
        }
    }
}
