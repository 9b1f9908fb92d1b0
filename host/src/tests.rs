//! How often the command calls the module.

use std::path::Path;
use std::process::Command;

use landfall_test_support::skip::{Requirement, skipped};

use crate::commands;
use crate::engine::{CALLS, EMBEDDED};
use crate::exit::Exit;
use crate::flags::{self, Environment};

const BINDING: &str = "apiVersion: landfall.dev/v1alpha1
kind: Binding
spec:
  outputs: [{name: infra, from: {file: infra.json}}]
";
const MANIFEST: &str = "apiVersion: v1
kind: ConfigMap
metadata: {name: a}
data: {vpc: '${infra.vpc}'}
";

/// Creates an application in `folder`.
fn application(folder: &Path) {
    let files = [
        ("landfall.yaml", BINDING.to_owned()),
        ("a.yaml", MANIFEST.to_owned()),
        ("b.yaml", MANIFEST.replace("name: a", "name: b")),
    ];
    for (name, content) in files {
        std::fs::write(folder.join(name), content).unwrap();
    }
}

fn outputs(path: &Path) {
    std::fs::write(path, r#"{"vpc": {"value": "vpc-1"}}"#).unwrap();
}

/// Runs the command in this thread, and returns how often it calls the module.
fn calls(arguments: &[&str]) -> u64 {
    let environment = Environment {
        variable: &|_| None,
        stderr_is_terminal: false,
    };
    let command = ["landfall"].iter().chain(arguments);
    let settings = flags::parse(command.map(Into::into).collect(), &environment);
    CALLS.set(0);
    assert_eq!(
        commands::run(settings.unwrap()),
        Exit::Done,
        "{arguments:?}"
    );
    CALLS.get()
}

/// Its configuration is read, planned, and its sources are parsed and rendered, once each.
#[test]
fn a_plain_folder_takes_four_calls() {
    if EMBEDDED.is_none() {
        return skipped(Requirement::Dist, "this build has no embedded module");
    }
    let folder = tempfile::tempdir().unwrap();
    let app = folder.path().join("app");
    std::fs::create_dir(&app).unwrap();
    application(&app);
    outputs(&app.join("infra.json"));
    let (app, out) = (app.to_str().unwrap(), folder.path().join("out"));
    assert_eq!(calls(&["check", app]), 4);
    assert_eq!(
        calls(&["render", app, "--output-dir", out.to_str().unwrap()]),
        4
    );
}

/// The folder in which this process runs `cmp generate`: Argo CD runs it in that of the
/// application, and tests run in one process.
const APPLICATION: &str = "LANDFALL_TESTED_APPLICATION";

/// Whether the outputs document, a file of the repository, has sensitive values is answered with
/// the render.
#[test]
fn a_render_under_argo_cd_takes_four_calls() {
    if EMBEDDED.is_none() {
        return skipped(Requirement::Dist, "this build has no embedded module");
    }
    if std::env::var_os(APPLICATION).is_some() {
        return assert_eq!(calls(&["cmp", "generate"]), 4);
    }
    let folder = tempfile::tempdir().unwrap();
    application(folder.path());
    outputs(&folder.path().join("infra.json"));
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "tests::a_render_under_argo_cd_takes_four_calls"])
        .current_dir(folder.path())
        .env(APPLICATION, folder.path())
        .output()
        .unwrap();
    let stdout = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{stdout}");
    assert!(stdout.contains("1 passed"), "{stdout}");
}

/// Its configuration is read and planned and its sources are parsed once, and each cluster is
/// rendered. If its name is part of a path, it is planned for each, too.
#[test]
fn a_fleet_takes_a_call_for_each_cluster_and_three_more() {
    if EMBEDDED.is_none() {
        return skipped(Requirement::Dist, "this build has no embedded module");
    }
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    std::fs::create_dir(path("app")).unwrap();
    application(&folder.path().join("app"));
    let each = path("*.json");
    for count in 1..4 {
        outputs(&folder.path().join(format!("{count}.json")));
        let arguments = ["check", &path("app"), "--each", &each, "--jobs", "1"];
        assert_eq!(calls(&arguments), 3 + count);
    }
    let of_cluster = BINDING.replace("]", ", {name: net, from: {file: '{name}.json'}}]");
    std::fs::write(path("app/landfall.yaml"), of_cluster).unwrap();
    for count in 1..4 {
        outputs(&folder.path().join(format!("app/{count}.json")));
    }
    let arguments = ["check", &path("app"), "--each", &each, "--jobs", "1"];
    assert_eq!(calls(&arguments), 3 + 2 * 3);
}
