//! The example's outputs documents are what terraform really writes.

use std::ffi::OsStr;
use std::path::Path;
use std::process::{Command, Stdio};

use landfall_host_tests::program;
use landfall_host_tests::scratch::{self, Scratch};
use landfall_test_support::skip::needed_program;
use pretty_assertions::assert_eq;
use serde_json::Value;

fn terraform(program: &Path, folder: &Path, args: &[&str]) -> String {
    let output = Command::new(program)
        .args(args)
        .current_dir(folder)
        // The machine's own terraform settings must not affect the example.
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .envs([("HOME", folder.as_os_str()), ("TMPDIR", folder.as_os_str())])
        .envs([
            ("CHECKPOINT_DISABLE", OsStr::new("1")),
            ("TF_IN_AUTOMATION", OsStr::new("1")),
        ])
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success(),
        "terraform {}: {}\n{stderr}",
        args.join(" "),
        output.status
    );
    String::from_utf8(output.stdout).unwrap()
}

#[test(terraform)]
fn the_committed_outputs_match_the_terraform_code() {
    let program = needed_program("terraform");
    let example = Scratch::with_example("karpenter");
    let folder = example.at("examples/karpenter/terraform");
    terraform(&program, &folder, &["init", "-input=false", "-no-color"]);
    terraform(
        &program,
        &folder,
        &["apply", "-auto-approve", "-input=false", "-no-color"],
    );
    let written = terraform(&program, &folder, &["output", "-json", "-no-color"]);
    assert_eq!(
        written,
        example.read("examples/karpenter/outputs/terraform.json")
    );
}

/// kustomize reads nothing above its folder, so the example has the document twice, the
/// second time without the sensitive outputs.
#[test]
fn the_kustomization_s_document_is_the_same_without_sensitive_outputs() {
    let root = program::example("karpenter");
    let read =
        |path: &str| -> Value { serde_json::from_str(&scratch::read(&root.join(path))).unwrap() };
    let mut outputs = read("outputs/terraform.json");
    outputs
        .as_object_mut()
        .unwrap()
        .retain(|_, output| output["sensitive"] == Value::Bool(false));
    assert_eq!(read("kustomize/terraform.json"), outputs);
}
