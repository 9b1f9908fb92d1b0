//! What is found for the paths on a command line: the applications to which they belong, and
//! files that belong to none.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::files::{FileError, Root};
use crate::settings::InputPath;

/// The manifests of one request.
#[derive(Debug)]
pub(crate) enum Group {
    Folder(ApplicationFolder),
    /// Files that belong to no application. Empty only where outputs documents are loaded
    /// without manifests.
    Files(Vec<InputPath>),
}

/// The folder of an application.
#[derive(Debug)]
pub(crate) struct ApplicationFolder {
    pub(crate) path: PathBuf,
    /// The path of the folder in diagnostics.
    pub(crate) display_path: String,
    pub(crate) part: Part,
    /// The prefix of its files below an output folder: empty, or ends with `/`.
    pub(crate) prefix: String,
}

/// The part of an application that is written. The whole application is always
/// rendered, because its contract and its field bindings apply to all of it.
#[derive(Debug)]
pub(crate) enum Part {
    Whole,
    /// Files and folders, relative to the application's folder, with their paths in
    /// diagnostics. A folder includes everything below it.
    Paths(BTreeMap<String, String>),
}

impl Part {
    /// Returns the entry of [`Part::Paths`] that contains a file, or None.
    pub(crate) fn entry_of(&self, path: &str) -> Option<(&str, &str)> {
        let Self::Paths(paths) = self else {
            return None;
        };
        let above = path.match_indices('/').map(|(at, _)| &path[..at]);
        std::iter::once(path)
            .chain(above)
            .find_map(|path| paths.get_key_value(path))
            .map(|(path, display_path)| (path.as_str(), display_path.as_str()))
    }
}

/// How to find the root, the folder that contains all files a Binding may name.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum RootChoice {
    Folder(PathBuf),
    /// The folder into which Argo CD extracted the repository.
    ArgoCd(PathBuf),
    /// The Git work tree of the group's first path, or without one that path's folder.
    WorkTree,
    /// The same for `landfall cmp` called outside of Argo CD, and for `landfall helm`, which have
    /// no `--root`.
    ManualPlugin,
}

impl RootChoice {
    /// Opens the root for the files in `folder`.
    pub(crate) fn open(&self, folder: &Path) -> Result<Root, FileError> {
        match self {
            Self::Folder(root) => Root::open(root),
            Self::ArgoCd(root) => Root::argo_cd(root),
            Self::WorkTree => Root::work_tree(folder),
            Self::ManualPlugin => Root::manual_plugin(folder),
        }
    }
}
