//! Checks values in texts that programs parse: annotations, and documents that a setter comment
//! writes as text.

use crate::bind::document::Renderer;
use crate::bind::document::consumers::NodeText;
use crate::bind::document::validate::Placement;
use crate::kubernetes::annotations::{AnnotationValue, Notation, broken, is_annotation};
use crate::kubernetes::resources::Field;
use crate::kubernetes::{Format, embedded_by_text};
use crate::report::{Diagnostic, Rule};

impl Renderer<'_, '_> {
    /// Reports a setter comment or a field binding that writes a value into the text of a
    /// document: nothing there would escape it. `text` is that of the node if only a part of it
    /// is replaced.
    pub(crate) fn validate_document_text(
        &mut self,
        placements: &[Placement<'_, '_>],
        text: Option<&str>,
    ) {
        let is_part = |one: &&Placement<'_, '_>| {
            let Some(template) = one.template else {
                return false;
            };
            let is_whole =
                matches!(one.references, [found] if found.reference.range == (0..template.len()));
            let is_document = |field: &Field| {
                let by_text = || embedded_by_text(field, one.encoded, text.unwrap_or(template));
                let format = one.listed.or_else(by_text);
                format.is_some_and(|format| format != Format::Text)
            };
            let mut all = one.occurrences.all();
            (text.is_some() || !is_whole)
                && !one.references.is_empty()
                && all.any(|occurrence| !occurrence.is_key && is_document(&occurrence.field))
        };
        let Some(placement) = placements.iter().find(is_part) else {
            return;
        };
        if let Some((found, _)) = placement.each().next() {
            let help = if placement.encoded {
                "write it without base64, where a field path can continue in it: in `stringData` of a Secret; or list the field in `spec.embedded` of the Binding with `format: text`"
            } else if found.origin == self.origin() {
                "write the reference, or the setter comment, in the document itself; a field path can continue in it"
            } else {
                "let the field path continue in it, such as `data.[app.yaml].server.port`, or list the field in `spec.embedded` of the Binding with `format: text`"
            };
            let message = "a value in the text of this document would not be escaped in it";
            let error = Diagnostic::error(Rule::MisreadValue, message)
                .at(found.origin, found.span, "")
                .help(help);
            self.report(error, placement.field);
        }
    }

    /// Reports the first value that breaks an annotation which is JSON or YAML without it.
    pub(crate) fn validate_annotation(
        &mut self,
        placements: &[Placement<'_, '_>],
        result: &dyn Fn() -> NodeText,
    ) {
        let is_of_annotation = |one: &Placement<'_, '_>| {
            let mut all = one.occurrences.all();
            one.listed.is_none()
                && all.any(|occurrence| !occurrence.is_key && is_annotation(&occurrence.field))
        };
        // Annotations take no sensitive value, which is reported.
        if !placements.iter().any(is_of_annotation)
            || placements.iter().any(|one| one.mark().is_some())
        {
            return;
        }
        let text = result();
        let each = placements
            .iter()
            .flat_map(|one| one.each().map(move |each| (one, each)));
        let mut values: Vec<_> = each.zip(&text.values).collect();
        values.sort_by_key(|(_, in_text)| in_text.bytes.start);
        let annotation_values: Vec<AnnotationValue> = values
            .iter()
            .map(|((_, (found, _)), in_text)| AnnotationValue {
                bytes: in_text.bytes.clone(),
                has_calls: !found.reference.calls.is_empty(),
            })
            .collect();
        let Some((notation, nth)) = broken(&text.text, &annotation_values) else {
            return;
        };
        let Some(((placement, (found, value)), _)) = values.get(nth) else {
            return;
        };
        let (name, format) = match notation {
            Notation::Json => ("JSON", "json"),
            Notation::Yaml => ("YAML", "yaml"),
        };
        let message = format!("`{}` breaks the {name} in this annotation", value.output);
        let help = format!(
            "list the annotation in `spec.embedded` of the Binding with `format: {format}`, so that values are escaped; with `format: text` if nothing parses it"
        );
        let error = Diagnostic::error(Rule::MisreadValue, message)
            .at(found.origin, found.span, "")
            .help(help);
        self.report(error, placement.field);
    }
}
