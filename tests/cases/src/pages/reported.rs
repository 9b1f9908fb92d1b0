//! Diagnostics as the pages write them:
//!
//! ```text
//! error[unknown-output] 1:14 `infra` has no output `vpc_di`
//!   1:14 no such output
//!   infra 1:2 this output exists
//!   help: did you mean `vpc_id`?
//!   fix: write `vpc_id`
//! ```
//!
//! Positions are line:column, both from 1, columns in characters. A position in an
//! outputs document begins with the name that it is bound to, and is relative to the
//! short form that the page shows; one in the Binding or the operator's policy begins
//! with `binding` or `operator`. Labels without a message are omitted.

use std::fmt::Write as _;

use landfall::{Diagnostic, Origin, Severity};

use super::config::Configs;
use super::outputs::Expanded;

/// Formats all diagnostics of one example.
pub fn reported(
    diagnostics: &[Diagnostic],
    manifest: &str,
    outputs: &[Expanded],
    blocks: &[&str],
    configs: &Configs,
) -> String {
    let position = |origin: Origin, at: usize| match origin {
        Origin::Manifest(_) => line_and_column(manifest, at),
        Origin::Outputs(nth) => {
            let name = &outputs[nth].document.name;
            let earlier = outputs[..nth]
                .iter()
                .filter(|other| other.document.name == *name)
                .count();
            let again = match earlier {
                0 => String::new(),
                earlier => format!("({})", earlier + 1),
            };
            let at = outputs[nth].in_block(at);
            format!("{name}{again} {}", line_and_column(blocks[nth], at))
        }
        other => configs
            .position(other, at)
            .unwrap_or_else(|| format!("{other:?}").to_lowercase()),
    };
    let mut text = String::new();
    for diagnostic in diagnostics {
        let severity = match diagnostic.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "note",
        };
        let primary = diagnostic
            .labels
            .first()
            .map(|label| format!(" {}", position(label.origin, label.span.start)))
            .unwrap_or_default();
        let _ = writeln!(
            text,
            "{severity}[{}]{primary} {}",
            diagnostic.rule.id(),
            diagnostic.message
        );
        for label in diagnostic
            .labels
            .iter()
            .filter(|label| !label.message.is_empty())
        {
            let at = position(label.origin, label.span.start);
            let _ = writeln!(text, "  {at} {}", label.message);
        }
        if let Some(help) = &diagnostic.help {
            let _ = writeln!(text, "  help: {help}");
        }
        for fix in &diagnostic.fixes {
            let _ = writeln!(text, "  fix: {}", fix.title);
        }
    }
    text
}

/// Formats a byte offset as `line:column`.
pub fn line_and_column(text: &str, at: usize) -> String {
    // A position inside a character counts as that character's.
    let before = text
        .get(..at)
        .unwrap_or_else(|| &text[..text.floor_char_boundary(at)]);
    let before = before.strip_prefix('\u{feff}').unwrap_or(before);
    let line = before.matches('\n').count() + 1;
    let column = before
        .rsplit('\n')
        .next()
        .map_or(0, |last| last.chars().count())
        + 1;
    format!("{line}:{column}")
}
