//! `landfall outputs`: outputs documents without manifests. A file for each subcommand.

pub(super) mod check;
pub(super) mod contract;

use std::path::{Path, PathBuf};

use landfall_sandbox::Plugin;
use landfall_sandbox::types::{Detail, OutputsInputs};

use crate::application::{BINDINGS, Job, Problem, RootChoice, apply_own_binding, load_outputs};
use crate::engine::Halted;
use crate::settings::{Destination, InputPath, Outputs, Policies, Release};

use super::inputs::{STDIN, mounted};
use super::session::Session;

/// Loads the outputs documents and the file of a contract. Returns None after adding errors
/// to the session's reporter.
pub(super) fn load(
    session: &mut Session,
    outputs: &Outputs,
    contract: Option<&InputPath>,
    plugin: &mut Plugin,
) -> Result<Option<OutputsInputs>, Halted> {
    let own_binding = match &outputs.config {
        None => own_binding(),
        Some(_) => None,
    };
    let named_by_own = own_binding.clone().filter(|_| outputs.bound.is_empty());
    let named_by_own = named_by_own.map(InputPath::Path);
    let config = outputs.config.as_ref().or(named_by_own.as_ref());
    if config.is_none() && outputs.bound.is_empty() {
        let lacks_binding = true;
        session.add_problems(vec![Problem::NoOutputs { lacks_binding }]);
        return Ok(None);
    }
    let job = Job {
        groups: Vec::new(),
        bound_files: &outputs.bound,
        declared: &[],
        config,
        root: (outputs.root.clone()).map_or(RootChoice::WorkTree, RootChoice::Folder),
        ceiling: session.ceiling(None),
        operator_policy_file: None,
        policies: &Policies::default(),
        parameters: outputs.parameters.clone(),
        mounted: mounted(outputs.mounted.as_ref()),
        digest: None,
        stdin_name: outputs.stdin_name.as_deref().unwrap_or(STDIN),
        detail: Detail::Diagnostics,
        limits: session.limits,
        programs: None,
        release: Release::default(),
        hints: &[],
        destination: Destination::Stdout,
        jobs: None,
        fleet: None,
    };
    let reporter = &mut session.reporter;
    let Some(mut inputs) = load_outputs(&job, contract, plugin, reporter)? else {
        return Ok(None);
    };
    if config.is_none()
        && let Some(own) = own_binding
        && !apply_own_binding(&mut inputs, &own, session.limits, plugin, reporter)?
    {
        return Ok(None);
    }
    Ok(Some(inputs))
}

/// Returns the Binding of the current folder.
fn own_binding() -> Option<PathBuf> {
    let names = BINDINGS.map(Path::new);
    let own = names.iter().find(|name| name.symlink_metadata().is_ok())?;
    Some(own.to_path_buf())
}
