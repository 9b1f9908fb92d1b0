//! What JavaScript gets back: the core's records with places as JavaScript counts.

mod diagnostic;
mod places;
mod substitution;

pub(crate) use diagnostic::{Counts, Diagnostic, Findings};
#[cfg(test)]
pub(crate) use diagnostic::{Edit, Fix, Label, Origin, Resource, Severity};
pub(crate) use substitution::{Substitution, UnusedOutput};

use serde::Serialize;

use landfall::{Answer, Completion, Content, Detail, Sources, splice};

use self::places::Places;
use crate::input::Input;
use crate::positions::{Positions, Range};
use crate::provenance::Provenance;

/// A render.
#[derive(Debug, Default, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub(crate) struct Rendered {
    /// Absent when there are errors. One for each manifest, in their order.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    pub(crate) files: Option<Vec<RenderedFile>>,
    /// Everything that is to be reported, in the order of the documents; up to a
    /// thousand.
    pub(crate) diagnostics: Vec<Diagnostic>,
    /// How many more there were. An error is never left out because of a warning or a
    /// note.
    pub(crate) omitted: Counts,
}

/// A manifest with its values.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub(crate) struct RenderedFile {
    /// The manifest's.
    pub(crate) path: String,
    /// The source with the values in it; every other byte is as it was.
    pub(crate) content: String,
    /// Whether it differs from the source.
    pub(crate) changed: bool,
}

/// A render with what came from where.
#[derive(Debug, Default, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub(crate) struct Explanation {
    /// Absent when there are errors. One for each manifest, in their order.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    pub(crate) files: Option<Vec<RenderedFile>>,
    /// Everything that is to be reported, in the order of the documents; up to a
    /// thousand.
    pub(crate) diagnostics: Vec<Diagnostic>,
    /// How many more there were. An error is never left out because of a warning or a
    /// note.
    pub(crate) omitted: Counts,
    /// Every reference with its value, in the order of files and places. Absent when
    /// there are errors.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    pub(crate) substitutions: Option<Vec<Substitution>>,
    /// Bound outputs that no reference names, sorted by name. Absent when there are
    /// errors.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    pub(crate) unused: Option<Vec<UnusedOutput>>,
}

/// Something that may stand at a place of a manifest.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "Completion"))]
#[serde(rename_all = "camelCase")]
pub(crate) struct Completed {
    /// Its name.
    pub(crate) label: String,
    /// What it is.
    pub(crate) kind: CompletionKind,
    /// The type of an output or key, never a value; what a function takes and does.
    pub(crate) detail: String,
    /// What is written in the place of `range`.
    pub(crate) insert: String,
    /// In the manifest.
    pub(crate) range: Range,
}

/// What a completion names.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub(crate) enum CompletionKind {
    Binding,
    Output,
    Key,
    Function,
}

/// The rendered files.
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

/// Diagnostics alone.
pub(crate) fn check(input: &Input) -> Findings {
    let request = input.request(Detail::Diagnostics);
    let found = match Sources::new(input.files()).generate(&request) {
        Ok(Answer { diagnostics, .. }) => diagnostics,
        Err(diagnostics) => diagnostics,
    };
    Findings::new(found, &mut Places::new(input))
}

/// The rendered files with every substitution.
pub(crate) fn explain(input: &Input) -> Explanation {
    answer(input, Detail::Substitutions)
}

/// What may stand at an offset of a manifest.
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
        // Bytes that are not UTF-8 are as long as what JavaScript shows for them.
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
            // Edits that the core made fit its source.
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
        let mut provenance = Provenance::new(input, &answer.sources, &files);
        let substitutions: Vec<Substitution> = provenance
            .results(&report.substitutions)
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

/// Bytes as JavaScript reads them.
fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

#[cfg(test)]
mod tests {
    use crate::Call;

    #[test]
    fn counts_the_diagnostics_that_it_leaves_out() {
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
