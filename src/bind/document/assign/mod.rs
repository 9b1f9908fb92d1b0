//! Writes the values of setter comments and field bindings into their fields.

mod assignment;
mod created;
mod derived;
mod kept_type;
mod parts;
mod setter_value;

pub(crate) use assignment::{Assignment, Assignments};
pub(crate) use derived::{current_text, names_output};

use std::borrow::Cow;
use std::ops::Range;

use crate::bind::document::Renderer;
use crate::bind::document::assign::assignment::AssignmentTarget;
use crate::bind::document::assign::created::{Created, NewValue, Obstacle, field_steps};
use crate::bind::document::assign::kept_type::with_kept_type;
use crate::bind::document::assign::parts::Parts;
use crate::bind::document::assign::setter_value::Replaced;
use crate::bind::document::consumers::NodeText;
use crate::bind::document::decided::deciding_text;
use crate::bind::document::typed::described;
use crate::bind::document::validate::{Placement, SENSITIVE};
use crate::bind::document::values::{ResolvedReferences, Write};
use crate::bind::resolve::Resolved;
use crate::bind::resolve::all_values;
use crate::collections::{OrderedMap, OrderedSet};
use crate::config::substitutions::PathStep;
use crate::functions::size;
use crate::kubernetes::resources::{FieldStep, Resources};
use crate::kubernetes::types::FieldTypes;
use crate::outputs::{Value, base64_text};
use crate::report::{Diagnostic, Rule};
use yaml::{Data, DataType, Kind, NodeId, TextHolder, Tree, Why, decode_node};
use yaml::{Misfit, NodeEditor, Part};

impl<'d, 'c> Renderer<'d, 'c> {
    /// Adds the texts that assignments give to scalars to `changed`, for names and kinds.
    pub(crate) fn add_assigned_texts(
        &self,
        tree: &Tree,
        assignments: &[Assignment<'c>],
        assigned: &[ResolvedReferences<'_>],
        changed: &mut OrderedMap<NodeId, String>,
    ) {
        let mut parts: OrderedMap<NodeId, Vec<(Range<usize>, String)>> = OrderedMap::new();
        let mut split = Parts::default();
        for (assignment, values) in assignments.iter().zip(assigned) {
            let value = match all_values(&values.values) {
                _ if !values.withheld.is_empty() => Some(SENSITIVE.to_owned()),
                Some(values) => assignment
                    .template
                    .value(&values)
                    .ok()
                    .map(|value| deciding_text(&value)),
                None => None,
            };
            let Some(mut value) = value else { continue };
            if assignment.base64 {
                value = base64_text(&value);
            }
            match assignment.target {
                AssignmentTarget::Node(node) => {
                    changed.insert(node, value);
                }
                AssignmentTarget::Part {
                    node,
                    delimiter,
                    index,
                } => {
                    let text = tree.text(node).unwrap_or_default().trim_end_matches('\n');
                    let value = Value::String(value);
                    let (range, value, _) = split.part(node, text, delimiter, index, &value);
                    let value = value.text().unwrap_or_default().to_owned();
                    parts.entry(node).or_default().push((range, value));
                }
                AssignmentTarget::New { .. } => {}
            }
        }
        for (node, mut parts) in parts {
            parts.sort_by_key(|(range, _)| (range.start, range.end));
            let text = tree.text(node).unwrap_or_default();
            let (mut new_text, mut at) = (String::new(), 0);
            for (range, value) in parts {
                new_text.push_str(text.get(at..range.start).unwrap_or_default());
                new_text.push_str(&value);
                at = range.end;
            }
            new_text.push_str(text.get(at..).unwrap_or_default());
            changed.insert(node, new_text);
        }
    }

    /// Writes all assignments of one document.
    pub(crate) fn assign(
        &mut self,
        assignments: &Assignments<'c>,
        assigned: &[ResolvedReferences<'_>],
        decoded_scalars: OrderedSet<NodeId>,
        resources: &Resources<'_>,
        field_types: &FieldTypes<'_>,
        json: bool,
    ) {
        let tree = field_types.tree();
        for (assignment, values) in assignments.list.iter().zip(assigned) {
            let node = assignment.target.node();
            for reported in &values.reported {
                self.report(reported.clone(), &resources.field(node));
            }
            if self.context.wants_substitutions
                && values.has_unknown()
                && let Some(occurrences) = self.assigned_occurrences(tree, resources, assignment)
            {
                let span = match assignment.target {
                    AssignmentTarget::New { .. } => tree[node].range(),
                    AssignmentTarget::Node(_) | AssignmentTarget::Part { .. } => {
                        tree[node].extent()
                    }
                };
                let placement = assignment.placement(node, values, &occurrences);
                self.add_unwritten(&placement, Some(self.span(&span)));
            }
        }
        let groups = self.without_conflicts(assignments, decoded_scalars, tree, resources);
        // Nested collections may end at the same byte: what is inserted after
        // the inner one comes first.
        for (node, group) in groups.into_iter().rev() {
            let members: Vec<(&Assignment<'c>, &ResolvedReferences<'_>)> = group
                .into_iter()
                .map(|(nth, assignment)| (assignment, &assigned[nth]))
                .filter(|(_, values)| !values.failed && values.values.iter().all(Option::is_some))
                .collect();
            let Some((first, _)) = members.first() else {
                continue;
            };
            let Some(decoded) = decode_node(self.source.text, tree, node) else {
                continue;
            };
            let scalar = NodeEditor {
                source: self.source.text,
                tree,
                id: node,
                decoded: &decoded,
                json,
            };
            match first.target {
                AssignmentTarget::New { .. } => {
                    let existing = tree.members(node).count();
                    self.create_members(&scalar, existing, &members, resources, field_types);
                }
                AssignmentTarget::Node(_) | AssignmentTarget::Part { .. } => {
                    self.set_node(&scalar, &members, resources, field_types);
                }
            }
        }
    }

    /// Returns the value of an assignment. Reports one that is not text if it must be.
    fn assigned_value<'v>(
        &mut self,
        assignment: &Assignment<'_>,
        values: &'v ResolvedReferences<'_>,
        placement: &Placement<'_, '_>,
        tree: &Tree,
        as_text: bool,
    ) -> Option<Cow<'v, Value>> {
        let all = all_values(&values.values)?;
        let not_text = |nth: usize| Misfit {
            part: nth,
            why: Why::NotText {
                found: all
                    .get(nth)
                    .map_or(DataType::Null, |value| value.data_type()),
                holder: TextHolder::Part,
                tagged: false,
            },
        };
        let value = match assignment.template.value(&all) {
            Ok(value) => value,
            Err(nth) => {
                let misfit = not_text(nth);
                let nth = (0..nth).filter(|nth| !assignment.is_derived(*nth)).count();
                self.report_misfit(placement, nth, &misfit, tree);
                return None;
            }
        };
        if let Some(replaced) = assignment.replaced {
            let is_sensitive = placement.mark().is_some();
            return match setter_value::converted(replaced, &value, is_sensitive) {
                Ok(None) => Some(value),
                Ok(Some(converted)) => Some(Cow::Owned(converted)),
                Err(why) => {
                    self.report_not_settable(placement, why);
                    None
                }
            };
        }
        if !as_text && !assignment.base64 {
            return Some(value);
        }
        let Some(text) = value.text() else {
            self.report_misfit(placement, 0, &not_text(0), tree);
            return None;
        };
        let text = if assignment.base64 {
            base64_text(text)
        } else {
            text.to_owned()
        };
        Some(Cow::Owned(Value::String(text)))
    }

    fn contains_reference(&self, value: &Value) -> bool {
        if self.context.dialect().only_in_setters() {
            return false;
        }
        match value.text() {
            Some(text) => self.context.scope.heads.any(text),
            None => self.context.scope.heads.any(&value.to_json()),
        }
    }

    /// Replaces a node, or parts of its text, with new values.
    fn set_node(
        &mut self,
        scalar: &NodeEditor<'_>,
        members: &[(&Assignment<'c>, &ResolvedReferences<'_>)],
        resources: &Resources<'_>,
        field_types: &FieldTypes<'_>,
    ) {
        let tree = scalar.tree;
        let Some(occurrences) = self.occurrences(tree, resources, scalar.id, None) else {
            return;
        };
        let field = occurrences.own.field.clone();
        let text = scalar
            .decoded
            .chomped(&scalar.decoded.text)
            .trim_end_matches('\n');
        let mut assigned_parts = Vec::new();
        let mut split = Parts::default();
        for (assignment, values) in members {
            let placement = assignment.placement(scalar.id, values, &occurrences);
            let as_text = matches!(assignment.target, AssignmentTarget::Part { .. });
            let Some(value) = self.assigned_value(assignment, values, &placement, tree, as_text)
            else {
                return;
            };
            if self.context.scope.keep_references && self.contains_reference(&value) {
                let error = Diagnostic::error(
                    Rule::ConflictingSubstitutions,
                    "the value contains text that would be a reference in this manifest",
                )
                .at(assignment.origin, assignment.span, "this value")
                .help("a later in-place render would replace it: use a reference instead of the setter comment");
                return self.report(error, &field);
            }
            let ranges = assignment.template.ranges(&values.values);
            let is_reported = |nth: &usize| !assignment.is_derived(*nth);
            let ranges = std::iter::zip(0.., ranges).filter(|(nth, _)| is_reported(nth));
            let length = value.text().map_or(0, str::len);
            let (range, value, start) = match &assignment.target {
                AssignmentTarget::Part {
                    delimiter, index, ..
                } => split.part(scalar.id, text, delimiter, *index, &value),
                AssignmentTarget::Node(_) | AssignmentTarget::New { .. } => {
                    (0..scalar.decoded.text.len(), value.into_owned(), 0)
                }
            };
            let is_whole = range == (0..scalar.decoded.text.len());
            let is_kept =
                assignment.is_field_binding() || assignment.replaced == Some(Replaced::Scalar);
            let keeps_type =
                is_kept && is_whole && !field_types.has_known_type(scalar, &occurrences);
            let value = if keeps_type {
                with_kept_type(scalar, value)
            } else {
                value
            };
            let has_delimiter = value.text().is_some_and(|text| text.len() > length);
            let ranges = ranges.map(|(_, range)| match range {
                Some(range) if !assignment.base64 => Some(start + range.start..start + range.end),
                _ => has_delimiter.then_some(start..start + length),
            });
            assigned_parts.push(AssignedPart {
                assignment,
                placement,
                range,
                reference_ranges: ranges.collect(),
                value,
            });
        }
        assigned_parts.sort_by_key(|part| part.range.start);
        let overlap = assigned_parts
            .windows(2)
            .find(|pair| pair[0].range.end > pair[1].range.start || pair[0].range == pair[1].range);
        if let Some([first, last]) = overlap {
            let error = Diagnostic::error(
                Rule::ConflictingSubstitutions,
                "two values for the same part of a string",
            )
            .at(last.assignment.origin, last.assignment.span, "this value")
            .at(
                first.assignment.origin,
                first.assignment.span,
                "conflicts with this one",
            )
            .help("give each its own `index`");
            return self.report(error, &field);
        }
        let length: usize = assigned_parts.iter().map(|part| size(&part.value)).sum();
        if !self.context.budget.take(length) {
            return self.report_exceeded();
        }
        let reference_ranges: Vec<_> = assigned_parts
            .iter_mut()
            .map(|part| std::mem::take(&mut part.reference_ranges))
            .collect();
        let parts: Vec<Part<'_, Value>> = assigned_parts
            .iter()
            .map(|part| Part {
                decoded: part.range.clone(),
                raw: scalar.decoded.raw_range(&part.range),
                value: Some(&part.value),
            })
            .collect();
        let is_part = |part: &AssignedPart<'_, '_>| {
            matches!(part.assignment.target, AssignmentTarget::Part { .. })
        };
        let in_place = assigned_parts.iter().all(is_part);
        let placements: Vec<Placement<'_, '_>> =
            assigned_parts.iter().map(|part| part.placement).collect();
        // The values are validated one by one and written together.
        let node = &tree[scalar.id];
        let changed_span = self.span(&node.extent());
        let write = Write {
            scalar,
            parts: &parts,
            field_types,
            has_secrets: true,
            filled: &[],
            in_place,
            changed_span: Some(changed_span),
            reference_ranges: &reference_ranges,
        };
        // Nothing else depends on the text of the node.
        let _ = self.write(&placements, &write);
    }

    /// Creates missing members of one collection, which had this many `existing` members.
    fn create_members(
        &mut self,
        scalar: &NodeEditor<'_>,
        existing: usize,
        members: &[(&Assignment<'c>, &ResolvedReferences<'_>)],
        resources: &Resources<'_>,
        field_types: &FieldTypes<'_>,
    ) {
        let tree = scalar.tree;
        let mut created = match tree[scalar.id].kind() {
            Kind::Mapping { .. } => Created::in_map(),
            Kind::Sequence { .. } => Created::in_list(existing),
            Kind::Scalar { .. } | Kind::Alias(_) => Created::Nothing,
        };
        let (mut substitutions, mut result_parts) = (Vec::new(), Vec::new());
        for (nth, (assignment, values)) in members.iter().enumerate() {
            let AssignmentTarget::New { steps, .. } = assignment.target else {
                continue;
            };
            let Some(occurrences) = self.assigned_occurrences(tree, resources, assignment) else {
                return;
            };
            let field = &occurrences.own.field;
            if let Some(single) = field_types.single_value_field(&occurrences, steps.len()) {
                let message = format!(
                    "`{single}` takes a single value, but the path would make it a list or map"
                );
                let error = Diagnostic::error(Rule::TypeMismatch, message)
                    .at(assignment.origin, assignment.span, "this path")
                    .help("end the path at that field, or put brackets around a key with dots: `[app.kubernetes.io/name]`");
                return self.report(error, field);
            }
            if let Some((new, unknown)) = field_types.unknown_field(&occurrences, steps.len()) {
                let (origin, span) = (assignment.origin, assignment.span);
                let error = self.unknown_new_field(origin, span, &new, &unknown);
                return self.report(error, field);
            }
            let Some(identities) = self.identities(assignment, tree, resources, field_types) else {
                return;
            };
            let placement = assignment.placement(scalar.id, values, &occurrences);
            let Some(value) = self.assigned_value(assignment, values, &placement, tree, false)
            else {
                return;
            };
            let ranges = if assignment.base64 {
                vec![None; assignment.references.len()]
            } else {
                assignment.template.ranges(&values.values)
            };
            let text = value.text().map(str::to_owned);
            self.validate_secret_data(
                tree,
                std::slice::from_ref(&placement),
                text.as_deref(),
                assignment.template.is_whole(),
            );
            let result = || NodeText::of_value(&placement, &value, ranges.clone());
            self.validate_actions(std::slice::from_ref(&placement), &result);
            self.validate_annotation(std::slice::from_ref(&placement), &result);
            self.validate_document_text(std::slice::from_ref(&placement), None);
            let value = match field_types.convert_new(&value, &occurrences) {
                Ok(value) => value,
                Err(refusal) => {
                    return self.report_refusal(std::slice::from_ref(&placement), &refusal, tree);
                }
            };
            if self.report_member(std::slice::from_ref(&placement), &value, field_types) {
                return;
            }
            self.validate_open_field(&placement, &value, tree, &[]);
            self.validate_new(&placement, &value, field_types);
            if !self.context.budget.take(size(&value)) {
                return self.report_exceeded();
            }
            self.report_helm_number(std::slice::from_ref(&placement), Some(&value));
            let node_text = NodeText::of_value(&placement, &value, ranges.clone());
            let placements = std::slice::from_ref(&placement);
            let written = self
                .for_consumers(placements, tree, &node_text, &[Some(&value)])
                .and_then(|values| values.into_iter().next()?);
            let Some(written) = written else { return };
            if self.context.wants_substitutions {
                let changed_span = self.span(&tree[scalar.id].range());
                substitutions.extend(self.substitutions(&placement, Some(changed_span)));
                let located = |range: Option<Range<usize>>| Some(written.located(range?));
                let ranges = ranges.into_iter().map(located);
                result_parts.extend(ranges.map(|range| (nth, range)));
            }
            let new_value = NewValue {
                value: written.value.into_owned(),
                assignment: Some(nth),
            };
            if let Err(obstacle) = created.insert(steps, &identities, new_value) {
                let error = not_created(obstacle).at(assignment.origin, assignment.span, "");
                return self.report(error, field);
            }
        }
        let (created, positions) = created.into_value();
        match scalar.append(&created) {
            Ok(edits) => {
                if matches!(tree[scalar.id].kind(), Kind::Scalar { .. }) {
                    self.rendered.reshaped.push(scalar.decoded.raw.start);
                }
                for (nth, _) in &mut result_parts {
                    *nth = positions.get(nth).copied().unwrap_or(0);
                }
                let written = scalar.locate_appended(&created, &edits, &result_parts);
                self.add_edits(edits, substitutions, written);
            }
            Err(misfit) => {
                // If any value is sensitive, the error must reveal nothing about it.
                let is_sensitive = |values: &ResolvedReferences<'_>| {
                    let mut values = values.values.iter().flatten();
                    values.any(Resolved::is_sensitive)
                };
                let sensitive = members.iter().find(|(_, values)| is_sensitive(values));
                if let Some((assignment, values)) = sensitive.or(members.first())
                    && let Some(occurrences) = self.occurrences(tree, resources, scalar.id, None)
                {
                    let placement = assignment.placement(scalar.id, values, &occurrences);
                    self.report_misfit(&placement, 0, &misfit, tree);
                }
            }
        }
    }
}

impl Renderer<'_, '_> {
    /// Returns, for each step of a new field, the value of the key with which a `[key=value]`
    /// creates its item, as the field of the key takes it. `None`: it doesn't, as was reported.
    fn identities(
        &mut self,
        assignment: &Assignment<'_>,
        tree: &Tree,
        resources: &Resources<'_>,
        field_types: &FieldTypes<'_>,
    ) -> Option<Vec<Value>> {
        let AssignmentTarget::New {
            parent,
            steps,
            in_map,
        } = assignment.target
        else {
            return None;
        };
        let mut identities = vec![Value::Null; steps.len()];
        for (nth, step) in steps.iter().enumerate() {
            let PathStep::Match { key, value } = step else {
                continue;
            };
            let text = value.literal().unwrap_or_default().to_owned();
            identities[nth] = Value::String(text);
            if key.is_empty() {
                continue;
            }
            let mut added: Vec<_> = field_steps(&steps[..=nth], in_map).collect();
            added.push(FieldStep::Key(key.as_str().into()));
            let occurrences = self.occurrences(tree, resources, parent, Some(&added))?;
            let (origin, span) = (assignment.origin, assignment.span);
            let field = &occurrences.own.field;
            if let Some((new, unknown)) = field_types.unknown_field(&occurrences, 1) {
                let error = self.unknown_new_field(origin, span, &new, &unknown);
                self.report(error, field);
                return None;
            }
            match field_types.convert_new(&identities[nth], &occurrences) {
                Ok(value) => identities[nth] = value,
                Err(refusal) => {
                    let shown = described(&refusal.field);
                    let expected = refusal.mismatch.takes.described();
                    let message =
                        format!("{shown} expects {expected}, but the path would create text");
                    let error = Diagnostic::error(Rule::FieldTypeMismatch, message)
                        .at(origin, span, "this path")
                        .help("give the key a value that its field accepts");
                    self.report(error, field);
                    return None;
                }
            }
        }
        Some(identities)
    }
}

fn not_created(obstacle: Obstacle) -> Diagnostic {
    match obstacle {
        Obstacle::Occupied => Diagnostic::error(
            Rule::ConflictingSubstitutions,
            "two values for the same new field",
        )
        .help("keep one of them"),
        Obstacle::OutOfRange { index, length } => Diagnostic::error(
            Rule::TargetNotFound,
            format!("index {index} is out of range for a list of length {length}"),
        )
        .help(format!(
            "items can only be appended: use `{length}`, or `-` for the end of the list"
        )),
    }
}

/// What one assignment writes to a scalar.
struct AssignedPart<'a, 'b> {
    assignment: &'a Assignment<'b>,
    placement: Placement<'a, 'b>,
    /// The bytes of the scalar's text that the value replaces.
    range: Range<usize>,
    /// The bytes of the value's text that each reference became; `None` for all of it.
    reference_ranges: Vec<Option<Range<usize>>>,
    value: Value,
}
