//! `examples/karpenter/kustomize` built by the real kustomize, with landfall as an
//! exec transformer.

use std::path::Path;

use landfall_host_tests::kustomize::{Built, FLAGS, build};
use landfall_host_tests::program;
use landfall_host_tests::scratch::{self, Scratch};
use pretty_assertions::assert_eq;

use crate::manifests::assert_holds_no_sensitive_value;

/// Builds the example's kustomization, which must fail and print nothing.
fn failed(example: &Scratch, landfall: &Path) -> Built {
    let folder = example.at("examples/karpenter/kustomize");
    let built = build(&folder, &FLAGS, landfall);
    assert!(!built.success);
    assert_eq!(built.stdout, "");
    built
}

#[test(tools)]
fn renders_the_expected_resources() {
    let landfall = program::landfall();
    let folder = program::example("karpenter").join("kustomize");
    let built = build(&folder, &FLAGS, &landfall);
    assert!(built.success, "{}", built.stderr);
    assert_eq!(
        built.stdout,
        scratch::read(&folder.join("expected-kustomize.yaml"))
    );
}

#[test(tools)]
fn reports_the_position_of_an_unknown_output() {
    let landfall = program::landfall();
    let example = Scratch::with_example("karpenter");
    example.replace(
        "examples/karpenter/app/nodes/ec2nodeclass.yaml",
        "${infra.node_volume_iops}",
        "${infra.node_volume_iopz}",
    );
    let built = failed(&example, &landfall);
    assert!(
        built.stderr.contains("node_volume_iopz"),
        "{}",
        built.stderr
    );
    let found = positions(&built.stderr);
    assert!(
        !found.is_empty(),
        "no file:line:column in\n{}",
        built.stderr
    );
    assert_holds_no_sensitive_value(
        &built.stderr,
        &example.read("examples/karpenter/outputs/terraform.json"),
    );
}

/// Returns every `file:LINE:COLUMN` in a text.
fn positions(text: &str) -> Vec<&str> {
    let is_position = |word: &&str| {
        let mut parts = word.trim_end_matches([':', ',', ')']).rsplitn(3, ':');
        let number =
            |part: Option<&str>| part.is_some_and(|part| part.parse::<u32>().is_ok_and(|n| n > 0));
        number(parts.next())
            && number(parts.next())
            && parts.next().is_some_and(|file| !file.is_empty())
    };
    text.split_whitespace().filter(is_position).collect()
}

/// kustomize skips an exec function silently without `--enable-exec`. The references then
/// remain in the output, where a check finds them.
#[test(tools)]
fn without_enable_exec_references_remain() {
    let landfall = program::landfall();
    let folder = program::example("karpenter").join("kustomize");
    let skipped = build(&folder, &FLAGS[..1], &landfall);
    assert!(skipped.success, "{}", skipped.stderr);
    assert_eq!(skipped.stderr, "");
    assert!(skipped.stdout.contains("${infra."));

    let built = build(&folder, &FLAGS, &landfall);
    assert!(!built.stdout.contains("${infra."));
}

/// A function that prints nothing and succeeds deletes every resource; landfall
/// prints nothing only together with a failure.
#[test(tools)]
fn a_missing_outputs_document_fails_the_build() {
    let landfall = program::landfall();
    let example = Scratch::with_example("karpenter");
    std::fs::remove_file(example.at("examples/karpenter/kustomize/terraform.json")).unwrap();
    let built = failed(&example, &landfall);
    assert!(built.stderr.contains("terraform.json"), "{}", built.stderr);
}

/// Field bindings and embedded documents work on kustomize's items as they do on files.
/// Setter comments do not: kustomize (5.8.1) drops comments before its functions see the
/// items, and nothing shows that there were any.
#[test(tools)]
fn field_bindings_and_embedded_documents_apply_to_items() {
    let landfall = program::landfall();
    let folder = Scratch::new();
    folder.write(
        "kustomization.yaml",
        "resources: [manifests.yaml]\ntransformers: [landfall.yaml]\n",
    );
    folder.write(
        "landfall.yaml",
        r#"apiVersion: landfall.dev/v1alpha1
kind: Binding
metadata:
  name: bind
  annotations:
    config.kubernetes.io/function: |
      exec: {path: landfall, args: [krm]}
spec:
  outputs:
  - {name: infra, from: {file: terraform.json}}
  substitutions:
  - value: ${infra.role_arn}
    targets:
    - select: {kind: ServiceAccount}
      fieldPaths: ["metadata.annotations.[eks.amazonaws.com/role-arn]"]
      options: {create: true}
"#,
    );
    folder.write(
        "terraform.json",
        r#"{"role_arn": {"sensitive": false, "type": "string", "value": "arn:aws:iam::012345678901:role/web"},
            "account": {"sensitive": false, "type": "string", "value": "012345678901"},
            "price": {"sensitive": false, "type": "string", "value": "5$"},
            "zones": {"sensitive": false, "type": ["list", "string"], "value": ["a", "b"]}}"#,
    );
    folder.write(
        "manifests.yaml",
        r#"apiVersion: v1
kind: ServiceAccount
metadata:
  name: web
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: web
data:
  account: "${infra.account}"
  set: "1" # landfall: ${infra.account}
  config.yaml: |
    account: ${infra.account}
    zones: ${infra.zones}
---
apiVersion: v1
kind: Pod
metadata:
  name: web
spec:
  containers:
  - name: web
    args: ${infra.zones}
    env:
    - name: PRICE
      value: ${infra.price}
"#,
    );
    let built = build(folder.path(), &FLAGS, &landfall);
    assert!(built.success, "{}", built.stderr);
    assert_eq!(
        built.stdout,
        r#"apiVersion: v1
kind: ServiceAccount
metadata:
  annotations:
    eks.amazonaws.com/role-arn: arn:aws:iam::012345678901:role/web
  name: web
---
apiVersion: v1
data:
  account: "012345678901"
  config.yaml: |
    account: "012345678901"
    zones:
      - a
      - b
  set: "1"
kind: ConfigMap
metadata:
  name: web
---
apiVersion: v1
kind: Pod
metadata:
  name: web
spec:
  containers:
  - args:
    - a
    - b
    env:
    - name: PRICE
      value: 5$$
    name: web
"#
    );
}
