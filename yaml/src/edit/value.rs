//! A value for callers that have no type of their own.

use super::{Data, Shape};

/// An owned value.
///
/// # Examples
/// ```
/// use landfall_yaml::{Value, flow};
///
/// let ports = Value::Map(vec![("ports".to_owned(), vec![80, 443].into())]);
/// assert_eq!(flow(&ports, Default::default()), "{ports: [80, 443]}");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// `null`
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// The digits of a number, as JSON writes them.
    Number(String),
    /// A string, before any quoting.
    String(String),
    /// The items of a list.
    List(Vec<Self>),
    /// The entries of a map in their order; their keys differ.
    Map(Vec<(String, Self)>),
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

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::String(text.to_owned())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::String(text)
    }
}

impl From<bool> for Value {
    fn from(value: bool) -> Self {
        Self::Bool(value)
    }
}

impl From<i32> for Value {
    fn from(number: i32) -> Self {
        Self::Number(number.to_string())
    }
}

impl From<i64> for Value {
    fn from(number: i64) -> Self {
        Self::Number(number.to_string())
    }
}

impl<V: Into<Self>> From<Vec<V>> for Value {
    fn from(items: Vec<V>) -> Self {
        Self::List(items.into_iter().map(Into::into).collect())
    }
}

#[cfg(feature = "serde_json")]
impl From<&serde_json::Value> for Value {
    fn from(json: &serde_json::Value) -> Self {
        match json {
            serde_json::Value::Null => Self::Null,
            serde_json::Value::Bool(value) => Self::Bool(*value),
            serde_json::Value::Number(number) => Self::Number(number.to_string()),
            serde_json::Value::String(text) => Self::String(text.clone()),
            serde_json::Value::Array(items) => Self::List(items.iter().map(Self::from).collect()),
            serde_json::Value::Object(entries) => {
                let entry = |(name, json): (&String, _)| (name.clone(), Self::from(json));
                Self::Map(entries.iter().map(entry).collect())
            }
        }
    }
}
