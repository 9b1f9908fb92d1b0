//! A text with references that becomes the value of a field: the template of a setter
//! comment, or the `value` of a field binding.

use std::ops::Range;

use crate::reference::{Heads, Reference, SyntaxError};

/// `${infra.repo}:${infra.tag}`, with its references parsed.
#[derive(Debug, Default)]
pub(crate) struct Template {
    text: String,
    /// In the order of the text.
    pub(crate) references: Vec<Reference>,
    /// The bytes that escapes remove: the first `$` of `$${…`.
    pub(crate) escapes: Vec<Range<usize>>,
}

/// Text that starts like a reference but is not one.
pub(crate) struct InvalidReference {
    pub(crate) error: SyntaxError,
    /// The bytes of that text.
    pub(crate) range: Range<usize>,
}

impl Template {
    /// Parses the references in `text`.
    pub(crate) fn parse(text: &str, heads: &Heads) -> (Self, Vec<InvalidReference>) {
        let mut template = Self {
            text: text.to_owned(),
            ..Self::default()
        };
        let mut invalid = Vec::new();
        let dialect = heads.dialect();
        let mut after = 0;
        for head in heads.find(text) {
            if head.at < after {
                continue;
            }
            let parsed = dialect.parse(text, head.at);
            after = match &parsed {
                Ok(reference) => reference.range.end,
                Err(_) => dialect.extent(text, head.at).end,
            };
            match parsed {
                _ if head.escaped => {
                    let escape = dialect.escape_before(text.as_bytes(), head.at);
                    template.escapes.push(head.at - escape..head.at);
                }
                Ok(reference) => template.references.push(reference),
                Err(error) => invalid.push(InvalidReference {
                    error,
                    range: head.at..after,
                }),
            }
        }
        (template, invalid)
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Whether one reference is the whole template, so that the field gets the type of its
    /// value.
    pub(crate) fn is_whole(&self) -> bool {
        matches!(&self.references[..], [one] if one.range == (0..self.text.len()))
    }

    /// Returns the offset of the first `#` outside references that would begin a comment.
    pub(crate) fn comment_start(&self) -> Option<usize> {
        let outside = |at: &usize| {
            let mut references = self.references.iter();
            !references.any(|reference| reference.range.contains(at))
        };
        memchr::memchr_iter(b'#', self.text.as_bytes())
            .filter(|at| self.text[..*at].ends_with([' ', '\t']))
            .find(outside)
    }
}
