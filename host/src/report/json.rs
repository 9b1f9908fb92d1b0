//! The native JSON format, with all details of the findings.

use serde::Serialize;

use super::finding::{Finding, Findings, Severity};
use crate::sanitize;

const DIAGNOSTICS: &str = "landfall.dev/diagnostics/v1alpha1";

/// The report of `landfall check -o json`.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub(super) struct Diagnostics<'a> {
    /// The version of this format.
    #[cfg_attr(test, schemars(extend("const" = DIAGNOSTICS)))]
    api_version: &'static str,
    counts: Counts,
    /// In the order of the command line, at most a thousand per application.
    diagnostics: &'a [Finding],
}

/// Totals, including diagnostics that are not listed.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
struct Counts {
    /// The number of manifest files that were read.
    manifests: usize,
    errors: u64,
    warnings: u64,
    notes: u64,
}

pub(super) fn diagnostics(findings: &Findings) -> String {
    text(&Diagnostics {
        api_version: DIAGNOSTICS,
        counts: Counts {
            manifests: findings.manifests.len(),
            errors: findings.count(Severity::Error),
            warnings: findings.count(Severity::Warning),
            notes: findings.count(Severity::Note),
        },
        diagnostics: &findings.findings,
    })
}

/// Serializes a value as indented JSON with a line break at the end.
pub(super) fn text(value: &impl Serialize) -> String {
    // Cannot fail: all map keys are strings.
    let mut text = serde_json::to_string_pretty(value).unwrap_or_default();
    text.push('\n');
    sanitize::json(&text).into_owned()
}
