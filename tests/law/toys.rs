//! A format and a dialect that only tests have: a file and a row each, and nothing else in
//! landfall knows them. `dialects` holds the law on the dialect.

use std::fs;
use std::path::{Path, PathBuf};

use landfall::{
    File, OutputsDocument, Rule, classify, dialect_tokens, format_samples, redact, splice,
};

use crate::corpora::files;
use crate::render::{render, request};

/// A document of the format `toy`.
const TOY: &str = "toy outputs\nvpc_id = vpc-0ab1\npassword ! hunter2\n";

fn rule(manifest: &str, format: &str) -> Option<Rule> {
    let mut request = request(TOY.into());
    request.outputs[0].format = (!format.is_empty()).then(|| format.to_owned());
    let found = render(manifest.as_bytes(), &request).err()?;
    Some(found[0].rule)
}

#[test]
fn a_document_of_the_toy_format_is_recognised_and_read() {
    for format in ["", "toy"] {
        assert_eq!(rule("a: ${infra.vpc_id}\n", format), None);
        assert_eq!(
            rule("a: ${infra.password}\n", format),
            Some(Rule::SensitiveOutput)
        );
    }
    // Another format would lose the mark.
    let found = rule("a: ${infra.vpc_id}\n", "yaml");
    assert_eq!(found, Some(Rule::OutputsNotRecognized));
}

#[test]
fn a_document_of_the_toy_format_is_redacted() {
    let document = OutputsDocument {
        content: TOY.into(),
        ..OutputsDocument::default()
    };
    let redaction = redact(&document, &[], None, &|_| false).unwrap();
    let redacted = splice(TOY.as_bytes(), &redaction.edits).unwrap();
    let expected = TOY.replace("hunter2", "\"(sensitive)\"");
    assert_eq!(String::from_utf8(redacted).unwrap(), expected);
    assert_eq!(redaction.outputs, ["password"]);
}

#[test]
fn a_document_of_the_toy_format_is_not_a_manifest() {
    assert_eq!(rule(TOY, ""), Some(Rule::OutputsAsManifest));
    let file = File {
        path: "a.txt".into(),
        content: TOY.into(),
    };
    assert!(classify(&file).is_outputs);
}

#[test]
fn help_lists_the_toys() {
    let mut request = request(TOY.into());
    request.outputs[0].format = Some("toi".to_owned());
    let found = render(b"a: ${infra.vpc_id}\n", &request).unwrap_err();
    let help = found[0].help.as_deref().unwrap_or_default();
    assert!(help.ends_with(", toy"), "{help}");
    assert!(dialect_tokens().any(|tokens| tokens.id == "toy"));
    assert!(format_samples().any(|(id, _)| id == "toy"));
}

/// Tests aside, which name them.
#[test]
fn no_other_file_knows_a_toy() {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut known = Vec::new();
    let is_code = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.ends_with(".rs") && !name.ends_with("tests.rs")
    };
    for path in files(&sources).into_iter().filter(is_code) {
        let text = fs::read_to_string(&path).unwrap();
        let code = text.split("#[cfg(test)]\nmod tests").next().unwrap();
        let mut words = code.split(|c: char| !c.is_alphanumeric() && c != '_');
        if words.any(|word| word.eq_ignore_ascii_case("toy")) {
            let path = path.strip_prefix(&sources).unwrap();
            known.push(path.to_str().unwrap().to_owned());
        }
    }
    known.sort();
    let expected = [
        "outputs/formats/mod.rs",
        "outputs/formats/toy.rs",
        "reference/dialects/mod.rs",
        "reference/dialects/toy.rs",
    ];
    assert_eq!(known, expected);
}
