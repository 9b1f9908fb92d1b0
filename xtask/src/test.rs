//! `cargo xtask test`: the one test command. Builds what tests need, then checks
//! the form of the code and runs everything.

use std::env;
use std::io::{BufRead, BufReader, Read};
use std::process::Stdio;
use std::sync::mpsc::{Sender, channel};
use std::thread;
use std::time::Instant;

use anyhow::{Context, Result, bail};

use crate::process::{cargo, run as run_program, step};
use crate::workspace::Workspace;
use crate::{dist, playground, tools};

/// Runs all of it, or stops at the first step that fails.
///
/// # Errors
/// A step that fails; under `CI=true` also a test that was skipped.
pub(crate) fn run(arguments: &[String]) -> Result<()> {
    if let Some(argument) = arguments.first() {
        bail!("`{argument}` is not understood: usage: cargo xtask test");
    }
    let start = Instant::now();
    let workspace = Workspace::here()?;
    let mut skipped = Vec::new();
    step("test: dist", || dist::run(&[]))?;
    // Without Go or a browser on the machine the rest can still be tested.
    if let Err(error) = step("test: tools", || tools::run(&[])) {
        skip(&mut skipped, &format!("the real programs: {error:#}"));
    }
    step("test: fmt", || {
        run_program(cargo(&workspace).args(["fmt", "--all", "--check"]))
    })?;
    step("test: clippy", || {
        run_program(cargo(&workspace).args([
            "clippy",
            "--quiet",
            "--workspace",
            "--all-targets",
            "--",
            "-D",
            "warnings",
        ]))
    })?;
    step("test: tests", || tests(&workspace, &mut skipped))?;
    match playground::lacks() {
        None => step("test: the page", || playground::test(&workspace))?,
        Some(lacks) => skip(&mut skipped, &format!("the page in a browser: {lacks}")),
    }
    judge(&skipped)?;
    eprintln!(
        "test: everything passed in {:.0} s",
        start.elapsed().as_secs_f64()
    );
    Ok(())
}

/// Says that something is not tested here, and remembers it for [`judge`].
fn skip(skipped: &mut Vec<String>, what: &str) {
    let line = format!("{SKIPPED} {what}");
    eprintln!("{line}");
    skipped.push(line);
}

/// `cargo test` of the whole workspace. Only what tells something is shown: which
/// binary runs, failures in full, and what was skipped.
fn tests(workspace: &Workspace, skipped: &mut Vec<String>) -> Result<()> {
    let mut command = cargo(workspace);
    command
        .args([
            "test",
            "--workspace",
            "--no-fail-fast",
            "--",
            "--show-output",
        ])
        .env("LANDFALL_COMPONENT", workspace.dist.join(dist::COMPONENT))
        .env("LANDFALL_BIN", workspace.dist.join(dist::COMMAND))
        .env(
            "LANDFALL_TOOLS",
            landfall_tools::Store::of_this_machine().folder(),
        )
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().context("starting cargo test")?;
    let (sender, lines) = channel();
    for output in [
        child.stdout.take().map(boxed),
        child.stderr.take().map(boxed),
    ]
    .into_iter()
    .flatten()
    {
        let sender = sender.clone();
        thread::spawn(move || send_lines(output, &sender));
    }
    drop(sender);
    let mut filter = Filter::default();
    for line in lines {
        if filter.shows(&line) {
            eprintln!("{line}");
        }
        if line.contains(SKIPPED) {
            skipped.push(line.trim().to_owned());
        }
    }
    let status = child.wait().context("waiting for cargo test")?;
    if !status.success() {
        bail!("tests failed");
    }
    Ok(())
}

fn boxed(output: impl Read + Send + 'static) -> Box<dyn Read + Send> {
    Box::new(output)
}

/// Lines need not be UTF-8: a failing test may show any bytes.
fn send_lines(output: impl Read, lines: &Sender<String>) {
    let mut output = BufReader::new(output);
    let mut line = Vec::new();
    while output
        .read_until(b'\n', &mut line)
        .is_ok_and(|length| length > 0)
    {
        let text = String::from_utf8_lossy(&line).trim_end().to_owned();
        if lines.send(text).is_err() {
            return;
        }
        line.clear();
    }
}

/// How a test says that it could not run.
const SKIPPED: &str = "skipped:";

/// Hides what passed: `--show-output`, without which a skipped test would be
/// silent, also shows all that passing tests print.
#[derive(Default)]
struct Filter {
    in_successes: bool,
}

impl Filter {
    fn shows(&mut self, line: &str) -> bool {
        match line {
            "successes:" => self.in_successes = true,
            "failures:" => self.in_successes = false,
            _ if line.starts_with("test result:") => self.in_successes = false,
            _ => {}
        }
        if line.contains(SKIPPED) {
            return true;
        }
        let passed = line.starts_with("test ") && line.ends_with("... ok");
        !(self.in_successes || passed || line.is_empty() || line.starts_with("running "))
    }
}

/// Says again what was skipped, where nobody overlooks it.
fn judge(skipped: &[String]) -> Result<()> {
    for line in skipped {
        eprintln!("test: {line}");
    }
    let in_ci = env::var_os("CI").is_some_and(|value| value == "true");
    if in_ci && !skipped.is_empty() {
        bail!("{} skipped, and CI must run everything", skipped.len());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_passed_is_hidden_and_what_tells_something_is_shown() {
        let output = [
            "     Running unittests src/lib.rs (target/debug/deps/a-1)",
            "",
            "running 3 tests",
            "test one ... ok",
            "test two ... FAILED",
            "test three ... ok",
            "",
            "successes:",
            "",
            "---- one stdout ----",
            "chatter",
            "skipped: LANDFALL_CORPORA is not set",
            "",
            "successes:",
            "    one",
            "",
            "failures:",
            "",
            "---- two stdout ----",
            "it broke",
            "",
            "test result: FAILED. 2 passed; 1 failed",
        ];
        let mut filter = Filter::default();
        let shown: Vec<_> = output
            .into_iter()
            .filter(|line| filter.shows(line))
            .collect();
        assert_eq!(
            shown,
            [
                "     Running unittests src/lib.rs (target/debug/deps/a-1)",
                "test two ... FAILED",
                "skipped: LANDFALL_CORPORA is not set",
                "failures:",
                "---- two stdout ----",
                "it broke",
                "test result: FAILED. 2 passed; 1 failed",
            ]
        );
    }
}
