//! The texts of scalars that decide what a document means, resolved before anything else
//! in it is rendered.

use std::ops::Range;

use crate::analysis::document::{AssignedNode, DocumentAnalysis, InnerTarget, Located};
use crate::bind::document::assign::Assignment;
use crate::bind::document::scalars::DecodedScalar;
use crate::bind::document::sensitive::ReferencesInText;
use crate::bind::document::source::RenderSource;
use crate::bind::document::validate::SENSITIVE;
use crate::bind::document::values::{ResolvedReferences, Resolving, parts_of};
use crate::bind::document::{Context, Renderer};
use crate::bind::resolve::all_values;
use crate::collections::OrderedMap;
use crate::outputs::Value;
use yaml::{NodeEditor, NodeId};

/// Analyses a document with the texts of its deciding scalars. `None` if there are none,
/// or none has a public value: problems with them are reported with those of the other
/// scalars.
pub(super) fn analysis<'s>(
    source: &RenderSource<'_>,
    analysis: &DocumentAnalysis<'s>,
    context: &Context<'_>,
    targets: &[InnerTarget],
) -> Option<DocumentAnalysis<'s>> {
    let located = analysis.located.as_ref()?;
    if located.deciding.is_empty() {
        return None;
    }
    let texts = texts(source, located, context);
    let container = source.container.as_ref();
    let patch_target = container.and_then(|container| container.patch_target.clone());
    let outer = source.field();
    analysis.decided(&texts, source, context.scope, outer, patch_target, targets)
}

fn texts(
    source: &RenderSource<'_>,
    located: &Located,
    context: &Context<'_>,
) -> OrderedMap<NodeId, String> {
    let tree = &*located.tree;
    let resolver = Renderer::new(source, context);
    let decides = |id: NodeId| located.deciding.binary_search(&id).is_ok();
    let is_whole = |values: &ResolvedReferences<'_>| all_values(&values.values).is_some();
    let mut texts = OrderedMap::new();
    for scalar in located.scalars.iter().filter(|scalar| decides(scalar.id)) {
        let Some(decoded_scalar) = DecodedScalar::of(scalar, tree, source) else {
            continue;
        };
        let span_of = |range: &Range<usize>| source.span(&decoded_scalar.decoded.raw_range(range));
        let in_text =
            ReferencesInText::of_scalar(tree, &decoded_scalar, context.dialect(), &span_of);
        let values = resolver.resolve(&in_text, &mut Resolving::default());
        let Some(values) = values.filter(is_whole) else {
            // Nothing but the reference itself is known: selectors see what the manifest
            // says, instead of the mask over it.
            let written = decoded_scalar.decoded.chomped(&decoded_scalar.decoded.text);
            texts.insert(decoded_scalar.id, written.to_owned());
            continue;
        };
        let all = [values];
        let parts = parts_of(std::slice::from_ref(&decoded_scalar), &all, &Value::Null);
        let editor = NodeEditor {
            source: source.text,
            tree,
            id: decoded_scalar.id,
            decoded: &decoded_scalar.decoded,
            json: false,
        };
        let text = editor.text_with(parts.first().map_or(&[][..], Vec::as_slice));
        texts.insert(
            decoded_scalar.id,
            decoded_scalar.decoded.chomped(&text).to_owned(),
        );
    }
    for assigned in &located.assignments {
        let AssignedNode::Comment { node, .. } = assigned else {
            continue;
        };
        if !decides(*node) {
            continue;
        }
        // What is wrong with it is reported with the other assignments.
        let (assignment, _) = Assignment::of(assigned, tree, context, source.origin);
        let Some(assignment) = assignment else {
            continue;
        };
        let span_of = |range: &Range<usize>| assignment.span_of(source, range);
        let in_text =
            ReferencesInText::of_assignment(tree, &assignment, context.dialect(), &span_of);
        let values = resolver.resolve(&in_text, &mut Resolving::default());
        let text = match values {
            Some(values) if !values.withheld.is_empty() => Some(SENSITIVE.to_owned()),
            values => values.filter(is_whole).and_then(|values| {
                let values = all_values(&values.values)?;
                let value = assignment.template.value(&values).ok()?;
                Some(deciding_text(&value))
            }),
        };
        texts.extend(text.map(|text| (*node, text)));
    }
    texts
}

/// Returns the text of a value that decides what a document means. That of null, a list or
/// an object is no kind or name, and replaces the one that the manifest says.
pub(super) fn deciding_text(value: &Value) -> String {
    value.text().map_or_else(|| value.to_json(), str::to_owned)
}
