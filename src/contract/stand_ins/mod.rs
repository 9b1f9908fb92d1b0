//! Manifests that another tool builds without reading a sensitive value. Its files have a
//! text instead of each, and the values follow in what it has built. So nothing that the tool
//! does or reports depends on a value.
//!
//! It builds twice, with other texts. What differs shows where each text came to: only a
//! field that takes sensitive values may have one, and as a whole, as in the files.

mod built;
mod generated_name;
mod texts;

use crate::contract::{File, Request};
use crate::report::Diagnostics;

/// What a tool has built from files that were rendered with a [`crate::StandIn`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StandInBuild {
    /// The manifests, a YAML stream.
    pub manifests: Vec<u8>,
    /// The rendered files.
    pub rendered: Vec<File>,
}

/// Returns the manifests of the first build with the sensitive values: `rendered` are the same
/// files with them. The second build has the other stand-ins. Suffixes of names that are
/// hashes of the values, as kustomize adds them, are those of the values.
///
/// # Errors
/// A field that may not contain a sensitive value depends on one, or a text that has one was
/// changed. The origin of labels is the first manifest: that of the first build. No error
/// depends on a value but one: that the files have no value for a text.
pub fn restore_sensitive(
    first: &StandInBuild,
    second: &StandInBuild,
    rendered: &[File],
    request: &Request,
) -> Result<Vec<u8>, Diagnostics> {
    let texts = texts::Texts::of([&first.rendered, &second.rendered, rendered]);
    built::restored(&first.manifests, &second.manifests, &texts, request)
}

#[cfg(test)]
mod tests;
