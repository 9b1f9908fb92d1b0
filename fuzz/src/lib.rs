//! What every fuzz target asserts: the plugin answers any input, its edits can be
//! made, its output is UTF-8, and a manifest without references stays as it is.

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
    let sources = Sources::new(vec![File {
        path: "manifest.yaml".into(),
        content: manifest.to_vec(),
    }]);
    let request = Request {
        outputs: vec![OutputsDocument {
            name: "infra".into(),
            path: "outputs.json".into(),
            content: outputs.to_vec(),
            ..OutputsDocument::default()
        }],
        ..Request::default()
    };
    match sources.generate(&request) {
        Err(diagnostics) => assert!(!diagnostics.is_empty(), "refused without a word"),
        Ok(answer) => match &answer.sources[..] {
            [Content::Unchanged] => {}
            [Content::Edited(edits)] => {
                let output = splice(manifest, edits).expect("edits in order and in bounds");
                assert!(
                    std::str::from_utf8(&output).is_ok(),
                    "the output is not UTF-8"
                );
                assert!(
                    manifest.windows(2).any(|head| head == b"${"),
                    "a manifest without references was edited"
                );
            }
            other => panic!("one edited source, not {other:?}"),
        },
    }
}
