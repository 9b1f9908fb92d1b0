//! What the formats of Kubernetes objects share.

use super::{Entry, ObjectKind, Reader, object_kind, redaction};
use crate::outputs::ReadOutputs;
use crate::outputs::document::Document;
#[cfg(feature = "toys")]
use crate::outputs::formats::sample::FormatSample;
use crate::outputs::formats::{AsManifest, Format, Properties, Publication, Recognition};
use crate::outputs::redact::Redaction;

/// A format whose documents are Kubernetes objects of one kind.
pub(crate) struct ObjectFormat {
    pub(crate) id: &'static str,
    #[cfg(feature = "toys")]
    pub(crate) sample: FormatSample,
    pub(crate) kind: ObjectKind,
    /// Reads the outputs from the fields of an object.
    pub(crate) read: for<'o> fn(&mut Reader<'o, '_>, &[Entry<'o>]),
    /// Returns whether an annotation with this name cannot repeat a sensitive output: it is
    /// not redacted.
    pub(crate) keeps_annotation: fn(&str) -> bool,
}

impl Format for ObjectFormat {
    fn properties(&self) -> Properties {
        Properties {
            id: self.id,
            marks_sensitive: self.kind != ObjectKind::ConfigMap,
            as_manifest: AsManifest::Manifest,
            publication: Publication::Converted,
            of_plan: None,
        }
    }

    fn recognise(&self, document: &Document<'_>) -> Recognition {
        if object_kind(document) == Some(self.kind) {
            Recognition::Certain
        } else {
            Recognition::No
        }
    }

    fn read(&self, document: &Document<'_>) -> ReadOutputs {
        let (mut reader, fields) = Reader::open(document, self.kind);
        (self.read)(&mut reader, &fields);
        reader.read
    }

    fn redact(
        &self,
        document: &Document<'_>,
        is_public: &dyn Fn(&str) -> bool,
    ) -> Option<Redaction> {
        redaction(self, document, self.read(document), is_public)
    }

    #[cfg(feature = "toys")]
    fn sample(&self) -> FormatSample {
        self.sample
    }
}
