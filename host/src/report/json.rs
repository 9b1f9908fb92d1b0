//! landfall's own form, for programs that want everything.

use serde::Serialize;

use super::finding::{Finding, Findings, Severity};
use crate::foreign;

const DIAGNOSTICS: &str = "landfall.dev/diagnostics/v1alpha1";

/// What `landfall check -o json` writes.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub(super) struct Diagnostics<'a> {
    /// The version of this form.
    #[cfg_attr(test, schemars(extend("const" = DIAGNOSTICS)))]
    api_version: &'static str,
    counts: Counts,
    /// In the order of the command line: the first thousand of each application.
    diagnostics: &'a [Finding],
}

/// How many there are of each, with those that `diagnostics` does not hold.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
struct Counts {
    /// Files of manifests that were read.
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

/// Indented, with a line break at its end.
pub(super) fn text(value: &impl Serialize) -> String {
    // Only a map whose keys are no strings could fail, and there is none.
    let mut text = serde_json::to_string_pretty(value).unwrap_or_default();
    text.push('\n');
    foreign::json(&text).into_owned()
}
