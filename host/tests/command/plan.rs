//! `landfall diff --plan`: what a Terraform plan does to manifests.

use std::path::Path;
use std::process::Command;

use landfall_test_support::skip::needed_program;
use serde_json::{Value, json};

use crate::run::{Run, TestFolder, config_map};

/// Returns the change of an output. A value that is absent is null.
fn change(actions: &str, before: &Value, after: &Value, unknown: &Value, secret: bool) -> Value {
    json!({
        "actions": [actions], "before": before, "after": after, "after_unknown": unknown,
        "before_sensitive": secret, "after_sensitive": secret,
    })
}

fn plan(changes: &Value) -> String {
    json!({"format_version": "1.2", "planned_values": {}, "output_changes": changes}).to_string()
}

fn run(manifest: &str, plan: &str, arguments: &[&str]) -> Run {
    let folder = TestFolder::new();
    folder.write("a.yaml", manifest);
    folder.write("plan.json", plan);
    folder.run(&[&["diff", "--plan", "plan.json", "a.yaml"], arguments].concat())
}

/// Checks the text and the exit code of a diff that reports nothing on standard error.
#[track_caller]
fn check(manifest: &str, changes: &Value, code: i32, expect: &str) {
    let run = run(manifest, &plan(changes), &[]);
    assert_eq!(run.stderr, "");
    assert_eq!(String::from_utf8(run.stdout).unwrap(), expect);
    assert_eq!(run.code, Some(code));
}

#[test]
fn shows_values_before_and_after() {
    let (old, new) = (json!("vpc-1"), json!("vpc-2"));
    check(
        &config_map("vpc: ${infra.vpc}"),
        &json!({"vpc": change("update", &old, &new, &json!(false), false)}),
        1,
        "ConfigMap/web (a.yaml)\n  data.vpc: \"vpc-1\" -> \"vpc-2\" (infra.vpc)\n\n1 change in 1 resource\n",
    );
}

#[test]
fn a_plan_that_changes_nothing() {
    let vpc = json!("vpc-1");
    let vpc = json!({"vpc": change("no-op", &vpc, &vpc, &json!(false), false)});
    check(&config_map("vpc: ${infra.vpc}"), &vpc, 0, "no changes\n");
    check(
        &config_map("vpc: vpc-1"),
        &json!({}),
        0,
        "no reference uses `infra`\nno changes\n",
    );
}

#[test]
fn unknown_values_fit_every_field_and_function() {
    let text = json!("3");
    let unknown = || change("update", &text, &Value::Null, &json!(true), false);
    check(
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: api}\nspec:\n  replicas: ${infra.n | number}\n  template: {spec: {hostname: 'a-${infra.name}-${infra.n | upper}'}}\n",
        &json!({"n": unknown(), "name": change("update", &json!("x"), &json!("y"), &json!(false), false)}),
        1,
        "Deployment/api (a.yaml)\n  spec.replicas: 3 -> (known after apply) (infra.n)\n  spec.template.spec.hostname: \"x\" -> \"y\" (infra.name)\n  spec.template.spec.hostname: \"3\" -> (known after apply) (infra.n)\n\n3 changes in 1 resource\n",
    );
}

#[test]
fn a_setter_comment_with_an_unknown_value() {
    check(
        &config_map("vpc: vpc-1  # landfall: ${infra.vpc}"),
        &json!({"vpc": change("update", &json!("vpc-1"), &Value::Null, &json!(true), false)}),
        1,
        "ConfigMap/web (a.yaml)\n  data.vpc: \"vpc-1\" -> (known after apply) (infra.vpc)\n\n1 change in 1 resource\n",
    );
}

#[test]
fn a_path_to_a_known_part_is_known() {
    let list = change(
        "update",
        &json!(["a", "b"]),
        &json!(["a", null]),
        &json!([false, true]),
        false,
    );
    let object = change(
        "update",
        &json!({"name": "x", "arn": "1"}),
        &json!({"name": "x"}),
        &json!({"arn": true}),
        false,
    );
    check(
        &config_map(
            "a: ${infra.list[0]}\n  b: ${infra.list[1]}\n  c: ${infra.list | join(\",\")}\n  d: ${infra.object.name}\n  e: ${infra.object.arn}",
        ),
        &json!({"list": list, "object": object}),
        1,
        "ConfigMap/web (a.yaml)\n  data.b: \"b\" -> (known after apply) (infra.list)\n  data.c: \"a,b\" -> (known after apply) (infra.list)\n  data.e: \"1\" -> (known after apply) (infra.object)\n\n3 changes in 1 resource\n",
    );
}

#[test]
fn a_deleted_output_stops_a_manifest_from_rendering() {
    let gone = change("delete", &json!("x"), &Value::Null, &json!(false), false);
    let run = run(
        &config_map("vpc: ${infra.vpc}"),
        &plan(&json!({"vpc": gone})),
        &[],
    );
    assert!(
        run.stderr.contains("`infra` has no output `vpc`"),
        "{}",
        run.stderr
    );
    assert_eq!(run.code, Some(2));
}

#[test]
fn a_created_output_is_a_change() {
    let made = |value: Value, unknown: bool| {
        change("create", &Value::Null, &value, &json!(unknown), false)
    };
    let changes = json!({"a": made(json!("x"), false), "b": made(Value::Null, true)});
    let manifest = config_map("a: ${infra.a}\n  b: ${infra.b}");
    let run = run(&manifest, &plan(&changes), &[]);
    let text = String::from_utf8(run.stdout).unwrap();
    assert!(
        text.contains("data.a: (none) -> \"x\" (infra.a)\n"),
        "{text}"
    );
    assert!(
        text.contains("data.b: (none) -> (known after apply) (infra.b)\n"),
        "{text}"
    );
    assert_eq!(run.code, Some(1));
}

#[test]
fn never_shows_a_sensitive_value() {
    let manifest = "apiVersion: v1\nkind: Secret\nmetadata: {name: db}\nstringData:\n  one: ${infra.one}\n  part: ${infra.part.name}-${infra.id}\n  two: ${infra.two}\n";
    let changes = json!({
        "one": change("update", &json!("hunter2-a"), &json!("hunter2-b"), &json!(false), true),
        "two": change("update", &json!("hunter2-c"), &Value::Null, &json!(true), true),
        "id": change("update", &json!("i-1"), &Value::Null, &json!(true), false),
        "part": {
            "actions": ["update"], "before": {"name": "hunter2-d"}, "after": {"name": "hunter2-e"},
            "after_unknown": {}, "before_sensitive": {"name": true}, "after_sensitive": {"name": true},
        },
    });
    // In a ConfigMap, sensitive values are refused.
    let refused = config_map("one: ${infra.one}\n  two: ${infra.two}");
    for (manifest, code) in [(manifest, 1), (refused.as_str(), 2)] {
        for format in ["text", "json", "markdown"] {
            let run = run(manifest, &plan(&changes), &["-o", format]);
            let text = String::from_utf8(run.stdout).unwrap() + &run.stderr;
            assert!(!text.contains("hunter2"), "{text}");
            assert_eq!(run.code, Some(code), "{text}");
            assert!(code == 2 || text.contains("(sensitive)"), "{text}");
        }
    }
}

#[test]
fn a_value_that_is_no_longer_sensitive_is_not_shown() {
    let manifest = "apiVersion: v1\nkind: Secret\nmetadata: {name: db}\nstringData:\n  one: ${infra.one}\n  id: ${infra.id}\n";
    let mut one = change(
        "update",
        &json!("hunter2-a"),
        &json!("hunter2-b"),
        &json!(false),
        true,
    );
    one["after_sensitive"] = json!(false);
    let id = change("create", &Value::Null, &json!("i-1"), &json!(false), false);
    let run = run(manifest, &plan(&json!({"one": one, "id": id})), &[]);
    let text = String::from_utf8(run.stdout).unwrap() + &run.stderr;
    assert!(!text.contains("hunter2"), "{text}");
    assert!(text.contains("(none) -> (sensitive) (infra.one)"), "{text}");
}

#[test]
fn outputs_that_a_targeted_plan_leaves_out_do_not_change() {
    let vpc = change("update", &json!("a"), &json!("b"), &json!(false), false);
    let plan = json!({
        "format_version": "1.2", "planned_values": {}, "output_changes": {"vpc": vpc},
        "prior_state": {"format_version": "1.0", "values": {"outputs": {
            "vpc": {"sensitive": false, "value": "a", "type": "string"},
            "zone": {"sensitive": false, "value": "z", "type": "string"},
            "password": {"sensitive": true, "value": "hunter2", "type": "string"},
        }}},
    });
    let manifest = config_map("vpc: ${infra.vpc}\n  zone: ${infra.zone}")
        + "---\napiVersion: v1\nkind: Secret\nmetadata: {name: db}\nstringData: {password: '${infra.password}'}\n";
    let run = run(&manifest, &plan.to_string(), &[]);
    assert_eq!(
        String::from_utf8(run.stdout).unwrap(),
        "ConfigMap/web (a.yaml)\n  data.vpc: \"a\" -> \"b\" (infra.vpc)\n\n1 change in 1 resource\n"
    );
    assert_eq!((run.code, run.stderr.as_str()), (Some(1), ""));
}

#[test]
fn rejects_what_is_not_a_plan() {
    for (document, what) in [
        (
            "{\"version\": 4, \"lineage\": \"\", \"outputs\": {}}",
            "has the format `tfstate`",
        ),
        ("PK\u{3}\u{4}", "plan"),
        (
            "No changes. Your infrastructure matches the configuration.\n",
            "is the text of a Terraform plan",
        ),
    ] {
        let run = run(&config_map("vpc: ${infra.vpc}"), document, &[]);
        run.assert_fails(2, &[what, "terraform show -json plan.tfplan"]);
        // Both sides have the same document, which is reported once.
        assert_eq!(run.stderr.matches("error[").count(), 1, "{}", run.stderr);
    }
}

#[test]
fn a_plan_that_does_not_exist() {
    let folder = TestFolder::new();
    folder.write("a.yaml", config_map("vpc: ${infra.vpc}"));
    let run = folder.run(&["diff", "--plan", "plan.json", "a.yaml"]);
    run.assert_fails(
        2,
        &[
            "the plan of `infra` is missing: `plan.json` does not exist",
            "terraform show -json plan.tfplan > plan.json",
        ],
    );
    let run = folder.run(&["diff", "--plan", "net=s3://plans/plan.json", "a.yaml"]);
    run.assert_fails(
        2,
        &["aws s3 cp 's3://plans/plan.json' - | landfall … --plan net=-"],
    );
}

#[test]
fn reads_a_plan_from_standard_input() {
    let folder = TestFolder::new();
    folder.write("a.yaml", config_map("vpc: ${net.vpc}"));
    let vpc = change("update", &json!("a"), &json!("b"), &json!(false), false);
    let run = folder.run_with_stdin(
        &["diff", "--plan", "net=-", "a.yaml"],
        plan(&json!({"vpc": vpc})),
    );
    let text = String::from_utf8(run.stdout).unwrap();
    assert!(
        text.contains("\"a\" -> \"b\" (net.vpc)"),
        "{text}{}",
        run.stderr
    );
}

#[test]
fn a_plan_where_outputs_are_expected() {
    let folder = TestFolder::new();
    folder.write("a.yaml", config_map("vpc: ${infra.vpc}"));
    folder.write("plan.json", plan(&json!({})));
    folder.write("plan.tfplan", b"PK\x03\x04\xff");
    for (arguments, code) in [
        (&["render", "a.yaml", "-b", "plan.json"][..], 1),
        (&["render", "a.yaml", "-b", "plan.tfplan"], 1),
        (
            &["diff", "a.yaml", "--from", "plan.json", "--to", "plan.json"],
            2,
        ),
        (
            &[
                "diff",
                "a.yaml",
                "plan.json",
                "--from",
                "plan.json",
                "--to",
                "plan.json",
            ],
            2,
        ),
    ] {
        let run = folder.run(arguments);
        let hint = "; to see what it does to manifests, use `landfall diff --plan FILE`";
        run.assert_fails(code, &["a plan does not know its outputs", hint]);
    }
}

/// Two versions of a module. Their resources exist only in the state.
const MODULE: &str = r#"
resource "terraform_data" "old" {}
resource "terraform_data" "new" {
  triggers_replace = "VERSION"
}
output "vpc" { value = "vpc-VERSION" }
output "id" { value = terraform_data.new.id }
output "same" { value = terraform_data.old.id }
output "subnets" { value = ["subnet-1", terraform_data.new.id] }
output "password" {
  value     = "hunter2-VERSION"
  sensitive = true
}
"#;

#[test(terraform)]
fn reads_what_terraform_writes() {
    let program = needed_program("terraform");
    let folder = TestFolder::new();
    let terraform = |arguments: &[&str]| {
        let output = Command::new(&program)
            .args(arguments)
            .current_dir(folder.path())
            .env("CHECKPOINT_DISABLE", "1")
            .output()
            .unwrap();
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{errors}");
        output.stdout
    };
    folder.write("main.tf", MODULE.replace("VERSION", "1"));
    terraform(&["init"]);
    terraform(&["apply", "-auto-approve"]);
    folder.write("main.tf", MODULE.replace("VERSION", "2"));
    terraform(&["plan", "-out", "plan.tfplan"]);
    let plan = terraform(&["show", "-json", "plan.tfplan"]);
    folder.write("a/plan.json", plan);
    folder.write(
        "a/a.yaml",
        config_map("vpc: ${infra.vpc}\n  id: ${infra.id}\n  same: ${infra.same}\n  first: ${infra.subnets[0]}\n  second: ${infra.subnets[1]}")
            + "---\napiVersion: v1\nkind: Secret\nmetadata: {name: db}\nstringData: {password: '${infra.password}'}\n",
    );
    assert!(Path::new(&folder.at("plan.tfplan")).is_file());
    let run = folder.run(&["diff", "--plan", "a/plan.json", "a/a.yaml", "-o", "json"]);
    assert_eq!((run.code, run.stderr.as_str()), (Some(1), ""));
    let text = String::from_utf8(run.stdout).unwrap();
    assert!(!text.contains("hunter2"), "{text}");
    let report: Value = serde_json::from_str(&text).unwrap();
    let changes = report["applications"][0]["changes"].as_array().unwrap();
    let changes: Vec<_> = changes
        .iter()
        .map(|change| {
            let field = change["field"].as_str().unwrap();
            (field, change["to"]["value"].as_str().unwrap())
        })
        .collect();
    assert_eq!(
        changes,
        [
            ("data.vpc", "vpc-2"),
            ("data.id", "(known after apply)"),
            ("data.second", "(known after apply)"),
            ("stringData.password", "(sensitive)"),
        ]
    );
    // Outputs that do not depend on the target keep their values.
    let target = "-target=terraform_data.new";
    terraform(&["plan", target, "-out", "target.tfplan"]);
    let plan = terraform(&["show", "-json", "target.tfplan"]);
    folder.write("a/plan.json", plan);
    let run = folder.run(&["diff", "--plan", "a/plan.json", "a/a.yaml"]);
    let text = String::from_utf8(run.stdout).unwrap();
    assert!(text.contains("data.id: "), "{text}{}", run.stderr);
    assert!(text.ends_with("\n2 changes in 1 resource\n"), "{text}");
    assert!(
        run.stderr.contains("plan without `-target`"),
        "{}",
        run.stderr
    );
    assert_eq!(run.code, Some(1));

    let run = folder.run(&["diff", "--plan", "plan.tfplan", "a/a.yaml"]);
    run.assert_fails(
        2,
        &["a saved Terraform plan", "terraform show -json plan.tfplan"],
    );
}
