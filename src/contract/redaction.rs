//! Outputs documents without the values of their sensitive outputs, for readers who may see
//! only the names.

use crate::config::{Config, binding};
use crate::outputs::{self, OutputsDocument, Redaction};

/// Replaces the values of a document's sensitive outputs by others of the same type, so
/// that manifests render as before: a string becomes `(sensitive)`, a number `0`, a bool
/// `false`, a list keeps one item. The keys inside values may be secret as well: those for
/// which `is_public` returns true are kept.
///
/// Outputs are sensitive if the document marks them, the Binding declares them sensitive, or
/// they are sensitive in one of the `others` that are bound to the same name. If one of these
/// cannot be read, all outputs are.
/// The document's format is determined as in a render.
///
/// Returns `None` if it isn't certain what in the document is sensitive because no format
/// reads it, or because the Binding cannot be read. A render reports the reason.
///
/// # Examples
/// ```
/// # use landfall::{OutputsDocument, redact, splice};
/// let content = br#"{"id": {"value": "a-1"}, "key": {"sensitive": true, "value": "hunter2"}}"#;
/// let document = OutputsDocument { content: content.to_vec(), ..Default::default() };
/// let redaction = redact(&document, &[], None, &|_| false).unwrap();
/// assert_eq!(redaction.outputs, ["key"]);
/// assert_eq!(
///     splice(content, &redaction.edits).unwrap(),
///     br#"{"id": {"value": "a-1"}, "key": {"sensitive": true, "value": "(sensitive)"}}"#
/// );
/// ```
#[must_use]
pub fn redact(
    document: &OutputsDocument,
    others: &[OutputsDocument],
    binding: Option<&Config>,
    is_public: &dyn Fn(&str) -> bool,
) -> Option<Redaction> {
    let declarations = binding::declarations(binding);
    if declarations.is_unknown() {
        return None;
    }
    let mut declared = declarations.sensitive(&document.name);
    for other in others.iter().filter(|other| other.name == document.name) {
        declared = outputs::with_sensitive_of(other, declared);
    }
    outputs::redact(document, declared, is_public)
}
