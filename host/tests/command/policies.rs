//! Policies set by flags, and documents that need not be published.

use crate::run::{INFRA, TestFolder, config_map, finish};

const BINDING: &str = "apiVersion: landfall.dev/v1alpha1\nkind: Binding\nspec:\n  outputs:\n  - {name: infra, from: {file: infra.json}}\n  - {name: network, from: {file: network.json}}\n";

fn app(policy: &str) -> TestFolder {
    let folder = TestFolder::new();
    folder.write("app/landfall.yaml", format!("{BINDING}{policy}"));
    folder.write("app/infra.json", INFRA);
    folder.write(
        "app/a.yaml",
        config_map("vpc: ${infra.vpc_id} ${network.vpc_id}"),
    );
    folder
}

#[test]
fn a_policy_keeps_references_to_unpublished_documents() {
    let folder = app("  policy: {unpublished: keep}\n");
    let run = folder.run(&["render", "app"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let stdout = String::from_utf8(run.stdout.clone()).unwrap();
    assert!(
        stdout.contains("vpc: vpc-0ab1 ${network.vpc_id}\n"),
        "{stdout}"
    );
    for part in [
        "warning[outputs-not-published]: `network` is not published yet",
        "references to it are left as they are",
        "app/landfall.yaml:6:34",
    ] {
        assert!(run.stderr.contains(part), "{}", run.stderr);
    }
    let error = ["error[outputs-not-published]", "app/network.json"];
    folder
        .run(&["render", "app", "--unpublished", "error"])
        .assert_input_error(&error);
}

#[test]
fn a_flag_keeps_references_to_unpublished_documents() {
    let folder = app("");
    folder
        .run(&["check", "app"])
        .assert_input_error(&["error[outputs-not-published]"]);
    let run = folder.run(&["check", "app", "--unpublished", "keep"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    // The same for a document that a flag binds; the Binding's is not used instead.
    folder.write("app/network.json", INFRA);
    let arguments = ["render", "app", "-b", "network=none.json"];
    folder
        .run(&arguments)
        .assert_input_error(&["error[outputs-not-published]", "none.json"]);
    let run = folder.run(&[&arguments[..], &["--unpublished", "keep"]].concat());
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let stdout = String::from_utf8(run.stdout).unwrap();
    assert!(stdout.contains("${network.vpc_id}"), "{stdout}");
}

#[test]
fn keeping_unpublished_documents_does_not_widen_the_root() {
    let folder = app("");
    let binding = BINDING.replace("network.json", "../../network.json");
    let policy = "  policy: {unpublished: keep}\n";
    folder.write("app/landfall.yaml", format!("{binding}{policy}"));
    folder
        .run(&["check", "app", "--root", "."])
        .assert_input_error(&["error[outside-root]"]);
}

#[test]
fn the_operator_policy_restricts_flags_too() {
    let folder = app("");
    folder.write("app/network.json", INFRA);
    folder.write(
        "policy.yaml",
        "apiVersion: landfall.dev/v1alpha1\nkind: OperatorPolicy\nspec: {missing: error}\n",
    );
    let ceiling = ["--operator-policy", "../policy.yaml"];
    let flags = ["--missing", "keep"];
    let mut command = folder.command(&[&["cmp", "generate"], &ceiling[..], &flags].concat());
    let run = finish(command.current_dir(folder.at("app")), b"");
    run.assert_input_error(&[
        "error[refused-by-operator]",
        "--> <flags>:1:10",
        "policy.yaml:3:17",
    ]);
}

#[test]
fn explain_lists_unused_outputs_even_if_they_are_errors() {
    let folder = app("  policy: {unused: error}\n");
    folder.write("app/network.json", INFRA);
    folder
        .run(&["check", "app"])
        .assert_input_error(&["error[unused-output]", "3 unused outputs of `infra`"]);
    let table = folder.run(&["explain", "app", "--unused"]).expect_stdout();
    assert!(table.contains("infra.replicas"), "{table}");
}

#[test]
fn an_output_that_another_application_uses_is_not_unused() {
    let folder = TestFolder::with_infra();
    folder.write("a/a.yaml", config_map("vpc: ${infra.vpc_id}"));
    folder.write("b/b.yaml", config_map("n: \"${infra.replicas}\""));
    let note = "note[unused-output]";
    let one = folder.run(&["check", "a", "-b", "infra.json"]);
    assert!(one.stderr.contains(note), "{}", one.stderr);
    let both = folder.run(&["check", "a", "b", "-b", "infra.json"]);
    assert!(!both.stderr.contains(note), "{}", both.stderr);
    folder
        .run(&["check", "a", "b", "-b", "infra.json", "--unused", "error"])
        .assert_input_error(&["error[unused-output]"]);
}

#[test]
fn a_function_config_has_policies() {
    let folder = TestFolder::with_infra();
    let item = "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n- {apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {a: \"${infra.none} ${network.x}\"}}\n";
    let binding = BINDING.replace('\n', "\n  ");
    let list = format!("{item}functionConfig:\n  {}\n", binding.trim_end());
    folder
        .run_with_stdin(&["krm"], &list)
        .assert_input_error(&["error[outputs-not-published]"]);
    let keep = ["krm", "--unpublished", "keep", "--unused", "ignore"];
    folder
        .run_with_stdin(&keep, &list)
        .assert_input_error(&["error[unknown-output]", "warning[outputs-not-published]"]);
    let run = folder.run_with_stdin(&[&keep[..], &["--missing", "keep"]].concat(), &list);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let stdout = String::from_utf8(run.stdout).unwrap();
    assert!(
        stdout.contains("\"${infra.none} ${network.x}\""),
        "{stdout}"
    );
}

#[test]
fn render_reports_unused_outputs_only_with_verbose() {
    let folder = TestFolder::with_infra();
    folder.write("a.yaml", config_map("vpc: ${infra.vpc_id}"));
    let arguments = ["a.yaml", "-b", "infra.json"];
    let stderr_of = |command: &[&str]| folder.run(&[command, &arguments].concat()).stderr;
    assert_eq!(stderr_of(&["render"]), "");
    assert!(stderr_of(&["render", "-v"]).contains("note[unused-output]"));
    assert!(stderr_of(&["check"]).contains("note[unused-output]"));
    assert_eq!(stderr_of(&["check", "--quiet"]), "");
}
