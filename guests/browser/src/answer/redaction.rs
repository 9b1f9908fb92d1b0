//! Outputs documents that may be shown to others.

use serde::Serialize;

use landfall::{Origin, Request, splice};

use super::ranges::RangeConverter;
use crate::input::Documents;
use crate::positions::Range;

/// An outputs document without the values of its sensitive outputs.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub(crate) struct Redacted {
    /// The document. Everything else is unchanged.
    pub(crate) content: String,
    /// The names of the sensitive outputs, in the order of the document.
    pub(crate) outputs: Vec<String>,
    /// What was replaced, in the document before: the values of the sensitive outputs, and their
    /// keys that no manifest contains.
    pub(crate) replaced: Vec<Range>,
}

/// Redacts the first outputs document; the others are bound, too. Keys that a manifest contains are public.
pub(crate) fn redact(documents: &Documents) -> Option<Redacted> {
    let Request {
        application,
        outputs,
        ..
    } = &documents.request;
    let binding = application.configuration().binding.as_ref();
    let (document, others) = outputs.split_first()?;
    let is_public = |key: &str| {
        let mut manifests = documents.manifests().iter();
        manifests.any(|of| memchr::memmem::find(&of.content, key.as_bytes()).is_some())
    };
    let redaction = landfall::redact(document, others, binding, &is_public)?;
    let bytes = splice(&document.content, &redaction.edits).ok()?;
    let mut ranges = RangeConverter::new(documents);
    let replaced = redaction.edits.iter();
    Some(Redacted {
        content: String::from_utf8(bytes).ok()?,
        outputs: redaction.outputs,
        replaced: replaced
            .map(|edit| ranges.range(Origin::Outputs(0), edit.span))
            .collect(),
    })
}
