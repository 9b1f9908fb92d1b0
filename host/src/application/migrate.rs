//! `landfall migrate`: the changes that rewrite the manifests of a job in landfall's own
//! dialect.

use landfall_sandbox::types::{Diagnostic, Migrated, Severity, Topic};

use crate::engine::{Engine, Halted};
use crate::files::Budget;
use crate::loading::{FlagInputs, Job, no_outputs};
use crate::problem::Problem;
use crate::rendered::Application;
use crate::reporter::{Failed, Reporter};
use crate::tools::SourcesOf;

use super::groups::{Groups, LoadedGroup};

/// An application with the changes of its files.
#[derive(Debug)]
pub(crate) struct Migration {
    pub(crate) application: Application,
    pub(crate) migrated: Migrated,
    pub(crate) sources: SourcesOf,
}

/// Migrates all groups of `job` from a dialect, and adds what is left to `reporter`: as errors
/// unless `is_partial`.
///
/// # Errors
/// An error was reported, or the module was stopped, or its answer is invalid.
pub(crate) fn migrate_all(
    job: &Job<'_>,
    (dialect, is_partial): (&str, bool),
    mut problems: Vec<Problem>,
    engine: &Engine,
    reporter: &mut Reporter,
) -> Result<Vec<Migration>, Failed> {
    let mut budget = Budget::new(job.limits.input);
    let flag_inputs = FlagInputs::of_job(job, &mut budget, &mut problems);
    let mut groups = Groups::new(job, engine, flag_inputs, budget, problems, reporter);
    let _watch = engine.watch();
    let is_empty = |found: &Diagnostic| found.topic == Some(Topic::NoResources);
    let mut lacks_outputs = false;
    let mut migrations = Vec::with_capacity(job.groups.len());
    while let Some(LoadedGroup {
        group,
        mut application,
        built_by,
        mut plugin,
        ..
    }) = groups.next(reporter)?
    {
        let outputs = &mut application.request.inputs.documents;
        outputs.append(&mut groups.take_outputs());
        let files = application.files();
        let sources = built_by.as_ref().map_or(files, |it| it.sources(files));
        match plugin.migrate(sources, &application.request, dialect)? {
            Ok(mut migrated) if migrated.changes.len() == sources.len() => {
                if let Some(built_by) = &built_by {
                    built_by.migrate(&application, &mut migrated);
                }
                for found in migrated.left.diagnostics.iter_mut().filter(|_| !is_partial) {
                    found.severity = Severity::Error;
                }
                reporter.add_findings(&application.documents(), &migrated.left);
                migrations.push(Migration {
                    application,
                    migrated,
                    sources: SourcesOf::new(job, group, built_by),
                });
            }
            Ok(_) => return Err(Halted::BrokenAnswer.into()),
            // Without a bound name, the module looks for no resources.
            Err(found)
                if application.has_no_outputs() && found.diagnostics.iter().all(is_empty) =>
            {
                lacks_outputs = true;
            }
            Err(mut found) => {
                if let Some(built_by) = &built_by {
                    built_by.relocate(&mut found.diagnostics);
                }
                reporter.fail(&application.documents(), found)?;
            }
        }
    }
    if lacks_outputs {
        let lacks_binding = false;
        return Err(reporter.refuse(no_outputs(lacks_binding)).into());
    }
    reporter.check()?;
    Ok(migrations)
}
