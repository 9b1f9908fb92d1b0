//! `landfall check`: reports all problems and writes nothing.

use landfall_sandbox::types::Detail;

use crate::exit::Exit;
use crate::reporter::Failed;
use crate::settings::{CheckFormat, Destination, Inputs, NoReferences, Programs};

use super::session::Session;
use super::{fleet, inputs};

pub(super) fn run(
    mut session: Session,
    inputs: &Inputs,
    programs: &Programs,
    format: CheckFormat,
    no_references: Option<&NoReferences>,
) -> Exit {
    if format != CheckFormat::Text {
        session.reporter.collect();
    }
    let checked = checked(&mut session, inputs, programs, no_references);
    finish(session, format, checked)
}

fn checked(
    session: &mut Session,
    inputs: &Inputs,
    programs: &Programs,
    no_references: Option<&NoReferences>,
) -> Result<(), Failed> {
    if let Some(NoReferences { allowed }) = no_references {
        return inputs::report_unrendered(session, inputs, allowed);
    }
    if let Some(each) = &inputs.each {
        return fleet::check(session, inputs, each, programs);
    }
    let (detail, destination) = (Detail::Diagnostics, Destination::Stdout);
    let rendered = inputs::render(session, inputs, programs, detail, destination)?;
    let summary = inputs::summary(&rendered);
    session.reporter.remark(&format!("no errors: {summary}"));
    Ok(())
}

/// Ends a check in this format.
pub(super) fn finish(session: Session, format: CheckFormat, checked: Result<(), Failed>) -> Exit {
    match (checked, format) {
        (Ok(()) | Err(Failed::Reported(_)), CheckFormat::Report(format)) => session.report(format),
        (Err(failed), _) => session.end(&failed, ""),
        (Ok(()), CheckFormat::Text) => session.done(),
    }
}
