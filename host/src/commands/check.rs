//! `landfall check`: everything that is wrong, and nothing written.

use landfall_sandbox::types::Detail;

use crate::exit::Exit;
use crate::settings::Inputs;

use super::inputs;
use super::session::Session;

pub(super) fn run(mut session: Session, inputs: &Inputs) -> Exit {
    match inputs::render(&mut session, inputs, Detail::Diagnostics, None) {
        Err(halted) => session.halt(&halted, ""),
        Ok(_) if session.drawing.has_errors() => session.fail(""),
        Ok(rendered) => {
            session
                .drawing
                .remark(&format!("no errors: {}", inputs::summary(&rendered)));
            session.done()
        }
    }
}
