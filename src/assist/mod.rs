//! Editor features. At an offset of a manifest: what can be written there, what the name
//! there means, and where it is defined. Each looks up the node of a reference at that
//! offset in the analysis of the document. For an output: where it is used, and the edits that
//! rename it there.

mod candidates;
mod complete;
mod config_mentions;
mod definition;
mod hover;
mod mentions;
mod node;
mod references;
mod rename;
#[cfg(test)]
mod rename_tests;
mod subject;
#[cfg(test)]
mod tests;
mod written;

pub use complete::{Completion, CompletionKind, complete};
pub use definition::{Definition, definition};
pub use hover::{Hover, HoverKind, hover};
pub use references::NamedAt;
pub use rename::Rename;
pub use subject::Subject;

use crate::analysis::at::text_at;
use crate::analysis::document::TextAt;
use crate::assist::node::{Node, name_at, reference_at};
use crate::contract::Application;
use crate::outputs::{Bindings, OutputsDocument};
use crate::reference::{Heads, Reference};
use yaml::Span;

/// Calls `answer` with the text around byte `offset` of a manifest. Returns `None` outside
/// scalars and setter comments, and for files that are not UTF-8.
fn ask<T>(
    manifest: &[u8],
    offset: usize,
    outputs: &[OutputsDocument],
    application: &Application,
    answer: &dyn Fn(&TextAt<'_>, usize, &Bindings) -> Option<T>,
) -> Option<T> {
    let text = std::str::from_utf8(manifest).ok()?;
    let offset = text.floor_char_boundary(offset);
    let (config, _) = application.effective();
    let (bindings, _) = Bindings::read(outputs, &config.declarations);
    let heads = Heads::new(bindings.names());
    let mut answered = None;
    text_at(text, offset, &heads, &mut |text| {
        answered = answer(text, offset, &bindings);
    });
    answered
}

/// Calls `answer` with the name at byte `offset` of a manifest, and the reference it is in.
/// Returns the answer with the bytes of the name; `None` outside references.
fn ask_of_name<T>(
    manifest: &[u8],
    offset: usize,
    outputs: &[OutputsDocument],
    application: &Application,
    answer: fn(&Reference, Node<'_>, &Bindings) -> Option<T>,
) -> Option<(Span, T)> {
    let with_span = |text: &TextAt<'_>, _, bindings: &Bindings| {
        let (reference, _) = reference_at(text.text, text.at)?;
        let (node, range) = name_at(&reference, text)?;
        Some((text.span(&range), answer(&reference, node, bindings)?))
    };
    ask(manifest, offset, outputs, application, &with_span)
}
