//! Invalid command lines, and help.

// Without the module, too.
use core::prelude::v1::test;
use std::process::Command;

use crate::run::{Run, TestFolder, finish};

/// Runs the program. Works without an embedded module too.
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
fn usage_is_that_of_the_subcommand() {
    for (arguments, usage) in [
        (
            &["render", "--prune"][..],
            "Usage: landfall render [OPTIONS]",
        ),
        (
            &["adopt", "-", "--write"],
            "Usage: landfall adopt [OPTIONS]",
        ),
        (
            &["outputs", "check", "-b", "-", "--contract", "-"],
            "Usage: landfall outputs check",
        ),
    ] {
        landfall(arguments).assert_fails(2, &[usage]);
    }
}

#[test]
fn invalid_command_lines_exit_with_2() {
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
        (&["helm"], "subcommand"),
        (&["outputs"], "subcommand"),
        (
            &["outputs", "check", "-b", "-", "--contract", "-"],
            "read only once",
        ),
        (
            &[
                "outputs",
                "contract",
                "-b",
                "a.json",
                "--from-terraform",
                ".",
            ],
            "cannot be used with",
        ),
        (&["sample"], "--contract"),
        (
            &["check", "--outputs-from-terraform", "1st=."],
            "is not a valid binding name",
        ),
        (
            &[
                "check",
                "--outputs-from-terraform",
                "a",
                "--outputs-from-terraform",
                "b",
            ],
            "NAME=DIR",
        ),
        (&[], "Usage"),
    ] {
        landfall(arguments).assert_fails(2, &[part]);
    }
}

#[test]
fn help_has_examples() {
    for (arguments, part) in [
        (&["--help"][..], "terraform output -json > infra.json"),
        (&["help", "render"], "landfall render"),
        (&["render", "-h"], "helm template"),
        (&["render", "-h"], "--in-place       # vpcId: vpc-0ab1"),
        (&["render", "--help"], "--replace-references"),
        (&["check", "--help"], "landfall check apps/*"),
        (&["explain", "--help"], "(sensitive)"),
        (&["diff", "--help"], "-o markdown > comment.md"),
        (&["outputs", "--help"], "landfall outputs contract"),
        (&["outputs", "check", "--help"], "--contract contract.yaml"),
        (
            &["outputs", "contract", "--help"],
            "--from-terraform infra/",
        ),
        (&["sample", "--help"], "kubeconform"),
        (&["expand", "--help"], "--clusters clusters/"),
        (&["krm", "--help"], "config.kubernetes.io/function"),
        (&["helm", "--help"], "-f landfall://charts/web/"),
        (&["cmp", "--help"], "ConfigManagementPlugin"),
        (
            &["argocd", "--help"],
            "-c landfall -- landfall argocd doctor",
        ),
        (&["argocd", "install", "--help"], "--as helm-values"),
        (&["argocd", "doctor", "--help"], "apps/karpenter -o json"),
        (&["--version"], env!("CARGO_PKG_VERSION")),
    ] {
        let text = landfall(arguments).expect_stdout();
        assert!(text.contains(part), "{arguments:?}:\n{text}");
    }
}

#[landfall_test_needs::test]
fn a_missing_path_is_an_input_error() {
    let folder = TestFolder::with_infra();
    folder.write("a.yaml", "a: ${infra.nothing}\n");
    // All missing files are reported at once.
    let run = folder.run(&[
        "render",
        "missing.yaml",
        "a.yaml",
        "also-missing",
        "-b",
        "infra.json",
    ]);
    run.assert_input_error(&[
        "`missing.yaml` does not exist",
        "`also-missing` does not exist",
        "nothing was rendered",
    ]);
}
