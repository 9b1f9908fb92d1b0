//! References of another dialect.

use serde::Serialize;

use landfall::{Migration, Origin};

use crate::answer::{Counts, Diagnostic, Edit, Findings, RangeConverter};
use crate::input::Documents;

/// The migration of manifests to landfall's own dialect.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub(crate) struct Migrated {
    /// The edits of each manifest. The edited manifests render to the same documents. Absent if
    /// there are errors that are not about a manifest.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    edits: Option<Vec<Vec<Edit>>>,
    /// The edits of the Binding: its manifests are no longer in the other dialect.
    binding: Vec<Edit>,
    /// The errors, or a warning about everything that is not migrated.
    diagnostics: Vec<Diagnostic>,
    /// The number of other diagnostics.
    omitted: Counts,
}

/// Rewrites the references of `dialect` in landfall's own.
pub(super) fn migrate(documents: &Documents, dialect: &str) -> Migrated {
    let mut ranges = RangeConverter::new(documents);
    let (changes, binding, found) = match documents.sources.migrate(&documents.request, dialect) {
        Ok(Migration {
            changes,
            binding,
            left,
        }) => (Some(changes), binding, left),
        Err(found) => (None, Vec::new(), found),
    };
    let Findings {
        diagnostics,
        omitted,
    } = Findings::new(found, &mut ranges);
    let binding = ranges.edits(Origin::Binding, binding);
    let edits = changes.map(|changes| {
        let files = changes.into_iter().enumerate();
        let edits = files.map(|(file, changes)| {
            let edits = changes.into_iter().map(|change| change.edit);
            ranges.edits(Origin::Manifest(file), edits.collect())
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
