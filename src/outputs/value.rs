//! The typed model's values. No `Debug` or `Display` form shows their content: any of them
//! may be sensitive.

use yaml::{Data, DataType, Shape, Span};

/// A value of an outputs document, with the exact digits of its numbers and the
/// order of its keys.
#[derive(Clone, PartialEq, Eq)]
pub(crate) enum Value {
    Null,
    Bool(bool),
    /// The digits as the document writes them: `012` never occurs, `1e-07` may.
    Number(String),
    String(String),
    List(Vec<Value>),
    Object(Vec<(Key, Value)>),
}

/// A key of an object, with its location in the document.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Key {
    pub(crate) name: String,
    pub(crate) span: Span,
}

/// The type of a value, as Terraform names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Type {
    Null,
    Bool,
    Number,
    String,
    List,
    Object,
}

impl Type {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool => "bool",
            Self::Number => "number",
            Self::String => "string",
            Self::List => "list",
            Self::Object => "object",
        }
    }

    /// Returns the type's name with its article.
    pub(crate) const fn described(self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool => "a bool",
            Self::Number => "a number",
            Self::String => "a string",
            Self::List => "a list",
            Self::Object => "an object",
        }
    }
}

impl From<DataType> for Type {
    fn from(data_type: DataType) -> Self {
        match data_type {
            DataType::Null => Self::Null,
            DataType::Bool => Self::Bool,
            DataType::Number => Self::Number,
            DataType::String => Self::String,
            DataType::List => Self::List,
            DataType::Map => Self::Object,
        }
    }
}

impl Value {
    /// Returns whether it is a list or an object without members.
    pub(crate) fn is_empty_collection(&self) -> bool {
        match self {
            Self::List(items) => items.is_empty(),
            Self::Object(entries) => entries.is_empty(),
            _ => false,
        }
    }

    pub(crate) const fn value_type(&self) -> Type {
        match self {
            Self::Null => Type::Null,
            Self::Bool(_) => Type::Bool,
            Self::Number(_) => Type::Number,
            Self::String(_) => Type::String,
            Self::List(_) => Type::List,
            Self::Object(_) => Type::Object,
        }
    }

    /// Returns the keys of an object or the indices of a list, each with the type of its
    /// value; the third element is true for indices.
    pub(crate) fn members(&self) -> Vec<(String, Type, bool)> {
        match self {
            Self::Object(entries) => entries
                .iter()
                .map(|(key, value)| (key.name.clone(), value.value_type(), false))
                .collect(),
            Self::List(items) => items
                .iter()
                .enumerate()
                .map(|(index, value)| (index.to_string(), value.value_type(), true))
                .collect(),
            _ => Vec::new(),
        }
    }

    /// Returns whether these marks of a plan mark any part of a value: true marks all of it,
    /// a list or an object has marks for its parts. Anything else that isn't false is a mark
    /// too.
    pub(crate) fn has_mark(&self) -> bool {
        match self {
            Self::Bool(mark) => *mark,
            Self::List(marks) => marks.iter().any(Self::has_mark),
            Self::Object(marks) => marks.iter().any(|(_, mark)| mark.has_mark()),
            Self::Null | Self::Number(_) | Self::String(_) => true,
        }
    }

    /// Returns whether the value is null or an empty string: what `default` replaces.
    pub(crate) fn is_empty(&self) -> bool {
        match self {
            Self::Null => true,
            Self::String(text) => text.is_empty(),
            _ => false,
        }
    }

    /// Returns the value of a key, if this is an object.
    pub(crate) fn entry(&self, key: &str) -> Option<&Self> {
        let Self::Object(entries) = self else {
            return None;
        };
        let entry = entries.iter().find(|(name, _)| name.name == key);
        entry.map(|(_, value)| value)
    }

    /// Returns the value as part of a longer string; `None` for null, lists and objects.
    pub(crate) fn text(&self) -> Option<&str> {
        match self {
            Self::String(text) | Self::Number(text) => Some(text),
            Self::Bool(true) => Some("true"),
            Self::Bool(false) => Some("false"),
            Self::Null | Self::List(_) | Self::Object(_) => None,
        }
    }

    /// Returns the value as compact JSON, with keys in the order of the document.
    pub(crate) fn to_json(&self) -> String {
        let mut json = String::new();
        self.write_json(&mut json);
        json
    }

    fn write_json(&self, json: &mut String) {
        match self {
            Self::Null => json.push_str("null"),
            Self::Bool(value) => json.push_str(if *value { "true" } else { "false" }),
            Self::Number(digits) => json.push_str(digits),
            Self::String(text) => push_json_string(text, json),
            Self::List(items) => {
                json.push('[');
                for (index, item) in items.iter().enumerate() {
                    if index > 0 {
                        json.push(',');
                    }
                    item.write_json(json);
                }
                json.push(']');
            }
            Self::Object(entries) => {
                json.push('{');
                for (index, (key, value)) in entries.iter().enumerate() {
                    if index > 0 {
                        json.push(',');
                    }
                    push_json_string(&key.name, json);
                    json.push(':');
                    value.write_json(json);
                }
                json.push('}');
            }
        }
    }
}

/// Appends a string as JSON writes it.
pub(super) fn push_json_string(text: &str, json: &mut String) {
    // Serializing a &str cannot fail; the fallback keeps this total.
    json.push_str(&serde_json::to_string(text).unwrap_or_default());
}

impl Data for Value {
    fn shape(&self) -> Shape<'_, Self> {
        match self {
            Self::Null => Shape::Null,
            Self::Bool(value) => Shape::Bool(*value),
            Self::Number(digits) => Shape::Number(digits),
            Self::String(text) => Shape::String(text),
            Self::List(items) => Shape::List(items),
            Self::Object(_) => Shape::Map,
        }
    }

    fn entries(&self) -> impl ExactSizeIterator<Item = (&str, &Self)> {
        let entries: &[(Key, Self)] = match self {
            Self::Object(entries) => entries,
            _ => &[],
        };
        entries
            .iter()
            .map(|(key, value)| (key.name.as_str(), value))
    }
}

impl std::fmt::Debug for Value {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Value({})", self.value_type().name())
    }
}

impl std::fmt::Debug for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Key({:?})", self.span)
    }
}
