//! Streams on standard input and output, where only references change.

use std::io::Read;
use std::process::Stdio;

use crate::run::{INFRA, TestFolder, config_map};

#[test]
fn standard_input_to_standard_output() {
    let folder = TestFolder::with_infra();
    let source = config_map("vpc: ${infra.vpc_id} # ${infra.vpc_id}");
    let expected = config_map("vpc: vpc-0ab1 # ${infra.vpc_id}");
    for arguments in [
        &["render", "-", "-b", "infra=infra.json"][..],
        &["render", "-b", "infra.json", "-"],
    ] {
        assert_eq!(
            folder.run_with_stdin(arguments, &source).expect_stdout(),
            expected
        );
    }
}

#[test]
fn keeps_all_other_bytes() {
    let folder = TestFolder::with_infra();
    for (source, expected) in [
        (
            "\u{feff}a: ${infra.vpc_id}\r\nb:\t\"ключ\"   \r\n",
            "\u{feff}a: vpc-0ab1\r\nb:\t\"ключ\"   \r\n",
        ),
        ("# only a comment\na: 1", "# only a comment\na: 1"),
        (
            "---\n\n...\n---\na: ${infra.vpc_id}",
            "---\n\n...\n---\na: vpc-0ab1",
        ),
        (
            "a: ${HOME}\nb: $${infra.vpc_id}\n",
            "a: ${HOME}\nb: ${infra.vpc_id}\n",
        ),
        ("broken: [\n", "broken: [\n"),
    ] {
        assert_eq!(
            folder
                .run_with_stdin(&["render", "-", "-b", "infra.json"], source)
                .expect_stdout(),
            expected
        );
    }
}

#[test]
fn a_stream_without_resources_is_an_error() {
    let folder = TestFolder::with_infra();
    let binding =
        "apiVersion: landfall.dev/v1alpha1\nkind: Binding\nspec: {policy: {noResources: allow}}\n";
    folder.write("allows.yaml", binding);
    for source in ["", "---\n# Source: web/a.yaml\n"] {
        for command in ["render", "check", "explain"] {
            let run = folder.run_with_stdin(&[command, "-", "-b", "infra.json"], source);
            run.assert_input_error(&[
                "error[no-manifests]: standard input contains no manifests",
                "set -o pipefail",
            ]);
        }
        for allowed in [["--no-resources", "allow"], ["-c", "allows.yaml"]] {
            let arguments = [&["render", "-", "-b", "infra.json"], &allowed[..]].concat();
            let run = folder.run_with_stdin(&arguments, source);
            assert_eq!(run.expect_stdout(), source);
        }
    }
}

/// kubectl and Argo CD parse a whole stream as JSON if it starts with `{`.
#[test]
fn several_documents_never_begin_like_json() {
    let folder = TestFolder::with_infra();
    let json = r#"{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c"}}"#;
    folder.write("app/a.json", json);
    folder.write("app/landfall.yaml", "apiVersion: landfall.dev/v1alpha1\nkind: Binding\nspec: {outputs: [{name: infra, from: {file: infra.json}}]}\n");
    folder.write("app/infra.json", INFRA);
    assert_eq!(folder.run(&["render", "app", "-q"]).expect_stdout(), json);
    folder.write("app/b.yaml", config_map("vpc: ${infra.vpc_id}"));
    let expected = format!("---\n{json}\n---\n{}", config_map("vpc: vpc-0ab1"));
    assert_eq!(folder.run(&["render", "app"]).expect_stdout(), expected);
    let mut generate = folder.command(&["cmp", "generate", "--allow-secret-files"]);
    generate.current_dir(folder.at("app")).stdin(Stdio::null());
    assert_eq!(
        crate::run::finish(&mut generate, b"").expect_stdout(),
        expected
    );
}

#[test]
fn outputs_from_standard_input() {
    let folder = TestFolder::new();
    folder.write("a.yaml", config_map("vpc: ${tf.vpc_id}"));
    let run = folder.run_with_stdin(&["render", "a.yaml", "-b", "tf=-"], INFRA);
    assert_eq!(run.expect_stdout(), config_map("vpc: vpc-0ab1"));
}

#[test]
fn several_files_are_one_stream_in_the_order_given() {
    let folder = TestFolder::with_infra();
    folder.write("b.yaml", "b: ${infra.vpc_id}");
    folder.write("a.yaml", "---\na: ${infra.replicas}\n");
    folder.write("c.yaml", "c: ${infra.vpc_id}");
    let run = folder.run(&["render", "b.yaml", "a.yaml", "c.yaml", "-b", "infra.json"]);
    assert_eq!(
        run.expect_stdout(),
        "b: vpc-0ab1\n---\na: 3\n---\nc: vpc-0ab1"
    );
}

#[test]
fn later_documents_of_one_name_win() {
    let folder = TestFolder::with_infra();
    folder.write(
        "more.json",
        r#"{"vpc_id": {"sensitive": false, "type": "string", "value": "vpc-later"}}"#,
    );
    let arguments = [
        "render",
        "-",
        "-b",
        "infra=infra.json",
        "-b",
        "infra=more.json",
    ];
    let run = folder.run_with_stdin(&arguments, "a: ${infra.vpc_id}\nb: ${infra.replicas}\n");
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert_eq!(run.stdout, b"a: vpc-later\nb: 3\n");
    assert!(run.stderr.contains("more.json:1:2"), "{}", run.stderr);
}

#[cfg(unix)]
#[test]
fn reads_pipes_of_the_shell() {
    let folder = TestFolder::with_infra();
    let script = "exec \"$0\" render /dev/fd/3 -b infra.json 3<&0";
    let mut command = std::process::Command::new("/bin/sh");
    command
        .args(["-c", script, env!("CARGO_BIN_EXE_landfall")])
        .current_dir(folder.path())
        .stdin(Stdio::piped());
    let run = crate::run::finish(&mut command, b"a: ${infra.vpc_id}\n");
    assert_eq!(run.expect_stdout(), "a: vpc-0ab1\n");
}

#[cfg(unix)]
#[test]
fn a_closed_stdout_is_not_reported() {
    let folder = TestFolder::with_infra();
    folder.write("a.yaml", config_map("x: y").repeat(100_000));
    let mut command = folder.command(&["render", "-q", "a.yaml", "-b", "infra.json"]);
    let mut child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut first = [0; 10];
    child.stdout.take().unwrap().read_exact(&mut first).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(
        (output.status.code(), output.stderr),
        (Some(141), Vec::new())
    );
}

/// The standard library would replace it with /dev/null.
#[cfg(target_os = "linux")]
#[test]
fn a_closed_standard_output_is_an_error() {
    let folder = TestFolder::with_infra();
    folder.write("a.yaml", config_map("vpc: ${infra.vpc_id}"));
    let landfall = folder.command(&[]);
    let run = |redirection: &str| {
        let script = format!("exec \"$0\" render -q a.yaml -b infra.json {redirection}");
        let mut shell = std::process::Command::new("/bin/sh");
        shell.arg("-c").arg(script).arg(landfall.get_program());
        let output = shell.current_dir(folder.path()).output().unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        (output.status.code(), stderr)
    };
    assert_eq!(run("> /dev/null"), (Some(0), String::new()));
    assert_eq!(run("1<> /dev/null"), (Some(0), String::new()));
    let (code, stderr) = run(">&-");
    assert_eq!(code, Some(1), "{stderr}");
    assert!(
        stderr.starts_with("error: cannot write to standard output: "),
        "{stderr}"
    );
}

#[test]
fn a_hundred_megabytes_on_one_line() {
    let folder = TestFolder::with_infra();
    let line = "x".repeat(100_000_000);
    let run = folder.run_with_stdin(
        &["render", "-", "-b", "infra.json"],
        format!("a: ${{infra.vpc_id}}\n# {line}\n"),
    );
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
    assert!(run.stdout == format!("a: vpc-0ab1\n# {line}\n").into_bytes());
    let run = folder.run_with_stdin(
        &["render", "-", "-b", "infra.json"],
        format!("a: {line}${{infra.vpc_idd}}\n"),
    );
    run.assert_input_error(&["unknown-output", "<stdin>:1:100000012"]);
    assert!(run.stderr.len() < 2000, "{} bytes", run.stderr.len());
}

#[test]
fn reports_warnings_on_stderr() {
    let folder = TestFolder::with_infra();
    let source = "a: ${infra.vpc_idd | default('none')}\n";
    let run = folder.run_with_stdin(&["render", "-", "-b", "infra.json"], source);
    assert_eq!(
        (run.code, run.stdout.as_slice()),
        (Some(0), &b"a: none\n"[..])
    );
    assert!(
        run.stderr.contains("warning[default-for-near-miss]") && run.stderr.contains("<stdin>:1:"),
        "{}",
        run.stderr
    );
    assert_eq!(
        folder
            .run_with_stdin(&["render", "-q", "-", "-b", "infra.json"], source)
            .expect_stdout(),
        "a: none\n"
    );
    let verbose = folder.run_with_stdin(
        &["render", "-v", "-", "-b", "infra.json"],
        "a: ${infra.vpc_id}\n",
    );
    assert!(
        verbose
            .stderr
            .contains("1 manifest file, 1 outputs document\n"),
        "{}",
        verbose.stderr
    );
}

#[test]
fn rejects_references_if_nothing_is_bound() {
    let folder = TestFolder::new();
    let run = folder.run_with_stdin(&["render", "-"], "a: ${infra.vpc_id}\n");
    assert_eq!((run.code, run.stdout.as_slice()), (Some(1), &b""[..]));
    assert!(
        run.stderr.contains("error[nothing-bound]") && run.stderr.contains("-b NAME=FILE"),
        "{}",
        run.stderr
    );
}

#[test]
fn uses_color_only_on_request() {
    let folder = TestFolder::with_infra();
    let stderr_of = |arguments: &[&str], variables: &[(&str, &str)]| {
        let mut command = folder.command(arguments);
        command.envs(variables.iter().copied());
        crate::run::finish(command.stdin(Stdio::null()), b"").stderr
    };
    let missing = ["render", "missing.yaml"];
    assert!(!stderr_of(&missing, &[]).contains('\u{1b}'));
    assert!(stderr_of(&missing, &[("FORCE_COLOR", "1")]).contains('\u{1b}'));
    assert!(
        stderr_of(
            &["render", "missing.yaml", "--color=always"],
            &[("NO_COLOR", "1")]
        )
        .contains('\u{1b}')
    );
    assert!(
        !stderr_of(
            &["render", "missing.yaml", "--color=never"],
            &[("FORCE_COLOR", "1")]
        )
        .contains('\u{1b}')
    );
}
