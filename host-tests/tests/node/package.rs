//! The package of `dist/browser`, run by Node.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use landfall_host_tests::program::repository;
use landfall_host_tests::scratch::Scratch;
use landfall_test_support::skip::needed_program;
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::{cases, texts};

/// The oldest Node that the package supports.
const MIN_NODE_VERSION: u32 = 20;

#[test(node)]
fn node_agrees_with_the_core() {
    let (node, package) = installed();
    let mut all = cases::documentation();
    assert!(all.len() > 200, "{} examples", all.len());
    all.extend(cases::examples());
    all.extend(texts::cases());

    let scratch = Scratch::new();
    let given: Vec<Value> = all.iter().map(cases::Case::to_json).collect();
    scratch.write("cases.json", &Value::from(given).to_string());
    run(Command::new(node)
        .arg(script("run.mjs"))
        .arg(&package)
        .args([scratch.at("cases.json"), scratch.at("answers.json")]));
    let answers: Value = serde_json::from_str(&scratch.read("answers.json")).unwrap();
    let made = answers["made"].as_array().unwrap();

    assert_eq!(made.len(), all.len());
    for (case, made) in all.iter().zip(made) {
        for (call, expected) in case.expected().as_object().unwrap() {
            assert!(
                made[call] == *expected,
                "{}: {call} answers\n{}\nwhere the core answers\n{expected}\n(is dist/ older than the code? cargo xtask dist)",
                case.name,
                made[call]
            );
        }
        let files = made["render"]["files"].as_array();
        let files = files.map(|files| {
            let contents = files.iter().map(|file| file["content"].as_str().unwrap());
            contents.map(str::to_owned).collect::<Vec<_>>()
        });
        assert_eq!(files, case.rendered(), "{}", case.name);
    }

    let module = fs::read(package.join("landfall_bg.wasm")).unwrap();
    let digest: String = Sha256::digest(module)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    assert_eq!(answers["version"]["digest"], digest);
    assert_eq!(answers["version"]["version"], env!("CARGO_PKG_VERSION"));
}

#[test(node)]
fn a_stopped_module_reports_it_and_restarts() {
    let (node, package) = installed();
    run(Command::new(node).arg(script("stopped.mjs")).arg(package));
}

#[test(node)]
fn rejects_invalid_input_by_name() {
    let (node, package) = installed();
    run(Command::new(node).arg(script("refused.mjs")).arg(package));
}

#[test(node)]
fn redacts_only_sensitive_values() {
    let (node, package) = installed();
    run(Command::new(node).arg(script("redacted.mjs")).arg(package));
}

#[test(node)]
fn the_examples_of_the_readme_print_the_documented_outputs() {
    let (node, package) = installed();
    let page = fs::read_to_string(package.join("README.md")).unwrap();
    let blocks = |language: &str| -> Vec<String> {
        let after = page.split("\n```").skip(1).step_by(2);
        let own = after.filter_map(|block| block.strip_prefix(&format!("{language}\n")));
        own.map(|block| format!("{block}\n")).collect()
    };
    // As npm would install it: what package.json lists, under its name.
    let scratch = Scratch::new();
    let manifest = fs::read_to_string(package.join("package.json")).unwrap();
    let manifest: Value = serde_json::from_str(&manifest).unwrap();
    let listed = manifest["files"].as_array().unwrap().iter();
    for name in listed
        .map(|name| name.as_str().unwrap())
        .chain(["package.json"])
    {
        let to = scratch.at("node_modules/landfall").join(name);
        fs::create_dir_all(to.parent().unwrap()).unwrap();
        fs::copy(package.join(name), to).unwrap();
    }
    let written: Vec<String> = (blocks("js").iter())
        .map(|example| {
            scratch.write("example.mjs", example);
            run(Command::new(&node).arg(scratch.at("example.mjs")))
        })
        .collect();
    assert_eq!(written.len(), 2);
    assert_eq!(written, blocks("text"));
}

/// Returns Node and the package's folder.
fn installed() -> (PathBuf, PathBuf) {
    let node = needed_program("node");
    let output = Command::new(&node).arg("--version").output().unwrap();
    let version = String::from_utf8(output.stdout).unwrap();
    let major = version.trim().trim_start_matches('v').split('.').next();
    assert!(
        major
            .and_then(|major| major.parse::<u32>().ok())
            .is_some_and(|major| major >= MIN_NODE_VERSION),
        "Node is {version}, and the package needs {MIN_NODE_VERSION}"
    );
    let package = repository().join("dist/browser");
    assert!(
        package.join("index.js").is_file(),
        "dist/browser not found: run cargo xtask dist"
    );
    (node, package)
}

fn script(name: &str) -> PathBuf {
    repository().join("host-tests/tests/node").join(name)
}

/// Runs a command and returns its output.
fn run(command: &mut Command) -> String {
    let output = command.output().unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).unwrap()
}
