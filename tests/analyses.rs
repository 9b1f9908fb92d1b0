//! A source is parsed once, however often it is rendered.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use landfall::{Answer, Config, File, OutputsDocument, Request, Sources};
use yaml::locate_count;

const MANIFEST: &str = "\
apiVersion: v1
kind: ConfigMap
metadata: {name: web}
data:
  vpc: ${infra.vpc}
  app.yaml: |
    zone: ${infra.zone}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: other}
data: {a: b}
";

fn sources() -> Sources {
    Sources::new(vec![File {
        path: "web.yaml".into(),
        content: MANIFEST.into(),
    }])
}

fn request(vpc: &str) -> Request {
    let content = format!(
        r#"{{"vpc": {{"sensitive": false, "type": "string", "value": "{vpc}"}},
            "zone": {{"sensitive": false, "type": "string", "value": "{vpc}a"}}}}"#
    );
    Request {
        outputs: vec![OutputsDocument {
            name: "infra".into(),
            content: content.into(),
            ..OutputsDocument::default()
        }],
        ..Request::default()
    }
}

/// How many documents one render locates, and its answer.
fn located(sources: &Sources, request: &Request) -> (usize, Answer) {
    let before = locate_count();
    let answer = sources.generate(request).unwrap();
    (locate_count() - before, answer)
}

#[test]
fn other_values_parse_nothing() {
    let sources = sources();
    // The document with references, and the one that it embeds.
    assert_eq!(located(&sources, &request("vpc-1")).0, 2);
    let (count, answer) = located(&sources, &request("vpc-2"));
    assert_eq!(count, 0);
    assert_eq!(answer, self::sources().generate(&request("vpc-2")).unwrap());
}

#[test]
fn another_binding_parses_again() {
    let sources = sources();
    located(&sources, &request("vpc-1"));
    let binding = "apiVersion: landfall.dev/v1alpha1\nkind: Binding\nspec:\n  outputs:\n    - {name: infra, from: {file: infra.json}}\n  embedded:\n    - {select: {kind: ConfigMap}, fieldPaths: ['data.app.yaml'], format: text}\n";
    let binding = Request {
        binding: Some(Config {
            path: "landfall.yaml".into(),
            content: binding.into(),
        }),
        ..request("vpc-1")
    };
    assert!(located(&sources, &binding).0 > 0);
    assert_eq!(located(&sources, &binding).0, 0);
}

#[test]
fn other_names_parse_again() {
    let sources = sources();
    located(&sources, &request("vpc-1"));
    let mut other = request("vpc-1");
    other.outputs.push(OutputsDocument {
        name: "network".into(),
        content: b"{}".to_vec(),
        ..OutputsDocument::default()
    });
    assert!(located(&sources, &other).0 > 0);
}
