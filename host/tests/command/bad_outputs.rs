//! Outputs documents that cannot be used. Their excerpts never show a value.

use crate::run::{INFRA, TestFolder, config_map};

/// Renders one manifest with `outputs` as its outputs document.
#[track_caller]
fn check(outputs: impl AsRef<[u8]>, parts: &[&str]) {
    let folder = TestFolder::new();
    folder.write("infra.json", outputs);
    let run = folder.run_with_stdin(&["render", "-", "-b", "infra.json"], "a: ${infra.vpc_id}\n");
    run.assert_input_error(parts);
    assert!(!run.stderr.contains("hunter2"), "{}", run.stderr);
}

#[test]
fn malformed_json() {
    check(
        "{\"vpc_id\": {\"value\": \"hunter2\"}",
        &["invalid-outputs", "infra.json:1:"],
    );
    check(
        "{\n  \"password\": {\"value\": \"hunter2\",}\n}",
        &["invalid-outputs", "infra.json:2:"],
    );
    check(
        "{\"password\": hunter2}",
        &["invalid-outputs", "infra.json:1:"],
    );
    check(b"{\"password\": \"hunter2\xff\"}", &["infra.json:1:"]);
}

#[test]
fn empty() {
    check("", &["outputs-empty", "infra.json"]);
    check(" \n\t\n", &["outputs-empty", "infra.json"]);
}

#[test]
fn not_an_outputs_document() {
    check("[\"hunter2\"]", &["outputs-not-recognized", "infra.json"]);
    check("\"hunter2\"", &["infra.json"]);
}

#[test]
fn twenty_thousand_nested_brackets() {
    let deep = format!(
        "{{\"vpc_id\": {{\"sensitive\": false, \"type\": \"dynamic\", \"value\": {}{}}}}}",
        "[".repeat(20_000),
        "]".repeat(20_000)
    );
    check(deep, &["infra.json:1:"]);
}

#[test]
fn missing() {
    let folder = TestFolder::new();
    folder.write("a.yaml", "a: ${network.vpc_id}\n");
    let run = folder.run(&["render", "a.yaml", "-b", "network=out/net.json"]);
    run.assert_input_error(&[
        "outputs-not-published",
        "`network`",
        "`out/net.json`",
        "terraform output -json",
    ]);
}

#[test]
fn missing_documents_named_by_the_binding() {
    let folder = TestFolder::new();
    folder.write("app/a.yaml", config_map("vpc: ${network.vpc_id}"));
    folder.write(
        "app/landfall.yaml",
        "apiVersion: landfall.dev/v1alpha1
kind: Binding
spec:
  outputs:
    - name: network
      from: {file: outputs/net.json}
      publishedBy: the network team's pipeline
    - name: infra
      from: {file: outputs/infra.json}
",
    );
    let run = folder.run(&["render", "app"]);
    run.assert_input_error(&[
        "outputs-not-published",
        "app/landfall.yaml:6:",
        "`network` is not published yet: `app/outputs/net.json` does not exist",
        "published by: the network team's pipeline",
        "app/landfall.yaml:9:",
        "error: 2 errors",
    ]);
}

#[test]
fn paths_through_a_file_or_a_missing_folder() {
    let folder = TestFolder::new();
    folder.write("app/a.yaml", config_map("vpc: ${infra.vpc_id}"));
    folder.write("app/infra.json", INFRA);
    for (path, why, meant) in [
        ("infra.json/", "`app/infra.json` is a file", "infra.json"),
        ("./infra.json/.", "`app/infra.json` is a file", "infra.json"),
        ("x/../infra.json", "does not exist", "infra.json"),
        (
            "../x/../app/infra.json",
            "does not exist",
            "../app/infra.json",
        ),
    ] {
        folder.write(
            "app/landfall.yaml",
            format!("apiVersion: landfall.dev/v1alpha1\nkind: Binding\nspec: {{policy: {{unpublished: keep}}, outputs: [{{name: infra, from: {{file: {path}}}}}]}}\n"),
        );
        folder
            .run(&["render", "app", "--root", "."])
            .assert_input_error(&[
                &format!(
                    "error[missing-file]: cannot open `{path}`, the outputs document of `infra`: "
                ),
                why,
                &format!("use `{meant}`"),
            ]);
    }
}

#[test]
fn a_folder() {
    let folder = TestFolder::new();
    folder.write("infra.json/file", "");
    folder.write("a.yaml", "a: ${infra.vpc_id}\n");
    let run = folder.run(&["render", "a.yaml", "-b", "infra.json"]);
    run.assert_input_error(&["unreadable-file", "`infra.json`", "is a folder"]);
    folder.write("landfall.yaml", "apiVersion: landfall.dev/v1alpha1\nkind: Binding\nspec: {outputs: [{name: infra, from: {file: infra.json}}]}\n");
    folder.run(&["render"]).assert_input_error(&[
        "unreadable-file",
        "`infra.json`",
        "is a folder",
        "landfall.yaml:3:",
    ]);
}

#[cfg(unix)]
#[test]
fn a_link_to_itself() {
    let folder = TestFolder::new();
    std::os::unix::fs::symlink("infra.json", folder.at("infra.json")).unwrap();
    let run = folder.run_with_stdin(&["render", "-", "-b", "infra.json"], "a: 1\n");
    run.assert_input_error(&["unreadable-file", "`infra.json`", "symbolic links"]);
    assert!(!run.stderr.contains("os error"), "{}", run.stderr);
}

#[cfg(unix)]
#[test]
fn a_pipe_that_a_binding_names_does_not_hang() {
    let folder = TestFolder::new();
    rustix::fs::mknodat(
        rustix::fs::CWD,
        folder.at("infra.json"),
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::from_raw_mode(0o600),
        0,
    )
    .unwrap();
    folder.write("a.yaml", config_map("vpc: ${infra.vpc_id}"));
    folder.write("landfall.yaml", "apiVersion: landfall.dev/v1alpha1\nkind: Binding\nspec: {outputs: [{name: infra, from: {file: infra.json}}]}\n");
    folder
        .run(&["render"])
        .assert_input_error(&["unreadable-file", "not a regular file"]);
}

#[test]
fn addresses() {
    let folder = TestFolder::with_infra();
    folder.write("a.yaml", config_map("vpc: ${infra.vpc_id}"));
    folder
        .run(&["render", "a.yaml", "-b", "file:///srv/infra.json"])
        .assert_input_error(&[
            "missing-file",
            "is a URL",
            "write the path: `/srv/infra.json`",
        ]);
    for (address, command) in [
        ("https://example.org/infra.json", "curl -fsS"),
        ("s3://bucket/infra.json", "aws s3 cp"),
        ("gs://bucket/infra.json", "gcloud storage cat"),
        ("git@github.com:org/infra.json", "download it first"),
    ] {
        folder
            .run(&["render", "a.yaml", "-b", address])
            .assert_input_error(&["missing-file", "is a remote address", command]);
        folder.write(
            "landfall.yaml",
            format!("apiVersion: landfall.dev/v1alpha1\nkind: Binding\nspec: {{outputs: [{{name: infra, from: {{file: \"{address}\"}}}}]}}\n"),
        );
        folder.run(&["check", "."]).assert_input_error(&[
            "landfall.yaml:3:",
            "is a remote address",
            command,
        ]);
    }
}

#[cfg(unix)]
#[test]
fn broken_links() {
    let folder = TestFolder::new();
    std::os::unix::fs::symlink("nowhere", folder.at("infra.json")).unwrap();
    std::os::unix::fs::symlink("nowhere", folder.at("b.yaml")).unwrap();
    folder.write("a.yaml", config_map("vpc: ${infra.vpc_id}"));
    folder
        .run(&["render", "a.yaml", "-b", "infra.json"])
        .assert_input_error(&["outputs-not-published", "`infra.json` is a broken link"]);
    folder
        .run(&["render", "b.yaml"])
        .assert_input_error(&["missing-file", "`b.yaml` is a broken link"]);
    folder.write("landfall.yaml", "apiVersion: landfall.dev/v1alpha1\nkind: Binding\nspec: {outputs: [{name: infra, from: {file: infra.json}}]}\n");
    folder.run(&["render"]).assert_input_error(&[
        "outputs-not-published",
        "`infra.json` is a broken link",
        "`b.yaml` is a broken link",
    ]);
}

#[test]
fn no_work_tree() {
    let folder = TestFolder::with_infra();
    folder.write("app/a.yaml", config_map("vpc: ${infra.vpc_id}"));
    folder.write("app/landfall.yaml", "apiVersion: landfall.dev/v1alpha1\nkind: Binding\nspec: {outputs: [{name: infra, from: {file: ../infra.json}}]}\n");
    folder.run(&["render", "app"]).assert_input_error(&[
        "outside-root",
        "no Git work tree",
        "--root",
    ]);
    folder
        .run(&["render", "app", "--root", "."])
        .expect_stdout();
}

#[cfg(unix)]
#[test]
fn special_files_on_the_command_line_do_not_hang() {
    let folder = TestFolder::with_infra();
    let mode = rustix::fs::Mode::from_raw_mode(0o600);
    let kind = rustix::fs::FileType::Fifo;
    rustix::fs::mknodat(rustix::fs::CWD, folder.at("pipe"), kind, mode, 0).unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(folder.at("socket")).unwrap();
    folder.write("a.yaml", config_map("vpc: ${infra.vpc_id}"));
    for special in ["pipe", "socket", "/dev/zero"] {
        for arguments in [
            ["render", "a.yaml", "-b", special],
            ["check", special, "-b", "infra.json"],
            ["explain", "a.yaml", "-c", special],
            ["cmp", "generate", "--operator-policy", special],
        ] {
            let parts = ["unreadable-file", special, "not a regular file"];
            folder.run(&arguments).assert_fails(1, &parts);
        }
    }
    // A pipe of the shell is read.
    let script = "exec \"$0\" render a.yaml -b /dev/fd/3 3<&0";
    let mut command = std::process::Command::new("/bin/sh");
    command
        .args(["-c", script, env!("CARGO_BIN_EXE_landfall")])
        .current_dir(folder.path())
        .stdin(std::process::Stdio::piped());
    let run = crate::run::finish(&mut command, INFRA.as_bytes());
    assert_eq!(run.expect_stdout(), config_map("vpc: vpc-0ab1"));
}

#[test]
fn a_flag_overrides_an_outputs_document_of_the_binding() {
    let folder = TestFolder::new();
    folder.write("staging.json", INFRA);
    folder.write("a.yaml", config_map("vpc: ${infra.vpc_id}"));
    folder.write("landfall.yaml", "apiVersion: landfall.dev/v1alpha1\nkind: Binding\nspec: {outputs: [{name: infra, from: {file: missing.json}}]}\n");
    let run = folder.run(&["render", "-b", "infra=staging.json"]);
    assert_eq!(run.expect_stdout(), config_map("vpc: vpc-0ab1"));
}

#[test]
fn an_outputs_document_is_not_rendered() {
    let folder = TestFolder::with_infra();
    folder.write("r.yaml", config_map("vpc: ${infra.vpc_id}"));
    let what = "this is an outputs document, not a manifest";
    for (arguments, parts) in [
        (
            &["render", "r.yaml", "infra.json"][..],
            ["--> infra.json:1:1", "help: did you mean `-b infra.json`?"],
        ),
        (
            &["render", "r.yaml", "./infra.json", "-b", "infra.json"],
            [
                "--> infra.json:1:1",
                "help: it is already bound: remove `infra.json`",
            ],
        ),
        (
            &["explain", "-b", "infra.json", "-"],
            ["--> <stdin>:1:1", "help: did you mean `-b -`?"],
        ),
    ] {
        let run = folder.run_with_stdin(arguments, INFRA);
        run.assert_fails(1, &[&[what], &parts[..]].concat());
        assert!(!run.stderr.contains("nothing-bound"), "{}", run.stderr);
        assert!(!run.stderr.contains("hunter2"), "{}", run.stderr);
    }
    folder.write("app/tf.json", INFRA);
    folder.write("app/cm.yaml", config_map("vpc: vpc"));
    let in_folder = [what, "--> app/tf.json:1:1", "bind it with `-b app/tf.json`"];
    folder
        .run(&["render", "app"])
        .assert_input_error(&in_folder);
    folder.write(
        "app/landfall.yaml",
        "apiVersion: landfall.dev/v1alpha1\nkind: Binding\n",
    );
    let in_application = [what, "--> app/tf.json:1:1", "`spec.manifests.exclude`"];
    folder
        .run(&["render", "app"])
        .assert_input_error(&in_application);
    folder.write(
        "state.json",
        r#"{"terraform_version": "1.9.0", "outputs": {}}"#,
    );
    folder.run(&["render", "state.json"]).assert_input_error(&[
        "not-a-resource",
        "Terraform state file of an unsupported version, not a manifest",
    ]);
}

#[test]
fn json_manifests_are_rendered() {
    let folder = TestFolder::with_infra();
    for source in [
        r#"{"apiVersion": "v1", "kind": "ConfigMap", "data": {"value": "sensitive"}}"#,
        r#"{"a": {"value": "b"}, "c": 1}"#,
        "{}",
    ] {
        let run = folder.run_with_stdin(&["render", "-"], source);
        assert_eq!(run.expect_stdout(), source);
    }
    let template = r#"{"a": {"value": "${infra.vpc_id}"}}"#;
    let run = folder.run_with_stdin(&["render", "-", "-b", "infra.json"], template);
    assert_eq!(run.expect_stdout(), r#"{"a": {"value": "vpc-0ab1"}}"#);
}
