//! `landfall sample`: writes placeholder outputs that satisfy a contract.

use std::io::Write;

use landfall_sandbox::types::{Config, OutputsDocument};

use crate::engine::Engine;
use crate::exit::Exit;
use crate::files::Budget;
use crate::loading::{contract_documents, read_contract};
use crate::problem::{HostRule, Problem};
use crate::reporter::Failed;
use crate::settings::Sample;

use super::inputs::STDIN;
use super::session::Session;

/// The outcome of a run with errors.
const NOTHING_WRITTEN: &str = "no sample was written";

pub(super) fn run(mut session: Session, sample: &Sample) -> Exit {
    let stdin_name = sample.stdin_name.as_deref().unwrap_or(STDIN);
    let mut budget = Budget::new(session.limits.input);
    let contract = match read_contract(&sample.contract, stdin_name, &mut budget) {
        Ok(contract) => contract,
        Err(problem) => return session.refuse(vec![problem], NOTHING_WRITTEN),
    };
    let documents = match documents(&mut session, &contract) {
        Err(failed) => return session.end(&failed, NOTHING_WRITTEN),
        Ok(documents) => documents,
    };
    match choose(documents, sample.name.as_deref(), &contract.path) {
        Ok(document) => session.write(document.content.len(), |out| {
            out.write_all(&document.content)
        }),
        Err(problem) => session.refuse(vec![problem], NOTHING_WRITTEN),
    }
}

/// Returns the sample documents.
fn documents(session: &mut Session, contract: &Config) -> Result<Vec<OutputsDocument>, Failed> {
    let engine = Engine::embedded(session.limits)?;
    let _watch = engine.watch();
    let mut plugin = engine.start()?;
    match plugin.sample_outputs(contract)? {
        Ok(documents) => Ok(documents),
        Err(found) => {
            let documents = contract_documents(contract);
            Err(session.reporter.fail(&documents, found)?.into())
        }
    }
}

/// Returns the document of the bound name that was asked for, or the only one.
///
/// # Errors
/// The contract does not have the name, or does not have exactly one.
fn choose(
    mut documents: Vec<OutputsDocument>,
    name: Option<&str>,
    path: &str,
) -> Result<OutputsDocument, Problem> {
    let position = match name {
        Some(name) => documents.iter().position(|document| document.name == name),
        None => (documents.len() == 1).then_some(0),
    };
    match position {
        Some(position) => Ok(documents.swap_remove(position)),
        None => {
            let names = documents.iter().map(|document| document.name.as_str());
            Err(contract_names(path, name, &names.collect::<Vec<_>>()))
        }
    }
}

/// A contract without the bound name that is asked for, or with several if none is.
fn contract_names(path: &str, wanted: Option<&str>, names: &[&str]) -> Problem {
    let listed: Vec<_> = names.iter().map(|name| format!("`{name}`")).collect();
    let listed = listed.join(", ");
    let (message, help) = match (wanted, names) {
        (_, []) => (
            format!("`{path}` describes no outputs"),
            "add a bound name and its outputs to its `spec`".to_owned(),
        ),
        (Some(wanted), _) => (
            format!("`{path}` does not describe `{wanted}`"),
            format!("it describes {listed}"),
        ),
        (None, _) => (
            format!("`{path}` describes several outputs documents, but only one can be written"),
            format!("choose one with --name: {listed}"),
        ),
    };
    Problem::new(HostRule::ContractNames, message).help(help)
}
