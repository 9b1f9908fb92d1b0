//! A text that is read as YAML, and the way from its bytes to those of the file:
//! a document of the file itself, or one that a scalar holds.

use std::ops::Range;

use crate::bind::document::targets::InnerTarget;
use crate::kubernetes::resources::{Field, Identity, Occurrence};
use crate::report::Origin;
use yaml::Span;
use yaml::{Decoded, Document};

/// Documents inside each other, at most.
const DEEPEST: usize = 8;

/// One text with the place where it stands.
pub(crate) struct Ground<'a> {
    pub(crate) text: &'a str,
    pub(crate) origin: Origin,
    /// Where the text begins: in the file, or in the scalar's decoded text.
    pub(crate) offset: usize,
    pub(crate) inside: Option<Inside<'a>>,
}

/// The scalar that holds an embedded document.
pub(crate) struct Inside<'a> {
    pub(crate) ground: &'a Ground<'a>,
    decoded: &'a Decoded<'a>,
    /// The scalar's own place, and those where an alias repeats it.
    pub(crate) places: &'a [Occurrence],
    /// The resources of the document that holds the scalar.
    pub(crate) identity: &'a Identity<'a>,
    /// It is JSON, whatever it looks like.
    pub(crate) json: bool,
    /// The field paths that go on in the text.
    pub(crate) targets: &'a [InnerTarget],
    depth: usize,
}

impl<'a> Ground<'a> {
    pub(crate) const fn of_file(document: Document<'a>, origin: Origin) -> Self {
        Self {
            text: document.text,
            origin,
            offset: document.offset,
            inside: None,
        }
    }

    /// The ground of one document in the text of a scalar of this one. None when
    /// that goes too deep.
    pub(crate) fn embedded<'b>(
        &'b self,
        decoded: &'b Decoded<'b>,
        document: Document<'b>,
        (places, identity): (&'b [Occurrence], &'b Identity<'b>),
        json: bool,
        targets: &'b [InnerTarget],
    ) -> Option<Ground<'b>> {
        let depth = 1 + self.inside.as_ref().map_or(0, |inside| inside.depth);
        (depth <= DEEPEST).then_some(Ground {
            text: document.text,
            origin: self.origin,
            offset: document.offset,
            inside: Some(Inside {
                ground: self,
                decoded,
                places,
                identity,
                json,
                targets,
                depth,
            }),
        })
    }

    /// Bytes of this text as bytes of the file.
    pub(crate) fn span(&self, range: &Range<usize>) -> Span {
        let range = range.start + self.offset..range.end + self.offset;
        match &self.inside {
            None => Span::new(range.start, range.end),
            Some(inside) => inside.ground.span(&inside.decoded.raw_range(&range)),
        }
    }

    /// Some bytes of the file with the rest of their lines, as far as these belong to
    /// the document.
    pub(crate) fn lines(&self, span: Span) -> Span {
        if let Some(inside) = &self.inside {
            return inside.ground.lines(span);
        }
        let bytes = self.text.as_bytes();
        let within = |at: usize| at.saturating_sub(self.offset).min(bytes.len());
        let (start, end) = (within(span.start), within(span.end));
        let line_start = memchr::memrchr(b'\n', &bytes[..start]).map_or(0, |at| at + 1);
        let line_end = memchr::memchr(b'\n', &bytes[end..]).map_or(bytes.len(), |at| end + at);
        Span::new(line_start, line_end.max(line_start)).shifted(self.offset)
    }

    /// Whether the text is inside a scalar with these quotes, at any depth.
    pub(crate) fn is_quoted(&self, quote: u8) -> bool {
        self.inside.as_ref().is_some_and(|inside| {
            let outer = inside.ground;
            let first = outer.text.as_bytes().get(inside.decoded.raw.start);
            first == Some(&quote) || outer.is_quoted(quote)
        })
    }

    /// The field that the text is the value of; none for a document of a file.
    pub(crate) fn field(&self) -> Option<&Field> {
        let place = self.inside.as_ref()?.places.first();
        place.map(|place| &place.field)
    }

    /// Whether a Secret holds the text.
    pub(crate) fn in_secret(&self) -> bool {
        self.inside.as_ref().is_some_and(|inside| {
            let is_of_secret = |place: &Occurrence| place.field.is_of_secret();
            inside.places.iter().any(is_of_secret) || inside.ground.in_secret()
        })
    }
}
