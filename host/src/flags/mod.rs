//! The command line: parsed low (what was typed), then resolved once into
//! [`Settings`], which the rest of the program trusts.

mod binding;
mod color;
mod definition;
mod help;
mod policy;
mod quantity;
mod resolve;

use std::ffi::{OsStr, OsString};
use std::path::Path;

use crate::settings::Settings;

/// What the command line is resolved against, so that tests can say it.
pub(crate) struct Surroundings<'a> {
    pub(crate) variable: &'a dyn Fn(&str) -> Option<OsString>,
    pub(crate) stderr_is_terminal: bool,
}

/// Reads a command line; the first argument is the program's own name.
///
/// # Errors
/// What clap prints and the code to exit with: also for `--help` and `--version`.
pub(crate) fn read(
    mut arguments: Vec<OsString>,
    surroundings: &Surroundings<'_>,
) -> Result<Settings, clap::Error> {
    if arguments.first().is_some_and(|name| is_krm_name(name)) {
        // kustomize and kpt call a function by its path alone.
        arguments.insert(1, "krm".into());
    }
    let mut command = definition::command();
    let matches = command.try_get_matches_from_mut(arguments)?;
    let typed = definition::Typed::from_matches(&matches)?;
    resolve::settings(typed, surroundings)
        .map_err(|message| command.error(clap::error::ErrorKind::ValueValidation, message))
}

fn is_krm_name(program: &OsStr) -> bool {
    Path::new(program).file_stem() == Some(OsStr::new("landfall-krm"))
}

#[cfg(test)]
mod tests;
