//! `landfall check`: reports all problems and writes nothing.

use landfall_sandbox::types::Detail;

use crate::exit::Exit;
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
    if let Some(NoReferences { allowed }) = no_references {
        return match inputs::report_unrendered(&mut session, inputs, allowed) {
            Err(halted) => session.halt(&halted, ""),
            Ok(()) => finish(session, format),
        };
    }
    if let Some(each) = &inputs.each {
        return match fleet::check(&mut session, inputs, each, programs) {
            Err(halted) => session.halt(&halted, ""),
            Ok(()) => finish(session, format),
        };
    }
    let rendered = match inputs::render(
        &mut session,
        inputs,
        Some(programs),
        Detail::Diagnostics,
        Destination::Stdout,
    ) {
        Err(halted) => return session.halt(&halted, ""),
        Ok(rendered) => rendered,
    };
    if !session.reporter.has_errors() {
        session
            .reporter
            .remark(&format!("no errors: {}", inputs::summary(&rendered)));
    }
    finish(session, format)
}

/// Ends a check in this format.
pub(super) fn finish(session: Session, format: CheckFormat) -> Exit {
    match format {
        CheckFormat::Report(format) => session.report(format),
        CheckFormat::Text if session.reporter.has_errors() => session.fail(""),
        CheckFormat::Text => session.done(),
    }
}
