//! What is to be rendered, in the order of the command line.

use std::path::PathBuf;

use landfall_sandbox::types::{Config, Detail, Parameter};

use crate::files::{self, Kind};
use crate::settings::{BoundFile, Destination, Limits, Place, Policies};

use super::refusal::Refusal;
use super::shown;

/// Everything that is to be rendered, and with what.
#[derive(Debug)]
pub(crate) struct Job<'a> {
    pub(crate) groups: Vec<Group>,
    pub(crate) bound: &'a [BoundFile],
    /// The Binding of all groups; else a folder's own.
    pub(crate) config: Option<&'a Place>,
    pub(crate) root: RootChoice,
    pub(crate) operator_policy: Option<Config>,
    pub(crate) policies: &'a Policies,
    pub(crate) parameters: Vec<Parameter>,
    /// What standard input is called.
    pub(crate) stdin_name: &'a str,
    pub(crate) detail: Detail,
    pub(crate) limits: Limits,
    /// Where the result goes: a folder for it is no source, and in place
    /// references stay as they are.
    pub(crate) destination: Destination,
}

/// What becomes one request.
#[derive(Debug)]
pub(crate) enum Group {
    /// An application's folder, and how it is shown.
    Folder { path: PathBuf, shown: String },
    /// Files that are taken as they are. Never empty.
    Files(Vec<Place>),
}

/// Which folder files named by a Binding may not leave.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum RootChoice {
    Folder(PathBuf),
    /// The Git work tree around the group's first path, else that path's folder.
    WorkTree,
}

impl Group {
    /// Folders one by one, files that follow each other together.
    pub(crate) fn of_places(places: &[Place], refusals: &mut Vec<Refusal>) -> Vec<Self> {
        let mut groups = Vec::new();
        for place in places {
            if let Place::Path(path) = place {
                match files::kind(path) {
                    Ok(Kind::File) => {}
                    Ok(Kind::Folder) => {
                        groups.push(Self::Folder {
                            path: path.clone(),
                            shown: shown::named(path),
                        });
                        continue;
                    }
                    Err(error) => {
                        refusals.push(Refusal::Manifest {
                            path: shown::named(path),
                            error,
                        });
                        continue;
                    }
                }
            }
            match groups.last_mut() {
                Some(Self::Files(files)) => files.push(place.clone()),
                _ => groups.push(Self::Files(vec![place.clone()])),
            }
        }
        groups
    }
}
