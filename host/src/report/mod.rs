//! Machine-readable reports: findings and substitutions as data, and one file per output
//! format.
//!
//! Reports contain no text of documents except in messages and fixes. Fixes at concealed
//! locations are left out.

mod adoption;
mod checkup;
mod diff;
mod finding;
mod github;
mod json;
mod junit;
mod location;
mod migration;
mod rule_page;
mod sarif;
#[cfg(test)]
mod schema;
pub(crate) mod setting;
mod substitutions;

use std::path::Path;

use crate::sanitize;
use crate::settings::ReportFormat;

pub(crate) use adoption::{AdoptedFile, Adoption};
#[cfg(test)]
pub(crate) use checkup::Status;
pub(crate) use checkup::{Check, Checkup};
pub(crate) use diff::Diff;
pub(crate) use finding::{Findings, Resource};
pub(crate) use location::Location;
pub(crate) use migration::{MigratedFile, migration_text};
pub(crate) use substitutions::{Explanation, Substitution, UnusedOutput};

/// Formats a report. `current_folder` is the folder that relative paths start from.
pub(crate) fn write(
    format: ReportFormat,
    findings: &Findings,
    current_folder: Option<&Path>,
) -> String {
    let text = match format {
        // JSON has an escape of its own, and only this format is meant to have commands.
        ReportFormat::Json => return json::diagnostics(findings),
        ReportFormat::Sarif => return sarif::log(findings, current_folder),
        ReportFormat::Github => return github::commands(findings, current_folder),
        ReportFormat::Junit => junit::suite(findings),
    };
    sanitize::without_ci_commands(&text).into_owned()
}

/// Returns `path` relative to `current_folder` if it is absolute and inside it.
fn relative_path<'p>(path: &'p str, current_folder: Option<&Path>) -> &'p str {
    let Some(current_folder) = current_folder else {
        return path;
    };
    match Path::new(path)
        .strip_prefix(current_folder)
        .ok()
        .and_then(Path::to_str)
    {
        Some(below) if !below.is_empty() => below,
        _ => path,
    }
}
