//! `render`, `check` and `explain` take the same inputs.

use landfall_sandbox::types::Detail;

use crate::application::{Group, Job, Rendered, RootChoice, render_all};
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
    let job = Job {
        groups: Group::of_places(&inputs.paths, &mut refusals),
        bound: &inputs.bound,
        config: inputs.config.as_ref(),
        root: inputs
            .root
            .clone()
            .map_or(RootChoice::WorkTree, RootChoice::Folder),
        operator_policy: None,
        policies: &inputs.policies,
        parameters: Vec::new(),
        stdin_name: inputs.stdin_name.as_deref().unwrap_or(STDIN),
        detail,
        limits: session.limits,
        destination,
    };
    render_all(&job, refusals, &engine, &mut session.drawing)
}

/// What `-v` tells of a render.
pub(super) fn summary(rendered: &[Rendered]) -> String {
    let files: usize = rendered
        .iter()
        .map(|rendered| rendered.application.files.len())
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
