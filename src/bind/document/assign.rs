//! The values of setter comments and field bindings, written into their fields.

use std::borrow::Cow;
use std::ops::Range;

use crate::bind::document::Renderer;
use crate::bind::document::assignment::{Assignment, Assignments, Place, Written};
use crate::bind::document::created::{Created, Obstacle};
use crate::bind::document::kept_type::kept;
use crate::bind::document::parts::Parts;
use crate::bind::document::results::after_doubling;
use crate::bind::document::validate::{Placement, SENSITIVE};
use crate::bind::document::values::{Values, Write};
use crate::bind::resolve::Resolved;
use crate::bind::resolve::all_values;
use crate::collections::{OrderedMap, OrderedSet};
use crate::functions::{base64_text, size};
use crate::kubernetes::resources::Resources;
use crate::kubernetes::types::FieldTypes;
use crate::outputs::Value;
use crate::report::{Diagnostic, Rule};
use yaml::{Data, DataType, Kind, NodeId, TextHolder, Tree, Why, decode_node};
use yaml::{Misfit, NodeEditor, Part};

impl<'d, 'c> Renderer<'d, 'c> {
    /// The texts that assignments give to scalars, for names and kinds.
    pub(crate) fn assigned_texts(
        &self,
        tree: &Tree,
        assignments: &Assignments<'c>,
        assigned: &[Values<'_>],
        changed: &mut OrderedMap<NodeId, String>,
    ) {
        let mut parts: OrderedMap<NodeId, Vec<(Range<usize>, String)>> = OrderedMap::new();
        let mut split = Parts::default();
        for (assignment, values) in assignments.list.iter().zip(assigned) {
            let value = match all_values(&values.values) {
                _ if !values.withheld.is_empty() => Some(SENSITIVE.to_owned()),
                Some(values) => assignment
                    .template
                    .value(&values)
                    .ok()
                    .and_then(|value| value.text().map(str::to_owned)),
                None => None,
            };
            let Some(mut value) = value else { continue };
            if assignment.base64 {
                value = base64_text(&value);
            }
            match assignment.place {
                Place::Node(node) => {
                    changed.insert(node, value);
                }
                Place::Part {
                    node,
                    delimiter,
                    index,
                } => {
                    let text = tree.text(node).unwrap_or_default().trim_end_matches('\n');
                    let value = Value::String(value);
                    let (range, value, _) = split.part((node, text), (delimiter, index), &value);
                    let value = value.text().unwrap_or_default().to_owned();
                    parts.entry(node).or_default().push((range, value));
                }
                Place::New { .. } => {}
            }
        }
        for (node, mut parts) in parts {
            parts.sort_by_key(|(range, _)| (range.start, range.end));
            let text = tree.text(node).unwrap_or_default();
            let (mut made, mut at) = (String::new(), 0);
            for (range, value) in parts {
                made.push_str(text.get(at..range.start).unwrap_or_default());
                made.push_str(&value);
                at = range.end;
            }
            made.push_str(text.get(at..).unwrap_or_default());
            changed.insert(node, made);
        }
    }

    /// Writes all assignments of one document.
    pub(crate) fn assign(
        &mut self,
        assignments: &Assignments<'c>,
        assigned: &[Values<'_>],
        decoded_scalars: OrderedSet<NodeId>,
        resources: &Resources<'_>,
        field_types: &FieldTypes<'_>,
        json: bool,
    ) {
        if assignments.list.is_empty() {
            return;
        }
        let tree = field_types.tree();
        for (assignment, values) in assignments.list.iter().zip(assigned) {
            for reported in &values.reported {
                self.report(reported.clone(), &resources.field(assignment.place.node()));
            }
        }
        let groups = self.without_conflicts(assignments, decoded_scalars, tree, resources);
        // Nested collections may end at the same byte: what is inserted after
        // the inner one comes first.
        for (node, group) in groups.into_iter().rev() {
            let members: Vec<(&Assignment<'c>, &Values<'_>)> = group
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
            match first.place {
                Place::New { .. } => {
                    let before = tree.members(node).count();
                    self.create(&scalar, before, &members, resources, field_types);
                }
                Place::Node(_) | Place::Part { .. } => {
                    self.set(&scalar, &members, resources, field_types);
                }
            }
        }
    }

    /// The value of an assignment.
    fn value<'v>(
        &mut self,
        assignment: &Assignment<'_>,
        values: &'v Values<'_>,
        placement: &Placement<'_, '_>,
        tree: &Tree,
        as_text: bool,
    ) -> Option<Cow<'v, Value>> {
        let all = all_values(&values.values)?;
        let no_text = |nth: usize| Misfit {
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
                self.misfit(placement, nth, &no_text(nth), tree);
                return None;
            }
        };
        if !as_text && !assignment.base64 {
            return Some(value);
        }
        let Some(text) = value.text() else {
            self.misfit(placement, 0, &no_text(0), tree);
            return None;
        };
        Some(Cow::Owned(Value::String(match assignment.base64 {
            true => base64_text(text),
            false => text.to_owned(),
        })))
    }

    fn becomes_a_reference(&self, value: &Value) -> bool {
        match value.text() {
            Some(text) => self.context.scope.heads.any(text),
            None => self.context.scope.heads.any(&value.to_json()),
        }
    }

    /// Gives a node, or parts of its text, new values.
    fn set(
        &mut self,
        scalar: &NodeEditor<'_>,
        members: &[(&Assignment<'c>, &Values<'_>)],
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
        let mut given = Vec::new();
        let mut split = Parts::default();
        for (assignment, values) in members {
            let placement = assignment.placement(scalar.id, values, &occurrences);
            let as_text = matches!(assignment.place, Place::Part { .. });
            let Some(value) = self.value(assignment, values, &placement, tree, as_text) else {
                return;
            };
            if self.context.scope.keep_references && self.becomes_a_reference(&value) {
                let error = Diagnostic::error(
                    Rule::ConflictingSubstitutions,
                    "the value contains text that would be a reference in this manifest",
                );
                let error = error
                    .at(assignment.origin, assignment.span, "this value")
                    .help("a later in-place render would replace it: use a reference instead of the setter comment");
                return self.report(error, &field);
            }
            let within = assignment.template.ranges(&values.values);
            let length = value.text().map_or(0, str::len);
            let (range, value, start) = match &assignment.place {
                Place::Part {
                    delimiter, index, ..
                } => split.part((scalar.id, text), (*delimiter, *index), &value),
                Place::Node(_) | Place::New { .. } => {
                    (0..scalar.decoded.text.len(), value.into_owned(), 0)
                }
            };
            let is_bound = matches!(assignment.written, Written::Binding(_));
            let is_whole = range == (0..scalar.decoded.text.len());
            let value = match is_bound && is_whole && !field_types.decide(scalar, &occurrences) {
                true => kept(scalar, value),
                false => value,
            };
            let is_part = value.text().is_some_and(|text| text.len() > length);
            let within = within.into_iter().map(|within| match within {
                Some(within) if !assignment.base64 => {
                    Some(start + within.start..start + within.end)
                }
                _ => is_part.then_some(start..start + length),
            });
            given.push(Given {
                assignment,
                placement,
                range,
                within: within.collect(),
                value,
            });
        }
        given.sort_by_key(|given| given.range.start);
        let overlap = given
            .windows(2)
            .find(|pair| pair[0].range.end > pair[1].range.start || pair[0].range == pair[1].range);
        if let Some([first, last]) = overlap {
            let error = Diagnostic::error(
                Rule::ConflictingSubstitutions,
                "two values for the same part of a string",
            );
            let error = error
                .at(last.assignment.origin, last.assignment.span, "this value")
                .at(
                    first.assignment.origin,
                    first.assignment.span,
                    "conflicts with this one",
                )
                .help("give each its own `index`");
            return self.report(error, &field);
        }
        let length: usize = given.iter().map(|given| size(&given.value)).sum();
        if !self.context.budget.take(length) {
            return self.exceeded();
        }
        let within: Vec<_> = given
            .iter_mut()
            .map(|given| std::mem::take(&mut given.within))
            .collect();
        let parts: Vec<Part<'_, Value>> = given
            .iter()
            .map(|given| Part {
                decoded: given.range.clone(),
                raw: scalar.decoded.raw_range(&given.range),
                value: Some(&given.value),
            })
            .collect();
        let in_place = given
            .iter()
            .all(|given| matches!(given.assignment.place, Place::Part { .. }));
        let placements: Vec<Placement<'_, '_>> =
            given.iter().map(|given| given.placement).collect();
        // They are judged one by one and written together.
        let node = &tree[scalar.id];
        let place = self.span(&(node.extent()));
        let write = Write {
            scalar,
            parts: &parts,
            field_types,
            has_secrets: true,
            in_place,
            place: Some(place),
            within: &within,
        };
        self.write(&placements, &write);
    }

    /// Creates missing members of one collection, which had this many members `before`.
    fn create(
        &mut self,
        scalar: &NodeEditor<'_>,
        before: usize,
        members: &[(&Assignment<'c>, &Values<'_>)],
        resources: &Resources<'_>,
        field_types: &FieldTypes<'_>,
    ) {
        let tree = scalar.tree;
        let mut created = match tree[scalar.id].kind() {
            Kind::Mapping { .. } => Created::in_map(),
            Kind::Sequence { .. } => Created::in_list(before),
            Kind::Scalar { .. } | Kind::Alias(_) => Created::Nothing,
        };
        let (mut substitutions, mut within) = (Vec::new(), Vec::new());
        for (nth, (assignment, values)) in members.iter().enumerate() {
            let Place::New { steps, .. } = assignment.place else {
                continue;
            };
            let Some(occurrences) = self.assigned_occurrences(tree, resources, assignment) else {
                return;
            };
            let field = &occurrences.own.field;
            if let Some(single) = field_types.single(&occurrences, steps.len()) {
                let message = format!(
                    "`{single}` takes a single value, but the path would make it a list or map"
                );
                let error = Diagnostic::error(Rule::TypeMismatch, message)
                    .at(assignment.origin, assignment.span, "this path")
                    .help("end the path at that field");
                return self.report(error, field);
            }
            let placement = assignment.placement(scalar.id, values, &occurrences);
            let Some(value) = self.value(assignment, values, &placement, tree, false) else {
                return;
            };
            let text = value.text().map(str::to_owned);
            self.secret_data(
                tree,
                std::slice::from_ref(&placement),
                text.as_deref(),
                assignment.template.is_whole(),
            );
            let value = match field_types.fitted(&value, &occurrences) {
                Ok(value) => value,
                Err(refusal) => {
                    return self.refused(std::slice::from_ref(&placement), &refusal, tree);
                }
            };
            if !self.context.budget.take(size(&value)) {
                return self.exceeded();
            }
            let doubled = self.doubled(&placement, tree, &[Some(&value)]);
            let doubled = doubled.and_then(|values| values.into_iter().next()?);
            let Some(doubled) = doubled else { return };
            if self.context.wants_substitutions {
                let place = self.span(&tree[scalar.id].range());
                substitutions.extend(self.substitutions(&placement, Some(place)));
                let [given, written] =
                    [&value, &*doubled].map(|value| value.text().unwrap_or_default());
                let ranges = match assignment.base64 {
                    true => vec![None; assignment.references.len()],
                    false => assignment.template.ranges(&values.values),
                };
                let ranges = ranges.into_iter();
                within.extend(ranges.map(|range| (nth, after_doubling(given, written, range))));
            }
            if let Err(obstacle) = created.put(steps, (doubled.into_owned(), nth)) {
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
                for (nth, _) in &mut within {
                    *nth = positions.get(nth).copied().unwrap_or(0);
                }
                let written = scalar.appended(&created, &edits, &within);
                self.take(edits, substitutions, written);
            }
            Err(misfit) => {
                // What one of them says of a sensitive value the others must not say.
                let is_sensitive = |values: &Values<'_>| {
                    let mut values = values.values.iter().flatten();
                    values.any(Resolved::is_sensitive)
                };
                let sensitive = members.iter().find(|(_, values)| is_sensitive(values));
                if let Some((assignment, values)) = sensitive.or(members.first())
                    && let Some(at) = self.occurrences(tree, resources, scalar.id, None)
                {
                    let placement = assignment.placement(scalar.id, values, &at);
                    self.misfit(&placement, 0, &misfit, tree);
                }
            }
        }
    }
}

fn not_created(obstacle: Obstacle) -> Diagnostic {
    match obstacle {
        Obstacle::Taken => Diagnostic::error(
            Rule::ConflictingSubstitutions,
            "two values for the same new field",
        )
        .help("keep one of them"),
        Obstacle::Beyond { index, length } => Diagnostic::error(
            Rule::TargetNotFound,
            format!("index {index} is out of range for a list of length {length}"),
        )
        .help(format!(
            "items can only be appended: use `{length}`, or `-` for the end of the list"
        )),
    }
}

/// What one assignment gives to a scalar.
struct Given<'a, 'b> {
    assignment: &'a Assignment<'b>,
    placement: Placement<'a, 'b>,
    /// The bytes of the scalar's text that become the value.
    range: Range<usize>,
    /// What of the value's text each reference has become; none for all of it.
    within: Vec<Option<Range<usize>>>,
    value: Value,
}
