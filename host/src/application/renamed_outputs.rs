//! Outputs documents that a flag binds under another name than the Binding. What the Binding
//! declares sensitive under its own name would be written like all other outputs.

use std::path::{Path, PathBuf};

use landfall_sandbox::types::{Configuration, Location, Need, Plan};

use crate::engine::{Halted, Plugin};
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

/// The outputs documents that a Binding requires, and where they are.
pub(crate) struct RequiredFiles<'a> {
    /// Its path in diagnostics.
    pub(crate) binding: &'a str,
    pub(crate) needs: &'a [Need],
    /// The same with the names of parameters in their paths, if some have parameters.
    pub(crate) patterns: &'a [Need],
    /// The canonical path of its folder.
    pub(crate) folder: Option<PathBuf>,
    /// The canonical paths of the folders that the operator has mounted. None: they are not
    /// known, so that only the end of a path is compared.
    pub(crate) mounted: Option<Vec<PathBuf>>,
}

/// Returns the documents of a plan without parameters, if flags bind files and it depends on
/// parameters which of them it requires.
///
/// # Errors
/// The module was stopped.
pub(super) fn patterns(
    named: &[NamedFile],
    plan: &Plan,
    configuration: &Configuration,
    plugin: &mut Plugin,
) -> Result<Vec<Need>, Halted> {
    let declares = plan.documents.iter().any(|need| need.declares_sensitive);
    if named.is_empty() || plan.announcements.is_empty() || !declares {
        return Ok(Vec::new());
    }
    Ok(plugin.plan(configuration, &[], None)?.documents)
}

impl RequiredFiles<'_> {
    /// Returns the problem of the first file of which the Binding declares outputs sensitive, but
    /// only under another name.
    pub(crate) fn declared_under_other_name(&self, named: &[NamedFile]) -> Option<Problem> {
        let problem = |name: &str, need: &Need, path: &str, flag| Problem::RenamedOutputs {
            binding: self.binding.to_owned(),
            flag,
            name: name.to_owned(),
            declared: need.name.clone(),
            path: path.to_owned(),
        };
        let of_flags = named.iter().find_map(|file| {
            let need = self.declaring(&file.name, &file.real)?;
            Some(problem(&file.name, need, &file.path, Some(file.flag)))
        });
        let is_replaced = |need: &Need| named.iter().any(|file| file.name == need.name);
        let own = self.needs.iter().filter(|need| !is_replaced(need));
        of_flags.or_else(|| {
            own.filter(|need| !need.declares_sensitive)
                .find_map(|need| {
                    let real = self.bases(need)?.iter().find_map(|base| real(base, need))?;
                    let other = self.declaring(&need.name, &real)?;
                    Some(problem(&need.name, other, &need.path, None))
                })
        })
    }

    /// Returns the item that declares outputs of a file sensitive, unless one binds it to `name`.
    fn declaring(&self, name: &str, file: &Path) -> Option<&Need> {
        let of_file = || {
            let all = self.needs.iter().chain(self.patterns);
            all.filter(|need| self.is_of(need, file))
        };
        if of_file().any(|need| need.name == name) {
            return None;
        }
        of_file().find(|need| need.declares_sensitive)
    }

    /// Returns the folders in which a document is. None: they are not known.
    fn bases(&self, need: &Need) -> Option<&[PathBuf]> {
        match need.location {
            Location::Root => Some(self.folder.as_slice()),
            Location::Mounted => self.mounted.as_deref(),
            Location::Held(_) => Some(&[]),
        }
    }

    fn is_of(&self, need: &Need, file: &Path) -> bool {
        let Some(bases) = self.bases(need) else {
            return file.ends_with(&need.path);
        };
        bases.iter().any(|base| {
            let pattern = paths::join(&base.to_string_lossy(), &need.path);
            real(base, need).is_some_and(|real| real == file)
                || matches(&pattern, &file.to_string_lossy())
        })
    }
}

fn real(base: &Path, need: &Need) -> Option<PathBuf> {
    std::fs::canonicalize(base.join(&need.path)).ok()
}

/// Returns whether a path can have this form, in which `{cluster}` is any text.
fn matches(pattern: &str, path: &str) -> bool {
    let parts = pattern.split('{').enumerate().map(|(nth, part)| {
        let after = part.split_once('}').filter(|_| nth > 0);
        after.map_or(part, |(_, after)| after)
    });
    let parts: Vec<&str> = parts.collect();
    let [first, between @ .., last] = parts.as_slice() else {
        return false;
    };
    let rest = path.strip_prefix(first);
    let Some(mut left) = rest.and_then(|rest| rest.strip_suffix(last)) else {
        return false;
    };
    between.iter().all(|part| match left.find(part) {
        Some(at) => {
            left = &left[at + part.len()..];
            true
        }
        None => false,
    })
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn a_parameter_in_a_path_is_any_text() {
        for (pattern, path, expected) in [
            ("/a/{c}.json", "/a/prod.json", true),
            ("/a/{c}/{d}.json", "/a/eu/prod.json", true),
            ("/a/{c}/x/{d}.json", "/a/eu/y/prod.json", false),
            ("/a/{c}.json", "/b/prod.json", false),
            ("/a/{c}.json", "/a/prod.yaml", false),
            ("/a/prod.json", "/a/prod.json", false),
        ] {
            assert_eq!(matches(pattern, path), expected, "{pattern} {path}");
        }
    }
}
