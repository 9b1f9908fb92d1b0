//! `landfall outputs check`: reports all problems with outputs documents.

use crate::engine::Engine;
use crate::exit::Exit;
use crate::loading::{Repository, outputs_documents, secrets_in_git};
use crate::reporter::Failed;
use crate::settings::{CheckFormat, InputPath, Outputs};

use super::super::check::finish;
use super::super::inputs::counted;
use super::super::session::Session;

pub(crate) fn run(
    mut session: Session,
    outputs: &Outputs,
    contract: Option<&InputPath>,
    format: CheckFormat,
) -> Exit {
    if format != CheckFormat::Text {
        session.reporter.collect();
    }
    let checked = check(&mut session, outputs, contract);
    finish(session, format, checked)
}

fn check(
    session: &mut Session,
    outputs: &Outputs,
    contract: Option<&InputPath>,
) -> Result<(), Failed> {
    let engine = Engine::embedded(session.limits)?;
    let _watch = engine.watch();
    let mut plugin = engine.start()?;
    let inputs = super::load(session, outputs, contract, &mut plugin)?;
    let found = plugin.check_outputs(&inputs)?;
    let in_git = secrets_in_git(
        &inputs.documents,
        &found.readable_secrets,
        &inputs.configuration,
        Repository::WorkTree,
    );
    let documents = outputs_documents(&inputs);
    let reporter = &mut session.reporter;
    reporter.add_outputs(&documents);
    reporter.add(&documents, &in_git);
    reporter.add_findings(&documents, &found);
    reporter.check()?;
    let checked = counted(
        inputs.documents.len(),
        "outputs document",
        "outputs documents",
    );
    reporter.remark(&format!("no errors: {checked}"));
    Ok(())
}
