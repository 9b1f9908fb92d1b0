//! Reports values that the API server refuses in their fields, although their types are right.

use std::ops::Range;

use crate::bind::document::Renderer;
use crate::bind::document::consumers::NodeText;
use crate::bind::document::validate::Placement;
use crate::bind::document::values::Write;
use crate::bind::resolve::Resolved;
use crate::kubernetes::types::{Coercion, Constraint, FieldTypes, Refused};
use crate::kubernetes::validity::{FieldRule, Why};
use crate::outputs::Value;
use crate::report::{Diagnostic, Origin, Rule};
use yaml::{NodeEditor, Part, Tree};

/// What begins the placeholders of other tools, which replace them before the API server reads
/// the text.
const PLACEHOLDERS: &[&str] = &["${", "$(", "{{", "<%"];

impl Renderer<'_, '_> {
    /// Reports a value that the API server refuses, or that makes the text around it such a
    /// value. What the author wrote is not judged, and nothing depends on a sensitive value.
    pub(crate) fn validate_constraints(
        &mut self,
        placements: &[Placement<'_, '_>],
        write: &Write<'_, '_>,
        coercion: &Coercion,
    ) {
        let Some(placement) = self.judged(placements) else {
            return;
        };
        let Write { scalar, parts, .. } = write;
        let refused = |parts: &[Part<'_, Value>]| {
            let text;
            let value = match (coercion, scalar.whole_value(parts)) {
                (
                    Coercion::Whole(value) | Coercion::Joined(value) | Coercion::Unquoted(value),
                    _,
                ) => value,
                (_, Some(value)) if value.text().is_none() || scalar.keeps_type(parts) => value,
                _ => {
                    let whole = scalar.text_with(parts);
                    text = Value::String(scalar.decoded.chomped(&whole).to_owned());
                    &text
                }
            };
            write.field_types.refused(value, placement.occurrences)
        };
        let Some(refused) = refused(parts) else {
            return;
        };
        let text_with = |sample: &str| text_with(scalar, parts, placements, sample);
        if refused.is_whole && !is_fault_of_value(&refused.constraint, &text_with) {
            return;
        }
        let values = NodeText::of(placements, write).values;
        let bytes: Vec<_> = values.into_iter().map(|value| value.bytes).collect();
        self.report_refused(placements, &refused, &bytes, scalar.tree);
    }

    /// Reports such a value of a field that does not exist yet.
    pub(crate) fn validate_new(
        &mut self,
        placement: &Placement<'_, '_>,
        value: &Value,
        field_types: &FieldTypes<'_>,
    ) {
        if let Some(placement) = self.judged(std::slice::from_ref(placement))
            && let Some(refused) = field_types.refused(value, placement.occurrences)
            && is_fault_of_value(&refused.constraint, &|sample| text_of(placement, sample))
        {
            self.report_refused(
                std::slice::from_ref(placement),
                &refused,
                &[],
                field_types.tree(),
            );
        }
    }

    /// Returns the first placement if the values are judged: one of them is an output's, and
    /// none is sensitive.
    fn judged<'p, 'a, 'b>(
        &self,
        placements: &'p [Placement<'a, 'b>],
    ) -> Option<&'p Placement<'a, 'b>> {
        let is_output = |value: &Resolved<'_>| value.source.is_some();
        let has_output =
            |placement: &Placement<'_, '_>| placement.each().any(|(_, value)| is_output(value));
        let is_sensitive = |placement: &Placement<'_, '_>| placement.mark().is_some();
        let is_judged = !self.source.in_template()
            && placements.iter().any(has_output)
            && !placements.iter().any(is_sensitive);
        if !is_judged {
            return None;
        }
        placements.first()
    }

    /// Reports a value. `bytes` are those of each reference's value in its text.
    fn report_refused(
        &mut self,
        placements: &[Placement<'_, '_>],
        refused: &Refused,
        bytes: &[Range<usize>],
        tree: &Tree,
    ) {
        let why = refused.refusal.described(&refused.text);
        let what = refused.constraint.described();
        let message = format!("`{}` is not a valid {what}: {why}", refused.field);
        let mut error = Diagnostic::error(Rule::RefusedValue, message);
        let wrong = &refused.refusal.range;
        let meets = |bytes: &Range<usize>| {
            bytes.start < wrong.end.max(wrong.start + 1) && wrong.start < bytes.end
        };
        let all = || placements.iter().flat_map(Placement::each);
        let is_any = refused.is_whole && bytes.iter().any(meets);
        let mut outputs = Vec::new();
        for (nth, (found, value)) in all().enumerate() {
            if !is_any || bytes.get(nth).is_some_and(meets) {
                error = error.at(found.origin, found.span, "");
                outputs.extend(value.source);
            }
        }
        if let Some(alias) = refused.alias {
            let span = self.span(&tree[alias].range());
            error = error.at(self.origin(), span, "an alias repeats it here");
        }
        for (document, span) in outputs {
            error = error.at_concealed(Origin::Outputs(document), span, "this output");
        }
        let help = help(refused);
        let help = self.context.dialect().translate_calls(&help);
        self.report(error.help(help), &refused.field);
    }
}

/// Returns whether the text around the values would be accepted with other values.
/// `text_with` returns it with a sample in place of each.
fn is_fault_of_value(constraint: &Constraint, text_with: &dyn Fn(&str) -> String) -> bool {
    match constraint {
        Constraint::Rule(rule) => rule.samples().iter().any(|sample| {
            let text = text_with(sample);
            let is_number = text.parse::<i64>().is_ok();
            rule.check(&text, is_number).is_ok()
        }),
        Constraint::Schema(_) => {
            let text = text_with("");
            !PLACEHOLDERS.iter().any(|opener| text.contains(opener))
        }
    }
}

/// Returns the text of a scalar with a sample in place of each value.
fn text_with(
    scalar: &NodeEditor<'_>,
    parts: &[Part<'_, Value>],
    placements: &[Placement<'_, '_>],
    sample: &str,
) -> String {
    let is_template = placements.iter().any(|one| one.template.is_some());
    let texts: Vec<Value> = if is_template {
        placements
            .iter()
            .map(|placement| Value::String(text_of(placement, sample)))
            .collect()
    } else {
        vec![Value::String(sample.to_owned()); parts.len()]
    };
    let mut replaced = Vec::with_capacity(parts.len());
    for (part, text) in parts.iter().zip(&texts) {
        replaced.push(part.with(part.value.map(|_| text)));
    }
    let mut text = scalar.text_with(&replaced);
    text.truncate(scalar.decoded.chomped(&text).len());
    text
}

/// Returns the text of a template with a sample in place of each value.
fn text_of(placement: &Placement<'_, '_>, sample: &str) -> String {
    let template = placement.template.unwrap_or_default();
    let (mut text, mut at) = (String::new(), 0);
    for found in placement.references {
        let range = &found.reference.range;
        text.push_str(template.get(at..range.start).unwrap_or_default());
        text.push_str(sample);
        at = range.end;
    }
    text.push_str(template.get(at..).unwrap_or_default());
    text
}

/// Returns what to do about a value.
fn help(refused: &Refused) -> String {
    let Refused {
        constraint,
        refusal,
        text,
        ..
    } = refused;
    let Constraint::Rule(rule) = constraint else {
        return "publish a value that the schema of the kind allows".to_owned();
    };
    let wrong = text
        .get(refusal.range.start..)
        .and_then(|text| text.chars().next());
    match (&refusal.why, wrong) {
        _ if text.starts_with("arn:") => {
            "use a part of the ARN, such as `| arn(\"account\")`, or its last part: `| arn(\"resource\") | split(\"/\") | last`".to_owned()
        }
        _ if text.contains("://") => "use the host of the URL: `| hostname`".to_owned(),
        (Why::TooLong(max), _) => format!(
            "shorten it: `| substring(0, {max})`, or `| sha256 | substring(0, {})` if it must stay unique",
            max.min(&16)
        ),
        (Why::Character(_) | Why::End { .. }, Some(c)) if c.is_ascii_uppercase() => {
            "write it in lower case: `| lower`".to_owned()
        }
        (Why::Character(_), Some(c)) if !c.is_control() && c != '"' && c != '\\' => {
            format!("replace the character: `| replace(\"{c}\", \"-\")`")
        }
        (Why::End { first: true, .. }, Some(c)) if c.is_ascii_digit() => {
            "write a letter before it".to_owned()
        }
        (Why::End { first, .. }, Some(c)) if !c.is_control() && c != '"' && c != '\\' => {
            let function = if *first { "trim_prefix" } else { "trim_suffix" };
            format!("remove the character: `| {function}(\"{c}\")`")
        }
        (Why::Character(_) | Why::End { .. }, _) => "remove blanks at its ends: `| trim`".to_owned(),
        _ => match rule {
            FieldRule::BinaryData => "encode it: `| base64`",
            FieldRule::PortOrName => "a number in quotes is a name: convert it with `| number`",
            FieldRule::CountOrPercent => "write a number without quotes, convert it with `| number`, or add `%`",
            FieldRule::Quantity => "write a number with a unit of Kubernetes, such as `500m` or `8Gi`",
            FieldRule::Cidr => "write an address and the length of its prefix, such as `10.0.0.0/16`",
            _ => "publish a value that the API server accepts there",
        }
        .to_owned(),
    }
}
