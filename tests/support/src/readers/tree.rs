//! A YAML document as an independent parser reads it.

use serde::Deserialize as _;
use serde_json::{Value as Json, json};

/// A node, its type resolved by YAML 1.2's core schema.
#[derive(Clone, PartialEq)]
pub enum Tree {
    /// `null`
    Null,
    /// True or false.
    Bool(bool),
    /// An integer.
    Int(i128),
    /// A float as its bits, so that a NaN equals itself.
    Float(u64),
    /// A string.
    Text(String),
    /// A list.
    List(Vec<Tree>),
    /// A mapping, in document order.
    Map(Vec<(Tree, Tree)>),
    /// A node with a tag that isn't one of YAML's own.
    Tagged(String, Box<Tree>),
}

/// Parses the documents of a stream.
///
/// # Errors
/// The parser's message for a stream that it does not read.
pub fn read(text: &str) -> Result<Vec<Tree>, String> {
    // libyaml counts a byte order mark as a column.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut trees = Vec::new();
    for document in serde_yaml::Deserializer::from_str(text) {
        // A stream that failed once keeps failing: the first error ends it.
        let value = serde_yaml::Value::deserialize(document).map_err(|error| error.to_string())?;
        trees.push(Tree::from(value));
    }
    Ok(trees)
}

impl From<serde_yaml::Value> for Tree {
    fn from(value: serde_yaml::Value) -> Self {
        use serde_yaml::Value;
        match value {
            Value::Null => Self::Null,
            Value::Bool(value) => Self::Bool(value),
            Value::Number(number) => match (number.as_i64(), number.as_u64()) {
                (Some(int), _) => Self::Int(int.into()),
                (None, Some(int)) => Self::Int(int.into()),
                (None, None) => Self::Float(number.as_f64().unwrap().to_bits()),
            },
            Value::String(text) => Self::Text(text),
            Value::Sequence(items) => Self::List(items.into_iter().map(Self::from).collect()),
            Value::Mapping(entries) => Self::Map(
                entries
                    .into_iter()
                    .map(|(key, value)| (Self::from(key), Self::from(value)))
                    .collect(),
            ),
            Value::Tagged(tagged) => {
                Self::Tagged(tagged.tag.to_string(), Box::new(Self::from(tagged.value)))
            }
        }
    }
}

/// The YAML node for an output's value. Numbers must be exact in i64, u64 or f64.
impl From<&Json> for Tree {
    fn from(value: &Json) -> Self {
        match value {
            Json::Null => Self::Null,
            Json::Bool(value) => Self::Bool(*value),
            Json::Number(number) => number_tree(&number.to_string()),
            Json::String(text) => Self::Text(text.clone()),
            Json::Array(items) => Self::List(items.iter().map(Self::from).collect()),
            Json::Object(entries) => Self::Map(
                entries
                    .iter()
                    .map(|(key, value)| (Self::Text(key.clone()), Self::from(value)))
                    .collect(),
            ),
        }
    }
}

/// Returns the number that these JSON digits represent.
pub fn number_tree(digits: &str) -> Tree {
    match digits.parse::<i128>() {
        Ok(int) => Tree::Int(int),
        Err(_) => Tree::Float(digits.parse::<f64>().unwrap().to_bits()),
    }
}

impl Tree {
    /// Calls `each` on every scalar text, keys too.
    pub fn texts(&self, each: &mut impl FnMut(&str)) {
        match self {
            Self::Text(text) => each(text),
            Self::List(items) => items.iter().for_each(|item| item.texts(each)),
            Self::Map(entries) => {
                for (key, value) in entries {
                    key.texts(each);
                    value.texts(each);
                }
            }
            Self::Tagged(_, inner) => inner.texts(each),
            _ => {}
        }
    }

    /// Calls `each` on every key that is a string.
    pub fn keys(&self, each: &mut impl FnMut(&str)) {
        match self {
            Self::List(items) => items.iter().for_each(|item| item.keys(each)),
            Self::Map(entries) => {
                for (key, value) in entries {
                    match key {
                        Self::Text(text) => each(text),
                        Self::Tagged(_, inner) => inner.texts(each),
                        _ => key.keys(each),
                    }
                    value.keys(each);
                }
            }
            Self::Tagged(_, inner) => inner.keys(each),
            _ => {}
        }
    }

    /// Returns the tree with `each` applied to every text.
    pub fn map_texts(&self, each: &mut impl FnMut(&str) -> Self) -> Self {
        match self {
            Self::Text(text) => each(text),
            Self::List(items) => {
                Self::List(items.iter().map(|item| item.map_texts(each)).collect())
            }
            Self::Map(entries) => Self::Map(
                entries
                    .iter()
                    .map(|(key, value)| (key.map_texts(each), value.map_texts(each)))
                    .collect(),
            ),
            Self::Tagged(tag, inner) => Self::Tagged(tag.clone(), Box::new(inner.map_texts(each))),
            other => other.clone(),
        }
    }

    /// Returns the tree as JSON represents it: without tags, and without key order.
    pub fn as_in_json(&self) -> Self {
        match self {
            Self::List(items) => Self::List(items.iter().map(Self::as_in_json).collect()),
            Self::Map(entries) => {
                let mut entries: Vec<_> = entries
                    .iter()
                    .map(|(key, value)| (key.as_in_json(), value.as_in_json()))
                    .collect();
                entries.sort_by_key(|(key, _)| format!("{key:?}"));
                Self::Map(entries)
            }
            Self::Tagged(_, inner) => inner.as_in_json(),
            other => other.clone(),
        }
    }

    /// Whether some mapping has duplicate keys; `same` compares keys.
    pub fn has_duplicate_keys(&self, same: fn(&Self, &Self) -> bool) -> bool {
        let inside = |tree: &Self| tree.has_duplicate_keys(same);
        match self {
            Self::List(items) => items.iter().any(inside),
            Self::Map(entries) => entries.iter().enumerate().any(|(nth, (key, value))| {
                entries[..nth].iter().any(|(earlier, _)| same(earlier, key))
                    || inside(key)
                    || inside(value)
            }),
            Self::Tagged(_, inner) => inner.has_duplicate_keys(same),
            _ => false,
        }
    }

    /// Whether two keys are the same to a reader that converts them to strings, as every
    /// JSON reader does.
    pub fn same_in_json(&self, other: &Self) -> bool {
        let text = |key: &Self| match key {
            Self::Text(text) => Some(text.clone()),
            Self::Bool(value) => Some(value.to_string()),
            Self::Int(value) => Some(value.to_string()),
            _ => None,
        };
        self == other || text(self).is_some_and(|own| text(other) == Some(own))
    }

    /// Returns the form in which the reader programs get the expected tree: every node is
    /// an object with one member that names its type.
    pub fn to_json(&self) -> Json {
        match self {
            Self::Null => json!({"null": true}),
            Self::Bool(value) => json!({"bool": value}),
            Self::Int(value) => json!({"int": value.to_string()}),
            Self::Float(bits) => json!({"float": f64::from_bits(*bits)}),
            Self::Text(text) => json!({"text": text}),
            Self::List(items) => {
                json!({"list": items.iter().map(Self::to_json).collect::<Vec<_>>()})
            }
            Self::Map(entries) => {
                json!({"map": entries.iter().map(|(key, value)| json!([key.to_json(), value.to_json()])).collect::<Vec<_>>()})
            }
            Self::Tagged(tag, inner) => json!({"tagged": [tag, inner.to_json()]}),
        }
    }
}

/// Long texts are truncated, so that a failure stays readable.
impl std::fmt::Debug for Tree {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Null => f.write_str("null"),
            Self::Bool(value) => write!(f, "{value}"),
            Self::Int(value) => write!(f, "{value}"),
            Self::Float(bits) => write!(f, "{:?}", f64::from_bits(*bits)),
            Self::Text(text) if text.len() > 400 => {
                let head: String = text.chars().take(200).collect();
                write!(f, "{head:?}…({} bytes)", text.len())
            }
            Self::Text(text) => write!(f, "{text:?}"),
            Self::List(items) => f.debug_list().entries(items).finish(),
            Self::Map(entries) => f
                .debug_map()
                .entries(entries.iter().map(|(key, value)| (key, value)))
                .finish(),
            Self::Tagged(tag, inner) => write!(f, "{tag} {inner:?}"),
        }
    }
}
