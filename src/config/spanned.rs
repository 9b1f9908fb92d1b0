//! A value of a configuration document with its location.

use crate::report::Origin;
use yaml::Span;

/// A value with its location in a configuration document.
#[derive(Clone, Debug)]
pub(crate) struct Spanned<T> {
    pub(crate) value: T,
    pub(crate) origin: Origin,
    pub(crate) span: Span,
}

impl<T> Spanned<T> {
    /// Returns the location.
    pub(crate) const fn location(&self) -> ConfigLocation {
        ConfigLocation {
            origin: self.origin,
            span: self.span,
        }
    }
}

/// A location in a configuration document.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ConfigLocation {
    pub(crate) origin: Origin,
    pub(crate) span: Span,
}
