//! Text for terminals.

use std::fmt::Write as _;

use super::super::finding::{Finding, Resource};
use super::value::shorten;
use super::{ApplicationDiff, Change, Diff, OtherChange, counted};

/// The maximum number of errors that are shown of one application.
const MAX_ERRORS: usize = 50;

/// The maximum number of lines that are shown of one side of another change.
const MAX_LINES: usize = 10;

pub(super) fn text(diff: &Diff) -> String {
    let mut text = String::new();
    for application in &diff.applications {
        if let Some(failure) = application.failure(shorten) {
            let _ = writeln!(text, "{failure}");
            for error in application.errors.iter().take(MAX_ERRORS) {
                let _ = writeln!(text, "  {}", error_line(error));
            }
            if let Some(more @ 1..) = application.error_count().checked_sub(MAX_ERRORS) {
                let _ = writeln!(text, "  … {}", counted(more, "more error"));
            }
            text.push('\n');
        }
        add_changes(&mut text, application);
    }
    for name in &diff.unreferenced {
        let _ = writeln!(text, "no reference uses `{}`", shorten(name));
    }
    let _ = writeln!(text, "{}", diff.summary());
    text
}

/// Formats `error[unknown-output] a.yaml:6:8: the message`.
fn error_line(error: &Finding) -> String {
    let location = error.primary().map(|location| {
        let path = shorten(&location.path);
        format!(" {path}:{}:{}", location.line, location.column)
    });
    format!(
        "error[{}]{}: {}",
        error.rule,
        location.unwrap_or_default(),
        error.message
    )
}

fn add_changes(text: &mut String, application: &ApplicationDiff) {
    let has_changes = application.by_resource().next().is_some();
    if !has_changes && application.other_changes.is_empty() {
        return;
    }
    let indent = match &application.folder {
        Some(folder) => {
            let _ = writeln!(text, "{}:", shorten(folder));
            "  "
        }
        None => "",
    };
    for changes in application.by_resource() {
        if let [first, ..] = changes {
            let _ = writeln!(text, "{indent}{}", heading(first));
        }
        for change in changes {
            let (old, new) = change.values();
            let (field, output) = (shorten(&change.field), shorten(&change.output));
            let _ = writeln!(text, "{indent}  {field}: {old} -> {new} ({output})");
        }
    }
    for OtherChange {
        path,
        line,
        from,
        to,
    } in &application.other_changes
    {
        let _ = writeln!(text, "{indent}{}:{line}", shorten(path));
        for (mark, lines) in [('-', from), ('+', to)] {
            let Some(lines) = lines else {
                let _ = writeln!(text, "{indent}  {mark} (sensitive)");
                continue;
            };
            for line in lines.lines().take(MAX_LINES) {
                let _ = writeln!(text, "{indent}  {mark} {}", shorten(line));
            }
            if let Some(more @ 1..) = lines.lines().count().checked_sub(MAX_LINES) {
                let _ = writeln!(text, "{indent}  {mark} … {}", counted(more, "more line"));
            }
        }
    }
    text.push('\n');
}

/// Formats `ConfigMap/web (a.yaml, namespace prod)`.
fn heading(change: &Change) -> String {
    match change.located(shorten) {
        (Some(Resource { kind, name, .. }), location) => {
            format!("{}/{} ({location})", shorten(kind), shorten(name))
        }
        (None, path) => path,
    }
}
