//! What can be written at an offset of a manifest: names after `${` and `.`, functions
//! after `|`.

use crate::assist::ask;
use crate::assist::candidates::CompletionContext;
use crate::assist::node::{node_at, reference_at};
use crate::contract::Application;
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

/// Returns what can be written at byte `offset` of a manifest, best first: names that begin
/// with the word before the offset, then names that contain it. After a value of a known
/// type, only functions that accept it are returned, those that accept nothing else first.
///
/// Returns nothing outside references, in comments other than setter comments, and for
/// files that are not UTF-8. The keys of a sensitive output are part of its value and are
/// not offered; the Binding may declare outputs sensitive.
///
/// # Examples
/// ```
/// use landfall::{Application, OutputsDocument, complete};
///
/// let outputs = [OutputsDocument {
///     name: "infra".into(),
///     content: br#"{"zones": {"sensitive": false, "type": ["list", "string"], "value": ["a", "b"]}}"#.to_vec(),
///     ..OutputsDocument::default()
/// }];
/// let manifest = b"zones: ${infra.zo";
/// let completions = complete(manifest, manifest.len(), &outputs, &Application::default());
/// assert_eq!(completions[0].label, "zones");
/// assert_eq!(completions[0].detail, "list");
/// assert_eq!(completions[0].span.range(), 15..17);
///
/// let manifest = b"zones: ${infra.zones | ";
/// let completions = complete(manifest, manifest.len(), &outputs, &Application::default());
/// assert_eq!(completions[0].label, "join");
/// ```
#[must_use]
pub fn complete(
    manifest: &[u8],
    offset: usize,
    outputs: &[OutputsDocument],
    application: &Application,
) -> Vec<Completion> {
    let completions = ask(
        manifest,
        offset,
        outputs,
        application,
        &|text, offset, bindings| {
            // The text after the word is not part of what is being typed.
            let end = skip_name(text.text.as_bytes(), text.at);
            let written = text.text.get(..end)?;
            let (reference, _) = reference_at(written, text.at)?;
            let node = node_at(&reference, written, text.at)?;
            let context = CompletionContext {
                text,
                offset,
                end,
                bindings,
            };
            Some(context.completions(&reference, node))
        },
    );
    completions.unwrap_or_default()
}
