//! A place that needs no document to be understood.

use landfall_sandbox::types::Origin;
use serde::Serialize;

use crate::draw::{Documents, Located};

/// Some bytes of a file, in every way of counting.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub(crate) struct Place {
    /// As it was named on the command line or in the Binding, with `/`.
    pub(crate) path: String,
    /// From 1.
    pub(crate) line: usize,
    /// From 1, in characters; a byte order mark is none.
    pub(crate) column: usize,
    /// The line of the place's end, from 1.
    pub(crate) end_line: usize,
    /// One past the last character, from 1.
    pub(crate) end_column: usize,
    /// The first byte, from 0. Left out in outputs documents: it would reveal how long
    /// the values before it are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) start: Option<usize>,
    /// One past the last byte; equal to `start` for a point. Left out likewise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) end: Option<usize>,
}

/// Finds places in the documents of one request.
pub(super) struct Places<'a>(Located<'a>);

impl<'a> Places<'a> {
    pub(super) fn new(documents: &'a Documents<'a>) -> Self {
        Self(Located::new(documents))
    }

    /// None for parameters, which are no document.
    pub(super) fn find(&self, origin: Origin, start: usize, end: usize) -> Option<Place> {
        let (document, positions) = self.0.get(origin)?;
        let may_count = !matches!(origin, Origin::Outputs(_));
        let first = positions.at(start);
        let last = positions.at(end.max(start));
        Some(Place {
            path: document.path.to_owned(),
            line: first.line,
            column: first.column,
            end_line: last.line,
            end_column: last.column,
            start: may_count.then_some(start),
            end: may_count.then_some(end.max(start)),
        })
    }
}
