//! The runtimes, each of which runs many cases in one process.

use std::fs;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use landfall_host_tests::program::{landfall, repository};
use landfall_host_tests::scratch::Scratch;
use landfall_test_support::readers;
use landfall_test_support::skip::{BROWSER, needed_program};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::cases::Case;

/// How a run ended.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
pub(crate) struct Ended {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Ended {
    /// Returns the first line of each finding.
    pub(crate) fn findings(&self) -> Vec<&str> {
        let is_heading = |line: &&str| {
            let severities = ["error[", "warning[", "note["];
            severities.iter().any(|severity| line.starts_with(severity))
        };
        self.stderr.lines().filter(is_heading).collect()
    }
}

/// Runs the native command, where no file is.
pub(crate) fn native(case: &Case) -> Ended {
    let folder = Scratch::new();
    let mut child = Command::new(landfall())
        .args(&case.arguments)
        .current_dir(folder.path())
        .env_remove("LANDFALL_OPERATOR_POLICY")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let written = child.stdin.take().unwrap().write_all(case.stdin.as_bytes());
    let output = child.wait_with_output().unwrap();
    written.unwrap();
    Ended {
        code: output.status.code().unwrap(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

/// Runs the module in Node, as `node:wasi` does.
pub(crate) fn node(cases: &[Case]) -> Vec<Ended> {
    let mut node = Command::new(needed_program("node"));
    // Otherwise, Node 20.20 crashes after hundreds of runs in one process.
    run(
        cases,
        node.arg("--no-turbo-fast-api-calls")
            .arg(script("node.mjs")),
    )
}

/// Runs the module in wasmtime. `None`: Python's package of it cannot be installed, which is
/// recorded as a skip.
pub(crate) fn wasmtime(cases: &[Case]) -> Option<Vec<Ended>> {
    let python = readers::python_environment()?;
    Some(run(cases, Command::new(python).arg(script("run.py"))))
}

/// Runs the module in Chromium, with the functions of WASI that docs/wasi.md shows.
pub(crate) fn chromium(cases: &[Case]) -> Vec<Ended> {
    let shim = documented("js browser.js");
    let module = fs::read(module()).unwrap();
    let module: String = module.iter().map(|byte| format!("{byte:02x}")).collect();
    let cases = given(cases).to_string().replace("</", "<\\/");
    let html = fs::read_to_string(script("browser.html")).unwrap();
    let html = html
        .replace("/* SHIM */", &shim)
        .replace("/* CASES */", &cases);
    let scratch = Scratch::new();
    scratch.write("page.html", &html.replace("MODULE", &module));
    let output = Command::new(needed_program(BROWSER))
        .args([
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--no-first-run",
        ])
        .args([
            "--disable-background-networking",
            "--disable-component-update",
        ])
        .args(["--disable-sync", "--disable-dev-shm-usage", "--dump-dom"])
        .arg(format!(
            "--user-data-dir={}",
            scratch.at("profile").display()
        ))
        .arg(format!("file://{}", scratch.at("page.html").display()))
        .stderr(Stdio::null())
        .output()
        .unwrap();
    let dom = String::from_utf8(output.stdout).unwrap();
    let answers = dom
        .split_once("<pre>")
        .and_then(|(_, rest)| rest.split_once("</pre>"));
    let (answers, _) = answers.unwrap_or_else(|| panic!("no answers in\n{dom:.2000}"));
    let bytes: Vec<u8> = answers
        .split(' ')
        .map(|code| code.parse().unwrap())
        .collect();
    serde_json::from_slice(&bytes).unwrap()
}

/// Runs a program that takes the module, the file of cases, and that of answers.
fn run(cases: &[Case], command: &mut Command) -> Vec<Ended> {
    let scratch = Scratch::new();
    scratch.write("cases.json", &given(cases).to_string());
    let output = command
        .arg(module())
        .args([scratch.at("cases.json"), scratch.at("answers.json")])
        .current_dir(scratch.path())
        .output()
        .unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{}\n{stderr}", output.status);
    serde_json::from_str(&scratch.read("answers.json")).unwrap()
}

fn given(cases: &[Case]) -> Value {
    let given = |case: &Case| json!({"arguments": case.arguments, "stdin": case.stdin});
    cases.iter().map(given).collect()
}

/// Returns a block of docs/wasi.md.
pub(crate) fn documented(block: &str) -> String {
    let page = fs::read_to_string(repository().join("docs/wasi.md")).unwrap();
    let (_, rest) = page.split_once(&format!("```{block}\n")).unwrap();
    let (content, _) = rest.split_once("\n```\n").unwrap();
    format!("{content}\n")
}

/// Returns the module.
pub(crate) fn module() -> PathBuf {
    let path = repository().join("dist/landfall.wasi.wasm");
    assert!(
        path.is_file(),
        "{} not found: run cargo xtask dist",
        path.display()
    );
    path
}

fn script(name: &str) -> PathBuf {
    repository().join("host-tests/tests/wasi").join(name)
}
