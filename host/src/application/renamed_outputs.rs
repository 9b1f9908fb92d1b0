//! Outputs documents that a flag binds under another name than the Binding. What the Binding
//! declares sensitive under its own name would be written like all other outputs.

use std::path::{Path, PathBuf};

use landfall_sandbox::types::{Config, Configuration, Location, Need, OutputsDocument};

use crate::engine::{Halted, Plugin};
use crate::settings::{BindingFlag, BoundFile, InputPath};

use super::paths;
use super::problem::Problem;
use super::sensitive_marks::SensitiveMarks;

/// A file that a flag binds.
#[derive(Debug)]
pub(super) struct NamedFile {
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

/// Returns the problem of the first file that the Binding declares sensitive only
/// under another name. `real` returns the canonical path of a document that it requires.
///
/// # Errors
/// The module was stopped.
pub(super) fn declared_under_other_name(
    named: &[NamedFile],
    needs: &[Need],
    real: impl Fn(&Path) -> Option<PathBuf>,
    configuration: &Configuration,
    plugin: &mut Plugin,
) -> Result<Option<Problem>, Halted> {
    let Some(Config { path: binding, .. }) = &configuration.binding else {
        return Ok(None);
    };
    let files = needs.iter().filter(|need| need.location == Location::Root);
    let files: Vec<_> = files
        .filter_map(|need| Some((need, real(Path::new(&need.path))?)))
        .collect();
    for file in named {
        let of_file = files.iter().filter(|(_, real)| *real == file.real);
        let of_file: Vec<&Need> = of_file.map(|(need, _)| *need).collect();
        if of_file.iter().any(|need| need.name == file.name) {
            continue;
        }
        for need in of_file {
            if declares_more(need, file, configuration, plugin)? {
                return Ok(Some(Problem::RenamedOutputs {
                    binding: binding.clone(),
                    flag: file.flag,
                    name: file.name.clone(),
                    declared: need.name.clone(),
                    path: file.path.clone(),
                }));
            }
        }
    }
    Ok(None)
}

/// Returns whether outputs are sensitive under the name in the Binding, and not under that of
/// the flag.
fn declares_more(
    need: &Need,
    file: &NamedFile,
    configuration: &Configuration,
    plugin: &mut Plugin,
) -> Result<bool, Halted> {
    // It was read before; a file that cannot be read is another error.
    let Ok(content) = std::fs::read(&file.real) else {
        return Ok(false);
    };
    let mut marks = |name: &str| {
        let document = OutputsDocument {
            name: name.to_owned(),
            path: file.path.clone(),
            content: content.clone(),
            format: need.format.clone(),
            sensitive: false,
        };
        SensitiveMarks::of(&[document], false, configuration, plugin)
    };
    let (declared, renamed) = (marks(&need.name)?, marks(&file.name)?);
    Ok(declared.has_more(&need.name, &renamed, &file.name))
}
