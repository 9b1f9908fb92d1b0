//! Skips building the path of a field where the field cannot affect the written text, as in
//! most places.

use crate::bind::document::Renderer;
use crate::bind::document::scalars::DecodedScalar;
use crate::bind::document::values::{NewFields, ResolvedReferences};
use crate::kubernetes::annotations;
use crate::kubernetes::consumers::{contains_dollar, may_read_text};
use crate::kubernetes::resources::Resources;
use crate::kubernetes::types::OwnField;
use crate::outputs::Value;
use crate::steps::{self, RenderStep};
use yaml::{Edit, NodeEditor, Part};

impl Renderer<'_, '_> {
    /// Returns whether a document is one in which only types and names of fields matter for
    /// text: no consumer expands actions in it, nothing is repeated, sensitive or reported.
    pub(crate) fn has_plain_fields(&self, resources: &Resources<'_>) -> bool {
        !self.context.wants_substitutions
            && self.source.container.is_none()
            && resources.has_plain_fields()
    }

    /// Returns the edits of a scalar, if its field decides nothing about them. `None` if it
    /// may, or if there is something to report.
    pub(crate) fn plain_text_edits(
        &self,
        decoded_scalar: &DecodedScalar<'_, '_>,
        values: &ResolvedReferences<'_>,
        editor: &NodeEditor<'_>,
        parts: &[Part<'_, Value>],
        fields: &NewFields<'_>,
    ) -> Option<Vec<Edit>> {
        let is_text = |part: &Part<'_, Value>| match part.value {
            None => true,
            // Without characters, it may select everything.
            Some(value @ Value::String(text)) => !text.is_empty() && !contains_dollar(value),
            Some(_) => false,
        };
        if decoded_scalar.embedded.is_some()
            || values.failed
            || values.occurrences.is_some()
            || !values.withheld.is_empty()
            || !parts.iter().all(is_text)
            || may_read_text(fields.resources, editor.id)
            || annotations::may_be_parsed(fields.resources, editor.id, &decoded_scalar.decoded.text)
        {
            return None;
        }
        let is_untyped = editor.is_untyped();
        let step = steps::enter(RenderStep::Type);
        let own = match fields.own_fields.borrow_mut().get(editor.id) {
            Some(own) => own,
            None if !is_untyped && !fields.are_typed => OwnField::default(),
            None => return None,
        };
        // What is in quotes needs no conversion for a field that takes both.
        let is_string = editor.is_quoted() || editor.is_block();
        let refuses_text = (is_untyped || is_string) && own.takes.refuses_text();
        if refuses_text || (is_untyped && !own.takes.takes_text()) {
            return None;
        }
        if let Some(constraint) = own.constraint {
            let text = editor.text_with(parts);
            let text = Value::String(editor.decoded.chomped(&text).to_owned());
            constraint.check(&text).ok()?;
        }
        drop(step);
        let _step = steps::enter(RenderStep::Write);
        editor.replace_parts(parts).ok()
    }
}
