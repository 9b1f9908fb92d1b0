//! A page, checked or rewritten.

use std::ops::Range;

use crate::difference::difference;
use crate::example::{Outcome, run};
use crate::page::{Block, Example, examples};
use crate::{docs, notation};

/// Runs every example of a page of `docs/` and reports all failures at once.
pub(crate) fn page(name: &str) {
    let path = docs().join(name);
    let text = std::fs::read_to_string(&path).unwrap();
    let update = std::env::var_os("UPDATE").is_some_and(|value| value == "1");
    let checked = check(&text, update);
    if checked.text != text {
        std::fs::write(&path, checked.text).unwrap();
    }
    assert!(
        checked.failures.is_empty(),
        "\n\ndocs/{name}:{}\n\n{} fail (- expected, + actual)\n",
        checked.failures.join(&format!("\n\ndocs/{name}:")),
        checked.failures.len()
    );
}

struct Checked {
    /// The failures, each beginning with its line in the page.
    failures: Vec<String>,
    /// The page, with updated results and diagnostics if requested.
    text: String,
}

fn check(text: &str, update: bool) -> Checked {
    let examples = match examples(text) {
        Ok(examples) => examples,
        Err(failures) => {
            return Checked {
                failures,
                text: text.to_owned(),
            };
        }
    };
    let mut failures = Vec::new();
    let mut rewrites = Vec::new();
    for example in &examples {
        // A panic of one example must not hide the others.
        let found = match std::panic::catch_unwind(|| run(example)) {
            Ok(Ok(outcome)) if update => {
                rewrites.extend(rewritten(example, &outcome));
                outcome.broken
            }
            Ok(Ok(outcome)) => differences(example, outcome),
            Ok(Err(error)) => vec![error],
            Err(_) => vec!["landfall panics, see above".to_owned()],
        };
        if !found.is_empty() {
            failures.push(format!(
                "{}: it {}\n    {}",
                example.line,
                example.sentence,
                found.join("\n    ")
            ));
        }
    }
    let text = replaced(text, rewrites);
    Checked { failures, text }
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

/// Returns the ranges of the page that the outcome changes, with their replacements.
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
            // The blank line before it is removed too.
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

#[cfg(test)]
mod tests {
    use super::check;

    /// A page with one example about `infra.a` = "x".
    fn page(blocks: &str) -> String {
        format!("## c\n\n```json infra\n{{\"a\": \"x\"}}\n```\n\n### it does\n\n{blocks}")
    }

    fn fails(blocks: &str, expected: &str) {
        let failures = check(&page(blocks), false).failures.join("\n");
        assert!(
            failures.contains(expected),
            "{failures:?} does not contain {expected:?}"
        );
    }

    const MANIFEST: &str = "```yaml manifest\nv: ${infra.a}\n```\n\n";
    const RIGHT: &str = "```yaml result\nv: x\n```\n";
    const WRONG_OUTPUT: &str = "```yaml manifest\nv: ${infra.zone}\n```\n\n";

    #[test]
    fn a_correct_example_passes() {
        let checked = check(&page(&format!("{MANIFEST}{RIGHT}")), false);
        assert_eq!(checked.failures, Vec::<String>::new());
    }

    #[test]
    fn every_kind_of_block_can_fail() {
        fails(&format!("{MANIFEST}```yaml result\nv: y\n```\n"), "- v: y");
        fails(
            &format!("{MANIFEST}```yaml result crlf\nv: x\n```\n"),
            "- ```result crlf",
        );
        fails(
            &format!("{MANIFEST}```yaml result no-eol\nv: x\n```\n"),
            "- ```result no-eol",
        );
        fails(
            &format!("{MANIFEST}{RIGHT}\n```text diagnostics\nwarning\n```\n"),
            "- warning",
        );
        fails(&format!("{WRONG_OUTPUT}{RIGHT}"), "no result, but errors");
        fails(
            &format!("{MANIFEST}```text diagnostics\nerror\n```\n"),
            "a result where errors should be",
        );
        fails(MANIFEST, "neither a result nor diagnostics");
        fails(RIGHT, "no manifest");
        fails(
            &format!("{MANIFEST}{MANIFEST}{RIGHT}"),
            "more than one manifest",
        );
        fails(
            &format!("```json infra\n[]\n```\n{MANIFEST}{RIGHT}"),
            "the block `infra`",
        );
    }

    #[test]
    fn an_invalid_page_fails() {
        fails("```yaml\na: 1\n```\n", "has no role");
        fails("```yaml manifest cr\na: 1\n```\n", "unknown mark `cr`");
        for (text, expected) in [
            ("# t\n", "no example"),
            ("### does\n", "begins with `it`"),
            ("## c\n```yaml result\n```\n", "is outside an example"),
            (
                "### it does\n```yaml manifest\na: 1\n```\n```yaml result\na: 1\n```\n",
                "nothing is bound",
            ),
        ] {
            let failures = check(text, false).failures.join("\n");
            assert!(failures.contains(expected), "{text:?}: {failures:?}");
        }
    }

    #[test]
    fn an_update_writes_the_result() {
        let wrong = "```yaml result crlf\nv: y\n```\n\n```text diagnostics\nerror\n```\n";
        let update = |blocks: String| check(&page(&blocks), true).text;
        assert_eq!(
            update(format!("{MANIFEST}{wrong}")),
            page(&format!("{MANIFEST}{RIGHT}"))
        );
        assert_eq!(
            update(MANIFEST.trim_end().to_owned() + "\n"),
            page(&format!("{MANIFEST}{RIGHT}"))
        );
        let reported = update(format!("{WRONG_OUTPUT}{RIGHT}"));
        assert!(
            reported.contains("```text diagnostics\nerror[unknown-output] 1:12 "),
            "{reported}"
        );
        assert!(!reported.contains("result"), "{reported}");
        assert_eq!(check(&reported, false).failures, Vec::<String>::new());
    }
}
