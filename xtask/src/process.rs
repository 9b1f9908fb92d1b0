//! Programs that xtask starts, and the steps that it reports.

use std::env;
use std::ffi::OsString;
use std::io::IsTerminal;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Instant;

use anyhow::{Context, Result, bail};

use crate::workspace::Workspace;

/// Returns the cargo that runs this program, in the repository.
pub(crate) fn cargo(workspace: &Workspace) -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo")));
    command.current_dir(&workspace.root);
    command
}

/// Returns the compiler that this cargo uses.
pub(crate) fn rustc() -> Command {
    Command::new(env::var_os("RUSTC").unwrap_or_else(|| OsString::from("rustc")))
}

/// Returns the verbosity arguments of `cargo build`: on a terminal it shows progress; a
/// log has no line for each crate.
pub(crate) fn quiet() -> &'static [&'static str] {
    if std::io::stderr().is_terminal() {
        &[]
    } else {
        &["--quiet"]
    }
}

/// Runs a program to its end; it inherits our output.
///
/// # Errors
/// It cannot be started, or it fails.
pub(crate) fn run(command: &mut Command) -> Result<()> {
    let status = command
        .status()
        .with_context(|| format!("starting {}", shown(command)))?;
    if !status.success() {
        bail!("{} failed ({status})", shown(command));
    }
    Ok(())
}

/// Runs a program and returns its stdout, without trailing whitespace.
///
/// # Errors
/// It cannot be started, fails, or writes something that isn't UTF-8.
pub(crate) fn read(command: &mut Command) -> Result<String> {
    let output = command
        .stderr(Stdio::inherit())
        .output()
        .with_context(|| format!("starting {}", shown(command)))?;
    if !output.status.success() {
        bail!("{} failed ({})", shown(command), output.status);
    }
    let text = String::from_utf8(output.stdout)
        .with_context(|| format!("the output of {}", shown(command)))?;
    Ok(text.trim_end().to_owned())
}

/// Formats the command as one would type it, without its environment.
fn shown(command: &Command) -> String {
    let mut text = command.get_program().to_string_lossy().into_owned();
    for argument in command.get_args() {
        text.push(' ');
        text.push_str(&argument.to_string_lossy());
    }
    text
}

/// Prints that a step begins, runs it, and prints how long it took.
///
/// # Errors
/// Those of the step.
pub(crate) fn step<T>(name: &str, step: impl FnOnce() -> Result<T>) -> Result<T> {
    eprintln!("{name}");
    let start = Instant::now();
    let outcome = step()?;
    eprintln!("{name}: {:.1} s", start.elapsed().as_secs_f64());
    Ok(outcome)
}

/// Runs both at once to their ends, and returns what they return.
///
/// # Errors
/// Those of the first, or else of the second.
pub(crate) fn both<A: Send, B>(
    first: impl FnOnce() -> Result<A> + Send,
    second: impl FnOnce() -> Result<B>,
) -> Result<(A, B)> {
    thread::scope(|scope| {
        let first = scope.spawn(first);
        let second = second();
        let first = match first.join() {
            Ok(first) => first?,
            Err(panic) => std::panic::resume_unwind(panic),
        };
        Ok((first, second?))
    })
}
