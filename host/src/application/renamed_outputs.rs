//! Outputs documents that a flag binds under another name than the Binding. What the Binding
//! declares sensitive under its own name would be written like all other outputs.

use std::path::{Path, PathBuf};

use landfall_sandbox::types::{Location, Need};

use crate::settings::{BindingFlag, BoundFile, InputPath};

use super::paths;
use super::problem::Problem;

/// A file that a flag binds.
#[derive(Debug)]
pub(crate) struct NamedFile {
    pub(super) flag: BindingFlag,
    pub(super) name: String,
    /// Its path in diagnostics.
    pub(super) path: String,
    /// Its canonical path.
    pub(super) real: PathBuf,
}

impl NamedFile {
    /// Returns None for standard input, and for files that do not exist.
    pub(super) fn of(bound: &BoundFile) -> Option<Self> {
        let InputPath::Path(path) = &bound.file else {
            return None;
        };
        Some(Self {
            flag: bound.flag,
            name: bound.name.clone(),
            path: paths::display(path),
            real: std::fs::canonicalize(path).ok()?,
        })
    }
}

/// Returns the problem of the first file of which a Binding declares outputs sensitive, but only
/// under another name. `real` returns the canonical path of a document that it requires,
/// `binding` is its path in diagnostics.
pub(crate) fn declared_under_other_name(
    named: &[NamedFile],
    needs: &[Need],
    real: impl Fn(&Path) -> Option<PathBuf>,
    binding: &str,
) -> Option<Problem> {
    let files = needs.iter().filter(|need| need.location == Location::Root);
    let files: Vec<_> = files
        .filter_map(|need| Some((need, real(Path::new(&need.path))?)))
        .collect();
    named.iter().find_map(|file| {
        let of_file = || files.iter().filter(|(_, real)| *real == file.real);
        if of_file().any(|(need, _)| need.name == file.name) {
            return None;
        }
        let (need, _) = of_file().find(|(need, _)| need.declares_sensitive)?;
        Some(Problem::RenamedOutputs {
            binding: binding.to_owned(),
            flag: file.flag,
            name: file.name.clone(),
            declared: need.name.clone(),
            path: file.path.clone(),
        })
    })
}
