//! The `landfall` command as a library: reads files and streams, calls the embedded module in its
//! sandbox, and writes manifests and diagnostics.
//!
//! The command itself parses no manifest, outputs document or Binding: the module
//! names the files to open and returns edits, which are spliced here.

#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "the host does all I/O and reads the environment on behalf of the module"
)]

mod application;
mod argocd;
mod commands;
mod discovery;
mod draw;
mod engine;
mod exit;
mod files;
mod flags;
mod fleet;
mod loading;
mod paths;
mod problem;
mod rendered;
mod report;
mod reporter;
mod sanitize;
mod settings;
mod splice;
mod stream;
mod terraform;
#[cfg(test)]
mod tests;
mod tools;

use std::ffi::OsString;
use std::io::Write as _;
use std::process::ExitCode;

use exit::Exit;
use flags::Environment;

/// Runs the command with these arguments, of which the first is its own name. `variable`
/// reads a variable of the environment.
#[must_use]
pub fn run(
    arguments: Vec<OsString>,
    variable: &dyn Fn(&str) -> Option<OsString>,
    stderr_is_terminal: bool,
) -> ExitCode {
    let environment = Environment {
        variable,
        stderr_is_terminal,
    };
    let exit = match flags::parse(arguments, &environment) {
        Ok(settings) => commands::run(settings),
        Err(error) => {
            let text = error.render().to_string();
            // Help is not an error, and neither is a failure to print it.
            if error.exit_code() == 0 {
                let _ = std::io::stdout().write_all(text.as_bytes());
                Exit::Done
            } else {
                let text = sanitize::without_ci_commands(&text);
                let _ = std::io::stderr().write_all(text.as_bytes());
                Exit::Usage
            }
        }
    };
    exit.code().into()
}
