//! References of another dialect.

use serde::Serialize;

use landfall::{Diagnostics, Migration, MigrationEdit, Origin, Severity};

use crate::answer::{Counts, Diagnostic, Edit, Findings, RangeConverter, text};
use crate::input::Documents;
use crate::positions::Range;

/// The migration of manifests to landfall's own dialect.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub(crate) struct Migrated {
    /// The edits of each manifest. The edited manifests render to the same documents. Absent if
    /// anything is left: in the other dialect it is a reference, and in landfall's own it may be
    /// text.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    edits: Option<Vec<Vec<Rewritten>>>,
    /// The edits of the Binding: its manifests are no longer in the other dialect.
    binding: Vec<Edit>,
    /// The errors, or a warning about everything that is left.
    diagnostics: Vec<Diagnostic>,
    /// The number of other diagnostics.
    omitted: Counts,
}

/// A reference, or a value with a setter, that is rewritten.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub(crate) struct Rewritten {
    /// The range in the manifest before any edits.
    range: Range,
    /// The new text.
    text: String,
    /// Whether its line must not be shown, because its document contains the value of a sensitive
    /// output or may be a Secret.
    conceal: bool,
}

/// Rewrites the references of `dialect` in landfall's own.
pub(super) fn migrate(documents: &Documents, dialect: &str) -> Migrated {
    let mut ranges = RangeConverter::new(documents);
    let (changes, binding, found) = match documents.sources.migrate(&documents.request, dialect) {
        Ok(Migration {
            changes,
            binding,
            left,
        }) if !is_left(&left) => (Some(changes), binding, left),
        Ok(Migration { left: found, .. }) | Err(found) => (None, Vec::new(), found),
    };
    let Findings {
        diagnostics,
        omitted,
    } = Findings::new(found, &mut ranges);
    let binding = ranges.edits(Origin::Binding, binding);
    let edits = changes.map(|changes| {
        let files = changes.into_iter().enumerate();
        let edits = files.map(|(file, changes)| {
            let rewritten = changes
                .into_iter()
                .map(|MigrationEdit { edit, conceal }| Rewritten {
                    range: ranges.range(Origin::Manifest(file), edit.span),
                    text: text(edit.text),
                    conceal,
                });
            rewritten.collect()
        });
        edits.collect()
    });
    Migrated {
        edits,
        binding,
        diagnostics,
        omitted,
    }
}

/// Returns whether something is not migrated.
fn is_left(found: &Diagnostics) -> bool {
    let omitted = found.omitted();
    let mut found = found.iter();
    omitted.errors + omitted.warnings > 0 || found.any(|found| found.severity != Severity::Note)
}

#[cfg(test)]
mod tests {
    use crate::Call;
    use crate::tools::Tool;

    /// Migrates a manifest of Flux, and formats each edit.
    #[track_caller]
    fn check(manifest: &str, expect: Option<&[&str]>) {
        let outputs = r#"{"id": {"value": "x"}, "key": {"value": "hunter2", "sensitive": true}}"#;
        let answer = Call::of(manifest, outputs).run(Tool::Migrate, "flux", None);
        let answer: serde_json::Value = serde_json::from_str(&answer).unwrap();
        let edits = answer["Ok"]["edits"].as_array().map(|files| {
            let edits = files.iter().flat_map(|edits| edits.as_array().unwrap());
            edits
                .map(|edit| format!("{} {}", edit["text"].as_str().unwrap(), edit["conceal"]))
                .collect::<Vec<_>>()
        });
        let expect = expect.map(|all| all.iter().map(|&one| one.to_owned()).collect::<Vec<_>>());
        assert_eq!(edits, expect, "{answer}");
    }

    #[test]
    fn nothing_is_migrated_while_something_would_be_left() {
        check("a: ${id}\n", Some(&["${infra.id} false"]));
        check("a: ${id}\nb: \"${id/x/y}\"\n", None);
    }

    #[test]
    fn lines_of_a_secret_are_concealed() {
        let secret = "kind: Secret\napiVersion: v1\nstringData: {a: \"${key:=fallback}\"}\n";
        check(secret, Some(&["${infra.key | default('fallback')} true"]));
    }
}
