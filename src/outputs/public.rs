//! Outputs documents without the values of their sensitive outputs, which can be committed
//! to Git. The names stay, and a reference to one of them is an error that says why.

use crate::collections::OrderedSet;
use crate::outputs::as_terraform::public_document;
use crate::outputs::document::Document;
use crate::outputs::formats::{self, Publication};
use crate::outputs::json::Member;
use crate::outputs::redact::{Redaction, redacted_field};
use crate::outputs::{DeclaredSensitive, OutputsDocument, ReadOutputs, Value};
use crate::report::{Diagnostics, Origin};
use yaml::splice;

/// The key of an output in Terraform's format whose value was left out.
pub(super) const LEFT_OUT: &str = "left_out";

/// Continues `it cannot be read: `.
pub(super) const LEFT_OUT_WHY: &str =
    "its value was left out of this document, because it is sensitive";

pub(super) const LEFT_OUT_HELP: &str = "bind the document from which this one was exported";

/// Returns whether a field of an output says that its value was left out.
pub(super) fn is_left_out(field: &Member<'_>) -> bool {
    field.name == LEFT_OUT && field.value.raw() != "false"
}

/// Returns a document without the values of its sensitive outputs, also of those that are
/// `declared` sensitive, and their names.
///
/// All other bytes of a document in Terraform's format are kept. A document in a format that
/// cannot mark outputs, or that has more in it than outputs, is written in Terraform's
/// format, unless nothing in it is sensitive.
///
/// # Errors
/// All problems with the document.
pub(crate) fn without_sensitive_values(
    document: &OutputsDocument,
    declared: DeclaredSensitive,
) -> Result<(Vec<u8>, Vec<String>), Diagnostics> {
    let opened = Document::open(document, declared, Origin::Outputs(0))?;
    let format = formats::choose(&opened, document.format.as_deref())?;
    let read = format.read(&opened);
    if read.diagnostics.has_errors() {
        return Err(read.diagnostics);
    }
    let sensitive = read.outputs.iter().filter(|output| output.sensitive);
    let mut names: Vec<_> = sensitive.map(|output| output.name.clone()).collect();
    names.extend(read.unreadable.iter().map(|entry| entry.name.clone()));
    let content = match format.properties().publication {
        Publication::Edited => edited(&opened, &names)?,
        Publication::ConvertedIfSensitive if names.is_empty() => document.content.clone(),
        Publication::ConvertedIfSensitive | Publication::Converted | Publication::OfState => {
            converted(read)
        }
    };
    Ok((content, names))
}

/// Returns a document in Terraform's format without the values of these outputs.
fn edited(document: &Document<'_>, sensitive: &[String]) -> Result<Vec<u8>, Diagnostics> {
    let sensitive: OrderedSet<&str> = sensitive.iter().map(String::as_str).collect();
    let mut redaction = Redaction::default();
    for member in document.members()? {
        let fields = member.value.members();
        if !sensitive.contains(&*member.name) {
            continue;
        }
        let is_marked = fields.iter().any(|field| field.name == LEFT_OUT);
        for field in &fields {
            let text = match &*field.name {
                "value" if is_marked => Some("null".to_owned()),
                "value" => Some(format!("null, \"{LEFT_OUT}\": true")),
                LEFT_OUT => Some("true".to_owned()),
                "type" if is_plain_type(field.value.raw()) => None,
                // Terraform writes the keys of an object into its type, too.
                "type" => Some("\"dynamic\"".to_owned()),
                _ => redacted_field(field, &|_| false),
            };
            if let Some(text) = text {
                redaction.replace(field.value.span(), text);
            }
        }
    }
    let text = document.text.as_bytes();
    // The edits are those of one parse, ascending and disjoint.
    Ok(splice(text, &redaction.edits).unwrap_or_default())
}

/// Returns whether a type in Terraform's notation consists of the names of types that have
/// no keys and no length: `["list","string"]`.
fn is_plain_type(raw: &str) -> bool {
    const NAMES: [&str; 7] = ["string", "number", "bool", "list", "set", "map", "dynamic"];
    let mut words = raw.split(|c: char| "[],\" \t\r\n".contains(c));
    words.all(|word| word.is_empty() || NAMES.contains(&word))
}

/// Returns the outputs in Terraform's format.
fn converted(read: ReadOutputs) -> Vec<u8> {
    let outputs = read
        .outputs
        .into_iter()
        .map(|output| (output.name, output.value, output.sensitive));
    let unreadable = read
        .unreadable
        .into_iter()
        .map(|entry| (entry.name, Value::Null, true));
    let outputs: Vec<_> = outputs.chain(unreadable).collect();
    public_document(&outputs).into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outputs::{Bindings, Declarations};

    fn document(format: &str, content: &str) -> OutputsDocument {
        OutputsDocument {
            name: "infra".into(),
            content: content.into(),
            format: (!format.is_empty()).then(|| format.to_owned()),
            ..OutputsDocument::default()
        }
    }

    /// Checks a public document, and that its outputs can be read: those that are left out
    /// as such.
    #[track_caller]
    fn check(document: &OutputsDocument, expected: &str, left_out: &[&str]) {
        let (content, names) = without_sensitive_values(document, DeclaredSensitive::None).unwrap();
        assert_eq!(String::from_utf8(content.clone()).unwrap(), expected);
        assert_eq!(names, left_out);
        let public = OutputsDocument {
            content,
            format: None,
            sensitive: false,
            ..document.clone()
        };
        if document.format.is_some() && left_out.is_empty() {
            return;
        }
        let (bindings, diagnostics) =
            Bindings::read(std::slice::from_ref(&public), &Declarations::default());
        assert!(diagnostics.is_empty(), "{diagnostics:?}");
        let named = bindings.named("infra").unwrap();
        for name in left_out {
            let (_, entry) = named.unreadable(name).unwrap();
            assert_eq!(entry.why, LEFT_OUT_WHY);
        }
        // A public document is not changed again.
        let again = without_sensitive_values(&public, DeclaredSensitive::None).unwrap();
        assert_eq!(String::from_utf8(again.0).unwrap(), expected);
    }

    #[test]
    fn a_value_can_be_read_unless_it_is_masked_or_left_out() {
        const CLUSTER: &str = "apiVersion: v1\nkind: Secret\nmetadata: {labels: {argocd.argoproj.io/secret-type: cluster}}\nstringData: {name: a, server: b, config: c}\n";
        for (format, content, expected) in [
            ("", r#"{"a": {"value": 1}}"#, false),
            ("", r#"{"a": {"value": 1, "sensitive": true}}"#, true),
            (
                "",
                r#"{"a": {"value": null, "sensitive": true, "left_out": true}}"#,
                false,
            ),
            (
                "",
                r#"{"a": {"value": "k", "sensitive": true, "left_out": true}}"#,
                true,
            ),
            ("pulumi", r#"{"a": 1}"#, false),
            ("pulumi", r#"{"a": 1, "b": "[secret]"}"#, false),
            ("cdk", r#"{"stack": {"a": "1"}}"#, false),
            (
                "",
                r#"{"Stacks": [{"StackName": "s", "Outputs": [{"OutputKey": "a", "OutputValue": "b"}]}]}"#,
                false,
            ),
            (
                "azure",
                r#"{"a": {"type": "String", "value": "b"}, "c": {"type": "SecureString"}}"#,
                false,
            ),
            (
                "",
                "apiVersion: v1\nkind: ConfigMap\ndata: {a: b}\nbinaryData: {c: /w==}\n",
                false,
            ),
            ("", "apiVersion: v1\nkind: Secret\ndata: {a: /w==}\n", true),
            ("", CLUSTER, true),
            // The values of its resources are not outputs.
            (
                "",
                r#"{"version": 4, "terraform_version": "1.9.0", "serial": 1, "lineage": "", "outputs": {}, "resources": []}"#,
                true,
            ),
        ] {
            let read = crate::outputs::read(&document(format, content), Origin::Outputs(0));
            assert!(
                !read.diagnostics.has_errors(),
                "{content}: {:?}",
                read.diagnostics
            );
            assert_eq!(read.has_readable_secrets, expected, "{content}");
        }
    }

    #[test]
    fn leaves_out_sensitive_values_and_keeps_all_other_bytes() {
        check(
            &document(
                "",
                "\u{feff}{\"a\" : {\"value\":1.50},\r\n\t\"b\": {\"sensitive\": true, \"type\": [\"list\", \"string\"], \"value\": [\"hunter2\"]}}",
            ),
            "\u{feff}{\"a\" : {\"value\":1.50},\r\n\t\"b\": {\"sensitive\": true, \"type\": [\"list\", \"string\"], \"value\": null, \"left_out\": true}}",
            &["b"],
        );
        check(&document("", "{ }"), "{ }", &[]);
    }

    #[test]
    fn leaves_out_what_else_could_reveal_a_value() {
        check(
            &document(
                "",
                r#"{"a": {"Sensitive": "hunter2", "type": ["object", {"hunter2": "string"}], "deprecated": "hunter2", "value": {"hunter2": 1}}}"#,
            ),
            r#"{"a": {"Sensitive": true, "type": "dynamic", "deprecated": "(sensitive)", "value": null, "left_out": true}}"#,
            &["a"],
        );
        check(
            &document("", r#"{"a": {"left_out": true, "value": "hunter2"}}"#),
            r#"{"a": {"left_out": true, "value": null}}"#,
            &["a"],
        );
        check(
            &document(
                "",
                r#"{"a": {"sensitive": true, "left_out": false, "value": "hunter2"}}"#,
            ),
            r#"{"a": {"sensitive": true, "left_out": true, "value": null}}"#,
            &["a"],
        );
    }

    #[test]
    fn a_document_without_marks_is_written_in_the_format_of_terraform() {
        let outputs = "# hunter2\nA=b\n";
        let secret = OutputsDocument {
            sensitive: true,
            ..document("dotenv", outputs)
        };
        check(
            &secret,
            "{\n  \"A\": {\n    \"sensitive\": true,\n    \"type\": \"string\",\n    \"value\": null,\n    \"left_out\": true\n  }\n}\n",
            &["A"],
        );
        check(&document("dotenv", outputs), outputs, &[]);
    }

    #[test]
    fn reports_the_problems_of_a_document() {
        let found = without_sensitive_values(&document("", "{\"a\": {}}"), DeclaredSensitive::None);
        assert!(found.is_err_and(|found| found.has_errors()));
    }

    #[test]
    fn a_redacted_document_keeps_the_mark() {
        let public = document(
            "",
            r#"{"a": {"sensitive": true, "left_out": true, "value": null}}"#,
        );
        let redaction =
            crate::outputs::redact(&public, DeclaredSensitive::None, &|_| false).unwrap();
        let redacted = splice(&public.content, &redaction.edits).unwrap();
        assert_eq!(redacted, public.content);
    }
}
