//! The keys of configuration documents: one table for each mapping. The reader uses the
//! tables, and the JSON Schemas are generated from them.

/// The keys that a mapping may have.
pub(crate) struct Keys {
    pub(crate) known: &'static [&'static str],
    /// The documentation of each known key. Only in tests: the module contains no prose.
    #[cfg(test)]
    pub(crate) rows: &'static [Row],
}

/// One key of a mapping.
#[cfg(test)]
pub(crate) struct Row {
    pub(crate) name: &'static str,
    /// The lines of a doc comment, each with its leading space.
    pub(crate) doc: &'static [&'static str],
    pub(crate) required: bool,
    pub(crate) shape: Shape,
}

/// The form of a value, as far as a JSON Schema can express it.
#[cfg(test)]
#[derive(Clone, Copy)]
pub(crate) enum Shape {
    /// Exactly this string.
    Const(&'static str),
    /// A non-empty string.
    Text,
    /// Any string.
    AnyText,
    /// A string that matches a regular expression.
    Pattern(&'static str),
    /// The values of a policy.
    Choice(&'static Words),
    /// One of these words.
    Word(&'static [&'static str]),
    /// The id of a dialect.
    Dialect,
    /// The id of a format of outputs documents.
    Format,
    /// `true` or `false`, and the default.
    Bool(bool),
    /// `true` or `false`, without a default.
    OptionalBool,
    /// A non-negative integer.
    Whole,
    Integer,
    Number,
    /// A string, a number or a bool.
    Scalar,
    /// Any value.
    Any,
    List(&'static Shape),
    /// A list with at least one item.
    NonEmptyList(&'static Shape),
    /// `true`, or a list.
    TrueOrList(&'static Shape),
    /// A mapping whose keys match a regular expression.
    Named(&'static str, &'static Shape),
    Mapping(&'static Keys),
    /// Any mapping; its content is not read.
    Object,
}

/// The values of a policy.
#[cfg(test)]
pub(crate) struct Words {
    /// From strict to loose, each with its description.
    pub(crate) words: &'static [(&'static str, &'static [&'static str])],
    pub(crate) default: fn() -> &'static str,
    /// The loosest value under Argo CD; `None`: any.
    pub(crate) under_argo_cd: fn() -> Option<&'static str>,
}

/// Defines a table of keys:
///
/// ```text
/// keys! {
///     /// What the key is for.
///     required "name" => Text,
/// }
/// ```
macro_rules! keys {
    (@required) => { false };
    (@required required) => { true };
    (
        $($(#[doc = $doc:literal])+ $($required:ident)? $name:literal => $shape:expr,)+
    ) => {
        $crate::config::keys::Keys {
            known: &[$($name,)+],
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
    CLAUSE, CONTRACT_ROOT, EMBEDDED, FROM, GENERATE, HELM, MANIFESTS, METADATA, OPERATOR_ROOT,
    OPTIONS, OUTPUT, RESOURCE, ROOT, SELECTOR, SPEC, SUBSTITUTION, TARGET,
};
