//! What every fuzz target asserts: the plugin answers any input, its edits can be
//! made, its output is UTF-8, and a manifest without references stays as it is.

pub mod embedded;
pub mod field_bindings;
pub mod setters;
mod tokens;
mod yaml;

use landfall::{Content, File, OutputsDocument, Request, Sources, splice};

/// The outputs of targets that attack something else.
pub const OUTPUTS: &[u8] = br#"{
  "x": {"value": "a: b\n# c\u0085"},
  "n": {"value": 1e-07},
  "l": {"value": ["a", {"b": [1, null]}]},
  "o": {"value": {"- k": "v"}},
  "s": {"value": "secret", "sensitive": true}
}"#;

/// Renders `manifest` with `outputs` bound to `infra`.
///
/// # Panics
/// The answer does not hold together.
pub fn survives(manifest: &[u8], outputs: &[u8]) {
    if let Some(rendered) = render(manifest, &request(outputs)) {
        assert!(
            rendered.edits.is_empty() || manifest.windows(2).any(|head| head == b"${"),
            "a manifest without references was edited"
        );
    }
}

/// A request with `outputs` bound to `infra`.
#[must_use]
pub fn request(outputs: &[u8]) -> Request {
    Request {
        outputs: vec![OutputsDocument {
            name: "infra".into(),
            path: "outputs.json".into(),
            content: outputs.to_vec(),
            ..OutputsDocument::default()
        }],
        ..Request::default()
    }
}

/// What came out of a render that was not refused.
#[derive(Debug)]
pub struct Rendered {
    /// In the manifest's bytes; empty when it is unchanged.
    pub edits: Vec<landfall::Edit>,
    /// The manifest with the edits made.
    pub output: String,
}

/// Renders one manifest; none when it is refused.
///
/// # Panics
/// The answer does not hold together: a refusal without a word, edits that are not
/// ascending, disjoint and inside the file, an output that is not UTF-8.
#[must_use]
pub fn render(manifest: &[u8], request: &Request) -> Option<Rendered> {
    let sources = Sources::new(vec![File {
        path: "manifest.yaml".into(),
        content: manifest.to_vec(),
    }]);
    let mut answer = match sources.generate(request) {
        Err(diagnostics) => {
            assert!(!diagnostics.is_empty(), "refused without a word");
            return None;
        }
        Ok(answer) => answer,
    };
    assert_eq!(answer.sources.len(), 1, "one content for one source");
    let edits = match answer.sources.pop() {
        Some(Content::Edited(edits)) => edits,
        Some(Content::Unchanged) => Vec::new(),
        other => panic!("one edited source, not {other:?}"),
    };
    let output = splice(manifest, &edits).expect("edits in order and in bounds");
    let output = String::from_utf8(output).expect("the output is UTF-8");
    Some(Rendered { edits, output })
}

/// Renders one manifest to its output; none when it is refused.
#[must_use]
pub fn rendered(manifest: &str, request: &Request) -> Option<String> {
    render(manifest.as_bytes(), request).map(|rendered| rendered.output)
}
