//! `terraform output -json` and `tofu output -json`:
//! `{name: {"sensitive": bool, "type": …, "value": …, "deprecated"?: …}}`.
//! Sensitive values stand there in plain text; outputs that are null are left
//! out by Terraform (internal/command/views/output.go).

use std::collections::BTreeMap;

use crate::outputs::position::Positions;
use crate::outputs::{Output, Source, Value, json};
use crate::report::{Diagnostic, Diagnostics, Rule};
use yaml::Span;

/// An object whose members are all objects with a `value`; `{}` is what
/// Terraform writes when there is no output.
pub(super) fn recognizes(node: &json::Node) -> bool {
    node.is_object()
        && node.members().is_ok_and(|members| {
            members.iter().all(|member| {
                member
                    .value
                    .members()
                    .is_ok_and(|fields| fields.iter().any(|field| field.name == "value"))
            })
        })
}

pub(super) fn read(node: &json::Node, source: &Source<'_>) -> (Vec<Output>, Diagnostics) {
    let mut outputs: Vec<Output> = Vec::new();
    let mut diagnostics = Diagnostics::default();
    let mut seen = BTreeMap::new();
    let mut positions = Positions::new(source.content);
    let members = match node.members() {
        Ok(members) => members,
        Err(error) => return (outputs, source.not_json(&error).into()),
    };
    for member in members {
        let span = positions.reported(member.span);
        if let Some(first) = seen.insert(member.name.clone(), span) {
            let message = format!("the output `{}` stands twice in one document", member.name);
            diagnostics.push(twice(source, message, [first, span]));
            // Nobody knows which of them says whether it is sensitive.
            positions.hide(member.value.span.end);
            continue;
        }
        let mut is_sensitive = true;
        match output(&member, source, &positions, &mut is_sensitive) {
            Ok(value) => outputs.push(Output {
                name: member.name,
                span,
                value,
                sensitive: is_sensitive,
            }),
            Err(error) => diagnostics.push(*error),
        }
        if is_sensitive {
            positions.hide(member.value.span.end);
        }
    }
    (outputs, diagnostics)
}

/// The value of one output. What cannot be read counts as sensitive.
fn output(
    member: &json::Member<'_>,
    source: &Source<'_>,
    positions: &Positions<'_>,
    is_sensitive: &mut bool,
) -> Result<Value, Box<Diagnostic>> {
    let name = &member.name;
    let unreadable = |error: &json::Error| {
        let span = positions.clone().reported(member.span);
        let message = format!("the output `{name}` cannot be read: {}", error.message);
        let error = Diagnostic::error(Rule::InvalidOutputs, message);
        Box::new(error.at_concealed(source.origin, span, ""))
    };
    let fields = member.value.members().map_err(|error| unreadable(&error))?;
    if let Some(keys) = json::twice(&fields) {
        let key = fields.iter().find(|field| field.span == keys[0]);
        let key = key.map_or("", |field| field.name.as_str());
        let message = format!("the output `{name}` has the key `{key}` twice");
        // The value may be sensitive: which of them says so, nobody knows.
        let mut positions = positions.clone();
        let keys = fields
            .iter()
            .filter(|field| field.name == key)
            .map(|field| {
                let value = fields.iter().find(|field| field.name == "value");
                if let Some(value) = value.filter(|value| value.span.start < field.span.start) {
                    positions.hide(value.value.span.end);
                }
                positions.reported(field.span)
            });
        let keys: Vec<Span> = keys.take(2).collect();
        if let Ok(keys) = keys.try_into() {
            return Err(Box::new(twice(source, message, keys)));
        }
    }
    let field = |name: &str| fields.iter().find(|field| field.name == name);
    // Written by hand as `Sensitive` it is meant all the same.
    let mut says_so = false;
    for field in &fields {
        if field.name.eq_ignore_ascii_case("sensitive") {
            let value = field.value.value().map_err(|error| unreadable(&error))?;
            says_so |= value != Value::Bool(false);
        }
    }
    *is_sensitive = says_so || source.is_sensitive;
    let Some(value) = field("value") else {
        let span = positions.clone().reported(member.span);
        let message = format!("the output `{name}` has no `value`");
        let error = Diagnostic::error(Rule::InvalidOutputs, message);
        return Err(Box::new(error.at_concealed(source.origin, span, "")));
    };
    value.value.value().map_err(|error| match error.twice {
        // The keys of a sensitive value are part of it.
        Some(keys) if !*is_sensitive => {
            let message = format!("an object in the output `{name}` has a key twice");
            let mut positions = positions.clone();
            Box::new(twice(
                source,
                message,
                keys.map(|key| positions.reported(key)),
            ))
        }
        _ => unreadable(&error),
    })
}

fn twice(source: &Source<'_>, message: String, [first, again]: [Span; 2]) -> Diagnostic {
    Diagnostic::error(Rule::DuplicateOutput, message)
        .at_concealed(source.origin, again, "here again")
        .at_concealed(source.origin, first, "first here")
        .help("readers disagree about which of them counts: write the document again with `terraform output -json`")
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
            &["the outputs document is not JSON: expected value: -"],
        );
    }
}
