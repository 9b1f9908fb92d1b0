//! Outputs documents that a flag binds under another name than the Binding. What the Binding
//! declares sensitive under its own name would be written like all other outputs.

use std::path::{Path, PathBuf};

use landfall_sandbox::types::{Configuration, Location, Need, Plan};

use crate::engine::{Halted, Plugin};
use crate::paths;
use crate::problem::{HostRule, Problem};
use crate::settings::{BindingFlag, BoundFile, InputPath};

/// A file that a flag binds.
#[derive(Clone, Debug)]
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
    pub(crate) fn of(bound: &BoundFile) -> Option<Self> {
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
    /// The canonical path of its folder. None: it is not known, so that only the end of a path is
    /// compared.
    pub(crate) folder: Option<PathBuf>,
    /// The canonical paths of the folders that the operator has mounted. None: as of the folder.
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

/// A required document, and the canonical paths of the files that it can be.
struct Located<'a> {
    need: &'a Need,
    real: Vec<PathBuf>,
}

impl RequiredFiles<'_> {
    /// Returns the problem of the first file of which the Binding declares outputs sensitive, but
    /// only under another name: one that a flag binds, or that the Binding binds twice.
    pub(crate) fn declared_under_other_name(&self, named: &[NamedFile]) -> Option<Problem> {
        let all: Vec<Located<'_>> = self
            .needs
            .iter()
            .chain(self.patterns)
            .map(|need| self.locate(need))
            .collect();
        let declaring: Vec<&Located<'_>> = all
            .iter()
            .filter(|one| one.need.declares_sensitive)
            .collect();
        let of_flags = named.iter().find_map(|file| {
            let declared = declaring.iter().find(|one| self.is_file(one, &file.real))?;
            let mut own = all.iter().filter(|one| one.need.name == file.name);
            let is_own = own.any(|one| self.is_file(one, &file.real));
            (!is_own).then(|| self.renamed(&file.name, declared, &file.path, Some(file.flag)))
        });
        let is_bound = |one: &&Located<'_>| {
            !one.need.declares_sensitive && named.iter().all(|file| file.name != one.need.name)
        };
        of_flags.or_else(|| {
            all.iter().filter(is_bound).find_map(|one| {
                let is_other = |other: &&&Located<'_>| {
                    other.need.name != one.need.name
                        && one.real.iter().any(|real| other.real.contains(real))
                };
                let other = declaring.iter().find(is_other)?;
                Some(self.renamed(&one.need.name, other, &one.need.path, None))
            })
        })
    }

    /// A file that `flag` binds to `name`, although the Binding declares outputs of it sensitive
    /// under another. Without a flag, the Binding itself does.
    fn renamed(
        &self,
        name: &str,
        declared: &Located<'_>,
        path: &str,
        flag: Option<BindingFlag>,
    ) -> Problem {
        let (binding, declared) = (self.binding, &declared.need.name);
        let message = format!(
            "the Binding `{binding}` declares outputs of `{path}` sensitive under the name `{declared}`, not `{name}`"
        );
        Problem::new(HostRule::BindingNotApplied, message).help(match flag {
            Some(flag) => {
                let flag = flag.as_str();
                format!("bind it under that name: `{flag} {declared}={path}`")
            }
            None => format!("declare its sensitive outputs under `{name}`, too"),
        })
    }

    fn locate<'n>(&self, need: &'n Need) -> Located<'n> {
        let bases = self.bases(need).unwrap_or_default().iter();
        let real = bases.filter_map(|base| std::fs::canonicalize(base.join(&need.path)).ok());
        Located {
            need,
            real: real.collect(),
        }
    }

    /// Returns the folders in which a document is. None: they are not known.
    fn bases(&self, need: &Need) -> Option<&[PathBuf]> {
        match need.location {
            Location::Root => self.folder.as_ref().map(std::slice::from_ref),
            Location::Mounted => self.mounted.as_deref(),
            Location::Held(_) | Location::Resource => Some(&[]),
        }
    }

    /// Returns whether a document can be the file with this canonical path.
    fn is_file(&self, one: &Located<'_>, file: &Path) -> bool {
        let Some(bases) = self.bases(one.need) else {
            return file.ends_with(&one.need.path);
        };
        one.real.iter().any(|real| real == file)
            || bases.iter().any(|base| {
                let pattern = paths::join(&base.to_string_lossy(), &one.need.path);
                matches(&pattern, &file.to_string_lossy())
            })
    }
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
