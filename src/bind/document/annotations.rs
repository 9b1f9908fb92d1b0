//! Checks values in texts that programs parse: annotations, and documents that a setter comment
//! writes as text.

use crate::analysis::document::FoundReference;
use crate::bind::document::Renderer;
use crate::bind::document::consumers::NodeText;
use crate::bind::document::scalars::DecodedScalar;
use crate::bind::document::validate::Placement;
use crate::kubernetes::annotations::{AnnotationValue, Notation, broken, is_annotation};
use crate::kubernetes::resources::{Field, Occurrence, Occurrences, Resources};
use crate::kubernetes::{Format, embedded_by_text};
use crate::report::{Diagnostic, Rule};
use yaml::{BLANKS, Tree};

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

    /// Reports a scalar whose format depends on a name or kind that a field binding replaces:
    /// its values are escaped for the format that it had before. Returns whether there is one.
    pub(crate) fn changes_format(
        &mut self,
        scalar: &DecodedScalar<'_, '_>,
        tree: &Tree,
        occurrences: &Occurrences,
        analysed: &Resources<'_>,
    ) -> bool {
        let text = scalar.decoded.text.trim_matches(BLANKS);
        let is_whole = |found: &FoundReference| found.reference.range.len() == text.len();
        let is_value = scalar.embedded.is_none() && scalar.references.iter().all(is_whole);
        if scalar.listed.is_some() || is_value {
            return false;
        }
        let own = scalar
            .embedded
            .and_then(|embedded| embedded.documents.first())
            .map(|document| document.format);
        let Some(before) = self.occurrences(tree, analysed, scalar.id, None) else {
            return false;
        };
        let format = |one: &Occurrence| embedded_by_text(&one.field, false, text);
        let mut pairs = std::iter::zip(before.all(), occurrences.all());
        let is_changed = pairs.any(|(before, after)| {
            !after.is_key && format(after) != format(before) && format(after) != own
        });
        if is_changed {
            let message =
                "a field binding replaces a name or kind that decides the format of this text";
            let (origin, span) = (self.origin(), self.span(&tree[scalar.id].range()));
            let error = Diagnostic::error(Rule::MisreadValue, message)
                .at(origin, span, "its values would not be escaped in the new format")
                .help("write that reference in the manifest itself, or list the field in `spec.embedded` of the Binding with its new format");
            self.report(error, &occurrences.own.field);
        }
        is_changed
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
