//! `landfall migrate`: the changes that rewrite the manifests of a job in landfall's own
//! dialect.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use landfall_sandbox::types::{Migrated, Severity};

use crate::engine::{Engine, Halted, errors};
use crate::files::{Budget, FileId};
use crate::loading::{FlagInputs, Job, load};
use crate::problem::Problem;
use crate::rendered::Application;
use crate::reporter::Reporter;

use super::render::{report_flag_inputs, report_loaded};

/// An application with the changes of its files.
#[derive(Debug)]
pub(crate) struct Migration {
    pub(crate) application: Application,
    pub(crate) migrated: Migrated,
}

/// Migrates all groups of `job` from a dialect, and adds what is left to `reporter`: as errors
/// unless `is_partial`. The result must not be used when [`Reporter::has_errors`].
///
/// # Errors
/// The module was stopped, or its answer is invalid.
pub(crate) fn migrate_all(
    job: &Job<'_>,
    (dialect, is_partial): (&str, bool),
    mut problems: Vec<Problem>,
    engine: &Engine,
    reporter: &mut Reporter,
) -> Result<Vec<Migration>, Halted> {
    let mut budget = Budget::new(job.limits.input);
    let flag_inputs = FlagInputs::of_job(job, &mut budget, &mut problems);
    let ControlFlow::Continue(is_ready) = report_flag_inputs(problems, reporter) else {
        return Ok(Vec::new());
    };
    let _watch = engine.watch();
    let mut written = BTreeSet::<FileId>::new();
    let mut migrations = Vec::with_capacity(job.groups.len());
    for group in &job.groups {
        let mut plugin = engine.start()?;
        let inputs = &flag_inputs;
        let loaded = load(job, group, inputs, &mut budget, &mut written, &mut plugin)?;
        let mut application = match report_loaded(loaded, reporter) {
            ControlFlow::Break(()) => break,
            ControlFlow::Continue(Some(application)) if is_ready => application,
            ControlFlow::Continue(_) => continue,
        };
        let outputs = &mut application.request.inputs.documents;
        outputs.extend(flag_inputs.outputs.iter().cloned());
        match plugin.migrate(application.files(), &application.request, dialect)? {
            Ok(mut migrated) if migrated.changes.len() == application.files().len() => {
                for found in migrated.left.diagnostics.iter_mut().filter(|_| !is_partial) {
                    found.severity = Severity::Error;
                }
                reporter.add(&application.documents(), &migrated.left.diagnostics);
                reporter.omit(migrated.left.omitted);
                migrations.push(Migration {
                    application,
                    migrated,
                });
            }
            Ok(_) => return Err(Halted::BrokenAnswer),
            Err(found) => {
                let found = errors(found)?;
                reporter.add(&application.documents(), &found.diagnostics);
                reporter.omit(found.omitted);
            }
        }
    }
    Ok(migrations)
}
