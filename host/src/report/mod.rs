//! What was found and what came from where, in forms that programs read: data
//! that owns its places, and one file for each form it is written in.
//!
//! Nothing of a document's text is in any of them but what a message says: where
//! a place is concealed, the changes that would fix it stay out as well.

mod finding;
mod github;
mod json;
mod junit;
mod place;
mod rule_page;
mod sarif;
#[cfg(test)]
mod schema;
mod substitutions;

use std::path::Path;

use crate::foreign;

pub(crate) use finding::{Findings, Resource};
pub(crate) use place::Place;
pub(crate) use substitutions::{Explanation, Substitution, UnusedOutput};

/// How findings are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    Json,
    Sarif,
    Github,
    Junit,
}

/// All findings as one text. `here` is the folder that relative paths begin in.
pub(crate) fn write(format: Format, findings: &Findings, here: Option<&Path>) -> String {
    match format {
        Format::Json => json::diagnostics(findings),
        Format::Sarif => sarif::log(findings, here),
        Format::Github => github::commands(findings, here),
        Format::Junit => foreign::without_commands(&junit::suite(findings)).into_owned(),
    }
}

/// `path` as seen from `here`, when it is absolute and lies below it.
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
