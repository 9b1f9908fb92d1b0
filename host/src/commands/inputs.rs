//! The inputs that `render`, `check`, `explain`, `diff`, `adopt` and `migrate` have in
//! common.

use landfall_sandbox::types::Detail;

use crate::application::{
    self, Group, Job, Migration, MountedFolders, NotMounted, Problem, Rendered, RenderedTwice,
    RootChoice, Search, migrate_all, render_all, render_twice,
};
use crate::engine::{Engine, Halted};
use crate::files::Budget;
use crate::settings::{
    BoundFile, Destination, InputPath, Inputs, MountedOutputs, Programs, Release,
};
use crate::terraform;

use super::session::Session;

/// The default name of standard input in diagnostics.
pub(super) const STDIN: &str = "<stdin>";

/// Renders the inputs. `programs`: those for folders that another tool builds, if the command
/// runs them. The result must not be used when the session's reporter has
/// errors.
pub(super) fn render(
    session: &mut Session,
    inputs: &Inputs,
    programs: Option<&Programs>,
    detail: Detail,
    destination: Destination,
) -> Result<Vec<Rendered>, Halted> {
    let engine = Engine::embedded(session.limits)?;
    let mut problems = Vec::new();
    let has_named_binding = inputs.config.is_some();
    let groups = groups(inputs, has_named_binding, &destination, &mut problems);
    let mut budget = Budget::new(session.limits.input);
    let Some(declared) = terraform::read_all(
        &inputs.declared,
        "--outputs-from-terraform",
        &mut budget,
        session.limits.time,
        &mut session.reporter,
    ) else {
        return Ok(Vec::new());
    };
    let job = Job {
        declared: &declared,
        programs,
        ..job(session, inputs, groups, detail, destination)
    };
    render_all(&job, problems, &engine, &mut session.reporter)
}

/// Renders the inputs with their own outputs and with those of `to`. None: errors that were
/// added to the session's reporter prevent the comparison.
pub(super) fn render_both(
    session: &mut Session,
    inputs: &Inputs,
    to: &[BoundFile],
) -> Result<Option<Vec<RenderedTwice>>, Halted> {
    let engine = Engine::embedded(session.limits)?;
    let mut problems = Vec::new();
    let (detail, destination) = (Detail::Substitutions, Destination::Stdout);
    let has_named_binding = inputs.config.is_some();
    let groups = groups(inputs, has_named_binding, &destination, &mut problems);
    let job = job(session, inputs, groups, detail, destination);
    render_twice(&job, to, problems, &engine, &mut session.reporter)
}

/// Returns the changes that migrate the inputs from a dialect; what is left is an error unless
/// `is_partial`. The result must not be used when
/// the session's reporter has errors.
pub(super) fn migrate(
    session: &mut Session,
    inputs: &Inputs,
    (dialect, is_partial): (&str, bool),
) -> Result<Vec<Migration>, Halted> {
    let engine = Engine::embedded(session.limits)?;
    let mut problems = Vec::new();
    let destination = match inputs.paths.contains(&InputPath::Stdin) {
        true => Destination::Stdout,
        false => Destination::InPlace {
            replace_references: true,
        },
    };
    let has_named_binding = inputs.config.is_some();
    let groups = groups(inputs, has_named_binding, &destination, &mut problems);
    let job = job(session, inputs, groups, Detail::Diagnostics, destination);
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
) -> Result<(), Halted> {
    let engine = Engine::embedded(session.limits)?;
    let mut problems = Vec::new();
    let (detail, destination) = (Detail::Diagnostics, Destination::Stdout);
    // Rendered manifests have no Binding, so none is searched for.
    let groups = groups(inputs, true, &destination, &mut problems);
    let job = job(session, inputs, groups, detail, destination);
    application::report_unrendered(&job, allowed, problems, &engine, &mut session.reporter)
}

fn groups(
    inputs: &Inputs,
    has_named_binding: bool,
    destination: &Destination,
    problems: &mut Vec<Problem>,
) -> Vec<Group> {
    let search = Search {
        has_named_binding,
        root: &root(inputs),
        output: match destination {
            Destination::Folder(folder) => Some(folder),
            Destination::Stdout | Destination::InPlace { .. } => None,
        },
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
    groups: Vec<Group>,
    detail: Detail,
    destination: Destination,
) -> Job<'i> {
    Job {
        groups,
        bound_files: &inputs.bound,
        declared: &[],
        config: inputs.config.as_ref(),
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
        release: Release::default(),
        hints: &[],
        destination,
    }
}

/// Summarizes a render for `-v`.
pub(super) fn summary(rendered: &[Rendered]) -> String {
    let files: usize = rendered
        .iter()
        .map(|rendered| {
            let targets = rendered.application.targets.iter().flatten();
            targets.count() + rendered.answer.generated.len()
        })
        .sum();
    let outputs: usize = rendered
        .iter()
        .map(|rendered| rendered.application.request.outputs.len())
        .sum();
    let edits: usize = rendered.iter().map(Rendered::edits).sum();
    format!(
        "{}, {}, {}",
        counted(files, "manifest file", "manifest files"),
        counted(outputs, "outputs document", "outputs documents"),
        counted(edits, "edit", "edits")
    )
}

pub(super) fn counted(number: usize, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}
