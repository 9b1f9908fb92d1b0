//! Manifests that cannot be rendered: every error is reported with its location, without
//! a partial result or a panic.

use crate::run::{TestFolder, config_map};

const RENDER: &[&str] = &["render", "-", "-b", "infra.json"];

#[track_caller]
fn check(source: impl AsRef<[u8]>, parts: &[&str]) {
    let folder = TestFolder::with_infra();
    folder
        .run_with_stdin(RENDER, source)
        .assert_input_error(parts);
}

#[test]
fn an_unknown_output_is_shown_in_both_documents() {
    let folder = TestFolder::with_infra();
    let run = folder.run_with_stdin(
        &[
            "render",
            "-",
            "-b",
            "infra.json",
            "--stdin-filename",
            "app.yaml",
        ],
        config_map("vpc: ${infra.vpc_idd}"),
    );
    run.assert_input_error(&[
        "error[unknown-output]",
        "--> app.yaml:6:16",
        "vpc: ${infra.vpc_idd}",
        "::: infra.json:2:3",
        "…\"vpc_id\"…",
        "+   vpc: ${infra.vpc_id}",
        "error: 1 error; nothing was rendered",
    ]);
    assert!(
        !run.stderr.contains("vpc-0ab1"),
        "a value of the outputs document shows:\n{}",
        run.stderr
    );
}

#[test]
fn reports_all_errors_at_once() {
    let folder = TestFolder::with_infra();
    folder.write("a.yaml", "a: ${infra.one}\nb: ${infra.two}\n");
    folder.write("b.yaml", "c: ${infra.three\n");
    let run = folder.run(&["render", "a.yaml", "b.yaml", "-b", "infra.json"]);
    run.assert_input_error(&[
        "a.yaml:1:",
        "a.yaml:2:",
        "b.yaml:1:",
        "error: 3 errors; nothing was rendered",
    ]);
}

#[test]
fn yaml_that_does_not_parse_around_a_reference() {
    check(
        "a: ${infra.vpc_id}\nb: [\n",
        &["document-is-not-yaml", "<stdin>:"],
    );
    check(
        "a: \"${infra.vpc_id}\n",
        &["document-is-not-yaml", "<stdin>:"],
    );
}

#[test]
fn an_unterminated_reference() {
    check(
        "a: ${infra.vpc_id\n",
        &["unterminated-reference", "<stdin>:1:18", "it starts here"],
    );
    check("a: \"${infra.vpc_id | default('x\"\n", &["<stdin>:1:"]);
}

#[test]
fn rejects_invalid_utf_8() {
    check(
        b"a: ${infra.vpc_id}\nb: \xff\xfe\n",
        &["not-utf-8", "<stdin>:2:4"],
    );
    let utf_16: Vec<u8> = "\u{feff}a: 1\n"
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    check(utf_16, &["not-utf-8", "<stdin>:1:1"]);
}

#[test]
fn twenty_thousand_nested_brackets() {
    let brackets = format!(
        "a: {}${{infra.vpc_id}}{}\n",
        "[".repeat(20_000),
        "]".repeat(20_000)
    );
    check(brackets, &["<stdin>:1:"]);
    let indented: String = (0..5_000)
        .map(|depth| format!("{}a:\n", " ".repeat(depth)))
        .collect();
    let folder = TestFolder::with_infra();
    let run = folder.run_with_stdin(
        RENDER,
        format!("{indented}{}a: ${{infra.vpc_id}}\n", " ".repeat(5_000)),
    );
    assert!(
        matches!(run.code, Some(0 | 1)),
        "{:?} {}",
        run.code,
        run.stderr
    );
}

#[test]
fn no_manifests() {
    let folder = TestFolder::with_infra();
    folder.write(
        "empty/landfall.yaml",
        "apiVersion: landfall.dev/v1alpha1\nkind: Binding\nspec: {}\n",
    );
    folder
        .run(&["render", "empty"])
        .assert_input_error(&["no-manifests"]);
}

#[test]
fn documents_that_are_not_resources_are_errors_only_in_folders() {
    let folder = TestFolder::with_infra();
    folder.write("app/values.yaml", "vpc: ${infra.vpc_id}\n");
    folder
        .run(&["render", "app", "-b", "infra.json"])
        .assert_input_error(&["not-a-resource", "app/values.yaml:1:1"]);
    assert_eq!(
        folder
            .run(&["render", "app/values.yaml", "-b", "infra.json"])
            .expect_stdout(),
        "vpc: vpc-0ab1\n"
    );
}

#[test]
fn a_binding_with_mistakes() {
    let folder = TestFolder::with_infra();
    folder.write("a.yaml", config_map("a: b"));
    for (binding, part) in [
        (
            "apiVersion: landfall.dev/v1alpha1\nkind: Binding\nspec: {output: []}\n",
            "landfall.yaml:3:",
        ),
        (
            "apiVersion: landfall.dev/v1alpha1\nkind: Binding\nspec: {\n",
            "landfall.yaml:",
        ),
        ("kind: Binding\n", "landfall.yaml:1:"),
        ("", "landfall.yaml"),
    ] {
        folder.write("landfall.yaml", binding);
        folder
            .run(&["render"])
            .assert_input_error(&["invalid-binding", part]);
    }
}

#[test]
fn many_errors_are_truncated_and_counted() {
    let folder = TestFolder::with_infra();
    let source = "- ${infra.nothing_like_it}\n".repeat(200);
    let run = folder.run_with_stdin(RENDER, &source);
    run.assert_input_error(&[
        "error: 200 errors, the first 50 are shown (-v shows all); nothing was rendered",
    ]);
    assert_eq!(run.stderr.matches("error[").count(), 50);
    let all = folder.run_with_stdin(&["render", "-v", "-", "-b", "infra.json"], &source);
    assert_eq!(all.stderr.matches("error[").count(), 200);
}
