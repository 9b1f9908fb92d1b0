//! The keys of configuration documents: one table for each mapping, which the reader
//! goes by and the JSON Schemas are made from.

/// Keys that a mapping may have: understood now, or by a later version.
pub(crate) struct Keys {
    pub(crate) known: &'static [&'static str],
    pub(crate) later: &'static [&'static str],
    /// What is said of each known key. In tests alone: the module holds no prose.
    #[cfg(test)]
    pub(crate) rows: &'static [Row],
}

/// One key of a mapping.
#[cfg(test)]
pub(crate) struct Row {
    pub(crate) name: &'static str,
    /// Lines of a comment, each with the space before it.
    pub(crate) doc: &'static [&'static str],
    pub(crate) required: bool,
    pub(crate) shape: Shape,
}

/// What a value looks like, as far as a JSON Schema can say it.
#[cfg(test)]
#[derive(Clone, Copy)]
pub(crate) enum Shape {
    /// This string.
    Const(&'static str),
    /// A string that is not empty.
    Text,
    /// Any string.
    AnyText,
    /// A string that matches a regular expression.
    Pattern(&'static str),
    /// A policy of a few words.
    Choice(&'static Words),
    /// One of these words.
    Word(&'static [&'static str]),
    /// The id of a dialect.
    Dialect,
    /// `true` or `false`, and the default.
    Bool(bool),
    /// A whole number, not negative.
    Whole,
    Integer,
    Number,
    /// A string, a number or a bool.
    Scalar,
    List(&'static Shape),
    /// A list with an item at least.
    NonEmptyList(&'static Shape),
    /// A mapping whose keys match a regular expression.
    Named(&'static str, &'static Shape),
    Mapping(&'static Keys),
    /// Any mapping: nothing in it is read.
    Object,
}

/// The words of a policy.
#[cfg(test)]
pub(crate) struct Words {
    /// From strict to loose, each with what it means.
    pub(crate) words: &'static [(&'static str, &'static [&'static str])],
    pub(crate) default: fn() -> &'static str,
    /// The loosest under Argo CD; none: any.
    pub(crate) under_argo_cd: fn() -> Option<&'static str>,
}

/// Makes a table of keys:
///
/// ```text
/// keys! {
///     /// What the key is for.
///     required "name" => Text,
///     later: "unit",
/// }
/// ```
macro_rules! keys {
    (@required) => { false };
    (@required required) => { true };
    (
        $($(#[doc = $doc:literal])+ $($required:ident)? $name:literal => $shape:expr,)+
        $(later: $($later:literal),+ $(,)?)?
    ) => {
        $crate::config::keys::Keys {
            known: &[$($name,)+],
            later: &[$($($later,)+)?],
            #[cfg(test)]
            rows: {
                #[allow(unused_imports, reason = "few tables have values of every shape")]
                use $crate::config::keys::Shape::*;
                &[$($crate::config::keys::Row {
                    name: $name,
                    doc: &[$($doc,)+],
                    required: keys!(@required $($required)?),
                    shape: $shape,
                },)+]
            },
        }
    };
}

pub(crate) use keys;

#[cfg(test)]
#[allow(
    clippy::disallowed_methods,
    reason = "the committed schemas and the page are files, and one variable asks to rewrite them"
)]
mod schema;
mod tables;

pub(crate) use tables::{
    CLAUSE, EMBEDDED, FROM, MANIFESTS, OPERATOR_ROOT, OPTIONS, OUTPUT, ROOT, SELECTOR, SPEC,
    SUBSTITUTION, TARGET,
};
