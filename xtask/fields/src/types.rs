//! The types of fields, and the kinds of resources that have them.

use std::collections::BTreeMap;

/// The structure of a type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Type {
    Scalar(Scalar),
    Named(String),
    List(Box<Type>),
    Map(Box<Type>),
    /// An object with these fields and no others.
    Struct(BTreeMap<String, Type>),
    /// An object with these fields and others, which can hold anything.
    Open(BTreeMap<String, Type>),
}

/// The type of a scalar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scalar {
    /// Anything, or unknown.
    Unknown,
    String,
    Integer,
    Number,
    Boolean,
    /// A number or a string.
    Either,
    /// A scalar with the rule of this number.
    Ruled(u16),
}

/// A kind of resources.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Kind {
    pub(crate) api_version: String,
    pub(crate) kind: String,
    /// The name of its type.
    pub(crate) type_name: String,
}
