//! The property of each generated case, which the fuzz target `replacements` checks too.

use landfall::{
    Config, Configuration, Content, File, OutputsDocument, Request, Rule, Severity, Sources, splice,
};
use serde::Deserialize as _;
use serde_json::{Value as Json, json};

use super::case::Case;
use super::model::{EMBEDDED, NoResult, embedded, expected};
use crate::choices::Choices;

/// The outcome of a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outcome {
    /// The documents become what the model says.
    Changed,
    /// Both refuse the targets.
    Refused,
    /// The model does not specify it.
    Open,
}

/// The rules that may refuse a target.
const REFUSALS: &[Rule] = &[
    Rule::TargetNotFound,
    Rule::TypeMismatch,
    Rule::FieldTypeMismatch,
    Rule::ConflictingSubstitutions,
    Rule::DocumentIsNotYaml,
    Rule::RefusedValue,
    Rule::UnknownField,
    Rule::MisreadValue,
];

/// The rules that the model does not know: those of the API server, and that no part of a
/// document is written as text.
const UNKNOWN: &[Rule] = &[Rule::RefusedValue, Rule::UnknownField, Rule::MisreadValue];

/// Checks that the documents become what the model says, or are refused as it says.
pub fn does_as_the_model_does(choices: &mut Choices<'_>) -> Outcome {
    let case = Case::generate(choices);
    let manifest = case.manifest();
    let targets: Vec<Json> = case
        .targets
        .iter()
        .map(super::case::Target::written)
        .collect();
    let reported = |what: &str| {
        let targets: Vec<String> = targets.iter().map(Json::to_string).collect();
        let targets = targets.join("\n");
        format!(
            "{what}\nwith {:?} at\n{targets}\nof\n{manifest}",
            case.value
        )
    };
    let rendered = rendered(&case, &manifest, &targets);
    if let Err(found) = &rendered {
        let unexpected = found.iter().find(|(rule, _)| !REFUSALS.contains(rule));
        assert!(
            unexpected.is_none(),
            "{}",
            reported(&format!("{unexpected:?}"))
        );
    }
    match (expected(&case), rendered) {
        (Err(NoResult::Open), _) => Outcome::Open,
        (Err(NoResult::Refused | NoResult::Absent), Err(_)) => Outcome::Refused,
        (Err(NoResult::Refused | NoResult::Absent), Ok(output)) => {
            panic!("{}", reported(&format!("not refused:\n{output}")))
        }
        (Ok(_), Err(found)) if found.iter().all(|(rule, _)| UNKNOWN.contains(rule)) => {
            Outcome::Open
        }
        (Ok(_), Err(found)) => panic!("{}", reported(&format!("refused: {found:?}"))),
        (Ok(expected), Ok(output)) => {
            let found: Vec<Json> = serde_yaml::Deserializer::from_str(&output)
                .map(|document| Json::deserialize(document).expect("a document"))
                .collect();
            let is_same = expected.len() == found.len()
                && expected
                    .iter()
                    .zip(&found)
                    .all(|(one, other)| is_same(one, other));
            if !is_same {
                let expected: Vec<String> = expected.iter().map(Json::to_string).collect();
                let expected = expected.join("\n");
                panic!(
                    "{}",
                    reported(&format!("expected\n{expected}\nfound\n{output}"))
                );
            }
            Outcome::Changed
        }
    }
}

fn is_same(expected: &Json, found: &Json) -> bool {
    match (expected, found) {
        (Json::Object(one), Json::String(text)) if one.contains_key(EMBEDDED) => {
            embedded(text).is_some_and(|found| is_same(&one[EMBEDDED], &found))
        }
        (Json::Object(one), Json::Object(other)) => {
            one.len() == other.len()
                && one.iter().all(|(key, value)| {
                    let found = other.get(key);
                    found.is_some_and(|found| is_same(value, found))
                })
        }
        (Json::Array(one), Json::Array(other)) => {
            one.len() == other.len()
                && one
                    .iter()
                    .zip(other)
                    .all(|(one, other)| is_same(one, other))
        }
        _ => expected == found,
    }
}

/// Returns the output, or the errors that refuse it.
fn rendered(case: &Case, manifest: &str, targets: &[Json]) -> Result<String, Vec<(Rule, String)>> {
    let binding = json!({
        "apiVersion": "landfall.dev/v1alpha1",
        "kind": "Binding",
        "spec": {"substitutions": [{"value": "${infra.x}", "targets": targets}]},
    });
    let outputs = json!({"x": {"sensitive": false, "type": "string", "value": case.value}});
    let request = Request {
        outputs: vec![OutputsDocument {
            name: "infra".to_owned(),
            path: "infra.json".to_owned(),
            content: outputs.to_string().into_bytes(),
            ..OutputsDocument::default()
        }],
        application: Configuration {
            binding: Some(Config {
                path: "landfall.yaml".to_owned(),
                content: binding.to_string().into_bytes(),
            }),
            ..Configuration::default()
        }
        .into(),
        ..Request::default()
    };
    let sources = Sources::new(vec![File {
        path: "manifest.yaml".to_owned(),
        content: manifest.as_bytes().to_vec(),
    }]);
    let answer = sources.generate(&request).map_err(|found| {
        let errors = found
            .iter()
            .filter(|found| found.severity == Severity::Error);
        errors
            .map(|error| (error.rule, error.message.clone()))
            .collect::<Vec<_>>()
    })?;
    Ok(match answer.sources.first() {
        Some(Content::Edited(edits)) => {
            let output = splice(manifest.as_bytes(), edits).expect("edits in order");
            String::from_utf8(output).expect("UTF-8")
        }
        _ => manifest.to_owned(),
    })
}
