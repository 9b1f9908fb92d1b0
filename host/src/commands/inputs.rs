//! `render`, `check` and `explain` take the same inputs.

use landfall_sandbox::types::Detail;

use crate::application::{self, Group, Job, Refusal, Rendered, RootChoice, Search, render_all};
use crate::engine::{Engine, Halted};
use crate::settings::{Destination, Inputs};

use super::session::Session;

/// What standard input is called when no flag names it.
const STDIN: &str = "<stdin>";

/// Renders what the command line names. Whether it may be used, the session's
/// drawing knows.
pub(super) fn render(
    session: &mut Session,
    inputs: &Inputs,
    detail: Detail,
    destination: Destination,
) -> Result<Vec<Rendered>, Halted> {
    let engine = Engine::embedded(session.limits)?;
    let mut refusals = Vec::new();
    let is_named = inputs.config.is_some();
    let groups = groups(inputs, is_named, &destination, &mut refusals);
    let job = job(session, inputs, groups, detail, destination);
    render_all(&job, refusals, &engine, &mut session.drawing)
}

/// Reports the references that are left in what the command line names; `allowed` begins
/// text that is meant.
pub(super) fn report_unrendered(
    session: &mut Session,
    inputs: &Inputs,
    allowed: &[String],
) -> Result<(), Halted> {
    let engine = Engine::embedded(session.limits)?;
    let mut refusals = Vec::new();
    let (detail, destination) = (Detail::Diagnostics, Destination::Stdout);
    // What is named is looked at as it is: rendered manifests have no Binding.
    let groups = groups(inputs, true, &destination, &mut refusals);
    let job = job(session, inputs, groups, detail, destination);
    application::report_unrendered(&job, allowed, refusals, &engine, &mut session.drawing)
}

fn groups(
    inputs: &Inputs,
    is_named: bool,
    destination: &Destination,
    refusals: &mut Vec<Refusal>,
) -> Vec<Group> {
    let search = Search {
        is_named,
        root: &root(inputs),
        output: match destination {
            Destination::Folder(folder) => Some(folder),
            Destination::Stdout | Destination::InPlace { .. } => None,
        },
    };
    search.groups(&inputs.paths, refusals)
}

fn root(inputs: &Inputs) -> RootChoice {
    let root = inputs.root.clone();
    root.map_or(RootChoice::WorkTree, RootChoice::Folder)
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
        bound: &inputs.bound,
        config: inputs.config.as_ref(),
        root: root(inputs),
        ceiling: session.ceiling(None),
        operator_policy_file: None,
        policies: &inputs.policies,
        parameters: Vec::new(),
        stdin_name: inputs.stdin_name.as_deref().unwrap_or(STDIN),
        detail,
        limits: session.limits,
        advice: &[],
        destination,
    }
}

/// What `-v` tells of a render.
pub(super) fn summary(rendered: &[Rendered]) -> String {
    let files: usize = rendered
        .iter()
        .map(|rendered| rendered.application.targets.iter().flatten().count())
        .sum();
    let outputs: usize = rendered
        .iter()
        .map(|rendered| rendered.application.request.outputs.len())
        .sum();
    let edits: usize = rendered.iter().map(Rendered::edits).sum();
    format!(
        "{}, {}, {}",
        counted(files, "file of manifests", "files of manifests"),
        counted(outputs, "outputs document", "outputs documents"),
        counted(edits, "edit", "edits")
    )
}

pub(super) fn counted(number: usize, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}
