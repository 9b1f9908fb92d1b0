//! The formats of outputs documents: a file and a row each. `kubernetes` is shared by those
//! of Kubernetes objects.

mod argocd_cluster;
mod azure;
mod cdk;
mod cloudformation;
mod configmap;
mod declared_type;
mod dotenv;
mod gcp;
mod json;
mod kubernetes;
mod marked_outputs;
mod pulumi;
mod pulumi_state;
#[cfg(feature = "toys")]
mod sample;
mod secret;
mod terraform;
mod terraform_plan;
mod terraform_show;
mod tfstate;
#[cfg(feature = "toys")]
mod toy;
mod unmarked;
mod yaml;

pub(crate) use argocd_cluster::repeats_the_object;
pub(crate) use dotenv::{Quotes, is_variable};
pub(crate) use json::ID as PLAIN_JSON;
#[cfg(feature = "toys")]
pub use sample::{FormatSample, format_samples};
pub(super) use yaml::value_of_yaml;

use crate::outputs::document::Document;
use crate::outputs::json::previous_occurrences;
use crate::outputs::other_document::{self, OtherDocument};
use crate::outputs::redact::Redaction;
use crate::outputs::{Key, Output, ReadOutputs, Value};
use crate::report::{Diagnostic, Diagnostics, Rule, suggest};
use ::yaml::Span;

/// A format of outputs documents.
///
/// It receives only the bytes of a document. Formats based on JSON share one parse of them
/// ([`Document::json`]).
pub(super) trait Format: Sync {
    /// Returns what is asked about the format itself.
    fn properties(&self) -> Properties;

    /// Returns whether a document is in this format. The check is cheap: a document whose
    /// mistake is far from its beginning may be recognised.
    fn recognise(&self, document: &Document<'_>) -> Recognition;

    /// Reads as much as it can, and reports every problem with the rest: at least one error
    /// for a document that it doesn't recognise. No message quotes anything but names of
    /// outputs.
    fn read(&self, document: &Document<'_>) -> ReadOutputs;

    /// Replaces the values of sensitive outputs, and everything else that could reveal
    /// them. Keys inside values are kept if `is_public` returns true for them. Returns
    /// `None` if it isn't certain what is sensitive. The default implementation is for
    /// formats whose documents have nothing but outputs and comments in them.
    fn redact(
        &self,
        document: &Document<'_>,
        is_public: &dyn Fn(&str) -> bool,
    ) -> Option<Redaction> {
        let read = self.read(document);
        if read.diagnostics.has_errors() {
            return None;
        }
        let is_sensitive = |output: &Output| output.sensitive;
        if document.declares_any_sensitive() || read.outputs.iter().any(is_sensitive) {
            return Some(Redaction::of_sensitive(document.text, read, is_public));
        }
        Some(Redaction::default())
    }

    /// Returns how a document is written, for what is tested with every format.
    #[cfg(feature = "toys")]
    fn sample(&self) -> FormatSample;
}

impl dyn Format + '_ {
    pub(super) fn id(&self) -> &'static str {
        self.properties().id
    }
}

/// What is asked about a format, whatever its document. Nothing else names a format, so each
/// answers every question.
pub(super) struct Properties {
    /// The value of `format:` that selects it.
    pub(super) id: &'static str,
    /// Whether its documents mark which outputs are sensitive.
    pub(super) marks_sensitive: bool,
    /// What its documents are among the manifests.
    pub(super) as_manifest: AsManifest,
    pub(super) publication: Publication,
    /// How to write a document, if the format is a side of a plan. Only a host's request names
    /// such a format: a Binding can't, and no document is recognised as one.
    pub(super) of_plan: Option<&'static str>,
}

/// What a document that certainly is in a format is among the manifests.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum AsManifest {
    /// Only outputs: rendering it would print its sensitive ones.
    Outputs,
    /// Only outputs, unless it has references and doesn't mark every output as sensitive or
    /// not: a template of JSON may look the same.
    Template,
    /// A manifest as well.
    Manifest,
}

/// How a document becomes public: without the values of its sensitive outputs.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Publication {
    /// These values are left out of it.
    Edited,
    /// It has nothing but outputs in it, so it is public as it is if none is sensitive.
    /// Otherwise its outputs are written in Terraform's format.
    ConvertedIfSensitive,
    /// Its outputs are written in Terraform's format.
    Converted,
    /// So are those of a state or a plan, which has the values of resources too: whatever its
    /// outputs are, it is not public.
    OfState,
}

/// Whether a document is in a format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Recognition {
    No,
    /// Documents with another meaning look the same, so the format is used only if it is
    /// named.
    Generic {
        /// Continues `the outputs document`: `is YAML`.
        what: &'static str,
        /// Follows the advice to name the format: when to name another one instead.
        otherwise: &'static str,
    },
    /// Only this format produces such a document.
    Certain,
}

/// Every format. The one that is certain of a document reads it; if none is, the first
/// generic one that recognises it is suggested.
const FORMATS: &[&dyn Format] = &[
    &terraform::TERRAFORM,
    &tfstate::TFSTATE,
    &terraform_show::TERRAFORM_SHOW,
    &pulumi_state::PulumiState,
    &cloudformation::CloudFormation,
    &azure::AZURE,
    &gcp::GCP,
    &configmap::CONFIG_MAP,
    &secret::SECRET,
    &argocd_cluster::ARGOCD_CLUSTER,
    &cdk::Cdk,
    &json::Json,
    &pulumi::Pulumi,
    &dotenv::Dotenv,
    &yaml::Yaml,
    &terraform_plan::BEFORE,
    &terraform_plan::AFTER,
    #[cfg(feature = "toys")]
    &toy::Toy,
];

/// Returns the formats that a Binding can name.
fn nameable() -> impl Iterator<Item = &'static dyn Format> {
    let formats = FORMATS.iter().copied();
    formats.filter(|format| format.properties().of_plan.is_none())
}

/// Returns the ids of the formats that a Binding can name and that are not only for tests.
#[cfg(test)]
pub(crate) fn documented_formats() -> impl Iterator<Item = &'static str> {
    let ids = nameable().map(|format| format.id());
    ids.filter(|id| *id != toy::Toy.properties().id)
}

/// Finds the formats that are certain of a document.
pub(super) fn certain(document: &Document<'_>) -> impl Iterator<Item = &'static dyn Format> {
    nameable().filter(|format| format.recognise(document) == Recognition::Certain)
}

/// Finds the first format that is certain of a document and whose documents are no manifests,
/// and returns what it is among them.
pub(super) fn outputs_as_manifest(document: &Document<'_>) -> Option<AsManifest> {
    nameable().find_map(|format| {
        let as_manifest = format.properties().as_manifest;
        let is_certain = as_manifest != AsManifest::Manifest
            && format.recognise(document) == Recognition::Certain;
        is_certain.then_some(as_manifest)
    })
}

/// Returns the format with an id.
pub(super) fn of_id(id: &str) -> Option<&'static dyn Format> {
    let mut formats = FORMATS.iter().copied();
    formats.find(|format| format.id() == id)
}

/// Chooses the format that reads a document: the named one, or the one that is certain of
/// it.
///
/// # Errors
/// No format is certain of it and none is named, or several are and none of them is named,
/// or a generic one is named although another one is certain: that one knows what is
/// sensitive, and the generic one doesn't.
pub(super) fn choose(
    document: &Document<'_>,
    named: Option<&str>,
) -> Result<&'static dyn Format, Diagnostics> {
    let named = named.map(|id| (id, of_id(id)));
    if let Some((_, Some(format))) = named
        && format.properties().of_plan.is_some()
    {
        return Ok(format);
    }
    let mut certain = certain(document);
    let (certain, other) = (certain.next(), certain.next());
    let failed = |message: String, help: String| {
        let error = Diagnostic::error(Rule::OutputsNotRecognized, message);
        let start = Span::point(document.start);
        Err(error
            .at_concealed(document.origin, start, "")
            .help(help)
            .into())
    };
    let Some((id, format)) = named else {
        return match (certain, other) {
            (Some(one), Some(other)) => failed(
                format!(
                    "the outputs document may have the format `{}` or `{}`",
                    one.id(),
                    other.id()
                ),
                "add the right one as `format` to its entry in `spec.outputs` of the Binding"
                    .to_owned(),
            ),
            (Some(certain), None) => Ok(certain),
            (None, _) => Err(unrecognised(document).into()),
        };
    };
    let Some(format) = format else {
        let known: Vec<_> = nameable().map(<dyn Format>::id).collect();
        return failed(
            format!("unknown outputs format `{id}`"),
            format!("expected one of: {}", known.join(", ")),
        );
    };
    let is_empty = || document.members().is_ok_and(|members| members.is_empty());
    let instead = match (format.recognise(document), certain) {
        (Recognition::Certain, _) => None,
        // `{}` has no marks to lose.
        (Recognition::Generic { .. }, Some(_)) if is_empty() => None,
        (recognition, Some(certain)) => {
            let loses = if recognition != Recognition::No && certain.properties().marks_sensitive {
                ", which would lose the marks of sensitive outputs"
            } else {
                ""
            };
            return failed(
                format!(
                    "the outputs document has the format `{}`, not `{id}`",
                    certain.id()
                ),
                format!("remove `format: {id}`{loses}"),
            );
        }
        (Recognition::Generic { .. }, None) => other_document::identify_unusable(document.body())
            .or_else(|| kubernetes::identify(document))
            .map(|found| unreadable(document, found)),
        (Recognition::No, None) => other_document_error(document),
    };
    match instead {
        Some(error) => Err(error.into()),
        // Its reader reports the problems with their locations.
        None => Ok(format),
    }
}

/// Returns the formats that read a document without an error if they are named.
pub(super) fn possible(document: &Document<'_>) -> impl Iterator<Item = &'static dyn Format> {
    nameable().filter(|format| {
        format.recognise(document) != Recognition::No
            && choose(document, Some(format.id())).is_ok()
            && !format.read(document).diagnostics.has_errors()
    })
}

/// Reports a document that no format is certain of.
fn unrecognised(document: &Document<'_>) -> Diagnostic {
    let not_json = || match document.json() {
        Err(error) => document.not_json(error),
        Ok(_) => unreadable(document, UNKNOWN),
    };
    let word = || {
        let found = other_document::identify_word(document.body())?;
        Some(unreadable(document, found))
    };
    other_document_error(document)
        .or_else(word)
        .unwrap_or_else(not_json)
}

/// Reports what kind of document it is, if that is known.
fn other_document_error(document: &Document<'_>) -> Option<Diagnostic> {
    let object = kubernetes::identify(document);
    if let Some(found) = object.or_else(|| other_document::identify(document)) {
        return Some(unreadable(document, found));
    }
    let begins_json = document.body().trim_start().starts_with(['{', '[']);
    if begins_json && document.json().is_err() {
        return None;
    }
    nameable().find_map(|format| {
        let Recognition::Generic { what, otherwise } = format.recognise(document) else {
            return None;
        };
        let error = unreadable(document, OtherDocument { what, ..UNKNOWN });
        Some(error.help(format!(
            "add `format: {}`{otherwise} to its entry in `spec.outputs` of the Binding, and list its secrets in `sensitive: […]`, because the format has no marks; or bind the result of `terraform output -json > outputs.json`, which has them",
            format.id()
        )))
    })
}

const UNKNOWN: OtherDocument = OtherDocument {
    what: "has no known format",
    help: "bind the unchanged result of `terraform output -json > outputs.json`",
};

/// Reports that a document is something other than outputs.
fn unreadable(document: &Document<'_>, found: OtherDocument) -> Diagnostic {
    let message = format!("the outputs document {}", found.what);
    let error = Diagnostic::error(Rule::OutputsNotRecognized, message);
    let start = Span::point(document.start);
    error
        .at_concealed(document.origin, start, "")
        .help(found.help)
}

/// Returns whether a key marks an output as sensitive. A handwritten `Sensitive` counts
/// too.
pub(super) const fn is_mark(key: &str) -> bool {
    key.eq_ignore_ascii_case("sensitive")
}

/// Returns whether a key is a mark, perhaps misspelt: `senstive`.
pub(super) fn is_like_mark(key: &str) -> bool {
    const MARK: &str = "sensitive";
    key.len().abs_diff(MARK.len()) <= 2 && suggest::differs_at_most(key, MARK, 2)
}

/// Returns whether an object with these keys is an output with a mark: a format without marks
/// would lose it.
fn has_value_and_mark<'k>(keys: impl Iterator<Item = &'k str>) -> bool {
    let (mut has_value, mut has_mark) = (false, false);
    for key in keys {
        has_value |= key == "value";
        has_mark |= is_like_mark(key);
    }
    has_value && has_mark
}

/// Returns whether a value holds an output that is marked as sensitive: it would be public.
pub(crate) fn holds_marked_output(value: &Value) -> bool {
    match value {
        Value::List(items) => items.iter().any(holds_marked_output),
        Value::Object(entries) => {
            let is_marked = |(key, value): &(Key, Value)| {
                is_like_mark(&key.name) && *value != Value::Bool(false)
            };
            entries.iter().any(|(key, _)| &*key.name == "value") && entries.iter().any(is_marked)
                || entries.iter().any(|(_, value)| holds_marked_output(value))
        }
        _ => false,
    }
}

/// Reports and removes the outputs whose name has occurred before.
fn reject_repeated(document: &Document<'_>, read: &mut ReadOutputs) {
    let names: Vec<_> = read.outputs.iter().map(|output| &*output.name).collect();
    let earlier = previous_occurrences(&names);
    for (output, earlier) in read.outputs.iter().zip(&earlier) {
        if let Some(earlier) = earlier {
            let message = format!("duplicate output `{}` in one document", output.name);
            let places = [read.outputs[*earlier].span, output.span];
            read.diagnostics
                .push(document.duplicate_error(message, places));
        }
    }
    let mut earlier = earlier.iter();
    let is_first = |_: &Output| earlier.next().is_some_and(Option::is_none);
    read.outputs.retain(is_first);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::OutputsDocument;
    use crate::outputs::{DeclaredSensitive, redact};
    use crate::report::Origin;
    use crate::splice;

    /// Returns a document that is bound with `format:`, or without if that is empty.
    pub(super) fn document(format: &str, content: &str) -> OutputsDocument {
        OutputsDocument {
            content: content.into(),
            format: (!format.is_empty()).then(|| format.to_owned()),
            ..OutputsDocument::default()
        }
    }

    /// Returns what is read, one line for each output and each error. An output that the
    /// format marks ends with `(sensitive)`. An error ends with its locations: their text,
    /// or line and column of a point.
    fn read(document: &OutputsDocument) -> Vec<String> {
        let content = std::str::from_utf8(&document.content).unwrap();
        let displayed = |span: Span| match span.range() {
            range if range.is_empty() => {
                let before = &content[..range.start];
                let line = before.matches('\n').count() + 1;
                let column = range.start - before.rfind('\n').map_or(0, |end| end + 1) + 1;
                format!("{line}:{column}")
            }
            range => content[range].to_owned(),
        };
        let read = crate::outputs::read(document, Origin::Outputs(0));
        let outputs = read.outputs.iter().map(|output| {
            assert!(output.sensitive || !document.sensitive);
            let mark = if output.sensitive && !document.sensitive {
                " (sensitive)"
            } else {
                ""
            };
            let value = output.value.to_json();
            format!("{} = {value}{mark}", displayed(output.span))
        });
        let errors = read.diagnostics.iter().map(|error| {
            let labels = error.labels.iter();
            let spans: Vec<_> = labels.map(|label| displayed(label.span)).collect();
            format!("{}: {}", error.message, spans.join(", "))
        });
        outputs.chain(errors).collect()
    }

    /// Checks what is read from a document in a format.
    #[track_caller]
    pub(super) fn check_read(format: &str, content: &str, expected: &[&str]) {
        assert_eq!(read(&document(format, content)), expected, "{content:?}");
    }

    /// Checks what is read from a document whose outputs are all sensitive.
    #[track_caller]
    pub(super) fn check_sensitive(format: &str, content: &str, expected: &[&str]) {
        let document = OutputsDocument {
            sensitive: true,
            ..document(format, content)
        };
        assert_eq!(read(&document), expected, "{content:?}");
    }

    /// Checks a document after redaction; `None`: it cannot be redacted. The key `public`
    /// is a public one.
    #[track_caller]
    pub(super) fn check_redacted(document: &OutputsDocument, expected: Option<(&str, &[&str])>) {
        let redaction = redact(document, DeclaredSensitive::None, &|key| key == "public");
        let redacted = redaction.map(|redaction| {
            let content = splice(&document.content, &redaction.edits).unwrap();
            (String::from_utf8(content).unwrap(), redaction.outputs)
        });
        let redacted = redacted
            .as_ref()
            .map(|(content, outputs)| (content.as_str(), outputs.as_slice()));
        let expected = expected.map(|(content, outputs)| {
            let outputs: Vec<_> = outputs.iter().map(|name| (*name).to_owned()).collect();
            (content, outputs)
        });
        let expected = expected
            .as_ref()
            .map(|(content, outputs)| (*content, outputs.as_slice()));
        assert_eq!(redacted, expected);
    }

    /// Checks a document after redaction whose outputs are all sensitive.
    #[track_caller]
    pub(super) fn check_all_redacted(format: &str, content: &str, expected: &str) {
        let document = OutputsDocument {
            sensitive: true,
            ..document(format, content)
        };
        let redacted = redact(&document, DeclaredSensitive::None, &|key| key == "public");
        let edits = redacted
            .map(|redaction| redaction.edits)
            .unwrap_or_default();
        let redacted = splice(content.as_bytes(), &edits).unwrap();
        assert_eq!(String::from_utf8(redacted).unwrap(), expected);
        // It is still a document in that format, with the same outputs.
        let name = |line: &String| line.split(" = ").next().unwrap_or_default().to_owned();
        let names = |content: &str| -> Vec<_> {
            read(&OutputsDocument {
                content: content.into(),
                ..document.clone()
            })
            .iter()
            .map(name)
            .collect()
        };
        assert_eq!(names(content), names(expected));
    }

    #[test]
    fn a_document_in_two_formats_needs_its_format() {
        let both = r#"{"version": 4, "lineage": "", "format_version": "1.0", "values": {}}"#;
        let message = "the outputs document may have the format `tfstate` or `terraform-show`: 1:1";
        check_read("", both, &[message]);
        check_redacted(&document("", both), None);
        for format in ["tfstate", "terraform-show"] {
            check_read(format, both, &[]);
        }
    }

    const TERRAFORM: &str = "{\"a\": {\"sensitive\": true, \"value\": \"hunter2\"}}";
    const PULUMI_STATE: &str = "{\"version\": 3, \"deployment\": {\"resources\": []}}";
    const CLOUDFORMATION: &str = "{\"Stacks\": [{\"StackName\": \"a\"}]}";

    #[test]
    fn the_format_that_is_certain_reads_a_document() {
        for format in ["", "terraform"] {
            check_read(format, "{\"a\": {\"value\": 1.50}}", &["\"a\" = 1.50"]);
            check_read(format, "\u{feff}{}", &[]);
        }
    }

    #[test]
    fn a_generic_format_rejects_what_another_format_certainly_reads() {
        for (content, certain) in [
            (TERRAFORM, "terraform"),
            (PULUMI_STATE, "pulumi-state"),
            (CLOUDFORMATION, "cloudformation"),
        ] {
            for format in ["cdk", "dotenv", "json", "pulumi", "yaml"] {
                let message =
                    format!("the outputs document has the format `{certain}`, not `{format}`: 1:1");
                check_read(format, content, &[&message]);
            }
        }
    }

    #[test]
    fn marks_are_lost_only_where_the_certain_format_has_some() {
        let configmap = "{\"apiVersion\": \"v1\", \"kind\": \"ConfigMap\"}";
        let loses = "remove `format: json`, which would lose the marks of sensitive outputs";
        for (content, expected) in [
            (TERRAFORM, loses),
            (PULUMI_STATE, loses),
            (CLOUDFORMATION, "remove `format: json`"),
            (configmap, "remove `format: json`"),
        ] {
            let read = crate::outputs::read(&document("json", content), Origin::Outputs(0));
            let help = read.diagnostics[0].help.as_deref();
            assert_eq!(help, Some(expected), "{content}");
        }
    }

    #[test]
    fn a_generic_format_never_wins_by_content() {
        for (content, expected) in [
            (
                "A=b\n",
                "the outputs document is a file of NAME=value lines: 1:1",
            ),
            ("a: b\n", "the outputs document is YAML: 1:1"),
            (
                "{\"a\": \"b\"}",
                "the outputs document is a JSON object whose members are not outputs: each needs a `value`: 1:1",
            ),
        ] {
            check_read("", content, &[expected]);
        }
    }

    #[test]
    fn an_empty_object_has_no_marks_to_lose() {
        for format in ["cdk", "json", "pulumi", "yaml"] {
            check_read(format, "{ }\n", &[]);
        }
    }

    #[test]
    fn suggests_the_formats_that_read_a_document() {
        for (content, formats) in [
            ("A=b\n", "`format: dotenv` to"),
            ("a: b\n", "`format: yaml` to"),
            (
                "{\"a\": 1}",
                "`format: json` (`format: pulumi` if `pulumi stack output --json` wrote it) to",
            ),
            (
                "{\"a\": {\"b\": \"c\"}}",
                "`format: cdk` (`format: json` if another program wrote it) to",
            ),
        ] {
            let read = crate::outputs::read(&document("", content), Origin::Outputs(0));
            let help = read.diagnostics[0].help.as_deref().unwrap_or_default();
            assert!(help.contains(formats), "{help}");
        }
    }

    #[test]
    fn an_unknown_format_lists_the_known_ones() {
        let read = crate::outputs::read(&document("toml", "{}"), Origin::Outputs(0));
        let diagnostics = read.diagnostics;
        assert_eq!(diagnostics[0].message, "unknown outputs format `toml`");
        let known: Vec<_> = nameable().map(<dyn Format>::id).collect();
        let help = format!("expected one of: {}", known.join(", "));
        assert_eq!(diagnostics[0].help, Some(help));
    }

    #[test]
    fn rejects_encrypted_documents() {
        for (format, content) in [
            ("dotenv", "A=ENC[AES256_GCM,data:x]\n"),
            ("yaml", "a: ENC[AES256_GCM,data:x]\n"),
        ] {
            check_read(format, content, &["the outputs document is encrypted: 1:1"]);
        }
    }

    /// One document of each kind.
    const DOCUMENTS: &[&str] = &[
        "{}",
        "[]",
        "1",
        "\"a\"",
        "{\"a\": 1}",
        "{\"a\": }",
        "{a: b}",
        TERRAFORM,
        PULUMI_STATE,
        CLOUDFORMATION,
        "{\"a\": {\"b\": \"c\"}}",
        "a: b\n",
        "a:\n  b: c\n",
        "# c\n---\na: b\n",
        "- a\n",
        "a\n",
        "A=b\n",
        "# c\n\nexport A=b\n",
        "a = \"b\"\n",
        "apiVersion: v1\nkind: Secret\n",
        "{\"version\": 4, \"lineage\": \"\", \"outputs\": {}}",
        "{\"version\": 3, \"lineage\": \"\", \"serial\": 1}",
        "{\"format_version\": \"1.0\"}",
        "{\"format_version\": \"1.0\", \"values\": {\"outputs\": {}}}",
        "{\"a\": {\"type\": \"String\", \"value\": \"b\"}}",
        "{\"a\": {\"type\": \"SecureString\"}}",
        "{\"id\": \"\", \"properties\": {\"outputs\": {}}}",
        "{\"applyResults\": {}}",
        "{\"content\": \"\", \"outputs\": {}}",
        "Error: no state\n",
        "<html>",
    ];

    #[test]
    fn no_document_is_certainly_in_two_formats() {
        for content in DOCUMENTS {
            let opened = Document::of_text(content, Origin::Outputs(0));
            let certain: Vec<_> = certain(&opened).map(<dyn Format>::id).collect();
            assert!(certain.len() <= 1, "{certain:?} {content:?}");
        }
    }

    #[test]
    fn a_reader_reports_an_error_for_what_its_format_does_not_recognise() {
        let mut unrecognised = 0;
        for content in DOCUMENTS {
            let opened = Document::of_text(content, Origin::Outputs(0));
            for format in FORMATS {
                if format.recognise(&opened) == Recognition::No {
                    unrecognised += 1;
                    let diagnostics = format.read(&opened).diagnostics;
                    assert!(diagnostics.has_errors(), "{} {content:?}", format.id());
                }
            }
        }
        assert!(unrecognised > DOCUMENTS.len(), "{unrecognised}");
    }

    #[test]
    fn a_document_without_content_has_nothing_to_redact() {
        for content in ["", " \n", "\u{feff}\r\n"] {
            check_redacted(&document("", content), Some((content, &[])));
        }
    }

    #[test]
    fn a_document_without_a_known_format_cannot_be_redacted() {
        for content in ["{\"a\": 1}", "[1]", "a: b", "{", "A=b"] {
            check_redacted(&document("", content), None);
        }
        check_redacted(&document("yaml", TERRAFORM), None);
    }
}
