//! Why a function has no result. None of this is reported for sensitive values.

use crate::outputs::{Type, Value};

/// Why a function has no result.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The value does not have this type.
    Type(&'static str),
    /// The value is a list of this type, but one of its items has another.
    Item(&'static str, Type),
    /// The value is an object whose values should be scalars, but the value of this key has
    /// this type.
    Entry(String, Type),
    /// The value is a string, but not of this form.
    Form(&'static str),
    /// The value is a string with invalid content: `is not JSON: …`.
    Content(String),
    /// The argument at this position is invalid.
    Argument(usize, String),
    /// There is no value; a later `default` applies.
    Missing(Absent),
    /// A function that is called on each item failed on this one.
    Member(Box<FailedMember>),
    /// The result would be too large.
    TooLarge,
    /// All functions of the render together would exceed the limit of their work.
    TooMuchWork,
}

/// An item of a list or a value of an object on which a function failed.
#[derive(Debug)]
pub(crate) struct FailedMember {
    /// `item 0 of`, ``the value of `key` in``: the name of the whole follows.
    pub(crate) name: String,
    pub(crate) value: Value,
    pub(crate) failure: Failure,
}

/// Something that a function looked up and did not find.
#[derive(Debug, Default)]
pub(crate) struct Absent {
    /// `no such key`
    pub(crate) what: String,
    /// Help that depends on the value.
    pub(crate) help: Option<String>,
    /// A key that exists and is close to the argument.
    pub(crate) near: Option<String>,
    /// A key that differs from the argument by a typing mistake.
    pub(crate) typo: Option<String>,
}

impl Failure {
    /// Returns whether a later `default` applies.
    pub(crate) fn is_missing(&self) -> bool {
        match self {
            Self::Missing(_) => true,
            Self::Member(member) => member.failure.is_missing(),
            _ => false,
        }
    }

    /// Creates the failure of a lookup, without further details.
    pub(crate) fn missing(what: impl Into<String>) -> Self {
        Self::Missing(Absent {
            what: what.into(),
            ..Absent::default()
        })
    }
}
