//! A text that is read as YAML, and the way from its bytes to those of the file:
//! a document of the file itself, or one that a scalar holds.

use std::ops::Range;

use crate::binding::place::Field;
use crate::manifest::{Decoded, Document};
use crate::report::{Origin, Span};

/// Documents inside each other, at most.
const DEEPEST: usize = 8;

/// One text with the place where it stands.
pub(crate) struct Ground<'a> {
    pub(super) text: &'a str,
    pub(super) origin: Origin,
    /// Where the text begins: in the file, or in the scalar's decoded text.
    offset: usize,
    pub(super) inside: Option<Inside<'a>>,
}

/// The scalar that holds an embedded document.
pub(super) struct Inside<'a> {
    ground: &'a Ground<'a>,
    decoded: &'a Decoded<'a>,
    /// The scalar's own field, and those where an alias repeats it.
    pub(super) fields: &'a [Field],
    /// It is JSON, whatever it looks like.
    pub(super) json: bool,
    depth: usize,
}

impl<'a> Ground<'a> {
    pub(super) const fn of_file(document: Document<'a>, origin: Origin) -> Self {
        Self {
            text: document.text,
            origin,
            offset: document.offset,
            inside: None,
        }
    }

    /// The ground of one document in the text of a scalar of this one. None when
    /// that goes too deep.
    pub(super) fn embedded<'b>(
        &'b self,
        decoded: &'b Decoded<'b>,
        document: Document<'b>,
        fields: &'b [Field],
        json: bool,
    ) -> Option<Ground<'b>> {
        let depth = 1 + self.inside.as_ref().map_or(0, |inside| inside.depth);
        (depth <= DEEPEST).then_some(Ground {
            text: document.text,
            origin: self.origin,
            offset: document.offset,
            inside: Some(Inside {
                ground: self,
                decoded,
                fields,
                json,
                depth,
            }),
        })
    }

    /// Bytes of this text as bytes of the file.
    pub(super) fn span(&self, range: &Range<usize>) -> Span {
        let range = range.start + self.offset..range.end + self.offset;
        match &self.inside {
            None => Span::new(range.start, range.end),
            Some(inside) => inside.ground.span(&inside.decoded.raw_range(&range)),
        }
    }

    /// The field that the text is the value of; none for a document of a file.
    pub(super) fn field(&self) -> Option<&Field> {
        self.inside.as_ref()?.fields.first()
    }

    /// Whether a Secret holds the text.
    pub(super) fn in_secret(&self) -> bool {
        self.inside.as_ref().is_some_and(|inside| {
            inside.fields.iter().any(Field::is_of_secret) || inside.ground.in_secret()
        })
    }

    /// The fields of the outermost scalar that holds this text: everyone who can
    /// read those can read what stands here.
    pub(super) fn outermost(&self) -> Option<&[Field]> {
        let inside = self.inside.as_ref()?;
        Some(inside.ground.outermost().unwrap_or(inside.fields))
    }
}
