//! Programs that xtask starts, and the steps that it reports.

use std::env;
use std::ffi::OsString;
use std::io::{IsTerminal, Write as _};
use std::process::{Child, Command, Stdio};
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

/// Prints a line in one write: a child of a step that runs at the same time prints others.
fn print_line(line: &str) {
    let _ = std::io::stderr().write_all(format!("{line}\n").as_bytes());
}

/// Prints that a step begins, runs it, and prints how long it took.
///
/// # Errors
/// Those of the step.
pub(crate) fn step<T>(name: &str, step: impl FnOnce() -> Result<T>) -> Result<T> {
    print_line(name);
    let start = Instant::now();
    let outcome = step()?;
    print_line(&format!("{name}: {:.1} s", start.elapsed().as_secs_f64()));
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

/// A command of this program that runs in a process beside the steps of the caller.
///
/// Its priority is lower than theirs: it takes what they leave idle, such as the second
/// core during link-time optimization. Its output is ours.
pub(crate) struct Background {
    name: &'static str,
    child: Child,
    start: Instant,
    is_finished: bool,
}

impl Background {
    /// Starts `cargo xtask` with these arguments.
    ///
    /// # Errors
    /// The process cannot be started.
    pub(crate) fn start(
        workspace: &Workspace,
        name: &'static str,
        arguments: &[&str],
    ) -> Result<Self> {
        let program = env::current_exe().context("finding this program")?;
        let mut command = if cfg!(unix) {
            let mut nice = Command::new("nice");
            // With 19 it would wait for most of the tests, and then be alone at the end.
            nice.args(["-n", "5"]).arg(program);
            nice
        } else {
            Command::new(program)
        };
        command
            .args(arguments)
            .current_dir(&workspace.root)
            .stdin(Stdio::null());
        let child = command
            .spawn()
            .with_context(|| format!("starting {}", shown(&command)))?;
        print_line(&format!("{name}: started in the background"));
        Ok(Self {
            name,
            child,
            start: Instant::now(),
            is_finished: false,
        })
    }

    /// Reports a failure that has already occurred, without waiting.
    ///
    /// # Errors
    /// The command has failed.
    pub(crate) fn check(&mut self) -> Result<()> {
        match self
            .child
            .try_wait()
            .context("waiting for the background")?
        {
            Some(status) if !status.success() => {
                self.is_finished = true;
                bail!("{} failed ({status}): its output is above", self.name);
            }
            _ => Ok(()),
        }
    }

    /// Waits for its end.
    ///
    /// # Errors
    /// The command fails.
    pub(crate) fn finish(mut self) -> Result<()> {
        let waiting = Instant::now();
        self.child.wait().context("waiting for the background")?;
        self.check()?;
        self.is_finished = true;
        print_line(&format!(
            "{}: {:.1} s in the background, waited for {:.1} s",
            self.name,
            self.start.elapsed().as_secs_f64(),
            waiting.elapsed().as_secs_f64()
        ));
        Ok(())
    }
}

impl Drop for Background {
    /// Waits for its end when another step has failed: compilers that survive this program
    /// would write into the folders of the next run.
    fn drop(&mut self) {
        if !self.is_finished {
            print_line(&format!("{}: waiting for its end", self.name));
            let _ = self.child.wait();
        }
    }
}
