//! The property of each generated case, which the fuzz target `encoded` checks too.

use landfall::{Ceiling, File, OutputsDocument, Request, Rule, Sources, process};

use super::case::Case;
use crate::choices::Choices;

/// Checks that a render reports each entry with a reference once, and no others. Returns
/// the number of reported entries and of all entries.
pub fn found_and_nothing_else(choices: &mut Choices<'_>) -> (usize, usize) {
    let case = Case::generate(choices);
    let outputs = ["infra", "network"].map(|name| OutputsDocument {
        name: name.to_owned(),
        path: format!("{name}.json"),
        content: br#"{"x": {"value": "v"}}"#.to_vec(),
        ..OutputsDocument::default()
    });
    let content = case.manifest.as_bytes();
    let diagnostics = if case.is_list {
        match process(content, &outputs, &Ceiling::default(), None, &[]) {
            Ok(processed) => processed.diagnostics,
            Err(diagnostics) => diagnostics,
        }
    } else {
        let sources = Sources::new(vec![File {
            path: "manifest.yaml".to_owned(),
            content: content.to_vec(),
        }]);
        let request = Request {
            outputs: outputs.to_vec(),
            ..Request::default()
        };
        match sources.generate(&request) {
            Ok(answer) => answer.diagnostics,
            Err(diagnostics) => diagnostics,
        }
    };
    let found = diagnostics
        .iter()
        .filter(|found| found.rule == Rule::EncodedReference);
    let mut found: Vec<&str> = found
        .map(|found| {
            let span = found.labels[0].span;
            &case.manifest[span.start..span.end]
        })
        .collect();
    found.sort_unstable();
    let expected = case.entries.iter().filter(|entry| entry.is_found);
    let mut expected: Vec<&str> = expected.map(|entry| entry.key.as_str()).collect();
    expected.sort_unstable();
    assert_eq!(found, expected, "(landfall, model) of\n{}", case.manifest);
    (found.len(), case.entries.len())
}
