//! What `-b` and `-c` name.

use std::path::PathBuf;

use landfall_sandbox::types::{Config, KnownName, OutputsDocument};

use crate::files::{self, Budget, FileError};
use crate::settings::{BoundFile, Place, Policies};

use super::refusal::Refusal;
use super::shown;

/// What flags name, read once for all groups.
#[derive(Debug, Default)]
pub(crate) struct Bound {
    pub(crate) outputs: Vec<OutputsDocument>,
    /// Names whose documents are not there.
    unread: Vec<String>,
    pub(super) config: Option<Config>,
    /// Where the files are that flags name: they are no manifests.
    pub(super) places: Vec<PathBuf>,
}

impl Bound {
    /// Reads what `-b` and `-c` name.
    pub(crate) fn read(
        bound: &[BoundFile],
        config: Option<&Place>,
        stdin_name: &str,
        policies: &Policies,
        budget: &mut Budget,
        refusals: &mut Vec<Refusal>,
    ) -> Self {
        let mut read = Self::default();
        for BoundFile { name, file, meant } in bound {
            let path = shown_place(file, stdin_name);
            match read.place(file, budget) {
                Ok(content) => {
                    let name = name.clone();
                    read.outputs.push(OutputsDocument {
                        name,
                        path,
                        content,
                        format: None,
                        sensitive: false,
                    });
                }
                Err(error) => {
                    let refusal = Refusal::Outputs {
                        name: name.clone(),
                        path,
                        error,
                        meant: meant.clone(),
                    };
                    read.unread.push(name.clone());
                    refusals.push(match policies.keeps_unpublished {
                        Some(true) => refusal.of_optional(),
                        _ => refusal,
                    });
                }
            }
        }
        if let Some(place) = config {
            let path = shown_place(place, stdin_name);
            match read.place(place, budget) {
                Ok(content) => read.config = Some(Config { path, content }),
                Err(error) => refusals.push(Refusal::Flag {
                    flag: "--config",
                    path,
                    error,
                }),
            }
        }
        read
    }

    fn place(&mut self, place: &Place, budget: &mut Budget) -> Result<Vec<u8>, FileError> {
        if let Place::Path(path) = place {
            self.places.extend(std::fs::canonicalize(path));
        }
        read_place(place, budget)
    }

    /// The names whose documents are not there, for the module.
    pub(crate) fn known_names(&self) -> Vec<KnownName> {
        let known = |name: &String| KnownName {
            name: name.clone(),
            bound_by: None,
        };
        self.unread.iter().map(known).collect()
    }

    /// Whether a flag binds `name`.
    pub(crate) fn binds(&self, name: &str) -> bool {
        let mut read = self.outputs.iter().map(|document| &document.name);
        read.any(|bound| bound == name) || self.unread.iter().any(|bound| bound == name)
    }
}

pub(super) fn read_place(place: &Place, budget: &mut Budget) -> Result<Vec<u8>, FileError> {
    match place {
        Place::Stdin => files::read_stdin(budget),
        Place::Path(path) => files::read_named(path, budget),
    }
}

pub(super) fn shown_place(place: &Place, stdin_name: &str) -> String {
    match place {
        Place::Stdin => stdin_name.to_owned(),
        Place::Path(path) => shown::named(path),
    }
}
