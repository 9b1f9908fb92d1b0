//! The parameters of one Application, and how generators combine them.

use crate::collections::OrderedMap;
use crate::contract::expand::document::{Content, Node};
use crate::kubernetes::plain_scalar::{json_float, printed_float};

/// The parameters that one item of a generator has. In plain templates every key is a whole
/// name, such as `metadata.labels.env`, and every value a string.
pub(super) type Parameters = OrderedMap<String, Parameter>;

/// A value of Go templates.
#[derive(Clone, PartialEq)]
pub(super) enum Parameter {
    Null,
    Bool(bool),
    /// The digits as JSON writes them; to Go it is a float.
    Number(String),
    String(String),
    List(Vec<Parameter>),
    Object(Object),
}

/// An object among the parameters.
#[derive(Clone, PartialEq, Default)]
pub(super) struct Object {
    pub(super) entries: Parameters,
    /// Whether it is a map of strings in Argo CD: labels, annotations, and `values`. A
    /// missing key of it is an empty string to `index`, and nothing else fits into it.
    pub(super) only_strings: bool,
}

/// Two values that Argo CD cannot merge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Unmergeable {
    /// The path of the object whose values are strings: `values`.
    pub(super) path: String,
}

impl Parameter {
    pub(super) fn of(node: &Node) -> Self {
        match &node.content {
            Content::Null => Self::Null,
            Content::Bool(value) => Self::Bool(*value),
            Content::Number(digits) => Self::Number(digits.clone()),
            Content::String(text) => Self::String(text.clone()),
            Content::List(items) => Self::List(items.iter().map(Self::of).collect()),
            Content::Object(_) => Self::Object(Object::of(node)),
        }
    }

    /// Returns a map of strings, such as labels.
    pub(super) fn strings<'s>(entries: impl IntoIterator<Item = (&'s String, &'s String)>) -> Self {
        let mut object = Object {
            only_strings: true,
            ..Object::default()
        };
        for (key, value) in entries {
            object
                .entries
                .insert(key.clone(), Self::String(value.clone()));
        }
        Self::Object(object)
    }

    /// Returns the text that Go templates write for a scalar; `None` for null, lists and
    /// objects.
    pub(super) fn printed(&self) -> Option<String> {
        match self {
            Self::Bool(value) => Some(value.to_string()),
            Self::Number(digits) => Some(match digits.parse() {
                Ok(value) => printed_float(value),
                Err(_) => digits.clone(),
            }),
            Self::String(text) => Some(text.clone()),
            Self::Null | Self::List(_) | Self::Object(_) => None,
        }
    }

    /// Returns whether `default` replaces the value: what Sprig's `empty` says.
    pub(super) fn is_empty(&self) -> bool {
        match self {
            Self::Null => true,
            Self::Bool(value) => !value,
            Self::Number(digits) => digits.parse::<f64>().is_ok_and(|number| number == 0.0),
            Self::String(text) => text.is_empty(),
            Self::List(items) => items.is_empty(),
            Self::Object(object) => object.entries.is_empty(),
        }
    }

    fn size(&self) -> usize {
        match self {
            Self::Null | Self::Bool(_) => 0,
            Self::Number(text) | Self::String(text) => text.len(),
            Self::List(items) => {
                let items = items.iter().map(|item| ENTRY + item.size());
                items.fold(0, usize::saturating_add)
            }
            Self::Object(object) => size(&object.entries),
        }
    }

    /// Returns what it is, with its article.
    pub(super) const fn described(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "a bool",
            Self::Number(_) => "a number",
            Self::String(_) => "a string",
            Self::List(_) => "a list",
            Self::Object(_) => "an object",
        }
    }

    /// Writes the value as Go's `encoding/json` does, for the keys of `merge`.
    fn write_json(&self, json: &mut String) {
        match self {
            Self::Null => json.push_str("null"),
            Self::Bool(value) => json.push_str(if *value { "true" } else { "false" }),
            Self::Number(digits) => json.push_str(&match digits.parse() {
                Ok(value) => json_float(value),
                Err(_) => digits.clone(),
            }),
            Self::String(text) => json.push_str(&format!("{text:?}")),
            Self::List(items) => {
                json.push('[');
                for item in items {
                    item.write_json(json);
                    json.push(',');
                }
                json.push(']');
            }
            Self::Object(object) => {
                json.push('{');
                for (key, value) in object.entries.iter() {
                    json.push_str(&format!("{key:?}:"));
                    value.write_json(json);
                    json.push(',');
                }
                json.push('}');
            }
        }
    }

    /// Writes the value as `%v` of Go does, for the labels that a `selector` sees.
    fn write_go(&self, text: &mut String) {
        match self {
            Self::Null => text.push_str("<nil>"),
            Self::List(items) => {
                text.push('[');
                for (nth, item) in items.iter().enumerate() {
                    text.push_str(if nth > 0 { " " } else { "" });
                    item.write_go(text);
                }
                text.push(']');
            }
            Self::Object(object) => {
                text.push_str("map[");
                for (nth, (key, value)) in object.entries.iter().enumerate() {
                    text.push_str(if nth > 0 { " " } else { "" });
                    text.push_str(key);
                    text.push(':');
                    value.write_go(text);
                }
                text.push(']');
            }
            scalar => text.push_str(&scalar.printed().unwrap_or_default()),
        }
    }
}

impl Object {
    pub(super) fn of(node: &Node) -> Self {
        let mut object = Self::default();
        for (key, value) in node.entries() {
            object
                .entries
                .insert(key.name.clone(), Parameter::of(value));
        }
        object
    }
}

/// Returns approximately how many bytes parameters take.
pub(super) fn size(parameters: &Parameters) -> usize {
    let entries = parameters
        .iter()
        .map(|(key, value)| ENTRY + key.len() + value.size());
    entries.fold(ENTRY, usize::saturating_add)
}

/// The approximate size of an entry without its text.
const ENTRY: usize = 64;

/// Returns the values of these keys, as one text that is equal for equal values.
pub(super) fn merge_key(parameters: &Parameters, keys: &[String]) -> String {
    let mut text = String::new();
    for key in keys {
        let value = parameters.get(key).unwrap_or(&Parameter::Null);
        value.write_json(&mut text);
        text.push(',');
    }
    text
}

/// Merges `other` into `target`: its values replace others, objects are merged
/// (`mergo.Merge` with `WithOverride`, 1.0.2).
///
/// # Errors
/// An object of strings would get another value: Argo CD panics there.
pub(super) fn merge_into(target: &mut Parameters, other: &Parameters) -> Result<(), Unmergeable> {
    merge_entries(target, other, false, "")
}

fn merge_entries(
    target: &mut Parameters,
    other: &Parameters,
    only_strings: bool,
    path: &str,
) -> Result<(), Unmergeable> {
    for (key, value) in other.iter() {
        let inside = match path {
            "" => key.clone(),
            _ => format!("{path}.{key}"),
        };
        match (target.get_mut(key), value) {
            (Some(Parameter::Object(into)), Parameter::Object(from)) => {
                if into.only_strings && !from.only_strings && !from.entries.is_empty() {
                    return Err(Unmergeable { path: inside });
                }
                if into.entries.is_empty() {
                    *into = from.clone();
                } else {
                    let only_strings = into.only_strings;
                    merge_entries(&mut into.entries, &from.entries, only_strings, &inside)?;
                }
            }
            _ if only_strings && !matches!(value, Parameter::String(_)) => {
                return Err(Unmergeable {
                    path: path.to_owned(),
                });
            }
            _ => {
                target.insert(key.clone(), value.clone());
            }
        }
    }
    Ok(())
}

/// Returns the labels that a `selector` of a generator sees: objects and lists are followed
/// by dots, but not labels, annotations and `values` in Go templates, which are maps of
/// strings there (`flatten` 1.0.2).
pub(super) fn labels(parameters: &Parameters) -> OrderedMap<String, String> {
    let mut flat = OrderedMap::new();
    for (key, value) in parameters.iter() {
        flatten(key.clone(), value, &mut flat);
    }
    flat
}

fn flatten(name: String, value: &Parameter, flat: &mut OrderedMap<String, String>) {
    match value {
        Parameter::Object(object) if !object.only_strings => {
            for (key, value) in object.entries.iter() {
                flatten(format!("{name}.{key}"), value, flat);
            }
        }
        Parameter::List(items) => {
            for (nth, item) in items.iter().enumerate() {
                flatten(format!("{name}.{nth}"), item, flat);
            }
        }
        _ => {
            let mut text = String::new();
            value.write_go(&mut text);
            flat.insert(name, text);
        }
    }
}
