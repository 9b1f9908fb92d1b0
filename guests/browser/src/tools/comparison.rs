//! What a change of outputs does to the manifests.

use serde::Serialize;

use landfall::{Answer, Content, Diagnostics, Origin, OutputsInputs, Request, Rule, Span, splice};
use landfall_comparison::{
    self as comparison, BrokenReport, Comparison, Reference, Rendering, SensitiveMarks,
};

use crate::answer::{RangeConverter, Resource};
use crate::input::Documents;
use crate::positions::Range;

/// What changes in the manifests with other outputs.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub(crate) struct Compared {
    /// The outputs that the manifests render with.
    renders: Renders,
    /// Changed values, in the order of files and locations. Empty unless they render with the new
    /// outputs.
    changes: Vec<Change>,
    /// Changes that are not the change of one value.
    other_changes: Vec<OtherChange>,
}

/// The outputs that manifests render with.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub(crate) enum Renders {
    Both,
    Old,
    New,
    Neither,
}

/// A reference whose value changes.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "ValueChange"))]
#[serde(rename_all = "camelCase")]
pub(crate) struct Change {
    /// Index into `manifests`.
    file: usize,
    /// The reference in the source.
    source: Range,
    /// The resource that contains the reference.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    resource: Option<Resource>,
    /// The path of the field in that resource.
    field: String,
    /// The name of the output: `infra.vpc_id`.
    output: String,
    /// The reference as written, on one line.
    reference: String,
    /// Whether the output is sensitive in the old or in the new outputs.
    sensitive: bool,
    /// The old value; absent if the reference was not replaced.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    from: Option<Value>,
    /// The new value; absent if the reference is not replaced.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    to: Option<Value>,
}

/// The value of a reference with one of the outputs.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "ChangedValue"))]
#[serde(rename_all = "camelCase")]
pub(crate) struct Value {
    /// The type of the value in Terraform's terms; `unknown` before an apply.
    #[serde(rename = "type")]
    value_type: String,
    /// The value as text or as JSON; `(sensitive)` for a sensitive output.
    value: String,
    /// The rendered text, if the same value is rendered differently.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    rendered: Option<String>,
}

/// Rendered text that changes without the change of a value in it.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub(crate) struct OtherChange {
    /// Index into `manifests`.
    file: usize,
    /// The start of the change in the source.
    source: Range,
    /// The old text; absent if it may be secret.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    from: Option<String>,
    /// The new text; absent if it may be secret.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    to: Option<String>,
}

/// Compares the result of `documents` with that of the outputs documents in `before`.
///
/// # Errors
/// The reports of the core do not match its results.
pub(super) fn compare(before: &Documents, documents: &Documents) -> Result<Compared, String> {
    let new = &documents.request;
    let old = Request {
        outputs: before.request.outputs.clone(),
        ..new.clone()
    };
    let [old, new] = [&old, new].map(|request| documents.sources.generate(request));
    // What was sensitive before stays so, also if the Binding no longer says it.
    let [old_marks, new_marks] =
        [(&before.request, &old), (&documents.request, &new)].map(|(of, answer)| marks(of, answer));
    let renders = match (&old, &new) {
        (Ok(_), Ok(_)) => Renders::Both,
        (Ok(_), Err(_)) => Renders::Old,
        (Err(_), Ok(_)) => Renders::New,
        (Err(_), Err(_)) => Renders::Neither,
    };
    let mut compared = Compared {
        renders,
        changes: Vec::new(),
        other_changes: Vec::new(),
    };
    let Ok(new) = new else {
        return Ok(compared);
    };
    let old = old.ok();
    let may_be_sensitive =
        |output: &str| old_marks.may_be_sensitive(output) || new_marks.may_be_sensitive(output);
    let old_references = old.iter().flat_map(references);
    let mut comparison = Comparison::new(old_references, references(&new), may_be_sensitive);
    for (nth, file) in documents.manifests().iter().enumerate() {
        let rendering = |answer: &Answer| rendering(&file.content, answer.sources.get(nth));
        let renderings = old.as_ref().map(|old| [rendering(old), rendering(&new)]);
        let done = comparison.file(nth, &file.content, renderings);
        done.map_err(|BrokenReport| "a report does not match its result".to_owned())?;
    }
    let mut ranges = RangeConverter::new(documents);
    compared.changes = (comparison.changes.into_iter())
        .map(|change| Change::new(change, &mut ranges))
        .collect();
    compared.other_changes = (comparison.other_changes.into_iter())
        .map(|other| OtherChange {
            file: other.file,
            source: ranges.range(Origin::Manifest(other.file), Span::point(other.at)),
            from: other.from,
            to: other.to,
        })
        .collect();
    Ok(compared)
}

/// Returns which outputs of a request are sensitive.
fn marks(request: &Request, answer: &Result<Answer, Diagnostics>) -> SensitiveMarks {
    let (Ok(Answer { diagnostics, .. }) | Err(diagnostics)) = answer;
    let read = landfall::read_outputs(&OutputsInputs {
        documents: request.outputs.clone(),
        application: request.application.clone(),
        contract: None,
    });
    if read.diagnostics.has_errors() {
        return SensitiveMarks::UNKNOWN;
    }
    // Outputs without a value are not listed, and neither is every error.
    let is_incomplete = diagnostics.omitted().errors > 0
        || (diagnostics.iter()).any(|found| found.rule == Rule::UnreadableOutput);
    let outputs = read.outputs.into_iter();
    let marks = outputs.map(|read| (read.name, read.output, read.sensitive.is_some()));
    SensitiveMarks::new(marks, is_incomplete)
}

/// Returns the references of a render.
fn references(answer: &Answer) -> impl Iterator<Item = Reference<'_>> {
    let report = answer.substitutions.iter();
    report.flat_map(|report| &report.substitutions).map(|of| {
        let (start, end) = of.result_span;
        Reference {
            file: of.file,
            span: of.start..of.end,
            result: Some(start..end),
            text: &of.reference,
            output: &of.output,
            value_type: of.value_type,
            value: &of.value,
            is_sensitive: of.sensitive,
            is_unwritten: of.unwritten,
            resource: of.resource.as_ref().map(|of| comparison::Resource {
                api_version: &of.api_version,
                kind: &of.kind,
                name: &of.name,
                namespace: &of.namespace,
            }),
            field: &of.field,
        }
    })
}

fn rendering(source: &[u8], content: Option<&Content>) -> Rendering {
    let edits = match content {
        Some(Content::Edited(edits)) => edits.as_slice(),
        _ => &[],
    };
    Rendering {
        // Edits of the core are valid for their source.
        text: splice(source, edits).unwrap_or_default(),
        edits: (edits.iter())
            .map(|edit| comparison::Edit {
                source: edit.span.range(),
                length: edit.text.len(),
            })
            .collect(),
    }
}

impl Change {
    fn new(change: comparison::Change<'_>, ranges: &mut RangeConverter<'_>) -> Self {
        let span = Span::from(change.span);
        Self {
            file: change.file,
            source: ranges.range(Origin::Manifest(change.file), span),
            resource: change.resource.map(Resource::from),
            field: change.field.to_owned(),
            output: change.output.to_owned(),
            reference: change.text.to_owned(),
            sensitive: change.is_sensitive,
            from: change.from.map(Value::from),
            to: change.to.map(Value::from),
        }
    }
}

impl From<comparison::Resource<'_>> for Resource {
    fn from(resource: comparison::Resource<'_>) -> Self {
        Self {
            api_version: resource.api_version.to_owned(),
            kind: resource.kind.to_owned(),
            name: resource.name.to_owned(),
            namespace: resource.namespace.to_owned(),
        }
    }
}

impl From<comparison::Value<'_>> for Value {
    fn from(value: comparison::Value<'_>) -> Self {
        Self {
            value_type: value.value_type.to_owned(),
            value: value.value.to_owned(),
            rendered: value.rendered,
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::Call;
    use crate::tools::Tool;

    const MANIFEST: &str = "kind: A\napiVersion: v1\na: ${infra.a}\nb: x ${infra.b}\n";

    /// Compares outputs, and formats each change.
    #[track_caller]
    fn check(manifest: &str, old: &str, new: &str, expect: &[&str]) {
        let (before, call) = (Call::of(manifest, old), Call::of(manifest, new));
        let answer = call.run(Tool::Compare, "", Some(before));
        let answer: serde_json::Value = serde_json::from_str(&answer).unwrap();
        let answer = &answer["Ok"];
        let changes = answer["changes"].as_array().unwrap().iter().map(|change| {
            let at = &change["source"]["start"];
            let [from, to] = ["from", "to"].map(|side| &change[side]["value"]);
            format!("{}:{} {from} -> {to}", at["line"], at["column"])
        });
        let renders = answer["renders"].as_str().unwrap().to_owned();
        let all: Vec<String> = std::iter::once(renders).chain(changes).collect();
        assert_eq!(all, expect);
    }

    #[test]
    fn changed_values_have_the_place_of_their_reference() {
        let outputs = r#"{"a": {"value": "one"}, "b": {"value": 2}}"#;
        check(MANIFEST, outputs, outputs, &["both"]);
        check(
            MANIFEST,
            outputs,
            r#"{"a": {"value": "two"}, "b": {"value": 2}}"#,
            &["both", r#"3:4 "one" -> "two""#],
        );
        check(MANIFEST, outputs, r#"{"a": {"value": 1}}"#, &["old"]);
        check(
            MANIFEST,
            r#"{"a": {"value": 1}}"#,
            outputs,
            &["new", r#"3:4 null -> "one""#, r#"4:6 null -> "2""#],
        );
    }

    #[test]
    fn values_that_are_sensitive_on_one_side_are_not_shown() {
        let public = r#"{"a": {"value": "public-a"}, "b": {"value": 1}}"#;
        let sensitive = r#"{"a": {"value": "secret-a", "sensitive": true}, "b": {"value": 1}}"#;
        let secret = "kind: Secret\napiVersion: v1\nstringData: {a: '${infra.a}'}\n";
        let shown = &["both", r#"3:18 "(sensitive)" -> "(sensitive)""#];
        check(secret, public, sensitive, shown);
        check(secret, sensitive, public, shown);
        // In this manifest it does not render.
        check(MANIFEST, public, sensitive, &["old"]);
        check(
            MANIFEST,
            sensitive,
            public,
            &["new", r#"3:4 null -> "(sensitive)""#, r#"4:6 null -> "1""#],
        );
    }

    #[test]
    fn what_the_binding_of_before_declares_sensitive_is_not_shown() {
        let outputs = |value: &str| format!(r#"{{"a": {{"value": "{value}"}}}}"#);
        let manifest = "a: ${infra.a}\n";
        let mut before = Call::of("", &outputs("hunter2"));
        let binding = "apiVersion: landfall.dev/v1alpha1\nkind: Binding\nspec:\n  outputs: [{name: infra, from: {file: infra.json}, sensitive: [a]}]\n";
        before.binding("landfall.yaml".to_owned(), binding.into());
        let answer = Call::of(manifest, &outputs("hunter3")).run(Tool::Compare, "", Some(before));
        assert!(answer.contains("(sensitive)"), "{answer}");
        assert!(!answer.contains("hunter"), "{answer}");
    }
}
