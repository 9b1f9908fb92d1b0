//! `landfall diff`: shows what a change of outputs does to manifests.

use crate::exit::Exit;
use crate::report::Diff;
use crate::settings::{BindingFlag, BoundFile, DiffFormat, Inputs, Programs};

use super::inputs;
use super::session::Session;

/// The outcome if the two sides cannot be compared.
const NOTHING_COMPARED: &str = "nothing was compared";

pub(super) fn run(
    mut session: Session,
    inputs: &Inputs,
    programs: &Programs,
    to: &[BoundFile],
    format: DiffFormat,
) -> Exit {
    let rendered = match inputs::render_both(&mut session, inputs, programs, to) {
        Err(failed) => return session.end(&failed, NOTHING_COMPARED),
        Ok(rendered) => rendered,
    };
    let plans = inputs
        .bound
        .iter()
        .filter(|bound| bound.flag == BindingFlag::Plan);
    let names = to.iter().chain(plans).map(|bound| bound.name.as_str());
    let diff = match Diff::of(&rendered, names) {
        Err(halted) => return session.halt(&halted, NOTHING_COMPARED),
        Ok(diff) => diff,
    };
    let exit = if diff.has_failed() || session.reporter.check().is_err() {
        Exit::DiffErrors
    } else if diff.is_empty() {
        Exit::Done
    } else {
        Exit::Changed
    };
    session.write_text(exit, &diff.write(format))
}
