//! Outputs documents that cannot be used. No excerpt of one ever shows a value.

use crate::run::{INFRA, Place, config_map};

/// Renders one manifest with `outputs` as its document.
#[track_caller]
fn check(outputs: impl AsRef<[u8]>, parts: &[&str]) {
    let Some(place) = Place::new() else { return };
    place.write("infra.json", outputs);
    let run = place.run_with_stdin(&["render", "-", "-b", "infra.json"], "a: ${infra.vpc_id}\n");
    run.input_error(parts);
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
    let Some(place) = Place::new() else { return };
    place.write("a.yaml", "a: ${network.vpc_id}\n");
    let run = place.run(&["render", "a.yaml", "-b", "network=out/net.json"]);
    run.input_error(&[
        "outputs-not-published",
        "`network`",
        "`out/net.json`",
        "terraform output -json",
    ]);
}

#[test]
fn missing_where_the_binding_looks() {
    let Some(place) = Place::new() else { return };
    place.write("app/a.yaml", config_map("vpc: ${network.vpc_id}"));
    place.write(
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
    let run = place.run(&["render", "app"]);
    run.input_error(&[
        "outputs-not-published",
        "app/landfall.yaml:6:",
        "`network` is not published yet: `app/outputs/net.json` does not exist",
        "published by: the network team's pipeline",
        "app/landfall.yaml:9:",
        "error: 2 errors",
    ]);
}

#[test]
fn paths_that_the_system_does_not_follow() {
    let Some(place) = Place::new() else { return };
    place.write("app/a.yaml", config_map("vpc: ${infra.vpc_id}"));
    place.write("app/infra.json", INFRA);
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
        place.write(
            "app/landfall.yaml",
            format!("apiVersion: landfall.dev/v1alpha1\nkind: Binding\nspec: {{policy: {{unpublished: keep}}, outputs: [{{name: infra, from: {{file: {path}}}}}]}}\n"),
        );
        place.run(&["render", "app", "--root", "."]).input_error(&[
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
    let Some(place) = Place::new() else { return };
    place.write("infra.json/file", "");
    place.write("a.yaml", "a: ${infra.vpc_id}\n");
    let run = place.run(&["render", "a.yaml", "-b", "infra.json"]);
    run.input_error(&["unreadable-file", "`infra.json`", "is a folder"]);
    place.write("landfall.yaml", "apiVersion: landfall.dev/v1alpha1\nkind: Binding\nspec: {outputs: [{name: infra, from: {file: infra.json}}]}\n");
    place.run(&["render"]).input_error(&[
        "unreadable-file",
        "`infra.json`",
        "is a folder",
        "landfall.yaml:3:",
    ]);
}

#[cfg(unix)]
#[test]
fn one_that_the_system_refuses() {
    let Some(place) = Place::new() else { return };
    std::os::unix::fs::symlink("infra.json", place.at("infra.json")).unwrap();
    let run = place.run_with_stdin(&["render", "-", "-b", "infra.json"], "a: 1\n");
    run.input_error(&["unreadable-file", "`infra.json`", "symbolic links"]);
    assert!(!run.stderr.contains("os error"), "{}", run.stderr);
}

#[cfg(unix)]
#[test]
fn a_pipe_that_a_binding_names_does_not_hang() {
    let Some(place) = Place::new() else { return };
    rustix::fs::mknodat(
        rustix::fs::CWD,
        place.at("infra.json"),
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::from_raw_mode(0o600),
        0,
    )
    .unwrap();
    place.write("a.yaml", config_map("vpc: ${infra.vpc_id}"));
    place.write("landfall.yaml", "apiVersion: landfall.dev/v1alpha1\nkind: Binding\nspec: {outputs: [{name: infra, from: {file: infra.json}}]}\n");
    place
        .run(&["render"])
        .input_error(&["unreadable-file", "not a regular file"]);
}

#[test]
fn addresses() {
    let Some(place) = Place::with_infra() else {
        return;
    };
    place.write("a.yaml", config_map("vpc: ${infra.vpc_id}"));
    for (address, command) in [
        ("https://example.org/infra.json", "curl -fsS"),
        ("s3://bucket/infra.json", "aws s3 cp"),
        ("git@github.com:org/infra.json", "download it first"),
    ] {
        place
            .run(&["render", "a.yaml", "-b", address])
            .input_error(&["missing-file", "is a remote address", command]);
        place.write(
            "landfall.yaml",
            format!("apiVersion: landfall.dev/v1alpha1\nkind: Binding\nspec: {{outputs: [{{name: infra, from: {{file: \"{address}\"}}}}]}}\n"),
        );
        place.run(&["check", "."]).input_error(&[
            "landfall.yaml:3:",
            "is a remote address",
            command,
        ]);
    }
}

#[cfg(unix)]
#[test]
fn links_to_nothing() {
    let Some(place) = Place::new() else { return };
    std::os::unix::fs::symlink("nowhere", place.at("infra.json")).unwrap();
    std::os::unix::fs::symlink("nowhere", place.at("b.yaml")).unwrap();
    place.write("a.yaml", config_map("vpc: ${infra.vpc_id}"));
    place
        .run(&["render", "a.yaml", "-b", "infra.json"])
        .input_error(&["outputs-not-published", "`infra.json` is a broken link"]);
    place
        .run(&["render", "b.yaml"])
        .input_error(&["missing-file", "`b.yaml` is a broken link"]);
    place.write("landfall.yaml", "apiVersion: landfall.dev/v1alpha1\nkind: Binding\nspec: {outputs: [{name: infra, from: {file: infra.json}}]}\n");
    place.run(&["render"]).input_error(&[
        "outputs-not-published",
        "`infra.json` is a broken link",
        "`b.yaml` is a broken link",
    ]);
}

#[test]
fn no_work_tree() {
    let Some(place) = Place::with_infra() else {
        return;
    };
    place.write("app/a.yaml", config_map("vpc: ${infra.vpc_id}"));
    place.write("app/landfall.yaml", "apiVersion: landfall.dev/v1alpha1\nkind: Binding\nspec: {outputs: [{name: infra, from: {file: ../infra.json}}]}\n");
    place
        .run(&["render", "app"])
        .input_error(&["outside-root", "no Git work tree", "--root"]);
    place.run(&["render", "app", "--root", "."]).text();
}

#[cfg(unix)]
#[test]
fn special_files_on_the_command_line_do_not_hang() {
    let Some(place) = Place::with_infra() else {
        return;
    };
    let mode = rustix::fs::Mode::from_raw_mode(0o600);
    let kind = rustix::fs::FileType::Fifo;
    rustix::fs::mknodat(rustix::fs::CWD, place.at("pipe"), kind, mode, 0).unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(place.at("socket")).unwrap();
    place.write("a.yaml", config_map("vpc: ${infra.vpc_id}"));
    for special in ["pipe", "socket", "/dev/zero"] {
        for arguments in [
            ["render", "a.yaml", "-b", special],
            ["check", special, "-b", "infra.json"],
            ["explain", "a.yaml", "-c", special],
            ["cmp", "generate", "--operator-policy", special],
        ] {
            let refused = ["unreadable-file", special, "not a regular file"];
            place.run(&arguments).refused(1, &refused);
        }
    }
    // The shell's own pipes are no files that wait.
    let script = "exec \"$0\" render a.yaml -b /dev/fd/3 3<&0";
    let mut command = std::process::Command::new("/bin/sh");
    command
        .args(["-c", script, env!("CARGO_BIN_EXE_landfall")])
        .current_dir(place.path())
        .stdin(std::process::Stdio::piped());
    let run = crate::run::finish(&mut command, INFRA.as_bytes());
    assert_eq!(run.text(), config_map("vpc: vpc-0ab1"));
}

#[test]
fn the_flag_stands_in_for_the_binding() {
    let Some(place) = Place::new() else { return };
    place.write("staging.json", INFRA);
    place.write("a.yaml", config_map("vpc: ${infra.vpc_id}"));
    place.write("landfall.yaml", "apiVersion: landfall.dev/v1alpha1\nkind: Binding\nspec: {outputs: [{name: infra, from: {file: missing.json}}]}\n");
    let run = place.run(&["render", "-b", "infra=staging.json"]);
    assert_eq!(run.text(), config_map("vpc: vpc-0ab1"));
}

#[test]
fn an_outputs_document_is_not_rendered() {
    let Some(place) = Place::with_infra() else {
        return;
    };
    place.write("r.yaml", config_map("vpc: ${infra.vpc_id}"));
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
        let run = place.run_with_stdin(arguments, INFRA);
        run.refused(1, &[&[what], &parts[..]].concat());
        assert!(!run.stderr.contains("nothing-bound"), "{}", run.stderr);
        assert!(!run.stderr.contains("hunter2"), "{}", run.stderr);
    }
    place.write("app/tf.json", INFRA);
    place.write("app/cm.yaml", config_map("vpc: vpc"));
    let in_folder = [what, "--> app/tf.json:1:1", "`spec.manifests.exclude`"];
    place.run(&["render", "app"]).input_error(&in_folder);
    place.write(
        "state.json",
        r#"{"terraform_version": "1.9.0", "outputs": {}}"#,
    );
    place
        .run(&["render", "state.json"])
        .input_error(&["not-a-resource", "Terraform state file, not a manifest"]);
}

#[test]
fn json_manifests_are_rendered() {
    let Some(place) = Place::with_infra() else {
        return;
    };
    for source in [
        r#"{"apiVersion": "v1", "kind": "ConfigMap", "data": {"value": "sensitive"}}"#,
        r#"{"a": {"value": "b"}, "c": 1}"#,
        "{}",
    ] {
        let run = place.run_with_stdin(&["render", "-"], source);
        assert_eq!(run.text(), source);
    }
    let template = r#"{"a": {"value": "${infra.vpc_id}"}}"#;
    let run = place.run_with_stdin(&["render", "-", "-b", "infra.json"], template);
    assert_eq!(run.text(), r#"{"a": {"value": "vpc-0ab1"}}"#);
}
