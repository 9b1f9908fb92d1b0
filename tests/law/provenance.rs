//! Positions of values: only the result ranges of the substitutions in the rendered file
//! depend on the values. With a word in place of each, the file reads like its template
//! with that word for the reference.

use proptest::prelude::*;
use serde_json::Value as Json;

use crate::choices::Choices;
use crate::generated::cases;
use crate::oracle::output_name;
use crate::render::{outputs, render, request};
use crate::template::{Names, Template, token, tokens};
use crate::tree::Tree;
use crate::{document, hostile, tree};

/// Outputs that one manifest may name.
const OUTPUTS: usize = 4;

const CASES: u32 = 6_000;

/// Checks one manifest that renders. The error describes the violation.
fn check(template: &Template, values: &[Json]) -> Result<(), String> {
    let manifest = template.spelled().text;
    let document = outputs((0..values.len()).map(output_name).zip(values));
    let (Ok(trees), Ok(rendered)) = (
        tree::read(&template.with_tokens()),
        render(manifest.as_bytes(), &request(document)),
    ) else {
        return Ok(());
    };
    let references = template.references();
    let named: Vec<usize> = (0..references.len())
        .filter(|nth| matches!(references[*nth].names, Names::Output { .. }))
        .collect();
    let output = String::from_utf8(rendered.output).unwrap();
    let found = rendered.substitutions.unwrap();
    // Something empty at the end of a block scalar would not be chomped with a word in
    // its place.
    if found.iter().zip(&named).any(|(one, number)| {
        one.value.is_empty() && references[*number].properties.chomping.is_some()
    }) {
        return Ok(());
    }
    let reported = |what: &str| {
        let spans: Vec<_> = found.iter().map(|one| one.result_span).collect();
        format!("{what}\n  template: {manifest:?}\n  output: {output:?}\n  results: {spans:?}")
    };
    let (mut marked, mut at) = (String::new(), 0);
    for (one, number) in found.iter().zip(&named) {
        let range = one.result().range();
        let between = output.get(at..range.start);
        let (Some(between), Some(_)) = (between, output.get(range.clone())) else {
            return Err(reported("results overlap, or end inside of a character"));
        };
        marked.push_str(between);
        marked.push_str(&token(*number));
        at = range.end;
    }
    marked.push_str(&output[at..]);
    let expected = trees.iter().map(|tree| {
        tree.map_texts(&mut |text| {
            let mut text = text.to_owned();
            for (range, number) in tokens(&text).into_iter().rev() {
                if let Names::Text(escaped) = &references[number].names {
                    text.replace_range(range, escaped);
                }
            }
            Tree::Text(text)
        })
    });
    let expected: Vec<Tree> = expected.collect();
    match tree::read(&marked) {
        Ok(read) if read == expected => Ok(()),
        read => Err(reported(&format!(
            "marked: {marked:?}\n  is:     {read:?}\n  should: {expected:?}"
        ))),
    }
}

/// Removes trailing line breaks, which would be chomped with those of a block scalar.
fn without_last_line_breaks(value: Json) -> Json {
    match value {
        Json::String(text) => Json::String(text.trim_end_matches('\n').to_owned()),
        value => value,
    }
}

proptest! {
    #![proptest_config(cases(CASES))]

    #[test]
    fn result_spans_cover_exactly_the_values(numbers in prop::collection::vec(any::<u16>(), 8..160)) {
        let choices = &mut Choices::new(&numbers);
        // With arbitrary values, many renders are refused.
        let value = [hostile::any, hostile::scalar][choices.below(2)];
        let values: Vec<Json> = (0..OUTPUTS)
            .map(|_| without_last_line_breaks(value(choices)))
            .collect();
        let template = document::manifest(choices, OUTPUTS);
        if let Err(broken) = check(&template, &values) {
            return Err(TestCaseError::fail(broken));
        }
    }
}
