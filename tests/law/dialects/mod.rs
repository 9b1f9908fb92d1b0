//! The law in another dialect: `spec.dialect: toy`, whose references are `<<output>>`. It
//! has an opener of two other bytes, names no binding, has references as arguments, and
//! its own setter comments (`src/reference/dialects/toy.rs`).

mod cases;
mod fixes;
mod flux;
mod property;

use landfall::{Config, Configuration, Request};
use serde_json::{Value as Json, json};

use crate::render::{outputs, request};

/// Returns a Binding for manifests in the dialect.
pub(crate) fn binding() -> Config {
    Config {
        path: "landfall.yaml".into(),
        content: b"apiVersion: landfall.dev/v1alpha1\nkind: Binding\nspec: {dialect: toy}\n".into(),
    }
}

/// Returns the outputs of the cases.
fn values() -> Json {
    json!({
        "vpc_id": "vpc-0ab1", "n": 3, "list": ["a", "b"], "separator": "+", "empty": "",
        "object": {"team": "web", "other.key": "x"},
    })
}

/// Returns a request with those outputs, bound to `infra`.
fn in_toy() -> Request {
    let values = values();
    let named = values.as_object().unwrap().iter();
    Request {
        application: Configuration {
            binding: Some(binding()),
            ..Configuration::default()
        }
        .into(),
        ..request(outputs(named.map(|(name, value)| (name.clone(), value))))
    }
}
