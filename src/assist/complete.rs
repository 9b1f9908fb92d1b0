//! What can be written at an offset of a manifest: names after `${` and `.`, functions
//! after `|`.

use crate::assist::ask;
use crate::assist::candidates::Site;
use crate::assist::node::{node_at, reference_at};
use crate::outputs::OutputsDocument;
use crate::reference::skip_name;
use yaml::Span;

/// Something that can be written at an offset of a manifest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Completion {
    /// Its name.
    pub label: String,
    /// What it is.
    pub kind: CompletionKind,
    /// The type of an output or a key, but never a value; the signature of a function and
    /// what it does; how many outputs a binding has.
    pub detail: String,
    /// The text that replaces `span`.
    pub insert: String,
    /// The bytes of the word around the offset; empty if there is none.
    pub span: Span,
}

/// What a completion names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CompletionKind {
    /// A bound name: `infra`.
    Binding,
    /// An output of a bound name.
    Output,
    /// A key of an object, or an index of a list.
    Key,
    /// A function.
    Function,
}

/// Returns what can be written at byte `offset` of a manifest, best first: what begins
/// with the word before the offset, then what contains it. After a value of a known type
/// there are only functions that take it, those that take nothing else first.
///
/// There is nothing outside references, in comments other than setter comments, and in
/// files that are not UTF-8. The keys of a sensitive output are part of its value and do
/// not appear.
///
/// # Examples
/// ```
/// use landfall::{OutputsDocument, complete};
///
/// let outputs = [OutputsDocument {
///     name: "infra".into(),
///     content: br#"{"zones": {"sensitive": false, "type": ["list", "string"], "value": ["a", "b"]}}"#.to_vec(),
///     ..OutputsDocument::default()
/// }];
/// let manifest = b"zones: ${infra.zo";
/// let completions = complete(manifest, manifest.len(), &outputs);
/// assert_eq!(completions[0].label, "zones");
/// assert_eq!(completions[0].detail, "list");
/// assert_eq!(completions[0].span.range(), 15..17);
///
/// let manifest = b"zones: ${infra.zones | ";
/// let completions = complete(manifest, manifest.len(), &outputs);
/// assert_eq!(completions[0].label, "join");
/// ```
#[must_use]
pub fn complete(manifest: &[u8], offset: usize, outputs: &[OutputsDocument]) -> Vec<Completion> {
    let completions = ask(manifest, offset, outputs, |text, offset, bindings| {
        // What follows the word is not a part of what is being written.
        let end = skip_name(text.text.as_bytes(), text.at);
        let written = text.text.get(..end)?;
        let (reference, _) = reference_at(written, text.at)?;
        let node = node_at(&reference, written, text.at)?;
        let site = Site {
            text,
            offset,
            end,
            bindings,
        };
        Some(site.completions(&reference, node))
    });
    completions.unwrap_or_default()
}
