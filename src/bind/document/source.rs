//! The source of a render, with the fields of the scalars that contain it.

use std::ops::Deref;

use crate::analysis::document::SourceText;
use crate::kubernetes::resources::{Field, Identity, Occurrence};
use crate::report::Origin;
use yaml::{Decoded, Document};

/// One text with its surroundings.
pub(crate) struct RenderSource<'a> {
    source: SourceText<'a>,
    pub(crate) inside: Option<Inside<'a>>,
}

/// The scalar that holds an embedded document.
pub(crate) struct Inside<'a> {
    pub(crate) source: &'a RenderSource<'a>,
    /// The scalar's own place, and those where an alias repeats it.
    pub(crate) occurrences: &'a [Occurrence],
    /// The resources of the document that holds the scalar.
    pub(crate) identity: &'a Identity<'a>,
    /// It is JSON, whatever it looks like.
    pub(crate) json: bool,
}

impl<'a> Deref for RenderSource<'a> {
    type Target = SourceText<'a>;

    fn deref(&self) -> &SourceText<'a> {
        &self.source
    }
}

impl<'a> RenderSource<'a> {
    pub(crate) const fn of_file(document: Document<'a>, origin: Origin) -> Self {
        Self {
            source: SourceText::of_file(document, origin),
            inside: None,
        }
    }

    /// Returns the source of one document in the text of a scalar of this one. `None` if
    /// it is nested too deeply.
    pub(crate) fn embedded<'b>(
        &'b self,
        decoded: &'b Decoded<'b>,
        document: Document<'b>,
        (occurrences, identity): (&'b [Occurrence], &'b Identity<'b>),
        json: bool,
    ) -> Option<RenderSource<'b>> {
        let source = self.source.embedded(decoded, document)?;
        let inside = Some(Inside {
            source: self,
            occurrences,
            identity,
            json,
        });
        Some(RenderSource { source, inside })
    }

    /// The field that the text is the value of; none for a document of a file.
    pub(crate) fn field(&self) -> Option<&Field> {
        let place = self.inside.as_ref()?.occurrences.first();
        place.map(|place| &place.field)
    }

    /// Whether a Secret holds the text.
    pub(crate) fn in_secret(&self) -> bool {
        self.inside.as_ref().is_some_and(|inside| {
            let is_of_secret = |place: &Occurrence| place.field.is_of_secret();
            inside.occurrences.iter().any(is_of_secret) || inside.source.in_secret()
        })
    }
}
