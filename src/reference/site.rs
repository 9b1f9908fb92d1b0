//! Where a reference is written, for its diagnostics.

use std::ops::Range;

use crate::reference::Dialect;
use crate::report::{Diagnostic, Origin};
use yaml::{Span, Style};

/// Where a reference stands: leads from the bytes it was read from to those of
/// its manifest.
pub(crate) struct Site<'a> {
    pub(crate) dialect: &'static dyn Dialect,
    pub(crate) manifest: Origin,
    pub(crate) span_of: &'a dyn Fn(&Range<usize>) -> Span,
    /// How the scalar is written, and so what must be escaped in it.
    pub(crate) style: Style,
}

impl Site<'_> {
    /// A diagnostic whose primary place is `range` of the reference's text.
    pub(crate) fn label(
        &self,
        diagnostic: Diagnostic,
        range: &Range<usize>,
        message: impl Into<String>,
    ) -> Diagnostic {
        diagnostic.at(self.manifest, (self.span_of)(range), message)
    }
}
