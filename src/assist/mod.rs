//! What may stand at a place of a manifest that somebody is writing: names behind
//! `${` and `.`, functions behind `|`.

mod candidates;
mod expression;
mod place;
#[cfg(test)]
mod tests;

use crate::outputs::Bindings;
use crate::outputs::OutputsDocument;
use yaml::Span;

/// Something that may stand at a place of a manifest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Completion {
    /// Its name.
    pub label: String,
    /// What it is.
    pub kind: CompletionKind,
    /// The type of an output or a key, never a value; what a function takes and does;
    /// how many outputs a binding has.
    pub detail: String,
    /// What is written in the place of `span`.
    pub insert: String,
    /// What stands there already: the word around the place, or nothing.
    pub span: Span,
}

/// What a completion names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CompletionKind {
    /// A bound name: `infra`.
    Binding,
    /// An output of a bound name.
    Output,
    /// A key of an object, or a position in a list.
    Key,
    /// A function.
    Function,
}

/// What may stand at byte `offset` of a manifest, best first: what begins with the
/// word before that place, then what holds it. Nothing where no reference is being
/// written, in comments that are no setter comments, and in files that are not
/// UTF-8. The keys of a sensitive output are part of its value and are not told.
///
/// # Examples
/// ```
/// use landfall::{OutputsDocument, complete};
///
/// let outputs = [OutputsDocument {
///     name: "infra".into(),
///     content: br#"{"vpc_id": {"sensitive": false, "type": "string", "value": "vpc-0ab1"}}"#.to_vec(),
///     ..OutputsDocument::default()
/// }];
/// let manifest = b"vpc: ${infra.vp";
/// let completions = complete(manifest, manifest.len(), &outputs);
/// assert_eq!(completions[0].label, "vpc_id");
/// assert_eq!(completions[0].detail, "string");
/// assert_eq!(completions[0].span.range(), 13..15);
/// ```
#[must_use]
pub fn complete(manifest: &[u8], offset: usize, outputs: &[OutputsDocument]) -> Vec<Completion> {
    let Ok(text) = std::str::from_utf8(manifest) else {
        return Vec::new();
    };
    let offset = text.floor_char_boundary(offset);
    let Some((at, spot)) = expression::around(text, offset) else {
        return Vec::new();
    };
    let (bindings, _) = Bindings::read(outputs);
    let Some(place) = place::of(text, at, &bindings) else {
        return Vec::new();
    };
    candidates::of(text, offset, &spot, &place, &bindings)
}
