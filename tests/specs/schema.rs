//! The JSON Schemas of `docs/schemas/` and the documents on the pages: the schema accepts
//! what landfall reads, and rejects keys that landfall does not know.

#![allow(
    clippy::panic,
    reason = "a keyword that this checker does not know must fail the test"
)]

use serde_json::{Value as Json, json};

use crate::page::{Example, examples};
use crate::{PAGES, docs};

fn schema(name: &str) -> Json {
    let path = docs().join(format!("schemas/{name}.v1alpha1.json"));
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

/// Collects the errors in `value`, by the part of JSON Schema that the schemas use.
fn collect_violations(schema: &Json, value: &Json, at: &str, found: &mut Vec<String>) {
    let schema = schema.as_object().unwrap();
    for (keyword, reported) in schema {
        let holds = match keyword.as_str() {
            "type" => {
                let types = reported
                    .as_array()
                    .cloned()
                    .unwrap_or_else(|| vec![reported.clone()]);
                types
                    .iter()
                    .any(|it| is_of_type(it.as_str().unwrap(), value))
            }
            "const" => value == reported,
            "anyOf" => reported.as_array().unwrap().iter().any(|schema| {
                let mut violations = Vec::new();
                collect_violations(schema, value, at, &mut violations);
                violations.is_empty()
            }),
            "enum" => reported.as_array().unwrap().contains(value),
            "minLength" => value.as_str().is_none_or(|text| !text.is_empty()),
            "minimum" => value
                .as_f64()
                .is_none_or(|number| number >= reported.as_f64().unwrap()),
            "minItems" => value.as_array().is_none_or(|items| !items.is_empty()),
            "pattern" => value.as_str().is_none_or(|text| matches(reported, text)),
            "required" => value.as_object().is_none_or(|value| {
                let keys = reported.as_array().unwrap().iter();
                keys.map(|key| key.as_str().unwrap())
                    .all(|key| value.contains_key(key))
            }),
            "propertyNames" => value
                .as_object()
                .is_none_or(|value| value.keys().all(|key| matches(&reported["pattern"], key))),
            "properties"
            | "additionalProperties"
            | "items"
            | "description"
            | "default"
            | "title"
            | "$schema"
            | "$id" => true,
            other => panic!("`{other}` is not checked here"),
        };
        if !holds {
            found.push(format!("{at}: {value} against {keyword}: {reported}"));
        }
    }
    let properties = schema.get("properties").unwrap_or(&Json::Null);
    for (key, value) in value.as_object().into_iter().flatten() {
        let at = format!("{at}.{key}");
        match (&properties[key], schema.get("additionalProperties")) {
            (Json::Null, Some(Json::Bool(false))) => found.push(format!("{at}: unknown key")),
            (Json::Null, Some(schema)) => collect_violations(schema, value, &at, found),
            (Json::Null, None) => {}
            (schema, _) => collect_violations(schema, value, &at, found),
        }
    }
    let Some(items) = schema.get("items") else {
        return;
    };
    for item in value.as_array().into_iter().flatten() {
        collect_violations(items, item, &format!("{at}[]"), found);
    }
}

fn is_of_type(name: &str, value: &Json) -> bool {
    match name {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        other => panic!("unknown type: {other}"),
    }
}

fn matches(pattern: &Json, text: &str) -> bool {
    regex_lite::Regex::new(pattern.as_str().unwrap())
        .unwrap()
        .is_match(text)
}

/// Returns the errors in a YAML document, or `None` if no other reader can read it.
fn violations(schema: &Json, text: &str) -> Option<Vec<String>> {
    let document: Json = serde_yaml::from_str(text).ok()?;
    let mut found = Vec::new();
    collect_violations(schema, &document, "", &mut found);
    Some(found)
}

#[test]
fn schemas_accept_what_landfall_reads() {
    let schemas = [
        ("binding", "Binding", schema("binding")),
        ("operator", "OperatorPolicy", schema("operator-policy")),
    ];
    let (mut accepted, mut unknown) = (0, 0);
    for page in PAGES.iter().copied().chain(["binding.md", "rules.md"]) {
        let text = std::fs::read_to_string(docs().join(page)).unwrap();
        for Example {
            sentence, blocks, ..
        } in examples(&text).unwrap()
        {
            let block = blocks.iter().find(|block| block.role == "diagnostics");
            let reported = block.map_or("", |block| block.content.as_str());
            for (role, kind, schema) in &schemas {
                for block in blocks.iter().filter(|block| block.role == *role) {
                    let header = format!("apiVersion: landfall.dev/v1alpha1\nkind: {kind}\n");
                    let Some(found) = violations(schema, &format!("{header}{}", block.content))
                    else {
                        continue;
                    };
                    let example = format!("{page}: it {sentence}: {found:?}");
                    let is_invalid = ["error[invalid-binding]", "error[invalid-policy]"]
                        .iter()
                        .any(|rule| reported.contains(rule));
                    if is_invalid && reported.contains(" unknown key ") {
                        unknown += 1;
                        assert!(
                            found.iter().any(|it| it.contains("unknown key")),
                            "{example}"
                        );
                    } else if !is_invalid {
                        accepted += 1;
                        assert!(found.is_empty(), "{example}");
                    }
                }
            }
        }
    }
    assert!(accepted > 50 && unknown > 0, "{accepted} {unknown}");
}

#[test]
fn the_schema_accepts_the_bindings_of_the_examples() {
    let schema = schema("binding");
    let mut folders = vec![docs().join("../examples")];
    let mut count = 0;
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.ends_with("landfall.yaml") {
                let text = std::fs::read_to_string(&path).unwrap();
                assert_eq!(
                    violations(&schema, &text),
                    Some(Vec::new()),
                    "{}",
                    path.display()
                );
                count += 1;
            }
        }
    }
    assert!(count > 1, "{count}");
}

#[test]
fn the_schema_rejects_invalid_bindings() {
    let schema = schema("binding");
    for spec in [
        json!({"output": []}),
        json!({"outputs": [{"name": "1a", "from": {"file": "a.json"}}]}),
        json!({"outputs": [{"name": "a"}]}),
        json!({"policy": {"missing": "kept"}}),
        json!({"policy": {"sensitive": {"kinds": [true]}}}),
        json!({"contract": {"infra": {"a": {"type": "strin"}}}}),
        json!({"contract": {"1a": {}}}),
        json!({"substitutions": [{"value": "x", "targets": [{"select": {}, "fieldPaths": []}]}]}),
    ] {
        let document =
            json!({"apiVersion": "landfall.dev/v1alpha1", "kind": "Binding", "spec": spec});
        let mut found = Vec::new();
        collect_violations(&schema, &document, "", &mut found);
        assert_eq!(found.len(), 1, "{document}: {found:?}");
    }
}

#[test]
fn the_schema_accepts_the_contracts_of_the_documentation() {
    let schema = schema("outputs-contract");
    let page = std::fs::read_to_string(docs().join("outputs.md")).unwrap();
    let blocks = page
        .split("```")
        .filter(|block| block.contains("kind: OutputsContract"));
    let mut count = 0;
    for block in blocks {
        let (_, contract) = block.split_once('\n').unwrap();
        let start = contract.find("apiVersion").unwrap();
        let found = violations(&schema, &contract[start..]);
        assert_eq!(found, Some(Vec::new()), "{contract}");
        count += 1;
    }
    assert!(count > 2, "{count}");
    let found = violations(&schema, "spec: {infra: {x: {typ: string}}}\n").unwrap();
    assert_eq!(found.len(), 2, "{found:?}");
}
