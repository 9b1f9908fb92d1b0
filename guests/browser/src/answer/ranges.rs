//! Converts spans to ranges in the documents of one call.

use landfall::{Config, Origin, Span};

use super::{diagnostic::Edit, text};
use crate::input::Documents;
use crate::positions::{Positions, Range};

/// The documents of a call. The position index of each one is built on first use.
#[derive(Debug)]
pub(crate) struct RangeConverter<'i> {
    documents: &'i Documents,
    manifests: Vec<Option<Positions<'i>>>,
    outputs: Vec<Option<Positions<'i>>>,
}

impl<'i> RangeConverter<'i> {
    pub(crate) fn new(documents: &'i Documents) -> Self {
        Self {
            documents,
            manifests: documents.manifests().iter().map(|_| None).collect(),
            outputs: documents.request.outputs.iter().map(|_| None).collect(),
        }
    }

    /// Converts edits of a document.
    pub(crate) fn edits(&mut self, origin: Origin, edits: Vec<landfall::Edit>) -> Vec<Edit> {
        let edits = edits.into_iter();
        let converted = edits.map(|edit| Edit {
            range: self.range(origin, edit.span),
            text: text(edit.text),
        });
        converted.collect()
    }

    /// Returns the range of a span, or an empty range if the document does not exist.
    pub(crate) fn range(&mut self, origin: Origin, span: Span) -> Range {
        let (content, cached): (&'i [u8], _) = match origin {
            Origin::Manifest(at) => match self.documents.manifests().get(at) {
                Some(document) => (&document.content, self.manifests.get_mut(at)),
                None => return Positions::new(b"").range(span),
            },
            Origin::Outputs(at) => match self.documents.request.outputs.get(at) {
                Some(document) => (&document.content, self.outputs.get_mut(at)),
                None => return Positions::new(b"").range(span),
            },
            // These are small and rarely used.
            Origin::Binding => (
                content(self.documents.request.configuration().binding.as_ref()),
                None,
            ),
            Origin::Policy => (
                content(self.documents.request.configuration().policy.as_ref()),
                None,
            ),
            Origin::Contract => return self.range(Origin::Manifest(0), span),
            Origin::OperatorPolicy | Origin::Parameters => (b"", None),
        };
        match cached {
            Some(cached) => cached
                .get_or_insert_with(|| Positions::new(content))
                .range(span),
            None => Positions::new(content).range(span),
        }
    }
}

fn content(config: Option<&Config>) -> &[u8] {
    config.map_or(b"", |config| &config.content)
}
