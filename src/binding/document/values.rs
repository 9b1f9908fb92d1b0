//! Values for the references of one document: resolved, judged by their places,
//! and written as edits.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::assignment::Assignments;
use super::holders::Holder;
use super::judge::{Arrival, SENSITIVE, repeats};
use super::{Read, Renderer};
use crate::binding::expansion;
use crate::binding::fields::{Landed, Landings};
use crate::binding::functions::size;
use crate::binding::place::{Field, Places};
use crate::binding::resolve::{Resolved, Site};
use crate::binding::settle::settle;
use crate::binding::substitute::{Part, Scalar};
use crate::manifest::{Kind, Node, NodeId, Role, Style, Tree};
use crate::outputs::Value;
use crate::report::{Diagnostic, Rule, Span};

/// More than any name, kind or apiVersion may have.
const LONGEST_NAME: usize = 512;

/// The references of one holder or assignment, resolved.
pub(super) struct Values<'b> {
    /// None: the reference stays as it is.
    pub(super) values: Vec<Option<Resolved<'b>>>,
    /// Errors and warnings.
    pub(super) told: Vec<Diagnostic>,
    /// Nothing can be written: an error says why, here or for the outputs document.
    pub(super) failed: bool,
}

impl<'c> Renderer<'_, 'c> {
    pub(super) fn substitute(
        &mut self,
        tree: &Tree<'_>,
        holders: &[Holder<'_>],
        assignments: &Assignments<'c>,
        before: Places<'_>,
    ) {
        // Values first: the places are judged on the keys, the apiVersion and the
        // kind that come out.
        // What functions make is held until all places are judged.
        let mut made = 0_usize;
        let mut resolved: Vec<Values<'c>> = Vec::with_capacity(holders.len());
        for holder in holders {
            let style = match tree.nodes[holder.id].kind {
                Kind::Scalar { style, .. } => style,
                _ => Style::Plain,
            };
            let span_of = |range: &Range<usize>| self.ground.span(&holder.decoded.raw_range(range));
            let (node, text) = (&tree.nodes[holder.id], &holder.decoded.text);
            match self.resolve(&holder.reads, (node, text), style, &span_of, &mut made) {
                Some(values) => resolved.push(values),
                None => return self.exceeded(),
            }
        }
        let mut assigned: Vec<Values<'c>> = Vec::with_capacity(assignments.list.len());
        for assignment in &assignments.list {
            let span_of = |range: &Range<usize>| assignment.span_of(self, range);
            let node = &tree.nodes[assignment.place.node()];
            let text = assignment.template.text();
            match self.resolve(
                &assignment.reads,
                (node, text),
                Style::Plain,
                &span_of,
                &mut made,
            ) {
                Some(values) => assigned.push(values),
                None => return self.exceeded(),
            }
        }

        let mut changed = BTreeMap::new();
        let parts: Vec<Vec<Part<'_>>> = holders
            .iter()
            .zip(&resolved)
            .map(|(holder, values)| parts_of(holder, values))
            .collect();
        let held: BTreeSet<NodeId> = holders.iter().map(|holder| holder.id).collect();
        let assigned_to = assignments.list.iter();
        let assigned_to = assigned_to.map(|assignment| assignment.place.node());
        let touched: BTreeSet<NodeId> = held.iter().copied().chain(assigned_to).collect();
        let json = self
            .ground
            .inside
            .as_ref()
            .is_some_and(|inside| inside.json)
            || is_json(tree, self.ground.text, &touched);
        let scalars: Vec<Scalar<'_>> = holders
            .iter()
            .map(|holder| Scalar {
                source: self.ground.text,
                tree,
                id: holder.id,
                decoded: &holder.decoded,
                json,
            })
            .collect();
        let hidden = Value::String(SENSITIVE.to_owned());
        for (scalar, parts) in scalars.iter().zip(&parts) {
            let length = parts.iter().filter_map(|part| part.value).map(size).sum();
            if !self.context.budget.take(length) {
                return self.exceeded();
            }
            // Longer texts are neither keys nor names.
            if tree.nodes[scalar.id].role == Role::Key || length <= LONGEST_NAME {
                // Names and keys are told in diagnostics and in the report.
                let target = scalar.target(&concealed(parts, &hidden));
                changed.insert(scalar.id, scalar.decoded.chomped(&target).to_owned());
            }
        }
        self.assigned_texts(assignments, &assigned, &mut changed);
        let places = before.with(changed);
        let has_secrets = places.has_kind("Secret");

        let mut failed: BTreeSet<NodeId> = BTreeSet::new();
        let landings = Landings::new(tree, &places, self.context.custom);
        for (((holder, values), parts), scalar) in
            holders.iter().zip(&resolved).zip(&parts).zip(&scalars)
        {
            let field = places.field(holder.id);
            for told in &values.told {
                self.tell(told.clone(), &field);
            }
            if values.failed {
                failed.insert(holder.id);
                continue;
            }
            if let Some(format) = holder.embedded {
                let aliases = repeats(tree, &places, holder.id, &field).into_iter();
                let fields: Vec<Field> = std::iter::once(field.clone())
                    .chain(aliases.map(|(_, field)| field))
                    .collect();
                self.embedded(scalar, holder, format, &fields);
                continue;
            }
            if parts.is_empty() {
                continue;
            }
            let arrival = Arrival {
                id: holder.id,
                reads: &holder.reads,
                values: &values.values,
                field: &field,
                encoded: false,
            };
            let write = Write {
                scalar,
                parts,
                landings: &landings,
                places: &places,
                has_secrets,
                in_place: true,
                place: None,
            };
            if !self.write(std::slice::from_ref(&arrival), &write) {
                failed.insert(holder.id);
            }
        }
        self.assign(assignments, &assigned, held, &places, &landings, json);
        self.duplicate_keys(tree, &places, &touched, &failed);
        self.rendered.edits.sort_by_key(|edit| edit.span);
    }

    /// Resolves references. None: they would make more than may be written.
    pub(super) fn resolve(
        &self,
        reads: &[Read],
        (node, text): (&Node<'_>, &str),
        style: Style,
        span_of: &dyn Fn(&Range<usize>) -> Span,
        made: &mut usize,
    ) -> Option<Values<'c>> {
        let mut values = Values {
            values: Vec::with_capacity(reads.len()),
            told: Vec::new(),
            failed: false,
        };
        for read in reads {
            let site = Site {
                manifest: read.origin,
                span_of,
                style,
            };
            match settle(&read.reference, node, text, self.context, &site) {
                Ok(mut value) => {
                    *made = made.saturating_add(value.made());
                    if !self.context.budget.has(*made) {
                        return None;
                    }
                    values.told.append(&mut value.warnings);
                    values.values.push((!value.kept).then_some(value));
                }
                Err(error) => {
                    values.told.extend(error.map(|error| *error));
                    values.values.push(None);
                    values.failed = true;
                }
            }
        }
        Some(values)
    }

    pub(super) fn exceeded(&mut self) {
        let error = self.context.budget.exceeded();
        self.rendered.diagnostics.push(error);
    }

    /// Judges all that arrives at one scalar or node and writes it. False when it
    /// has no place there.
    pub(super) fn write(&mut self, arrivals: &[Arrival<'_, '_>], write: &Write<'_, '_>) -> bool {
        // What concerns the whole is told of the first.
        let Some(arrival) = arrivals.first() else {
            return true;
        };
        let Write {
            scalar,
            parts,
            landings,
            places,
            ..
        } = write;
        let (tree, field) = (scalar.tree, arrival.field);
        for arrival in arrivals {
            self.judge(tree, places, arrival);
        }
        let landed = match landings.land(scalar, parts, field) {
            Ok(landed) => landed,
            Err(refusal) => {
                self.refused(arrival, &refusal, tree);
                return true;
            }
        };
        if write.has_secrets {
            let target;
            let text = match scalar.becomes_collection(parts) {
                true => None,
                false => {
                    target = scalar.target(parts);
                    Some(scalar.decoded.chomped(&target))
                }
            };
            self.secret_data(tree, places, arrivals, text);
        }
        if let Landed::Free = landed
            && scalar.is_typed_by_its_place()
        {
            self.quotes_unknown(arrival, scalar.whole_value(parts));
        }
        let converted;
        let parts = match &landed {
            Landed::Whole(value) => {
                converted = [parts[0].with(Some(value))];
                &converted[..]
            }
            _ => parts,
        };
        if scalar.keeps_type(parts)
            && let Some(value) = scalar.whole_value(parts)
        {
            self.inexact(arrival, value);
        }
        let doubled;
        let expanded: Vec<Part<'_>>;
        let mut values = parts.iter().filter_map(|part| part.value);
        let parts = match values.any(expansion::holds_dollar) {
            false => parts,
            true => {
                let values: Vec<_> = parts.iter().map(|part| part.value).collect();
                let Some(values) = self.doubled(arrival, tree, places, &values) else {
                    return false;
                };
                doubled = values;
                expanded = parts
                    .iter()
                    .zip(&doubled)
                    .map(|(part, value)| part.with(value.as_deref()))
                    .collect();
                &expanded[..]
            }
        };
        let edits = match &landed {
            Landed::Joined(value) => Ok(scalar.joined(parts, value)),
            _ if write.in_place => scalar.edits(parts),
            _ => scalar.replaced(parts),
        };
        match edits {
            Ok(mut edits) => {
                if write.place.is_some() {
                    // What is set may stand there already.
                    let source = scalar.source.as_bytes();
                    edits.retain(|edit| source.get(edit.span.range()) != Some(&edit.text[..]));
                }
                if !edits.is_empty() && scalar.changes_kind(parts) {
                    self.rendered.reshaped.push(scalar.decoded.raw.start);
                }
                self.rendered.edits.extend(edits);
                if self.context.wants_substitutions {
                    for arrival in arrivals {
                        self.record(arrival, write.place);
                    }
                }
                true
            }
            Err(misfit) => {
                let nth = parts[..misfit.part]
                    .iter()
                    .filter(|part| part.value.is_some())
                    .count();
                self.misfit(arrival, nth, &misfit, tree);
                false
            }
        }
    }

    /// The values with each `$` doubled where somebody downstream expands them.
    /// None: an alias repeats them where nobody does.
    pub(super) fn doubled<'v>(
        &mut self,
        arrival: &Arrival<'_, '_>,
        tree: &Tree<'_>,
        places: &Places<'_>,
        values: &[Option<&'v Value>],
    ) -> Option<Vec<Option<Cow<'v, Value>>>> {
        let is_doubled = |field: &Field| {
            let mut values = values.iter().flatten();
            values.any(|value| expansion::is_doubled(field, value))
        };
        let here = is_doubled(arrival.field);
        for (alias, field) in repeats(tree, places, arrival.id, arrival.field) {
            if is_doubled(&field) == here {
                continue;
            }
            let mut error = Diagnostic::error(
                Rule::ExpansionConflict,
                "each `$` of this value must be doubled here and not where an alias repeats it, or the other way round",
            );
            if let Some(read) = arrival.reads.first() {
                error = error.at(read.origin, read.span, "this value holds a `$`");
            }
            let error = error
                .at(self.origin(), self.span(&tree.nodes[alias].range), "an alias repeats it here")
                .help("write the reference there once more instead of the alias: arguments, commands and environment values of containers are expanded, other fields are not");
            self.tell(error, arrival.field);
            return None;
        }
        let doubled = |value: &'v Value| expansion::doubled(arrival.field, value);
        Some(values.iter().map(|value| value.map(doubled)).collect())
    }
}

/// Everything around the values of one node that decides how they are written.
pub(super) struct Write<'a, 'v> {
    pub(super) scalar: &'a Scalar<'a>,
    pub(super) parts: &'a [Part<'v>],
    pub(super) landings: &'a Landings<'a>,
    pub(super) places: &'a Places<'a>,
    pub(super) has_secrets: bool,
    /// The references stand in the scalar; else the node is replaced.
    pub(super) in_place: bool,
    /// What changes, when the references stand elsewhere.
    pub(super) place: Option<Span>,
}

/// The parts of a scalar in the order of its text. References that stay are none.
fn parts_of<'v>(holder: &Holder<'_>, values: &'v Values<'_>) -> Vec<Part<'v>> {
    let mut parts: Vec<Part<'v>> = holder
        .reads
        .iter()
        .zip(&values.values)
        .filter_map(|(read, value)| {
            let value = value.as_ref()?;
            Some(Part {
                decoded: read.reference.range.clone(),
                raw: read.raw.clone(),
                value: Some(&value.value),
                read: true,
                sensitive: value.sensitive,
            })
        })
        .collect();
    parts.extend(holder.escapes.iter().map(|decoded| Part {
        decoded: decoded.clone(),
        raw: holder.decoded.raw_range(decoded),
        value: None,
        read: false,
        sensitive: false,
    }));
    parts.sort_unstable_by_key(|part| part.decoded.start);
    parts
}

impl<'v> Part<'v> {
    /// The same part with another value.
    pub(super) fn with<'w>(&self, value: Option<&'w Value>) -> Part<'w> {
        Part {
            decoded: self.decoded.clone(),
            raw: self.raw.clone(),
            value,
            read: self.read,
            sensitive: self.sensitive,
        }
    }
}

/// The same parts with every sensitive value hidden.
pub(super) fn concealed<'v>(parts: &[Part<'v>], hidden: &'v Value) -> Vec<Part<'v>> {
    parts
        .iter()
        .map(|part| match part.sensitive {
            true => part.with(Some(hidden)),
            false => part.with(part.value),
        })
        .collect()
}

/// Whether the document is JSON: its root is a flow collection, it has no comment
/// or marker, some text in double quotes, and nothing that only YAML can say.
/// `touched` are the nodes that get values.
fn is_json(tree: &Tree<'_>, source: &str, touched: &BTreeSet<NodeId>) -> bool {
    let is_flow = matches!(
        tree.nodes.first().map(|root| &root.kind),
        Some(Kind::Mapping { flow: true, .. } | Kind::Sequence { flow: true, .. })
    );
    if !is_flow
        || !tree.comments.is_empty()
        || !source
            .trim_start_matches('\u{feff}')
            .trim_ascii_start()
            .starts_with(['{', '['])
    {
        return false;
    }
    let quoted = |style: &Style| *style == Style::DoubleQuoted;
    let is_literal = |text: &str| {
        matches!(text, "true" | "false" | "null")
            || text.starts_with(|c: char| c == '-' || c.is_ascii_digit())
    };
    let mut texts = 0;
    for (id, node) in tree.nodes.iter().enumerate() {
        match &node.kind {
            Kind::Scalar { style, .. } if quoted(style) => texts += 1,
            Kind::Scalar {
                style: Style::Plain,
                text,
                ..
            } if is_literal(text) || touched.contains(&id) => {}
            Kind::Scalar { .. } | Kind::Alias(_) => return false,
            Kind::Sequence { .. } | Kind::Mapping { .. } => {}
        }
    }
    texts > 0
}
