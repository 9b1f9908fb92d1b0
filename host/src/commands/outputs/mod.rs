//! `landfall outputs`: outputs documents without manifests. A file for each subcommand.

pub(super) mod check;
pub(super) mod contract;

use std::path::{Path, PathBuf};

use landfall_sandbox::types::Detail;

use crate::discovery::{self, NearTo, RootChoice, Search, near_binding};
use crate::engine::{OutputsInputs, Plugin};
use crate::files::{Budget, Kind};
use crate::loading::{
    Job, OwnBinding, apply_own_binding, load_outputs, no_outputs, stdout_is_outputs,
};
use crate::problem::Problem;
use crate::reporter::Failed;
use crate::settings::{BoundFile, Destination, InputPath, Limits, Outputs, Policies, Release};

use super::inputs::{STDIN, mounted};
use super::session::Session;

/// Loads the outputs documents and the file of a contract.
pub(super) fn load(
    session: &mut Session,
    outputs: &Outputs,
    contract: Option<&InputPath>,
    plugin: &mut Plugin,
) -> Result<OutputsInputs, Failed> {
    let own_binding = match &outputs.config {
        None if outputs.ignores_bindings => None,
        None => own_binding(&outputs.bound, &root(outputs), session.limits)
            .map_err(|problem| session.reporter.refuse(problem))?,
        Some(_) => None,
    };
    let named_by_own = own_binding
        .clone()
        .filter(|_| outputs.bound.is_empty())
        .map(InputPath::Path);
    let config = outputs.config.as_ref().or(named_by_own.as_ref());
    if config.is_none() && outputs.bound.is_empty() {
        let lacks_binding = true;
        return Err(session.reporter.refuse(no_outputs(lacks_binding)).into());
    }
    let job = Job {
        groups: Vec::new(),
        outside: Vec::new(),
        bound_files: &outputs.bound,
        declared: &[],
        config,
        ignores_bindings: false,
        repository: None,
        root: root(outputs),
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
        is_about_sources: false,
        release: Release::default(),
        hints: &[],
        destination: Destination::Stdout,
        jobs: None,
        fleet: None,
    };
    let reporter = &mut session.reporter;
    let mut inputs = load_outputs(&job, contract, plugin, reporter)?;
    if config.is_none()
        && let Some(path) = own_binding
    {
        let own = OwnBinding {
            path: &path,
            bound: &outputs.bound,
            parameters: &outputs.parameters,
        };
        apply_own_binding(&mut inputs, &own, session.limits, plugin, reporter)?;
    }
    Ok(inputs)
}

/// Loads the outputs documents of a command that writes another document to standard output.
pub(super) fn load_source(
    session: &mut Session,
    outputs: &Outputs,
    plugin: &mut Plugin,
) -> Result<OutputsInputs, Failed> {
    let inputs = load(session, outputs, None, plugin)?;
    match stdout_is_outputs(&inputs) {
        Some(problem) => Err(session.reporter.refuse(problem).into()),
        None => Ok(inputs),
    }
}

/// Returns the nearest Binding in the current folder or above it, where flags bind `bound`.
///
/// # Errors
/// There is one that was probably meant, but does not apply; there are two, or it cannot be read.
pub(super) fn own_binding(
    bound: &[BoundFile],
    root: &RootChoice,
    limits: Limits,
) -> Result<Option<PathBuf>, Problem> {
    let search = Search {
        has_named_binding: false,
        root,
        outputs: &[],
        stdin_name: "",
        bound,
    };
    let current = Path::new(".");
    let Some(found) = search.application_of(current, Kind::Folder) else {
        let to = NearTo::Outputs;
        let near = search.not_searched(current);
        return match near.or_else(|| search.of_outputs(search.bound)) {
            Some(near) => Err(near_binding(&near, &to)),
            None => Ok(None),
        };
    };
    if let Some(near) = search.declaring(search.bound, &found.path) {
        let to = NearTo::Outputs;
        return Err(near_binding(&near, &to));
    }
    let folder = &found.display_path;
    let opened = root.open(&found.path).and_then(|root| {
        let folder = root.relative(&found.path)?;
        Ok((root, folder))
    });
    let (root, inside) = opened.map_err(|error| Problem::manifest(folder, &error))?;
    let own = discovery::own_binding(&root, &inside, folder, &mut Budget::new(limits.input))?;
    Ok(own.map(|own| PathBuf::from(own.path)))
}

fn root(outputs: &Outputs) -> RootChoice {
    let root = outputs.root.clone();
    root.map_or(RootChoice::WorkTree, RootChoice::Folder)
}
