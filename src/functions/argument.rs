//! The arguments of a call, checked against the function's parameters.

use std::borrow::Cow;

use crate::functions::Kind;
use crate::outputs::Value;
use crate::reference::ArgumentValue;

/// The values of a call's arguments. Each is what its parameter says; the
/// readers below are total all the same.
pub(crate) struct Arguments<'a>(pub(crate) &'a [Cow<'a, Value>]);

impl Arguments<'_> {
    /// The text of an argument; empty when it is left out.
    pub(crate) fn text(&self, nth: usize) -> &str {
        self.0
            .get(nth)
            .and_then(|value| value.text())
            .unwrap_or_default()
    }

    /// The number of an argument; none when it is left out.
    pub(crate) fn whole(&self, nth: usize) -> Option<i128> {
        self.0.get(nth).and_then(|value| whole(value))
    }

    /// Whether an argument is given.
    pub(crate) fn has(&self, nth: usize) -> bool {
        nth < self.0.len()
    }

    /// The items of all arguments, which are lists.
    pub(crate) fn items(&self) -> impl Iterator<Item = &Value> {
        self.0.iter().flat_map(|value| match &**value {
            Value::List(items) => items.as_slice(),
            _ => &[],
        })
    }
}

impl Kind {
    /// What an argument of this kind is called.
    pub(crate) const fn described(self) -> &'static str {
        match self {
            Self::Any => "a value",
            Self::Text | Self::Written => "a string",
            Self::Whole => "a whole number",
            Self::List => "a list",
        }
    }

    /// Whether a value is of this kind.
    pub(crate) fn holds(self, value: &Value) -> bool {
        match self {
            Self::Any => true,
            // As for Terraform's functions: an argument cannot be converted.
            Self::Text => value.text().is_some(),
            Self::Written => matches!(value, Value::String(_)),
            Self::Whole => whole(value).is_some(),
            Self::List => matches!(value, Value::List(_)),
        }
    }
}

/// The value of a literal argument; `None` for an output.
pub(crate) fn literal_value(argument: &ArgumentValue) -> Option<Value> {
    Some(match argument {
        ArgumentValue::Null => Value::Null,
        ArgumentValue::Bool(value) => Value::Bool(*value),
        ArgumentValue::Number(digits) => Value::Number(digits.clone()),
        ArgumentValue::String(text) => Value::String(text.clone()),
        ArgumentValue::Path(_) | ArgumentValue::Reference(_) => return None,
    })
}

fn whole(value: &Value) -> Option<i128> {
    match value {
        Value::Number(digits) => digits.parse().ok(),
        _ => None,
    }
}
