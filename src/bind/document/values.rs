//! Values for the references of one document: resolved, validated by their fields,
//! and written as edits.

use std::borrow::Cow;
use std::ops::Range;

use crate::analysis::document::FoundReference;
use crate::bind::document::assignment::Assignments;
use crate::bind::document::results::wanted;
use crate::bind::document::scalars::DecodedScalar;
use crate::bind::document::validate::{Placement, SENSITIVE};
use crate::bind::document::withheld::ReferencesInText;
use crate::bind::document::{Budget, Renderer};
use crate::bind::missing_policy::apply_missing_policy;
use crate::bind::resolve::{Outcome, Resolved, Withheld};
use crate::collections::{OrderedMap, OrderedSet};
use crate::functions::size;
use crate::kubernetes::expansion::{self, Expansion};
use crate::kubernetes::resources::{Identity, Occurrences, Resources};
use crate::kubernetes::types::{Coercion, FieldTypes};
use crate::outputs::Value;
use crate::report::{Counts, Diagnostic, MAX_DIAGNOSTICS, Rule};
use yaml::Span;
use yaml::{Kind, NodeId, Role, Style, Tree};
use yaml::{NodeEditor, Part};

/// More than any name, kind or apiVersion may have.
const MAX_NAME: usize = 512;

/// What resolving the references of one document has made, before any of it is
/// written.
#[derive(Default)]
pub(crate) struct Resolving {
    /// Bytes of values, about.
    made: usize,
    /// How many diagnostics wait until all places are known.
    waiting: Counts,
    omitted: Counts,
}

impl Resolving {
    /// Counts what functions made of a value and takes its warnings. False: it is more
    /// than may be written.
    pub(crate) fn makes(
        &mut self,
        value: &mut Resolved<'_>,
        reported: &mut Vec<Diagnostic>,
        budget: &Budget,
    ) -> bool {
        self.made = self.made.saturating_add(value.made());
        for warning in value.warnings.drain(..) {
            self.wait(warning, reported);
        }
        budget.has(self.made)
    }

    /// Keeps a diagnostic until its place is known, unless so many wait that it
    /// could not be kept then either.
    pub(crate) fn wait(&mut self, diagnostic: Diagnostic, reported: &mut Vec<Diagnostic>) {
        let severity = diagnostic.severity;
        if self.waiting.get(severity) < MAX_DIAGNOSTICS as u64 {
            self.waiting.add(severity, 1);
            reported.push(diagnostic);
        } else {
            self.omitted.add(severity, 1);
        }
    }
}

/// The references of one holder or assignment, resolved.
pub(crate) struct Values<'b> {
    /// None: the reference stays as it is, or its value is withheld.
    pub(crate) values: Vec<Option<Resolved<'b>>>,
    /// Sensitive values, by position: not evaluated before their placement is known.
    pub(crate) withheld: Vec<(usize, Withheld)>,
    /// Errors and warnings.
    pub(crate) reported: Vec<Diagnostic>,
    /// Nothing can be written: an error says why, here or for the outputs document.
    pub(crate) failed: bool,
    /// Where they appear, if that decided whether sensitive ones are evaluated.
    pub(crate) occurrences: Option<Occurrences>,
}

impl<'c> Renderer<'_, 'c> {
    /// Writes the values of one document. Returns its places once they are in.
    pub(crate) fn substitute<'p>(
        &mut self,
        tree: &Tree,
        decoded_scalars: &[DecodedScalar<'_, 'c>],
        assignments: &Assignments<'c>,
        before: Resources<'p>,
    ) -> Resources<'p> {
        // Public values first: the fields are validated with the keys, the apiVersion and
        // the kind that come out. Sensitive ones follow where they may be written.
        // What functions produce is held until all fields are validated.
        let mut resolving = Resolving::default();
        let source = self.source;
        let dialect = self.context.dialect();
        let mut resolved: Vec<Values<'c>> = Vec::with_capacity(decoded_scalars.len());
        for decoded_scalar in decoded_scalars {
            let span_of =
                |range: &Range<usize>| source.span(&decoded_scalar.decoded.raw_range(range));
            match self.resolve(
                &ReferencesInText::of_scalar(tree, decoded_scalar, dialect, &span_of),
                &mut resolving,
            ) {
                Some(values) => resolved.push(values),
                None => {
                    self.exceeded();
                    return before;
                }
            }
        }
        let mut assigned: Vec<Values<'c>> = Vec::with_capacity(assignments.list.len());
        for assignment in &assignments.list {
            let span_of = |range: &Range<usize>| assignment.span_of(source, range);
            let in_text = ReferencesInText::of_assignment(tree, assignment, dialect, &span_of);
            match self.resolve(&in_text, &mut resolving) {
                Some(values) => assigned.push(values),
                None => {
                    self.exceeded();
                    return before;
                }
            }
        }

        let mut changed = OrderedMap::new();
        let hidden = Value::String(SENSITIVE.to_owned());
        let mut parts = parts_of(decoded_scalars, &resolved, &hidden);
        let held: OrderedSet<NodeId> = decoded_scalars
            .iter()
            .map(|decoded_scalar| decoded_scalar.id)
            .collect();
        let assigned_to = assignments.list.iter();
        let assigned_to = assigned_to.map(|assignment| assignment.place.node());
        let touched: OrderedSet<NodeId> = held.iter().copied().chain(assigned_to).collect();
        let json = self
            .source
            .inside
            .as_ref()
            .is_some_and(|inside| inside.json)
            || is_json(tree, self.source.text, &touched);
        let scalars: Vec<NodeEditor<'_>> = decoded_scalars
            .iter()
            .map(|decoded_scalar| NodeEditor {
                source: self.source.text,
                tree,
                id: decoded_scalar.id,
                decoded: &decoded_scalar.decoded,
                json,
            })
            .collect();
        for (scalar, parts) in scalars.iter().zip(&parts) {
            // Longer texts are neither keys nor names.
            if tree[scalar.id].role() == Role::Key || length(parts) <= MAX_NAME {
                // Names and keys appear in diagnostics and in the report.
                let target = scalar.text_with(parts);
                changed.insert(scalar.id, scalar.decoded.chomped(&target).to_owned());
            }
        }
        self.assigned_texts(tree, assignments, &assigned, &mut changed);
        let resources = before.with(changed);
        let text = (self.source.text, self.source.offset);
        let identity = Identity::new(tree, &resources, text, assignments.added_keys());
        let withheld = |values: &Values<'_>| !values.withheld.is_empty();
        if resolved.iter().chain(&assigned).any(withheld) {
            drop(parts);
            let all = (resolved.as_mut_slice(), assigned.as_mut_slice());
            let written = (decoded_scalars, assignments);
            if !self.evaluate_withheld(tree, (&resources, &identity), written, all, &mut resolving)
            {
                self.exceeded();
                return resources;
            }
            parts = parts_of(decoded_scalars, &resolved, &hidden);
        }
        self.rendered.diagnostics.add_omitted(resolving.omitted);
        for parts in &parts {
            if !self.context.budget.take(length(parts)) {
                self.exceeded();
                return resources;
            }
        }
        let has_secrets = resources.has_kind("Secret");

        let mut failed: OrderedSet<NodeId> = OrderedSet::new();
        let field_types = FieldTypes::new(tree, self.context.custom);
        for (((decoded_scalar, values), parts), scalar) in decoded_scalars
            .iter()
            .zip(&resolved)
            .zip(&parts)
            .zip(&scalars)
        {
            if !values.reported.is_empty() {
                let field = resources.field(decoded_scalar.id);
                for reported in &values.reported {
                    self.report(reported.clone(), &field);
                }
            }
            if values.failed {
                failed.insert(decoded_scalar.id);
                continue;
            }
            let found = match values.occurrences {
                Some(_) => None,
                None => self.occurrences(tree, &resources, decoded_scalar.id, None),
            };
            let Some(occurrences) = values.occurrences.as_ref().or(found.as_ref()) else {
                failed.insert(decoded_scalar.id);
                continue;
            };
            if let Some(embedded) = decoded_scalar.embedded {
                let all: Vec<_> = occurrences.all().cloned().collect();
                let inside = assignments.inside.get(&decoded_scalar.id);
                let inside = inside.map_or(&[][..], Vec::as_slice);
                self.embedded(scalar, decoded_scalar, embedded, (&all, &identity), inside);
                continue;
            }
            if parts.is_empty() {
                continue;
            }
            let placement = Placement {
                id: decoded_scalar.id,
                references: decoded_scalar.references,
                template: None,
                values: &values.values,
                field: &occurrences.own.field,
                occurrences,
                encoded: false,
            };
            let write = Write {
                scalar,
                parts,
                field_types: &field_types,
                has_secrets,
                in_place: true,
                place: None,
                within: &[],
            };
            if !self.write(std::slice::from_ref(&placement), &write) {
                failed.insert(decoded_scalar.id);
            }
        }
        self.assign(assignments, &assigned, held, &resources, &field_types, json);
        self.duplicate_keys(tree, &resources, &touched, &failed);
        self.resolve_results();
        resources
    }

    /// Resolves references, as far as they are not sensitive. None: they would make
    /// more than may be written.
    pub(crate) fn resolve(
        &self,
        in_text: &ReferencesInText<'_>,
        resolving: &mut Resolving,
    ) -> Option<Values<'c>> {
        let mut values = Values {
            values: Vec::with_capacity(in_text.references.len()),
            withheld: Vec::new(),
            reported: Vec::new(),
            failed: false,
            occurrences: None,
        };
        for (nth, read) in in_text.references.iter().enumerate() {
            let site = in_text.site(read);
            match apply_missing_policy(
                &read.reference,
                in_text.node,
                in_text.text,
                self.context,
                &site,
            ) {
                Ok(Outcome::Resolved(mut value)) => {
                    if !resolving.makes(&mut value, &mut values.reported, self.context.budget) {
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
                        resolving.wait(*error, &mut values.reported);
                    }
                    values.values.push(None);
                    values.failed = true;
                }
            }
        }
        Some(values)
    }

    pub(crate) fn exceeded(&mut self) {
        let error = self.context.budget.exceeded();
        self.rendered.diagnostics.push(error);
    }

    /// Judges all that arrives at one scalar or node and writes it. False when it
    /// has no place there.
    pub(crate) fn write(
        &mut self,
        placements: &[Placement<'_, '_>],
        write: &Write<'_, '_>,
    ) -> bool {
        // What concerns the whole is reported for the first.
        let Some(placement) = placements.first() else {
            return true;
        };
        let Write {
            scalar,
            parts,
            field_types,
            ..
        } = write;
        let tree = scalar.tree;
        let landed = match field_types.land(scalar, parts, placement.occurrences) {
            Ok(landed) => landed,
            Err(refusal) => {
                self.refused(placements, &refusal, tree);
                return true;
            }
        };
        if write.has_secrets {
            let target;
            let text = match scalar.becomes_collection(parts) {
                true => None,
                false => {
                    target = scalar.text_with(parts);
                    Some(scalar.decoded.chomped(&target))
                }
            };
            let is_whole = scalar.whole_value(parts).is_some();
            self.secret_data(tree, placements, text, is_whole);
        }
        if let Coercion::Free = landed
            && scalar.is_untyped()
        {
            self.quotes_unknown(placement, scalar.whole_value(parts));
        }
        let converted;
        let parts = match &landed {
            Coercion::Whole(value) => {
                converted = [parts[0].with(Some(value))];
                &converted[..]
            }
            _ => parts,
        };
        if scalar.keeps_type(parts)
            && let Some(value) = scalar.whole_value(parts)
        {
            self.inexact(placement, value);
        }
        let doubled;
        let expanded: Vec<Part<'_, Value>>;
        let mut values = parts.iter().filter_map(|part| part.value);
        let holds_dollar = values.any(expansion::holds_dollar);
        let is_repeated = |one: &Placement<'_, '_>| !one.occurrences.repeated.is_empty();
        let may_conflict = |one: &Placement<'_, '_>| is_repeated(one) && one.mark().is_some();
        let parts = match holds_dollar || placements.iter().any(may_conflict) {
            false => parts,
            true => {
                let values: Vec<_> = parts.iter().map(|part| part.value).collect();
                let Some(values) = self.doubled(placement, tree, &values) else {
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
            Coercion::Joined(value) => Ok(scalar.replace_parts_as(parts, value)),
            _ if write.in_place => scalar.replace_parts(parts),
            _ => scalar.replace(parts),
        };
        match edits {
            Ok(mut edits) => {
                if write.place.is_some() {
                    // The value may already be there.
                    let source = scalar.source.as_bytes();
                    edits.retain(|edit| source.get(edit.span.range()) != Some(&edit.text[..]));
                }
                if !edits.is_empty() && scalar.changes_kind(parts) {
                    self.rendered.reshaped.push(scalar.decoded.raw.start);
                }
                let (mut substitutions, mut written) = (Vec::new(), Vec::new());
                if self.context.wants_substitutions {
                    for placement in placements {
                        substitutions.extend(self.substitutions(placement, write.place));
                    }
                    written = scalar.written(parts, &edits, &wanted(placements, write, parts));
                }
                self.take(edits, substitutions, written);
                true
            }
            Err(misfit) => {
                let nth = parts[..misfit.part]
                    .iter()
                    .filter(|part| part.value.is_some())
                    .count();
                self.misfit(placement, nth, &misfit, tree);
                false
            }
        }
    }

    /// The values with each `$` doubled where a consumer expands them.
    /// `None` if an alias repeats them where none does.
    pub(crate) fn doubled<'v>(
        &mut self,
        placement: &Placement<'_, '_>,
        tree: &Tree,
        values: &[Option<&'v Value>],
    ) -> Option<Vec<Option<Cow<'v, Value>>>> {
        // Whether a sensitive value holds a `$` is part of it: it counts as one that does.
        let dollar = placement.mark().map(|_| Value::String("$".to_owned()));
        let own = Expansion::of(placement.field);
        let doubled = |expansion: &Expansion| {
            let doubled = |value: &'v Value| expansion.doubled(value);
            values.iter().map(|value| value.map(doubled)).collect()
        };
        let dollars = |expansion: &Expansion| {
            let doubled = |value| expansion.doubled(value).into_owned();
            dollar.as_ref().map(doubled)
        };
        let written: Vec<Option<Cow<'v, Value>>> = doubled(&own);
        let written_dollar = dollars(&own);
        let mut equal = OrderedSet::from([own]);
        for place in &placement.occurrences.repeated {
            let there = Expansion::of(&place.field);
            let is_equal = || dollars(&there) == written_dollar && doubled(&there) == written;
            if equal.contains(&there) || is_equal() {
                equal.insert(there);
                continue;
            }
            let mut error = Diagnostic::error(
                Rule::ExpansionConflict,
                "`$` must be doubled in this field but not where an alias repeats it, or vice versa",
            );
            if let Some(read) = placement.references.first() {
                let what = match dollar.is_some() {
                    true => "this sensitive value may contain a `$`",
                    false => "this value contains a `$`",
                };
                error = error.at(read.origin, read.span, what);
            }
            if let Some(alias) = place.alias {
                let span = self.span(&tree[alias].range());
                error = error.at(self.origin(), span, "an alias repeats it here");
            }
            let error = error.help("repeat the reference instead of using an alias: Kubernetes expands arguments, commands and environment values of containers, but no other fields");
            self.report(error, placement.field);
            return None;
        }
        Some(written)
    }
}

/// Everything around the values of one node that decides how they are written.
pub(crate) struct Write<'a, 'v> {
    pub(crate) scalar: &'a NodeEditor<'a>,
    pub(crate) parts: &'a [Part<'v, Value>],
    pub(crate) field_types: &'a FieldTypes<'a>,
    pub(crate) has_secrets: bool,
    /// The references are in the scalar; otherwise the node is replaced.
    pub(crate) in_place: bool,
    /// The bytes that change, if the references are elsewhere.
    pub(crate) place: Option<Span>,
    /// What of the text of each part its references become, when they are elsewhere; none
    /// for all of it.
    pub(crate) within: &'a [Vec<Option<Range<usize>>>],
}

/// The bytes that the values of some parts take, about.
fn length(parts: &[Part<'_, Value>]) -> usize {
    parts.iter().filter_map(|part| part.value).map(size).sum()
}

/// The parts of each scalar in the order of its text. References that stay are none;
/// `hidden` takes the place of a withheld value.
pub(crate) fn parts_of<'v>(
    decoded_scalars: &[DecodedScalar<'_, '_>],
    resolved: &'v [Values<'_>],
    hidden: &'v Value,
) -> Vec<Vec<Part<'v, Value>>> {
    let parts_of = |(decoded_scalar, values): (&DecodedScalar<'_, '_>, &'v Values<'_>)| {
        let mut withheld = values.withheld.iter().map(|(nth, _)| *nth).peekable();
        let part = |(nth, read): (usize, &FoundReference)| {
            let is_withheld = withheld.next_if_eq(&nth).is_some();
            let value = match &values.values[nth] {
                Some(resolved) => &*resolved.value,
                None if is_withheld => hidden,
                None => return None,
            };
            Some(Part {
                decoded: read.reference.range.clone(),
                raw: read.raw.clone(),
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

/// Whether the document is JSON: its root is a flow collection, it has no comment
/// or marker, some text in double quotes, and nothing that only YAML can say.
/// `touched` are the nodes that get values.
fn is_json(tree: &Tree, source: &str, touched: &OrderedSet<NodeId>) -> bool {
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
    let mut texts = 0;
    for (id, node) in tree.nodes() {
        match node.kind() {
            Kind::Scalar {
                style: Style::DoubleQuoted,
                ..
            } => texts += 1,
            Kind::Scalar {
                style: Style::Plain,
                ..
            } if touched.contains(&id) || tree.text(id).is_some_and(is_literal) => {}
            Kind::Scalar { .. } | Kind::Alias(_) => return false,
            Kind::Sequence { .. } | Kind::Mapping { .. } => {}
        }
    }
    texts > 0
}
