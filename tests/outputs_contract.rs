//! Contracts that are written from outputs documents, and samples that are made from
//! contracts, satisfy each other.

#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "tests panic"
)]

use landfall::{
    Config, OutputsDocument, OutputsInputs, check_outputs, outputs_contract, sample_outputs,
};
use landfall_test_support::property;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use serde_json::{Map, Value, json};

/// A text that no contract may contain.
const SECRET: &str = "hunter2";

fn values() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        ".{0,8}".prop_map(Value::from),
        Just(Value::from(SECRET)),
    ];
    leaf.prop_recursive(2, 8, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            prop::collection::vec((".{0,4}", inner), 0..3)
                .prop_map(|entries| Value::Object(entries.into_iter().collect())),
        ]
    })
}

/// Names of outputs: any text, and words that YAML readers read differently.
fn names() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z_][a-z0-9_-]{0,8}",
        "\\PC{0,8}",
        any::<String>(),
        prop::sample::select(vec![
            "yes", "null", "1e3", "<<", "a: b", "# c", "? x", "- y", "\u{2028}", ""
        ])
        .prop_map(str::to_owned),
    ]
}

fn documents() -> impl Strategy<Value = OutputsDocument> {
    let output = (values(), any::<bool>());
    prop::collection::btree_map(names(), output, 0..6).prop_map(|outputs| {
        let outputs: Map<String, Value> = outputs
            .into_iter()
            .map(|(name, (value, sensitive))| {
                (name, json!({"value": value, "sensitive": sensitive}))
            })
            .collect();
        OutputsDocument {
            name: "infra".into(),
            content: serde_json::to_vec(&outputs).unwrap(),
            ..OutputsDocument::default()
        }
    })
}

/// The requirements of a contract on one output.
fn clauses() -> impl Strategy<Value = Map<String, Value>> {
    let types = ["string", "number", "integer", "bool", "list", "object"];
    let patterns = [
        "^vpc-",
        "[0-9a-f]{17}$",
        "^(a|b)+$",
        "^arn:aws:[a-z]+:.*$",
        "\\.example$",
        "^[^a]{3,}$",
        "x",
        "^[[:alpha:]]$",
    ];
    let list = json!([["a", "b"], [1, 2], [true], ["1", 7.5]]);
    let members = list.as_array().unwrap().clone();
    let keys = (
        prop::option::of(prop::sample::select(types.to_vec())),
        prop::option::weighted(0.3, prop::sample::select(patterns.to_vec())),
        prop::option::weighted(0.2, prop::sample::select(members)),
        prop::option::weighted(0.3, -5.0..5.0),
        prop::option::weighted(0.3, 5.0..9.0),
        prop::option::weighted(0.3, 0..30),
        prop::option::of(any::<bool>()),
        any::<bool>(),
    );
    keys.prop_map(
        |(kind, pattern, members, min, max, length, sensitive, required)| {
            let keys = [
                ("type", json!(kind)),
                ("pattern", json!(pattern)),
                ("enum", json!(members)),
                ("min", json!(min)),
                ("max", json!(max)),
                ("minLength", json!(length)),
                ("sensitive", json!(sensitive)),
                ("required", json!(required)),
            ]
            .into_iter()
            .filter(|(_, value)| !value.is_null());
            keys.map(|(key, value)| (key.to_owned(), value)).collect()
        },
    )
}

fn config(content: Vec<u8>) -> Config {
    Config {
        path: "contract.yaml".into(),
        content,
    }
}

/// Returns the messages about documents that are checked with a contract.
fn violations(documents: Vec<OutputsDocument>, contract: &Config) -> Vec<String> {
    let found = check_outputs(&OutputsInputs {
        documents,
        contract: Some(contract.clone()),
        ..OutputsInputs::default()
    });
    found.into_iter().map(|found| found.message).collect()
}

proptest! {
    #![proptest_config(property::cases(2_000))]

    #[test]
    fn outputs_satisfy_the_contract_that_is_written_from_them(document in documents()) {
        let inputs = OutputsInputs {
            documents: vec![document.clone()],
            ..OutputsInputs::default()
        };
        let contract = match outputs_contract(&inputs) {
            Ok(contract) => contract,
            Err(errors) => {
                let message = "a contract cannot have an output named `<<`";
                prop_assert_eq!(&errors[0].message, message);
                return Ok(());
            }
        };
        let text = String::from_utf8(contract.clone()).unwrap();
        prop_assert!(!text.contains(SECRET), "{text}");
        prop_assert_eq!(violations(vec![document], &config(contract)), Vec::<String>::new(), "{}", text);
    }

    #[test]
    fn any_pattern_is_matched_or_refused(pattern in "[a-c0-9()\\[\\]{}|*+?^$.,:\\\\dwé-]{0,16}", length in 0..40) {
        let contract = json!({
            "apiVersion": "landfall.dev/v1alpha1",
            "kind": "OutputsContract",
            "spec": {"infra": {"x": {"pattern": pattern, "minLength": length}}},
        });
        let contract = config(serde_json::to_vec(&contract).unwrap());
        match sample_outputs(&contract) {
            Ok(documents) => {
                prop_assert_eq!(violations(documents, &contract), Vec::<String>::new());
            }
            Err(errors) => prop_assert!(errors.has_errors()),
        }
    }

    #[test]
    fn any_text_is_a_contract_or_refused(text in ".{0,40}", spec in "[a-z:{}\\[\\], \n-]{0,40}") {
        let head = "apiVersion: landfall.dev/v1alpha1\nkind: OutputsContract\nspec: ";
        for text in [text, format!("{head}{spec}")] {
            let contract = config(text.into_bytes());
            let sampled = sample_outputs(&contract);
            prop_assert_eq!(sampled.is_ok(), violations(sampled.unwrap_or_default(), &contract).is_empty());
        }
    }

    #[test]
    fn samples_satisfy_their_contract(clauses in prop::collection::btree_map(names(), clauses(), 1..3)) {
        let contract = json!({
            "apiVersion": "landfall.dev/v1alpha1",
            "kind": "OutputsContract",
            "spec": {"infra": clauses},
        });
        let contract = config(serde_json::to_vec(&contract).unwrap());
        match sample_outputs(&contract) {
            Ok(documents) => {
                prop_assert_eq!(violations(documents, &contract), Vec::<String>::new());
            }
            Err(errors) => prop_assert!(errors.has_errors()),
        }
    }
}

#[test]
fn most_contracts_have_a_sample() {
    let mut runner = proptest::test_runner::TestRunner::new(property::cases(1));
    let mut samples = 0;
    for _ in 0..500 {
        let clause = clauses().new_tree(&mut runner).unwrap().current();
        let contract = json!({
            "apiVersion": "landfall.dev/v1alpha1",
            "kind": "OutputsContract",
            "spec": {"infra": {"x": clause}},
        });
        samples +=
            usize::from(sample_outputs(&config(serde_json::to_vec(&contract).unwrap())).is_ok());
    }
    assert!(samples > 150, "{samples} of 500");
}
