//! A page, checked or rewritten.

use std::ops::Range;

use crate::difference::difference;
use crate::example::{Outcome, run};
use crate::page::{Block, Example, examples};
use crate::{docs, notation};

/// Runs every example of a page and tells all that fail at once.
pub(crate) fn page(name: &str) {
    let path = docs().join(name);
    let text = std::fs::read_to_string(&path).unwrap();
    let examples = match examples(&text) {
        Ok(examples) => examples,
        Err(wrong) => panic!("docs/{name}:\n{}", wrong.join("\n")),
    };
    let update = std::env::var_os("UPDATE_SPECS").is_some_and(|value| value == "1");
    let mut failures = Vec::new();
    let mut rewrites = Vec::new();
    for example in &examples {
        let found = match run(example) {
            Ok(outcome) if update => {
                rewrites.extend(rewritten(example, &outcome));
                outcome.broken
            }
            Ok(outcome) => differences(example, outcome),
            Err(wrong) => vec![wrong],
        };
        if !found.is_empty() {
            failures.push(format!(
                "docs/{name}:{}: it {}\n    {}",
                example.line,
                example.sentence,
                found.join("\n    ")
            ));
        }
    }
    if !rewrites.is_empty() {
        std::fs::write(&path, replaced(&text, rewrites)).unwrap();
    }
    assert!(
        failures.is_empty(),
        "\n\n{}\n\n{} of {} examples fail (- expected, + came out)\n",
        failures.join("\n\n"),
        failures.len(),
        examples.len()
    );
}

fn block<'e>(example: &'e Example, role: &str) -> Option<&'e Block> {
    example.blocks.iter().find(|block| block.role == role)
}

fn differences(example: &Example, outcome: Outcome) -> Vec<String> {
    let mut found = outcome.broken;
    let result = block(example, "result");
    let diagnostics = block(example, "diagnostics");
    if result.is_none() && diagnostics.is_none() {
        found.push("it has neither a result nor diagnostics".to_owned());
    }
    let expected = result.map(|block| notation::read(&block.content, block.marks));
    if expected != outcome.result {
        found.push(match (result, &outcome.result) {
            (Some(block), Some(actual)) => {
                let (actual, marks) = notation::write(actual);
                let words = |marks: notation::Marks| format!("```result{}\n", marks.words());
                format!(
                    "another result:\n{}",
                    difference(
                        &(words(block.marks) + &block.content),
                        &(words(marks) + &actual)
                    )
                )
            }
            (Some(block), None) => {
                format!("no result, but errors:\n{}", difference(&block.content, ""))
            }
            (None, actual) => {
                let actual = notation::write(actual.as_deref().unwrap_or_default()).0;
                format!(
                    "a result where errors should be:\n{}",
                    difference("", &actual)
                )
            }
        });
    }
    let expected = diagnostics
        .map(|block| block.content.as_str())
        .unwrap_or_default();
    if expected != outcome.diagnostics {
        found.push(format!(
            "other diagnostics:\n{}",
            difference(expected, &outcome.diagnostics)
        ));
    }
    found
}

/// The stretches of the page that the outcome makes another.
fn rewritten(example: &Example, outcome: &Outcome) -> Vec<(Range<usize>, String)> {
    let fence = |language: &str, info: String, content: &str| {
        format!("```{language} {info}\n{content}```\n")
    };
    let manifest = block(example, "manifest");
    let result = outcome.result.as_deref().map(|result| {
        let (content, marks) = notation::write(result);
        let language = manifest.map_or("yaml", |block| block.language.as_str());
        fence(language, format!("result{}", marks.words()), &content)
    });
    let diagnostics = (!outcome.diagnostics.is_empty())
        .then(|| fence("text", "diagnostics".to_owned(), &outcome.diagnostics));
    [("result", result), ("diagnostics", diagnostics)]
        .into_iter()
        .filter_map(|(role, text)| match (block(example, role), text) {
            (Some(block), Some(text)) => Some((block.range.clone(), text)),
            // The blank line before it goes too.
            (Some(block), None) => Some((block.range.start - 1..block.range.end, String::new())),
            (None, Some(text)) => Some((example.end..example.end, format!("\n{text}"))),
            (None, None) => None,
        })
        .collect()
}

fn replaced(text: &str, mut rewrites: Vec<(Range<usize>, String)>) -> String {
    rewrites.sort_by_key(|(range, _)| range.start);
    let mut page = String::new();
    let mut at = 0;
    for (range, rewrite) in rewrites {
        page.push_str(&text[at..range.start]);
        page.push_str(&rewrite);
        at = range.end;
    }
    page.push_str(&text[at..]);
    page
}
