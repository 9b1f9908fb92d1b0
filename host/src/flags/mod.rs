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

use clap::error::{ContextKind, ContextValue, ErrorKind};

use crate::foreign;
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
    let shown: Vec<OsString> = arguments.iter().map(|argument| shown(argument)).collect();
    let has_foreign = shown != arguments;
    parse(arguments, surroundings).map_err(|error| match has_foreign {
        // clap quotes what was typed, and a shell types names of files too. The same
        // command line with those names on one line has the same error.
        true => parse(shown, surroundings).err().unwrap_or(error),
        false => error,
    })
}

fn parse(
    arguments: Vec<OsString>,
    surroundings: &Surroundings<'_>,
) -> Result<Settings, clap::Error> {
    let mut command = definition::command();
    let matches = command
        .try_get_matches_from_mut(arguments)
        .map_err(with_path_tip)?;
    let typed = definition::Typed::from_matches(&matches)?;
    resolve::settings(typed, surroundings)
        .map_err(|message| command.error(ErrorKind::ValueValidation, message))
}

/// Adds how paths are named to an error about a flag by which kubectl names them.
fn with_path_tip(mut error: clap::Error) -> clap::Error {
    let is_kubectls = matches!(
        error.get(ContextKind::InvalidArg),
        Some(ContextValue::String(flag)) if matches!(flag.as_str(), "-f" | "--filename" | "--file" | "-R" | "--recursive")
    );
    if error.kind() == ErrorKind::UnknownArgument && is_kubectls {
        let tip = "paths need no flag: name the file or the folder itself";
        error.remove(ContextKind::SuggestedArg);
        error.insert(
            ContextKind::Suggested,
            ContextValue::StyledStrs(vec![tip.into()]),
        );
    }
    error
}

/// An argument as a diagnostic may quote it.
fn shown(argument: &OsStr) -> OsString {
    foreign::line(&argument.to_string_lossy())
        .into_owned()
        .into()
}

fn is_krm_name(program: &OsStr) -> bool {
    Path::new(program).file_stem() == Some(OsStr::new("landfall-krm"))
}

#[cfg(test)]
mod tests;
