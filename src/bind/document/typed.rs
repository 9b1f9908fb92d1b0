//! Reports where the type of a field decided how a value is written: quotes around a number,
//! and types that are those of another version.

use crate::analysis::document::FoundReference;
use crate::bind::document::Renderer;
use crate::bind::document::validate::Placement;
use crate::bind::document::values::Write;
use crate::kubernetes::resources::{Field, Occurrences};
use crate::kubernetes::types::{
    FieldType, Refusal, UnknownField, differing_definitions, field_type, nearest_version,
};
use crate::outputs::Value;
use crate::reference::LANDFALL;
use crate::report::{Diagnostic, Origin, ResourceRef, Rule};
use yaml::{Edit, NodeEditor, Span};

impl Renderer<'_, '_> {
    /// Reports a number or bool in quotes, or removes them with a note. Returns whether the
    /// value is written.
    ///
    /// Authors of landfall's own references decide about quotes. JSON needs them, and other
    /// tools that read these manifests drop them.
    pub(crate) fn may_remove_quotes(
        &mut self,
        placements: &[Placement<'_, '_>],
        write: &Write<'_, '_>,
    ) -> bool {
        let Some(placement) = placements.first() else {
            return false;
        };
        let takes = (placement.occurrences.all())
            .map(|occurrence| {
                (
                    &occurrence.field,
                    field_type(&occurrence.field, self.context.custom),
                )
            })
            .find(|(_, takes)| takes.refuses_text());
        let Some((field, takes)) = takes else {
            return true;
        };
        let is_own = placements
            .iter()
            .all(|placement| placement.template.is_none())
            && !write.scalar.json
            && self.context.dialect().notation().id == LANDFALL.notation().id
            && (self.context.scope.only_under.is_none() || self.source.container.is_some());
        if is_own || write.scalar.is_block() {
            self.report_quotes(placement, field, &takes, write.scalar);
            return false;
        }
        if let Some(found) = placement.references.first()
            && !placements
                .iter()
                .any(|placement| placement.mark().is_some())
        {
            let message = format!(
                "{} expects {}: the quotes around it are removed",
                described(field),
                takes.described()
            );
            let note =
                Diagnostic::note(Rule::QuotesRemoved, message).at(found.origin, found.span, "");
            self.report(note, field);
        }
        true
    }

    fn report_quotes(
        &mut self,
        placement: &Placement<'_, '_>,
        field: &Field,
        takes: &FieldType,
        scalar: &NodeEditor<'_>,
    ) {
        if let Some((found, mark)) = placement.mark() {
            return self.report_sensitive_misfit(found, mark, field);
        }
        let (holder, help) = if scalar.is_block() {
            (
                "a block scalar",
                "write the reference on the line of its key: `key: ${name.output}`",
            )
        } else {
            ("quotes", "remove the quotes")
        };
        let message = format!(
            "{} expects {}, but in {holder} the value is a string",
            described(field),
            takes.described()
        );
        let mut error = Diagnostic::error(Rule::FieldTypeMismatch, message);
        for (found, _) in placement.each() {
            error = error.at(found.origin, found.span, format!("in {holder}"));
        }
        for (_, value) in placement.each() {
            if let Some((document, span)) = value.source {
                let message = format!("this output is {}", value.source_type.described());
                error = error.at_concealed(Origin::Outputs(document), span, message);
            }
        }
        error = error.help(help);
        if !scalar.is_block() {
            let edits = vec![Edit {
                span: self.span(&scalar.tree[scalar.id].range()),
                text: scalar.decoded.text.as_bytes().to_vec(),
            }];
            error = error.fix("remove the quotes", self.origin(), edits);
        }
        self.report(error, field);
    }

    /// Notes once for each kind that the types of its fields are those of another version.
    pub(crate) fn note_unknown_version(
        &mut self,
        found: Option<&FoundReference>,
        occurrences: &Occurrences,
    ) {
        let custom = self.context.custom;
        for (field, resource) in fields_of_kinds(occurrences) {
            let (api_version, kind) = (&resource.api_version, &resource.kind);
            let Some(nearest) = nearest_version(api_version, kind, custom) else {
                continue;
            };
            if !custom.reports_first(Rule::UnknownVersion, api_version, kind) {
                continue;
            }
            let message = format!(
                "the types of `{api_version}` {kind} are unknown: those of `{}` are used",
                nearest.api_version
            );
            let mut note = Diagnostic::note(Rule::UnknownVersion, message);
            if let Some(found) = found {
                note = note.at(found.origin, found.span, DECIDED);
            }
            let note = note.help(
                "check `apiVersion`; if it is right, name the CustomResourceDefinition in `spec.schemas` of the Binding",
            );
            self.report(note, field);
        }
    }

    /// Warns once for each kind that its definitions give the field of a value different types.
    pub(crate) fn warn_of_other_definition(
        &mut self,
        placement: &Placement<'_, '_>,
        value: Option<&Value>,
    ) {
        let custom = self.context.custom;
        // What is inside a sensitive value decides nothing that is reported.
        let value = if placement.mark().is_some() {
            None
        } else {
            value
        };
        for (field, resource) in fields_of_kinds(placement.occurrences) {
            let (api_version, kind) = (&resource.api_version, &resource.kind);
            let Some([(used, takes), (other, other_takes)]) =
                differing_definitions(resource, &field.steps, value, custom)
            else {
                continue;
            };
            if !custom.reports_first(Rule::InvalidSchema, api_version, kind) {
                continue;
            }
            let message = format!(
                "two CustomResourceDefinitions of `{api_version}` {kind} give `{field}` different types"
            );
            let mut warning = Diagnostic::warning(Rule::InvalidSchema, message);
            if let Some(found) = placement.references.first() {
                warning = warning.at(found.origin, found.span, DECIDED);
            }
            let used_as = format!(
                "this definition is used: the field takes {}",
                takes.described()
            );
            let other_as = format!("here, the field takes {}", other_takes.described());
            let warning = warning
                .at(Origin::Manifest(used.text), used.name, used_as)
                .at(Origin::Manifest(other.text), other.name, other_as)
                .help("keep only the definition that is installed: among the manifests, or in `spec.schemas` of the Binding");
            self.report(warning, field);
        }
    }

    /// Returns the error of a member of a value that its field does not have.
    pub(crate) fn unknown_member(
        &self,
        placement: &Placement<'_, '_>,
        refusal: &Refusal,
    ) -> Option<Diagnostic> {
        let member = Field {
            steps: refusal.unknown.as_ref()?.steps.clone(),
            ..Field::default()
        };
        let message = format!(
            "{} has no field `{member}`, but the value has one",
            described(&refusal.field)
        );
        let error = Diagnostic::error(Rule::UnknownField, message);
        Some(self.at_values(error, placement))
    }

    /// Returns the error of a path that would create a field that does not exist.
    pub(crate) fn unknown_new_field(
        &self,
        origin: Origin,
        span: Span,
        field: &Field,
        unknown: &UnknownField,
    ) -> Diagnostic {
        let kind = field
            .resource
            .as_deref()
            .map_or("the resource", |resource| &resource.kind);
        let message = format!(
            "{kind} has no field {}, so it cannot be created",
            described(field)
        );
        Diagnostic::error(Rule::UnknownField, message)
            .at(origin, span, "this path")
            .help(unknown.help())
    }

    /// Returns the error of a value that two fields require in different forms.
    pub(crate) fn conflict(
        &self,
        placement: &Placement<'_, '_>,
        refusal: &Refusal,
    ) -> Option<Diagnostic> {
        let (other, other_takes) = refusal.conflict.as_ref()?;
        let message = format!(
            "{} expects {}, but {}, which has the same value, expects {}",
            described(&refusal.field),
            refusal.mismatch.takes.described(),
            described(other),
            other_takes.described()
        );
        let error = Diagnostic::error(Rule::FieldTypeMismatch, message);
        Some(self.at_values(error, placement))
    }
}

/// What is said at a value for which a version or definition of a kind matters.
const DECIDED: &str = "the first value of which they decide the type";

/// Returns the fields whose types depend on the kind of their resource, which is no patch.
fn fields_of_kinds(occurrences: &Occurrences) -> impl Iterator<Item = (&Field, &ResourceRef)> {
    occurrences.all().filter_map(|occurrence| {
        let field = &occurrence.field;
        let is_metadata = (field.steps.first()).is_some_and(|step| step.is_key("metadata"));
        match (field.resource.as_deref(), &field.patch) {
            (Some(resource), None) if !is_metadata => Some((field, resource)),
            _ => None,
        }
    })
}

/// Returns the path of a field in backquotes, of a patch that in the patched resource.
pub(crate) fn described(field: &Field) -> String {
    match &field.patch {
        Some(patch) => {
            let steps = patch.steps(&field.steps);
            let set = Field {
                steps,
                ..Field::default()
            };
            format!("`{set}` of the patched resource")
        }
        None => format!("`{field}`"),
    }
}
