//! `landfall outputs contract`: writes the contract that outputs documents satisfy.

use std::io::Write;

use crate::engine::{Engine, Halted, errors};
use crate::exit::Exit;
use crate::files::Budget;
use crate::loading::outputs_documents;
use crate::settings::{ContractSource, Outputs, TerraformFolder};

use super::super::session::Session;
use super::super::terraform;

/// The outcome of a run with errors.
const NOTHING_WRITTEN: &str = "no contract was written";

pub(crate) fn run(mut session: Session, source: &ContractSource) -> Exit {
    let written = match source {
        ContractSource::Documents(outputs) => contract(&mut session, outputs),
        ContractSource::Terraform(folder) => Ok(declared(&mut session, folder)),
    };
    match written {
        Err(halted) => session.halt(&halted, NOTHING_WRITTEN),
        Ok(Some(contract)) if !session.reporter.has_errors() => {
            session.write(contract.len(), |out| out.write_all(&contract))
        }
        Ok(_) => session.fail(NOTHING_WRITTEN),
    }
}

/// Returns the contract, or None after adding errors to the session's reporter.
fn contract(session: &mut Session, outputs: &Outputs) -> Result<Option<Vec<u8>>, Halted> {
    let engine = Engine::embedded(session.limits)?;
    let _watch = engine.watch();
    let mut plugin = engine.start()?;
    let Some(inputs) = super::load_source(session, outputs, &mut plugin)? else {
        return Ok(None);
    };
    match plugin.outputs_contract(&inputs)? {
        Ok(contract) => Ok(Some(contract)),
        Err(found) => {
            let found = errors(found)?;
            let documents = outputs_documents(&inputs);
            session.reporter.add(&documents, &found.diagnostics);
            session.reporter.omit(found.omitted);
            Ok(None)
        }
    }
}

/// Returns the contract of the outputs that Terraform code declares, or None after adding
/// errors to the session's reporter.
fn declared(session: &mut Session, folder: &TerraformFolder) -> Option<Vec<u8>> {
    let mut budget = Budget::new(session.limits.input);
    let folders = std::slice::from_ref(folder);
    let declared = terraform::read_all(session, folders, "--from-terraform", &mut budget)?;
    let contract = declared.first()?.contract();
    Some(contract.document.content)
}
