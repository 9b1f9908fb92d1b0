//! One manifest rendered with one outputs document.

use landfall::{
    Answer, Ceiling, Content, Detail, Diagnostics, Edit, File, OutputsDocument, Request, Sources,
    Substitution, process, splice,
};
use serde_json::{Map, Value as Json, json};

/// The result of a render.
#[derive(Debug, PartialEq)]
pub(crate) struct Rendered {
    /// In bytes of the manifest; empty if it is unchanged.
    pub(crate) edits: Vec<Edit>,
    /// The manifest with the edits applied.
    pub(crate) output: Vec<u8>,
    pub(crate) diagnostics: Diagnostics,
    /// The provenance of the values, if requested.
    pub(crate) substitutions: Option<Vec<Substitution>>,
}

/// Returns `terraform output -json` of these outputs, all non-sensitive.
pub(crate) fn outputs<'a>(values: impl IntoIterator<Item = (String, &'a Json)>) -> Vec<u8> {
    let document: Map<String, Json> = values
        .into_iter()
        .map(|(name, value)| {
            (
                name,
                json!({"sensitive": false, "type": "dynamic", "value": value}),
            )
        })
        .collect();
    serde_json::to_vec(&document).unwrap()
}

/// Returns a request with one outputs document bound to `infra`, in full detail.
pub(crate) fn request(outputs: Vec<u8>) -> Request {
    Request {
        outputs: vec![document("infra", outputs)],
        detail: Detail::Substitutions,
        ..Request::default()
    }
}

/// Returns an outputs document with a name.
pub(crate) fn document(name: &str, content: Vec<u8>) -> OutputsDocument {
    OutputsDocument {
        name: name.into(),
        path: format!("{name}.json"),
        content,
        ..OutputsDocument::default()
    }
}

/// Renders one manifest. What is reported about it does not change the answer.
///
/// # Errors
/// The diagnostics of a render that failed.
pub(crate) fn render(manifest: &[u8], request: &Request) -> Result<Rendered, Diagnostics> {
    let sources = Sources::new(vec![File {
        path: "manifest.yaml".into(),
        content: manifest.to_vec(),
    }]);
    let answer = sources.generate(request);
    assert_eq!(
        sources.generate(request),
        answer,
        "an analysis that is kept renders the same"
    );
    if request.detail == Detail::Substitutions {
        let unreported = Request {
            detail: Detail::Diagnostics,
            ..request.clone()
        };
        let without_report = answer.clone().map(|answer| Answer {
            substitutions: None,
            ..answer
        });
        assert_eq!(
            sources.generate(&unreported),
            without_report,
            "an answer without a report has the same edits and diagnostics"
        );
    }
    let mut answer = answer?;
    assert_eq!(answer.sources.len(), 1, "one content for each source");
    let edits = match answer.sources.remove(0) {
        Content::Unchanged => Vec::new(),
        Content::Edited(edits) => {
            assert!(!edits.is_empty(), "no edits are `Unchanged`");
            edits
        }
    };
    let output = splice(manifest, &edits).unwrap_or_else(|error| {
        let manifest = String::from_utf8_lossy(manifest);
        panic!("edits are not ascending and disjoint: {error}: {manifest:?} {edits:?}")
    });
    Ok(Rendered {
        edits,
        output,
        diagnostics: answer.diagnostics,
        substitutions: answer.substitutions.map(|report| report.substitutions),
    })
}

/// Renders the items of a ResourceList, as a KRM function.
///
/// # Errors
/// The diagnostics of a list that failed. They are also in its results, and nothing else
/// in it changes.
pub(crate) fn render_items(list: &[u8], outputs: Vec<u8>) -> Result<Rendered, Diagnostics> {
    let processed = process(
        list,
        &[document("infra", outputs)],
        &Ceiling::default(),
        None,
        &[],
    )?;
    let output = splice(list, &processed.edits).expect("edits are ascending and disjoint");
    if processed.failed {
        return Err(processed.diagnostics);
    }
    Ok(Rendered {
        edits: processed.edits,
        output,
        diagnostics: processed.diagnostics,
        substitutions: None,
    })
}
