//! `landfall outputs contract`: writes the contract that outputs documents satisfy.

use std::io::Write;

use crate::engine::Engine;
use crate::exit::Exit;
use crate::files::Budget;
use crate::loading::outputs_documents;
use crate::reporter::Failed;
use crate::settings::{ContractSource, Outputs, TerraformFolder};

use super::super::session::Session;
use super::super::terraform;

/// The outcome of a run with errors.
const NOTHING_WRITTEN: &str = "no contract was written";

pub(crate) fn run(mut session: Session, source: &ContractSource) -> Exit {
    let written = match source {
        ContractSource::Documents(outputs) => contract(&mut session, outputs),
        ContractSource::Terraform(folder) => declared(&mut session, folder),
    };
    match written {
        Err(failed) => session.end(&failed, NOTHING_WRITTEN),
        Ok(contract) => session.write(contract.len(), |out| out.write_all(&contract)),
    }
}

fn contract(session: &mut Session, outputs: &Outputs) -> Result<Vec<u8>, Failed> {
    let engine = Engine::embedded(session.limits)?;
    let _watch = engine.watch();
    let mut plugin = engine.start()?;
    let inputs = super::load_source(session, outputs, &mut plugin)?;
    match plugin.outputs_contract(&inputs)? {
        Ok(contract) => Ok(contract),
        Err(found) => {
            let documents = outputs_documents(&inputs);
            Err(session.reporter.fail(&documents, found)?.into())
        }
    }
}

/// Returns the contract of the outputs that Terraform code declares.
fn declared(session: &mut Session, folder: &TerraformFolder) -> Result<Vec<u8>, Failed> {
    let mut budget = Budget::new(session.limits.input);
    let folders = std::slice::from_ref(folder);
    let declared = terraform::read_all(session, folders, "--from-terraform", &mut budget)?;
    let contracts = declared.iter().map(|one| one.contract().document.content);
    Ok(contracts.flatten().collect())
}
