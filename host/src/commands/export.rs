//! `landfall export`: writes outputs in the form that another tool reads.

use std::io::Write;

use landfall_sandbox::types::{Parameter, ParameterValue};

use crate::engine::Engine;
use crate::exit::Exit;
use crate::files::Budget;
use crate::loading::{outputs_documents, read_config_file};
use crate::reporter::Failed;
use crate::settings::Export;

use super::outputs;
use super::session::Session;

/// The outcome of a run with errors.
const NOTHING_WRITTEN: &str = "nothing was exported";

pub(super) fn run(mut session: Session, export: &Export) -> Exit {
    match content(&mut session, export) {
        Err(failed) => session.end(&failed, NOTHING_WRITTEN),
        Ok(content) => session.write(content.len(), |out| out.write_all(&content)),
    }
}

/// Returns what is written.
fn content(session: &mut Session, export: &Export) -> Result<Vec<u8>, Failed> {
    let mut options = export.options.clone();
    if let Some(path) = &export.config_file {
        let mut budget = Budget::new(session.limits.input);
        let config = read_config_file(path, &mut budget)
            .map_err(|problem| session.reporter.refuse(problem))?;
        options.push(Parameter {
            name: "config".to_owned(),
            value: ParameterValue::Text(config),
        });
    }
    let engine = Engine::embedded(session.limits)?;
    let _watch = engine.watch();
    let mut plugin = engine.start()?;
    let inputs = outputs::load_source(session, &export.outputs, &mut plugin)?;
    let documents = outputs_documents(&inputs);
    let reporter = &mut session.reporter;
    match plugin.export_outputs(&inputs, export.target, &options)? {
        Ok(exported) => {
            reporter.add_findings(&documents, &exported.findings);
            reporter.check()?;
            Ok(exported.content)
        }
        Err(found) => Err(reporter.fail(&documents, found)?.into()),
    }
}
