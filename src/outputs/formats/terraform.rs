//! `terraform output -json` and `tofu output -json`:
//! `{name: {"sensitive": bool, "type": …, "value": …, "deprecated"?: …}}`.
//! Sensitive values are written in plain text; outputs that are null are left out by
//! Terraform (internal/command/views/output.go).

use crate::outputs::document::Document;
use crate::outputs::formats::azure;
use crate::outputs::formats::marked_outputs::{MarkedFormat, MarkedOutputs, TerraformTypes};
#[cfg(feature = "toys")]
use crate::outputs::formats::sample::{FormatSample, marked};
use crate::outputs::formats::{AsManifest, Publication};
use crate::outputs::json::Member;

pub(super) const TERRAFORM: MarkedFormat = MarkedFormat {
    id: "terraform",
    as_manifest: AsManifest::Template,
    publication: Publication::Edited,
    outputs,
    #[cfg(feature = "toys")]
    sample: FormatSample::in_flow("{", marked, "}"),
};

/// Recognises an object whose members are all objects with a `value`; Terraform writes `{}`
/// if there are no outputs.
fn outputs(document: &Document<'_>) -> Option<MarkedOutputs> {
    let members = document.members().ok()?;
    let is_output = |member: &Member<'_>| {
        let fields = member.value.members();
        fields.iter().any(|field| field.name == "value")
    };
    let is_terraform = members.iter().all(is_output) && !azure::are_outputs(&members);
    is_terraform.then_some(MarkedOutputs {
        path: &[],
        types: &TerraformTypes,
    })
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
    fn rejects_a_misspelt_mark() {
        for key in [
            "senstive",
            "Sensitve",
            "sensative",
            "isSensitive",
            " sensitive",
        ] {
            check(
                &format!(r#"{{"a": {{"{key}": true, "type": "string", "value": "x"}}}}"#),
                &[&format!("unknown key `{key}` in the output `a`: \"{key}\"")],
            );
        }
        check(
            "{\"a\": {\"value\": \"x\",\n \"type\": \"string\", \"senstive\": false}, \"b\": {\"value\": \"x\", \"senstive\": true}}",
            &[
                "unknown key `senstive` in the output `a`: \"senstive\"",
                "unknown key `senstive` in the output `b`: -",
            ],
        );
        check(r#"{"a": {"sensitivity": "x", "value": "x"}}"#, &[]);
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
    fn a_value_has_the_type_next_to_it() {
        check(
            "{\"a\": {\"type\": [\"list\", \"string\"],\n\"value\": [\"b\", 2]}}",
            &["the output `a` does not match its `type`: -"],
        );
        check(
            r#"{"a": {"sensitive": true, "type": "string", "value": 2}}"#,
            &["the output `a` does not match its `type`: \"a\""],
        );
        check(
            r#"{"a": {"type": "text", "value": "b"}, "b": {"type": null, "value": "b"}}"#,
            &[
                "the output `a` has an unknown `type`: \"a\"",
                "the output `b` has an unknown `type`: -",
            ],
        );
        // Nothing in a sensitive value is reported.
        check(
            r#"{"a": {"sensitive": true, "type": ["map", "string"], "value": {"b": 2}}}"#,
            &[],
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
                r#"{"x": {"senstive": true, "value": "hunter2"}}"#,
                r#"{"x": {"senstive": true, "value": "(sensitive)"}}"#,
            ),
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
