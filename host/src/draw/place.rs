//! The place of a diagnostic in one line.

use std::fmt;

use landfall_sandbox::types::Diagnostic;
use memchr::memmem;

use super::document::{Document, Located};
use super::position::{Position, Positions};
use crate::sanitize;

/// The name that `deploy/helm/landfall` gives to standard input: what Helm passes to a
/// post-renderer.
const POST_RENDERED: &str = "helm-template";

/// The annotation in which each document has the path of its template there (`annotateAndMerge`
/// in pkg/action/action.go, helm v4.3.1).
const TEMPLATE: &[u8] = b"postrenderer.helm.sh/postrender-filename: ";

/// A position in a document. Displayed as `path:line:column`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place<'d> {
    path: &'d str,
    position: Position,
    /// Whether the path is that of a template of Helm, which has other lines.
    is_template: bool,
}

impl<'d> Place<'d> {
    /// Returns the primary place of a diagnostic. None if it is in no document.
    pub(crate) fn of(documents: &Located<'d>, diagnostic: &Diagnostic) -> Option<Self> {
        let span = diagnostic.labels.first()?.span;
        let (document, positions) = documents.get(span.origin)?;
        Some(Self::new(document, positions, span.start as usize))
    }

    pub(super) fn new(document: Document<'d>, positions: &Positions<'_>, offset: usize) -> Self {
        let template = template(document, offset);
        Self {
            path: template.unwrap_or(document.path),
            position: positions.at(offset),
            is_template: template.is_some(),
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
        let path = sanitize::line(self.path);
        if self.is_template {
            return write!(formatter, "{path} (line {line} of what Helm passes on)");
        }
        write!(formatter, "{path}:{line}:{column}")
    }
}

/// Returns the template that Helm has made the document at an offset from.
fn template<'d>(document: Document<'d>, offset: usize) -> Option<&'d str> {
    if document.path != POST_RENDERED {
        return None;
    }
    let (before, after) = document.content.split_at_checked(offset)?;
    let start = memmem::rfind(before, b"\n---").unwrap_or(0);
    let end = memmem::find(after, b"\n---").map_or(document.content.len(), |at| offset + at);
    let text = document.content.get(start..end)?;
    let path = text.get(memmem::find(text, TEMPLATE)? + TEMPLATE.len()..)?;
    let path = str::from_utf8(path).ok()?.trim_start_matches(['\'', '"']);
    path.split(['\'', '"', ',', '}', '\n']).next()
}
