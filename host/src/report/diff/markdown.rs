//! GitHub Flavored Markdown for a comment on a pull request.
//!
//! All text of manifests and outputs is shown as code, where neither Markdown nor HTML nor
//! mentions have a meaning.

use std::fmt::Write as _;

use super::super::finding::{Finding, Resource};
use super::value::shorten;
use super::{ApplicationDiff, Change, Diff, OtherChange, counted};

/// The maximum length of the report in bytes. A comment on GitHub can have 65,536
/// characters (`body is too long`, observed in 2025).
const MAX_LEN: usize = 60_000;

/// The header of a table of changes.
const TABLE: &str = "| Field | Output | Old | New |\n| --- | --- | --- | --- |\n";

pub(super) fn markdown(diff: &Diff) -> String {
    let mut page = Page {
        text: format!("### landfall diff: {}\n", diff.summary()),
        omitted: 0,
    };
    for application in &diff.applications {
        if let Some(failure) = application.failure(code) {
            page.add(&format!("\n**{failure}**\n\n"), 0);
            for error in &application.errors {
                page.add(&error_item(error), 1);
            }
            page.omitted += usize::try_from(application.more_errors).unwrap_or(usize::MAX);
        }
        add_changes(&mut page, application);
    }
    for name in &diff.unreferenced {
        page.add(&format!("\nNo reference uses {}.\n", code(name)), 0);
    }
    match page.omitted {
        0 => page.text,
        omitted => {
            let omitted = counted(omitted, "more item");
            format!("{}\n*{omitted} not shown here.*\n", page.text)
        }
    }
}

/// Markdown of limited length.
struct Page {
    text: String,
    /// The number of items that are not shown. Nothing is added after the first of them.
    omitted: usize,
}

impl Page {
    /// Adds a block with `items` changes or errors if it fits.
    fn add(&mut self, block: &str, items: usize) {
        if self.omitted == 0 && self.text.len() + block.len() <= MAX_LEN {
            self.text.push_str(block);
        } else {
            self.omitted += items.max(1);
        }
    }
}

fn error_item(error: &Finding) -> String {
    let location = error.primary().map(|location| {
        let location = format!("{}:{}:{}", location.path, location.line, location.column);
        format!(" {}", code(&location))
    });
    format!(
        "- {}{}: {}\n",
        code(&error.rule),
        location.unwrap_or_default(),
        long_code(&error.message)
    )
}

fn add_changes(page: &mut Page, application: &ApplicationDiff) {
    let mut heading = match &application.folder {
        Some(folder) => format!("\n#### {}\n", code(folder)),
        None => String::new(),
    };
    for changes in application.by_resource() {
        let mut before = std::mem::take(&mut heading);
        if let [first, ..] = changes {
            let _ = write!(before, "\n{}\n\n{TABLE}", resource_name(first));
        }
        for change in changes {
            let (old, new) = change.values();
            let cells = [&change.field, &change.output, &old, &new].map(|cell| code(cell));
            let row = format!("| {} |\n", cells.join(" | "));
            page.add(&(std::mem::take(&mut before) + &row), 1);
        }
    }
    for OtherChange {
        path,
        line,
        from,
        to,
    } in &application.other_changes
    {
        let mut block = std::mem::take(&mut heading);
        let _ = write!(block, "\n{}\n\n", code(&format!("{path}:{line}")));
        let _ = write!(block, "| Old | New |\n| --- | --- |\n");
        let [from, to] = [from, to].map(|lines| match lines {
            Some(lines) => code(lines),
            None => "(sensitive)".to_owned(),
        });
        let _ = writeln!(block, "| {from} | {to} |");
        page.add(&block, 1);
    }
}

/// Formats `ConfigMap/web` in `a.yaml`, namespace `prod`.
fn resource_name(change: &Change) -> String {
    match change.located(code) {
        (Some(Resource { kind, name, .. }), location) => {
            format!("{} in {location}", code(&format!("{kind}/{name}")))
        }
        (None, path) => path,
    }
}

/// Returns text as code on one line, shortened.
fn code(text: &str) -> String {
    long_code(&shorten(text))
}

/// Returns text without control characters as code.
fn long_code(text: &str) -> String {
    if text.is_empty() {
        return String::new();
    }
    // In a table, a code span cannot contain `|`; and one with backticks needs other
    // delimiters. The characters between HTML tags are Markdown, so each that could have a
    // meaning is a character reference.
    if !text.contains(['`', '|']) {
        return format!("`{text}`");
    }
    let mut html = String::from("<code>");
    for char in text.chars() {
        if char.is_ascii_punctuation() {
            let _ = write!(html, "&#{};", char as u32);
        } else {
            html.push(char);
        }
    }
    html + "</code>"
}

#[cfg(test)]
mod tests {
    use super::{MAX_LEN, Page, code};

    #[test]
    fn text_is_code() {
        for (text, expected) in [
            ("vpc-0ab1", "`vpc-0ab1`"),
            ("", ""),
            ("<img src=x> @team [a](b)", "`<img src=x> @team [a](b)`"),
            ("a|b", "<code>a&#124;b</code>"),
            ("```\n# x", "<code>&#96;&#96;&#96;␊&#35; x</code>"),
            ("|@team<b>", "<code>&#124;&#64;team&#60;b&#62;</code>"),
            ("\u{1b}[2J", "`␛[2J`"),
        ] {
            assert_eq!(code(text), expected);
        }
    }

    #[test]
    fn a_long_report_counts_what_is_omitted() {
        let mut page = Page {
            text: String::new(),
            omitted: 0,
        };
        let block = "x".repeat(MAX_LEN / 2);
        for _ in 0..4 {
            page.add(&block, 2);
        }
        page.add("short", 1);
        assert_eq!((page.text.len(), page.omitted), (MAX_LEN, 5));
    }
}
