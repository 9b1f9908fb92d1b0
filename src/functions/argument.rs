//! The arguments of a call, checked against the function's parameters.

use std::borrow::Cow;

use crate::functions::Kind;
use crate::outputs::Value;
use crate::reference::ArgumentValue;

/// The values of a call's arguments. Each has been checked against its parameter; the
/// readers below are total nevertheless.
pub(crate) struct Arguments<'a>(pub(crate) &'a [Cow<'a, Value>]);

impl Arguments<'_> {
    /// Returns the text of an argument; empty if it is omitted.
    pub(crate) fn text(&self, nth: usize) -> &str {
        self.0
            .get(nth)
            .and_then(|value| value.text())
            .unwrap_or_default()
    }

    /// Returns the texts of all arguments.
    pub(crate) fn texts(&self) -> Vec<&str> {
        let texts = self.0.iter().filter_map(|value| value.text());
        texts.collect()
    }

    /// Returns the number of an argument; `None` if it is omitted.
    pub(crate) fn whole(&self, nth: usize) -> Option<i128> {
        self.0.get(nth).and_then(|value| whole(value))
    }

    /// Returns whether an argument is given.
    pub(crate) fn has(&self, nth: usize) -> bool {
        nth < self.0.len()
    }

    /// Returns the items of all arguments, which are lists.
    pub(crate) fn items(&self) -> impl Iterator<Item = &Value> {
        self.0.iter().flat_map(|value| match &**value {
            Value::List(items) => items.as_slice(),
            _ => &[],
        })
    }
}

impl Kind {
    /// Describes an argument of this kind.
    pub(crate) const fn described(self) -> &'static str {
        match self {
            Self::Any => "a value",
            Self::Text | Self::Literal => "a string",
            Self::Whole => "a whole number",
            Self::List => "a list",
            Self::Call => "a function",
        }
    }

    /// Returns whether a value is of this kind.
    pub(crate) fn holds(self, value: &Value) -> bool {
        match self {
            Self::Any => true,
            // As in Terraform's functions, an argument is not converted.
            Self::Text => value.text().is_some(),
            Self::Literal => matches!(value, Value::String(_)),
            Self::Whole => whole(value).is_some(),
            Self::List => matches!(value, Value::List(_)),
            // It has no value.
            Self::Call => false,
        }
    }
}

/// Returns the value of a literal argument; `None` for an output.
pub(crate) fn literal_value(argument: &ArgumentValue) -> Option<Value> {
    Some(match argument {
        ArgumentValue::Null => Value::Null,
        ArgumentValue::Bool(value) => Value::Bool(*value),
        ArgumentValue::Number(digits) => Value::Number(digits.clone()),
        ArgumentValue::String(text) => Value::String(text.clone()),
        ArgumentValue::Path(_)
        | ArgumentValue::Reference(_)
        | ArgumentValue::Concatenation(_)
        | ArgumentValue::Omit
        | ArgumentValue::Call(_) => return None,
    })
}

fn whole(value: &Value) -> Option<i128> {
    match value {
        Value::Number(digits) => digits.parse().ok(),
        _ => None,
    }
}
