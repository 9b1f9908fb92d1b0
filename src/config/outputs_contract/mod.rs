//! `spec.contract`: the requirements on the outputs of each bound name, checked before any
//! manifest.

mod check;
mod decimal;
mod read;
mod sensitive;

use decimal::Decimal;

use crate::config::Spanned;
use yaml::Span;

/// The contract of one Binding, in its order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Contract {
    sections: Vec<Section>,
}

/// The clauses of one bound name.
#[derive(Clone, Debug)]
struct Section {
    /// `infra`, with its location.
    name: Spanned<String>,
    clauses: Vec<Clause>,
}

/// The clauses of one output.
#[derive(Clone, Debug)]
struct Clause {
    /// Its name, with its location.
    output: Spanned<String>,
    wanted: Option<Spanned<Wanted>>,
    required: bool,
    pattern: Option<Spanned<regex_lite::Regex>>,
    members: Option<Spanned<Vec<Member>>>,
    min: Option<Spanned<Decimal>>,
    max: Option<Spanned<Decimal>>,
    min_length: Option<Spanned<usize>>,
    description: Option<String>,
    /// It is an error if nothing uses the output.
    must_be_used: Option<Span>,
}

/// The type of an output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wanted {
    String,
    Number,
    Integer,
    Bool,
    List,
    Object,
}

impl Wanted {
    const WORDS: &[(Self, &str, &str)] = &[
        (Self::String, "string", "a string"),
        (Self::Number, "number", "a number"),
        (Self::Integer, "integer", "an integer"),
        (Self::Bool, "bool", "a bool"),
        (Self::List, "list", "a list"),
        (Self::Object, "object", "an object"),
    ];

    /// Returns the type's name with its article.
    fn described(self) -> &'static str {
        let mut words = Self::WORDS.iter();
        words
            .find(|(wanted, ..)| *wanted == self)
            .map_or("", |(.., described)| *described)
    }
}

/// A value that an output may have.
#[derive(Clone, Debug)]
struct Member {
    text: String,
    /// Whether it is unquoted, so that it may also be a number, a bool or null.
    is_plain: bool,
}
