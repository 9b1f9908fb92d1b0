//! The location of a reference, for its diagnostics.

use std::ops::Range;

use crate::reference::Dialect;
use crate::report::{Diagnostic, Origin};
use yaml::{Span, Style};

/// The location of a reference: maps the bytes it was parsed from to those of its manifest.
pub(crate) struct Site<'a> {
    pub(crate) dialect: &'static dyn Dialect,
    pub(crate) manifest: Origin,
    pub(crate) span_of: &'a dyn Fn(&Range<usize>) -> Span,
    /// The style of the scalar, which determines what must be escaped in it.
    pub(crate) style: Style,
}

impl Site<'_> {
    /// Adds a label to a diagnostic, at `range` of the reference's text.
    pub(crate) fn label(
        &self,
        diagnostic: Diagnostic,
        range: &Range<usize>,
        message: impl Into<String>,
    ) -> Diagnostic {
        diagnostic.at(self.manifest, (self.span_of)(range), message)
    }
}
