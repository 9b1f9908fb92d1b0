//! What is to be rendered, in the order of the command line.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use landfall_sandbox::types::{Ceiling, Detail, Parameter};

use crate::files::{FileError, Root};
use crate::settings::{BoundFile, Destination, Limits, Place, Policies};

/// Everything that is to be rendered, and with what.
#[derive(Debug)]
pub(crate) struct Job<'a> {
    pub(crate) groups: Vec<Group>,
    pub(crate) bound: &'a [BoundFile],
    /// The Binding of all groups; else a folder's own.
    pub(crate) config: Option<&'a Place>,
    pub(crate) root: RootChoice,
    pub(crate) ceiling: Ceiling,
    /// The file of the operator's policy: no manifest, wherever it lies.
    pub(crate) operator_policy_file: Option<&'a Path>,
    pub(crate) policies: &'a Policies,
    pub(crate) parameters: Vec<Parameter>,
    /// What standard input is called.
    pub(crate) stdin_name: &'a str,
    pub(crate) detail: Detail,
    pub(crate) limits: Limits,
    /// What this host adds to the help of a rule.
    pub(crate) advice: &'static [(&'static str, &'static str)],
    /// Where the result goes: a folder for it is no source, and in place
    /// references stay as they are.
    pub(crate) destination: Destination,
}

/// What becomes one request.
#[derive(Debug)]
pub(crate) enum Group {
    Folder(ApplicationFolder),
    /// Files that are taken as they are. Never empty.
    Files(Vec<Place>),
}

/// An application's folder.
#[derive(Debug)]
pub(crate) struct ApplicationFolder {
    pub(crate) path: PathBuf,
    /// What diagnostics call it.
    pub(crate) shown: String,
    pub(crate) part: Part,
    /// Before the paths of its files below an output folder: empty, or with a `/` at
    /// its end.
    pub(crate) prefix: String,
}

/// How much of an application is written. All of it is rendered: its contract, its
/// field bindings and what they meet do not depend on what is asked for.
#[derive(Debug)]
pub(crate) enum Part {
    Whole,
    /// Files, and folders with all below them, relative to the application's folder;
    /// with what diagnostics call them.
    Paths(BTreeMap<String, String>),
}

impl Part {
    /// The entry that holds a file of the application.
    pub(super) fn entry_of(&self, path: &str) -> Option<(&str, &str)> {
        let Self::Paths(paths) = self else {
            return None;
        };
        let above = path.match_indices('/').map(|(at, _)| &path[..at]);
        std::iter::once(path)
            .chain(above)
            .find_map(|path| paths.get_key_value(path))
            .map(|(path, shown)| (path.as_str(), shown.as_str()))
    }
}

/// Which folder files named by a Binding may not leave.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum RootChoice {
    Folder(PathBuf),
    /// What Argo CD handed over.
    Received(PathBuf),
    /// The Git work tree around the group's first path, else that path's folder.
    WorkTree,
    /// The same for a plugin that a person called, which has no flag for it.
    ByHand,
}

impl RootChoice {
    /// Opens the root of what is in `folder`.
    pub(super) fn open(&self, folder: &Path) -> Result<Root, FileError> {
        match self {
            Self::Folder(root) => Root::open(root),
            Self::Received(root) => Root::received(root),
            Self::WorkTree => Root::around(folder),
            Self::ByHand => Root::by_hand(folder),
        }
    }
}
