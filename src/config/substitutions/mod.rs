//! Field bindings, `spec.substitutions` of the Binding: values for fields of manifests that
//! aren't edited. Also `spec.embedded`, which names fields in the same way.

mod labels;
mod nested;
mod notation;
mod path;
mod pattern;
mod read;
mod select;

pub(crate) use labels::Requirement;
pub(crate) use path::PathStep;
pub(crate) use pattern::Pattern;
pub(crate) use read::{embedded, substitutions};
pub(crate) use select::Selector;

use std::ops::Range;

use crate::kubernetes::Format;
use yaml::Span;

/// One item of `spec.substitutions`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FieldBinding {
    pub(crate) value: SpannedText,
    pub(crate) targets: Vec<Target>,
}

/// A string of the Binding that maps back to its bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SpannedText {
    pub(crate) text: String,
    /// Where the string begins in the Binding; `None` if escapes or line breaks make it
    /// differ from the raw bytes.
    pub(crate) at: Option<usize>,
    pub(crate) span: Span,
}

impl SpannedText {
    /// Maps bytes of the string to bytes of the Binding.
    pub(crate) fn span_of(&self, range: &Range<usize>) -> Span {
        match self.at {
            Some(at) => Span::new(at + range.start, at + range.end),
            None => self.span,
        }
    }
}

/// Where the value goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Target {
    pub(crate) fields: Fields,
    pub(crate) options: Options,
}

/// Fields of selected resources.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fields {
    pub(crate) select: Selector,
    pub(crate) reject: Vec<Selector>,
    pub(crate) select_span: Span,
    pub(crate) paths: Vec<FieldPath>,
}

/// A field path with its location in the Binding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FieldPath {
    pub(crate) text: String,
    pub(crate) steps: Vec<PathStep>,
    pub(crate) span: Span,
}

/// How the value is written to the field.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Options {
    /// The field's text is a list with this separator.
    pub(crate) delimiter: Option<String>,
    /// The index of the part that is replaced: a part before the first is inserted before
    /// it, one after the last after it.
    pub(crate) index: i64,
    /// The value is written as base64.
    pub(crate) base64: bool,
    /// Missing fields of the path are created.
    pub(crate) create: bool,
    /// The key is replaced, not its value.
    pub(crate) key: bool,
}

/// One item of `spec.embedded`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct EmbeddedFields {
    pub(crate) fields: Fields,
    pub(crate) format: Format,
}

impl Target {
    pub(crate) fn paths(&self) -> &[FieldPath] {
        &self.fields.paths
    }
}
