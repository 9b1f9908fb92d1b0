//! The answers for JavaScript: the records of the core with positions in UTF-16 code units.

mod assist;
mod classification;
mod diagnostic;
mod ranges;
mod redaction;
mod substitution;

pub(crate) use assist::Cursor;
#[cfg(test)]
pub(crate) use assist::{Completed, Defined, Hovered, NameKind};
pub(crate) use classification::classify;
#[cfg(test)]
pub(crate) use classification::{Classified, OtherDialect};
pub(crate) use diagnostic::{Counts, Diagnostic, Findings};
#[cfg(any(test, feature = "tools"))]
pub(crate) use diagnostic::{Edit, Resource};
#[cfg(test)]
pub(crate) use diagnostic::{Fix, Label, Origin, Severity};
pub(crate) use ranges::RangeConverter;
#[cfg(test)]
pub(crate) use redaction::Redacted;
pub(crate) use redaction::redact;
pub(crate) use substitution::{Substitution, UnusedOutput};

use std::borrow::Cow;

use serde::Serialize;

use landfall::{Answer, Content, splice};

use crate::input::Documents;
use crate::provenance::results;

/// The result of a render.
#[derive(Debug, Default, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub(crate) struct Rendered<'i> {
    /// One for each manifest, in the same order. Absent if there are errors.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    pub(crate) files: Option<Vec<RenderedFile<'i>>>,
    /// At most 1,000 diagnostics, in the order of the documents.
    pub(crate) diagnostics: Vec<Diagnostic>,
    /// The number of other diagnostics. Warnings and notes are omitted before errors.
    pub(crate) omitted: Counts,
}

/// A rendered manifest.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub(crate) struct RenderedFile<'i> {
    /// The path of the manifest.
    pub(crate) path: &'i str,
    /// The source with references replaced by values; all other bytes are unchanged.
    pub(crate) content: Cow<'i, str>,
    /// Whether it differs from the source.
    pub(crate) changed: bool,
}

/// The result of a render with the origin of each value.
#[derive(Debug, Default, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub(crate) struct Explanation<'i> {
    /// One for each manifest, in the same order. Absent if there are errors.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    pub(crate) files: Option<Vec<RenderedFile<'i>>>,
    /// At most 1,000 diagnostics, in the order of the documents.
    pub(crate) diagnostics: Vec<Diagnostic>,
    /// The number of other diagnostics. Warnings and notes are omitted before errors.
    pub(crate) omitted: Counts,
    /// Every substitution, sorted by file and position. Absent if there are errors.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    pub(crate) substitutions: Option<Vec<Substitution>>,
    /// Bound outputs that nothing uses, sorted by name. Absent if there are errors.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    pub(crate) unused: Option<Vec<UnusedOutput>>,
}

/// Renders the manifests.
pub(crate) fn render(documents: &Documents) -> Rendered<'_> {
    let Explanation {
        files,
        diagnostics,
        omitted,
        ..
    } = explain(documents);
    Rendered {
        files,
        diagnostics,
        omitted,
    }
}

/// Reports diagnostics only.
pub(crate) fn check(documents: &Documents) -> Findings {
    let found = match documents.sources.generate(&documents.request) {
        Ok(Answer { diagnostics, .. }) => diagnostics,
        Err(diagnostics) => diagnostics,
    };
    Findings::new(found, &mut RangeConverter::new(documents))
}

/// Renders the manifests, and returns every substitution if the request asks for them.
pub(crate) fn explain(documents: &Documents) -> Explanation<'_> {
    let mut ranges = RangeConverter::new(documents);
    let answer = match documents.sources.generate(&documents.request) {
        Ok(answer) => answer,
        Err(found) => {
            let found = Findings::new(found, &mut ranges);
            return Explanation {
                diagnostics: found.diagnostics,
                omitted: found.omitted,
                ..Explanation::default()
            };
        }
    };
    let mut files = Vec::with_capacity(answer.sources.len());
    for (document, content) in documents.manifests().iter().zip(answer.sources) {
        let bytes = match content {
            // Edits of the core are valid for their source.
            Content::Edited(edits) => splice(&document.content, &edits).unwrap_or_default(),
            Content::Unchanged => {
                files.push(RenderedFile {
                    path: &document.path,
                    changed: false,
                    content: String::from_utf8_lossy(&document.content),
                });
                continue;
            }
        };
        files.push(RenderedFile {
            path: &document.path,
            changed: bytes != document.content,
            content: Cow::Owned(text(bytes)),
        });
    }
    let explained = answer.substitutions.map(|report| {
        let substitutions: Vec<Substitution> = results(&files, &report.substitutions)
            .into_iter()
            .zip(report.substitutions)
            .map(|(result, found)| Substitution::new(found, result, &mut ranges))
            .collect();
        let unused = report.unused.into_iter();
        let unused = unused.map(|found| UnusedOutput::new(found, &mut ranges));
        (substitutions, unused.collect())
    });
    let (substitutions, unused) = explained.unzip();
    let found = Findings::new(answer.diagnostics, &mut ranges);
    Explanation {
        diagnostics: found.diagnostics,
        omitted: found.omitted,
        files: Some(files),
        substitutions,
        unused,
    }
}

/// Decodes UTF-8 like JavaScript.
pub(crate) fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

#[cfg(test)]
mod tests {
    use crate::Call;

    #[test]
    fn counts_omitted_diagnostics() {
        let mut manifest = String::new();
        for nth in 0..1_200 {
            manifest.push_str(&format!("k{nth}: ${{infra.no_{nth}}}\n"));
        }
        let call = Call::of(&manifest, r#"{"a": {"value": "one"}}"#);
        for answer in [call.clone().render(), call.clone().check(), call.explain()] {
            let answer: serde_json::Value = serde_json::from_str(&answer).unwrap();
            let answer = &answer["Ok"];
            assert_eq!(answer["diagnostics"].as_array().unwrap().len(), 1_000);
            let omitted = serde_json::json!({"errors": 200, "warnings": 0, "notes": 0});
            assert_eq!(answer["omitted"], omitted);
        }
    }
}
