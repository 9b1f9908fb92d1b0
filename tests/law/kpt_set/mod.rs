//! The dialect `kpt-set`: setter comments of kpt. Its peer is a model of the rules of
//! `apply-setters` ([`model`]).

mod cases;
mod model;
mod property;

pub(crate) use property::generated;

use landfall::{Config, Configuration, Request};
use serde_json::Value as Json;

use crate::render::{outputs, request};

/// Returns a Binding for manifests in the dialect.
fn binding() -> Config {
    Config {
        path: "landfall.yaml".into(),
        content: b"apiVersion: landfall.dev/v1alpha1\nkind: Binding\nspec: {dialect: kpt-set}\n"
            .into(),
    }
}

/// Returns a request with these outputs.
fn with_outputs(values: &Json) -> Request {
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
