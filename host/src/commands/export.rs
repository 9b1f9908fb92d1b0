//! `landfall export`: writes outputs in the form that another tool reads.

use std::io::Write;

use landfall_sandbox::types::{Parameter, ParameterValue};

use crate::engine::{Engine, Halted, errors};
use crate::exit::Exit;
use crate::files::Budget;
use crate::loading::{outputs_documents, read_config_file};
use crate::settings::Export;

use super::outputs;
use super::session::Session;

/// The outcome of a run with errors.
const NOTHING_WRITTEN: &str = "nothing was exported";

pub(super) fn run(mut session: Session, export: &Export) -> Exit {
    match content(&mut session, export) {
        Err(halted) => session.halt(&halted, NOTHING_WRITTEN),
        Ok(Some(content)) if !session.reporter.has_errors() => {
            session.write(content.len(), |out| out.write_all(&content))
        }
        Ok(_) => session.fail(NOTHING_WRITTEN),
    }
}

/// Returns what is written, or None after adding errors to the session's reporter.
fn content(session: &mut Session, export: &Export) -> Result<Option<Vec<u8>>, Halted> {
    let mut options = export.options.clone();
    if let Some(path) = &export.config_file {
        let mut budget = Budget::new(session.limits.input);
        match read_config_file(path, &mut budget) {
            Ok(config) => options.push(Parameter {
                name: "config".to_owned(),
                value: ParameterValue::Text(config),
            }),
            Err(problem) => {
                session.add_problems(vec![problem]);
                return Ok(None);
            }
        }
    }
    let engine = Engine::embedded(session.limits)?;
    let _watch = engine.watch();
    let mut plugin = engine.start()?;
    let Some(inputs) = outputs::load_source(session, &export.outputs, &mut plugin)? else {
        return Ok(None);
    };
    let (found, content) = match plugin.export_outputs(&inputs, export.target, &options)? {
        Ok(exported) => (exported.findings, Some(exported.content)),
        Err(found) => (errors(found)?, None),
    };
    let documents = outputs_documents(&inputs);
    session.reporter.add(&documents, &found.diagnostics);
    session.reporter.omit(found.omitted);
    Ok(content)
}
