//! The values of setter comments and field bindings, written into their fields.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::Renderer;
use super::assignment::{Assignment, Assignments, Place};
use super::created::{put, steps_of};
use super::judge::{Arrival, SENSITIVE};
use super::values::{Values, Write};
use crate::binding::fields::Landings;
use crate::binding::functions::{base64_text, size};
use crate::binding::place::Places;
use crate::binding::substitute::{Misfit, Part, Scalar};
use crate::binding::template::all_values;
use crate::manifest::{Decoded, Kind, NodeId, Style, Tree, decode, decode_flow};
use crate::outputs::Value;
use crate::report::{Diagnostic, Rule};

impl<'d, 'c> Renderer<'d, 'c> {
    /// The texts that assignments give to scalars, for names and kinds.
    pub(super) fn assigned_texts(
        &self,
        assignments: &Assignments<'c>,
        assigned: &[Values<'_>],
        changed: &mut BTreeMap<NodeId, String>,
    ) {
        for (assignment, values) in assignments.list.iter().zip(assigned) {
            let Place::Node(node) = assignment.place else {
                continue;
            };
            let sensitive = values.values.iter().flatten().any(|value| value.sensitive);
            let text = match all_values(&values.values) {
                _ if sensitive => Some(SENSITIVE.to_owned()),
                Some(values) => assignment
                    .template
                    .value(&values)
                    .ok()
                    .and_then(|value| value.text().map(str::to_owned)),
                None => None,
            };
            changed.extend(text.map(|text| (node, text)));
        }
    }

    /// Writes all assignments of one document.
    pub(super) fn assign(
        &mut self,
        assignments: &Assignments<'c>,
        assigned: &[Values<'_>],
        holders: BTreeSet<NodeId>,
        places: &Places<'_>,
        landings: &Landings<'_>,
        json: bool,
    ) {
        let tree = landings.tree();
        for (assignment, values) in assignments.list.iter().zip(assigned) {
            for told in &values.told {
                self.tell(told.clone(), &places.field(assignment.place.node()));
            }
        }
        let groups = self.without_conflicts(assignments, holders, tree, places);
        // Collections inside each other may end at the same byte: what is put behind
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
            let Some(decoded) = self.decoded(tree, node) else {
                continue;
            };
            let scalar = Scalar {
                source: self.ground.text,
                tree,
                id: node,
                decoded: &decoded,
                json,
            };
            match first.place {
                Place::New { .. } => self.create(&scalar, &members, places, landings),
                Place::Node(_) | Place::Part { .. } => {
                    self.set(&scalar, &members, places, landings);
                }
            }
        }
    }

    /// The text of a scalar; of other nodes the bytes that stand for them.
    fn decoded(&self, tree: &Tree<'_>, id: NodeId) -> Option<Decoded<'d>> {
        let node = &tree.nodes[id];
        match node.kind {
            Kind::Scalar { .. } => decode(self.ground.text, node),
            Kind::Alias(_) => decode_flow(self.ground.text, node.range.clone(), Style::Plain),
            Kind::Sequence { .. } | Kind::Mapping { .. } => {
                let at = node.range.start;
                decode_flow(self.ground.text, at..at, Style::Plain)
            }
        }
    }

    /// The value of an assignment.
    fn value<'v>(
        &mut self,
        assignment: &Assignment<'_>,
        values: &'v Values<'_>,
        arrival: &Arrival<'_, '_>,
        tree: &Tree<'_>,
        as_text: bool,
    ) -> Option<Cow<'v, Value>> {
        let all = all_values(&values.values)?;
        let no_text = |nth: usize| {
            let found = all
                .get(nth)
                .map_or("this", |value| value.value_type().described());
            Misfit {
                part: nth,
                message: format!("{found} cannot stand in a part of a text"),
                help: "`| join(\",\")` or `| json` makes a text of it".to_owned(),
                unquote: false,
                as_json: false,
            }
        };
        let value = match assignment.template.value(&all) {
            Ok(value) => value,
            Err(nth) => {
                self.misfit(arrival, nth, &no_text(nth), tree);
                return None;
            }
        };
        if !as_text && !assignment.base64 {
            return Some(value);
        }
        let Some(text) = value.text() else {
            self.misfit(arrival, 0, &no_text(0), tree);
            return None;
        };
        Some(Cow::Owned(Value::String(match assignment.base64 {
            true => base64_text(text),
            false => text.to_owned(),
        })))
    }

    fn becomes_a_reference(&self, value: &Value) -> bool {
        match value.text() {
            Some(text) => self.context.heads.any(text),
            None => self.context.heads.any(&value.to_json()),
        }
    }

    /// Gives a node, or parts of its text, new values.
    fn set(
        &mut self,
        scalar: &Scalar<'_>,
        members: &[(&Assignment<'c>, &Values<'_>)],
        places: &Places<'_>,
        landings: &Landings<'_>,
    ) {
        let tree = scalar.tree;
        let field = places.field(scalar.id);
        let text = scalar
            .decoded
            .chomped(&scalar.decoded.text)
            .trim_end_matches('\n');
        let mut given = Vec::new();
        for (assignment, values) in members {
            let arrival = assignment.arrival(scalar.id, values, &field);
            let as_text = matches!(assignment.place, Place::Part { .. });
            let Some(value) = self.value(assignment, values, &arrival, tree, as_text) else {
                return;
            };
            if self.context.keep_references && self.becomes_a_reference(&value) {
                let error = Diagnostic::error(
                    Rule::ConflictingSubstitutions,
                    "the value holds what would be a reference in this manifest",
                );
                let error = error
                    .at(assignment.origin, assignment.span, "this value")
                    .help("rendered in place it would be replaced one day: write a reference instead of the setter comment");
                return self.tell(error, &field);
            }
            let (range, value) = match &assignment.place {
                Place::Part {
                    delimiter, index, ..
                } => part(text, delimiter, *index, &value),
                Place::Node(_) | Place::New { .. } => {
                    (0..scalar.decoded.text.len(), value.into_owned())
                }
            };
            given.push(Given {
                assignment,
                arrival,
                range,
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
                "two values are to become the same part of a text",
            );
            let error = error
                .at(last.assignment.origin, last.assignment.span, "this one")
                .at(
                    first.assignment.origin,
                    first.assignment.span,
                    "and this one",
                )
                .help("give each its own `index`");
            return self.tell(error, &field);
        }
        let length: usize = given.iter().map(|given| size(&given.value)).sum();
        if !self.context.budget.take(length) {
            return self.exceeded();
        }
        let parts: Vec<Part<'_>> = given
            .iter()
            .map(|given| Part {
                decoded: given.range.clone(),
                raw: scalar.decoded.raw_range(&given.range),
                value: Some(&given.value),
                read: true,
                sensitive: given.arrival.each().any(|(_, value)| value.sensitive),
            })
            .collect();
        let in_place = given
            .iter()
            .all(|given| matches!(given.assignment.place, Place::Part { .. }));
        let arrivals: Vec<Arrival<'_, '_>> = given.iter().map(|given| given.arrival).collect();
        // They are judged one by one and written together.
        let node = &tree.nodes[scalar.id];
        let place = self.span(&(node.range.start..node.end.max(node.range.end)));
        let write = Write {
            scalar,
            parts: &parts,
            landings,
            places,
            has_secrets: true,
            in_place,
            place: Some(place),
        };
        self.write(&arrivals, &write);
    }

    /// Makes what is missing in one collection.
    fn create(
        &mut self,
        scalar: &Scalar<'_>,
        members: &[(&Assignment<'c>, &Values<'_>)],
        places: &Places<'_>,
        landings: &Landings<'_>,
    ) {
        let tree = scalar.tree;
        let mut missing = Value::Null;
        for (assignment, values) in members {
            let Place::New { steps, .. } = assignment.place else {
                continue;
            };
            let mut field = places.field(scalar.id);
            if let Some(resource) = places.resource(scalar.id) {
                field.resource = Some(resource);
                field.steps.clear();
            }
            field.steps.extend(steps_of(steps));
            let arrival = assignment.arrival(scalar.id, values, &field);
            let Some(value) = self.value(assignment, values, &arrival, tree, false) else {
                return;
            };
            self.judge(tree, places, &arrival);
            let text = value.text().map(str::to_owned);
            self.secret_data(
                tree,
                places,
                std::slice::from_ref(&arrival),
                text.as_deref(),
            );
            let value = match landings.fitted(&value, &field) {
                Ok(value) => value,
                Err(refusal) => return self.refused(&arrival, &refusal, tree),
            };
            if !self.context.budget.take(size(&value)) {
                return self.exceeded();
            }
            let doubled = self.doubled(&arrival, tree, places, &[Some(&value)]);
            let doubled = doubled.and_then(|values| values.into_iter().next()?);
            let Some(doubled) = doubled else { return };
            if !put(&mut missing, steps, doubled.into_owned()) {
                let error = Diagnostic::error(
                    Rule::ConflictingSubstitutions,
                    "two values are to become the same new field",
                );
                let error = error
                    .at(assignment.origin, assignment.span, "")
                    .help("keep one of them");
                return self.tell(error, &field);
            }
            if self.context.wants_substitutions {
                let node = &tree.nodes[scalar.id];
                let place = self.span(&node.range);
                self.record(&arrival, Some(place));
            }
        }
        match scalar.extended(&missing) {
            Ok(edits) => {
                if matches!(tree.nodes[scalar.id].kind, Kind::Scalar { .. }) {
                    self.rendered.reshaped.push(scalar.decoded.raw.start);
                }
                self.rendered.edits.extend(edits);
            }
            Err(misfit) => {
                if let Some((assignment, values)) = members.first() {
                    let field = places.field(scalar.id);
                    let arrival = assignment.arrival(scalar.id, values, &field);
                    self.misfit(&arrival, 0, &misfit, tree);
                }
            }
        }
    }
}

/// What one assignment gives to a scalar.
struct Given<'a, 'b> {
    assignment: &'a Assignment<'b>,
    arrival: Arrival<'a, 'b>,
    /// The bytes of the scalar's text that become the value.
    range: Range<usize>,
    value: Value,
}

/// Which bytes of a text become the value, and the value with the delimiters
/// that it brings: as kustomize's replacements count parts.
fn part(text: &str, delimiter: &str, index: i64, value: &Value) -> (Range<usize>, Value) {
    let value = value.text().unwrap_or_default();
    let Ok(index) = usize::try_from(index) else {
        return (0..0, Value::String(format!("{value}{delimiter}")));
    };
    let mut at = 0;
    for (nth, part) in text.split(delimiter).enumerate() {
        if nth == index {
            return (at..at + part.len(), Value::String(value.to_owned()));
        }
        at += part.len() + delimiter.len();
    }
    (
        text.len()..text.len(),
        Value::String(format!("{delimiter}{value}")),
    )
}
