//! Machine-readable reports: findings and substitutions as data, and one file per output
//! format.
//!
//! Reports contain no text of documents except in messages and fixes. Fixes at concealed
//! locations are left out.

mod finding;
mod github;
mod json;
mod junit;
mod location;
mod rule_page;
mod sarif;
#[cfg(test)]
mod schema;
pub(crate) mod setting;
mod substitutions;

use std::path::Path;

use crate::sanitize;

pub(crate) use finding::{Findings, Resource};
pub(crate) use location::Location;
pub(crate) use substitutions::{Explanation, Substitution, UnusedOutput};

/// The format of a report of findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    Json,
    Sarif,
    Github,
    Junit,
}

/// Formats a report. `here` is the folder that relative paths start from.
pub(crate) fn write(format: Format, findings: &Findings, here: Option<&Path>) -> String {
    match format {
        Format::Json => json::diagnostics(findings),
        Format::Sarif => sarif::log(findings, here),
        Format::Github => github::commands(findings, here),
        Format::Junit => sanitize::without_ci_commands(&junit::suite(findings)).into_owned(),
    }
}

/// Returns `path` relative to `here` if it is absolute and inside `here`.
fn from_here<'p>(path: &'p str, here: Option<&Path>) -> &'p str {
    let Some(here) = here else { return path };
    match Path::new(path)
        .strip_prefix(here)
        .ok()
        .and_then(Path::to_str)
    {
        Some(below) if !below.is_empty() => below,
        _ => path,
    }
}
