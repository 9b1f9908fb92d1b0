//! Exports: sensitive values are in the `data` of Secrets and nowhere else, values survive,
//! and what landfall reads itself it reads back.

use landfall::{
    Exported, OutputsDocument, OutputsInputs, Parameter, ParameterValue, check_outputs,
    export_outputs,
};
use proptest::prelude::*;
use serde_json::{Map, Value as Json, json};

use crate::choices::Choices;
use crate::generated::cases;

/// What no text but the data of a Secret may contain.
const SECRET: &str = "hunter2";

/// The beginning of its base64 at the start of a text.
const SECRET_IN_BASE64: &str = "aHVudGVyM";

const TARGETS: &[&str] = &[
    "flux",
    "argocd-cluster",
    "helm-values",
    "dotenv",
    "external-secret",
    "public",
];

/// Texts that some reader of some format reads differently when they are written as they are.
const TEXTS: &[&str] = &[
    "",
    "vpc-0ab1",
    "yes",
    "0123",
    "1e3",
    "a: b",
    "a #b",
    "#",
    "- a",
    "{a}",
    "'",
    "it's",
    "\"",
    "\\",
    "$HOME",
    "`a`",
    "a\nb",
    " a ",
    "\t",
    "~",
    "null",
    "größe",
    "\u{1f600}",
    "%",
    "@",
    "|",
    "2024-01-01",
    "=",
];

fn value(choices: &mut Choices<'_>, depth: usize) -> Json {
    match choices.below(if depth > 1 { 4 } else { 6 }) {
        0 => json!(choices.below(1000)),
        1 => json!(choices.one_in(2)),
        2 | 3 => json!(choices.pick(TEXTS)),
        4 => (0..choices.below(3))
            .map(|_| value(choices, depth + 1))
            .collect(),
        _ => {
            let entry = |nth| (format!("k{nth}"), nth);
            let keys: Vec<_> = (0..choices.below(3)).map(entry).collect();
            let entries = keys
                .into_iter()
                .map(|(key, _)| (key, value(choices, depth + 1)));
            Json::Object(entries.collect())
        }
    }
}

/// Returns a sensitive value: its strings and keys begin with the secret.
fn secret(choices: &mut Choices<'_>) -> Json {
    match choices.below(3) {
        0 => json!([SECRET, {SECRET: SECRET}]),
        1 => json!({SECRET: [format!("{SECRET}{}", choices.pick(TEXTS))]}),
        _ => json!(format!("{SECRET}{}", choices.pick(TEXTS))),
    }
}

/// Outputs: their names, and whether they are sensitive.
struct Generated {
    outputs: Vec<(String, Json, bool)>,
    document: OutputsDocument,
}

fn generate(choices: &mut Choices<'_>) -> Generated {
    const NAMES: &[&str] = &["a", "db_b", "c_1", "d-e", "f", "g"];
    let mut outputs = Vec::new();
    let mut members = Map::new();
    for name in NAMES {
        if choices.one_in(3) {
            continue;
        }
        let is_sensitive = choices.one_in(3);
        let value = if is_sensitive {
            secret(choices)
        } else {
            value(choices, 0)
        };
        let output = json!({"sensitive": is_sensitive, "type": "dynamic", "value": value});
        members.insert((*name).to_owned(), output);
        outputs.push(((*name).to_owned(), value, is_sensitive));
    }
    let document = OutputsDocument {
        name: "infra".into(),
        content: Json::Object(members).to_string().into_bytes(),
        ..OutputsDocument::default()
    };
    Generated { outputs, document }
}

fn option(name: &str, value: ParameterValue) -> Parameter {
    let name = name.to_owned();
    Parameter { name, value }
}

/// Returns options with which most exports succeed.
fn options(target: &str, choices: &mut Choices<'_>) -> Vec<Parameter> {
    let text = |name: &str, text: &str| option(name, ParameterValue::Text(text.to_owned()));
    let mut options = Vec::new();
    if matches!(target, "flux" | "dotenv" | "argocd-cluster") {
        options.push(text("json", "true"));
    }
    if matches!(target, "flux" | "dotenv" | "helm-values") {
        options.push(text("dashes-to-underscores", "true"));
    }
    match target {
        "flux" if choices.one_in(3) => options.push(text("values-key", "values.yaml")),
        "flux" if choices.one_in(3) => {
            let services = vec![("db_".to_owned(), "database".to_owned())];
            options.push(option("service", ParameterValue::Entries(services)));
        }
        "argocd-cluster" => {
            options.extend([text("name", "prod"), text("server", "https://a")]);
            if choices.one_in(2) {
                options.push(option("label", ParameterValue::Items(vec!["a".to_owned()])));
            }
            if choices.one_in(2) {
                options.push(text("config-output", "f"));
            }
        }
        "helm-values" if choices.one_in(2) => options.push(text("key", "a.b")),
        "external-secret" => {
            options.extend([text("store", "aws"), text("remote-key", "prod/{name}")]);
        }
        _ => {}
    }
    options
}

/// Returns a text as an output without quotes of any kind.
fn text(value: &Json) -> String {
    match value {
        Json::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// Returns whether a document of a stream is a Secret.
fn is_secret(document: &str) -> bool {
    document.contains("\nkind: Secret\n")
}

/// Returns the exported text and all diagnostics in full.
fn exported(
    generated: &Generated,
    target: &str,
    options: &[Parameter],
) -> (Option<String>, String) {
    let inputs = OutputsInputs {
        documents: vec![generated.document.clone()],
        ..OutputsInputs::default()
    };
    match export_outputs(&inputs, target, options) {
        Ok(Exported {
            content,
            diagnostics,
        }) => {
            let text = String::from_utf8(content).expect("UTF-8");
            (Some(text), format!("{diagnostics:?}"))
        }
        Err(diagnostics) => (None, format!("{diagnostics:?}")),
    }
}

/// Returns the documents of an export as outputs documents.
fn bound_again(content: &str) -> OutputsInputs {
    let documents = content.split("---\n").map(|document| OutputsDocument {
        name: "infra".into(),
        content: document.into(),
        ..OutputsDocument::default()
    });
    OutputsInputs {
        documents: documents.collect(),
        ..OutputsInputs::default()
    }
}

/// Returns the export of what landfall reads in an export.
fn exported_again(content: &str, target: &str, options: &[Parameter]) -> String {
    let again = export_outputs(&bound_again(content), target, options)
        .unwrap_or_else(|found| panic!("{content}\n{found:?}"));
    String::from_utf8(again.content).expect("UTF-8")
}

/// Checks that a map has the values of the public outputs, and nothing else.
fn check_values(
    values: &serde_yaml::Value,
    generated: &Generated,
    converts: impl Fn(&Json) -> Json,
) {
    let found = serde_json::to_value(values).expect("JSON");
    let expected = generated
        .outputs
        .iter()
        .filter(|(_, _, sensitive)| !sensitive)
        .map(|(name, value, _)| (name.replace('-', "_"), converts(value)));
    assert_eq!(found, Json::Object(expected.collect()));
}

proptest! {
    #![proptest_config(cases(3_000))]

    #[test]
    fn sensitive_values_are_in_secrets_and_all_values_survive(
        numbers in prop::collection::vec(any::<u16>(), 0..60),
        target in 0..TARGETS.len(),
    ) {
        let target = TARGETS[target];
        let choices = &mut Choices::new(&numbers);
        let generated = generate(choices);
        let options = options(target, choices);
        let (content, diagnostics) = exported(&generated, target, &options);
        prop_assert!(!diagnostics.contains(SECRET), "{diagnostics}");
        let Some(content) = content else { return Ok(()) };

        prop_assert!(!content.contains(SECRET), "{content}");
        for document in content.split("---\n") {
            prop_assert!(is_secret(document) || !document.contains(SECRET_IN_BASE64), "{content}");
        }
        let documents: Vec<serde_yaml::Value> = match target {
            "dotenv" => Vec::new(),
            _ => serde_yaml::Deserializer::from_str(&content)
                .map(|document| serde::Deserialize::deserialize(document).expect("YAML"))
                .collect(),
        };
        let has_option = |name: &str| options.iter().any(|option| option.name == name);
        match target {
            "flux" if has_option("values-key") => {
                let file = documents[0]["data"]["values.yaml"].as_str().expect("a string");
                let values = serde_yaml::from_str(file).expect("YAML");
                check_values(&values, &generated, Json::clone);
            }
            "flux" if !has_option("service") => {
                check_values(&documents[0]["data"], &generated, |value| json!(text(value)));
                prop_assert_eq!(exported_again(&content, target, &options), content);
            }
            "argocd-cluster" => {
                let found = check_outputs(&bound_again(&content));
                prop_assert!(!found.has_errors(), "{content}\n{found:?}");
            }
            "helm-values" => {
                let top = &documents[0];
                let values = if has_option("key") { &top["a"]["b"] } else { &top["infra"] };
                check_values(values, &generated, Json::clone);
            }
            "dotenv" => {
                let document = OutputsDocument {
                    name: "infra".into(),
                    content: content.clone().into_bytes(),
                    format: (!content.is_empty()).then(|| "dotenv".to_owned()),
                    ..OutputsDocument::default()
                };
                if !content.is_empty() {
                    let again = Generated { document, outputs: Vec::new() };
                    let key = option("key", ParameterValue::Text("top".to_owned()));
                    let (values, found) = exported(&again, "helm-values", &[key]);
                    let values = values.unwrap_or_else(|| panic!("{content}\n{found}"));
                    let values: serde_yaml::Value = serde_yaml::from_str(&values).expect("YAML");
                    check_values(&values["top"], &generated, |value| json!(text(value)));
                }
            }
            "public" => {
                let read: Json = serde_json::from_str(&content).expect("JSON");
                for (name, value, sensitive) in &generated.outputs {
                    let output = &read[name];
                    prop_assert_eq!(output["sensitive"].as_bool(), Some(*sensitive));
                    if *sensitive {
                        prop_assert_eq!(&output["left_out"], &json!(true));
                    } else {
                        prop_assert_eq!(&output["value"], value);
                    }
                }
            }
            _ => {}
        }
    }
}
