//! `cargo xtask test`: the only test command. Builds what tests need, then checks the
//! form of the code and runs everything; with `--quick` what needs no build, and with
//! names only these. `cargo xtask hunt` runs the tests with a fresh seed.

mod skips;

use std::env;
use std::io::{BufRead, BufReader, Read};
use std::process::Stdio;
use std::sync::mpsc::{Sender, channel};
use std::thread;
use std::time::Instant;

use anyhow::{Context, Result, bail};
use landfall_test_support::seed;
use landfall_test_support::skip::{self, Requirement, Skip};
use landfall_tools::Store;

use self::skips::Skips;
use crate::process::{Background, cargo, run as run_program, step};
use crate::workspace::Workspace;
use crate::{dist, playground, tools};

/// The steps, in their order. `tests` is also run, on what is already built, for a name
/// that is none of these.
const STEPS: &[&str] = &[
    "fmt",
    "dist",
    "tools",
    "clippy",
    "reproducible",
    "tests",
    "page",
];

const USAGE: &str = "usage: cargo xtask test [--quick] [STEP | TEST]...";

/// Runs formatting, lints and the tests of the core only, which need nothing built.
const QUICK: &str = "--quick";

/// What is run.
#[derive(Debug, PartialEq, Eq)]
struct Selection {
    is_quick: bool,
    steps: Vec<&'static str>,
    /// Parts of names of tests; all are run if there is none.
    filters: Vec<String>,
}

impl Selection {
    fn parse(arguments: &[String], is_ci: bool) -> Result<Self> {
        let mut selection = Self {
            is_quick: false,
            steps: Vec::new(),
            filters: Vec::new(),
        };
        for argument in arguments {
            if argument == QUICK {
                selection.is_quick = true;
            } else if argument.starts_with('-') {
                bail!("`{argument}` is not understood: {USAGE}");
            } else if let Some(step) = STEPS.iter().find(|step| *step == argument) {
                selection.steps.push(step);
            } else {
                selection.filters.push(argument.clone());
            }
        }
        if !selection.filters.is_empty() && !selection.steps.contains(&"tests") {
            selection.steps.push("tests");
        }
        if selection.steps.is_empty() {
            selection.steps = if selection.is_quick {
                vec!["fmt", "clippy", "tests"]
            } else {
                // The guests are built twice for it: too long to wait for before each commit.
                STEPS
                    .iter()
                    .filter(|step| is_ci || **step != "reproducible")
                    .copied()
                    .collect()
            };
        }
        Ok(selection)
    }

    fn has(&self, step: &str) -> bool {
        self.steps.contains(&step)
    }
}

/// Runs the selected steps, or stops at the first one that fails.
///
/// # Errors
/// A step fails, or under `CI=true` a test was skipped without an exemption.
pub(crate) fn run(arguments: &[String]) -> Result<()> {
    let start = Instant::now();
    let workspace = Workspace::current()?;
    let selection = Selection::parse(arguments, skip::is_ci())?;
    let mut skips = Skips::begin(&workspace)?;
    // First: it takes seconds.
    if selection.has("fmt") {
        step("test: fmt", || {
            run_program(cargo(&workspace).args(["fmt", "--all", "--check"]))
        })?;
    }
    // Its builds share nothing with the others, and half of their time is link-time
    // optimization, which uses one core.
    let mut reproducible = if selection.has("reproducible") {
        dist::prepare(&workspace)?;
        Some(Background::start(
            &workspace,
            "test: reproducible",
            &["dist", dist::CHECK_REPRODUCIBLE],
        )?)
    } else {
        None
    };
    if selection.has("dist") {
        step("test: dist", || dist::run(&[]))?;
    }
    // Without Go or a browser on the machine, the rest can still be tested.
    if selection.has("tools")
        && let Err(error) = step("test: tools", || tools::run(&[]))
    {
        skips.add(
            Requirement::Tools,
            &format!("{error:#}"),
            "cargo xtask tools",
        );
    }
    check(&mut reproducible)?;
    if selection.has("clippy") {
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
    }
    check(&mut reproducible)?;
    if selection.has("tests") {
        step("test: tests", || {
            tests(&workspace, &mut skips, &selection, None)
        })?;
    }
    if selection.has("page") {
        match playground::lacks() {
            None => step("test: the page", || playground::test(&workspace))?,
            Some(lacks) => skips.add(
                Requirement::Browser,
                &lacks,
                "cargo xtask playground --test",
            ),
        }
    }
    if let Some(reproducible) = reproducible {
        reproducible.finish()?;
    }
    skips.report()?;
    eprintln!(
        "test: everything passed in {:.0} s",
        start.elapsed().as_secs_f64()
    );
    Ok(())
}

/// Stops when the step in the background has failed.
fn check(background: &mut Option<Background>) -> Result<()> {
    background.as_mut().map_or(Ok(()), Background::check)
}

/// Runs the tests with a fresh seed, or only those with one of these names, on what is
/// already built.
///
/// # Errors
/// A test fails: the message has the seed.
pub(crate) fn hunt(arguments: &[String]) -> Result<()> {
    if let Some(flag) = arguments.iter().find(|name| name.starts_with('-')) {
        bail!("`{flag}` is not understood: usage: cargo xtask hunt [TEST]...");
    }
    let workspace = Workspace::current()?;
    let mut skips = Skips::begin(&workspace)?;
    let selection = Selection {
        is_quick: false,
        steps: vec!["tests"],
        filters: arguments.to_vec(),
    };
    let seed = seed::fresh();
    step("hunt: tests", || {
        tests(&workspace, &mut skips, &selection, Some(seed))
    })?;
    skips.report()
}

/// Runs `cargo test`. Passing tests are not shown: only which binary runs, failures in
/// full, and skips. Ignored tests that lack something are counted as skips.
fn tests(
    workspace: &Workspace,
    skips: &mut Skips,
    selection: &Selection,
    seed: Option<u64>,
) -> Result<()> {
    let mut command = cargo(workspace);
    command.args(["test", "--no-fail-fast"]);
    // The tests that need what is named here run, and fail without it: all others are ignored.
    for program in skip::PROGRAMS {
        if let Some(path) = skip::find_on_path(program) {
            command.env(skip::variable(program), path);
        }
    }
    if let Ok(Some(path)) = playground::chromium::find() {
        command.env(skip::variable(skip::BROWSER), path);
    }
    if !selection.is_quick {
        command.arg("--workspace");
        // The law takes a third of the time then, which is more than compilation takes longer.
        // Whoever changes code waits for the latter only, again and again.
        if skip::is_ci() {
            command
                .args(["--config", "profile.dev.package.landfall.opt-level=1"])
                .env("CARGO_INCREMENTAL", "0");
        }
        let store = Store::of_this_machine();
        if tools::are_built(&store) {
            command.env("LANDFALL_TOOLS", store.folder());
        }
    }
    // Named tests also run without dist/: to name a file that is missing would be an error.
    for (variable, artifact) in [
        ("LANDFALL_COMPONENT", dist::COMPONENT),
        ("LANDFALL_BIN", dist::COMMAND),
    ] {
        let artifact = workspace.dist.join(artifact);
        if artifact.is_file() || selection.has("dist") {
            command.env(variable, artifact);
        }
    }
    if let Some(seed) = seed {
        eprintln!("hunt: {}={seed}", seed::SEED);
        command.env(seed::SEED, seed.to_string());
    }
    command
        .arg("--")
        .args(&selection.filters)
        .env(skip::LOG, skips.log())
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
        match ignored(&line) {
            Some(skip) => skips.record(skip),
            None if is_shown(&line) => eprintln!("{line}"),
            None => {}
        }
    }
    let status = child.wait().context("waiting for cargo test")?;
    if status.success() {
        return Ok(());
    }
    let given = seed.map(|seed| seed.to_string());
    match given.or_else(|| env::var(seed::SEED).ok()) {
        None => bail!("tests failed"),
        Some(seed) => bail!(
            "tests failed; their generated cases come again with {}={seed}",
            seed::SEED
        ),
    }
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

/// Parses the line of a test that is ignored for want of something, as in
/// `test render ... ignored, needs dist: run cargo xtask dist`.
fn ignored(line: &str) -> Option<Skip> {
    let (test, rest) = line
        .strip_prefix("test ")?
        .split_once(" ... ignored, needs ")?;
    let (requirement, why) = rest.split_once(": ")?;
    Skip::from_line(&format!("{requirement}\t{test}\t{why}"))
}

/// Whether a line is shown, which it isn't for passing tests.
fn is_shown(line: &str) -> bool {
    let passed = line.starts_with("test ") && line.ends_with("... ok");
    !(passed || line.is_empty() || line.starts_with("running "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn selection(arguments: &[&str], is_ci: bool) -> Selection {
        let arguments: Vec<_> = arguments.iter().map(|&one| one.to_owned()).collect();
        Selection::parse(&arguments, is_ci).unwrap()
    }

    #[test]
    fn selects_steps_and_tests() {
        assert_eq!(selection(&[], true).steps, STEPS);
        assert!(!selection(&[], false).has("reproducible"));
        assert_eq!(selection(&[QUICK], true).steps, ["fmt", "clippy", "tests"]);
        let named = selection(&["page", "mask::"], false);
        assert_eq!(named.steps, ["page", "tests"]);
        assert_eq!(named.filters, ["mask::"]);
        assert!(Selection::parse(&["--fast".to_owned()], false).is_err());
    }

    #[test]
    fn counts_tests_that_lack_something() {
        let line = "test run::renders ... ignored, needs dist: run cargo xtask dist";
        assert_eq!(
            ignored(line),
            Some(Skip::new(
                Requirement::Dist,
                "run cargo xtask dist",
                "run::renders"
            ))
        );
        let line = "test flux ... ignored, needs corpora: LANDFALL_CORPORA is not set";
        assert!(ignored(line).is_some_and(|skip| skip.requirement == Requirement::Corpora));
        assert_eq!(ignored("test run::renders ... ignored, slow"), None);
        assert_eq!(ignored("test run::renders ... ok"), None);
    }

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
