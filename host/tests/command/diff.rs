//! `landfall diff`: what a change of outputs does to manifests.

use serde_json::{Value, json};

use crate::run::{Run, TestFolder, config_map};

/// Returns an outputs document. A name that ends in `!` is sensitive.
fn outputs(values: &Value) -> String {
    let outputs = values.as_object().unwrap().iter().map(|(name, value)| {
        let (name, sensitive) = match name.strip_suffix('!') {
            Some(name) => (name, true),
            None => (name.as_str(), false),
        };
        let output = json!({"sensitive": sensitive, "type": "dynamic", "value": value});
        (name.to_owned(), output)
    });
    Value::Object(outputs.collect()).to_string()
}

/// Returns a Secret with one line of data.
fn secret(key: &str, line: &str) -> String {
    format!("apiVersion: v1\nkind: Secret\nmetadata:\n  name: db\n{key}:\n  {line}\n")
}

/// Creates a folder with a manifest and both outputs documents.
fn setup(manifest: &str, old: &Value, new: &Value) -> TestFolder {
    let folder = TestFolder::new();
    folder.write("a.yaml", manifest);
    folder.write("old.json", outputs(old));
    folder.write("new.json", outputs(new));
    folder
}

fn diff(folder: &TestFolder, arguments: &[&str]) -> Run {
    let both = ["diff", "--from", "old.json", "--to", "new.json"];
    folder.run(&[&both, arguments].concat())
}

/// Checks the text and the exit code of a diff that reports nothing on standard error.
#[track_caller]
fn check(manifest: &str, old: &Value, new: &Value, code: i32, expect: &str) {
    let folder = setup(manifest, old, new);
    let run = diff(&folder, &["a.yaml"]);
    assert_eq!(run.stderr, "");
    assert_eq!(String::from_utf8(run.stdout).unwrap(), expect);
    assert_eq!(run.code, Some(code));
}

#[test]
fn lists_changed_values_by_resource() {
    check(
        &(config_map("vpc: ${infra.vpc}\n  zone: ${infra.zone}")
            + "---\n"
            + "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: api, namespace: prod}\nspec: {replicas: ${infra.n}}\n"),
        &json!({"vpc": "vpc-1", "zone": "a", "n": 3}),
        &json!({"vpc": "vpc-2", "zone": "a", "n": 4}),
        1,
        "ConfigMap/web (a.yaml)\n  data.vpc: \"vpc-1\" -> \"vpc-2\" (infra.vpc)\nDeployment/api (a.yaml, namespace prod)\n  spec.replicas: 3 -> 4 (infra.n)\n\n2 changes in 2 resources\n",
    );
}

#[test]
fn equal_renderings_are_no_change() {
    let vpc = json!({"vpc": "vpc-1", "unused": 1});
    let other = json!({"vpc": "vpc-1", "unused": 2});
    let manifest = config_map("vpc: ${infra.vpc}");
    check(&manifest, &vpc, &other, 0, "no changes\n");
    // The field is a string, so both values are rendered alike.
    let manifest = config_map("n: ${infra.n}");
    check(
        &manifest,
        &json!({"n": 3}),
        &json!({"n": "3"}),
        0,
        "no changes\n",
    );
}

#[test]
fn shows_types() {
    check(
        "n: ${infra.n}\nl: ${infra.l}\n",
        &json!({"n": 3, "l": ["a"]}),
        &json!({"n": "3", "l": []}),
        1,
        "a.yaml\n  n: 3 -> \"3\" (infra.n)\n  l: [\"a\"] -> [] (infra.l)\n\n2 changes\n",
    );
}

#[test]
fn matches_references_of_one_scalar() {
    check(
        &config_map("url: ${infra.a}-${infra.b}-${infra.a}"),
        &json!({"a": "x", "b": "y"}),
        &json!({"a": "x", "b": "z: 'z'"}),
        1,
        "ConfigMap/web (a.yaml)\n  data.url: \"y\" -> \"z: 'z'\" (infra.b)\n\n1 change in 1 resource\n",
    );
}

#[test]
fn setter_comments() {
    check(
        &config_map("vpc: vpc-1  # landfall: ${infra.vpc}\n  zone: b  # landfall: ${infra.zone}"),
        &json!({"vpc": "vpc-1", "zone": "a"}),
        &json!({"vpc": "vpc-2", "zone": "a"}),
        1,
        "ConfigMap/web (a.yaml)\n  data.vpc: \"vpc-1\" -> \"vpc-2\" (infra.vpc)\n\n1 change in 1 resource\n",
    );
}

#[test]
fn a_reference_that_is_replaced_on_one_side_only() {
    let folder = setup(
        &config_map("vpc: ${infra.vpc}"),
        &json!({}),
        &json!({"vpc": "vpc-1"}),
    );
    let run = diff(&folder, &["a.yaml", "--missing", "keep"]);
    assert_eq!(
        String::from_utf8(run.stdout).unwrap(),
        "ConfigMap/web (a.yaml)\n  data.vpc: (none) -> \"vpc-1\" (infra.vpc)\n\n1 change in 1 resource\n"
    );
    assert_eq!(run.code, Some(1));
}

#[test]
fn sensitive_values_are_marked_as_changed_but_not_shown() {
    for (key, line) in [
        (
            "stringData",
            "password: ${infra.password}\n  user: ${infra.user}",
        ),
        (
            "data",
            "password: ${infra.password | base64}\n  user: ${infra.user | base64}",
        ),
        (
            "stringData",
            "app.yaml: |\n    password: ${infra.password}\n    user: ${infra.user}",
        ),
        (
            "stringData",
            "password: old  # landfall: ${infra.password}\n  user: u  # landfall: ${infra.user}",
        ),
    ] {
        let folder = setup(
            &secret(key, line),
            &json!({"password!": "hunter2", "user!": "ad'min: x"}),
            &json!({"password!": "correct horse\nbattery", "user!": "ad'min: x"}),
        );
        for format in ["text", "json", "markdown"] {
            let run = diff(&folder, &["a.yaml", "-o", format]);
            assert_eq!((run.code, run.stderr.as_str()), (Some(1), ""), "{line}");
            let text = String::from_utf8(run.stdout).unwrap();
            assert!(text.contains("(sensitive)"), "{text}");
            assert!(text.contains("infra.password"), "{text}");
            // The other sensitive value is the same.
            assert!(!text.contains("infra.user"), "{text}");
            for part in ["hunter", "horse", "battery", "aHVudGVyMg", "min: x"] {
                assert!(!text.contains(part), "{part} is in {text}");
            }
        }
    }
}

#[test]
fn a_value_that_is_sensitive_on_one_side_is_not_shown() {
    let public = json!({"password": "hunter2"});
    let sensitive = json!({"password!": "hunter3"});
    for (old, new) in [(&public, &sensitive), (&sensitive, &public)] {
        let manifest = secret("stringData", "password: ${infra.password}");
        let folder = setup(&manifest, old, new);
        for format in ["text", "json", "markdown"] {
            let run = diff(&folder, &["a.yaml", "-o", format]);
            let text = String::from_utf8(run.stdout).unwrap();
            assert_eq!(run.code, Some(1), "{}", run.stderr);
            assert!(
                text.contains("(sensitive)") && !text.contains("hunter"),
                "{text}"
            );
        }
    }
}

/// Checks that no format shows a value with `hunter` in it, and returns all text of the
/// format `text`.
#[track_caller]
fn check_hidden(manifest: &str, old: &Value, new: &Value, code: i32) -> String {
    let folder = setup(manifest, old, new);
    let [_, _, text] = ["json", "markdown", "text"].map(|format| {
        let run = diff(&folder, &["a.yaml", "-o", format]);
        let text = String::from_utf8(run.stdout).unwrap() + &run.stderr;
        assert_eq!(run.code, Some(code), "{text}");
        assert!(!text.contains("hunter"), "{text}");
        text
    });
    text
}

#[test]
fn a_value_that_is_sensitive_only_in_outputs_that_do_not_render_is_not_shown() {
    let manifest = secret(
        "stringData",
        "password: ${infra.password}\n  name: ${infra.name}",
    );
    let old = json!({"password!": "hunter3"});
    let new = json!({"password": "hunter2", "name": "api"});
    let text = check_hidden(&manifest, &old, &new, 1);
    for line in [
        "stringData.password: (none) -> (sensitive) (infra.password)\n",
        "stringData.name: (none) -> \"api\" (infra.name)\n",
    ] {
        assert!(text.contains(line), "{text}");
    }
    // The names of outputs, and the formats that mark them.
    let manifest = config_map("a: ${infra[\"a \\\"b\"]}");
    check_hidden(
        &manifest,
        &json!({"a \"b!": "hunter3"}),
        &json!({"a \"b": "hunter2"}),
        1,
    );
}

#[test]
fn a_name_or_key_that_is_sensitive_on_the_other_side_is_not_shown() {
    let manifest = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: 'a-${infra.password}'}\ndata:\n  k-${infra.password}: ${infra.name}\n  b: ${infra.password | upper | base64}\n";
    let old = json!({"password!": "hunter3", "name": "api"});
    let new = json!({"password": "hunter2", "name": "api"});
    let text = check_hidden(manifest, &old, &new, 1);
    assert!(text.contains("\"api\" (infra.name)"), "{text}");
    assert!(!text.contains("SFVOVEVSM"), "{text}");
}

#[test]
fn messages_do_not_show_a_value_that_is_sensitive_on_the_other_side() {
    let manifest = secret("stringData", "n: \"${infra.password | number}\"");
    let sensitive = json!({"password!": "12"});
    let public = json!({"password": "hunter2"});
    let text = check_hidden(&manifest, &sensitive, &public, 2);
    assert!(
        text.contains("the value of `infra.password`, which is sensitive in the old outputs"),
        "{text}"
    );
    let text = check_hidden(&manifest, &public, &sensitive, 1);
    assert!(
        text.contains("the value of `infra.password`, which is sensitive in the new outputs"),
        "{text}"
    );
}

#[test]
fn a_value_that_was_left_out_as_sensitive_is_not_shown() {
    let manifest = secret("stringData", "password: ${infra.password}");
    let folder = setup(&manifest, &json!({}), &json!({"password": "hunter2"}));
    let old = json!({"password": {"sensitive": true, "value": null, "left_out": true}});
    folder.write("old.json", old.to_string());
    let run = diff(&folder, &["a.yaml"]);
    let text = String::from_utf8(run.stdout).unwrap() + &run.stderr;
    assert!(text.contains("error[unreadable-output]"), "{text}");
    assert!(text.contains("(none) -> (sensitive)"), "{text}");
    assert!(!text.contains("hunter"), "{text}");
}

#[test]
fn messages_about_a_sensitive_output_that_is_removed_are_shown() {
    let manifest = secret("stringData", "password: ${infra.password}");
    let (old, new) = (json!({"password!": "hunter2"}), json!({"other": "x"}));
    let text = check_hidden(&manifest, &old, &new, 2);
    assert!(text.contains("`infra` has no output `password`"), "{text}");
}

#[test]
fn a_value_next_to_a_sensitive_one_that_does_not_change() {
    check(
        &secret("stringData", "a: x").replace(
            "  a: x",
            "  a.yaml: |\n    url: ${infra.host}\n    password: ${infra.password}",
        ),
        &json!({"host": "one", "password!": "hunter2"}),
        &json!({"host": "two", "password!": "hunter2"}),
        1,
        "Secret/db (a.yaml)\n  stringData[\"a.yaml\"].url: \"one\" -> \"two\" (infra.host)\n\n1 change in 1 resource\n",
    );
}

#[test]
fn a_change_that_stops_manifests_from_rendering_comes_first() {
    let folder = TestFolder::new();
    let binding = "apiVersion: landfall.dev/v1alpha1\nkind: Binding\nspec: {outputs: [{name: infra, from: {file: ../infra.json}}]}\n";
    folder.write("infra.json", outputs(&json!({"vpc": "vpc-0", "zone": "a"})));
    for (application, line) in [("api", "vpc: ${infra.vpc}"), ("web", "zone: ${infra.zone}")] {
        folder.write(&format!("{application}/landfall.yaml"), binding);
        folder.write(&format!("{application}/a.yaml"), config_map(line));
    }
    folder.write("old.json", outputs(&json!({"vpc": "vpc-1", "zone": "a"})));
    folder.write("new.json", outputs(&json!({"vpc": "vpc-2"})));
    let run = diff(&folder, &["api", "web"]);
    assert_eq!(run.code, Some(2));
    assert_eq!(
        String::from_utf8(run.stdout).unwrap(),
        "web no longer renders with the new outputs: 1 error\n  error[unknown-output] web/a.yaml:6:17: `infra` has no output `zone`\n\napi:\n  ConfigMap/web (api/a.yaml)\n    data.vpc: \"vpc-1\" -> \"vpc-2\" (infra.vpc)\n\n1 error, 1 change in 1 resource\n"
    );
    assert!(
        run.stderr.contains("error[unknown-output]"),
        "{}",
        run.stderr
    );

    let run = diff(&folder, &["api", "web", "-o", "json"]);
    let report: Value = serde_json::from_slice(&run.stdout).unwrap();
    assert_eq!(
        report["counts"],
        json!({"changes": 1, "resources": 1, "failed": 1})
    );
    let first = &report["applications"][0];
    assert_eq!(
        (&first["folder"], &first["renders"]),
        (&json!("web"), &json!("old"))
    );
    assert_eq!(first["errors"][0]["rule"], "unknown-output");

    // The other way round, the new outputs let the manifests render.
    let arguments = ["diff", "--from", "new.json", "--to", "old.json", "web"];
    let run = folder.run(&arguments);
    assert_eq!((run.code, run.stderr.as_str()), (Some(1), ""));
    let text = String::from_utf8(run.stdout).unwrap();
    for part in [
        "web did not render with the old outputs: 1 error",
        "data.zone: (none) -> \"a\" (infra.zone)",
    ] {
        assert!(text.contains(part), "{text}");
    }

    // Neither of them.
    folder.write("old.json", outputs(&json!({"vpc": "vpc-1"})));
    let run = diff(&folder, &["web"]);
    assert_eq!(run.code, Some(2));
    let text = String::from_utf8(run.stdout).unwrap();
    assert!(
        text.contains("renders neither with the old nor with the new outputs"),
        "{text}"
    );
}

#[test]
fn a_violated_contract_stops_an_application() {
    let folder = setup("", &json!({"vpc": "vpc-1"}), &json!({"vpc": "eni-1"}));
    folder.write("app/a.yaml", config_map("vpc: ${infra.vpc}"));
    folder.write("app/landfall.yaml", "apiVersion: landfall.dev/v1alpha1\nkind: Binding\nspec:\n  outputs: [{name: infra, from: {file: infra.json}}]\n  contract: {infra: {vpc: {pattern: '^vpc-'}}}\n");
    let run = diff(&folder, &["app"]);
    let text = String::from_utf8(run.stdout).unwrap();
    assert_eq!(run.code, Some(2), "{}", run.stderr);
    for part in [
        "app no longer renders with the new outputs: 1 error",
        "error[contract-violation]",
    ] {
        assert!(text.contains(part), "{text}");
    }
}

#[test]
fn text_shows_the_first_errors() {
    let lines: Vec<String> = (0..60).map(|n| format!("k{n}: ${{infra.x{n}}}")).collect();
    let manifest = config_map(&lines.join("\n  "));
    let old: serde_json::Map<_, _> = (0..60).map(|n| (format!("x{n}"), json!(n))).collect();
    let folder = setup(&manifest, &Value::Object(old), &json!({}));
    let run = diff(&folder, &["a.yaml"]);
    let text = String::from_utf8(run.stdout).unwrap();
    assert_eq!(run.code, Some(2));
    assert_eq!(text.matches("error[unknown-output]").count(), 50, "{text}");
    assert!(text.contains("  … 10 more errors\n"), "{text}");
}

#[test]
fn nothing_is_compared_if_a_document_cannot_be_used() {
    let folder = setup(
        &config_map("vpc: ${infra.vpc}"),
        &json!({"vpc": "1"}),
        &json!({}),
    );
    let end = "nothing was compared";
    folder.write("new.json", "<html>");
    diff(&folder, &["a.yaml"]).assert_fails(2, &["new.json:1:1", end]);
    let swapped = ["diff", "--from", "new.json", "--to", "old.json", "a.yaml"];
    folder.run(&swapped).assert_fails(2, &["new.json:1:1", end]);
    diff(&folder, &["missing.yaml"]).assert_fails(2, &["missing.yaml", end]);
    let missing = ["diff", "--from", "old.json", "--to", "none.json", "a.yaml"];
    folder
        .run(&missing)
        .assert_fails(2, &["`none.json` does not exist", end]);
}

#[test]
fn reports_only_new_warnings() {
    let manifest = config_map("vpc: ${infra.vpc}\n  other: ${unknown.vpc}");
    let folder = setup(&manifest, &json!({"vpc": "1"}), &json!({"vpc": "2"}));
    let run = diff(&folder, &["a.yaml", "--strict"]);
    assert_eq!((run.code, run.stderr.as_str()), (Some(1), ""));
    folder.write("a.yaml", config_map("vpc: ${infra.vpc | default('x')}"));
    folder.write("new.json", outputs(&json!({"vpcs": "2"})));
    let run = diff(&folder, &["a.yaml"]);
    assert_eq!(run.code, Some(1));
    assert!(
        run.stderr.contains("warning[default-for-near-miss]"),
        "{}",
        run.stderr
    );
    assert_eq!(diff(&folder, &["a.yaml", "--strict"]).code, Some(2));
}

#[test]
fn other_names_are_bound_alike_on_both_sides() {
    let folder = setup("", &json!({"vpc": "vpc-1"}), &json!({"vpc": "vpc-2"}));
    folder.write(
        "app/a.yaml",
        config_map("vpc: ${infra.vpc}\n  zone: ${dns.zone}\n  id: ${net.id}"),
    );
    folder.write("app/landfall.yaml", "apiVersion: landfall.dev/v1alpha1\nkind: Binding\nspec: {outputs: [{name: infra, from: {file: ../none.json}}, {name: dns, from: {file: dns.json}}]}\n");
    folder.write("app/dns.json", outputs(&json!({"zone": "z"})));
    folder.write("net.json", outputs(&json!({"id": "n"})));
    let run = diff(&folder, &["app", "-b", "net=net.json"]);
    assert_eq!((run.code, run.stderr.as_str()), (Some(1), ""));
    assert_eq!(
        String::from_utf8(run.stdout).unwrap(),
        "app:\n  ConfigMap/web (app/a.yaml)\n    data.vpc: \"vpc-1\" -> \"vpc-2\" (infra.vpc)\n\n1 change in 1 resource\n"
    );
}

#[test]
fn outputs_documents_are_not_manifests() {
    let folder = TestFolder::new();
    folder.write("app/a.yaml", config_map("vpc: ${infra.vpc}"));
    folder.write("app/old.json", outputs(&json!({"vpc": "1"})));
    folder.write("app/new.json", outputs(&json!({"vpc": "2"})));
    let run = folder.run(&[
        "diff",
        "--from",
        "app/old.json",
        "--to",
        "app/new.json",
        "app",
    ]);
    assert_eq!((run.code, run.stderr.as_str()), (Some(1), ""));
    std::fs::remove_file(folder.at("app/new.json")).unwrap();
    let run = folder.run_with_stdin(
        &["diff", "--from", "app/old.json", "--to", "-", "app"],
        outputs(&json!({"vpc": "1"})),
    );
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
}

#[test]
fn names_that_nothing_references_are_reported() {
    let folder = setup(
        &config_map("vpc: x"),
        &json!({"vpc": "1"}),
        &json!({"vpc": "2"}),
    );
    let text = diff(&folder, &["a.yaml"]).expect_stdout();
    assert_eq!(text, "no reference uses `infra`\nno changes\n");
}

#[test]
fn field_bindings_and_lists() {
    let folder = setup("", &json!({"list": ["a"]}), &json!({"list": ["a", "b"]}));
    folder.write(
        "app/a.yaml",
        "apiVersion: v1\nkind: A\nmetadata: {name: a}\nspec: {}\n",
    );
    folder.write("app/landfall.yaml", "apiVersion: landfall.dev/v1alpha1\nkind: Binding\nspec:\n  outputs: [{name: infra, from: {file: ../none.json}}]\n  substitutions:\n  - value: ${infra.list}\n    targets: [{select: {kind: A}, fieldPaths: [spec.new.list], options: {create: true}}]\n");
    let run = diff(&folder, &["app"]);
    let text = String::from_utf8(run.stdout).unwrap();
    assert!(
        text.contains("spec.new.list: [\"a\"] -> [\"a\",\"b\"] (infra.list)"),
        "{text}"
    );
}

#[test]
fn json_has_every_change() {
    let manifest = config_map("ключ: \"x-${infra.vpc}\"");
    let folder = setup(
        &manifest,
        &json!({"vpc": "\u{1b}[2J"}),
        &json!({"vpc": "b\n"}),
    );
    let run = diff(&folder, &["a.yaml", "-o", "json"]);
    assert_eq!((run.code, run.stderr.as_str()), (Some(1), ""));
    assert!(!run.stdout.contains(&0x1b));
    let report: Value = serde_json::from_slice(&run.stdout).unwrap();
    assert_eq!(
        report,
        json!({
            "apiVersion": "landfall.dev/diff/v1alpha1",
            "counts": {"changes": 1, "resources": 1, "failed": 0},
            "applications": [{
                "folder": null, "renders": "both", "errors": [], "moreErrors": 0,
                "changes": [{
                    "path": "a.yaml", "line": 6, "column": 12,
                    "resource": {"apiVersion": "v1", "kind": "ConfigMap", "name": "web", "namespace": ""},
                    "field": "data.ключ", "output": "infra.vpc", "reference": "${infra.vpc}",
                    "sensitive": false,
                    "from": {"type": "string", "value": "\u{1b}[2J"},
                    "to": {"type": "string", "value": "b\n"}
                }],
                "otherChanges": []
            }],
            "unreferenced": []
        })
    );
}

/// Values, keys and names must not be able to end a table, mention people, or send escape
/// sequences to a terminal.
#[test]
fn hostile_values() {
    let hostile = "a|b\n```\n| @team <img src=x onerror=alert(1)> \u{1b}]0;x\u{7} ::error::x ##[error]\u{202e}";
    let manifest = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: \"x|`@team` <img>\"}\ndata:\n  \"k|```<b>@team\": \"${infra.vpc}\"\n";
    let folder = setup(
        manifest,
        &json!({"vpc": "plain @team"}),
        &json!({"vpc": hostile}),
    );
    for format in ["text", "markdown", "json"] {
        let run = diff(&folder, &["a.yaml", "-o", format]);
        assert_eq!(run.code, Some(1), "{}", run.stderr);
        let text = String::from_utf8(run.stdout).unwrap();
        assert!(
            text.chars().all(|char| char == '\n' || !char.is_control())
                && !text.contains('\u{202e}'),
            "{text}"
        );
        assert!(!text.contains("##[error]"), "{text}");
        assert!(
            !text.lines().any(|line| line.trim_start().starts_with("::")),
            "{text}"
        );
        if format != "markdown" {
            continue;
        }
        let row = text
            .lines()
            .find(|line| line.contains("infra.vpc"))
            .unwrap();
        // Four cells: no `|` of a value ends one.
        assert_eq!(row.matches('|').count(), 5, "{row}");
        assert_eq!(
            row.matches("<code>").count(),
            row.matches("</code>").count()
        );
        assert!(!row.contains("<img") && !row.contains("<b>"), "{row}");
        // The only mention is inside backticks.
        assert_eq!(row.matches('@').count(), 1, "{row}");
        assert!(row.contains("`\"plain @team\"`"), "{row}");
    }
}

#[test]
fn long_values_are_shortened_around_the_difference() {
    let long = "x".repeat(100_000);
    let folder = setup(
        &config_map("a: \"${infra.a}\""),
        &json!({"a": format!("{long}1{long}")}),
        &json!({"a": format!("{long}2{long}")}),
    );
    for format in ["text", "markdown"] {
        let text = String::from_utf8(diff(&folder, &["a.yaml", "-o", format]).stdout).unwrap();
        assert!(text.len() < 1000, "{}", text.len());
        assert!(text.contains("xx1xx") && text.contains("xx2xx"), "{text}");
    }
}

#[test]
fn markdown_fits_into_a_comment() {
    let lines: Vec<String> = (0..3000)
        .map(|n| format!("key-{n}: \"${{infra.a}}\""))
        .collect();
    let folder = setup(
        &config_map(&lines.join("\n  ")),
        &json!({"a": "one"}),
        &json!({"a": "two"}),
    );
    let text = String::from_utf8(diff(&folder, &["a.yaml", "-o", "markdown"]).stdout).unwrap();
    assert!(text.len() < 65_000, "{}", text.len());
    let shown = text.matches("| `infra.a` |").count();
    assert!(
        text.ends_with(&format!(
            "\n*{} more items not shown here.*\n",
            3000 - shown
        )),
        "{}",
        text.lines().last().unwrap_or_default()
    );
}

/// The exit code is 0 if and only if both renderings are equal.
#[test]
fn every_difference_of_the_renderings_is_a_change() {
    let manifests = [
        "a: ${infra.a}\n",
        "a: x-${infra.a}-${infra.b}\n",
        "a: '${infra.a}${infra.b}'\n",
        "a: |\n  ${infra.a}\n  x ${infra.b}\n",
        "a: >-\n  ${infra.a} ${infra.b}\n",
        "a: [\"${infra.a}\", ${infra.b}]\n",
        "${infra.a}: ${infra.b}\n",
        "a: x # landfall: ${infra.a}/${infra.b}\n",
        "a: # landfall: ${infra.a}\n  - z\n",
        "kind: ConfigMap\napiVersion: v1\ndata:\n  a.yaml: |\n    a: ${infra.a}\n    b: x${infra.b}\n  b.json: '{\"a\": \"${infra.a}\"}'\n  c: ${infra.b}\n",
        "kind: Secret\napiVersion: v1\ndata:\n  a: ${infra.a | string | base64}\nstringData:\n  b: \"${infra.b}\"\n",
        "kind: ${infra.a}\napiVersion: v1\nspec: {replicas: \"${infra.b}\"}\n",
    ];
    let values = [
        json!("x"),
        json!("3"),
        json!(3),
        json!("it's: \"q\""),
        json!("a\nb"),
        json!(["p", "q"]),
    ];
    let documents: Vec<Value> = values
        .iter()
        .flat_map(|a| [json!({"a": a, "b": "x"}), json!({"a": a, "b": "x: y"})])
        .chain([json!({"a": "xx", "b": "y"}), json!({"a": "x", "b": "xy"})])
        .collect();
    let folder = setup("", &json!({}), &json!({}));
    let mut compared = [0; 2];
    for (nth, manifest) in manifests.iter().enumerate() {
        folder.write("a.yaml", manifest);
        let rendered: Vec<_> = documents
            .iter()
            .enumerate()
            .map(|(at, document)| {
                let name = format!("{at}.json");
                folder.write(&name, outputs(document));
                let run = folder.run(&["render", "a.yaml", "-b", &name]);
                (name, (run.code == Some(0)).then_some(run.stdout))
            })
            .collect();
        // Each with the next, the next but one, and so on: not all pairs, to save time.
        for (at, (old, old_text)) in rendered.iter().enumerate() {
            let (new, new_text) = &rendered[(at + 1 + nth) % rendered.len()];
            let run = folder.run(&["diff", "--from", old, "--to", new, "a.yaml"]);
            let expected = match (old_text, new_text) {
                (_, None) => 2,
                (Some(old), Some(new)) if old == new => 0,
                _ => 1,
            };
            let text = String::from_utf8_lossy(&run.stdout);
            assert_eq!(run.code, Some(expected), "{manifest} {old} {new}\n{text}");
            if expected != 2 {
                compared[usize::try_from(expected).unwrap()] += 1;
            }
        }
    }
    assert!(compared.iter().all(|&count| count > 10), "{compared:?}");
}
