//! The requirements on the outputs of each bound name, in `spec.contract` of a Binding or in
//! a document of its own: read, checked before any manifest, written from outputs documents,
//! and satisfied by sample values.

mod check;
mod decimal;
mod document;
mod example;
mod matching_text;
mod read;
mod sample;
mod sensitive;
mod write;

use decimal::Decimal;
pub(crate) use document::read_document;
pub(crate) use write::contract_of;

use crate::config::Spanned;
use crate::outputs::Value;
use yaml::Span;

/// The contract of one document, in its order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Contract {
    sections: Vec<Section>,
}

impl Contract {
    /// Describes the outputs that are required of a bound name: `vpc_id (string)`.
    pub(crate) fn described(&self, name: &str) -> Vec<String> {
        let described = self.clauses(name).map(|clause| {
            let output = &clause.output.value;
            match &clause.wanted {
                Some(wanted) => format!("{output} ({})", wanted.value.word()),
                None => output.clone(),
            }
        });
        described.collect()
    }

    /// Returns whether an output of a bound name must be marked as sensitive.
    pub(crate) fn has_sensitive(&self, name: &str) -> bool {
        self.clauses(name).any(Clause::requires_mark)
    }

    fn clauses(&self, name: &str) -> impl Iterator<Item = &Clause> {
        let sections = self.sections.iter();
        let of_name = sections.filter(move |section| section.name.value == name);
        of_name.flat_map(|section| &section.clauses)
    }
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
    /// Whether the output must, or must not, be marked as sensitive.
    sensitive: Option<Spanned<bool>>,
    pattern: Option<Spanned<regex_lite::Regex>>,
    members: Option<Spanned<Vec<Member>>>,
    min: Option<Spanned<Limit>>,
    max: Option<Spanned<Limit>>,
    min_length: Option<Spanned<usize>>,
    description: Option<String>,
    /// A value that satisfies the clause.
    example: Option<Value>,
    /// It is an error if nothing uses the output.
    must_be_used: Option<Span>,
}

/// A number that limits others.
#[derive(Clone, Debug)]
struct Limit {
    number: Decimal,
    /// As the contract writes it.
    text: String,
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

    /// Returns the type's name.
    fn word(self) -> &'static str {
        let mut words = Self::WORDS.iter();
        words
            .find(|(wanted, ..)| *wanted == self)
            .map_or("", |(_, word, _)| *word)
    }

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
