//! The subcommands, one file each.

mod adopt;
mod argocd;
mod check;
mod cmp;
mod diff;
mod digest_key;
mod expand;
mod explain;
mod export;
mod fleet;
mod helm;
mod inputs;
mod install;
mod krm;
mod migrate;
mod outputs;
mod render;
mod sample;
mod session;
mod stamp;
mod stdout;
mod table;
mod terraform;
mod write;

use crate::exit::Exit;
use crate::settings::{Command, Settings, Verbosity};

use argocd::doctor::Strictness;
use session::Session;

/// Runs a command and returns how it ended.
pub(crate) fn run(settings: Settings) -> Exit {
    let Settings {
        command,
        report,
        limits,
    } = settings;
    let strictness = Strictness {
        fails_on_warnings: report.strict,
        only_errors: report.verbosity == Verbosity::Quiet,
    };
    let session = Session::new(
        report,
        limits,
        command.built_in_ceiling(),
        command.error_exit(),
    );
    match command {
        Command::Render {
            inputs,
            programs,
            destination,
            prune,
            check,
        } => render::run(session, &inputs, &programs, &destination, prune, check),
        Command::Check {
            inputs,
            programs,
            format,
            no_references,
        } => check::run(session, &inputs, &programs, format, no_references.as_ref()),
        Command::Explain {
            inputs,
            format,
            unused,
        } => explain::run(session, &inputs, format, unused),
        Command::OutputsCheck {
            outputs,
            contract,
            format,
        } => outputs::check::run(session, &outputs, contract.as_ref(), format),
        Command::OutputsContract(source) => outputs::contract::run(session, &source),
        Command::Sample(sample) => sample::run(session, &sample),
        Command::Adopt {
            inputs,
            format,
            writes,
        } => adopt::run(session, &inputs, format, writes),
        Command::Migrate(migrate) => migrate::run(session, &migrate),
        Command::Diff {
            inputs,
            programs,
            to,
            format,
        } => diff::run(session, &inputs, &programs, &to, format),
        Command::Expand(expand) => expand::run(session, &expand),
        Command::Export(export) => export::run(session, &export),
        Command::Stamp(stamp) => stamp::run(session, &stamp),
        Command::Krm(krm) => krm::run(session, &krm),
        Command::HelmValues(values) => helm::values(session, &values),
        Command::Install { folder } => install::run(session, &folder),
        Command::CmpInit(cmp) => cmp::init(session, &cmp),
        Command::CmpDiscover(cmp) => cmp::discover(session, &cmp),
        Command::CmpParameters(cmp) => cmp::announce::run(session, &cmp),
        Command::CmpGenerate(cmp) => cmp::generate(session, &cmp),
        Command::ArgocdInstall(install) => argocd::install(session, &install),
        Command::ArgocdDoctor(doctor) => argocd::doctor::run(session, &doctor, strictness),
    }
}
