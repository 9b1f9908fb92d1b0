//! Outputs documents that a Binding asks for.

use std::path::{Component, Path};

use landfall_sandbox::types::{Config, Location, Need, Origin, OutputsDocument};

use crate::files::{Budget, FileError, Root};
use crate::settings::Policies;

use super::refusal::Refusal;
use super::shown;

impl Policies {
    /// The document for the module.
    pub(crate) fn to_config(&self) -> Option<Config> {
        self.document.as_ref().map(|document| Config {
            path: "<flags>".to_owned(),
            content: document.clone().into_bytes(),
        })
    }

    /// Whether a render goes on without a document that is not there.
    pub(crate) fn keep(&self, need: &Need) -> bool {
        self.keeps_unpublished.unwrap_or(need.optional)
    }
}

/// Opens one outputs document that a Binding asks for. `folder` is the Binding's,
/// relative to the root; `shown` is how people call it.
pub(crate) fn open_need(
    need: &Need,
    origin: Origin,
    root: &Root,
    folder: &Path,
    shown: &str,
    budget: &mut Budget,
) -> Result<OutputsDocument, Refusal> {
    if need.location == Location::Mounted {
        return Err(Refusal::Mounted {
            need: Box::new(need.clone()),
            origin,
        });
    }
    let path = shown::joined(shown, &need.path);
    match root.read(&folder.join(&need.path), budget) {
        Ok(content) => {
            let (name, format) = (need.name.clone(), need.format.clone());
            Ok(OutputsDocument {
                name,
                path,
                content,
                format,
                sensitive: false,
            })
        }
        Err(error) => {
            // The system looks for every folder on the way before it goes up again.
            let leads_out = matches!(error, FileError::Missing) && leads_out(folder, &need.path);
            let error = if leads_out {
                FileError::OutsideRoot
            } else {
                error
            };
            let is_missing = matches!(error, FileError::Missing);
            Err(Refusal::Need {
                need: Box::new(need.clone()),
                path,
                origin,
                error,
                root: root.kind(),
                meant: is_missing
                    .then(|| meant(&need.path, root, folder))
                    .flatten(),
            })
        }
    }
}

/// The path of a file that exists, when `path` would lead to it without what the system
/// does not follow: a `/` at its end, or a `..` after a folder that does not exist.
fn meant(path: &str, root: &Root, folder: &Path) -> Option<String> {
    let meant = shown::joined("", path);
    (meant != path && root.inside(&folder.join(&meant)).is_ok()).then_some(meant)
}

/// Whether a path from `folder`, itself inside the root, has more `..` than folders.
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
