//! The texts of scalars that decide what a document means, before anything else of it is
//! rendered.

use std::ops::Range;

use crate::analysis::document::{AssignedNode, DocumentAnalysis, InnerTarget, Located};
use crate::bind::document::assignment::Assignment;
use crate::bind::document::scalars::DecodedScalar;
use crate::bind::document::source::RenderSource;
use crate::bind::document::values::{Resolving, Values, parts_of};
use crate::bind::document::withheld::ReferencesInText;
use crate::bind::document::{Context, Renderer};
use crate::bind::resolve::all_values;
use crate::collections::OrderedMap;
use crate::outputs::Value;
use yaml::{NodeEditor, NodeId};

/// Analyses a document with the texts of its deciding scalars. `None` where none decides,
/// or none has a public value: what is wrong with them is reported with the others.
pub(super) fn analysis<'s>(
    source: &RenderSource<'_>,
    analysis: &DocumentAnalysis<'s>,
    context: &Context<'_>,
    targets: &[InnerTarget],
) -> Option<DocumentAnalysis<'s>> {
    let located = analysis.located.as_ref();
    let located = located.filter(|located| !located.deciding.is_empty())?;
    let texts = texts(source, located, context);
    analysis.decided(&texts, source, context.scope, source.field(), targets)
}

fn texts(
    source: &RenderSource<'_>,
    located: &Located,
    context: &Context<'_>,
) -> OrderedMap<NodeId, String> {
    let tree = &*located.tree;
    let resolver = Renderer::new(source, context);
    let decides = |id: NodeId| located.deciding.binary_search(&id).is_ok();
    let is_whole = |values: &Values<'_>| values.values.iter().all(Option::is_some);
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
        let bindings = context.scope.field_bindings;
        let assignment = Assignment::new(assigned, bindings, source.origin);
        let span_of = |range: &Range<usize>| assignment.span_of(source, range);
        let in_text =
            ReferencesInText::of_assignment(tree, &assignment, context.dialect(), &span_of);
        let values = resolver.resolve(&in_text, &mut Resolving::default());
        let values = values.filter(is_whole);
        let value = values.as_ref().and_then(|values| {
            let values = all_values(&values.values)?;
            let value = assignment.template.value(&values).ok()?;
            value.text().map(str::to_owned)
        });
        texts.extend(value.map(|text| (*node, text)));
    }
    // A field path would take nothing for a map that it can make.
    let texts = texts.into_iter();
    texts.filter(|(_, text)| !text.is_empty()).collect()
}
