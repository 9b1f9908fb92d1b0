//! `landfall explain`: where each value came from.

use serde_json::{Value, json};

use crate::run::{TestFolder, config_map};

#[test]
fn a_line_for_every_substitution() {
    let folder = TestFolder::with_infra();
    folder.write("a.yaml", config_map("vpc: \"ключ ${infra.vpc_id}\"\n  n: ${infra.replicas}\n  d: ${infra.zone | default('none')}"));
    let text = folder
        .run(&["explain", "a.yaml", "-b", "infra.json"])
        .expect_stdout();
    let rows: Vec<Vec<&str>> = text
        .lines()
        .map(|line| {
            line.split("   ")
                .map(str::trim)
                .filter(|cell| !cell.is_empty())
                .collect()
        })
        .collect();
    assert_eq!(
        rows[0],
        ["LOCATION", "FIELD", "OUTPUT", "TYPE", "VALUE", "FROM"]
    );
    assert_eq!(
        rows[1],
        [
            "a.yaml:6:14",
            "ConfigMap/web data.vpc",
            "infra.vpc_id",
            "string",
            "vpc-0ab1",
            "infra.json:2"
        ]
    );
    assert_eq!(
        rows[2],
        [
            "a.yaml:7:6",
            "ConfigMap/web data.n",
            "infra.replicas",
            "number",
            "3",
            "infra.json:3"
        ]
    );
    assert_eq!(
        rows[3],
        [
            "a.yaml:8:6",
            "ConfigMap/web data.d",
            "infra.zone",
            "string",
            "none",
            "(default)"
        ]
    );
    assert_eq!(rows.len(), 4);
}

#[test]
fn never_shows_a_sensitive_value() {
    let folder = TestFolder::with_infra();
    folder.write("s.yaml", "apiVersion: v1\nkind: Secret\nmetadata: {name: db}\nstringData:\n  password: ${infra.password}\n");
    let text = folder
        .run(&["explain", "s.yaml", "-b", "infra.json"])
        .expect_stdout();
    assert!(
        text.contains("infra.password") && text.contains("(sensitive)"),
        "{text}"
    );
    assert!(!text.contains("hunter2"), "{text}");
}

#[test]
fn reports_errors_instead_of_a_table() {
    let folder = TestFolder::with_infra();
    folder
        .run_with_stdin(
            &["explain", "-", "-b", "infra.json"],
            "a: ${infra.nothing}\n",
        )
        .assert_input_error(&["unknown-output"]);
}

#[test]
fn json_has_every_substitution() {
    let folder = TestFolder::with_infra();
    folder.write(
        "a.yaml",
        config_map("ключ: ${infra.vpc_id}\n  d: ${infra.zone | default('none')}"),
    );
    folder.write("s.yaml", "apiVersion: v1\r\nkind: Secret\r\nmetadata: {name: db}\r\nstringData:\r\n  password: ${infra.password}\r\n");
    let arguments = [
        "explain",
        "-o",
        "json",
        "a.yaml",
        "s.yaml",
        "-b",
        "infra.json",
    ];
    let text = folder.run(&arguments).expect_stdout();
    assert!(!text.contains("hunter2"), "{text}");
    let document: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(
        document["apiVersion"],
        "landfall.dev/substitutions/v1alpha1"
    );
    let substitutions = &document["substitutions"];
    let start = folder.read("a.yaml").find("${").unwrap();
    let rendered = folder
        .run(&["render", "a.yaml", "-b", "infra.json"])
        .expect_stdout();
    let result = rendered.find("vpc-0ab1").unwrap();
    assert_eq!(
        substitutions[0],
        json!({
            "path": "a.yaml", "line": 6, "column": 9, "endLine": 6, "endColumn": 24,
            "start": start, "end": start + 15,
            "result": {"start": result, "end": result + 8},
            "reference": "${infra.vpc_id}", "output": "infra.vpc_id", "document": "infra.json",
            "definition": {"path": "infra.json", "line": 2, "column": 3, "endLine": 2,
                "endColumn": 11},
            "type": "string", "value": "vpc-0ab1", "sensitive": false,
            "resource": {"apiVersion": "v1", "kind": "ConfigMap", "name": "web", "namespace": ""},
            "field": "data.ключ"
        })
    );
    assert_eq!(substitutions[1]["document"], Value::Null);
    assert_eq!(substitutions[2]["value"], "(sensitive)");
    assert_eq!(substitutions[2].get("result"), None);
    assert_eq!(
        (&substitutions[2]["line"], &substitutions[2]["column"]),
        (&json!(5), &json!(13))
    );
    let unused = document["unused"].as_array().unwrap();
    let unused: Vec<_> = unused.iter().map(|unused| &unused["output"]).collect();
    assert_eq!(unused, ["infra.replicas", "infra.subnets"]);
}

#[test]
fn lists_unused_outputs() {
    let folder = TestFolder::with_infra();
    folder.write("a/a.yaml", config_map("vpc: ${infra.vpc_id}"));
    folder.write("b/b.yaml", config_map("n: \"${infra.replicas}\""));
    let unused = |arguments: &[&str]| {
        let mut all = vec!["explain", "--unused", "-b", "infra.json"];
        all.extend(arguments);
        folder.run(&all).expect_stdout()
    };
    let text = unused(&["a", "b"]);
    let rows: Vec<Vec<&str>> = text
        .lines()
        .map(|line| line.split_whitespace().collect())
        .collect();
    assert_eq!(rows[0], ["OUTPUT", "FROM"]);
    let names: Vec<_> = rows[1..].iter().map(|row| row[0]).collect();
    assert_eq!(names, ["infra.password", "infra.subnets"]);
    assert!(
        rows[1..].iter().all(|row| row[1].starts_with("infra.json")),
        "{text}"
    );
    let document: Value = serde_json::from_str(&unused(&["a", "-o", "json"])).unwrap();
    assert!(document.get("substitutions").is_none(), "{document}");
    assert_eq!(document["unused"].as_array().unwrap().len(), 3);
}
