//! The files that `-b` and `-c` name.

use std::path::PathBuf;

use landfall_sandbox::types::{Config, KnownName, OutputsDocument};

use crate::files::{self, Budget, FileError};
use crate::paths;
use crate::problem::Problem;
use crate::settings::{BindingFlag, BoundFile, InputPath, Policies};

use super::job::Job;
use super::outputs_problems::unread;
use super::renamed_outputs::NamedFile;

/// The module's formats for the outputs of a plan before and after the apply.
const PLAN_BEFORE: &str = "terraform-plan-before";
const PLAN_AFTER: &str = "terraform-plan-after";

/// Returns the document with the outputs after the apply, if it is a plan.
pub(crate) fn after_apply(document: &OutputsDocument) -> OutputsDocument {
    let mut document = document.clone();
    if document.format.as_deref() == Some(PLAN_BEFORE) {
        document.format = Some(PLAN_AFTER.to_owned());
    }
    document
}

/// Returns whether values of a document may be unknown before an apply.
pub(crate) fn may_be_unknown(document: &OutputsDocument) -> bool {
    document.format.as_deref() == Some(PLAN_AFTER)
}

/// The contents of the files that flags name, read once for all groups.
#[derive(Clone, Debug, Default)]
pub(crate) struct FlagInputs {
    pub(crate) outputs: Vec<OutputsDocument>,
    /// Bound names whose documents could not be read.
    unread: Vec<String>,
    /// Bound names whose outputs are declared, or differ between the clusters of a fleet.
    pub(crate) bound_otherwise: Vec<String>,
    pub(super) config: Option<Config>,
    /// The files that flags bind.
    pub(crate) named: Vec<NamedFile>,
    /// The canonical paths of all these files, which are never manifests.
    pub(crate) paths: Vec<PathBuf>,
}

impl FlagInputs {
    /// Reads the files of a job, as [`Self::read`].
    pub(crate) fn of_job(job: &Job<'_>, budget: &mut Budget, problems: &mut Vec<Problem>) -> Self {
        let (stdin, policies) = (job.stdin_name, job.policies);
        Self::read(
            job.bound_files,
            job.config,
            stdin,
            policies,
            budget,
            problems,
        )
    }

    /// Reads the files. Adds a problem for each that cannot be read.
    pub(crate) fn read(
        bound_files: &[BoundFile],
        config: Option<&InputPath>,
        stdin_name: &str,
        policies: &Policies,
        budget: &mut Budget,
        problems: &mut Vec<Problem>,
    ) -> Self {
        let mut inputs = Self {
            named: bound_files.iter().filter_map(NamedFile::of).collect(),
            ..Self::default()
        };
        for bound in bound_files {
            let path = display_name(&bound.file, stdin_name);
            match inputs.read_file(&bound.file, budget) {
                Ok(content) => inputs.outputs.push(OutputsDocument {
                    name: bound.name.clone(),
                    path,
                    content,
                    format: (bound.flag == BindingFlag::Plan).then(|| PLAN_BEFORE.to_owned()),
                    sensitive: false,
                    declared_at: None,
                }),
                Err(error) => {
                    let problem = unread(bound, &path, &error);
                    inputs.unread.push(bound.name.clone());
                    problems.push(match policies.keeps_unpublished {
                        Some(true) => problem.into_optional(false),
                        _ => problem,
                    });
                }
            }
        }
        if let Some(config) = config {
            let path = display_name(config, stdin_name);
            match inputs.read_file(config, budget) {
                Ok(content) => inputs.config = Some(Config { path, content }),
                Err(error) => problems.push(Problem::flag("--config", &path, &error)),
            }
        }
        inputs
    }

    fn read_file(&mut self, file: &InputPath, budget: &mut Budget) -> Result<Vec<u8>, FileError> {
        if let InputPath::Path(path) = file {
            self.paths.extend(std::fs::canonicalize(path));
        }
        read_input(file, budget)
    }

    /// Adds the files and the names without a document of `others`, and returns its
    /// documents.
    pub(crate) fn take(&mut self, others: Self) -> Vec<OutputsDocument> {
        self.unread.extend(others.unread);
        self.named.extend(others.named);
        self.paths.extend(others.paths);
        others.outputs
    }

    /// Returns the bound names without a document, for the module.
    pub(crate) fn known_names(&self) -> Vec<KnownName> {
        let known = |name: &String| KnownName {
            name: name.clone(),
            bound_by: None,
        };
        self.unread.iter().map(known).collect()
    }

    /// Returns the names that flags bind.
    pub(super) fn names(&self) -> Vec<String> {
        let read = self.outputs.iter().map(|document| &document.name);
        let others = self.unread.iter().chain(&self.bound_otherwise);
        read.chain(others).cloned().collect()
    }

    /// Returns whether a flag binds `name`.
    pub(crate) fn binds(&self, name: &str) -> bool {
        let mut read = self.outputs.iter().map(|document| &document.name);
        let mut others = self.unread.iter().chain(&self.bound_otherwise);
        read.any(|bound| bound == name) || others.any(|bound| bound == name)
    }
}

pub(crate) fn read_input(input: &InputPath, budget: &mut Budget) -> Result<Vec<u8>, FileError> {
    match input {
        InputPath::Stdin => files::read_stdin(budget),
        InputPath::Path(path) => files::read_user_path(path, budget),
    }
}

/// Returns the name of an input in diagnostics.
pub(crate) fn display_name(input: &InputPath, stdin_name: &str) -> String {
    match input {
        InputPath::Stdin => stdin_name.to_owned(),
        InputPath::Path(path) => paths::display(path),
    }
}
