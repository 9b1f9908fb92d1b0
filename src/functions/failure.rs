//! Why a function gives no value. Of sensitive values none of this is reported.

use crate::outputs::Type;

/// Why a function gives no value.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The value has another type than this.
    Type(&'static str),
    /// The value is a list of this, and one of its items is something else.
    Item(&'static str, Type),
    /// The value is a string that should be this, and is not.
    Form(&'static str),
    /// The argument at this position does not fit.
    Argument(usize, String),
    /// There is nothing at all: a later `default` answers.
    Missing(Absent),
    /// The value would be too large.
    TooLarge,
    /// All functions of the render together would read and make too much.
    TooMuchWork,
}

/// What a function looked for and did not find.
#[derive(Debug, Default)]
pub(crate) struct Absent {
    /// `no such key`
    pub(crate) what: String,
    /// Help that depends on the value.
    pub(crate) help: Option<String>,
    /// A key that exists and is close to the argument.
    pub(crate) near: Option<String>,
    /// Close as typing mistakes are.
    pub(crate) typo: Option<String>,
}

impl Failure {
    /// Nothing is there, and no more is to be said.
    pub(crate) fn missing(what: impl Into<String>) -> Self {
        Self::Missing(Absent {
            what: what.into(),
            ..Absent::default()
        })
    }
}
