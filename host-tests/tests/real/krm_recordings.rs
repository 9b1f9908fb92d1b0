//! ResourceLists recorded from kustomize and kpt, given to `landfall krm`: only the
//! substitutions may change them.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use landfall_host_tests::program;
use landfall_host_tests::scratch::{self, Scratch};
use landfall_test_support::skip;
use pretty_assertions::assert_eq;

const OUTPUTS: &str = r##"{
  "account_id": {"sensitive": false, "type": "string", "value": "012345678901"},
  "enable_waf": {"sensitive": false, "type": "string", "value": "true"},
  "motd": {"sensitive": false, "type": "string", "value": "# Welcome:\nto ${nowhere} | all"},
  "node_count": {"sensitive": false, "type": "number", "value": 2},
  "vpc_id": {"sensitive": false, "type": "string", "value": "vpc-0ab1"}
}
"##;

/// Each reference of the recordings with its context, before and after.
const QUOTED: [(&str, &str); 4] = [
    (r#"waf: "${infra.enable_waf}""#, r#"waf: "true""#),
    (
        r#"account: "${infra.account_id}""#,
        r#"account: "012345678901""#,
    ),
    (r#""--vpc=${infra.vpc_id}""#, r#""--vpc=vpc-0ab1""#),
    (
        "      ${infra.motd}\n",
        "      # Welcome:\n      to ${nowhere} | all\n",
    ),
];

/// The same after kustomize has dropped the quotes.
const UNQUOTED: [(&str, &str); 4] = [
    ("waf: ${infra.enable_waf}", r#"waf: "true""#),
    ("account: ${infra.account_id}", r#"account: "012345678901""#),
    ("- --vpc=${infra.vpc_id}", "- --vpc=vpc-0ab1"),
    (
        "      ${infra.motd}\n",
        "      # Welcome:\n      to ${nowhere} | all\n",
    ),
];

fn krm(folder: &Path, resource_list: &str) -> Output {
    let mut landfall = Command::new(program::landfall())
        .arg("krm")
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    landfall
        .stdin
        .take()
        .unwrap()
        .write_all(resource_list.as_bytes())
        .unwrap();
    landfall.wait_with_output().unwrap()
}

/// Runs landfall on a recording and expects these changes, and no others.
fn check(recording: &str, changes: &[(&str, &str)]) {
    let corpus = skip::corpus("krm");
    // kpt was recorded with inline outputs; here every recording's come from a file.
    let inline = r#"{inline: {enable_waf: true, account_id: "012345678901"}}"#;
    let resource_list =
        scratch::read(&corpus.join(recording)).replace(inline, "{file: outputs.json}");
    let mut expected = resource_list.clone();
    for (before, after) in changes {
        assert_eq!(
            expected.matches(before).count(),
            1,
            "{before} in {recording}"
        );
        expected = expected.replacen(before, after, 1);
    }

    let folder = Scratch::new();
    folder.write("outputs.json", OUTPUTS);
    let output = krm(folder.path(), &resource_list);
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    assert_eq!(String::from_utf8(output.stdout).unwrap(), expected);
}

#[test(corpora)]
fn kustomize_transformer() {
    check("kustomize-transformer.yaml", &UNQUOTED);
}

#[test(corpora)]
fn kustomize_validator() {
    check("kustomize-validator.yaml", &UNQUOTED);
}

/// A generator's only item is its own configuration, which asks for nothing.
#[test(corpora)]
fn kustomize_generator() {
    let corpus = skip::corpus("krm");
    let resource_list = scratch::read(&corpus.join("kustomize-generator.yaml"));
    let folder = Scratch::new();
    folder.write("outputs.json", OUTPUTS);
    let output = krm(folder.path(), &resource_list);
    assert_eq!(output.status.code(), Some(1));
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(stderr.contains("error[no-manifests]"), "{stderr}");
}

#[test(corpora)]
fn kpt_eval() {
    check("kpt-eval.yaml", &QUOTED);
}

#[test(corpora)]
fn kpt_render() {
    check("kpt-render.yaml", &QUOTED);
}

/// kpt reports errors only if the function fails too.
#[test(corpora)]
fn an_unknown_output_fails() {
    let corpus = skip::corpus("krm");
    let resource_list = scratch::read(&corpus.join("kustomize-transformer.yaml"));
    let folder = Scratch::new();
    folder.write("outputs.json", &OUTPUTS.replace("vpc_id", "vpc_arn"));
    let output = krm(folder.path(), &resource_list);
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{stderr}");
    let position = crate::manifests::position(&resource_list, "vpc_id");
    assert!(stderr.contains(&position), "no {position} in\n{stderr}");
}
