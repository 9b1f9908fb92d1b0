//! Finds the text at an offset of a document that is being edited.

use crate::analysis::document::{DocumentAnalysis, NoFieldBindings, Scope, Text, TextAt};
use crate::reference::Heads;
use crate::report::Origin;
use yaml::split;

/// Analyses the document around byte `offset` of a file and calls `ask` with the scalar or
/// setter comment there, if any.
pub(crate) fn text_at(text: &str, offset: usize, heads: &Heads, ask: &mut dyn FnMut(&TextAt<'_>)) {
    let documents = split(text);
    let Some(document) = documents.iter().rev().find(|one| one.offset <= offset) else {
        return;
    };
    let origin = Origin::Manifest(0);
    let no_field_bindings = NoFieldBindings::new(heads);
    let scope = Scope {
        unfinished: Some(offset - document.offset),
        ..no_field_bindings.scope(heads)
    };
    let text = Text::Borrowed(document.text);
    let analysis = DocumentAnalysis::of_file(text, document.offset, origin, scope, None);
    analysis.text_at(offset, origin, ask);
}
