//! The JSON Schemas of the Binding, the operator's policy and the outputs contract, and the
//! tables of docs/binding.md, generated from the tables that read the documents.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value as Json, json};

use crate::config::keys::{CONTRACT_ROOT, Keys, OPERATOR_ROOT, ROOT, Row, Shape, Words};
use crate::outputs::documented_formats;
use crate::reference::documented;

/// How to regenerate the committed files.
const HOW: &str = "run UPDATE=1 cargo test -p landfall --lib keys::schema, and read the difference";

fn docs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("docs")
}

fn text(lines: &[&str]) -> String {
    lines
        .iter()
        .map(|line| line.trim())
        .collect::<Vec<_>>()
        .join(" ")
}

fn object(keys: &Keys) -> Map<String, Json> {
    let properties: Map<String, Json> = keys.rows.iter().map(property).collect();
    let required: Vec<_> = keys
        .rows
        .iter()
        .filter(|row| row.required)
        .map(|row| row.name)
        .collect();
    let mut schema = Map::new();
    schema.insert("type".to_owned(), json!("object"));
    schema.insert("properties".to_owned(), json!(properties));
    if !required.is_empty() {
        schema.insert("required".to_owned(), json!(required));
    }
    schema.insert("additionalProperties".to_owned(), json!(false));
    schema
}

fn property(row: &Row) -> (String, Json) {
    let mut schema = shape(&row.shape);
    let mut description = text(row.doc);
    if let Shape::Choice(words) = row.shape {
        for (word, doc) in words.words {
            description.push_str(&format!(" `{word}`: {}", text(doc)));
        }
        schema.insert("default".to_owned(), json!((words.default)()));
    }
    schema.insert("description".to_owned(), json!(description));
    (row.name.to_owned(), Json::Object(schema))
}

fn shape(shape: &Shape) -> Map<String, Json> {
    let schema = match shape {
        Shape::Const(word) => json!({"const": word}),
        Shape::Text => json!({"type": "string", "minLength": 1}),
        Shape::AnyText => json!({"type": "string"}),
        Shape::Pattern(pattern) => json!({"type": "string", "pattern": pattern}),
        Shape::Choice(Words { words, .. }) => {
            let words: Vec<_> = words.iter().map(|(word, _)| *word).collect();
            json!({"type": "string", "enum": words})
        }
        Shape::Dialect => {
            let ids: Vec<_> = documented().collect();
            json!({"type": "string", "enum": ids})
        }
        Shape::Format => {
            let ids: Vec<_> = documented_formats().collect();
            json!({"type": "string", "enum": ids})
        }
        Shape::Word(words) => json!({"type": "string", "enum": words}),
        Shape::Bool(default) => json!({"type": "boolean", "default": default}),
        Shape::OptionalBool => json!({"type": "boolean"}),
        Shape::Whole => json!({"type": "integer", "minimum": 0}),
        Shape::Integer => json!({"type": "integer"}),
        Shape::Number => json!({"type": "number"}),
        Shape::Scalar => json!({"type": ["string", "number", "boolean"]}),
        Shape::Any => json!({}),
        Shape::List(item) => json!({"type": "array", "items": self::shape(item)}),
        Shape::NonEmptyList(item) => {
            json!({"type": "array", "items": self::shape(item), "minItems": 1})
        }
        Shape::TrueOrList(item) => {
            json!({"anyOf": [{"const": true}, self::shape(&Shape::List(item))]})
        }
        Shape::Named("", value) => {
            json!({"type": "object", "additionalProperties": self::shape(value)})
        }
        Shape::Named(pattern, value) => json!({
            "type": "object",
            "propertyNames": {"pattern": pattern},
            "additionalProperties": self::shape(value),
        }),
        Shape::Mapping(keys) => return object(keys),
        Shape::Object => json!({"type": "object"}),
    };
    match schema {
        Json::Object(schema) => schema,
        _ => Map::new(),
    }
}

#[track_caller]
fn check_schema(name: &str, title: &str, root: &Keys) {
    let mut schema = object(root);
    for (key, value) in [
        (
            "$schema",
            "https://json-schema.org/draft/2020-12/schema".to_owned(),
        ),
        (
            "$id",
            format!(
                "{}/schemas/{name}.v1alpha1.json",
                env!("CARGO_PKG_HOMEPAGE")
            ),
        ),
        ("title", title.to_owned()),
    ] {
        schema.insert(key.to_owned(), json!(value));
    }
    let generated = format!("{}\n", serde_json::to_string_pretty(&schema).unwrap());
    let path = docs().join(format!("schemas/{name}.v1alpha1.json"));
    if std::env::var_os("UPDATE").is_some_and(|value| value == "1") {
        std::fs::write(&path, &generated).unwrap();
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        committed == generated,
        "docs/schemas/{name}.v1alpha1.json does not match the tables: {HOW}"
    );
}

#[test]
fn the_binding_has_a_schema() {
    check_schema(
        "binding",
        "landfall.yaml: what an application binds, and how",
        &ROOT,
    );
}

#[test]
fn the_operators_policy_has_a_schema() {
    let title = "OperatorPolicy: the loosest policies that Bindings and flags may ask for";
    check_schema("operator-policy", title, &OPERATOR_ROOT);
}

#[test]
fn the_outputs_contract_has_a_schema() {
    let title = "OutputsContract: what is required of outputs documents";
    check_schema("outputs-contract", title, &CONTRACT_ROOT);
}

/// Returns a row of the table of policies: the key, its values, the default, the ceiling
/// under Argo CD, the flag.
fn policy_line(key: &str, words: &Words) -> String {
    let listed: Vec<_> = words
        .words
        .iter()
        .map(|(word, _)| format!("`{word}`"))
        .collect();
    let mut flag = String::from("--");
    for letter in key.chars() {
        if letter.is_ascii_uppercase() {
            flag.push('-');
        }
        flag.push(letter.to_ascii_lowercase());
    }
    let ceiling = (words.under_argo_cd)().map_or("any".to_owned(), |word| format!("`{word}`"));
    let (listed, default) = (listed.join(" < "), (words.default)());
    format!("| `{key}` | {listed} | `{default}` | {ceiling} | `{flag}` |")
}

/// Checks that docs/binding.md has a line for every key, and that a policy's line agrees
/// with the table.
#[test]
fn the_documentation_lists_every_key() {
    let page = std::fs::read_to_string(docs().join("binding.md")).unwrap();
    let mut missing = Vec::new();
    let mut tables: Vec<&Keys> = vec![&ROOT, &OPERATOR_ROOT];
    while let Some(keys) = tables.pop() {
        for row in keys.rows {
            let line = match &row.shape {
                Shape::Choice(words) => policy_line(row.name, words),
                _ => format!("| `{}` |", row.name),
            };
            if !page.lines().any(|it| it.starts_with(&line)) {
                missing.push(line);
            }
            let mut inner = &row.shape;
            while let Shape::List(item) | Shape::NonEmptyList(item) | Shape::Named(_, item) = inner
            {
                inner = item;
            }
            if let Shape::Mapping(keys) = inner {
                tables.push(keys);
            }
        }
    }
    assert_eq!(
        missing,
        Vec::<String>::new(),
        "docs/binding.md has no line that begins so"
    );
}
