//! GitHub Actions annotations: one workflow command per finding, each on its own line.
//! (docs.github.com/actions/reference/workflows-and-actions/workflow-commands;
//! the escapes are those of `toolkit/packages/core/src/command.ts`.)

use std::fmt::Write as _;
use std::path::Path;

use super::finding::{Finding, Findings, Severity};
use super::relative_path;
use crate::sanitize;

/// GitHub shows this number of annotations of each severity per step, and silently drops
/// the rest.
const MAX_ANNOTATIONS: usize = 10;

pub(super) fn commands(findings: &Findings, current_folder: Option<&Path>) -> String {
    let mut worst_first: Vec<_> = findings.findings.iter().collect();
    worst_first.sort_by_key(|finding| finding.severity);
    let mut text = String::new();
    for finding in worst_first.iter().take(MAX_ANNOTATIONS) {
        command(finding, current_folder, &mut text);
    }
    let all = [Severity::Error, Severity::Warning, Severity::Note];
    let all: u64 = all.map(|severity| findings.count(severity)).iter().sum();
    if let Some(more) = all
        .checked_sub(MAX_ANNOTATIONS as u64)
        .filter(|more| *more > 0)
    {
        let _ = writeln!(
            text,
            "landfall found {}, {} and {}: the first {MAX_ANNOTATIONS} are annotations, {more} more {} not",
            counted(findings.count(Severity::Error), "error"),
            counted(findings.count(Severity::Warning), "warning"),
            counted(findings.count(Severity::Note), "note"),
            if more == 1 { "is" } else { "are" }
        );
    }
    text
}

fn counted(number: u64, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}

fn command(finding: &Finding, current_folder: Option<&Path>, text: &mut String) {
    text.push_str(match finding.severity {
        Severity::Error => "::error ",
        Severity::Warning => "::warning ",
        Severity::Note => "::notice ",
    });
    if let Some(location) = finding.primary() {
        let file = property(&sanitize::line(relative_path(
            &location.path,
            current_folder,
        )));
        let _ = write!(text, "file={file},line={},", location.line);
        // GitHub ignores columns if the end is on another line.
        if location.end_line == location.line {
            let end = location.end_column.max(location.column);
            let _ = write!(text, "col={},endColumn={end},", location.column);
        } else {
            let _ = write!(text, "endLine={},", location.end_line);
        }
    }
    let title = property(&format!("landfall {}", finding.rule));
    let _ = writeln!(text, "title={title}::{}", data(&message(finding)));
}

/// Formats the message, the labels and the help.
fn message(finding: &Finding) -> String {
    let mut message = finding.message.clone();
    for label in finding.labels.iter().filter(|of| !of.message.is_empty()) {
        if let Some(location) = &label.location {
            let _ = write!(
                message,
                "\n{}:{}:{}: {}",
                sanitize::line(&location.path),
                location.line,
                location.column,
                label.message
            );
        }
    }
    for note in finding.notes() {
        let _ = write!(message, "\n{note}");
    }
    if let Some(help) = &finding.help {
        let _ = write!(message, "\nhelp: {help}");
    }
    message
}

fn data(text: &str) -> String {
    sanitize::without_ci_commands(text)
        .replace('%', "%25")
        .replace('\r', "%0D")
        .replace('\n', "%0A")
}

fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
