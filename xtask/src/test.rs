//! `cargo xtask test`: the only test command. Builds what tests need, then checks the
//! form of the code and runs everything.

mod skips;

use std::env;
use std::io::{BufRead, BufReader, Read};
use std::process::Stdio;
use std::sync::mpsc::{Sender, channel};
use std::thread;
use std::time::Instant;

use anyhow::{Context, Result, bail};
use landfall_test_support::seed;
use landfall_test_support::skip::{self, Requirement};

use self::skips::Skips;
use crate::process::{cargo, run as run_program, step};
use crate::workspace::Workspace;
use crate::{dist, playground, tools};

/// Runs all steps, or stops at the first one that fails.
///
/// # Errors
/// A step fails, or under `CI=true` a test was skipped without an exemption.
pub(crate) fn run(arguments: &[String]) -> Result<()> {
    if let Some(argument) = arguments.first() {
        bail!("`{argument}` is not understood: usage: cargo xtask test");
    }
    let start = Instant::now();
    let workspace = Workspace::current()?;
    let mut skips = Skips::begin(&workspace)?;
    step("test: dist", || dist::run(&[]))?;
    // Without Go or a browser on the machine, the rest can still be tested.
    if let Err(error) = step("test: tools", || tools::run(&[])) {
        skips.add(
            Requirement::Tools,
            &format!("{error:#}"),
            "cargo xtask tools",
        );
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
    // Two and a half minutes, too long to wait for before each commit.
    if skip::is_ci() {
        step("test: reproducible", || {
            dist::run(&[dist::CHECK_REPRODUCIBLE.to_owned()])
        })?;
    }
    step("test: tests", || tests(&workspace, &skips))?;
    match playground::lacks() {
        None => step("test: the page", || playground::test(&workspace))?,
        Some(lacks) => skips.add(
            Requirement::Browser,
            &lacks,
            "cargo xtask playground --test",
        ),
    }
    skips.report()?;
    eprintln!(
        "test: everything passed in {:.0} s",
        start.elapsed().as_secs_f64()
    );
    Ok(())
}

/// Runs `cargo test` for the whole workspace. Passing tests are not shown: only which
/// binary runs, failures in full, and skips.
fn tests(workspace: &Workspace, skips: &Skips) -> Result<()> {
    // One seed for all binaries, so that one number repeats the whole run.
    let seed = env::var(seed::SEED).unwrap_or_else(|_| seed::fresh().to_string());
    eprintln!("test: generated cases: {}={seed}", seed::SEED);
    let mut command = cargo(workspace);
    command
        .args(["test", "--workspace", "--no-fail-fast"])
        .env("LANDFALL_COMPONENT", workspace.dist.join(dist::COMPONENT))
        .env("LANDFALL_BIN", workspace.dist.join(dist::COMMAND))
        .env(
            "LANDFALL_TOOLS",
            landfall_tools::Store::of_this_machine().folder(),
        )
        .env(skip::LOG, skips.log())
        .env(seed::SEED, &seed)
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
    for line in lines {
        if is_shown(&line) {
            eprintln!("{line}");
        }
    }
    let status = child.wait().context("waiting for cargo test")?;
    if !status.success() {
        bail!(
            "tests failed; their generated cases come again with {}={seed}",
            seed::SEED
        );
    }
    Ok(())
}

fn boxed(output: impl Read + Send + 'static) -> Box<dyn Read + Send> {
    Box::new(output)
}

/// Sends lines, which need not be UTF-8: a failing test may print any bytes.
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

/// Whether a line is shown, which it isn't for passing tests.
fn is_shown(line: &str) -> bool {
    let passed = line.starts_with("test ") && line.ends_with("... ok");
    !(passed || line.is_empty() || line.starts_with("running "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hides_passed_tests_and_shows_failures() {
        let output = [
            "     Running unittests src/lib.rs (target/debug/deps/a-1)",
            "",
            "running 2 tests",
            "skipped: corpora: LANDFALL_CORPORA is not set (one)",
            "test one ... ok",
            "test two ... FAILED",
            "",
            "failures:",
            "",
            "---- two stdout ----",
            "it broke",
            "",
            "test result: FAILED. 1 passed; 1 failed",
        ];
        let shown: Vec<_> = output.into_iter().filter(|line| is_shown(line)).collect();
        assert_eq!(
            shown,
            [
                "     Running unittests src/lib.rs (target/debug/deps/a-1)",
                "skipped: corpora: LANDFALL_CORPORA is not set (one)",
                "test two ... FAILED",
                "failures:",
                "---- two stdout ----",
                "it broke",
                "test result: FAILED. 1 passed; 1 failed",
            ]
        );
    }
}
