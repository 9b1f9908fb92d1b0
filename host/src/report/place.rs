//! A place that needs no document to be understood.

use std::collections::BTreeMap;

use landfall_sandbox::types::Origin;
use serde::Serialize;

use crate::draw::{Documents, Positions};

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
    /// The first byte, from 0.
    pub(crate) start: usize,
    /// One past the last byte; equal to `start` for a point.
    pub(crate) end: usize,
}

/// Finds places in the documents of one request, and remembers how far it has
/// counted lines in each.
pub(super) struct Places<'a> {
    documents: &'a Documents<'a>,
    positions: BTreeMap<(u8, u32), Positions<'a>>,
}

impl<'a> Places<'a> {
    pub(super) const fn new(documents: &'a Documents<'a>) -> Self {
        Self {
            documents,
            positions: BTreeMap::new(),
        }
    }

    /// None for parameters, which are no document.
    pub(super) fn find(&mut self, origin: Origin, start: usize, end: usize) -> Option<Place> {
        let document = self.documents.get(origin)?;
        let key = match origin {
            Origin::Manifest(position) => (0, position),
            Origin::Outputs(position) => (1, position),
            Origin::Binding => (2, 0),
            Origin::OperatorPolicy => (3, 0),
            Origin::Policy => (4, 0),
            Origin::Parameters => (5, 0),
        };
        let positions = self
            .positions
            .entry(key)
            .or_insert_with(|| Positions::new(document.content));
        let first = positions.at(start);
        let last = positions.at(end.max(start));
        Some(Place {
            path: document.path.to_owned(),
            line: first.line,
            column: first.column,
            end_line: last.line,
            end_column: last.column,
            start,
            end: end.max(start),
        })
    }
}
