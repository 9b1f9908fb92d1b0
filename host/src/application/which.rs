//! Which application a path of the command line belongs to: the one whose Binding is
//! nearest, in the path's folder or above it, as Cargo and ESLint look for their
//! configuration.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};

use crate::files::{self, Budget, FileError, Kind, Listing, Root};
use crate::settings::Place;

use super::job::{ApplicationFolder, Group, Part, RootChoice};
use super::refusal::Refusal;
use super::shown;

/// The names of a folder's own Binding.
pub(crate) const BINDINGS: [&str; 2] = ["landfall.yaml", "landfall.yml"];

/// Files outside of every application that are larger are not looked into.
const MAX_LOOKED_INTO: u64 = 1 << 20;

/// How paths become groups.
#[derive(Debug)]
pub(crate) struct Search<'a> {
    /// A flag names the Binding: none is looked for.
    pub(crate) is_named: bool,
    pub(crate) root: &'a RootChoice,
    /// Not listed: the result is written there.
    pub(crate) output: Option<&'a Path>,
}

/// The groups so far.
#[derive(Default)]
struct Groups {
    groups: Vec<Group>,
    /// Applications by where their folder really is.
    folders: BTreeMap<PathBuf, usize>,
}

impl Search<'_> {
    /// Groups what the command line names: the paths of one application together,
    /// each file once, in the order in which applications are first named.
    pub(crate) fn groups(&self, places: &[Place], refusals: &mut Vec<Refusal>) -> Vec<Group> {
        let mut groups = Groups::default();
        for place in places {
            let Place::Path(path) = place else {
                groups.add_file(place);
                continue;
            };
            match files::kind(path) {
                Ok(Kind::File) => match self.application_of(path, Kind::File) {
                    Some(folder) => groups.add_folder(folder),
                    None => groups.add_file(place),
                },
                Ok(Kind::Folder) => match self.application_of(path, Kind::Folder) {
                    Some(folder) => groups.add_folder(folder),
                    None => self.folder(path, &mut groups, refusals),
                },
                Err(error) => refusals.push(Refusal::Manifest {
                    path: shown::named(path),
                    error,
                }),
            }
        }
        groups.groups
    }

    /// The application whose Binding is nearest, with the part of it that `path` is.
    fn application_of(&self, path: &Path, kind: Kind) -> Option<ApplicationFolder> {
        if self.is_named {
            return None;
        }
        let (start, name) = match kind {
            Kind::Folder => (path.to_path_buf(), None),
            Kind::File => (shown::folder_of(path), Some(path.file_name()?)),
        };
        let absolute = absolute(&start)?;
        let folders: Vec<&Path> = absolute.ancestors().collect();
        let last = self.last(&folders)?;
        let up = folders[..=last]
            .iter()
            .position(|folder| has_binding(folder))?;
        let folder = folders[up];
        let inside = absolute.strip_prefix(folder).ok()?;
        let inside = match name {
            Some(name) => inside.join(name),
            None => inside.to_path_buf(),
        };
        let named = shown::named(path);
        let part = match inside.as_os_str().is_empty() {
            true => Part::Whole,
            false => Part::Paths(BTreeMap::from([(shown::for_module(&inside), named)])),
        };
        Some(ApplicationFolder {
            shown: shown::joined(&shown::named(&start), &vec![".."; up].join("/")),
            path: folder.to_path_buf(),
            part,
            prefix: String::new(),
        })
    }

    /// The position of the last folder that may hold the Binding: the root. Without a
    /// Git work tree it is the current folder, so that nobody's Binding in `/tmp` is
    /// taken.
    fn last(&self, folders: &[&Path]) -> Option<usize> {
        let position = |is: &dyn Fn(&Path) -> bool| folders.iter().position(|folder| is(folder));
        match self.root {
            RootChoice::Folder(root) | RootChoice::Received(root) => {
                let root = std::fs::canonicalize(root).ok()?;
                position(&|folder| std::fs::canonicalize(folder).is_ok_and(|path| path == root))
            }
            RootChoice::WorkTree | RootChoice::ByHand => Some(
                position(&|folder| folder.join(".git").symlink_metadata().is_ok())
                    .or_else(|| {
                        let here = std::env::current_dir().ok()?;
                        position(&|folder| folder == here)
                    })
                    .unwrap_or(0),
            ),
        }
    }

    /// A folder without a Binding at it or above it: the applications below it, or
    /// when there are none the folder itself.
    fn folder(&self, path: &Path, groups: &mut Groups, refusals: &mut Vec<Refusal>) {
        let named = shown::named(path);
        let whole = ApplicationFolder {
            path: path.to_path_buf(),
            shown: named.clone(),
            part: Part::Whole,
            prefix: String::new(),
        };
        // What is wrong with the folder itself is reported when it is loaded.
        let below = match self.is_named {
            true => None,
            false => self.below(path).ok(),
        };
        match below {
            Some(below) if !below.folders.is_empty() => {
                for folder in below.folders {
                    groups.add_folder(ApplicationFolder {
                        path: path.join(&folder),
                        shown: shown::joined(&named, &folder),
                        part: Part::Whole,
                        prefix: format!("{folder}/"),
                    });
                }
                if let Some(first) = below.outside.first() {
                    refusals.push(Refusal::OutsideApplications {
                        folder: named.clone(),
                        first: shown::joined(&named, first),
                        more: below.outside.len() - 1,
                    });
                }
            }
            _ => groups.add_folder(whole),
        }
    }

    /// The applications below a folder that has no Binding itself.
    pub(crate) fn below(&self, path: &Path) -> Result<Below, FileError> {
        let root = self.root.open(path)?;
        let folder = root.relative(path)?;
        let output = self
            .output
            .and_then(|output| root.relative(output).ok())
            .and_then(|output| output.strip_prefix(&folder).ok().map(Path::to_path_buf));
        let listing = Listing::of(&root, &folder, output.as_deref())?;
        let mut folders = BTreeSet::new();
        // Those, and the links to them.
        let mut inside = BTreeSet::new();
        let mut linked = BTreeMap::new();
        for path in &listing.paths {
            let Some((below, name)) = path.rsplit_once('/') else {
                continue;
            };
            if !BINDINGS.contains(&name) || below.split('/').any(|part| part.starts_with('.')) {
                continue;
            }
            // A folder that links lead to as well is one application.
            let below = below.to_owned();
            inside.insert(below.clone());
            match root.inside(&folder.join(&below)) {
                Ok(real) if real != folder.join(&below) => {
                    linked.entry(real).or_insert(below);
                }
                _ => {
                    folders.insert(below);
                }
            }
        }
        for (real, below) in linked {
            let is_listed = real
                .strip_prefix(&folder)
                .is_ok_and(|real| folders.contains(&shown::for_module(real)));
            if !is_listed {
                folders.insert(below);
            }
        }
        let outside = match folders.is_empty() {
            true => Vec::new(),
            false => {
                let paths = listing.paths.into_iter();
                let is_outside = |path: &String| {
                    !ancestors(path).any(|above| inside.contains(above))
                        && looks_like_a_resource(&root, &folder, path)
                };
                paths.filter(is_outside).collect()
            }
        };
        Ok(Below {
            folders: folders.into_iter().collect(),
            outside,
        })
    }
}

/// What is below a folder without a Binding.
#[derive(Debug, Default)]
pub(crate) struct Below {
    /// The folders with a Binding, in the order of their paths.
    pub(crate) folders: Vec<String>,
    /// Files in none of them that look like manifests.
    outside: Vec<String>,
}

impl Groups {
    fn add_file(&mut self, place: &Place) {
        match self.groups.last_mut() {
            Some(Group::Files(files)) => files.push(place.clone()),
            _ => self.groups.push(Group::Files(vec![place.clone()])),
        }
    }

    fn add_folder(&mut self, folder: ApplicationFolder) {
        let real = std::fs::canonicalize(&folder.path).unwrap_or_else(|_| folder.path.clone());
        let position = *self.folders.entry(real).or_insert(self.groups.len());
        match self.groups.get_mut(position) {
            Some(Group::Folder(known)) => match (&mut known.part, folder.part) {
                (Part::Paths(paths), Part::Paths(more)) => paths.extend(more),
                (part, Part::Whole) => *part = Part::Whole,
                (Part::Whole, Part::Paths(_)) => {}
            },
            _ => self.groups.push(Group::Folder(folder)),
        }
    }
}

/// Whether a folder has a Binding of its own.
pub(crate) fn has_binding(folder: &Path) -> bool {
    BINDINGS.iter().any(|name| {
        let found = folder.join(name).symlink_metadata();
        found.is_ok_and(|found| !found.is_dir())
    })
}

/// Without `.` and `..`. Links stay as they were named, so that a linked folder
/// belongs to the application that links it; a `..` after one can only be followed.
fn absolute(path: &Path) -> Option<PathBuf> {
    match path.components().any(|part| part == Component::ParentDir) {
        true => std::fs::canonicalize(path).ok(),
        false => std::path::absolute(path).ok(),
    }
}

/// The folders that a path is in, without the top.
fn ancestors(path: &str) -> impl Iterator<Item = &str> {
    path.match_indices('/').map(|(at, _)| &path[..at])
}

fn looks_like_a_resource(root: &Root, folder: &Path, path: &str) -> bool {
    let is_yaml = path.ends_with(".yaml") || path.ends_with(".yml");
    if !is_yaml || path.split('/').any(|part| part.starts_with('.')) {
        return false;
    }
    let content = root.read(&folder.join(path), &mut Budget::new(MAX_LOOKED_INTO));
    content.is_ok_and(|content| {
        let begins_a_line = |key: &[u8]| {
            memchr::memmem::find_iter(&content, key).any(|at| at == 0 || content[at - 1] == b'\n')
        };
        begins_a_line(b"apiVersion:") && begins_a_line(b"kind:")
    })
}
