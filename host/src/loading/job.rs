//! A render job: the groups of manifests to render and the settings for all of them.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::Instant;

use landfall_sandbox::types::{Ceiling, Detail, Parameter, Topic};

use crate::discovery::{Group, Outside, RootChoice};
use crate::settings::{BoundFile, Destination, InputPath, Limits, Policies, Programs, Release};
use crate::terraform::Declared;

use super::digest::ExpectedDigest;
use super::mounted::{MountedFolders, NotMounted};
use super::secrets_in_git::Repository;

/// The work of one run.
#[derive(Debug)]
pub(crate) struct Job<'a> {
    /// In the order of the command line.
    pub(crate) groups: Vec<Group>,
    /// The files outside of these applications, which a tool may read for one of them.
    pub(crate) outside: Vec<Outside>,
    pub(crate) bound_files: &'a [BoundFile],
    /// Outputs that are declared, and have no values: references to them are checked, and
    /// nothing is rendered.
    pub(crate) declared: &'a [Declared],
    /// The Binding of all groups. None: each folder has its own.
    pub(crate) config: Option<&'a InputPath>,
    /// `--no-binding`: the Bindings of folders do not apply.
    pub(crate) ignores_bindings: bool,
    /// Where secrets in files that Git tracks are looked for.
    pub(crate) repository: Option<Repository>,
    pub(crate) root: RootChoice,
    pub(crate) ceiling: Ceiling,
    /// The file of the operator's policy, which is never a manifest.
    pub(crate) operator_policy_file: Option<&'a Path>,
    pub(crate) policies: &'a Policies,
    pub(crate) parameters: Vec<Parameter>,
    pub(crate) mounted: Result<MountedFolders, NotMounted>,
    /// The digest that the mounted documents must have, and until when to wait for it.
    pub(crate) digest: Option<(ExpectedDigest, Instant)>,
    /// The name of standard input in diagnostics.
    pub(crate) stdin_name: &'a str,
    pub(crate) detail: Detail,
    pub(crate) limits: Limits,
    /// The programs for folders that another tool builds. None: they are an error.
    pub(crate) programs: Option<&'a Programs>,
    /// Whether the result is about the files from which tools build: no tool is run.
    pub(crate) is_about_sources: bool,
    /// The release of a chart, from the variables of Argo CD.
    pub(crate) release: Release,
    /// Text that this command appends to the help of diagnostics about a topic.
    pub(crate) hints: &'static [(Topic, &'static str)],
    /// Where the result is written. An output folder is not a source, and a render in
    /// place keeps references.
    pub(crate) destination: Destination,
    /// The number of threads. None: as many as there are cores.
    pub(crate) jobs: Option<NonZeroUsize>,
    /// The output folders of the clusters of a fleet, for which the manifests are rendered one
    /// after the other. Their outputs documents are not loaded together with the manifests.
    pub(crate) fleet: Option<Vec<PathBuf>>,
}

impl Job<'_> {
    /// Returns the number of threads.
    pub(crate) fn jobs(&self) -> usize {
        let cores = || std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
        self.jobs.map_or_else(cores, NonZeroUsize::get)
    }

    /// Returns whether the files from which tools build are changed.
    pub(super) const fn edits_sources(&self) -> bool {
        self.is_about_sources && matches!(self.destination, Destination::InPlace { .. })
    }

    /// Returns the folders that are written, which are not sources.
    pub(super) fn output_folders(&self) -> &[PathBuf] {
        let of_fleet = self.fleet.as_deref();
        of_fleet.unwrap_or_else(|| self.destination.folders())
    }
}
