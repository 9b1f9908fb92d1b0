//! The subcommands, one file each.

mod check;
mod cmp;
mod explain;
mod inputs;
mod krm;
mod render;
mod session;
mod stdout;
mod table;

use crate::exit::Exit;
use crate::settings::{Command, Settings};

use session::Session;

/// Runs a command and returns how it ended.
pub(crate) fn run(settings: Settings) -> Exit {
    let Settings {
        command,
        report,
        limits,
    } = settings;
    let session = Session::new(report, limits, command.built_in_ceiling());
    match command {
        Command::Render {
            inputs,
            destination,
            prune,
        } => render::run(session, &inputs, &destination, prune),
        Command::Check {
            inputs,
            format,
            no_references,
        } => check::run(session, &inputs, format, no_references.as_ref()),
        Command::Explain {
            inputs,
            format,
            unused,
        } => explain::run(session, &inputs, format, unused),
        Command::Krm(krm) => krm::run(session, &krm),
        Command::CmpGenerate(cmp) => cmp::generate(session, &cmp),
        Command::CmpDiscover(cmp) => cmp::discover(session, &cmp),
    }
}
