//! Opens the outputs documents that a Binding requires.

use std::path::{Component, Path};

use landfall_sandbox::types::{Config, Need, Origin, OutputsDocument};

use crate::files::{Budget, FileError, Root};
use crate::paths;
use crate::problem::Problem;
use crate::settings::Policies;

use super::outputs_problems::{malformed_path, required};

impl Policies {
    /// Returns the policy document for the module.
    pub(crate) fn to_config(&self) -> Option<Config> {
        self.document.as_ref().map(|document| Config {
            path: "<flags>".to_owned(),
            content: document.clone().into_bytes(),
        })
    }

    /// Returns whether a missing document is no error: references to it are kept, or have their
    /// defaults.
    pub(crate) fn keeps_unpublished(&self, need: &Need) -> bool {
        need.may_be_absent || self.keeps_unpublished.unwrap_or(need.optional)
    }
}

/// Returns a document that a Binding requires, with its content.
pub(crate) fn document(need: &Need, path: String, content: Vec<u8>) -> OutputsDocument {
    OutputsDocument {
        name: need.name.clone(),
        path,
        content,
        format: need.format.clone(),
        sensitive: false,
        declared_at: Some(need.start),
    }
}

/// Opens one outputs document inside the root that a Binding requires. `folder` is the folder of the
/// Binding relative to the root, `display_path` its path in diagnostics.
pub(crate) fn open_required(
    need: &Need,
    origin: Origin,
    root: &Root,
    folder: &Path,
    display_path: &str,
    budget: &mut Budget,
) -> Result<OutputsDocument, Problem> {
    let path = paths::join(display_path, &need.path);
    match root.read(&folder.join(&need.path), budget) {
        Ok(content) => Ok(document(need, path, content)),
        Err(error) => {
            // The system fails at a folder that does not exist before it sees a `..`
            // after it.
            let leads_out = matches!(error, FileError::Missing) && leads_out(folder, &need.path);
            let error = if leads_out {
                FileError::OutsideRoot
            } else {
                error
            };
            let suggestion = match error {
                FileError::Missing => suggestion(&need.path, root, folder),
                _ => None,
            };
            Err(match suggestion {
                Some(suggestion) => malformed_path(need, &path, origin, &suggestion),
                None => required(need, &path, origin, &error, root.kind()),
            })
        }
    }
}

/// Returns the normalized path if it is the path of an existing file: without a trailing
/// `/`, and without `..` after a folder that does not exist.
fn suggestion(path: &str, root: &Root, folder: &Path) -> Option<String> {
    let normalized = paths::join("", path);
    (normalized != path && root.inside(&folder.join(&normalized)).is_ok()).then_some(normalized)
}

/// Returns whether `path`, relative to `folder` inside the root, leads out of the root.
fn leads_out(folder: &Path, path: &str) -> bool {
    let mut depth = folder.components().count();
    for component in Path::new(path).components() {
        match component {
            Component::Normal(_) => depth += 1,
            Component::CurDir => {}
            Component::ParentDir if depth > 0 => depth -= 1,
            _ => return true,
        }
    }
    false
}
