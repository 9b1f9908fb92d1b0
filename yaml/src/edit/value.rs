//! Data for tests.

use super::{Data, Shape};

#[derive(Debug)]
pub(super) enum Value {
    Null,
    Bool(bool),
    Number(String),
    String(String),
    List(Vec<Self>),
    Map(Vec<(String, Self)>),
}

/// Returns JSON as data.
pub(super) fn value(json: &serde_json::Value) -> Value {
    match json {
        serde_json::Value::Null => Value::Null,
        serde_json::Value::Bool(value) => Value::Bool(*value),
        serde_json::Value::Number(number) => Value::Number(number.to_string()),
        serde_json::Value::String(text) => Value::String(text.clone()),
        serde_json::Value::Array(items) => Value::List(items.iter().map(value).collect()),
        serde_json::Value::Object(entries) => {
            let entry = |(name, json): (&String, _)| (name.clone(), value(json));
            Value::Map(entries.iter().map(entry).collect())
        }
    }
}

impl Data for Value {
    fn shape(&self) -> Shape<'_, Self> {
        match self {
            Self::Null => Shape::Null,
            Self::Bool(value) => Shape::Bool(*value),
            Self::Number(digits) => Shape::Number(digits),
            Self::String(text) => Shape::String(text),
            Self::List(items) => Shape::List(items),
            Self::Map(_) => Shape::Map,
        }
    }

    fn entries(&self) -> impl ExactSizeIterator<Item = (&str, &Self)> {
        let entries: &[(String, Self)] = match self {
            Self::Map(entries) => entries,
            _ => &[],
        };
        entries.iter().map(|(name, value)| (name.as_str(), value))
    }
}
