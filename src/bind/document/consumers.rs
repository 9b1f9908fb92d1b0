//! Writes values for the programs that read their fields again, and reports what such a
//! program would read as something else.

use std::borrow::Cow;
use std::ops::Range;

use crate::analysis::document::FoundReference;
use crate::bind::Context;
use crate::bind::document::Renderer;
use crate::bind::document::results::result_parts;
use crate::bind::document::validate::Placement;
use crate::bind::document::values::Write;
use crate::bind::resolve::{Outcome, Resolved, resolve};
use crate::collections::OrderedSet;
use crate::kubernetes::consumers::numbers::{HelmNumber, is_in_values};
use crate::kubernetes::consumers::set_value::{
    SetValue, ValueInText, ends_at_comma, in_jsonnet_strings, is_list, jsonnet_reads_otherwise,
};
use crate::kubernetes::consumers::{
    CODE, FORCE_STRING, ForConsumer, Reading, contains_dollar, may_set_values,
};
use crate::kubernetes::embedded_by_field;
use crate::outputs::Value;
use crate::reference::{ArgumentValue, LANDFALL, Site};
use crate::report::{Diagnostic, Rule};
use yaml::{Kind, NodeId, Style, Tree};

/// The text that a node becomes, before it is written for a consumer. Empty for a list or an
/// object.
#[derive(Debug, Default)]
pub(crate) struct NodeText {
    pub(crate) text: String,
    /// The bytes of each part's value.
    parts: Vec<Range<usize>>,
    /// The value of each reference, in the order of the placements.
    pub(crate) values: Vec<ValueInText>,
}

impl NodeText {
    /// Returns the text of the node that is written.
    pub(crate) fn of(placements: &[Placement<'_, '_>], write: &Write<'_, '_>) -> Self {
        let mut parts = Vec::with_capacity(write.parts.len());
        let (mut length, mut at) = (0, 0);
        for part in write.parts {
            let value = part.value.and_then(Value::text).unwrap_or_default();
            length += part.decoded.start.saturating_sub(at);
            parts.push(length..length + value.len());
            length += value.len();
            at = part.decoded.end;
        }
        let bytes = |(nth, bytes): (usize, Option<Range<usize>>)| {
            let part: Range<usize> = parts.get(nth).cloned().unwrap_or_default();
            match bytes {
                Some(bytes) => part.start + bytes.start..part.start + bytes.end,
                None => part,
            }
        };
        let results = result_parts(placements, write, &[]).into_iter();
        let values = values(placements, results.map(bytes));
        Self {
            text: write.scalar.text_with(write.parts),
            values,
            parts,
        }
    }

    /// Returns the text of one value, in which each reference became these bytes; `None` for
    /// all of it.
    pub(crate) fn of_value(
        placement: &Placement<'_, '_>,
        value: &Value,
        references: Vec<Option<Range<usize>>>,
    ) -> Self {
        let text = value.text().unwrap_or_default().to_owned();
        let bytes = |bytes: Option<Range<usize>>| bytes.unwrap_or(0..text.len());
        let references = references.into_iter().map(bytes);
        Self {
            values: values(std::slice::from_ref(placement), references),
            parts: std::iter::once(0..text.len()).collect(),
            text,
        }
    }
}

/// Returns the values of the placements, which have these bytes.
fn values(
    placements: &[Placement<'_, '_>],
    bytes: impl Iterator<Item = Range<usize>>,
) -> Vec<ValueInText> {
    let each = placements.iter().flat_map(Placement::each);
    let values = each.zip(bytes).map(|((found, _), bytes)| ValueInText {
        bytes,
        is_joined: is_joined(found),
    });
    values.collect()
}

/// Returns whether a reference joins a list with the commas of Helm's lists.
fn is_joined(found: &FoundReference) -> bool {
    let last = found.reference.calls.last();
    last.is_some_and(|call| {
        let mut arguments = call.arguments.iter();
        let is_comma = arguments.any(
            |argument| matches!(&argument.value, ArgumentValue::String(separator) if separator == ","),
        );
        call.function == "join" && is_comma
    })
}

/// Returns whether a program may read other values than these in the fields of a node.
pub(crate) fn may_be_read_again<'v>(
    placements: &[Placement<'_, '_>],
    mut values: impl Iterator<Item = &'v Value>,
) -> bool {
    let is_read = |one: &Placement<'_, '_>| {
        let mut all = one.occurrences.all();
        let is_repeated = !one.occurrences.repeated.is_empty();
        is_repeated && one.mark().is_some()
            || all.any(|occurrence| may_set_values(&occurrence.field))
    };
    values.any(contains_dollar) || placements.iter().any(is_read)
}

impl Renderer<'_, '_> {
    /// Returns the values of a node for the programs that read its field again. `None` if an
    /// alias repeats them where the result would differ, which is reported.
    pub(crate) fn for_consumers<'v>(
        &mut self,
        placements: &[Placement<'_, '_>],
        tree: &Tree,
        text: &NodeText,
        values: &[Option<&'v Value>],
    ) -> Option<Vec<Option<ForConsumer<'v>>>> {
        let placement = placements.first()?;
        // What a sensitive value contains must not be revealed: it is treated like one with
        // everything that is escaped anywhere.
        let is_sensitive = placements.iter().any(|one| one.mark().is_some());
        let sample = is_sensitive.then(|| Value::String("{\\,$".to_owned()));
        let written = |reading: &Reading| -> Vec<_> {
            let all = reading.written(&text.text, &text.values);
            let mut parts = text.parts.iter();
            let of_consumer = |value: &Option<&'v Value>| {
                let part = parts.next().cloned().unwrap_or_default();
                value.map(|value| reading.for_consumer(value, all.within(part)))
            };
            values.iter().map(of_consumer).collect()
        };
        let written_sample =
            |reading: &Reading| Some(reading.members(sample.as_ref()?).into_owned());
        let own = Reading::of(placement.field);
        let own_written = written(&own);
        let own_sample = written_sample(&own);
        let mut equal = OrderedSet::from([own]);
        for occurrence in &placement.occurrences.repeated {
            let repeated = Reading::of(&occurrence.field);
            let is_equal =
                || written_sample(&repeated) == own_sample && written(&repeated) == own_written;
            if equal.contains(&repeated) || is_equal() {
                equal.insert(repeated);
                continue;
            }
            let mut error = Diagnostic::error(
                Rule::ExpansionConflict,
                "a value must be escaped in this field but not where an alias repeats it, or vice versa",
            );
            if let Some(found) = placement.references.first() {
                let what = if is_sensitive {
                    "this sensitive value may contain `$`"
                } else {
                    "this value contains `$`, or characters that mean something to Helm"
                };
                error = error.at(found.origin, found.span, what);
            }
            if let Some(alias) = occurrence.alias {
                let span = self.span(&tree[alias].range());
                error = error.at(self.origin(), span, "an alias repeats it here");
            }
            let error = error.help("repeat the reference instead of using an alias: only some fields are read again, such as arguments and environment values of containers, and parameters of charts");
            self.report(error, placement.field);
            return None;
        }
        self.report_misread(placements, tree, text, values);
        Some(own_written)
    }

    /// Reports the first number of a node in the values of a chart that Helm would write in
    /// another way. `whole` is the value that all of the node becomes with its type. Returns
    /// whether there is one.
    pub(crate) fn report_helm_number(
        &mut self,
        placements: &[Placement<'_, '_>],
        whole: Option<&Value>,
    ) -> bool {
        let Some(placement) = placements.first() else {
            return false;
        };
        // Nothing about a sensitive value is revealed.
        let all = || placement.occurrences.all().filter(|one| is_in_values(one));
        if all().next().is_none() || placements.iter().any(|one| one.mark().is_some()) {
            return false;
        }
        let holds_document = all().any(|one| embedded_by_field(&one.field).is_some());
        let number = |value: &Value| match value {
            Value::String(text) if holds_document => HelmNumber::in_text(text),
            _ => HelmNumber::of(whole?),
        };
        let mut each = placements.iter().flat_map(Placement::each);
        let changed = each.find_map(|(found, value)| {
            let number = number(&value.value)?;
            let diagnostic = number.diagnostic(&value.output);
            Some(diagnostic.at(found.origin, found.span, ""))
        });
        let is_reported = changed.is_some();
        if let Some(changed) = changed {
            self.report(changed, placement.field);
        }
        is_reported
    }

    /// Reports the first value of a node that Helm's `--set` would read as something else.
    fn report_misread(
        &mut self,
        placements: &[Placement<'_, '_>],
        tree: &Tree,
        text: &NodeText,
        values: &[Option<&Value>],
    ) {
        let Some(placement) = placements.first() else {
            return;
        };
        for occurrence in placement.occurrences.all() {
            let reading = Reading::of(&occurrence.field);
            let node = occurrence
                .alias
                .filter(|alias| tree.target(*alias) == placement.id);
            let set_value = match (reading.set_value(), occurrence.is_key) {
                (Some(SetValue::HelmChart), true) => Some(SetValue::Name),
                (set_value, _) => set_value,
            };
            let beside = |key| text_beside(tree, node.unwrap_or(placement.id), key);
            let is_forced = set_value.is_some_and(SetValue::is_of_argo_cd)
                && beside(FORCE_STRING).is_some_and(|text| is_word_in(TRUE, text));
            // A reference may become `true`.
            let is_code = || beside(CODE).is_some_and(|text| !is_word_in(FALSE, text));
            if set_value == Some(SetValue::Jsonnet) && !is_code() {
                continue;
            }
            let mut each = placements.iter().flat_map(Placement::each);
            let misread = match set_value {
                Some(SetValue::Jsonnet) => {
                    let in_strings = in_jsonnet_strings(&text.text, &text.values);
                    let mut values = std::iter::zip(each, std::iter::zip(&text.values, in_strings));
                    values.find_map(|((found, value), (in_text, is_in_string))| {
                        jsonnet_evaluates(found, value, &text.text, in_text, is_in_string)
                            .then(|| (found, evaluated(value), SetValue::Jsonnet))
                    })
                }
                Some(set_value) => each
                    .zip(&text.values)
                    .find_map(|((found, value), in_text)| {
                        let misread = Misread {
                            set_value,
                            is_forced,
                            is_list: is_list(&text.text, &text.values),
                            context: self.context,
                        };
                        let message = misread.message(found, value, &text.text, in_text)?;
                        Some((found, message, set_value))
                    }),
                None => values.iter().flatten().find_map(|value| {
                    let (helm_type, set_value) = reading.misread_member(value)?;
                    let (found, value) = each.next()?;
                    let message = match set_value {
                        SetValue::Jsonnet => evaluated(value),
                        _ => read_as(value, helm_type),
                    };
                    Some((found, message, set_value))
                }),
            };
            let Some((found, message, set_value)) = misread else {
                continue;
            };
            let help = match set_value {
                SetValue::Name => {
                    "bind the whole name, or write the value among the chart's values (`valuesObject` in Argo CD), where names have no syntax"
                }
                SetValue::Release => {
                    "to keep the text, write it in `values`; for a number or bool, add `| number` or `| bool`"
                }
                SetValue::Parameter | SetValue::FileParameter => {
                    "to keep the text, add `forceString: true` next to `value`, or write it in `valuesObject`; for a number or bool, add `| number` or `| bool`"
                }
                SetValue::Jsonnet => {
                    "write it as JSON, which Jsonnet reads, without quotes around it: `| json`; or remove `code: true`"
                }
                SetValue::HelmChart => {
                    "to keep the text, write it in `valuesContent`; for a bool, add `| bool`"
                }
            };
            let misread = self.context.policy.misread(message);
            let diagnostic = misread.at(found.origin, found.span, "").help(help);
            return self.report(diagnostic, placement.field);
        }
    }
}

/// How an option of Helm reads a text.
struct Misread<'c, 'b> {
    set_value: SetValue,
    is_forced: bool,
    is_list: bool,
    context: &'c Context<'b>,
}

impl<'b> Misread<'_, 'b> {
    /// Returns what Helm makes of a value in a text, if that is something else.
    fn message(
        &self,
        found: &FoundReference,
        value: &Resolved<'_>,
        text: &str,
        in_text: &ValueInText,
    ) -> Option<String> {
        // The author writes a default for Helm.
        if value.source.is_none() || in_text.bytes.is_empty() {
            return None;
        }
        let output = &value.output;
        if value.mark.is_some() {
            if self.is_forced || self.set_value == SetValue::FileParameter {
                return None;
            }
            return Some(format!(
                "Helm may read the text of `{output}` as a number, a bool or null"
            ));
        }
        if let Some(syntax) = self.set_value.syntax_in(text, in_text) {
            return Some(format!(
                "Helm reads the `{syntax}` of `{output}` as part of its syntax of names"
            ));
        }
        if self.set_value.is_of_argo_cd() && !self.is_list && ends_at_comma(text, in_text) {
            return Some(format!(
                "Helm reads the text only up to the comma after `{output}`: the value ends with `\\`"
            ));
        }
        let is_text = match self.joined(found, in_text).as_deref() {
            Some(Value::List(items)) => {
                let holds_comma = |item: &Value| item.text().is_some_and(|text| text.contains(','));
                if self.is_list && items.iter().any(holds_comma) {
                    return Some(format!(
                        "Helm reads an item of `{output}` as several, because it contains a comma: values outside of options can hold the list itself"
                    ));
                }
                items.iter().any(|item| matches!(item, Value::String(_)))
            }
            _ => matches!(*value.value, Value::String(_)),
        };
        if self.is_forced || !is_text {
            return None;
        }
        let helm_type = self.set_value.type_with(text, in_text, self.is_list)?;
        Some(read_as(value, helm_type))
    }

    /// Returns the value that a reference joins, if it does and no sensitive output is in it.
    fn joined(&self, found: &FoundReference, in_text: &ValueInText) -> Option<Cow<'b, Value>> {
        if !in_text.is_joined {
            return None;
        }
        let mut reference = (*found.reference).clone();
        reference.calls.pop();
        let site = Site {
            dialect: LANDFALL,
            manifest: found.origin,
            span_of: &|_| found.span,
            style: Style::Plain,
        };
        match resolve(
            &reference,
            self.context.bindings,
            self.context.policy,
            &site,
        ) {
            Ok(Outcome::Resolved(resolved)) if resolved.mark.is_none() => Some(resolved.value),
            _ => None,
        }
    }
}

fn read_as(value: &Resolved<'_>, helm_type: &str) -> String {
    format!("Helm reads the text with `{}` as {helm_type}", value.output)
}

/// Returns whether Jsonnet evaluates a value in the text of its code. Nothing about a sensitive
/// one is revealed.
fn jsonnet_evaluates(
    found: &FoundReference,
    value: &Resolved<'_>,
    text: &str,
    in_text: &ValueInText,
    is_in_string: bool,
) -> bool {
    let last = found.reference.calls.last();
    let is_json = last.is_some_and(|call| call.function == "json");
    match (value.source.is_some(), value.mark.is_some()) {
        // The author writes a default for Jsonnet.
        (false, _) => false,
        (true, true) => is_in_string || !is_json,
        (true, false) if is_in_string => jsonnet_reads_otherwise(text, in_text),
        (true, false) => matches!(*value.value, Value::String(_)) && !is_json,
    }
}

fn evaluated(value: &Resolved<'_>) -> String {
    format!("Jsonnet evaluates the text of `{}`", value.output)
}

/// The words that a field of a bool reads, in any case: it is read as YAML 1.1.
const TRUE: &[&str] = &["true", "yes", "on", "y"];
const FALSE: &[&str] = &["false", "no", "off", "n"];

fn is_word_in(words: &[&str], text: &str) -> bool {
    words.iter().any(|word| text.eq_ignore_ascii_case(word))
}

/// Returns the text of this key's value next to a node, or in it if it is a mapping.
fn text_beside<'t>(tree: &'t Tree, id: NodeId, wanted: &str) -> Option<&'t str> {
    let mapping = match tree[id].kind() {
        Kind::Mapping { .. } => id,
        _ => tree[id].parent()?,
    };
    let mut entries = tree.entries(mapping);
    let (_, value) = entries.find(|(key, _)| tree.text(*key) == Some(wanted))?;
    tree.text(tree.target(value))
}
