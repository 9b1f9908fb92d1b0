//! `landfall outputs`: outputs documents without manifests. A file for each subcommand.

pub(super) mod check;
pub(super) mod contract;

use landfall_sandbox::Plugin;
use landfall_sandbox::types::{Detail, OutputsInputs};

use crate::application::{Job, RootChoice, load_outputs};
use crate::engine::Halted;
use crate::settings::{Destination, InputPath, Outputs, Policies};

use super::inputs::STDIN;
use super::session::Session;

/// Loads the outputs documents and the file of a contract. Returns None after adding errors
/// to the session's reporter.
pub(super) fn load(
    session: &mut Session,
    outputs: &Outputs,
    contract: Option<&InputPath>,
    plugin: &mut Plugin,
) -> Result<Option<OutputsInputs>, Halted> {
    let job = Job {
        groups: Vec::new(),
        bound_files: &outputs.bound,
        declared: &[],
        config: outputs.config.as_ref(),
        root: (outputs.root.clone()).map_or(RootChoice::WorkTree, RootChoice::Folder),
        ceiling: session.ceiling(None),
        operator_policy_file: None,
        policies: &Policies::default(),
        parameters: Vec::new(),
        stdin_name: outputs.stdin_name.as_deref().unwrap_or(STDIN),
        detail: Detail::Diagnostics,
        limits: session.limits,
        hints: &[],
        destination: Destination::Stdout,
    };
    load_outputs(&job, contract, plugin, &mut session.reporter)
}
