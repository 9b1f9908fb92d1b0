//! What a render writes has a limit that is the same on every machine.

use landfall::{File, OutputsDocument, Request, Sources};

/// The rules of everything that is wrong with a manifest whose answer may hold
/// `limit` bytes. `infra.text` has 1,000 bytes, `infra.list` ten such items.
fn check(manifest: &str, limit: u64, expected: &[&str]) {
    let text = "x".repeat(1000);
    let list = vec![text.as_str(); 10];
    let outputs = serde_json::json!({"text": {"value": text}, "list": {"value": list}});
    let request = Request {
        outputs: vec![OutputsDocument {
            name: "infra".to_owned(),
            content: outputs.to_string().into_bytes(),
            ..OutputsDocument::default()
        }],
        answer_limit: Some(limit),
        ..Request::default()
    };
    let file = File {
        path: "manifest.yaml".to_owned(),
        content: manifest.as_bytes().to_vec(),
    };
    let found = match Sources::new(vec![file]).generate(&request) {
        Ok(_) => Vec::new(),
        Err(diagnostics) => diagnostics.iter().map(|found| found.rule.id()).collect(),
    };
    assert_eq!(found, expected, "{manifest}");
}

#[test]
fn texts_count() {
    check("a: ${infra.text}\n", 1000, &[]);
    check(
        "a: ${infra.text}\nb: ${infra.text}\n",
        1999,
        &["answer-too-large"],
    );
}

#[test]
fn lists_count() {
    check("a: ${infra.list}\n", 20_000, &[]);
    check(
        "a: ${infra.list}\nb: ${infra.list}\n",
        20_000,
        &["answer-too-large"],
    );
}

#[test]
fn what_functions_make_counts_before_it_is_written() {
    let hex = "a: ${infra.text | hex}\n";
    check(hex, 2000, &[]);
    check(
        &format!("{hex}b: ${{infra.text | hex}}\n"),
        3999,
        &["answer-too-large"],
    );
    check(
        "a: ${infra.text | split(\"\")}\n",
        20_000,
        &["answer-too-large"],
    );
}
