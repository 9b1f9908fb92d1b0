//! Resolves the references of one document, validates their values against the fields,
//! and writes them as edits.

use std::cell::RefCell;
use std::ops::Range;

use crate::analysis::document::{FoundReference, InnerTarget};
use crate::bind::document::assign::{Assignment, Assignments};
use crate::bind::document::consumers::{NodeText, may_be_read_again};
use crate::bind::document::members::{RemovedMembers, misplaced};
use crate::bind::document::results::result_parts;
use crate::bind::document::scalars::DecodedScalar;
use crate::bind::document::sensitive::ReferencesInText;
use crate::bind::document::validate::{Placement, SENSITIVE};
use crate::bind::document::{Budget, Renderer};
use crate::bind::missing_policy::apply_missing_policy;
use crate::bind::resolve::{Outcome, Resolved, Shape, Withheld};
use crate::collections::{OrderedMap, OrderedSet};
use crate::functions::size;
use crate::kubernetes::Format;
use crate::kubernetes::consumers::ForConsumer;
use crate::kubernetes::resources::{Identity, Occurrences, Resources};
use crate::kubernetes::types::{Coercion, FieldTypes, OwnFields};
use crate::outputs::Value;
use crate::report::{Counts, Diagnostic, MAX_DIAGNOSTICS};
use crate::steps::{self, RenderStep};
use yaml::{Edit, Span};
use yaml::{Kind, NodeId, Role, Style, Tree};
use yaml::{NodeEditor, Part};

/// More bytes than any name, kind or apiVersion can have.
const MAX_NAME: usize = 512;

/// Totals of resolving the references of one document, before any value is written.
#[derive(Default)]
pub(crate) struct Resolving {
    /// The approximate size of the values that functions produced, in bytes.
    produced: usize,
    /// The number of diagnostics that are held until all fields are known.
    held: Counts,
    omitted: Counts,
}

impl Resolving {
    /// Counts what functions produced for a value and takes its warnings. Returns `false`
    /// if all values together exceed the budget.
    pub(crate) fn count(
        &mut self,
        value: &mut Resolved<'_>,
        reported: &mut Vec<Diagnostic>,
        budget: &Budget,
    ) -> bool {
        self.produced = self.produced.saturating_add(value.produced_size());
        for warning in value.warnings.drain(..) {
            self.hold(warning, reported);
        }
        budget.has(self.produced)
    }

    /// Holds a diagnostic until its field is known, unless so many are held that it could
    /// not be kept then either.
    pub(crate) fn hold(&mut self, diagnostic: Diagnostic, reported: &mut Vec<Diagnostic>) {
        let severity = diagnostic.severity;
        if self.held.get(severity) < MAX_DIAGNOSTICS as u64 {
            self.held.add(severity, 1);
            reported.push(diagnostic);
        } else {
            self.omitted.add(severity, 1);
        }
    }
}

/// The resolved references of one scalar or assignment.
pub(crate) struct ResolvedReferences<'b> {
    /// `None` if the reference stays as it is or failed, or its value is withheld. Some of
    /// them may be unknown.
    pub(crate) values: Vec<Option<Resolved<'b>>>,
    /// Sensitive values, by position: not evaluated before their placement is known.
    pub(crate) withheld: Vec<(usize, Withheld<'b>)>,
    /// Errors and warnings.
    pub(crate) reported: Vec<Diagnostic>,
    /// Whether nothing can be written: the error is reported here or for the outputs
    /// document, or a value is unknown.
    pub(crate) failed: bool,
    /// The occurrences of the node, if they decided whether sensitive values are
    /// evaluated.
    pub(crate) occurrences: Option<Occurrences>,
}

impl ResolvedReferences<'_> {
    /// Returns whether a value is unknown.
    pub(crate) fn has_unknown(&self) -> bool {
        self.values.iter().flatten().any(|value| value.unknown)
    }
}

/// The resolved references of one document.
pub(crate) struct ResolvedDocument<'b> {
    /// By scalar.
    pub(crate) scalars: Vec<ResolvedReferences<'b>>,
    /// By assignment.
    pub(crate) assigned: Vec<ResolvedReferences<'b>>,
    pub(crate) resolving: Resolving,
}

impl ResolvedDocument<'_> {
    fn has_withheld(&self) -> bool {
        let mut all = self.scalars.iter().chain(&self.assigned);
        all.any(|values| !values.withheld.is_empty())
    }
}

/// The fields of a document, with the texts that its scalars become.
pub(crate) struct NewFields<'a> {
    pub(crate) resources: &'a Resources<'a>,
    identity: &'a Identity<'a>,
    pub(crate) field_types: &'a FieldTypes<'a>,
    pub(crate) own_fields: RefCell<OwnFields<'a>>,
    pub(crate) has_secrets: bool,
    removed: &'a RemovedMembers,
    /// The scalars that become lists and objects with members, ascending.
    pub(crate) filled: &'a [NodeId],
    /// The fields in which references were found, if field bindings may replace their names or
    /// kinds.
    analysed: Option<Resources<'a>>,
    /// Whether only types of fields matter for text: see [`Renderer::has_plain_fields`].
    are_plain: bool,
    /// Whether the type of any field may be known.
    pub(crate) are_typed: bool,
}

/// The values of a node could not be written, which has been reported.
pub(crate) struct NotWritten;

impl<'c> Renderer<'_, 'c> {
    /// Writes the values of one document. Returns its resources with the new texts.
    pub(crate) fn substitute<'p>(
        &mut self,
        tree: &Tree,
        decoded_scalars: &[DecodedScalar<'_, 'c>],
        assignments: &Assignments<'c>,
        before: Resources<'p>,
    ) -> Resources<'p> {
        // Public values first: the fields are validated with the resulting keys,
        // apiVersion and kind. Sensitive values follow where they are allowed. What
        // functions produce is held until all fields are validated.
        let Some(mut resolved) = self.resolve_all(tree, decoded_scalars, assignments) else {
            self.report_exceeded();
            return before;
        };
        let with_references = decoded_scalars.iter().map(|scalar| scalar.id);
        let assigned_to = assignments
            .list
            .iter()
            .map(|assignment| assignment.target.node());
        let mut changed: Vec<NodeId> = with_references.clone().chain(assigned_to).collect();
        changed.sort_unstable();
        let container = self.source.container.as_ref();
        let json = container.is_some_and(|container| container.format == Format::Json)
            || is_json(tree, self.source.text, &changed);
        let editors = editors_of(tree, self.source.text, decoded_scalars, json);

        let hidden = Value::String(SENSITIVE.to_owned());
        let mut parts = parts_of(decoded_scalars, &resolved.scalars, &hidden);
        let mut texts = new_texts(&before, &editors, &parts, &changed);
        // Setter comments come first.
        let list = &assignments.list;
        let (setters, field_bindings) =
            list.split_at(list.partition_point(|assignment| !assignment.is_field_binding()));
        self.add_assigned_texts(tree, setters, &resolved.assigned, &mut texts);
        let replaces_name = |assignment: &Assignment<'_>| {
            assignment.target.extended().is_none()
                && before.may_read_text(assignment.target.node(), &changed)
        };
        let analysed =
            (field_bindings.iter().any(replaces_name)).then(|| before.clone().with(texts.clone()));
        let of_field_bindings = &resolved.assigned[setters.len()..];
        self.add_assigned_texts(tree, field_bindings, of_field_bindings, &mut texts);
        let resources = before.with(texts);
        let (text, follows) = (self.source.text, self.source.offset > 0);
        let added = assignments.added_keys();
        let identity = Identity::new(tree, &resources, text, follows, added);

        if resolved.has_withheld() {
            drop(parts);
            if !self.evaluate_withheld(
                tree,
                &resources,
                &identity,
                decoded_scalars,
                assignments,
                &mut resolved,
            ) {
                self.report_exceeded();
                return resources;
            }
            parts = parts_of(decoded_scalars, &resolved.scalars, &hidden);
        }
        let omitted = resolved.resolving.omitted;
        self.rendered.diagnostics.add_omitted(omitted);
        // Only ordinary texts so far.
        if !self.take_written() {
            return resources;
        }
        for parts in &parts {
            if !self.context.budget.take(length(parts)) {
                self.report_exceeded();
                return resources;
            }
        }

        let scalars = &resolved.scalars;
        let filled = filled(decoded_scalars, scalars);
        let removed = self.removed_members(
            tree,
            decoded_scalars,
            scalars,
            &filled,
            assignments,
            &resources,
        );
        let field_types = FieldTypes::new(tree, self.context.custom);
        let fields = NewFields {
            removed: &removed,
            filled: &filled,
            resources: &resources,
            identity: &identity,
            field_types: &field_types,
            own_fields: RefCell::new(OwnFields::new(&resources, self.context.custom)),
            has_secrets: resources.has_kind("Secret") || resources.patches("", "Secret"),
            are_plain: analysed.is_none() && self.has_plain_fields(&resources),
            analysed,
            are_typed: resources.have_types(),
        };
        let mut failed: OrderedSet<NodeId> = removed.nodes().collect();
        for (((decoded_scalar, values), parts), editor) in decoded_scalars
            .iter()
            .zip(scalars)
            .zip(&parts)
            .zip(&editors)
        {
            let inner = assignments
                .inner_targets
                .get(&decoded_scalar.id)
                .map_or(&[][..], Vec::as_slice);
            let written = self.write_scalar(decoded_scalar, values, editor, parts, inner, &fields);
            if let Err(NotWritten) = written {
                failed.insert(decoded_scalar.id);
            }
        }
        if !assignments.list.is_empty() {
            self.assign(
                assignments,
                &resolved.assigned,
                with_references.chain(removed.nodes()).collect(),
                &resources,
                &field_types,
                json,
            );
        }
        self.remove(tree, decoded_scalars, scalars, removed, &resources);
        self.report_duplicate_keys(tree, &resources, &changed, &failed);
        self.resolve_results();
        resources
    }

    /// Resolves all references of a document. Returns `None` if the values exceed the
    /// budget.
    fn resolve_all(
        &self,
        tree: &Tree,
        decoded_scalars: &[DecodedScalar<'_, 'c>],
        assignments: &Assignments<'c>,
    ) -> Option<ResolvedDocument<'c>> {
        let _step = steps::enter(RenderStep::Resolve);
        let source = self.source;
        let dialect = self.context.dialect();
        let mut resolved = ResolvedDocument {
            scalars: Vec::with_capacity(decoded_scalars.len()),
            assigned: Vec::with_capacity(assignments.list.len()),
            resolving: Resolving::default(),
        };
        for decoded_scalar in decoded_scalars {
            let span_of =
                |range: &Range<usize>| source.span(&decoded_scalar.decoded.raw_range(range));
            let in_text = ReferencesInText::of_scalar(tree, decoded_scalar, dialect, &span_of);
            let values = self.resolve(&in_text, &mut resolved.resolving)?;
            resolved.scalars.push(values);
        }
        for assignment in &assignments.list {
            let span_of = |range: &Range<usize>| assignment.span_of(source, range);
            let in_text = ReferencesInText::of_assignment(tree, assignment, dialect, &span_of);
            let values = self.resolve(&in_text, &mut resolved.resolving)?;
            resolved.assigned.push(values);
        }
        Some(resolved)
    }

    /// Reports the problems of one scalar, and writes its values or renders the documents
    /// in it.
    fn write_scalar(
        &mut self,
        decoded_scalar: &DecodedScalar<'_, 'c>,
        values: &ResolvedReferences<'c>,
        editor: &NodeEditor<'_>,
        parts: &[Part<'_, Value>],
        inner_targets: &[InnerTarget],
        fields: &NewFields<'_>,
    ) -> Result<(), NotWritten> {
        let resources = fields.resources;
        if !values.reported.is_empty() {
            let field = resources.field(decoded_scalar.id);
            for reported in &values.reported {
                self.report(reported.clone(), &field);
            }
        }
        let is_reported = self.context.wants_substitutions && values.has_unknown();
        if values.failed && !is_reported {
            return Err(NotWritten);
        }
        if fields.removed.contains(decoded_scalar.id) {
            return Ok(());
        }
        if fields.are_plain
            && !parts.is_empty()
            && let Some(edits) =
                self.plain_text_edits(decoded_scalar, values, editor, parts, fields)
        {
            self.add_edits(edits, Vec::new(), Vec::new());
            return Ok(());
        }
        let found = match values.occurrences {
            Some(_) => None,
            None => self.occurrences(editor.tree, resources, decoded_scalar.id, None),
        };
        let known = values.occurrences.as_ref().or(found.as_ref());
        let occurrences = known.ok_or(NotWritten)?;
        let placement = Placement {
            id: decoded_scalar.id,
            references: decoded_scalar.references,
            template: None,
            values: &values.values,
            derived: &[],
            field: &occurrences.own.field,
            occurrences,
            listed: decoded_scalar.listed,
            encoded: false,
        };
        if values.failed {
            self.add_unwritten(&placement, None);
            return Err(NotWritten);
        }
        if let Some(analysed) = &fields.analysed
            && self.changes_format(decoded_scalar, editor.tree, occurrences, analysed)
        {
            return Err(NotWritten);
        }
        if let Some(embedded) = decoded_scalar.embedded {
            let all: Vec<_> = occurrences.all().cloned().collect();
            let identity = fields.identity;
            self.render_embedded(
                editor,
                decoded_scalar,
                embedded,
                &all,
                identity,
                inner_targets,
            );
            return Ok(());
        }
        if parts.is_empty() {
            return Ok(());
        }
        if let [Some(value)] = &values.values[..]
            && value.shape == Shape::Items
        {
            return self.spread(&placement, value, editor, parts, fields);
        }
        let write = Write {
            scalar: editor,
            parts,
            field_types: fields.field_types,
            has_secrets: fields.has_secrets,
            filled: fields.filled,
            in_place: true,
            changed_span: None,
            reference_ranges: &[],
        };
        self.write(std::slice::from_ref(&placement), &write)
    }

    /// Resolves the public references and withholds the sensitive ones. Returns `None` if
    /// the values exceed the budget.
    pub(crate) fn resolve(
        &self,
        in_text: &ReferencesInText<'_>,
        resolving: &mut Resolving,
    ) -> Option<ResolvedReferences<'c>> {
        let mut values = ResolvedReferences {
            values: Vec::with_capacity(in_text.references.len()),
            withheld: Vec::new(),
            reported: Vec::new(),
            failed: false,
            occurrences: None,
        };
        for (nth, found) in in_text.references.iter().enumerate() {
            if let Some(Some(text)) = in_text.derived.get(nth) {
                values.values.push(Some(Resolved::of_text(text)));
                continue;
            }
            if let Some(error) = misplaced(in_text, found) {
                resolving.hold(error, &mut values.reported);
                values.values.push(None);
                values.failed = true;
                continue;
            }
            let site = in_text.site(found);
            match apply_missing_policy(
                &found.reference,
                in_text.node,
                in_text.text,
                self.context,
                &site,
            ) {
                Ok(Outcome::Resolved(value)) if value.unknown => {
                    values.values.push(Some(value));
                    values.failed = true;
                }
                Ok(Outcome::Resolved(mut value)) => {
                    if !resolving.count(&mut value, &mut values.reported, self.context.budget) {
                        return None;
                    }
                    values.values.push((!value.kept).then_some(value));
                }
                Ok(Outcome::Withheld(withheld)) => {
                    values.withheld.push((nth, withheld));
                    values.values.push(None);
                }
                Err(error) => {
                    if let Some(error) = error {
                        resolving.hold(*error, &mut values.reported);
                    }
                    values.values.push(None);
                    values.failed = true;
                }
            }
        }
        Some(values)
    }

    pub(crate) fn report_exceeded(&mut self) {
        let error = self.context.budget.exceeded();
        self.rendered.diagnostics.push(error);
    }

    /// Validates the values for one scalar or node and writes them.
    ///
    /// # Errors
    /// The values cannot be written there, so that the new text of the node is unknown. A
    /// value that the type of its field refuses is only reported: its text is known.
    pub(crate) fn write(
        &mut self,
        placements: &[Placement<'_, '_>],
        write: &Write<'_, '_>,
    ) -> Result<(), NotWritten> {
        // Problems of the whole are reported for the first placement.
        let Some(placement) = placements.first() else {
            return Ok(());
        };
        let Write { scalar, parts, .. } = write;
        let tree = scalar.tree;
        let step = steps::enter(RenderStep::Type);
        let occurrences = placement.occurrences;
        let drops_quotes = self.context.dialect().notation().has_plain_literals;
        let as_number = drops_quotes
            .then(|| (write.field_types).digits_without_quotes(scalar, parts, occurrences));
        let coerced = as_number.flatten().map_or_else(
            || (write.field_types).coerce(scalar, parts, occurrences),
            Ok,
        );
        drop(step);
        if !matches!(coerced, Ok(Coercion::Free | Coercion::Fits)) {
            let found = placement.references.first();
            self.note_unknown_version(found, placement.occurrences);
        }
        self.warn_of_other_definition(placement, scalar.whole_value(parts));
        let coercion = match coerced {
            Ok(coercion) => coercion,
            Err(refusal) => {
                self.report_refusal(placements, &refusal, tree);
                return Ok(());
            }
        };
        if matches!(coercion, Coercion::Unquoted(_)) && !self.may_remove_quotes(placements, write) {
            return Ok(());
        }
        if scalar.becomes_collection(parts)
            && let Some(value) = scalar.whole_value(parts)
            && self.report_member(placements, value, write.field_types)
        {
            return Ok(());
        }
        if let Some(value) = scalar.whole_value(parts) {
            self.validate_open_field(placement, value, tree, write.filled);
        }
        self.validate(placements, write, &coercion);
        self.validate_constraints(placements, write, &coercion);
        self.validate_actions(placements, &|| NodeText::of(placements, write));
        self.validate_beside_actions(placement, write);
        self.validate_pointer(placements, tree, &|| NodeText::of(placements, write));
        self.validate_annotation(placements, &|| NodeText::of(placements, write));
        let text = write.in_place.then_some(&*scalar.decoded.text);
        self.validate_document_text(placements, text);
        let converted;
        let parts = match &coercion {
            Coercion::Unquoted(value) if scalar.whole_value(parts).is_some() => {
                converted = [parts[0].with(Some(value))];
                &converted[..]
            }
            Coercion::Whole(value) => {
                converted = [parts[0].with(Some(value))];
                &converted[..]
            }
            _ => parts,
        };
        let typed = if scalar.keeps_type(parts) {
            scalar.whole_value(parts)
        } else {
            None
        };
        if !self.report_helm_number(placements, typed)
            && let Some(value) = typed
        {
            self.report_inexact(placement, value);
        }
        let for_consumers;
        let escaped: Vec<Part<'_, Value>>;
        let mut inserted: &[Option<ForConsumer<'_>>] = &[];
        let values = parts.iter().filter_map(|part| part.value);
        let parts = if may_be_read_again(placements, values) {
            let values: Vec<_> = parts.iter().map(|part| part.value).collect();
            let text = NodeText::of(placements, write);
            let written = self.for_consumers(placements, tree, &text, &values);
            for_consumers = written.ok_or(NotWritten)?;
            inserted = &for_consumers;
            escaped = parts
                .iter()
                .zip(&for_consumers)
                .map(|(part, value)| part.with(value.as_ref().map(|value| &*value.value)))
                .collect();
            &escaped[..]
        } else {
            parts
        };
        let _step = steps::enter(RenderStep::Write);
        let edits = match &coercion {
            Coercion::Joined(value) => Ok(scalar.replace_parts_as(parts, value)),
            Coercion::Unquoted(value) => Ok(scalar.replace_unquoted(value)),
            _ if write.in_place => scalar.replace_parts(parts),
            _ => scalar.replace(parts),
        };
        match edits {
            Ok(edits) => {
                self.add_values(placements, write, parts, inserted, edits);
                Ok(())
            }
            Err(misfit) => {
                let nth = parts[..misfit.part]
                    .iter()
                    .filter(|part| part.value.is_some())
                    .count();
                self.report_misfit(placement, nth, &misfit, tree);
                Err(NotWritten)
            }
        }
    }

    /// Validates values in Secrets, and where the type of the field is unknown.
    pub(crate) fn validate(
        &mut self,
        placements: &[Placement<'_, '_>],
        write: &Write<'_, '_>,
        coercion: &Coercion,
    ) {
        let Write { scalar, parts, .. } = write;
        if write.has_secrets {
            let new_text;
            let text = if scalar.becomes_collection(parts) {
                None
            } else {
                new_text = scalar.text_with(parts);
                Some(scalar.decoded.chomped(&new_text))
            };
            let is_whole = scalar.whole_value(parts).is_some();
            self.validate_secret_data(scalar.tree, placements, text, is_whole);
        }
        if let (Coercion::Free, Some(placement)) = (coercion, placements.first())
            && scalar.is_untyped()
        {
            self.note_unknown_quotes(placement, scalar.whole_value(parts));
        }
    }

    /// Adds the edits of one node, with the substitutions of its references.
    fn add_values(
        &mut self,
        placements: &[Placement<'_, '_>],
        write: &Write<'_, '_>,
        parts: &[Part<'_, Value>],
        inserted: &[Option<ForConsumer<'_>>],
        mut edits: Vec<Edit>,
    ) {
        let scalar = write.scalar;
        if write.changed_span.is_some() {
            // The field may already have this value.
            let source = scalar.source.as_bytes();
            edits.retain(|edit| source.get(edit.span.range()) != Some(&edit.text[..]));
        }
        if !edits.is_empty() && scalar.changes_kind(parts) {
            self.rendered.reshaped.push(scalar.decoded.raw.start);
        }
        let (mut substitutions, mut written) = (Vec::new(), Vec::new());
        if self.context.wants_substitutions {
            for placement in placements {
                substitutions.extend(self.substitutions(placement, write.changed_span));
            }
            let result_parts = result_parts(placements, write, inserted);
            written = scalar.locate_parts(parts, &edits, &result_parts);
        }
        self.add_edits(edits, substitutions, written);
    }
}

/// The values of one node, and what decides how they are written.
pub(crate) struct Write<'a, 'v> {
    pub(crate) scalar: &'a NodeEditor<'a>,
    pub(crate) parts: &'a [Part<'v, Value>],
    pub(crate) field_types: &'a FieldTypes<'a>,
    pub(crate) has_secrets: bool,
    /// As [`NewFields`] has them.
    pub(crate) filled: &'a [NodeId],
    /// Whether parts of the scalar are replaced, rather than the whole node.
    pub(crate) in_place: bool,
    /// The bytes that change, if the references are elsewhere.
    pub(crate) changed_span: Option<Span>,
    /// If the references are elsewhere, the bytes of each part's text that they become;
    /// `None` for all of it.
    pub(crate) reference_ranges: &'a [Vec<Option<Range<usize>>>],
}

/// Returns the approximate size of the values of some parts, in bytes.
fn length(parts: &[Part<'_, Value>]) -> usize {
    parts.iter().filter_map(|part| part.value).map(size).sum()
}

/// Returns the scalars that public values make lists and objects with members, ascending. What is
/// unknown may have some.
fn filled(
    decoded_scalars: &[DecodedScalar<'_, '_>],
    resolved: &[ResolvedReferences<'_>],
) -> Vec<NodeId> {
    let has_members = |value: &Value| match value {
        Value::List(items) => !items.is_empty(),
        Value::Object(entries) => !entries.is_empty(),
        _ => false,
    };
    let is_filled = |values: &ResolvedReferences<'_>| match &values.values[..] {
        [Some(value)] => value.mark.is_none() && (value.unknown || has_members(&value.value)),
        _ => false,
    };
    let mut filled: Vec<NodeId> = std::iter::zip(decoded_scalars, resolved)
        .filter(|(_, values)| is_filled(values))
        .map(|(scalar, _)| scalar.id)
        .collect();
    filled.sort_unstable();
    filled
}

/// Returns the parts of each scalar in the order of its text. References that stay are
/// not parts; `hidden` replaces withheld values.
pub(crate) fn parts_of<'v>(
    decoded_scalars: &[DecodedScalar<'_, '_>],
    resolved: &'v [ResolvedReferences<'_>],
    hidden: &'v Value,
) -> Vec<Vec<Part<'v, Value>>> {
    let parts_of =
        |(decoded_scalar, values): (&DecodedScalar<'_, '_>, &'v ResolvedReferences<'_>)| {
            let mut withheld = values.withheld.iter().map(|(nth, _)| *nth).peekable();
            let part = |(nth, found): (usize, &FoundReference)| {
                let is_withheld = withheld.next_if_eq(&nth).is_some();
                let value = match &values.values[nth] {
                    Some(resolved) if resolved.unknown => return None,
                    Some(resolved) => &*resolved.value,
                    None if is_withheld => hidden,
                    None => return None,
                };
                Some(Part {
                    decoded: found.reference.range.clone(),
                    raw: found.raw.clone(),
                    value: Some(value),
                })
            };
            let mut parts: Vec<Part<'v, Value>> = decoded_scalar
                .references
                .iter()
                .enumerate()
                .filter_map(part)
                .collect();
            parts.extend(decoded_scalar.escapes.iter().map(|decoded| Part {
                decoded: decoded.clone(),
                raw: decoded_scalar.decoded.raw_range(decoded),
                value: None,
            }));
            parts.sort_unstable_by_key(|part| part.decoded.start);
            parts
        };
    decoded_scalars.iter().zip(resolved).map(parts_of).collect()
}

fn editors_of<'e>(
    tree: &'e Tree,
    source: &'e str,
    decoded_scalars: &'e [DecodedScalar<'_, '_>],
    json: bool,
) -> Vec<NodeEditor<'e>> {
    decoded_scalars
        .iter()
        .map(|decoded_scalar| NodeEditor {
            source,
            tree,
            id: decoded_scalar.id,
            decoded: &decoded_scalar.decoded,
            json,
        })
        .collect()
}

/// Returns the texts that scalars become, for names and keys, which appear in diagnostics
/// and in the report. `changed` are the nodes that get values, ascending.
fn new_texts(
    resources: &Resources<'_>,
    editors: &[NodeEditor<'_>],
    parts: &[Vec<Part<'_, Value>>],
    changed: &[NodeId],
) -> OrderedMap<NodeId, String> {
    let mut texts = OrderedMap::new();
    for (editor, parts) in editors.iter().zip(parts) {
        if !resources.may_read_text(editor.id, changed) {
            continue;
        }
        // Longer values cannot be names.
        if resources.role(editor.id) == Role::Key || length(parts) <= MAX_NAME {
            let mut text = editor.text_with(parts);
            text.truncate(editor.decoded.chomped(&text).len());
            texts.insert(editor.id, text);
        }
    }
    texts
}

/// Returns whether the document is JSON: its root is a flow collection, and it has no
/// comment or marker, at least one double-quoted string, and nothing that only YAML can
/// express. `changed` are the nodes that get values, ascending.
fn is_json(tree: &Tree, source: &str, changed: &[NodeId]) -> bool {
    let is_flow = tree.get(0).is_some_and(|root| {
        matches!(
            root.kind(),
            Kind::Mapping { flow: true, .. } | Kind::Sequence { flow: true, .. }
        )
    });
    if !is_flow
        || !tree.comments().is_empty()
        || !source
            .trim_start_matches('\u{feff}')
            .trim_ascii_start()
            .starts_with(['{', '['])
    {
        return false;
    }
    let is_literal = |text: &str| {
        matches!(text, "true" | "false" | "null")
            || text.starts_with(|c: char| c == '-' || c.is_ascii_digit())
    };
    let mut strings = 0;
    for (id, node) in tree.nodes() {
        match node.kind() {
            Kind::Scalar {
                style: Style::DoubleQuoted,
                ..
            } => strings += 1,
            Kind::Scalar {
                style: Style::Plain,
                ..
            } if changed.binary_search(&id).is_ok() || tree.text(id).is_some_and(is_literal) => {}
            Kind::Scalar { .. } | Kind::Alias(_) => return false,
            Kind::Sequence { .. } | Kind::Mapping { .. } => {}
        }
    }
    strings > 0
}
