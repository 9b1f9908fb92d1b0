//! Command lines that cannot be meant, and help.

use std::process::Command;

use crate::run::{Place, Run, finish};

/// Works without a module too.
fn landfall(arguments: &[&str]) -> Run {
    let mut command = Command::new(env!("CARGO_BIN_EXE_landfall"));
    finish(
        command
            .args(arguments)
            .env_clear()
            .stdin(std::process::Stdio::null()),
        b"",
    )
}

#[test]
fn wrong_command_lines_exit_with_2() {
    for (arguments, part) in [
        (&["rendr"][..], "render"),
        (&["render", "-", "-"], "read only once"),
        (
            &["render", "a", "-b", "x.json", "-b", "y.json"],
            "-b NAME=FILE",
        ),
        (
            &["render", "a", "-b", "1st=x.json"],
            "is not a valid binding name",
        ),
        (&["render", "--max-memory", "much"], "such as 256MiB"),
        (&["render", "--max-time", "0"], "such as 60s"),
        (&["render", "--nonsense"], "--nonsense"),
        (&["krm", "-b", "infra=-"], "standard input"),
        (&["cmp"], "subcommand"),
        (&[], "Usage"),
    ] {
        landfall(arguments).refused(2, &[part]);
    }
}

#[test]
fn help_teaches_by_example() {
    for (arguments, part) in [
        (&["--help"][..], "terraform output -json > infra.json"),
        (&["help", "render"], "landfall render"),
        (&["render", "-h"], "helm template"),
        (&["render", "-h"], "--in-place       # vpcId: vpc-0ab1"),
        (&["render", "--help"], "--replace-references"),
        (&["check", "--help"], "landfall check apps/*"),
        (&["explain", "--help"], "(sensitive)"),
        (&["krm", "--help"], "config.kubernetes.io/function"),
        (&["cmp", "--help"], "ConfigManagementPlugin"),
        (&["--version"], env!("CARGO_PKG_VERSION")),
    ] {
        let text = landfall(arguments).text();
        assert!(text.contains(part), "{arguments:?}:\n{text}");
    }
}

#[test]
fn a_path_that_is_not_there_is_wrong_input() {
    let Some(place) = Place::with_infra() else {
        return;
    };
    place.write("a.yaml", "a: ${infra.nothing}\n");
    // Everything at once, although one file is missing.
    let run = place.run(&[
        "render",
        "missing.yaml",
        "a.yaml",
        "also-missing",
        "-b",
        "infra.json",
    ]);
    run.input_error(&[
        "`missing.yaml` does not exist",
        "`also-missing` does not exist",
        "nothing was rendered",
    ]);
}
