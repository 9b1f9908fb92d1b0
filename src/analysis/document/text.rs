//! The text of a document, borrowed or shared.

use std::ops::Deref;
use std::sync::Arc;

/// A text that is borrowed from a file, or shared between an analysis and its renders.
#[derive(Clone, Debug)]
pub(crate) enum Text<'s> {
    Borrowed(&'s str),
    Shared(Arc<str>),
}

impl Text<'_> {
    /// Returns the text without borrowing.
    pub(crate) fn into_owned(self) -> Text<'static> {
        Text::Shared(match self {
            Self::Borrowed(text) => text.into(),
            Self::Shared(text) => text,
        })
    }
}

impl Deref for Text<'_> {
    type Target = str;

    fn deref(&self) -> &str {
        match self {
            Self::Borrowed(text) => text,
            Self::Shared(text) => text,
        }
    }
}
