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
use crate::contract::Application;
use crate::outputs::{Bindings, OutputsDocument};
use crate::reference::Heads;

/// Calls `answer` with the text around byte `offset` of a manifest. Returns `None` outside
/// scalars and setter comments, and for files that are not UTF-8.
fn ask<T>(
    manifest: &[u8],
    offset: usize,
    outputs: &[OutputsDocument],
    application: &Application,
    answer: fn(&TextAt<'_>, usize, &Bindings) -> Option<T>,
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
