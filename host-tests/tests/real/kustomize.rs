//! `examples/karpenter/kustomize` built by the real kustomize, with landfall as an
//! exec transformer.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

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

/// Returns whether `landfall check --no-references -` accepts these manifests, and what it says.
fn none_left(landfall: &Path, manifests: &str) -> (bool, String) {
    let mut check = Command::new(landfall)
        .args(["check", "--no-references", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = check.stdin.take().unwrap();
    stdin.write_all(manifests.as_bytes()).unwrap();
    drop(stdin);
    let output = check.wait_with_output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    (output.status.success(), stderr)
}

/// kustomize fails open: it skips the function and exits with 0. The next program in the pipe
/// must not.
#[test(tools)]
fn what_a_skipped_function_has_left_is_found_downstream() {
    let landfall = program::landfall();
    let folder = program::example("karpenter").join("kustomize");
    let skipped = build(&folder, &FLAGS[..1], &landfall);
    assert!(skipped.success, "{}", skipped.stderr);
    let (accepted, found) = none_left(&landfall, &skipped.stdout);
    assert!(!accepted);
    assert!(found.contains("error[unrendered-reference]"), "{found}");
    let built = build(&folder, &FLAGS, &landfall);
    assert_eq!(none_left(&landfall, &built.stdout), (true, String::new()));
}

/// A resource with a reference to the only one of the outputs.
const SETTINGS: &str =
    "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: web}\ndata: {vpc: '${infra.vpc}'}\n";
const OUTPUTS: &str = r#"{"vpc": {"sensitive": false, "type": "string", "value": "vpc-0ab1"}}"#;

#[track_caller]
fn assert_is_bound(built: &Built) {
    assert!(built.success, "{}", built.stderr);
    assert!(
        built.stdout.contains("  vpc: vpc-0ab1\n"),
        "{}",
        built.stdout
    );
}

/// A kustomization with these resources, and a transformer with these outputs.
fn kustomization(resources: &str, outputs: &str) -> Scratch {
    let folder = Scratch::new();
    folder.write(
        "kustomization.yaml",
        "resources: [manifests.yaml]\ntransformers: [landfall.yaml]\n",
    );
    folder.write(
        "landfall.yaml",
        "apiVersion: landfall.dev/v1alpha1
kind: Binding
metadata:
  name: bind
  annotations:
    config.kubernetes.io/function: |
      exec: {path: landfall, args: [krm]}
spec:
  outputs:
  - {name: infra, from: {file: terraform.json}}
",
    );
    folder.write("terraform.json", outputs);
    folder.write("manifests.yaml", resources);
    folder
}

/// kustomize reads and writes each scalar before and after a function: `1.10` becomes 1.1, `1e3`
/// 1000 and `0o17` 15, where the author wrote them. What landfall writes stays.
#[test(tools)]
fn strings_are_not_retyped_by_kustomize() {
    let texts = [
        "1.10",
        "1e3",
        "0o17",
        "012",
        "yes",
        "0x1F",
        "1_000",
        "2001-01-01",
        "null",
        "1:30",
        "~",
    ];
    let mut outputs = serde_json::Map::new();
    let mut manifest =
        "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: web}\nspec:\n  written: [1.10, 1e3, 0o17, 012, 0x1F]\n  bound:\n".to_owned();
    for (nth, text) in texts.iter().enumerate() {
        let output = serde_json::json!({"sensitive": false, "type": "string", "value": text});
        outputs.insert(format!("o{nth}"), output);
        manifest.push_str(&format!("  - ${{infra.o{nth}}}\n"));
    }
    let landfall = program::landfall();
    let folder = kustomization(&manifest, &serde_json::Value::from(outputs).to_string());
    let built = build(folder.path(), &FLAGS, &landfall);
    assert!(built.success, "{}", built.stderr);
    let built: serde_json::Value = serde_yaml::from_str(&built.stdout).unwrap();
    assert_eq!(built["spec"]["bound"], serde_json::json!(texts));
    // kustomize's own doing.
    let written = serde_json::json!([1.1, 1000, 15, 10, 31]);
    assert_eq!(built["spec"]["written"], written);
}

/// kustomize drops `results`, so a warning is on standard error, also if all is well.
#[test(tools)]
fn a_warning_reaches_the_user_although_results_are_dropped() {
    let landfall = program::landfall();
    let folder = kustomization(
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: web}\ndata: {a: '${infra.vpc}', b: '${other.x}'}\n",
        OUTPUTS,
    );
    let built = build(folder.path(), &FLAGS, &landfall);
    assert!(built.success, "{}", built.stderr);
    assert!(built.stdout.contains("  a: vpc-0ab1\n  b: ${other.x}\n"));
    let expected = "warning[unbound-reference]: nothing is bound to `other`";
    assert!(built.stderr.starts_with(expected), "{}", built.stderr);
}

/// kustomize matches what a function returns by group, version, kind, name and namespace, and
/// keeps older names in annotations, by which it finds the targets of patches and of references.
#[test(tools)]
fn references_in_names_and_namespaces_are_built_as_their_values() {
    let landfall = program::landfall();
    let resources = "apiVersion: v1
kind: ConfigMap
metadata: {name: 'settings-${infra.env}', namespace: '${infra.namespace}'}
data: {a: b}
---
apiVersion: v1
kind: Pod
metadata: {name: web, namespace: '${infra.namespace}'}
spec:
  containers:
  - name: web
    image: nginx
    envFrom:
    - configMapRef: {name: 'settings-${infra.env}'}
    - configMapRef: {name: generated}
";
    let values = resources
        .replace("${infra.env}", "prod")
        .replace("${infra.namespace}", "shop");
    let outputs = r#"{"env": {"sensitive": false, "type": "string", "value": "prod"}, "namespace": {"sensitive": false, "type": "string", "value": "shop"}}"#;
    let built = |resources: &str, transformers: &str| {
        let folder = kustomization(resources, outputs);
        let base = format!(
            "namePrefix: base-\nresources: [manifests.yaml]\nconfigMapGenerator: [{{name: generated, namespace: shop, literals: [a=b]}}]\n{transformers}"
        );
        folder.write("kustomization.yaml", &base);
        // The patch finds its target by the name in the base.
        folder.write(
            "overlay/kustomization.yaml",
            "namePrefix: overlay-\nresources: [../base]\npatches:\n- target: {kind: ConfigMap, name: settings-prod}\n  patch: |\n    - {op: add, path: /data/patched, value: 'yes'}\n",
        );
        for file in [
            "kustomization.yaml",
            "landfall.yaml",
            "terraform.json",
            "manifests.yaml",
        ] {
            let text = folder.read(file);
            folder.write(&format!("base/{file}"), &text);
        }
        let built = build(&folder.at("overlay"), &FLAGS, &landfall);
        assert!(built.success, "{}", built.stderr);
        built.stdout
    };
    let expected = built(&values, "");
    assert!(expected.contains("  patched: \"yes\"\n"), "{expected}");
    assert_eq!(
        built(resources, "transformers: [landfall.yaml]\n"),
        expected
    );
}

#[test(tools)]
fn two_resources_that_get_the_same_name_are_refused() {
    let landfall = program::landfall();
    let folder = kustomization(
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: 'a-${infra.env}'}\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: a-prod}\n",
        r#"{"env": {"sensitive": false, "type": "string", "value": "prod"}}"#,
    );
    let built = build(folder.path(), &FLAGS, &landfall);
    assert_eq!((built.success, built.stdout.as_str()), (false, ""));
    let expected = "generated duplicate resource";
    assert!(built.stderr.contains(expected), "{}", built.stderr);
}

#[test(tools)]
fn a_mistake_in_a_name_is_reported_once_and_not_in_annotations_of_kustomize() {
    let landfall = program::landfall();
    let outputs = r#"{"env": {"sensitive": false, "type": "string", "value": "prod"}}"#;
    let manifest = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: 'a-${infra.envv}'}\n";
    let folder = kustomization(manifest, outputs);
    for prefix in ["", "namePrefix: p-\n"] {
        folder.write(
            "kustomization.yaml",
            &format!("{prefix}resources: [manifests.yaml]\ntransformers: [landfall.yaml]\n"),
        );
        let built = build(folder.path(), &FLAGS, &landfall);
        assert!(!built.success);
        let count = built.stderr.matches("error[unknown-output]").count();
        assert_eq!(count, 1, "{}", built.stderr);
        assert!(
            built.stderr.contains("field metadata.name"),
            "{}",
            built.stderr
        );
    }
    // The help names an annotation that nobody wrote: "list the annotation in `spec.embedded`".
    let text = r#"{"env": {"sensitive": false, "type": "string", "value": "a: b"}}"#;
    let folder = kustomization(&manifest.replace("envv", "env"), text);
    let built = build(folder.path(), &FLAGS, &landfall);
    assert!(!built.stderr.contains("annotation"), "{}", built.stderr);
}

/// A function of a base reads the files beside it, wherever kustomize is started.
#[test(tools)]
fn a_function_of_a_base_finds_its_outputs_beside_it() {
    let landfall = program::landfall();
    let folder = kustomization("", "{}");
    folder.write("overlay/kustomization.yaml", "resources: [../base]\n");
    for file in ["kustomization.yaml", "landfall.yaml"] {
        let text = folder.read(file);
        folder.write(&format!("base/{file}"), &text);
    }
    folder.write("base/manifests.yaml", SETTINGS);
    folder.write("base/terraform.json", OUTPUTS);
    let built = build(&folder.at("overlay"), &FLAGS, &landfall);
    assert_is_bound(&built);
}

/// kustomize before 5.7 knows no `args`, and all versions the older annotation.
#[test(tools)]
fn landfall_krm_is_a_function_without_arguments() {
    let landfall = program::landfall();
    let folder = kustomization(SETTINGS, OUTPUTS);
    let installed = Command::new(landfall)
        .arg("install")
        .arg(folder.at("bin"))
        .output()
        .unwrap();
    assert!(installed.status.success(), "{installed:?}");
    folder.replace(
        "landfall.yaml",
        "{path: landfall, args: [krm]}",
        "{path: landfall-krm}",
    );
    for annotation in ["config.kubernetes.io/function", "config.k8s.io/function"] {
        let binding = folder.read("landfall.yaml");
        let binding = binding.replace("config.kubernetes.io/function", annotation);
        folder.write("landfall.yaml", &binding);
        let built = build(folder.path(), &FLAGS, &folder.at("bin/landfall-krm"));
        assert_is_bound(&built);
    }
}

/// kubectl's kustomize has no `--enable-exec`: it always skips the function.
#[test(kubectl)]
fn kubectl_runs_no_function_and_what_is_left_is_found() {
    let landfall = program::landfall();
    let folder = kustomization(SETTINGS, OUTPUTS);
    // Some versions of kubectl know no `args`.
    folder.replace(
        "landfall.yaml",
        "{path: landfall, args: [krm]}",
        "{path: landfall-krm}",
    );
    let kubectl = |flags: &[&str]| {
        Command::new(landfall_test_support::skip::needed_program("kubectl"))
            .arg("kustomize")
            .args(flags)
            .arg(folder.path())
            .stdin(Stdio::null())
            .output()
            .unwrap()
    };
    let refused = kubectl(&FLAGS);
    let stderr = String::from_utf8(refused.stderr).unwrap();
    assert!(stderr.contains("unknown flag: --enable-exec"), "{stderr}");
    let skipped = kubectl(&FLAGS[..1]);
    assert!(skipped.status.success());
    let manifests = String::from_utf8(skipped.stdout).unwrap();
    assert!(manifests.contains("${infra.vpc}"), "{manifests}");
    let (accepted, found) = none_left(&landfall, &manifests);
    assert!(!accepted);
    assert!(found.contains("error[unrendered-reference]"), "{found}");
}

#[test(tools)]
fn a_role_that_needs_resources_or_generates_none_is_an_error() {
    let landfall = program::landfall();
    let folder = kustomization("", "{}");
    for (role, spec) in [
        ("generators", ""),
        ("transformers", ""),
        ("validators", "  validate: true\n"),
    ] {
        let binding = folder
            .read("landfall.yaml")
            .replace("  validate: true\n", "");
        folder.write("landfall.yaml", &format!("{binding}{spec}"));
        folder.write("kustomization.yaml", &format!("{role}: [landfall.yaml]\n"));
        let built = build(folder.path(), &FLAGS, &landfall);
        assert!(!built.success, "{role}");
        assert!(
            built.stderr.contains("error[no-manifests]"),
            "{role}: {}",
            built.stderr
        );
    }
}
