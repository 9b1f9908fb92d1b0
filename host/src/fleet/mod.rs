//! Renders the groups of a job once for each cluster of a fleet. The manifests are loaded
//! once and analysed once in each thread; the outputs documents are those of the cluster.

mod cluster_problems;
mod clusters;
mod grouped;
mod progress;
mod tool;
mod worker;

use landfall_sandbox::types::{Parameter, ParameterValue};

use crate::application::{Groups, LoadedGroup};
use crate::engine::{Answer, Engine};
use crate::files::Budget;
use crate::loading::{FlagInputs, Job, NamedFile};
use crate::problem::Problem;
use crate::rendered::{Application, files};
use crate::reporter::{Failed, Reporter};
use crate::settings::Each;
use crate::splice::{BrokenEdits, Spliced};

pub(crate) use clusters::{Cluster, find as find_clusters};
use grouped::GroupedDiagnostics;
use progress::Progress;
pub(crate) use progress::thousands;
use tool::ToolWork;
use worker::Work;

/// The manifests of a group, rendered for all clusters.
#[derive(Debug)]
pub(crate) struct RenderedFleet {
    /// Its request has the outputs documents of no cluster.
    pub(crate) application: Application,
    /// One for each cluster. They were checked against the contract.
    pub(crate) answers: Vec<Answer>,
}

impl RenderedFleet {
    /// Returns the files of a cluster, as [`crate::rendered::Rendered::files`].
    pub(crate) fn files(
        &self,
        cluster: usize,
    ) -> impl Iterator<Item = (&str, Result<Spliced<'_>, BrokenEdits>)> {
        let answer = self.answers.get(cluster);
        answer
            .into_iter()
            .flat_map(|answer| files(&self.application, answer))
    }
}

/// Returns the parameter with the name of a cluster.
pub(crate) fn name_parameter(cluster: &Cluster) -> Parameter {
    Parameter {
        name: Each::PARAMETER.to_owned(),
        value: ParameterValue::Text(cluster.name.clone()),
    }
}

/// Renders all groups of `job`, a fleet whose parameters are those of its first cluster, for
/// all clusters, and adds their diagnostics to `reporter`.
///
/// # Errors
/// An error was reported, or the module was stopped, or its answer is invalid.
pub(crate) fn render_fleet(
    job: &Job<'_>,
    each: &Each,
    clusters: &[Cluster],
    mut problems: Vec<Problem>,
    engine: &Engine,
    reporter: &mut Reporter,
) -> Result<Vec<RenderedFleet>, Failed> {
    let mut budget = Budget::new(job.limits.input);
    let mut flag_inputs = FlagInputs::of_job(job, &mut budget, &mut problems);
    let bound = clusters.iter().flat_map(Cluster::bound);
    flag_inputs
        .named
        .extend(bound.filter_map(|bound| NamedFile::of(&bound)));
    for (bound, file) in clusters.iter().flat_map(|cluster| &cluster.files) {
        flag_inputs.paths.extend(std::fs::canonicalize(&file.path));
        if !flag_inputs.bound_otherwise.contains(bound) {
            flag_inputs.bound_otherwise.push(bound.clone());
        }
    }
    let mut groups = Groups::new(job, engine, flag_inputs, budget, problems, reporter);
    let jobs = job.jobs().min(clusters.len());
    let progress = Progress::new(clusters.len(), each.shows_progress);
    let watch = engine.watch();
    let mut rendered = Vec::with_capacity(job.groups.len());
    while let Some(LoadedGroup {
        group,
        application,
        is_built_for_clusters,
        plugin,
        ..
    }) = groups.next(reporter)?
    {
        // Of several applications, only the last completes a cluster.
        let progress = groups.is_at_end().then_some(&progress);
        if is_built_for_clusters {
            // The runs of a tool have limits of their own.
            watch.pause();
            let work = ToolWork {
                job,
                group,
                clusters,
                engine,
                progress,
            };
            rendered.extend(work.run(&mut groups, reporter)?);
            watch.restart();
            continue;
        }
        let work = Work {
            job,
            group,
            flag_inputs: &groups.flag_inputs,
            application: &application,
            budget: &groups.budget,
            clusters,
            engine,
            progress,
        };
        let (answers, grouped) = work.run(plugin, &watch, jobs)?;
        let is_complete = !grouped.has_errors;
        grouped.report(&application, clusters, reporter);
        if is_complete {
            rendered.push(RenderedFleet {
                application,
                answers,
            });
        }
        watch.restart();
    }
    reporter.check()?;
    Ok(rendered)
}

/// The result of all clusters of a group: the answers in the order of the clusters, empty if
/// there is an error, and the diagnostics.
type Outcome = (Vec<Answer>, GroupedDiagnostics);
