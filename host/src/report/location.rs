//! Locations that can be used without the document.

use landfall_sandbox::types::Origin;
use serde::Serialize;

use super::finding;
use crate::draw::{Documents, Located};

/// A range of a file, in lines and columns and in bytes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub(crate) struct Location {
    /// The path as given on the command line or in the Binding, with `/`.
    pub(crate) path: String,
    /// From 1.
    pub(crate) line: usize,
    /// From 1, in characters, not counting a byte order mark.
    pub(crate) column: usize,
    /// The line of the end, from 1.
    pub(crate) end_line: usize,
    /// The column after the last character, from 1.
    pub(crate) end_column: usize,
    /// The offset of the first byte, from 0. Omitted for outputs documents, where it
    /// would reveal the lengths of values.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) start: Option<usize>,
    /// The offset after the last byte; equal to `start` for a point. Omitted likewise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) end: Option<usize>,
}

/// Converts spans to locations in the documents of one request.
pub(super) struct Locator<'a>(Located<'a>);

impl<'a> Locator<'a> {
    pub(super) fn new(documents: &'a Documents<'a>) -> Self {
        Self(Located::new(documents))
    }

    /// Returns the kind of document of an origin.
    pub(super) fn origin(&self, origin: Origin) -> finding::Origin {
        match origin {
            Origin::Manifest(_) if self.0.has_contract() => finding::Origin::Contract,
            origin => origin.into(),
        }
    }

    /// Returns the location of a span. None for parameters, which have no document.
    pub(super) fn find(&self, origin: Origin, start: usize, end: usize) -> Option<Location> {
        let (document, positions) = self.0.get(origin)?;
        let has_offsets = !matches!(origin, Origin::Outputs(_));
        let first = positions.at(start);
        let last = positions.at(end.max(start));
        Some(Location {
            path: document.path.to_owned(),
            line: first.line,
            column: first.column,
            end_line: last.line,
            end_column: last.column,
            start: has_offsets.then_some(start),
            end: has_offsets.then_some(end.max(start)),
        })
    }
}
