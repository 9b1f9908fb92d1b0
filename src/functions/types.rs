//! The types that functions accept and return, known before any of them runs.

use crate::functions::Function;
use crate::outputs::{Type, Value};
use crate::reference::Call;

/// The set of types that a function accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Types(u8);

impl Types {
    pub(crate) const ANY: Self = Self(u8::MAX);
    pub(crate) const LIST: Self = Self::of(&[Type::List]);
    pub(crate) const OBJECT: Self = Self::of(&[Type::Object]);
    /// The types that have a text form.
    pub(crate) const TEXT: Self = Self::of(&[Type::String, Type::Number, Type::Bool]);

    pub(crate) const fn of(types: &[Type]) -> Self {
        let mut set = 0;
        let mut rest = types;
        while let [one, others @ ..] = rest {
            set |= 1 << *one as u8;
            rest = others;
        }
        Self(set)
    }

    pub(crate) const fn contains(self, one: Type) -> bool {
        self.0 & (1 << one as u8) != 0
    }

    /// Returns the number of types in the set: the fewer, the more specific the function.
    pub(crate) const fn count(self) -> u32 {
        self.0.count_ones()
    }
}

/// The type that a function returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ReturnType {
    Type(Type),
    /// A list of strings.
    Strings,
    /// The same type as its input.
    Same,
    /// An item of the list.
    Item,
    /// The same type as its input, with the results of its argument as items.
    Each,
    /// A type that doesn't depend only on the type of its input.
    Unknown,
}

/// The type of a value, as far as it is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Inferred {
    /// Never null: the type of the value that would replace it is unknown.
    pub(crate) of: Option<Type>,
    /// The type of all items of a list.
    items: Option<Type>,
}

impl Inferred {
    /// Returns the type of a value without its items' type.
    pub(crate) fn of_type(value: &Value) -> Self {
        Self {
            items: None,
            ..Self::of_value(value)
        }
    }

    pub(crate) fn of_value(value: &Value) -> Self {
        let known = |found: Type| Some(found).filter(|found| *found != Type::Null);
        let items = match value {
            Value::List(items) => {
                let mut types = items.iter().map(Value::value_type);
                let first = types.next();
                first.filter(|first| types.all(|one| one == *first))
            }
            _ => None,
        };
        Self {
            of: known(value.value_type()),
            items: items.and_then(known),
        }
    }

    /// Returns the type of a function's result for the value.
    pub(crate) fn after(self, function: &Function) -> Self {
        let only = |of| Self { of, items: None };
        match function.returns {
            ReturnType::Type(of) => only(Some(of)),
            ReturnType::Strings => Self {
                of: Some(Type::List),
                items: Some(Type::String),
            },
            ReturnType::Same => self,
            ReturnType::Item => only(self.items),
            ReturnType::Each => only(self.of),
            ReturnType::Unknown => only(None),
        }
    }

    /// Returns the type of an item of a list.
    pub(crate) const fn item(self) -> Self {
        Self {
            of: self.items,
            items: None,
        }
    }

    /// Returns the type of a call's result for the value.
    pub(crate) fn after_call(self, call: &Call) -> Self {
        let Some(function) = Function::of_name(&call.function) else {
            return Self::default();
        };
        let mut result = self.after(function);
        if let (ReturnType::Each, Some(nested)) = (function.returns, call.nested()) {
            result.items = self.item().after_call(nested).of;
        }
        result
    }

    /// Returns whether a function may accept the value.
    pub(crate) fn fits(self, function: &Function) -> bool {
        self.of.is_none_or(|of| function.accepts.contains(of))
    }
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use super::*;
    use crate::functions::{Arguments, Body, FUNCTIONS, Failure, Kind, Times};
    use crate::outputs::value_of_json;

    /// Values of every type; the strings are in every form that functions parse.
    const VALUES: &[&str] = &[
        "null",
        "true",
        "3",
        "\"x\"",
        "\"1\"",
        "\"true\"",
        "\"eA==\"",
        "\"10.0.0.0/16\"",
        "\"https://example.com:443\"",
        "\"arn:aws:s3:eu-west-1:1:bucket\"",
        "[\"region\", \"b\"]",
        "{\"region\": \"b\"}",
        "{\"name\": \"b\"}",
    ];

    #[test]
    fn functions_accept_and_return_the_types_in_the_table() {
        for function in FUNCTIONS {
            let Body::Value(body) = function.body else {
                continue;
            };
            let arguments: Vec<_> = function
                .parameters
                .iter()
                .filter(|one| one.times != Times::Optional)
                .map(|one| {
                    Cow::Owned(value_of_json(match one.kind {
                        Kind::Whole => "1",
                        Kind::List => "[]",
                        Kind::Any | Kind::Text | Kind::Literal | Kind::Call => "\"region\"",
                    }))
                })
                .collect();
            let mut given = 0;
            for json in VALUES {
                let value = value_of_json(json);
                let result = body(&value, &Arguments(&arguments));
                let is_taken = !matches!(result, Err(Failure::Type(_)));
                let name = function.name;
                assert_eq!(
                    function.accepts.contains(value.value_type()),
                    is_taken,
                    "{name} of {json}"
                );
                let Ok(result) = result else { continue };
                given += 1;
                let inferred = Inferred::of_value(&value).after(function);
                if let Some(expected) = inferred.of {
                    assert_eq!(result.value_type(), expected, "{name} of {json}");
                }
                let items = Inferred::of_value(&result).items;
                assert!(
                    inferred.items.is_none() || inferred.items == items,
                    "items of {name} of {json}"
                );
            }
            assert!(given > 0, "{} returns nothing here", function.name);
        }
    }
}
