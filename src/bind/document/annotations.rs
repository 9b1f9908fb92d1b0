//! Checks values in annotations that controllers parse.

use crate::bind::document::Renderer;
use crate::bind::document::consumers::NodeText;
use crate::bind::document::validate::Placement;
use crate::bind::document::values::Write;
use crate::kubernetes::annotations::{AnnotationValue, Notation, broken, is_annotation};
use crate::report::{Diagnostic, Rule};

impl Renderer<'_, '_> {
    /// Reports the first value that breaks an annotation which is JSON or YAML without it.
    pub(crate) fn validate_annotation(
        &mut self,
        placements: &[Placement<'_, '_>],
        write: &Write<'_, '_>,
    ) {
        let is_of_annotation = |one: &Placement<'_, '_>| {
            let mut all = one.occurrences.all();
            all.any(|occurrence| !occurrence.is_key && is_annotation(&occurrence.field))
        };
        // Annotations take no sensitive value, which is reported.
        if write.is_declared_text
            || !placements.iter().any(is_of_annotation)
            || placements.iter().any(|one| one.mark().is_some())
        {
            return;
        }
        let text = NodeText::of(placements, write);
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
