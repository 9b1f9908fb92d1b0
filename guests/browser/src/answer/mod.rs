//! The answers for JavaScript: the records of the core with positions in UTF-16 code units.

mod diagnostic;
mod places;
mod redaction;
mod substitution;

pub(crate) use diagnostic::{Counts, Diagnostic, Findings};
#[cfg(test)]
pub(crate) use diagnostic::{Edit, Fix, Label, Origin, Resource, Severity};
#[cfg(test)]
pub(crate) use redaction::Redacted;
pub(crate) use redaction::redact;
pub(crate) use substitution::{Substitution, UnusedOutput};

use serde::Serialize;

use landfall::{Answer, Completion, Content, Detail, Sources, splice};

use self::places::Places;
use crate::input::Input;
use crate::positions::{Positions, Range};
use crate::provenance::results;

/// The result of a render.
#[derive(Debug, Default, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub(crate) struct Rendered {
    /// One for each manifest, in the same order. Absent if there are errors.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    pub(crate) files: Option<Vec<RenderedFile>>,
    /// At most 1,000 diagnostics, in the order of the documents.
    pub(crate) diagnostics: Vec<Diagnostic>,
    /// The number of other diagnostics. Warnings and notes are omitted before errors.
    pub(crate) omitted: Counts,
}

/// A rendered manifest.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub(crate) struct RenderedFile {
    /// The path of the manifest.
    pub(crate) path: String,
    /// The source with references replaced by values; all other bytes are unchanged.
    pub(crate) content: String,
    /// Whether it differs from the source.
    pub(crate) changed: bool,
}

/// The result of a render with the origin of each value.
#[derive(Debug, Default, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub(crate) struct Explanation {
    /// One for each manifest, in the same order. Absent if there are errors.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    pub(crate) files: Option<Vec<RenderedFile>>,
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

/// A completion.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "Completion"))]
#[serde(rename_all = "camelCase")]
pub(crate) struct Completed {
    /// The name.
    pub(crate) label: String,
    /// The kind of the name.
    pub(crate) kind: CompletionKind,
    /// The type of an output or key, but never its value, or the description of a function.
    pub(crate) detail: String,
    /// The text that replaces `range`.
    pub(crate) insert: String,
    /// The range to replace in the manifest.
    pub(crate) range: Range,
}

/// The kind of a completion.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub(crate) enum CompletionKind {
    Binding,
    Output,
    Key,
    Function,
}

/// Renders the manifests.
pub(crate) fn render(input: &Input) -> Rendered {
    let Explanation {
        files,
        diagnostics,
        omitted,
        ..
    } = answer(input, Detail::Diagnostics);
    Rendered {
        files,
        diagnostics,
        omitted,
    }
}

/// Reports diagnostics only.
pub(crate) fn check(input: &Input) -> Findings {
    let request = input.request(Detail::Diagnostics);
    let found = match Sources::new(input.files()).generate(&request) {
        Ok(Answer { diagnostics, .. }) => diagnostics,
        Err(diagnostics) => diagnostics,
    };
    Findings::new(found, &mut Places::new(input))
}

/// Renders the manifests and returns every substitution.
pub(crate) fn explain(input: &Input) -> Explanation {
    answer(input, Detail::Substitutions)
}

/// Returns completions at an offset of a manifest.
pub(crate) fn complete(
    input: &Input,
    manifest: usize,
    offset: usize,
) -> Result<Vec<Completed>, String> {
    let document = input.manifests.get(manifest).ok_or_else(|| {
        let length = input.manifests.len();
        format!(
            "`manifest` is {manifest}: it must be an index of `manifests`, whose length is {length}"
        )
    })?;
    let positions = Positions::new(&document.content);
    if offset > positions.at(usize::MAX).offset {
        // Bytes that are not UTF-8 count as the characters that JavaScript shows for them.
        let text = String::from_utf8_lossy(&document.content);
        let (path, length) = (&document.path, text.encode_utf16().count());
        if offset > length {
            return Err(format!(
                "`offset` is {offset}: it must be at most {length}, the length of {path} in UTF-16 code units"
            ));
        }
    }
    let at = positions.byte(offset);
    let completed = |completion: Completion| Completed {
        label: completion.label,
        kind: match completion.kind {
            landfall::CompletionKind::Binding => CompletionKind::Binding,
            landfall::CompletionKind::Output => CompletionKind::Output,
            landfall::CompletionKind::Key => CompletionKind::Key,
            landfall::CompletionKind::Function => CompletionKind::Function,
        },
        detail: completion.detail,
        insert: completion.insert,
        range: positions.range(completion.span),
    };
    let completions = landfall::complete(&document.content, at, &input.outputs());
    Ok(completions.into_iter().map(completed).collect())
}

fn answer(input: &Input, detail: Detail) -> Explanation {
    let mut places = Places::new(input);
    let answer = match Sources::new(input.files()).generate(&input.request(detail)) {
        Ok(answer) => answer,
        Err(found) => {
            let found = Findings::new(found, &mut places);
            return Explanation {
                diagnostics: found.diagnostics,
                omitted: found.omitted,
                ..Explanation::default()
            };
        }
    };
    let mut files = Vec::with_capacity(answer.sources.len());
    for (document, content) in input.manifests.iter().zip(&answer.sources) {
        let bytes = match content {
            // Edits of the core are valid for their source.
            Content::Edited(edits) => splice(&document.content, edits).unwrap_or_default(),
            Content::Unchanged => document.content.clone(),
            Content::Replaced(bytes) => bytes.clone(),
        };
        files.push(RenderedFile {
            path: document.path.clone(),
            changed: bytes != document.content,
            content: text(bytes),
        });
    }
    let explained = answer.substitutions.map(|report| {
        let substitutions: Vec<Substitution> = results(&files, &report.substitutions)
            .into_iter()
            .zip(report.substitutions)
            .map(|(result, found)| Substitution::new(found, result, &mut places))
            .collect();
        let unused = report.unused.into_iter();
        let unused = unused.map(|found| UnusedOutput::new(found, &mut places));
        (substitutions, unused.collect())
    });
    let (substitutions, unused) = explained.unzip();
    let found = Findings::new(answer.diagnostics, &mut places);
    Explanation {
        diagnostics: found.diagnostics,
        omitted: found.omitted,
        files: Some(files),
        substitutions,
        unused,
    }
}

/// Decodes UTF-8 like JavaScript.
fn text(bytes: Vec<u8>) -> String {
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
        let call = || {
            let mut call = Call::new();
            call.document(manifest.clone().into());
            call.document(br#"{"a": {"value": "one"}}"#.into());
            call
        };
        let options = serde_json::json!({
            "manifests": [{"path": "a.yaml"}],
            "outputs": [{"path": "infra.json", "name": "infra"}],
        })
        .to_string();
        for answer in [
            call().render(&options),
            call().check(&options),
            call().explain(&options),
        ] {
            let answer: serde_json::Value = serde_json::from_str(&answer).unwrap();
            let answer = &answer["Ok"];
            assert_eq!(answer["diagnostics"].as_array().unwrap().len(), 1_000);
            let omitted = serde_json::json!({"errors": 200, "warnings": 0, "notes": 0});
            assert_eq!(answer["omitted"], omitted);
        }
    }
}
