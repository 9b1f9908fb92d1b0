//! Outputs documents without manifests, as `landfall outputs` uses them.

use std::collections::BTreeSet;
use std::io;
use std::path::Path;

use landfall_sandbox::types::{Config, Inputs, Location, Need, Parameter};

use crate::discovery::Group;
use crate::draw::{Document, Documents};
use crate::engine::{OutputsInputs, Plugin, Request, configuration, has_errors};
use crate::files::{self, Budget, FileError, FileId};
use crate::paths::{self, display as display_path};
use crate::problem::{self, HostRule, Problem};
use crate::reporter::{Failed, Reporter};
use crate::settings::{BoundFile, InputPath, Limits};

use super::flag_inputs::{FlagInputs, display_name, read_input};
use super::job::Job;
use super::load::{Loaded, Loader};
use super::renamed_outputs::{NamedFile, RequiredFiles, patterns};

/// Reads the outputs documents of a job without manifests, and the file of a contract.
///
/// # Errors
/// An error was reported, or the module was stopped, or its answer is invalid.
pub(crate) fn load_outputs(
    job: &Job<'_>,
    contract: Option<&InputPath>,
    plugin: &mut Plugin,
    reporter: &mut Reporter,
) -> Result<OutputsInputs, Failed> {
    let mut budget = Budget::new(job.limits.input);
    let mut problems = Vec::new();
    let mut flag_inputs = FlagInputs::of_job(job, &mut budget, &mut problems);
    let contract = contract.map(|contract| read_contract(contract, job.stdin_name, &mut budget));
    let contract = contract.and_then(|read| read.map_err(|problem| problems.push(problem)).ok());
    let is_full = problems.iter().any(Problem::stops_reading);
    reporter.add(&Documents::default(), &problem::diagnostics(problems));
    if is_full {
        reporter.check()?;
    }
    let group = Group::Files(Vec::new());
    let mut written = BTreeSet::<FileId>::new();
    let mut loader = Loader::new(job, &flag_inputs, &mut budget, &mut written, plugin);
    loader.group(&group)?;
    let Loaded {
        application,
        problems,
        mut findings,
        ..
    } = loader.loaded;
    findings.diagnostics.extend(problem::diagnostics(problems));
    reporter.add_findings(&application.documents(), &findings);
    reporter.check()?;
    let Request {
        configuration,
        inputs: Inputs { mut documents, .. },
        ..
    } = application.request;
    documents.append(&mut flag_inputs.outputs);
    Ok(OutputsInputs {
        configuration,
        documents,
        contract,
    })
}

/// The Binding of the current folder, and the files that only flags bind.
pub(crate) struct OwnBinding<'a> {
    pub(crate) path: &'a Path,
    pub(crate) bound: &'a [BoundFile],
    pub(crate) parameters: &'a [Parameter],
}

/// Applies a Binding to documents that only flags bind, if it declares some of their outputs
/// sensitive. A Binding that cannot be read may do so, too.
///
/// # Errors
/// An error was reported, or the module was stopped, or its answer is invalid.
pub(crate) fn apply_own_binding(
    inputs: &mut OutputsInputs,
    own: &OwnBinding<'_>,
    limits: Limits,
    plugin: &mut Plugin,
    reporter: &mut Reporter,
) -> Result<(), Failed> {
    let shown = display_path(own.path);
    let binding = match files::read_user_path(own.path, &mut Budget::new(limits.input)) {
        Ok(content) => Config {
            path: shown,
            content,
        },
        Err(error) => {
            return Err(reporter.refuse(Problem::manifest(&shown, &error)).into());
        }
    };
    let ceiling = inputs.configuration.ceiling.clone();
    let configuration = configuration(Some(binding.clone()), ceiling);
    let plan = plugin.plan(&configuration, own.parameters, None)?;
    // One that cannot be read may bind any name.
    let is_readable = !has_errors(&plan.findings.diagnostics);
    let is_unknown = |name: &String| is_readable && !plan.names.contains(name);
    // A parameter that is missing is still in the path.
    let depends = |need: &Need| need.location == Location::Root && need.path.contains('{');
    let is_unknown_path = is_readable && plan.documents.iter().any(depends);
    if is_unknown_path && memchr::memmem::find(&binding.content, b"sensitive").is_some() {
        let mut bound = own.bound.iter().map(|file| &file.name);
        if let Some(name) = bound.find(|name| is_unknown(name)) {
            let problem = unknown_declarations(&binding.path, name);
            return Err(reporter.refuse(problem).into());
        }
    }
    if is_readable {
        let named: Vec<_> = own.bound.iter().filter_map(NamedFile::of).collect();
        let patterns = patterns(&named, &plan, &configuration, plugin)?;
        let files = RequiredFiles {
            binding: &binding.path,
            needs: &plan.documents,
            patterns: &patterns,
            folder: std::fs::canonicalize(paths::folder_of(own.path)).ok(),
            mounted: None,
        };
        let found = files.declared_under_other_name(&named);
        if let Some(problem) = found {
            return Err(reporter.refuse(problem).into());
        }
    }
    if inputs.documents.iter().all(|bound| is_unknown(&bound.name)) {
        return Ok(());
    }
    // A contract has the names of the outputs, their types, and which are sensitive.
    let contract = plugin.outputs_contract(inputs)?;
    inputs.configuration.binding = Some(binding);
    let with_binding = plugin.outputs_contract(inputs)?;
    if let (Ok(contract), Ok(with_binding)) = (contract, with_binding)
        && contract == with_binding
    {
        inputs.configuration.binding = None;
    }
    Ok(())
}

/// A file that is bound to `name`, which the Binding does not bind, while its own files depend
/// on parameters that are not set.
fn unknown_declarations(binding: &str, name: &str) -> Problem {
    let message = format!(
        "the Binding `{binding}` declares outputs sensitive, and the paths of its files depend on parameters: whether `{name}` is one of them is not known"
    );
    Problem::new(HostRule::BindingNotApplied, message)
        .help("bind the file under its name in the Binding, or render without it: `--no-binding`")
}

/// Returns the problem of a redirection to one of these files: with `>>`, what is written
/// would become a part of it.
pub(crate) fn stdout_is_outputs(inputs: &OutputsInputs) -> Option<Problem> {
    let stdout = FileId::of_stdout()?;
    let documents = inputs.documents.iter().map(|document| &document.path);
    let binding = inputs.configuration.binding.iter();
    let mut paths = documents.chain(binding.map(|binding| &binding.path));
    let path = paths.find(|path| FileId::of(Path::new(path)).as_ref() == Some(&stdout))?;
    let message =
        format!("standard output is written to `{path}`, from which the outputs are read");
    Some(Problem::new(HostRule::OutputAmongManifests, message).help("choose another file"))
}

/// Reads the file of `--contract`.
///
/// # Errors
/// It cannot be read.
pub(crate) fn read_contract(
    contract: &InputPath,
    stdin_name: &str,
    budget: &mut Budget,
) -> Result<Config, Problem> {
    let path = display_name(contract, stdin_name);
    match read_input(contract, budget) {
        Ok(content) => Ok(Config { path, content }),
        Err(error) => Err(Problem::flag("--contract", &path, &error)),
    }
}

/// Reads the file of `--config-file`.
///
/// # Errors
/// It cannot be read, or is not UTF-8.
pub(crate) fn read_config_file(path: &Path, budget: &mut Budget) -> Result<String, Problem> {
    let shown = display_path(path);
    let failed = |error| Problem::flag("--config-file", &shown, &error);
    let content = files::read_user_path(path, budget).map_err(failed)?;
    String::from_utf8(content).map_err(|_| {
        let not_utf8 = io::Error::other("it is not UTF-8");
        failed(FileError::Unreadable(not_utf8))
    })
}

/// Returns the documents that spans in diagnostics of these inputs point into.
pub(crate) fn outputs_documents(inputs: &OutputsInputs) -> Documents<'_> {
    Documents {
        outputs: inputs.documents.iter().map(Document::from).collect(),
        binding: inputs.configuration.binding.as_ref().map(Document::from),
        contract: inputs.contract.as_ref().map(Document::from),
        ..Documents::default()
    }
}

/// Returns the documents that spans in diagnostics of a contract point into.
pub(crate) fn contract_documents(contract: &Config) -> Documents<'_> {
    Documents {
        contract: Some(Document::from(contract)),
        ..Documents::default()
    }
}
