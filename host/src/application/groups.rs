//! The groups of a job, loaded one after the other.

use std::collections::BTreeSet;
use std::path::PathBuf;

use landfall_sandbox::types::{OutputsDocument, Parameter};

use crate::discovery::Group;
use crate::draw::Documents;
use crate::engine::{Engine, Halted, Plugin, has_errors};
use crate::files::{Budget, FileId};
use crate::loading::{FlagInputs, Job, Loaded, Loader};
use crate::problem::{self, Problem};
use crate::rendered::Application;
use crate::reporter::Reporter;
use crate::tools::{self, BuiltBy};

/// The groups of a job that are left to load.
pub(crate) struct Groups<'a> {
    job: &'a Job<'a>,
    engine: &'a Engine,
    left: std::slice::Iter<'a, Group>,
    pub(crate) flag_inputs: FlagInputs,
    /// What is left after all files so far were read.
    pub(crate) budget: Budget,
    /// As [`Loader`] has them.
    written: BTreeSet<FileId>,
    /// What the tools of applications read, and whether all groups so far were loaded.
    reads: BTreeSet<PathBuf>,
    are_loaded: bool,
    /// Whether the files that flags name can be used: if not, what is wrong with the groups is
    /// still reported.
    is_ready: bool,
    /// The parameters of a group that is loaded again: for a cluster of a fleet, or for one side
    /// of a comparison.
    again: Option<Vec<Parameter>>,
}

/// A group that was loaded without errors.
pub(crate) struct LoadedGroup<'a> {
    pub(crate) group: &'a Group,
    pub(crate) application: Application,
    pub(crate) built_by: Option<BuiltBy>,
    /// Whether a tool builds it for each cluster of a fleet, for which it is loaded again.
    pub(crate) is_built_for_clusters: bool,
    /// The instance of the module for this group.
    pub(crate) plugin: Plugin,
}

impl<'a> Groups<'a> {
    /// Reports the `problems` with the paths of the command line and the files that flags name.
    /// There are no groups if nothing more may be read.
    pub(crate) fn new(
        job: &'a Job<'a>,
        engine: &'a Engine,
        flag_inputs: FlagInputs,
        budget: Budget,
        problems: Vec<Problem>,
        reporter: &mut Reporter,
    ) -> Self {
        let is_full = problems.iter().any(Problem::stops_reading);
        let found = problem::diagnostics(problems);
        reporter.add(&Documents::default(), &found);
        Self {
            job,
            engine,
            left: if is_full {
                [].iter()
            } else {
                job.groups.iter()
            },
            flag_inputs,
            budget,
            written: BTreeSet::new(),
            reads: BTreeSet::new(),
            are_loaded: !is_full,
            is_ready: !has_errors(&found),
            again: None,
        }
    }

    /// Loads one group again, with other outputs documents that flags bind, and with other
    /// parameters: for the cluster of a fleet, or for one side of a comparison.
    pub(crate) fn again(
        job: &'a Job<'a>,
        engine: &'a Engine,
        group: &'a Group,
        flag_inputs: FlagInputs,
        budget: Budget,
        parameters: Vec<Parameter>,
    ) -> Self {
        Self {
            job,
            engine,
            left: std::slice::from_ref(group).iter(),
            flag_inputs,
            budget,
            written: BTreeSet::new(),
            reads: BTreeSet::new(),
            are_loaded: true,
            is_ready: true,
            again: Some(parameters),
        }
    }

    /// Adds what the tool reads in the group of a cluster.
    pub(crate) fn add_cluster(&mut self, cluster: Self) {
        self.reads.extend(cluster.reads);
        self.are_loaded &= cluster.are_loaded;
    }

    /// Loads the next group that has something to render and no errors, and reports what is
    /// wrong with it and with those before it; after the last one, the files outside of all.
    ///
    /// # Errors
    /// The module was stopped, or its answer is invalid.
    pub(crate) fn next(
        &mut self,
        reporter: &mut Reporter,
    ) -> Result<Option<LoadedGroup<'a>>, Halted> {
        while let Some(group) = self.left.next() {
            let mut plugin = self.engine.start()?;
            let mut loader = Loader::new(
                self.job,
                &self.flag_inputs,
                &mut self.budget,
                &mut self.written,
                &mut plugin,
            );
            if let Some(parameters) = &self.again {
                loader.set_again(parameters);
            }
            let is_left_to_clusters =
                self.is_ready && self.job.fleet.is_some() && self.again.is_none();
            let built_by = match loader.group(group)? {
                Some(_) if is_left_to_clusters => {
                    return Ok(Some(LoadedGroup {
                        group,
                        application: loader.loaded.application,
                        built_by: None,
                        is_built_for_clusters: true,
                        plugin,
                    }));
                }
                Some(folder) => tools::load(&mut loader, folder)?,
                None => None,
            };
            if built_by.is_some()
                && self.job.is_about_sources
                && let Err(problem) = loader.select_sources(group)
            {
                loader.report(problem);
            }
            let Loaded {
                application,
                problems,
                mut findings,
                has_duplicates,
            } = loader.loaded;
            let is_full = problems.iter().any(Problem::stops_reading);
            findings.diagnostics.extend(problem::diagnostics(problems));
            reporter.add_findings(&application.documents(), &findings);
            if is_full {
                self.left = [].iter();
                return Ok(None);
            }
            let is_loaded = !has_errors(&findings.diagnostics);
            self.are_loaded &= is_loaded;
            self.reads
                .extend(built_by.iter().flat_map(BuiltBy::reads).cloned());
            let is_written = !has_duplicates || application.written() > 0;
            if self.is_ready && is_written && is_loaded {
                return Ok(Some(LoadedGroup {
                    group,
                    application,
                    built_by,
                    is_built_for_clusters: false,
                    plugin,
                }));
            }
        }
        if self.again.is_some() {
            return Ok(None);
        }
        // What an application reads that cannot be loaded is unknown.
        if self.are_loaded {
            let outside = self
                .job
                .outside
                .iter()
                .filter_map(|outside| outside.problem(&self.reads));
            let found = problem::diagnostics(outside.collect());
            reporter.add(&Documents::default(), &found);
        }
        Ok(None)
    }

    /// Returns whether no group is left.
    pub(crate) fn is_at_end(&self) -> bool {
        self.left.len() == 0
    }

    /// Returns the outputs documents that flags bind, for the group that was loaded last.
    pub(super) fn take_outputs(&mut self) -> Vec<OutputsDocument> {
        if self.is_at_end() {
            std::mem::take(&mut self.flag_inputs.outputs)
        } else {
            self.flag_inputs.outputs.clone()
        }
    }
}
