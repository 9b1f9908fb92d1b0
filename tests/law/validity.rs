//! Values that the API server refuses are errors, and those that it accepts are not: each
//! field is compared with the regular expressions and bounds of Kubernetes' own validation
//! (k8s.io/apimachinery v0.37.2, `pkg/util/validation/validation.go`; k8s.io/kubernetes v1.34.2,
//! `pkg/apis/core/validation/validation.go`), written as they are there.

use proptest::prelude::*;
use regex_lite::Regex;
use serde_json::{Value as Json, json};

use crate::choices::Choices;
use crate::generated::cases;
use crate::hostile;
use crate::render::{outputs, render, request};

const NAME: &str = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";
const LABEL: &str = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";

/// A field, and what the API server makes of a text in it.
struct Row {
    /// With `HERE` for the value, as a whole scalar or in one.
    manifest: &'static str,
    accepts: fn(&str) -> bool,
}

fn is_match(pattern: &str, text: &str) -> bool {
    Regex::new(&format!("^(?:{pattern})$"))
        .unwrap()
        .is_match(text)
}

fn is_label_value(text: &str) -> bool {
    text.len() <= 63 && is_match(&format!("({NAME})?"), text)
}

fn is_subdomain(text: &str) -> bool {
    text.len() <= 253 && is_match(&format!("{LABEL}(\\.{LABEL})*"), text)
}

fn is_qualified_name(text: &str) -> bool {
    let is_name = |name: &str| name.len() <= 63 && is_match(NAME, name);
    match text.split_once('/') {
        Some((prefix, name)) => is_subdomain(prefix) && is_name(name),
        None => is_name(text),
    }
}

fn is_data_key(text: &str) -> bool {
    text.len() <= 253 && is_match("[-._a-zA-Z0-9]+", text) && text != "." && !text.starts_with("..")
}

fn is_port_name(text: &str) -> bool {
    text.len() <= 15
        && is_match("[-a-z0-9]+", text)
        && text.bytes().any(|byte| byte.is_ascii_lowercase())
        && !text.contains("--")
        && !text.starts_with('-')
        && !text.ends_with('-')
}

const ROWS: &[Row] = &[
    Row {
        manifest: "apiVersion: example.com/v1\nkind: Widget\nmetadata:\n  labels:\n    a: HERE\n",
        accepts: is_label_value,
    },
    Row {
        manifest: "apiVersion: apps/v1\nkind: Deployment\nspec:\n  template:\n    metadata:\n      labels: {a: \"HERE\"}\n",
        accepts: is_label_value,
    },
    Row {
        manifest: "apiVersion: v1\nkind: Pod\nspec:\n  nodeSelector: {a: 'x.HERE'}\n",
        accepts: |text| is_label_value(&format!("x.{text}")),
    },
    Row {
        manifest: "apiVersion: v1\nkind: Service\nspec:\n  selector: {HERE: a}\n",
        accepts: is_qualified_name,
    },
    Row {
        manifest: "apiVersion: v1\nkind: Pod\nmetadata:\n  annotations:\n    \"HERE\": a\n",
        accepts: |text| is_qualified_name(&text.to_lowercase()),
    },
    Row {
        manifest: "apiVersion: v1\nkind: ConfigMap\ndata:\n  HERE: a\n",
        accepts: is_data_key,
    },
    Row {
        manifest: "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: HERE\n",
        accepts: is_subdomain,
    },
    Row {
        manifest: "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: \"a-HERE\"}\n",
        accepts: |text| is_subdomain(&format!("a-{text}")),
    },
    Row {
        manifest: "apiVersion: v1\nkind: Service\nmetadata:\n  name: HERE\n",
        accepts: |text| text.len() <= 63 && is_match("[a-z]([-a-z0-9]*[a-z0-9])?", text),
    },
    Row {
        manifest: "apiVersion: v1\nkind: Pod\nmetadata:\n  namespace: HERE\n",
        accepts: |text| text.len() <= 63 && is_match(LABEL, text),
    },
    Row {
        manifest: "apiVersion: rbac.authorization.k8s.io/v1\nkind: Role\nmetadata:\n  name: HERE\n",
        accepts: |text| !matches!(text, "." | "..") && !text.contains(['/', '%']),
    },
    Row {
        manifest: "apiVersion: v1\nkind: Pod\nspec:\n  containers:\n  - name: HERE\n",
        accepts: |text| text.len() <= 63 && is_match(LABEL, text),
    },
    Row {
        manifest: "apiVersion: v1\nkind: Pod\nspec:\n  containers:\n  - ports: [{containerPort: 80, name: \"HERE\"}]\n",
        accepts: is_port_name,
    },
    Row {
        manifest: "apiVersion: v1\nkind: Pod\nspec:\n  containers:\n  - env: [{name: \"HERE\", value: a}]\n",
        accepts: |text| is_match("[ -<>-~]+", text),
    },
];

/// Near values that some field accepts.
const SEEDS: &[&str] = &[
    "a",
    "web-1",
    "example.com",
    "example.com/name",
    "arn:aws:iam::012345678901:role/web",
    "Web_1.A",
    "system:reader",
    "..",
    "1.2.3.4",
    "A=B",
    "abcdefghijklmnopqrstuvwxyz0123456789-abcdefghijklmnopqrstuvwxyz",
];

fn text(choices: &mut Choices<'_>) -> String {
    let Json::String(text) = hostile::any(choices) else {
        return choices.pick(SEEDS).to_owned();
    };
    if choices.one_in(4) {
        return text;
    }
    let mut seed = choices.pick(SEEDS).to_owned();
    for _ in 0..choices.below(3) {
        let at = choices.below(seed.len() + 1);
        let odd = choices.pick(&[
            "-", ".", "/", "_", "A", "1", ":", "%", "=", "--", " ", "\u{e9}",
        ]);
        if seed.is_char_boundary(at) {
            seed.insert_str(at, odd);
        }
    }
    seed
}

/// Returns whether a render refuses a text in a field.
fn is_refused(row: &Row, text: &str) -> Option<bool> {
    let manifest = row.manifest.replace("HERE", "${infra.v}");
    let value = json!(text);
    let request = request(outputs([("v".to_owned(), &value)]));
    match render(manifest.as_bytes(), &request) {
        Ok(_) => Some(false),
        Err(diagnostics) => {
            let mut rules = diagnostics.iter().map(|found| found.rule.id());
            // Whatever else is wrong is no question here.
            rules.any(|rule| rule == "refused-value").then_some(true)
        }
    }
}

proptest! {
    #![proptest_config(cases(4_000))]

    #[test]
    fn a_value_is_refused_if_the_api_server_refuses_it(
        numbers in prop::collection::vec(any::<u16>(), 0..30)
    ) {
        let choices = &mut Choices::new(&numbers);
        let row = &ROWS[choices.below(ROWS.len())];
        let text = text(choices);
        if let Some(is_refused) = is_refused(row, &text)
    && !text.is_empty()
{
            prop_assert_eq!(is_refused, !(row.accepts)(&text), "{:?} in {}", text, row.manifest);
        }
    }
}

#[test]
fn each_field_accepts_some_seed_and_refuses_another() {
    for row in ROWS {
        let refused = SEEDS
            .iter()
            .filter(|seed| is_refused(row, seed) == Some(true));
        let count = refused.count();
        assert!(
            count > 0 && count < SEEDS.len(),
            "{count}: {}",
            row.manifest
        );
    }
}

/// What the API server reads of `IntOrString` is what is written: a number in quotes is a text.
#[test]
fn a_number_or_text_is_judged_as_it_is_written() {
    struct Field {
        manifest: &'static str,
        joined: &'static [&'static str],
        accepts: fn(&Json) -> bool,
    }
    let fields = [
        Field {
            manifest: "apiVersion: v1\nkind: Service\nspec:\n  ports:\n  - targetPort: HERE\n",
            joined: &["h${infra.v}", "\"h${infra.v}\""],
            accepts: |value| match value {
                Json::Number(number) => number.as_i64().is_some_and(|it| (1..65_536).contains(&it)),
                text => is_port_name(text.as_str().unwrap()),
            },
        },
        Field {
            manifest: "apiVersion: apps/v1\nkind: Deployment\nspec:\n  strategy: {rollingUpdate: {maxSurge: HERE}}\n",
            joined: &["${infra.v}%", "'${infra.v}%'"],
            accepts: |value| match value {
                Json::Number(number) => number.as_i64().is_some_and(|it| it >= 0),
                text => is_match("[0-9]+%", text.as_str().unwrap()),
            },
        },
    ];
    let values = [
        80.into(),
        0.5.into(),
        0.into(),
        "80".into(),
        "80%".into(),
        "http".into(),
    ];
    let whole = ["${infra.v}", "\"${infra.v}\"", "'${infra.v}'"];
    for Field {
        manifest,
        joined,
        accepts,
    } in fields
    {
        for (value, form) in values.iter().flat_map(|value: &Json| {
            let forms = whole.iter().chain(joined);
            forms.map(move |form| (value, *form))
        }) {
            let text = value
                .as_str()
                .map_or_else(|| value.to_string(), str::to_owned);
            // A whole value without quotes keeps its type.
            let written = match form {
                "${infra.v}" => value.clone(),
                _ => serde_yaml::from_str(&form.replace("${infra.v}", &text)).unwrap(),
            };
            let request = request(outputs([("v".to_owned(), value)]));
            let found = render(manifest.replace("HERE", form).as_bytes(), &request).map(|_| ());
            assert_eq!(
                found.is_ok(),
                accepts(&written),
                "{form} {value} {manifest} {found:?}"
            );
        }
    }
}

/// What a schema of a custom resource says about `spec.v`, with values that it accepts and that
/// it refuses.
const SCHEMAS: &[(&str, &[&str], &[&str])] = &[
    (
        "type: string, enum: [small, large]",
        &["\"small\""],
        &["\"Small\"", "\"\\u00e9\""],
    ),
    ("type: integer, enum: [1, 5]", &["5"], &["2"]),
    (
        "type: string, pattern: \"^[a-z]+-[0-9]{2}$\"",
        &["\"ab-12\""],
        &["\"ab-123\"", "\"AB-12\""],
    ),
    ("type: string, pattern: a", &["\"bab\""], &["\"b\""]),
    (
        "type: string, minLength: 2, maxLength: 3",
        &["\"ab\"", "\"\\u00e9\\u00e9\\u00e9\""],
        &["\"a\"", "\"abcd\""],
    ),
    (
        "type: integer, minimum: 0, maximum: 10",
        &["0", "10", "\"7\""],
        &["-1", "11", "\"12\""],
    ),
    (
        "type: integer, minimum: 0, exclusiveMinimum: true",
        &["1"],
        &["0"],
    ),
    (
        "type: integer, maximum: 3, exclusiveMaximum: true",
        &["2"],
        &["3"],
    ),
    (
        "type: integer, format: int32",
        &["2147483647"],
        &["2147483648"],
    ),
    ("type: number, minimum: 1", &["1.5"], &["0"]),
    ("type: string, format: byte", &["\"YQ==\""], &["\"YQ=\""]),
    (
        "type: string, format: ipv4",
        &["\"10.0.0.1\""],
        &["\"10.0.0\"", "\"::1\""],
    ),
    (
        "type: string, format: ipv6",
        &["\"::1\""],
        &["\"10.0.0.1\""],
    ),
    (
        "type: string, format: cidr",
        &["\"10.0.0.0/8\""],
        &["\"10.0.0.0\""],
    ),
    // The API server does not know it.
    ("type: string, format: arn", &["\"a\""], &[]),
    (
        "type: array, minItems: 1, maxItems: 2, items: {type: string}",
        &["[\"a\"]"],
        &["[\"a\", \"b\", \"c\"]"],
    ),
    (
        "type: array, items: {type: string, maxLength: 1}",
        &["[\"a\"]"],
        &["[\"a\", \"bc\"]"],
    ),
    (
        "type: object, maxProperties: 1, additionalProperties: {type: string}",
        &["{\"a\": \"b\"}"],
        &["{\"a\": \"b\", \"c\": \"d\"}"],
    ),
    (
        "type: object, additionalProperties: {type: integer, maximum: 1}",
        &["{\"a\": 1}"],
        &["{\"a\": 2}"],
    ),
    (
        "type: object, properties: {a: {type: string, enum: [x]}}",
        &["{\"a\": \"x\"}"],
        &["{\"a\": \"y\"}"],
    ),
];

#[test]
fn a_value_obeys_the_schema_of_a_custom_resource() {
    for (schema, accepted, refused) in SCHEMAS {
        let manifest = format!(
            "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {{name: widgets.example.com}}\nspec:\n  group: example.com\n  names: {{kind: Widget}}\n  versions:\n  - name: v1\n    schema:\n      openAPIV3Schema: {{type: object, properties: {{spec: {{type: object, properties: {{v: {{{schema}}}}}}}}}}}\n---\napiVersion: example.com/v1\nkind: Widget\nmetadata: {{name: a}}\nspec:\n  v: ${{infra.v}}\n"
        );
        let check = |value: &str, expected: &[&str]| {
            let value: Json = serde_json::from_str(value).unwrap();
            let request = request(outputs([("v".to_owned(), &value)]));
            let rules: Vec<&str> = match render(manifest.as_bytes(), &request) {
                Ok(_) => Vec::new(),
                Err(found) => found.iter().map(|found| found.rule.id()).collect(),
            };
            assert_eq!(rules, expected, "{schema}: {value}");
        };
        accepted.iter().for_each(|value| check(value, &[]));
        refused
            .iter()
            .for_each(|value| check(value, &["refused-value"]));
    }
}
