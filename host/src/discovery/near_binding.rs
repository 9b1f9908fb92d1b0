//! A Binding that was probably meant for manifests for which none is found. Without it, the
//! outputs that it declares sensitive would be written like all others.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::Path;

use crate::files::Kind;
use crate::paths::{self, relative_to};
use crate::settings::{BoundFile, InputPath};

use super::group::RootChoice;
use super::search::{BINDINGS, Search, absolute, binding_in};

/// One of these is in every name that differs from a Binding's by one character, or that
/// people choose instead: `landfal.yaml`, `binding.yaml`, `landfall.json`.
const SIMILAR: &[&str] = &["land", "fall", "binding"];

/// Files larger than this, in bytes, are not Bindings.
const MAX_BINDING: u64 = 1 << 20;

/// A Binding that does not apply, although it is near.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct NearBinding {
    /// Its path in diagnostics.
    pub(crate) path: String,
    pub(crate) why: WhyNot,
}

/// What a Binding was probably meant for.
#[derive(Debug)]
pub(crate) enum NearTo {
    /// A path on the command line.
    Path(String),
    Stdin,
    /// The outputs documents that flags bind.
    Outputs,
    /// The same, where this Binding is applied.
    OutputsOfOther(String),
    /// An application's folder under Argo CD, where its author sets no flags.
    ArgoCd(String),
}

/// Why a Binding that is near does not apply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WhyNot {
    /// Its name is only similar to a Binding's.
    Name,
    /// It is above the root.
    AboveRoot,
    /// The manifests are a link, and it is at or above their target.
    LinkTarget,
    /// It is at or above the folder, but none is searched for.
    NotSearched,
}

impl NearBinding {
    /// Returns it with its path in diagnostics of Argo CD, where the current folder is that of
    /// the application `folder`.
    pub(crate) fn shown_in(self, folder: &str) -> Self {
        let path = paths::join(folder, &self.path);
        Self { path, ..self }
    }
}

impl Search<'_> {
    /// Returns the Binding that was probably meant for a path to which none applies.
    pub(super) fn near(&self, path: &Path, kind: Kind) -> Option<NearBinding> {
        let start = match kind {
            Kind::Folder => path.to_path_buf(),
            Kind::File => paths::folder_of(path),
        };
        self.near_folder(&start, WhyNot::AboveRoot)
            .or_else(|| self.at_link_target(path, kind))
    }

    /// Returns the Binding that was probably meant for what belongs to `folder`, although no
    /// Binding is searched for there.
    pub(crate) fn not_searched(&self, folder: &Path) -> Option<NearBinding> {
        self.near_folder(folder, WhyNot::NotSearched)
    }

    /// Returns the Binding at or above the first of these outputs documents that has one, to
    /// which their outputs probably belong.
    pub(crate) fn of_outputs(&self, bound: &[BoundFile]) -> Option<NearBinding> {
        // The files of a fleet are often in one folder.
        let mut searched = BTreeSet::new();
        bound.iter().find_map(|bound| match &bound.file {
            InputPath::Path(path) => {
                let folder = paths::folder_of(path);
                let near = searched
                    .insert(folder.clone())
                    .then(|| self.not_searched(&folder));
                near.flatten()
                    .or_else(|| self.at_link_target(path, Kind::File))
            }
            InputPath::Stdin => None,
        })
    }

    /// Returns the Binding of the first of these outputs documents that has another one than
    /// the applied one, in the folder `own`, and is declared sensitive there.
    pub(crate) fn declaring(&self, bound: &[BoundFile], own: &Path) -> Option<NearBinding> {
        let own = std::fs::canonicalize(own).ok();
        bound.iter().find_map(|bound| {
            let InputPath::Path(path) = &bound.file else {
                return None;
            };
            // It may be a link to the file that a Binding names.
            let real = std::fs::canonicalize(path).unwrap_or_default();
            let found = self
                .application_of(path, Kind::File)
                .or_else(|| self.application_of(&real, Kind::File))?;
            let name = binding_name(&found.path)?;
            let content = small_file(&found.path.join(&name))?;
            let is_in = |part: &str| memchr::memmem::find(&content, part.as_bytes()).is_some();
            let names = [path.as_path(), &real].map(Path::file_name);
            let mut names = names.into_iter().flatten().filter_map(OsStr::to_str);
            let is_declared = is_in("sensitive") && names.any(is_in);
            let is_other = std::fs::canonicalize(&found.path).ok() != own;
            (is_declared && is_other).then(|| NearBinding {
                path: paths::join(&found.display_path, &name),
                why: WhyNot::NotSearched,
            })
        })
    }

    /// Searches `start` and the folders above it: in a Git work tree up to the one above its
    /// root, else all of them. Above a work tree, no folder is listed and no file opened: only a
    /// Binding with the right name is found. `exact`: why such a Binding does not apply.
    fn near_folder(&self, start: &Path, exact: WhyNot) -> Option<NearBinding> {
        let absolute = absolute(start)?;
        let folders: Vec<&Path> = absolute.ancestors().collect();
        let last = self.last(&folders)?;
        let is_work_tree = |folder: &&Path| folder.join(".git").symlink_metadata().is_ok();
        let work_tree = folders.iter().position(is_work_tree);
        let above = match self.root {
            // What Argo CD extracts for other applications is not ours to list.
            RootChoice::ArgoCd(_) => 0,
            RootChoice::WorkTree | RootChoice::ManualPlugin if work_tree.is_some() => 1,
            _ => folders.len(),
        };
        let searched = folders.iter().take((last + 1).saturating_add(above));
        for (up, folder) in searched.enumerate() {
            let is_ours = work_tree.is_none_or(|work_tree| up <= last.max(work_tree));
            let name = if is_ours {
                binding_name(folder)
            } else {
                binding_in(folder).map(str::to_owned)
            };
            let Some(name) = name else {
                continue;
            };
            let shown = paths::join(&paths::display(start), &vec![".."; up].join("/"));
            let why = if !(BINDINGS.contains(&name.as_str())) {
                WhyNot::Name
            } else if up > last {
                WhyNot::AboveRoot
            } else {
                exact
            };
            let path = paths::join(&shown, &name);
            return Some(NearBinding { path, why });
        }
        None
    }

    /// Returns the first of these links below `folder` to a manifest that another Binding was
    /// probably meant for, and that Binding.
    pub(crate) fn near_linked(
        &self,
        folder: &Path,
        linked: &[String],
    ) -> Option<(String, NearBinding)> {
        // Many links often lead to one folder.
        let mut searched = BTreeSet::new();
        linked.iter().find_map(|path| {
            let is_hidden = path.split('/').any(|part| part.starts_with('.'));
            let is_manifest = [".yaml", ".yml", ".json"]
                .iter()
                .any(|end| path.ends_with(end));
            if is_hidden || !is_manifest {
                return None;
            }
            let link = folder.join(path);
            let target = std::fs::canonicalize(&link).ok()?;
            let is_new = searched.insert(paths::folder_of(&target));
            let near = is_new.then(|| self.at_link_target(&link, Kind::File));
            Some((path.clone(), near.flatten()?))
        })
    }

    /// Searches at and above the target of a link, or of a link in the folders above it.
    fn at_link_target(&self, path: &Path, kind: Kind) -> Option<NearBinding> {
        let real = std::fs::canonicalize(path).ok()?;
        if std::path::absolute(path).is_ok_and(|path| path == real) {
            return None;
        }
        let start = match kind {
            Kind::Folder => real,
            Kind::File => paths::folder_of(&real),
        };
        let near = self.near_folder(&start, WhyNot::LinkTarget)?;
        let current = std::env::current_dir().and_then(std::fs::canonicalize);
        let shown = current.ok().and_then(|current| match self.root {
            // Argo CD extracts every call into another folder.
            RootChoice::ArgoCd(_) | RootChoice::ManualPlugin => {
                Some(relative_to(&current, &near.path))
            }
            RootChoice::Folder(_) | RootChoice::WorkTree => {
                let below = Path::new(&near.path).strip_prefix(current).ok()?;
                Some(paths::display(below))
            }
        });
        let path = shown.unwrap_or(near.path);
        Some(NearBinding { path, ..near })
    }
}

/// Returns the name of the Binding in a folder, or of a file that was probably meant to be it.
fn binding_name(folder: &Path) -> Option<String> {
    binding_in(folder)
        .map(str::to_owned)
        .or_else(|| nearly_named(folder))
}

/// Returns the name of a file that has a Binding's name in another case, or that is a Binding
/// with a similar name.
fn nearly_named(folder: &Path) -> Option<String> {
    let entries = std::fs::read_dir(folder).ok()?;
    entries.flatten().find_map(|entry| {
        let name = entry.file_name().into_string().ok()?;
        let lower = name.to_ascii_lowercase();
        let is_other_case = BINDINGS.contains(&lower.as_str());
        let is_similar = || SIMILAR.iter().any(|part| lower.contains(part));
        let path = entry.path();
        let is_meant = path.is_file() && (is_other_case || (is_similar() && is_binding(&path)));
        is_meant.then_some(name)
    })
}

/// Returns whether a small file says that it is a Binding.
fn is_binding(path: &Path) -> bool {
    small_file(path).is_some_and(|content| {
        let has = |part: &str| memchr::memmem::find(&content, part.as_bytes()).is_some();
        has("landfall.dev/") && has("Binding")
    })
}

/// Returns the content of a file that is not too large for a Binding.
fn small_file(path: &Path) -> Option<Vec<u8>> {
    let length = path.metadata().ok()?.len();
    (length <= MAX_BINDING).then(|| std::fs::read(path).ok())?
}
