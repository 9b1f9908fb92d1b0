//! Discovery of applications: a path on the command line belongs to the application
//! with the nearest Binding, in the folder of the path or above it. Cargo and ESLint
//! find their configuration in the same way.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};

use landfall_sandbox::types::Config;

use crate::files::{self, Budget, FileError, Kind, Listing, Root};
use crate::paths;
use crate::problem::Problem;
use crate::settings::{BoundFile, InputPath};

use super::group::{ApplicationFolder, Group, Part, RootChoice};
use super::near_binding::NearTo;
use super::problems::{near_binding, outside_applications, two_bindings};

/// The file names of a Binding.
pub(crate) const BINDINGS: [&str; 2] = ["landfall.yaml", "landfall.yml"];

/// Reads the Binding of a folder, relative to the root. `display_path` is the folder's path in
/// diagnostics. None: the folder has none.
///
/// # Errors
/// It cannot be read, or there are two.
pub(crate) fn own_binding(
    root: &Root,
    folder: &Path,
    display_path: &str,
    budget: &mut Budget,
) -> Result<Option<Config>, Problem> {
    let mut found = None;
    for name in BINDINGS {
        let read = root.read(&folder.join(name), budget);
        if matches!(read, Err(FileError::Missing | FileError::IsFolder)) {
            continue;
        }
        if found.is_some() {
            return Err(two_bindings(display_path, BINDINGS));
        }
        let path = paths::join(display_path, name);
        found = Some(match read {
            Ok(content) => Ok(Config { path, content }),
            Err(error) => Err(Problem::manifest(&path, &error)),
        });
    }
    found.transpose()
}

/// Files larger than this, in bytes, are not checked for being a resource.
const MAX_SNIFFED_SIZE: u64 = 1 << 20;

/// Finds the applications that paths belong to.
#[derive(Debug)]
pub(crate) struct Search<'a> {
    /// Whether a flag names the Binding, or that there is none: it is not searched for.
    pub(crate) has_named_binding: bool,
    pub(crate) root: &'a RootChoice,
    /// The output folders, which are not searched.
    pub(crate) outputs: &'a [PathBuf],
    /// The name of standard input in diagnostics.
    pub(crate) stdin_name: &'a str,
    /// The outputs documents that flags bind: a Binding near them may declare their outputs
    /// sensitive.
    pub(crate) bound: &'a [BoundFile],
}

/// The groups found so far.
#[derive(Debug, Default)]
pub(crate) struct Groups {
    pub(crate) groups: Vec<Group>,
    /// The files outside of applications, by the folders of the command line.
    pub(crate) outside: Vec<Outside>,
    /// The index of each application, by the canonical path of its folder.
    folders: BTreeMap<PathBuf, usize>,
}

impl Search<'_> {
    /// Groups the paths of the command line: all paths of an application become one
    /// group. Groups are in the order in which they are first named.
    pub(crate) fn groups(&self, inputs: &[InputPath], problems: &mut Vec<Problem>) -> Groups {
        let mut groups = Groups::default();
        if let RootChoice::Folder(root) = self.root
            && let Err(error) = Root::open(root)
        {
            problems.push(Problem::flag("--root", &paths::display(root), &error));
            return groups;
        }
        for input in inputs {
            let InputPath::Path(path) = input else {
                match self.near_stdin() {
                    Some(problem) => problems.push(problem),
                    None => groups.add_file(input),
                }
                continue;
            };
            match files::kind(path) {
                Ok(kind) => {
                    if let Some(folder) = self.application_of(path, kind) {
                        groups.add_folder(folder);
                    } else if let Some(problem) = self.protection_lost(path, kind) {
                        problems.push(problem);
                    } else if kind == Kind::Folder {
                        self.folder(path, &mut groups, problems);
                    } else {
                        groups.add_file(input);
                    }
                }
                Err(error) => problems.push(Problem::manifest(&paths::display(path), &error)),
            }
        }
        for group in &groups.groups {
            if let Group::Folder(folder) = group
                && let Some(near) = self.declaring(self.bound, &folder.path)
            {
                let name = binding_in(&folder.path).unwrap_or_default();
                let applied = paths::join(&folder.display_path, name);
                let to = NearTo::OutputsOfOther(applied);
                problems.push(near_binding(&near, &to));
                break;
            }
        }
        groups
    }

    /// Returns why a path must not be rendered without a Binding, although none applies.
    fn protection_lost(&self, path: &Path, kind: Kind) -> Option<Problem> {
        if self.has_named_binding {
            return None;
        }
        if files::is_shell_pipe(path) {
            return self.near_stdin();
        }
        if let RootChoice::Folder(root) = self.root
            && let Err(error @ FileError::OutsideRoot) =
                Root::open(root).and_then(|root| root.relative(path))
        {
            let path = paths::display(path);
            return Some(Problem::manifest(&path, &error));
        }
        let near = self.near(path, kind);
        let near = near.or_else(|| self.of_outputs(self.bound))?;
        let to = NearTo::Path(paths::display(path));
        Some(near_binding(&near, &to))
    }

    /// Returns the Binding that was probably meant for standard input: that of the folder in
    /// which its manifests are, or else of the current folder.
    fn near_stdin(&self) -> Option<Problem> {
        if self.has_named_binding {
            return None;
        }
        let mut above = Path::new(self.stdin_name).ancestors().skip(1);
        let folder = above.find(|folder| folder.is_dir());
        let near = self.not_searched(folder.unwrap_or(Path::new(".")));
        let (near, to) = (near.or_else(|| self.of_outputs(self.bound))?, NearTo::Stdin);
        Some(near_binding(&near, &to))
    }

    /// Returns the application with the nearest Binding, limited to the part that
    /// `path` selects.
    pub(crate) fn application_of(&self, path: &Path, kind: Kind) -> Option<ApplicationFolder> {
        if self.has_named_binding {
            return None;
        }
        let (start, name) = match kind {
            Kind::Folder => (path.to_path_buf(), None),
            Kind::File => (paths::folder_of(path), Some(path.file_name()?)),
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
        let named = paths::display(path);
        let part = if inside.as_os_str().is_empty() {
            Part::Whole
        } else {
            Part::Paths(BTreeMap::from([(paths::for_module(&inside), named)]))
        };
        Some(ApplicationFolder {
            display_path: paths::join(&paths::display(&start), &vec![".."; up].join("/")),
            path: folder.to_path_buf(),
            part,
            prefix: String::new(),
        })
    }

    /// Returns the index of the last folder to search for a Binding, the root. Without
    /// a Git work tree it is the current folder, so that a stray Binding in `/tmp` is
    /// not used.
    pub(super) fn last(&self, folders: &[&Path]) -> Option<usize> {
        let position = |is: &dyn Fn(&Path) -> bool| folders.iter().position(|folder| is(folder));
        match self.root {
            RootChoice::Folder(root) | RootChoice::ArgoCd(root) => {
                let root = std::fs::canonicalize(root).ok()?;
                position(&|folder| std::fs::canonicalize(folder).is_ok_and(|path| path == root))
            }
            RootChoice::WorkTree | RootChoice::ManualPlugin => Some(
                position(&|folder| folder.join(".git").symlink_metadata().is_ok())
                    .or_else(|| {
                        let current_folder = std::env::current_dir().ok()?;
                        position(&|folder| folder == current_folder)
                    })
                    .unwrap_or(0),
            ),
        }
    }

    /// Adds the applications below a folder that has no Binding in it or above it. If
    /// there are none, adds the folder itself.
    fn folder(&self, path: &Path, groups: &mut Groups, problems: &mut Vec<Problem>) {
        let named = paths::display(path);
        let whole = ApplicationFolder {
            path: path.to_path_buf(),
            display_path: named.clone(),
            part: Part::Whole,
            prefix: String::new(),
        };
        // Problems with the folder itself are reported when it is loaded.
        let below = if self.has_named_binding {
            None
        } else {
            self.below(path).ok()
        };
        match below {
            Some(below) if !below.folders.is_empty() => {
                for folder in below.folders {
                    groups.add_folder(ApplicationFolder {
                        path: path.join(&folder),
                        display_path: paths::join(&named, &folder),
                        part: Part::Whole,
                        prefix: format!("{folder}/"),
                    });
                }
                groups.outside.push(Outside {
                    folder: named,
                    files: below.outside,
                });
            }
            Some(below) => match self.near_linked(path, &below.linked) {
                Some((link, near)) => {
                    let to = NearTo::Path(paths::join(&named, &link));
                    problems.push(near_binding(&near, &to));
                }
                None => groups.add_folder(whole),
            },
            None => groups.add_folder(whole),
        }
    }

    /// Returns the applications below a folder that has no Binding itself.
    pub(crate) fn below(&self, path: &Path) -> Result<Below, FileError> {
        let root = self.root.open(path)?;
        let folder = root.relative(path)?;
        let outputs = self
            .outputs
            .iter()
            .filter_map(|output| root.below(&folder, output));
        let listing = Listing::of(&root, &folder, &outputs.collect())?;
        let mut folders = BTreeSet::new();
        // The same folders, and links to them.
        let mut inside = BTreeSet::new();
        let mut linked = BTreeMap::new();
        for path in &listing.paths {
            let Some((below, name)) = path.rsplit_once('/') else {
                continue;
            };
            if !BINDINGS.contains(&name) || below.split('/').any(|part| part.starts_with('.')) {
                continue;
            }
            // A folder that can also be reached through links is one application.
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
                .is_ok_and(|real| folders.contains(&paths::for_module(real)));
            if !is_listed {
                folders.insert(below);
            }
        }
        let mut outside = BTreeMap::new();
        for path in listing.paths {
            if !folders.is_empty()
                && !ancestors(&path).any(|above| inside.contains(above))
                && looks_like_a_resource(&root, &folder, &path)
                && let Ok(real) = root.real(&folder.join(&path))
            {
                outside.insert(path, real);
            }
        }
        Ok(Below {
            folders: folders.into_iter().collect(),
            linked: listing.linked,
            outside,
        })
    }
}

/// The contents of a folder without a Binding.
#[derive(Debug, Default)]
pub(crate) struct Below {
    /// The folders with a Binding, sorted by path.
    pub(crate) folders: Vec<String>,
    /// The files that are links, or are below one.
    pub(crate) linked: Vec<String>,
    /// Files outside these folders that look like manifests, with their canonical paths.
    outside: BTreeMap<String, PathBuf>,
}

/// The files in a folder of applications that look like manifests, and are in none of them.
#[derive(Debug)]
pub(crate) struct Outside {
    /// The path of the folder in diagnostics.
    folder: String,
    /// Relative to the folder, with their canonical paths.
    files: BTreeMap<String, PathBuf>,
}

impl Outside {
    /// Returns the warning that these files are skipped, except what a tool `reads` for an
    /// application, by canonical paths.
    pub(crate) fn problem(&self, reads: &BTreeSet<PathBuf>) -> Option<Problem> {
        let mut skipped = (self.files.iter()).filter(|(_, real)| !reads.contains(*real));
        let (first, _) = skipped.next()?;
        let first = paths::join(&self.folder, first);
        Some(outside_applications(&self.folder, &first, skipped.count()))
    }
}

impl Groups {
    fn add_file(&mut self, input: &InputPath) {
        match self.groups.last_mut() {
            Some(Group::Files(files)) => files.push(input.clone()),
            _ => self.groups.push(Group::Files(vec![input.clone()])),
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

/// Returns whether a folder has a Binding of its own.
pub(crate) fn has_binding(folder: &Path) -> bool {
    binding_in(folder).is_some()
}

/// Returns the name of the Binding in a folder.
pub(crate) fn binding_in(folder: &Path) -> Option<&'static str> {
    BINDINGS.into_iter().find(|name| {
        let found = folder.join(name).symlink_metadata();
        found.is_ok_and(|found| !found.is_dir())
    })
}

/// Returns an absolute path without `.` and `..`. Links are not resolved, so that a
/// linked folder belongs to the application that links to it, unless the path has a
/// `..`, which may follow a link.
pub(super) fn absolute(path: &Path) -> Option<PathBuf> {
    if path.components().any(|part| part == Component::ParentDir) {
        std::fs::canonicalize(path).ok()
    } else {
        std::path::absolute(path).ok()
    }
}

/// Returns the folders that contain a relative path, except the topmost.
fn ancestors(path: &str) -> impl Iterator<Item = &str> {
    path.match_indices('/').map(|(at, _)| &path[..at])
}

fn looks_like_a_resource(root: &Root, folder: &Path, path: &str) -> bool {
    let is_yaml = path.ends_with(".yaml") || path.ends_with(".yml");
    if !is_yaml || path.split('/').any(|part| part.starts_with('.')) {
        return false;
    }
    let content = root.read(&folder.join(path), &mut Budget::new(MAX_SNIFFED_SIZE));
    content.is_ok_and(|content| {
        let begins_a_line = |key: &[u8]| {
            memchr::memmem::find_iter(&content, key).any(|at| at == 0 || content[at - 1] == b'\n')
        };
        begins_a_line(b"apiVersion:") && begins_a_line(b"kind:")
    })
}
