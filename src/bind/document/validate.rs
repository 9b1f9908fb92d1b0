//! Validates values in their fields: base64 in Secrets, numbers that readers change,
//! dropped quotes, duplicate keys.

use std::borrow::Cow;
use std::ops::Range;

use crate::analysis::document::FoundReference;
use crate::bind::document::Renderer;
use crate::bind::document::consumers::NodeText;
use crate::bind::document::values::Write;
use crate::bind::resolve::{Resolved, Shape};
use crate::bind::secret_data;
use crate::collections::{OrderedMap, OrderedSet};
use crate::kubernetes::Format;
use crate::kubernetes::consumers;
use crate::kubernetes::go_template::{self, Beside};
use crate::kubernetes::plain_scalar;
use crate::kubernetes::resources::{Field, Occurrences, Resources};
use crate::outputs::Mark;
use crate::outputs::{Type, Value};
use crate::report::{Diagnostic, Rule, Substitution};
use yaml::{Context, NodeId, Role, Span, Style, Tree, plain_reads_back};

/// Shown instead of a sensitive value, as in Terraform.
pub(crate) const SENSITIVE: &str = "(sensitive)";

/// Shown instead of a value that does not exist, whose entry or item is removed.
const OMITTED: &str = "(omitted)";

/// The references of one node, and their values.
#[derive(Clone, Copy)]
pub(crate) struct Placement<'a, 'b> {
    /// The node that changes.
    pub(crate) id: NodeId,
    pub(crate) references: &'a [FoundReference],
    /// The template that contains the references; `None` if they are in the document's
    /// own text.
    pub(crate) template: Option<&'a str>,
    /// `None` if the reference stays.
    pub(crate) values: &'a [Option<Resolved<'b>>],
    /// The parts of the current value that stay, by reference. They are not outputs.
    pub(crate) derived: &'a [Option<String>],
    pub(crate) field: &'a Field,
    /// The field and all others where aliases repeat the node.
    pub(crate) occurrences: &'a Occurrences,
    /// What the Binding lists the field as, in `spec.embedded`.
    pub(crate) listed: Option<Format>,
    /// Whether the value is written as base64.
    pub(crate) encoded: bool,
}

impl<'a, 'b> Placement<'a, 'b> {
    /// Returns the references to outputs that have a value, each with its value.
    pub(crate) fn each(
        &self,
    ) -> impl Iterator<Item = (&'a FoundReference, &'a Resolved<'b>)> + use<'a, 'b> {
        let (values, derived) = (self.values, self.derived);
        let is_derived = move |nth: usize| derived.get(nth).is_some_and(Option::is_some);
        let all = self.references.iter().zip(values).enumerate();
        all.filter(move |(nth, _)| !is_derived(*nth))
            .filter_map(|(_, (found, value))| Some((found, value.as_ref()?)))
    }

    /// Returns the first sensitive output that the values depend on, with its reference.
    pub(crate) fn mark(&self) -> Option<(&'a FoundReference, &'a Mark)> {
        let mut each = self.each();
        each.find_map(|(found, value)| Some((found, value.mark.as_deref()?)))
    }
}

impl Renderer<'_, '_> {
    /// Reports a number that readers may change.
    pub(crate) fn report_inexact(&mut self, placement: &Placement<'_, '_>, value: &Value) {
        // Reporting such a number and its length would reveal part of a sensitive value.
        if placement.mark().is_some() {
            return;
        }
        let digits = value.inexact_digits();
        let (Some(digits), Some(found)) = (digits, placement.references.first()) else {
            return;
        };
        let warning = Diagnostic::warning(
            Rule::InexactNumber,
            "this number exceeds 64-bit integer and float precision: YAML readers may change its digits",
        )
        .at(found.origin, found.span, format!("{} digits", digits.len()))
        .help("make it a string with `| string` here, or `tostring(…)` in Terraform");
        self.report(warning, placement.field);
    }

    /// Reports values that would become actions of a Go template, alone or with the text
    /// beside them. `result` returns the new text.
    pub(crate) fn validate_actions(
        &mut self,
        placements: &[Placement<'_, '_>],
        result: &dyn Fn() -> NodeText,
    ) {
        let is_expanded = |placement: &Placement<'_, '_>| {
            let mut all = placement.occurrences.all();
            all.any(|occurrence| go_template::is_expanded(&occurrence.field))
        };
        let in_template = self.source.in_template();
        if !in_template && !placements.iter().any(is_expanded) {
            return;
        }
        // What a sensitive value contains must not be revealed, also not by the value beside
        // it.
        let NodeText { text, values, .. } = if placements.iter().any(|one| one.mark().is_some()) {
            NodeText::default()
        } else {
            result()
        };
        let actions = go_template::actions(&text);
        let who = |field: &Field| {
            go_template::expander(field.resource.as_ref().map(|one| one.kind.as_str()))
        };
        let mut values = values.into_iter();
        for placement in placements {
            let mut is_done = !in_template && !is_expanded(placement);
            let is_elsewhere = !is_done && placement.template.is_some();
            for (found, value) in placement.each() {
                let bytes = values.next().map(|value| value.bytes);
                // The author may write an action as the default.
                if is_done || value.source.is_none() || value.mark.is_some() {
                    continue;
                }
                let output = &value.output;
                let is_in_action =
                    |bytes: &Range<usize>| go_template::is_in_action(&actions, bytes);
                if is_elsewhere
                    && !found.reference.becomes_json()
                    && bytes.as_ref().is_some_and(is_in_action)
                {
                    let message = format!("`{output}` is in an action of a Go template");
                    let error = Diagnostic::error(Rule::TemplateInValue, message)
                        .at(found.origin, found.span, "not converted to JSON")
                        .help("convert it with `| json`, without quotes around it");
                    self.report(error, placement.field);
                    is_done = true;
                    continue;
                }
                let message = if go_template::contains_action(&value.value) {
                    format!("`{output}` contains `{{{{`, which {}", who(placement.field))
                } else if bytes.is_some_and(|bytes| go_template::opens_action(&text, &bytes)) {
                    format!(
                        "together with the text next to it, `{output}` forms `{{{{`, which {}",
                        who(placement.field)
                    )
                } else {
                    continue;
                };
                is_done = true;
                let error = Diagnostic::error(Rule::TemplateInValue, message)
                    .at(found.origin, found.span, "this would become a Go template")
                    .help("remove it from the output, or write the template in the manifest");
                self.report(error, placement.field);
            }
        }
    }

    /// Reports a string in a plain scalar that otherwise consists of actions of a Go template:
    /// if they expand to nothing, YAML readers may read a number.
    pub(crate) fn validate_beside_actions(
        &mut self,
        placement: &Placement<'_, '_>,
        write: &Write<'_, '_>,
    ) {
        let (scalar, actions) = (write.scalar, self.source.actions());
        if actions.is_empty() || !scalar.is_plain() {
            return;
        }
        let is_string = |value: &Value| matches!(value, Value::String(_));
        let mut each = placement.each();
        let Some((found, value)) = each.find(|(_, value)| is_string(&value.value)) else {
            return;
        };
        let (mut without_actions, mut beside, mut at) = (String::new(), Beside::default(), 0);
        for part in write.parts.iter().map(Some).chain([None]) {
            let end = part.map_or(scalar.decoded.text.len(), |part| part.decoded.start);
            let raw = scalar.decoded.raw_range(&(at..end));
            let mut start = raw.start;
            let between = scalar.source.get(raw).unwrap_or_default();
            for word in between.split([' ', '\t', '\n', '\r']) {
                let bytes = self.span(&(start..start + word.len())).range();
                start += word.len() + 1;
                if !word.is_empty() && beside.has_text(&bytes, actions) {
                    return;
                }
            }
            let Some(part) = part else { break };
            without_actions.push_str(part.value.and_then(Value::text).unwrap_or_default());
            at = part.decoded.end;
        }
        let context = Context {
            flow: scalar.tree.in_flow(scalar.id),
            json: false,
        };
        let is_plain = |text: &str| plain_reads_back(text, context);
        // Otherwise, the scalar needs quotes anyway, which is reported.
        let stays_plain = is_plain(&scalar.text_with(write.parts));
        if !beside.has_action || !stays_plain || is_plain(&without_actions) {
            return;
        }
        let message = format!(
            "`{}` is a string, but YAML readers may read another type once Argo CD has expanded the actions beside it",
            value.output
        );
        let error = Diagnostic::error(Rule::TypeMismatch, message)
            .at(
                found.origin,
                found.span,
                "neither it nor the actions are in quotes",
            )
            .help("put the value and the actions in double quotes");
        self.report(error, placement.field);
    }

    /// Reports values that are not allowed in the `data` of a Secret, at their own field
    /// or where an alias repeats them. `text` is the result, `None` for a list or an
    /// object. `is_whole` is whether one reference is all of it.
    pub(crate) fn validate_secret_data(
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
        let base64_field =
            occurrences.find(|occurrence| !occurrence.is_key && occurrence.field.holds_base64());
        let Some(base64_field) = base64_field else {
            return;
        };
        let dialect = self.context.dialect();
        let mut placed = Vec::new();
        for placement in placements {
            placed.extend(
                placement
                    .each()
                    .map(|(found, value)| secret_data::PlacedReference {
                        reference: &found.reference,
                        value: &value.value,
                        is_sensitive: value.is_sensitive(),
                        is_whole,
                        span: found.span,
                        origin: found.origin,
                        encoded: placement.encoded,
                    }),
            );
        }
        for mut error in secret_data::validate(dialect, &placed, text, &base64_field.field) {
            if let Some(alias) = base64_field.alias {
                let span = self.span(&tree[alias].range());
                error = error.at(self.origin(), span, "an alias repeats it here");
            }
            self.report(error, &base64_field.field);
        }
    }

    /// Returns a reference as the report shows it.
    fn reference_text(&self, placement: &Placement<'_, '_>, found: &FoundReference) -> String {
        let text = match placement.template {
            Some(template) => template.get(found.reference.range.clone()),
            None => self.source.text.get(found.raw.clone()),
        };
        let words = text.unwrap_or_default().split_whitespace();
        words.collect::<Vec<_>>().join(" ")
    }

    /// Returns the substitutions of the report, one for each reference that has a value.
    /// `changed_span` are the bytes of the manifest that change if the references are elsewhere.
    pub(crate) fn substitutions(
        &self,
        placement: &Placement<'_, '_>,
        changed_span: Option<Span>,
    ) -> impl Iterator<Item = Substitution> {
        placement.each().map(move |(found, value)| {
            let is_sensitive = value.is_sensitive();
            let span = changed_span.unwrap_or(found.span);
            let dollar = Value::String("$".to_owned());
            Substitution {
                file: self.context.file,
                start: span.start,
                end: span.end,
                result_span: (0, 0),
                reference: self.reference_text(placement, found),
                output: value.output.to_string(),
                document: value.source.map(|(document, _)| document),
                output_span: value.source.map(|(_, span)| (span.start, span.end)),
                // The type of a function's result may depend on the value.
                value_type: match is_sensitive {
                    _ if value.unknown => "unknown",
                    true => value.source_type.name(),
                    false => value.value.value_type().name(),
                },
                value: match (is_sensitive, value.value.text()) {
                    _ if value.shape == Shape::Omitted => OMITTED.to_owned(),
                    (true, _) => SENSITIVE.to_owned(),
                    (false, Some(text)) => text.to_owned(),
                    (false, None) => value.value.to_json(),
                },
                sensitive: is_sensitive,
                unwritten: false,
                resource: placement.field.resource.as_deref().cloned(),
                field: placement.field.to_string(),
                // Base64 contains no `$`. Whether a sensitive value contains one is not
                // reported.
                dollars_doubled: !placement.encoded
                    && if is_sensitive {
                        consumers::doubles(placement.field, &dollar)
                    } else {
                        consumers::doubles(placement.field, &value.value)
                    },
            }
        })
    }

    /// Reports a number or bool if neither quotes nor the type of the field decide
    /// whether a string is meant. kustomize drops the quotes before its functions see
    /// them.
    pub(crate) fn note_unknown_quotes(
        &mut self,
        placement: &Placement<'_, '_>,
        whole: Option<&Value>,
    ) {
        // kustomize does not drop those in embedded documents.
        if !self.context.quotes_lost || self.source.container.is_some() {
            return;
        }
        let (Some(found), Some(value_type)) =
            (placement.references.first(), whole.map(Value::value_type))
        else {
            return;
        };
        if !matches!(value_type, Type::Number | Type::Bool) || placement.mark().is_some() {
            return;
        }
        let message = format!(
            "`{}` becomes {}: any original quotes were already dropped{}",
            placement.field,
            value_type.described(),
            match self.context.scope.only_under {
                Some(_) => "",
                None => " if kustomize or another tool wrote the manifest",
            }
        );
        let note = Diagnostic::note(Rule::QuotesUnknown, message)
            .at(found.origin, found.span, "")
            .help("if the field expects a string, add `| string`");
        self.report(note, placement.field);
    }

    /// Reports a key that is equal to another key of its mapping, as Kubernetes reads them:
    /// `yes` is equal to `"true"`. `changed` are the nodes
    /// that got values; an alias of one may be a key.
    pub(crate) fn report_duplicate_keys(
        &mut self,
        tree: &Tree,
        resources: &Resources<'_>,
        changed: &[NodeId],
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
        let mut seen: OrderedMap<(NodeId, Cow<'_, str>), NodeId> = OrderedMap::new();
        for (id, node) in tree.nodes() {
            let (Role::Key, Some(mapping)) = (node.role(), node.parent()) else {
                continue;
            };
            // A key whose references failed has no text yet.
            if !mappings.contains(&mapping) || failed.contains(&resources.target(id)) {
                continue;
            }
            let Some(text) = resources.text(id) else {
                continue;
            };
            // Values are written in quotes where another reader would give them another type.
            let written = &tree[resources.target(id)];
            let is_plain = written.style() == Some(Style::Plain) && written.tag().is_none();
            let is_read_by_kubernetes = self.source.container.is_none();
            let key = if is_read_by_kubernetes && is_plain && !changed.contains(&id) {
                plain_scalar::json_key(text)
            } else {
                Cow::Borrowed(text)
            };
            let Some(first) = seen.insert((mapping, key), id) else {
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
