//! `terraform output -json` and `tofu output -json`:
//! `{name: {"sensitive": bool, "type": …, "value": …, "deprecated"?: …}}`.
//! Sensitive values are written in plain text; outputs that are null are left out by
//! Terraform (internal/command/views/output.go).

use crate::outputs::document::Document;
use crate::outputs::formats::{Format, Recognised, is_mark, reject_repeated};
use crate::outputs::json::{self, Member, earlier, names};
use crate::outputs::position::Positions;
use crate::outputs::{Output, Read, Value};
use crate::report::{Diagnostic, Rule};
use yaml::Span;

pub(super) struct Terraform;

impl Format for Terraform {
    fn id(&self) -> &'static str {
        "terraform"
    }

    /// An object whose members are all objects with a `value`; `{}` is what Terraform
    /// writes when there is no output.
    fn recognise(&self, document: &Document<'_>) -> Recognised {
        let is_output = |member: &Member<'_>| {
            let fields = member.value.members();
            fields.iter().any(|field| field.name == "value")
        };
        match document.members() {
            Ok(members) if members.iter().all(is_output) => Recognised::Certain,
            _ => Recognised::No,
        }
    }

    fn read(&self, document: &Document<'_>) -> Read {
        let mut read = Read::default();
        let members = match document.members() {
            Ok(members) => members,
            Err(diagnostics) => {
                read.diagnostics = diagnostics;
                return read;
            }
        };
        let mut positions = Positions::new(document.text.as_bytes());
        for (member, earlier) in members.iter().zip(earlier(&names(&members))) {
            let span = positions.reported(member.span);
            // Of two that have the same name, nobody knows which one says so.
            let mut sensitive = document.is_sensitive || earlier.is_some();
            match output(member, &positions, &mut sensitive) {
                Ok(value) => read.outputs.push(Output {
                    name: member.name.clone().into_owned(),
                    span,
                    value,
                    sensitive,
                }),
                Err(Wrong::At(message)) => {
                    let error = Diagnostic::error(Rule::InvalidOutputs, message);
                    let error = error.at_concealed(document.origin, span, "");
                    read.diagnostics.push(error);
                }
                Err(Wrong::Twice(message, places)) => {
                    read.diagnostics.push(document.twice(message, places));
                }
            }
            if sensitive {
                positions.hide(member.value.span().end);
            }
        }
        reject_repeated(document, &mut read);
        read
    }
}

fn marks_as_sensitive(field: &Member<'_>) -> bool {
    is_mark(&field.name) && field.value.raw() != "false"
}

/// What is wrong with an output.
enum Wrong {
    At(String),
    Twice(String, [Span; 2]),
}

/// Reads the value of one output, and whether it is sensitive: what cannot be read is.
fn output(
    member: &Member<'_>,
    positions: &Positions<'_>,
    sensitive: &mut bool,
) -> Result<Value, Wrong> {
    let name = &member.name;
    let fields = member.value.members();
    let value = fields.iter().find(|field| field.name == "value");
    let mut positions = positions.clone();
    if let Some(same) = json::twice(&fields) {
        // The value may be sensitive: which of them says so, nobody knows.
        *sensitive = true;
        let places = same.map(|field| {
            if let Some(value) = value.filter(|value| value.span.start < field.span.start) {
                positions.hide(value.value.span().end);
            }
            positions.reported(field.span)
        });
        let message = format!("the output `{name}` has the key `{}` twice", same[0].name);
        return Err(Wrong::Twice(message, places));
    }
    *sensitive |= fields.iter().any(marks_as_sensitive);
    let why = match value.map(|field| field.value.value()) {
        Some(Ok(value)) => return Ok(value),
        // The keys of a sensitive value are part of it.
        Some(Err(keys)) if !*sensitive => {
            let message = format!("an object in the output `{name}` has a key twice");
            let places = keys.map(|key| positions.reported(key));
            return Err(Wrong::Twice(message, places));
        }
        Some(Err(_)) => "cannot be read: an object has a key twice",
        None => "has no `value`",
    };
    *sensitive = true;
    Err(Wrong::At(format!("the output `{name}` {why}")))
}

#[cfg(test)]
mod tests {
    use crate::OutputsDocument;
    use crate::outputs::Bindings;

    /// Each error with the text of its places; `-` where that is the line's start.
    #[track_caller]
    fn check(content: &str, expected: &[&str]) {
        let (_, diagnostics) = Bindings::read(&[OutputsDocument {
            name: "infra".into(),
            content: content.into(),
            ..OutputsDocument::default()
        }]);
        let told: Vec<String> = diagnostics
            .iter()
            .map(|diagnostic| {
                let places = diagnostic
                    .labels
                    .iter()
                    .map(|label| match label.span.range() {
                        span if span.is_empty() => "-",
                        span => &content[span],
                    });
                let places: Vec<&str> = places.collect();
                format!("{}: {}", diagnostic.message, places.join(" "))
            })
            .collect();
        assert_eq!(told, expected);
    }

    #[test]
    fn rejects_an_output_that_says_twice_whether_it_is_sensitive() {
        check(
            r#"{"a": {"sensitive": true, "value": "x", "sensitive": false}}"#,
            &[r#"the output `a` has the key `sensitive` twice: - "sensitive""#],
        );
        check(
            "{\"a\": {\"value\": \"x\",\n \"value\": \"y\", \"sensitiv\\u0065\": false}}",
            &[r#"the output `a` has the key `value` twice: "value" "value""#],
        );
        check(
            r#"{"a": {"sensitive": false, "sensitive": true, "value": "x"}}"#,
            &[r#"the output `a` has the key `sensitive` twice: "sensitive" "sensitive""#],
        );
    }

    #[test]
    fn an_output_is_sensitive_however_its_mark_is_capitalised() {
        let content = r#"{"a": {"Sensitive": true, "value": 1}, "b": {"SENSITIVE": "no", "value": 1}, "c": {"sensitive": false, "value": 1}}"#;
        let (bindings, diagnostics) = Bindings::read(&[OutputsDocument {
            name: "infra".into(),
            content: content.into(),
            ..OutputsDocument::default()
        }]);
        assert!(diagnostics.is_empty());
        for (name, expected) in [("a", true), ("b", true), ("c", false)] {
            let bound = &bindings.outputs("infra").unwrap()[name];
            assert_eq!(bound.sensitive, expected, "{name}");
        }
    }

    #[test]
    fn rejects_a_key_twice_in_a_value_and_names_it_of_public_outputs_alone() {
        check(
            r#"{"a": {"value": {"b": [{"k": 1, "k": 2}]}}}"#,
            &[r#"an object in the output `a` has a key twice: "k" "k""#],
        );
        check(
            r#"{"a": {"sensitive": true, "value": {"k": 1, "k": 2}}}"#,
            &[r#"the output `a` cannot be read: an object has a key twice: "a""#],
        );
    }

    #[test]
    fn rejects_an_output_twice_without_the_column_of_the_second() {
        check(
            r#"{"a": {"value": 1}, "b": {"value": 1, "sensitive": true}, "a": {"value": 2}}"#,
            &[r#"the output `a` stands twice in one document: - "a""#],
        );
    }

    #[test]
    fn reports_what_is_not_json_by_its_line() {
        check(
            "{\"a\": {\"value\": \"x\"},\n\"b\": }",
            &["the outputs document is not JSON: expected a value: -"],
        );
    }
}
