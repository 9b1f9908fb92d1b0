//! The command line: parsed into [`definition::LowArgs`], then resolved once into
//! [`Settings`], which the rest of the program trusts.

mod argocd;
mod binding;
mod color;
mod definition;
mod each;
mod environment;
mod export;
mod help;
mod inputs;
mod policy;
mod quantity;
mod resolve;
mod tips;

use std::ffi::{OsStr, OsString};
use std::path::Path;

use clap::error::ErrorKind;
use clap::{ArgMatches, Command, FromArgMatches};

use crate::sanitize;
use crate::settings::Settings;

pub(crate) use environment::Environment;

/// Parses a command line, including the program's own name.
///
/// # Errors
/// The text to print and the exit code. `--help` and `--version` are errors of this
/// kind too, with exit code 0.
pub(crate) fn parse(
    mut arguments: Vec<OsString>,
    environment: &Environment<'_>,
) -> Result<Settings, clap::Error> {
    if arguments.first().is_some_and(|name| is_krm_name(name)) {
        // kustomize and kpt call a function by its path alone.
        arguments.insert(1, "krm".into());
    }
    let sanitized: Vec<OsString> = arguments
        .iter()
        .map(|argument| sanitized(argument))
        .collect();
    let has_unsafe_text = sanitized != arguments;
    parse_raw(&arguments, environment).map_err(|error| {
        if has_unsafe_text {
            // clap quotes arguments in its errors, and arguments may be file names that a
            // shell pattern expanded to. The sanitized command line has the same error.
            parse_raw(&sanitized, environment).err().unwrap_or(error)
        } else {
            error
        }
    })
}

fn parse_raw(
    arguments: &[OsString],
    environment: &Environment<'_>,
) -> Result<Settings, clap::Error> {
    if let Some(mut called) = definition::called_command(arguments)
        && let Ok(matches) = called.try_get_matches_from_mut(arguments)
        && let Ok(low) = definition::LowArgs::from_arg_matches(&matches)
        && let Ok(settings) = resolve::settings(low, environment)
    {
        return Ok(settings);
    }
    let mut command = definition::command();
    let matches = command
        .try_get_matches_from_mut(arguments)
        .map_err(|error| tips::add(error, &command, arguments))?;
    let low = definition::LowArgs::from_arg_matches(&matches)?;
    resolve::settings(low, environment)
        .map_err(|message| usage_error(&mut command, &matches, message))
}

/// Returns the error of an invalid command line, with the usage of the subcommand.
fn usage_error(command: &mut Command, matches: &ArgMatches, message: String) -> clap::Error {
    if let Some((name, matches)) = matches.subcommand()
        && let Some(subcommand) = command.find_subcommand_mut(name)
    {
        return usage_error(subcommand, matches, message);
    }
    command.error(ErrorKind::ValueValidation, message)
}

/// Returns the argument in the form in which an error may quote it.
fn sanitized(argument: &OsStr) -> OsString {
    sanitize::line(&argument.to_string_lossy())
        .into_owned()
        .into()
}

fn is_krm_name(program: &OsStr) -> bool {
    Path::new(program).file_stem() == Some(OsStr::new("landfall-krm"))
}

#[cfg(test)]
mod tests;
