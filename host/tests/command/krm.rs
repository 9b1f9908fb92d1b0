//! `landfall krm`: a ResourceList on standard input and output.

use crate::run::{INFRA, TestFolder};

const LIST: &str = "apiVersion: config.kubernetes.io/v1
kind: ResourceList
items:
- apiVersion: v1
  kind: ConfigMap
  metadata:
    name: web
  data:
    vpc: ${infra.vpc_id}
functionConfig:
  apiVersion: landfall.dev/v1alpha1
  kind: Binding
  metadata:
    name: landfall
  spec:
    outputs:
    - name: infra
      from:
        file: outputs/infra.json
";

fn setup() -> TestFolder {
    let folder = TestFolder::new();
    folder.write("outputs/infra.json", INFRA);
    folder
}

#[test]
fn renders_items_and_keeps_the_rest() {
    let folder = setup();
    let text = folder.run_with_stdin(&["krm"], LIST).expect_stdout();
    assert!(text.contains("    vpc: vpc-0ab1\n"), "{text}");
    assert!(
        text.contains("        file: outputs/infra.json\n"),
        "{text}"
    );
}

/// kustomize calls a function by its path, without arguments.
#[cfg(unix)]
#[test]
fn runs_as_a_function_if_called_landfall_krm() {
    let folder = setup();
    let link = folder.at("landfall-krm");
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_landfall"), &link).unwrap();
    let mut command = std::process::Command::new(&link);
    command
        .current_dir(folder.path())
        .env_clear()
        .stdin(std::process::Stdio::piped());
    let run = crate::run::finish(&mut command, LIST.as_bytes());
    assert_eq!(
        run.expect_stdout(),
        folder.run_with_stdin(&["krm"], LIST).expect_stdout()
    );
}

/// kpt shows the results, and keeps the files that it has.
#[test]
fn a_failure_writes_its_results_and_no_items() {
    let folder = setup();
    let run = folder.run_with_stdin(&["krm"], LIST.replace("infra.vpc_id", "infra.vpc_idd"));
    let list = String::from_utf8_lossy(&run.stdout);
    assert!(list.contains("\nitems: []\n"), "{list}");
    assert!(list.contains("    rule: unknown-output\n"), "{list}");
    run.assert_input_error(&[
        "unknown-output",
        "ResourceList:9:",
        "ConfigMap web",
        "outputs/infra.json:2:3",
    ]);
    let run = folder.run_with_stdin(
        &["krm", "--stdin-filename", "list.yaml"],
        LIST.replace("vpc_id", "vpc_idd"),
    );
    run.assert_input_error(&["list.yaml:9:"]);
}

#[test]
fn a_missing_outputs_document() {
    let folder = setup();
    let run = folder.run_with_stdin(
        &["krm"],
        LIST.replace("outputs/infra.json", "outputs/none.json"),
    );
    run.assert_input_error(&[
        "outputs-not-published",
        "`outputs/none.json`",
        "ResourceList:19:",
    ]);
}

#[test]
fn the_kustomization_is_the_root() {
    let folder = setup();
    folder.write("outside.json", INFRA);
    folder.write("base/x", "");
    let list = LIST.replace("outputs/infra.json", "../outside.json");
    let run = |arguments: &[&str]| {
        let mut command = folder.command(arguments);
        command
            .current_dir(folder.at("base"))
            .stdin(std::process::Stdio::piped());
        crate::run::finish(&mut command, list.as_bytes())
    };
    run(&["krm"]).assert_input_error(&["outside-root", "`../outside.json`"]);
    assert_eq!(run(&["krm", "--root", ".."]).code, Some(0));
}

#[test]
fn an_outputs_document_by_flag() {
    let folder = setup();
    let list = LIST.replace("outputs/infra.json", "outputs/none.json");
    let run = folder.run_with_stdin(&["krm", "-b", "infra=outputs/infra.json"], list);
    assert!(run.expect_stdout().contains("vpc: vpc-0ab1"));
}

#[test]
fn rejects_input_that_is_not_a_resource_list() {
    let folder = setup();
    for input in ["", "a: 1\n", "[", "\u{0}\u{0}"] {
        folder
            .run_with_stdin(&["krm"], input)
            .assert_input_error(&["invalid-resource-list"]);
    }
    folder
        .run_with_stdin(&["krm"], b"\xff")
        .assert_input_error(&["ResourceList:1:1"]);
}

/// A functionConfig has no folder of an operator, and no file with CustomResourceDefinitions.
#[test]
fn keys_of_a_binding_that_a_function_cannot_follow_are_errors() {
    let folder = setup();
    let mounted = LIST.replace("        file: outputs", "        mounted: outputs");
    folder
        .run_with_stdin(&["krm"], mounted)
        .assert_input_error(&["invalid-binding", "`mounted` is not supported"]);
    let schemas = LIST.to_owned() + "    schemas: [crds.yaml]\n";
    folder
        .run_with_stdin(&["krm"], schemas)
        .assert_input_error(&["invalid-binding", "`schemas` is not supported"]);
}

#[test]
fn a_file_that_is_declared_sensitive_under_another_name_is_refused() {
    let folder = setup();
    let list = LIST.replace("infra.vpc_id", "net.vpc_id") + "      sensitive: [vpc_id]\n";
    folder
        .run_with_stdin(&["krm", "-b", "net=outputs/infra.json"], list)
        .assert_input_error(&["binding-not-applied", "under the name `infra`, not `net`"]);
}

/// kustomize refuses a validator that returns what it was given, `cat` included.
#[cfg(unix)]
#[test(tools)]
fn a_validator_of_kustomize_finds_what_is_left() {
    let folder = setup();
    let function = |name: &str, spec: &str| {
        format!(
            "apiVersion: landfall.dev/v1alpha1
kind: Binding
metadata:
  name: {name}
  annotations:
    config.kubernetes.io/function: |
      exec: {{path: {}, args: [krm]}}
spec: {spec}
",
            env!("CARGO_BIN_EXE_landfall")
        )
    };
    folder.write(
        "kustomization.yaml",
        "resources: [web.yaml]\ntransformers: [landfall.yaml]\nvalidators: [none-left.yaml]\n",
    );
    let outputs = "outputs: [{name: infra, from: {file: outputs/infra.json}}]";
    let bind = format!("{{{outputs}, policy: {{unused: ignore}}}}");
    folder.write("landfall.yaml", function("bind", &bind));
    let validate = format!("{{{outputs}, validate: true}}");
    folder.write("none-left.yaml", function("none-left", &validate));
    let build = |data: &str| {
        let web = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: web}\ndata:\n";
        folder.write("web.yaml", format!("{web}  {data}\n"));
        let mut command = std::process::Command::new(crate::tool::program("kustomize"));
        command
            .args(["build", "--enable-alpha-plugins", "--enable-exec", "."])
            .current_dir(folder.path())
            .env_clear()
            .stdin(std::process::Stdio::piped());
        crate::run::finish(&mut command, b"")
    };
    let built = build("vpc: ${infra.vpc_id}").expect_stdout();
    assert!(built.contains("  vpc: vpc-0ab1\n"), "{built}");
    // The transformer writes this text for the next reader.
    let run = build("vpc: $${infra.vpc_id}");
    assert!(run.stdout.is_empty());
    assert!(
        run.stderr.contains("unrendered-reference"),
        "{}",
        run.stderr
    );
}

/// kustomize deletes every resource if a function prints nothing and succeeds.
#[cfg(target_os = "linux")]
#[test]
fn what_cannot_be_written_is_a_failure() {
    let folder = setup();
    let full = std::fs::OpenOptions::new()
        .write(true)
        .open("/dev/full")
        .unwrap();
    let mut command = folder.command(&["krm"]);
    command
        .stdin(std::process::Stdio::piped())
        .stdout(full)
        .stderr(std::process::Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    std::io::Write::write_all(&mut stdin, LIST.as_bytes()).unwrap();
    drop(stdin);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(
        stderr.contains("cannot write to standard output"),
        "{stderr}"
    );
}

/// kustomize passes its whole environment; variables for Argo CD's plugin change nothing here.
#[test]
fn variables_of_the_environment_are_not_read() {
    let folder = setup();
    let mut command = folder.command(&["krm"]);
    command
        .envs([
            ("LANDFALL_OPERATOR_POLICY", "/none/policy.yaml"),
            ("LANDFALL_MOUNTED_OUTPUTS", "/none"),
            ("LANDFALL_DIGEST_KEY", "/none/key"),
        ])
        .stdin(std::process::Stdio::piped());
    let run = crate::run::finish(&mut command, LIST.as_bytes());
    assert_eq!(
        run.expect_stdout(),
        folder.run_with_stdin(&["krm"], LIST).expect_stdout()
    );
}

/// A usage error or the help text of a function that is called without `krm` is not on standard
/// output, where kustomize would report it as bad YAML.
#[test]
fn a_wrong_call_prints_nothing_to_standard_output() {
    let folder = setup();
    for arguments in [&[][..], &["krm", "--nonsense"], &["krmm"]] {
        let run = folder.run_with_stdin(arguments, LIST);
        run.assert_fails(2, &["Usage: landfall"]);
    }
}
