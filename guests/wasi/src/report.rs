//! Diagnostics as text: for each its message, its locations, its resource and its help, in the
//! words of the native command. No line of a document is shown.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use landfall::{Counts, Diagnostic, Diagnostics, Origin, ResourceRef, Rule, Severity};

/// The maximum number of errors that are shown, as the native command does.
const MAX_SHOWN_ERRORS: u64 = 50;

/// A document that diagnostics point into.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Document<'d> {
    pub(crate) origin: Origin,
    /// Its name.
    pub(crate) path: &'d str,
    pub(crate) content: &'d [u8],
}

/// The findings of one run.
#[derive(Debug, Default)]
pub(crate) struct Report {
    text: String,
    errors: u64,
    omitted: Counts,
}

impl Report {
    /// Adds an error that is not about the content of a document.
    pub(crate) fn error(&mut self, rule: &str, message: &str, help: &str) {
        self.errors += 1;
        self.text
            .push_str(&format!("error[{rule}]: {}\n", line(message)));
        if !help.is_empty() {
            self.text.push_str(&format!("  = help: {help}\n"));
        }
        self.text.push('\n');
    }

    /// Adds diagnostics about `documents`, in the given order.
    pub(crate) fn add(&mut self, documents: &[Document<'_>], found: &Diagnostics) {
        let positions = Positions::new(documents, found);
        // Notes about unused outputs are shown on request only, as by the native command.
        let is_shown = |found: &&Diagnostic| {
            found.severity > Severity::Note || found.rule != Rule::UnusedOutput
        };
        for diagnostic in found.as_slice().iter().filter(is_shown) {
            if diagnostic.severity == Severity::Error {
                self.errors += 1;
                if self.errors > MAX_SHOWN_ERRORS {
                    continue;
                }
            }
            self.draw(&positions, diagnostic);
        }
        let Counts {
            errors,
            warnings,
            notes,
        } = found.omitted();
        self.omitted.errors += errors;
        self.omitted.warnings += warnings;
        self.omitted.notes += notes;
    }

    fn draw(&mut self, positions: &Positions<'_>, found: &Diagnostic) {
        let severity = match found.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "note",
        };
        let text = &mut self.text;
        let _ = writeln!(
            text,
            "{severity}[{}]: {}",
            found.rule.id(),
            line(&found.message)
        );
        for (nth, label) in found.labels.iter().enumerate() {
            let arrow = if nth == 0 { "-->" } else { ":::" };
            if let Some(place) = positions.get(label.origin, label.span.start) {
                let _ = writeln!(text, " {arrow} {place}");
            }
            if !label.message.is_empty() {
                let _ = writeln!(text, "  = note: {}", line(&label.message));
            }
        }
        if let Some(subject) = subject(found) {
            let _ = writeln!(text, "  = note: {}", line(&subject));
        }
        if let Some(help) = &found.help {
            let help: Vec<String> = help.lines().map(line).collect();
            let _ = writeln!(text, "  = help: {}", help.join("\n  | "));
        }
        text.push('\n');
    }

    /// Whether there are errors.
    pub(crate) const fn has_errors(&self) -> bool {
        self.errors > 0 || self.omitted.errors > 0
    }

    /// Returns the text. If there are errors, its last line has their number and the `outcome`.
    pub(crate) fn into_text(mut self, outcome: &str) -> String {
        let more = [
            (self.omitted.warnings, "warning"),
            (self.omitted.notes, "note"),
        ];
        for (count, what) in more.into_iter().filter(|(count, _)| *count > 0) {
            self.text
                .push_str(&format!("{what}: {count} more are not shown\n\n"));
        }
        if self.has_errors() {
            let all = self.errors.saturating_add(self.omitted.errors);
            let plural = if all == 1 { "" } else { "s" };
            self.text.push_str(&format!("error: {all} error{plural}"));
            if all > MAX_SHOWN_ERRORS {
                self.text
                    .push_str(&format!(", the first {MAX_SHOWN_ERRORS} are shown"));
            }
            let separator = if outcome.is_empty() { "" } else { "; " };
            self.text.push_str(&format!("{separator}{outcome}\n"));
        }
        self.text
    }
}

/// Formats `in Deployment web (namespace shop), field spec.replicas`.
fn subject(found: &Diagnostic) -> Option<String> {
    let mut text = String::new();
    if let Some(ResourceRef {
        kind,
        name,
        namespace,
        ..
    }) = &found.resource
    {
        let kind = if kind.is_empty() { "resource" } else { kind };
        let _ = write!(text, "in {}", format!("{kind} {name}").trim_end());
        if !namespace.is_empty() {
            let _ = write!(text, " (namespace {namespace})");
        }
    }
    if let Some(field) = found.field.as_deref().filter(|field| !field.is_empty()) {
        let separator = if text.is_empty() { "in" } else { "," };
        let _ = write!(text, "{separator} field {field}");
    }
    (!text.is_empty()).then_some(text)
}

/// Returns untrusted text on one line: without terminal escapes, invisible characters, and the
/// marks of commands for a CI server, `##[` and `##vso[`.
pub(crate) fn line(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for char in text.chars() {
        // A command begins with two of them.
        if char == '#' && shown.ends_with('#') {
            shown.push('\\');
        }
        if matches!(char, '\'' | '"' | '\\') {
            shown.push(char);
        } else {
            shown.extend(char.escape_debug());
        }
    }
    shown
}

/// The lines and columns of what diagnostics point to, found in one pass over each document.
struct Positions<'d> {
    documents: &'d [Document<'d>],
    positions: Vec<BTreeMap<usize, (usize, usize)>>,
}

impl<'d> Positions<'d> {
    fn new(documents: &'d [Document<'d>], found: &Diagnostics) -> Self {
        let labels = || found.as_slice().iter().flat_map(|found| &found.labels);
        let positions = documents.iter().map(|document| {
            let here = labels().filter(|label| label.origin == document.origin);
            positions(document.content, here.map(|label| label.span.start))
        });
        Self {
            documents,
            positions: positions.collect(),
        }
    }

    /// Formats `ResourceList:12:5`.
    fn get(&self, origin: Origin, offset: usize) -> Option<String> {
        let is_here = |document: &Document<'_>| document.origin == origin;
        let nth = self.documents.iter().position(is_here)?;
        let (line_number, column) = self.positions[nth].get(&offset)?;
        let path = line(self.documents[nth].path);
        Some(format!("{path}:{line_number}:{column}"))
    }
}

/// Returns the line and the column of each offset, from 1, as the native command counts them: a
/// column is a character, and a byte order mark is none.
fn positions(
    content: &[u8],
    offsets: impl Iterator<Item = usize>,
) -> BTreeMap<usize, (usize, usize)> {
    let mut positions: BTreeMap<usize, (usize, usize)> =
        offsets.map(|offset| (offset, (1, 1))).collect();
    let bom_len = if content.starts_with(b"\xef\xbb\xbf") {
        3
    } else {
        0
    };
    let (mut at, mut line, mut column) = (bom_len, 1, 1);
    for (offset, position) in &mut positions {
        let passed = content.get(at..*offset).unwrap_or_default();
        line += memchr::memchr_iter(b'\n', passed).count();
        let same_line = match memchr::memrchr(b'\n', passed) {
            Some(last) => {
                column = 1;
                &passed[last + 1..]
            }
            None => passed,
        };
        column += same_line
            .iter()
            .filter(|byte| **byte & 0xc0 != 0x80)
            .count();
        at = at.max(*offset);
        *position = (line, column);
    }
    positions
}

#[cfg(test)]
mod tests {
    use landfall::{Diagnostic, Diagnostics, Origin, Rule, Severity};

    use super::{Document, Report, line, positions};

    #[test]
    fn counts_columns_in_characters() {
        let text = "\u{feff}aé\nключ: x\r\n";
        let offset = |part: &str| text.find(part).unwrap();
        let found = positions(
            text.as_bytes(),
            ["x", "é", "\u{feff}", "ю"].map(offset).into_iter(),
        );
        let found: Vec<_> = found.into_values().collect();
        assert_eq!(found, [(1, 1), (1, 2), (2, 3), (2, 7)]);
        assert_eq!(positions(b"a", [9].into_iter())[&9], (1, 1));
    }

    #[test]
    fn shows_no_escapes_and_no_commands_of_a_ci_server() {
        assert_eq!(line("a'\"\\ключ"), "a'\"\\ключ");
        assert_eq!(
            line("\u{1b}[2J\n::error::\u{202e}"),
            "\\u{1b}[2J\\n::error::\\u{202e}"
        );
        assert_eq!(line("##vso[x]###[y]"), "#\\#vso[x]#\\#\\#[y]");
    }

    #[test]
    fn counts_errors_that_are_not_shown() {
        let mut found = Diagnostics::default();
        for _ in 0..2_000 {
            found.push(Diagnostic::error(Rule::InvalidBinding, "wrong"));
        }
        let mut report = Report::default();
        report.add(&[], &found);
        let text = report.into_text("nothing was rendered");
        assert_eq!(text.matches("error[invalid-binding]: wrong").count(), 50);
        assert!(
            text.ends_with(
                "\n\nerror: 2000 errors, the first 50 are shown; nothing was rendered\n"
            )
        );
    }

    #[test]
    fn shows_message_place_resource_and_help() {
        let found = Diagnostic {
            severity: Severity::Warning,
            field: Some("spec.x".into()),
            ..Diagnostic::error(Rule::UnusedOutput, "odd")
        };
        let found = found
            .at(Origin::Manifest(0), landfall::Span::new(2, 3), "here")
            .help("fix\nit");
        let mut all = Diagnostics::default();
        all.push(found);
        let mut report = Report::default();
        let document = Document {
            origin: Origin::Manifest(0),
            path: "ResourceList",
            content: b"a\nb",
        };
        report.add(&[document], &all);
        assert_eq!(
            report.into_text(""),
            "warning[unused-output]: odd\n --> ResourceList:2:1\n  = note: here\n  = note: in field spec.x\n  = help: fix\n  | it\n\n"
        );
    }
}
