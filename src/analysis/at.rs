//! Finds the text at an offset of a document that is being edited.

use crate::analysis::document::{DocumentAnalysis, Scope, Text, TextAt};
use crate::analysis::targets::{FieldBindings, Listed, Steps};
use crate::reference::Heads;
use crate::report::{Diagnostics, Origin};
use yaml::split;

/// Analyses the document around byte `offset` of a file and calls `ask` with the scalar or
/// setter comment there, if any.
pub(crate) fn text_at(text: &str, offset: usize, heads: &Heads, ask: &mut dyn FnMut(&TextAt<'_>)) {
    let documents = split(text);
    let Some(document) = documents.iter().rev().find(|one| one.offset <= offset) else {
        return;
    };
    let origin = Origin::Manifest(0);
    let field_bindings = FieldBindings::new(
        Vec::new(),
        heads,
        Origin::Binding,
        &mut Diagnostics::default(),
    );
    let (steps, listed_steps) = (Steps::default(), Steps::default());
    let scope = Scope {
        heads,
        field_bindings: &field_bindings,
        steps: &steps,
        listed: &Listed::default(),
        listed_steps: &listed_steps,
        keep_references: false,
        only_under: None,
        unfinished: Some(offset - document.offset),
        parsed: None,
    };
    let text = Text::Borrowed(document.text);
    let analysis = DocumentAnalysis::of_file(text, document.offset, origin, scope, None);
    analysis.text_at(offset, origin, ask);
}
