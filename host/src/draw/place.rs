//! The place of a diagnostic in one line.

use std::fmt;

use landfall_sandbox::types::Diagnostic;

use super::document::{Document, Located};
use super::position::{Position, Positions};
use crate::sanitize;

/// A position in a document. Displayed as `path:line:column`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place<'d> {
    path: &'d str,
    position: Position,
}

impl<'d> Place<'d> {
    /// Returns the primary place of a diagnostic. None if it is in no document.
    pub(crate) fn of(documents: &Located<'d>, diagnostic: &Diagnostic) -> Option<Self> {
        let span = diagnostic.labels.first()?.span;
        let (document, positions) = documents.get(span.origin)?;
        Some(Self::new(document, positions, span.start as usize))
    }

    pub(super) fn new(document: Document<'d>, positions: &Positions<'_>, offset: usize) -> Self {
        Self {
            path: document.path,
            position: positions.at(offset),
        }
    }

    /// Returns the path if the document is a file: `<flags>` is not.
    pub(crate) fn file(&self) -> Option<&'d str> {
        (!self.path.starts_with('<')).then_some(self.path)
    }
}

impl fmt::Display for Place<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Position { line, column } = self.position;
        write!(formatter, "{}:{line}:{column}", sanitize::line(self.path))
    }
}
