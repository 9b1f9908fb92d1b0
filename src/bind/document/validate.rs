//! Whether a value is allowed in its field: sensitivity, base64 in Secrets,
//! numbers that readers change, equal keys.

use crate::analysis::document::FoundReference;
use crate::bind::document::Renderer;
use crate::bind::resolve::Resolved;
use crate::bind::secret_data;
use crate::collections::{OrderedMap, OrderedSet};
use crate::kubernetes::expansion;
use crate::kubernetes::resources::{Field, Occurrences, Resources};
use crate::outputs::Mark;
use crate::outputs::{Type, Value};
use crate::report::{Diagnostic, Rule, Substitution};
use yaml::Span;
use yaml::{NodeId, Role, Tree};

/// Shown instead of a sensitive value, as Terraform words it.
pub(crate) const SENSITIVE: &str = "(sensitive)";

/// The references of one node, and their values.
#[derive(Clone, Copy)]
pub(crate) struct Placement<'a, 'b> {
    /// The node that changes.
    pub(crate) id: NodeId,
    pub(crate) references: &'a [FoundReference],
    /// The text of the template that holds the references; none where they are in the
    /// document's own text.
    pub(crate) template: Option<&'a str>,
    /// None: the reference stays.
    pub(crate) values: &'a [Option<Resolved<'b>>],
    pub(crate) field: &'a Field,
    /// The field and all others where aliases repeat the node.
    pub(crate) occurrences: &'a Occurrences,
    /// What is written is base64 of it.
    pub(crate) encoded: bool,
}

impl<'a, 'b> Placement<'a, 'b> {
    /// The references that have a value, with it.
    pub(crate) fn each(
        &self,
    ) -> impl Iterator<Item = (&'a FoundReference, &'a Resolved<'b>)> + use<'a, 'b> {
        let values = self.values;
        self.references
            .iter()
            .zip(values)
            .filter_map(|(read, value)| Some((read, value.as_ref()?)))
    }

    /// The first sensitive output that has gone into it, and the reference that
    /// brings it.
    pub(crate) fn mark(&self) -> Option<(&'a FoundReference, &'a Mark)> {
        let mut each = self.each();
        each.find_map(|(read, value)| Some((read, value.mark.as_deref()?)))
    }
}

impl Renderer<'_, '_> {
    /// Reports a number that readers will change.
    pub(crate) fn inexact(&mut self, placement: &Placement<'_, '_>, written: &Value) {
        // That there is such a number, and how long it is, is part of the value.
        let written = Some(written).filter(|_| placement.mark().is_none());
        let digits = written.and_then(inexact);
        let (Some(digits), Some(read)) = (digits, placement.references.first()) else {
            return;
        };
        let warning = Diagnostic::warning(
            Rule::InexactNumber,
            "this number exceeds 64-bit integer and float precision: YAML readers may change its digits",
        )
        .at(read.origin, read.span, format!("{} digits", digits.len()))
        .help("make it a string with `| string` here, or `tostring(…)` in Terraform");
        self.report(warning, placement.field);
    }

    /// Whether this may stand in the data of a Secret, where it does or where an
    /// alias repeats it. `text` is what comes out; none for a list or an object.
    /// `is_whole`: one reference is all of it.
    pub(crate) fn secret_data(
        &mut self,
        tree: &Tree,
        placements: &[Placement<'_, '_>],
        text: Option<&str>,
        is_whole: bool,
    ) {
        let Some(placement) = placements.first() else {
            return;
        };
        let mut occurrences = placement.occurrences.all();
        let typed_field = occurrences.find(|place| !place.is_key && place.field.holds_base64());
        let Some(typed_field) = typed_field else {
            return;
        };
        let dialect = self.context.dialect();
        let mut written = Vec::new();
        for placement in placements {
            written.extend(placement.each().map(|(read, value)| secret_data::Written {
                reference: &read.reference,
                value: &value.value,
                is_sensitive: value.is_sensitive(),
                is_whole,
                span: read.span,
                origin: read.origin,
                encoded: placement.encoded,
            }));
        }
        for mut error in secret_data::validate(dialect, &written, text, &typed_field.field) {
            if let Some(alias) = typed_field.alias {
                let span = self.span(&tree[alias].range());
                error = error.at(self.origin(), span, "an alias repeats it here");
            }
            self.report(error, &typed_field.field);
        }
    }

    /// Returns a reference as the report shows it.
    fn written(&self, placement: &Placement<'_, '_>, read: &FoundReference) -> String {
        let text = match placement.template {
            Some(template) => template.get(read.reference.range.clone()),
            None => self.source.text.get(read.raw.clone()),
        };
        let words = text.unwrap_or_default().split_whitespace();
        words.collect::<Vec<_>>().join(" ")
    }

    /// Returns the substitutions of the report, one for each reference that has a value.
    /// `place` are the bytes of the manifest that change when the references are
    /// elsewhere.
    pub(crate) fn substitutions(
        &self,
        placement: &Placement<'_, '_>,
        place: Option<Span>,
    ) -> impl Iterator<Item = Substitution> {
        placement.each().map(move |(read, value)| {
            let is_sensitive = value.is_sensitive();
            let span = place.unwrap_or(read.span);
            let dollar = Value::String("$".to_owned());
            Substitution {
                file: self.context.file,
                start: span.start,
                end: span.end,
                result_span: (0, 0),
                reference: self.written(placement, read),
                output: value.output.clone(),
                document: value.source.map(|(document, _)| document),
                output_span: value.source.map(|(_, span)| (span.start, span.end)),
                // Functions make other types of other values.
                value_type: match is_sensitive {
                    true => value.source_type.name(),
                    false => value.value.value_type().name(),
                },
                value: match (is_sensitive, value.value.text()) {
                    (true, _) => SENSITIVE.to_owned(),
                    (false, Some(text)) => text.to_owned(),
                    (false, None) => value.value.to_json(),
                },
                sensitive: is_sensitive,
                resource: placement.field.resource.as_deref().cloned(),
                field: placement.field.to_string(),
                // Base64 contains none. Whether a sensitive value contains one is not reported.
                dollars_doubled: !placement.encoded
                    && match is_sensitive {
                        true => expansion::is_doubled(placement.field, &dollar),
                        false => expansion::is_doubled(placement.field, &value.value),
                    },
            }
        })
    }

    /// Reports a number or bool where neither quotes nor the field's type decide whether its
    /// text is meant. kustomize drops the quotes before its functions see them.
    pub(crate) fn quotes_unknown(&mut self, placement: &Placement<'_, '_>, whole: Option<&Value>) {
        // Of what scalars embed it drops none.
        if self.context.scope.only_under.is_none() || self.source.inside.is_some() {
            return;
        }
        let (Some(read), Some(found)) =
            (placement.references.first(), whole.map(Value::value_type))
        else {
            return;
        };
        if !matches!(found, Type::Number | Type::Bool) || placement.mark().is_some() {
            return;
        }
        let message = format!(
            "`{}` becomes {}: any original quotes were already dropped",
            placement.field,
            found.described()
        );
        let note = Diagnostic::note(Rule::QuotesUnknown, message)
            .at(read.origin, read.span, "")
            .help("if the field expects a string, add `| string`");
        self.report(note, placement.field);
    }

    /// Reports a key that is equal to another one of its mapping. `changed` are the
    /// nodes that got values; an alias of one may be a key.
    pub(crate) fn duplicate_keys(
        &mut self,
        tree: &Tree,
        resources: &Resources<'_>,
        changed: &OrderedSet<NodeId>,
        failed: &OrderedSet<NodeId>,
    ) {
        let changed: OrderedSet<NodeId> = changed
            .iter()
            .flat_map(|id| resources.appearances(*id))
            .filter(|id| tree[*id].role() == Role::Key)
            .collect();
        let mappings: OrderedSet<NodeId> =
            changed.iter().filter_map(|id| tree[*id].parent()).collect();
        if mappings.is_empty() {
            return;
        }
        let mut seen: OrderedMap<(NodeId, &str), NodeId> = OrderedMap::new();
        for (id, node) in tree.nodes() {
            let (Role::Key, Some(mapping)) = (node.role(), node.parent()) else {
                continue;
            };
            // A key whose references failed has no text yet.
            let text = resources
                .text(id)
                .filter(|_| mappings.contains(&mapping) && !failed.contains(&resources.target(id)));
            let Some(text) = text else {
                continue;
            };
            let Some(first) = seen.insert((mapping, text), id) else {
                continue;
            };
            if !changed.contains(&first) && !changed.contains(&id) {
                continue;
            }
            let error = Diagnostic::error(Rule::DuplicateKey, "duplicate key after substitution")
                .at(self.origin(), self.span(&node.range()), "this key")
                .at(
                    self.origin(),
                    self.span(&tree[first].range()),
                    "first defined here",
                );
            self.report(error, &resources.field(id));
        }
    }
}

/// A number that readers may change, alone or in a collection: too long for int64,
/// and perhaps for float64.
fn inexact(value: &Value) -> Option<&str> {
    let digits = match value {
        Value::Number(digits) => digits,
        Value::List(items) => return items.iter().find_map(inexact),
        Value::Object(entries) => return entries.iter().find_map(|(_, value)| inexact(value)),
        Value::Null | Value::Bool(_) | Value::String(_) => return None,
    };
    (digits.parse::<i64>().is_err() && !float_holds(digits)).then_some(digits)
}

/// Whether a float of 64 bits keeps these digits for sure: it has room for 15
/// figures, and for exponents up to 307. Nothing is converted: what converts floats
/// exactly is larger than the YAML parser.
fn float_holds(digits: &str) -> bool {
    let (mantissa, exponent) = digits.split_once(['e', 'E']).unwrap_or((digits, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let whole = whole.trim_start_matches(['-', '0']);
    let Ok(exponent) = exponent.parse::<i16>() else {
        return false;
    };
    let leading = fraction.len() - fraction.trim_start_matches('0').len();
    let figures = match (whole.is_empty(), fraction.trim_end_matches('0')) {
        (true, fraction) => fraction.len().saturating_sub(leading),
        (false, "") => whole.trim_end_matches('0').len(),
        (false, fraction) => whole.len() + fraction.len(),
    };
    let length = |length: usize| i64::try_from(length).unwrap_or(i64::MAX);
    let magnitude = match whole.is_empty() {
        true => -length(leading),
        false => length(whole.len()),
    };
    let magnitude = magnitude.saturating_add(i64::from(exponent));
    figures <= 15 && (-306..=308).contains(&magnitude)
}
