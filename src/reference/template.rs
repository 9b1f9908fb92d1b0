//! A text with references that is to become the value of a field: what a setter
//! comment or a field binding says.

use std::ops::Range;

use crate::reference::{Heads, Reference, SyntaxError};

/// `${infra.repo}:${infra.tag}`, its references found.
#[derive(Debug, Default)]
pub(crate) struct Template {
    text: String,
    /// In the order of the text.
    pub(crate) references: Vec<Reference>,
    /// What escapes lose: the `$` of `$${…`.
    pub(crate) escapes: Vec<Range<usize>>,
}

/// Text that starts like a reference but is not one.
pub(crate) struct Broken {
    pub(crate) error: SyntaxError,
    /// All of it.
    pub(crate) range: Range<usize>,
}

impl Template {
    /// Finds the references of `text`.
    pub(crate) fn parse(text: &str, heads: &Heads) -> (Self, Vec<Broken>) {
        let mut template = Self {
            text: text.to_owned(),
            ..Self::default()
        };
        let mut broken = Vec::new();
        let dialect = heads.dialect();
        let escape = dialect.notation().escape.len();
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
                _ if head.escaped => template.escapes.push(head.at - escape..head.at),
                Ok(reference) => template.references.push(reference),
                Err(error) => broken.push(Broken {
                    error,
                    range: head.at..after,
                }),
            }
        }
        (template, broken)
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Whether one reference is all of it, so that its value's type is the
    /// field's.
    pub(crate) fn is_whole(&self) -> bool {
        matches!(&self.references[..], [one] if one.range == (0..self.text.len()))
    }

    /// Where a `#` begins what would be a comment, outside its references.
    pub(crate) fn remark(&self) -> Option<usize> {
        let outside = |at: &usize| {
            let mut references = self.references.iter();
            !references.any(|reference| reference.range.contains(at))
        };
        memchr::memchr_iter(b'#', self.text.as_bytes())
            .filter(|at| self.text[..*at].ends_with([' ', '\t']))
            .find(outside)
    }
}
