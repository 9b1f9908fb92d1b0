//! `terraform output -json` and `tofu output -json`:
//! `{name: {"sensitive": bool, "type": …, "value": …, "deprecated"?: …}}`.
//! Sensitive values are written in plain text; outputs that are null are left out by
//! Terraform (internal/command/views/output.go).

use crate::outputs::document::Document;
use crate::outputs::formats::{Format, Recognition, is_mark, reject_repeated};
use crate::outputs::json::{self, Member, names, previous_occurrences};
use crate::outputs::position::Positions;
use crate::outputs::redact::{Redaction, placeholder};
use crate::outputs::{Output, ReadOutputs, Value};
use crate::report::{Diagnostic, Rule};
use yaml::Span;

pub(super) struct Terraform;

impl Format for Terraform {
    fn id(&self) -> &'static str {
        "terraform"
    }

    /// Recognises an object whose members are all objects with a `value`;
    /// Terraform writes `{}` if there are no outputs.
    fn recognise(&self, document: &Document<'_>) -> Recognition {
        let is_output = |member: &Member<'_>| {
            let fields = member.value.members();
            fields.iter().any(|field| field.name == "value")
        };
        match document.members() {
            Ok(members) if members.iter().all(is_output) => Recognition::Certain,
            _ => Recognition::No,
        }
    }

    fn read(&self, document: &Document<'_>) -> ReadOutputs {
        let mut read = ReadOutputs::default();
        let members = match document.members() {
            Ok(members) => members,
            Err(diagnostics) => {
                read.diagnostics = diagnostics;
                return read;
            }
        };
        let mut positions = Positions::new(document.text.as_bytes());
        for (member, earlier) in members.iter().zip(previous_occurrences(&names(&members))) {
            let span = positions.reported(member.span);
            // If a name occurs twice, it is unknown which one counts.
            let mut sensitive = document.declares_sensitive(&member.name) || earlier.is_some();
            match output(member, &positions, &mut sensitive) {
                Ok(value) => read.outputs.push(Output {
                    name: member.name.clone().into_owned(),
                    span,
                    value,
                    written: member.value.span(),
                    sensitive,
                }),
                Err(OutputError::Invalid(message)) => {
                    let error = Diagnostic::error(Rule::InvalidOutputs, message);
                    let error = error.at_concealed(document.origin, span, "");
                    read.diagnostics.push(error);
                }
                Err(OutputError::Duplicate(message, spans)) => {
                    read.diagnostics
                        .push(document.duplicate_error(message, spans));
                }
            }
            if sensitive {
                positions.hide(member.value.span().end);
            }
        }
        reject_repeated(document, &mut read);
        read
    }

    /// If a name occurs twice, it is unknown which one decides whether it is sensitive.
    fn redact(
        &self,
        document: &Document<'_>,
        is_public: &dyn Fn(&str) -> bool,
    ) -> Option<Redaction> {
        let members = document.members().ok()?;
        let earlier = previous_occurrences(&names(&members));
        let declared = |member: &Member<'_>| document.declares_sensitive(&member.name);
        let mut sensitive: Vec<bool> = members.iter().map(declared).collect();
        for (again, member) in members.iter().enumerate() {
            if let Some(before) = earlier[again] {
                (sensitive[before], sensitive[again]) = (true, true);
            }
            sensitive[again] |= member.value.members().iter().any(marks_as_sensitive);
        }
        let mut redaction = Redaction::default();
        for (nth, member) in members.iter().enumerate() {
            if !sensitive[nth] {
                continue;
            }
            if earlier[nth].is_none() {
                redaction.outputs.push(member.name.clone().into_owned());
            }
            for field in member.value.members() {
                let text = match &*field.name {
                    // Terraform writes the keys of an object into its type, too.
                    "type" => "\"dynamic\"".to_owned(),
                    name if is_mark(name) => match field.value.raw() {
                        "true" | "false" => continue,
                        _ => "true".to_owned(),
                    },
                    _ => match field.value.value() {
                        Ok(value) => placeholder(&value, is_public),
                        Err(_) => "null".to_owned(),
                    },
                };
                redaction.replace(field.value.span(), text);
            }
        }
        Some(redaction)
    }
}

fn marks_as_sensitive(field: &Member<'_>) -> bool {
    is_mark(&field.name) && field.value.raw() != "false"
}

/// Why an output cannot be read.
enum OutputError {
    Invalid(String),
    Duplicate(String, [Span; 2]),
}

/// Reads the value of one output, and whether it is sensitive. A value that cannot be read
/// is sensitive.
fn output(
    member: &Member<'_>,
    positions: &Positions<'_>,
    sensitive: &mut bool,
) -> Result<Value, OutputError> {
    let name = &member.name;
    let fields = member.value.members();
    let value = fields.iter().find(|field| field.name == "value");
    let mut positions = positions.clone();
    if let Some(same) = json::first_duplicate(&fields) {
        // The value may be sensitive: it is unknown which key decides.
        *sensitive = true;
        let spans = same.map(|field| {
            if let Some(value) = value.filter(|value| value.span.start < field.span.start) {
                positions.hide(value.value.span().end);
            }
            positions.reported(field.span)
        });
        let message = format!("duplicate key `{}` in the output `{name}`", same[0].name);
        return Err(OutputError::Duplicate(message, spans));
    }
    *sensitive |= fields.iter().any(marks_as_sensitive);
    let why = match value.map(|field| field.value.value()) {
        Some(Ok(value)) => return Ok(value),
        // The keys of a sensitive value are part of it.
        Some(Err(keys)) if !*sensitive => {
            let message = format!("duplicate key in an object of the output `{name}`");
            let spans = keys.map(|key| positions.reported(key));
            return Err(OutputError::Duplicate(message, spans));
        }
        Some(Err(_)) => "has an object with a duplicate key",
        None => "has no `value`",
    };
    *sensitive = true;
    Err(OutputError::Invalid(format!("the output `{name}` {why}")))
}

#[cfg(test)]
mod tests {
    use crate::OutputsDocument;
    use crate::outputs::{Bindings, Declarations};

    /// Returns each error with the text of its locations; `-` for the start of a line.
    #[track_caller]
    fn check(content: &str, expected: &[&str]) {
        let document = OutputsDocument {
            name: "infra".into(),
            content: content.into(),
            ..OutputsDocument::default()
        };
        let (_, diagnostics) = Bindings::read(&[document], &Declarations::default());
        let reported: Vec<String> = diagnostics
            .iter()
            .map(|diagnostic| {
                let spans = diagnostic
                    .labels
                    .iter()
                    .map(|label| match label.span.range() {
                        span if span.is_empty() => "-",
                        span => &content[span],
                    });
                let spans: Vec<&str> = spans.collect();
                format!("{}: {}", diagnostic.message, spans.join(" "))
            })
            .collect();
        assert_eq!(reported, expected);
    }

    #[test]
    fn rejects_duplicate_members_of_an_output() {
        check(
            r#"{"a": {"sensitive": true, "value": "x", "sensitive": false}}"#,
            &[r#"duplicate key `sensitive` in the output `a`: - "sensitive""#],
        );
        check(
            "{\"a\": {\"value\": \"x\",\n \"value\": \"y\", \"sensitiv\\u0065\": false}}",
            &[r#"duplicate key `value` in the output `a`: "value" "value""#],
        );
        check(
            r#"{"a": {"sensitive": false, "sensitive": true, "value": "x"}}"#,
            &[r#"duplicate key `sensitive` in the output `a`: "sensitive" "sensitive""#],
        );
    }

    #[test]
    fn an_output_is_sensitive_however_its_mark_is_capitalised() {
        let content = r#"{"a": {"Sensitive": true, "value": 1}, "b": {"SENSITIVE": "no", "value": 1}, "c": {"sensitive": false, "value": 1}}"#;
        let document = OutputsDocument {
            name: "infra".into(),
            content: content.into(),
            ..OutputsDocument::default()
        };
        let (bindings, diagnostics) = Bindings::read(&[document], &Declarations::default());
        assert!(diagnostics.is_empty());
        for (name, expected) in [("a", true), ("b", true), ("c", false)] {
            let bound = bindings.outputs("infra").unwrap().get(name).unwrap();
            assert_eq!(bound.sensitive, expected, "{name}");
        }
    }

    #[test]
    fn rejects_a_duplicate_key_and_names_it_only_in_public_outputs() {
        check(
            r#"{"a": {"value": {"b": [{"k": 1, "k": 2}]}}}"#,
            &[r#"duplicate key in an object of the output `a`: "k" "k""#],
        );
        check(
            r#"{"a": {"sensitive": true, "value": {"k": 1, "k": 2}}}"#,
            &[r#"the output `a` has an object with a duplicate key: "a""#],
        );
    }

    #[test]
    fn rejects_a_duplicate_output_without_the_column_of_the_second() {
        check(
            r#"{"a": {"value": 1}, "b": {"value": 1, "sensitive": true}, "a": {"value": 2}}"#,
            &[r#"duplicate output `a` in one document: - "a""#],
        );
    }

    #[test]
    fn reports_what_is_not_json_by_its_line() {
        check(
            "{\"a\": {\"value\": \"x\"},\n\"b\": }",
            &["the outputs document is not valid JSON: expected a value: -"],
        );
    }

    #[track_caller]
    fn check_redacted(content: &str, expected: &str, outputs: &[&str]) {
        let document = super::super::tests::document("", content);
        super::super::tests::check_redacted(&document, Some((expected, outputs)));
    }

    #[test]
    fn redaction_keeps_types_and_every_byte_that_is_not_a_sensitive_value() {
        check_redacted(
            "\u{feff}{\r\n  \"a\": {\"value\": \"é\"},\n  \"b\": {\"sensitive\": true, \"value\": {\"public\": [\"x\", 2], \"hunter2\": 1}} }\n",
            "\u{feff}{\r\n  \"a\": {\"value\": \"é\"},\n  \"b\": {\"sensitive\": true, \"value\": {\"public\": [\"(sensitive)\"]}} }\n",
            &["b"],
        );
        for (value, expected) in [
            ("\"x\"", "\"(sensitive)\""),
            ("1.5", "0"),
            ("true", "false"),
            ("null", "null"),
            ("[]", "[]"),
            ("[[1, 2], 3]", "[[0]]"),
            ("{\"hunter2\": 1}", "{}"),
            (
                "{\"a\": 1, \"public\": {\"public\": \"x\"}}",
                "{\"public\": {\"public\": \"(sensitive)\"}}",
            ),
        ] {
            let content =
                |value: &str| format!("{{\"b\": {{\"sensitive\":true,\"value\":{value}}}}}");
            check_redacted(&content(value), &content(expected), &["b"]);
        }
    }

    #[test]
    fn redaction_covers_what_else_could_reveal_a_value() {
        check_redacted(
            r#"{"b": {"sensitive": true, "type": ["object", {"hunter2": "string"}], "deprecated": "hunter2", "value": {"hunter2": 1}}}"#,
            r#"{"b": {"sensitive": true, "type": "dynamic", "deprecated": "(sensitive)", "value": {}}}"#,
            &["b"],
        );
        check_redacted(
            r#"{"b": {"Sensitive": "hunter2", "value": {"public": 1, "public": 2}}}"#,
            r#"{"b": {"Sensitive": true, "value": null}}"#,
            &["b"],
        );
    }

    #[test]
    fn redaction_treats_unclear_outputs_as_sensitive() {
        for (content, expected) in [
            (
                r#"{"x": {"sensitive": true, "value": 1, "value": "hunter2"}}"#,
                r#"{"x": {"sensitive": true, "value": 0, "value": "(sensitive)"}}"#,
            ),
            (
                r#"{"x": {"sensitive": false, "sensitive": true, "value": "hunter2"}}"#,
                r#"{"x": {"sensitive": false, "sensitive": true, "value": "(sensitive)"}}"#,
            ),
            (
                r#"{"x": {"value": "hunter2"}, "\u0078": {"sensitive": false, "value": "hunter2"}}"#,
                r#"{"x": {"value": "(sensitive)"}, "\u0078": {"sensitive": false, "value": "(sensitive)"}}"#,
            ),
            (
                r#"{"x": {"s\u0065nsitive": null, "value": "hunter2"}}"#,
                r#"{"x": {"s\u0065nsitive": true, "value": "(sensitive)"}}"#,
            ),
        ] {
            check_redacted(content, expected, &["x"]);
        }
    }

    #[test]
    fn redacts_every_value_of_a_document_from_a_secret() {
        super::super::tests::check_all_redacted(
            "",
            r#"{"a": {"value": "hunter2"}, "b": {"sensitive": false, "value": 1}}"#,
            r#"{"a": {"value": "(sensitive)"}, "b": {"sensitive": false, "value": 0}}"#,
        );
    }
}
