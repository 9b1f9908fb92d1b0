//! The inputs that `render`, `check`, `explain`, `diff`, `adopt` and `migrate` have in
//! common.

use std::path::{Path, PathBuf};

use landfall_sandbox::types::Detail;

use crate::application::{self, Migration, RenderedSources, migrate_all, render_all, render_twice};
use crate::discovery::{Groups, RootChoice, Search};
use crate::engine::Engine;
use crate::files::Budget;
use crate::fleet::{self, Cluster, RenderedFleet, find_clusters, name_parameter, thousands};
use crate::loading::{Job, MountedFolders, NotMounted, Repository};
use crate::problem::Problem;
use crate::rendered::{Rendered, RenderedTwice};
use crate::reporter::Failed;
use crate::settings::{
    BoundFile, Destination, Each, InputPath, Inputs, MountedOutputs, Programs, Release,
};

use super::session::Session;
use super::terraform;

/// The default name of standard input in diagnostics.
pub(super) const STDIN: &str = "<stdin>";

/// Renders the inputs with the programs for folders that another tool builds.
pub(super) fn render(
    session: &mut Session,
    inputs: &Inputs,
    programs: &Programs,
    detail: Detail,
    destination: Destination,
) -> Result<Vec<Rendered>, Failed> {
    let engine = Engine::embedded(session.limits)?;
    let (job, problems) = searched(session, inputs, detail, destination);
    let mut budget = Budget::new(session.limits.input);
    let flag = "--outputs-from-terraform";
    let declared = terraform::read_all(session, &inputs.declared, flag, &mut budget)?;
    let job = Job {
        declared: &declared,
        programs: Some(programs),
        ..job
    };
    render_all(&job, problems, &engine, &mut session.reporter)
}

/// Renders the inputs, of folders that another tool builds the files from which it does.
pub(super) fn render_sources(
    session: &mut Session,
    inputs: &Inputs,
    detail: Detail,
    destination: Destination,
) -> Result<Vec<RenderedSources>, Failed> {
    let engine = Engine::embedded(session.limits)?;
    let (job, problems) = searched(session, inputs, detail, destination);
    let job = Job {
        is_about_sources: true,
        ..job
    };
    application::render_sources(&job, problems, &engine, &mut session.reporter)
}

/// Renders the inputs for each cluster of a fleet. `output_dir` has `{name}` in it; None:
/// nothing will be written.
pub(super) fn render_fleet(
    session: &mut Session,
    inputs: &Inputs,
    each: &Each,
    programs: &Programs,
    output_dir: Option<&Path>,
) -> Result<Fleet, Failed> {
    let engine = Engine::embedded(session.limits)?;
    let clusters = find_clusters(each).unwrap_or_else(|problems| {
        session.add_problems(problems);
        Vec::new()
    });
    session.reporter.check()?;
    let template = output_dir.map(|folder| folder.to_string_lossy());
    let folders: Vec<_> = clusters
        .iter()
        .filter_map(|cluster| {
            Some(
                template
                    .as_ref()?
                    .replace(Each::PLACEHOLDER, &cluster.name)
                    .into(),
            )
        })
        .collect();
    let mut problems = Vec::new();
    let has_named_binding = inputs.config.is_some() || inputs.ignores_bindings;
    let of_clusters = clusters.iter().flat_map(Cluster::bound);
    let bound: Vec<_> = inputs.bound.iter().cloned().chain(of_clusters).collect();
    let groups = groups(inputs, &bound, has_named_binding, &folders, &mut problems);
    let mut job = Job {
        programs: Some(programs),
        fleet: Some(folders),
        ..job(
            session,
            inputs,
            groups,
            Detail::Diagnostics,
            Destination::Stdout,
        )
    };
    job.parameters.extend(clusters.first().map(name_parameter));
    let reporter = &mut session.reporter;
    let rendered = fleet::render_fleet(&job, each, &clusters, problems, &engine, reporter)?;
    let folders = job.fleet.unwrap_or_default();
    Ok(Fleet {
        clusters,
        folders,
        rendered,
    })
}

/// A fleet that was rendered.
pub(super) struct Fleet {
    pub(super) clusters: Vec<Cluster>,
    /// The output folder of each cluster. Empty if nothing will be written.
    pub(super) folders: Vec<PathBuf>,
    /// By application.
    pub(super) rendered: Vec<RenderedFleet>,
}

impl Fleet {
    /// Summarizes the render for `-v`.
    pub(super) fn summary(&self) -> String {
        let written = self.rendered.iter().map(|group| {
            let built = group.answers.first().map_or(0, |answer| answer.built.len());
            group.application.written() + built
        });
        format!(
            "{} for {}",
            counted(written.sum(), "manifest file", "manifest files"),
            clusters(self.clusters.len())
        )
    }
}

/// Formats `1,000 clusters`.
pub(super) fn clusters(number: usize) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{} cluster{plural}", thousands(number))
}

/// Renders the inputs with their own outputs and with those of `to`.
pub(super) fn render_both(
    session: &mut Session,
    inputs: &Inputs,
    programs: &Programs,
    to: &[BoundFile],
) -> Result<Vec<RenderedTwice>, Failed> {
    let engine = Engine::embedded(session.limits)?;
    let (detail, destination) = (Detail::Substitutions, Destination::Stdout);
    let (job, problems) = searched(session, inputs, detail, destination);
    let job = Job {
        programs: Some(programs),
        ..job
    };
    render_twice(&job, to, problems, &engine, &mut session.reporter)
}

/// Returns the changes that migrate the inputs from a dialect; what is left is an error unless
/// `is_partial`.
pub(super) fn migrate(
    session: &mut Session,
    inputs: &Inputs,
    (dialect, is_partial): (&str, bool),
) -> Result<Vec<Migration>, Failed> {
    let engine = Engine::embedded(session.limits)?;
    let (detail, destination) = (Detail::Diagnostics, in_place(inputs));
    let (job, problems) = searched(session, inputs, detail, destination);
    let job = Job {
        is_about_sources: true,
        ..job
    };
    migrate_all(
        &job,
        (dialect, is_partial),
        problems,
        &engine,
        &mut session.reporter,
    )
}

/// Reports the references in the inputs, except those that start with one of `allowed`.
pub(super) fn report_unrendered(
    session: &mut Session,
    inputs: &Inputs,
    allowed: &[String],
) -> Result<(), Failed> {
    let engine = Engine::embedded(session.limits)?;
    let mut problems = Vec::new();
    let (detail, destination) = (Detail::Diagnostics, Destination::Stdout);
    // Rendered manifests have no Binding, so none is searched for.
    let groups = groups(inputs, &inputs.bound, true, &[], &mut problems);
    let job = job(session, inputs, groups, detail, destination);
    application::report_unrendered(&job, allowed, problems, &engine, &mut session.reporter)
}

/// Returns where the changes of the inputs are written.
pub(super) fn in_place(inputs: &Inputs) -> Destination {
    if inputs.paths.contains(&InputPath::Stdin) {
        Destination::Stdout
    } else {
        Destination::InPlace {
            replace_references: true,
        }
    }
}

/// Returns a job with the groups of the inputs, and the problems with their paths.
fn searched<'i>(
    session: &Session,
    inputs: &'i Inputs,
    detail: Detail,
    destination: Destination,
) -> (Job<'i>, Vec<Problem>) {
    let mut problems = Vec::new();
    let has_named_binding = inputs.config.is_some() || inputs.ignores_bindings;
    let (bound, folders) = (&inputs.bound, destination.folders());
    let groups = groups(inputs, bound, has_named_binding, folders, &mut problems);
    let job = job(session, inputs, groups, detail, destination);
    (job, problems)
}

/// Groups the paths of the inputs. `bound`: the files that flags bind.
fn groups(
    inputs: &Inputs,
    bound: &[BoundFile],
    has_named_binding: bool,
    outputs: &[PathBuf],
    problems: &mut Vec<Problem>,
) -> Groups {
    let search = Search {
        has_named_binding,
        root: &root(inputs),
        outputs,
        stdin_name: inputs.stdin_name.as_deref().unwrap_or(STDIN),
        bound,
    };
    search.groups(&inputs.paths, problems)
}

fn root(inputs: &Inputs) -> RootChoice {
    let root = inputs.root.clone();
    root.map_or(RootChoice::WorkTree, RootChoice::Folder)
}

/// Returns the folder of mounted documents.
pub(super) fn mounted(mounted: Option<&MountedOutputs>) -> Result<MountedFolders, NotMounted> {
    MountedFolders::by_hand(mounted.ok_or(NotMounted::NoFolder)?)
}

fn job<'i>(
    session: &Session,
    inputs: &'i Inputs,
    Groups {
        groups, outside, ..
    }: Groups,
    detail: Detail,
    destination: Destination,
) -> Job<'i> {
    Job {
        groups,
        outside,
        bound_files: &inputs.bound,
        declared: &[],
        config: inputs.config.as_ref(),
        ignores_bindings: inputs.ignores_bindings,
        repository: inputs.checks_git.then_some(Repository::WorkTree),
        root: root(inputs),
        ceiling: session.ceiling(None),
        operator_policy_file: None,
        policies: &inputs.policies,
        parameters: inputs.parameters.clone(),
        mounted: mounted(inputs.mounted.as_ref()),
        digest: None,
        stdin_name: inputs.stdin_name.as_deref().unwrap_or(STDIN),
        detail,
        limits: session.limits,
        programs: None,
        is_about_sources: false,
        release: Release::default(),
        hints: &[],
        destination,
        jobs: inputs.jobs,
        fleet: None,
    }
}

/// Summarizes a render for `-v`. Nothing in it depends on values, which may be sensitive.
pub(super) fn summary(rendered: &[Rendered]) -> String {
    let files: usize = rendered
        .iter()
        .map(|rendered| rendered.application.written() + rendered.answer.built.len())
        .sum();
    let outputs: usize = rendered
        .iter()
        .map(|rendered| rendered.application.request.inputs.documents.len())
        .sum();
    format!(
        "{}, {}",
        counted(files, "manifest file", "manifest files"),
        counted(outputs, "outputs document", "outputs documents")
    )
}

pub(super) fn counted(number: usize, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}
