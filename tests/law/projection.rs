//! `[*]` compared with a model: as in Terraform, `a[*].b[*].c` means
//! `[for x in a : [for y in x.b : y.c]]`.

use landfall::Rule;
use proptest::prelude::*;
use proptest::test_runner::TestCaseError;
use serde_json::{Value as Json, json};

use crate::choices::Choices;
use crate::generated::cases;
use crate::render::{outputs, render, request};
use crate::tree;

/// A step of a path, and how it is written.
#[derive(Clone, Copy, Debug)]
enum Step {
    Key(&'static str, &'static str),
    Index(usize, &'static str),
    Splat(&'static str),
}

const STEPS: &[Step] = &[
    Step::Splat("[*]"),
    Step::Key("a", ".a"),
    Step::Key("b", "['b']"),
    Step::Index(0, "[0]"),
    Step::Index(1, ".1"),
    Step::Splat(" [ * ] "),
];

/// Why there is no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Failure {
    /// A `default` applies.
    Missing,
    Fails,
}

/// How deep generated values are.
const MAX_DEPTH: usize = 5;

/// Returns lists of objects and objects of lists, in which most paths of [`STEPS`] exist.
fn value(choices: &mut Choices<'_>, depth: usize) -> Json {
    let kind = match depth {
        // The path begins in a list, usually.
        MAX_DEPTH if !choices.one_in(8) => 8,
        0 => choices.below(3),
        _ => choices.below(9),
    };
    match kind {
        0 => json!(choices.below(100)),
        1 => json!(choices.pick(&["x", "vpc-1", "a: b # c", "1"])),
        2 if choices.one_in(3) => Json::Null,
        2 => json!(true),
        3 => json!([]),
        4 => json!({"a": value(choices, depth - 1)}),
        5 | 6 => json!({"a": value(choices, depth - 1), "b": value(choices, depth - 1)}),
        _ => {
            let first = value(choices, depth - 1);
            let count = 1 + choices.below(3);
            let mut items = vec![first; count];
            // Items of one shape, usually.
            if choices.one_in(4) {
                items.push(value(choices, depth - 1));
            }
            json!(items)
        }
    }
}

/// Returns steps that exist in a value, usually.
fn path(choices: &mut Choices<'_>, mut value: &Json) -> Vec<Step> {
    let mut steps = Vec::new();
    for _ in 0..choices.below(6) {
        let step = match value {
            Json::Array(_) if !choices.one_in(6) => choices.pick(&[STEPS[0], STEPS[5], STEPS[3]]),
            Json::Object(_) if !choices.one_in(6) => choices.pick(&[STEPS[1], STEPS[2]]),
            _ if choices.one_in(2) => choices.pick(STEPS),
            _ => break,
        };
        steps.push(step);
        value = match step {
            Step::Key(key, _) => &value[key],
            Step::Index(index, _) => &value[index],
            Step::Splat(_) => &value[0],
        };
    }
    steps
}

/// Returns what a path means.
fn model(value: &Json, steps: &[Step]) -> Result<Json, Failure> {
    let Some((step, rest)) = steps.split_first() else {
        return Ok(value.clone());
    };
    match step {
        Step::Key(key, _) => model(value.get(key).ok_or(Failure::Missing)?, rest),
        Step::Index(index, _) => {
            let by_index = value.get(index);
            let by_key = || value.get(index.to_string());
            model(by_index.or_else(by_key).ok_or(Failure::Missing)?, rest)
        }
        Step::Splat(_) => match value {
            Json::Array(items) => {
                let items: Result<Vec<Json>, _> =
                    items.iter().map(|item| model(item, rest)).collect();
                items.map(Json::Array).map_err(|_| Failure::Fails)
            }
            Json::Null => Err(Failure::Missing),
            _ => Err(Failure::Fails),
        },
    }
}

/// Renders one reference and returns the JSON that it became.
fn rendered(path: &str, calls: &str, value: &Json) -> Result<Json, Vec<Rule>> {
    // In flow and in quotes, so that what is masked matters.
    let manifest =
        format!("x: [\"${{infra.v{path}{calls}}}\", {{y: ${{infra.v{path}{calls}}}}}]\n");
    let document = outputs([("v".to_owned(), value)]);
    let rendered = render(manifest.as_bytes(), &request(document))
        .map_err(|found| found.iter().map(|one| one.rule).collect::<Vec<_>>())?;
    let mut texts = Vec::new();
    for tree in tree::read(&String::from_utf8(rendered.output).unwrap()).unwrap() {
        tree.texts(&mut |text| texts.push(text.to_owned()));
    }
    let read: Vec<Json> = texts
        .iter()
        .filter_map(|text| serde_json::from_str(text).ok())
        .collect();
    assert_eq!(read.len(), 2, "{texts:?}");
    assert_eq!(read[0], read[1]);
    Ok(read[0].clone())
}

fn check(choices: &mut Choices<'_>) -> Result<bool, TestCaseError> {
    let value = value(choices, MAX_DEPTH);
    let steps = path(choices, &value);
    let written: String = steps
        .iter()
        .map(|step| match step {
            Step::Key(_, written) | Step::Index(_, written) | Step::Splat(written) => *written,
        })
        .collect();
    let expected = match model(&value, &steps) {
        // Null and empty outputs count as missing.
        Ok(Json::Null) => Err(Failure::Missing),
        other => other,
    };
    let found = rendered(&written, " | json", &value);
    let with_default = rendered(&written, " | default('none') | json", &value);
    match &expected {
        Ok(expected) => {
            prop_assert_eq!(found.as_ref(), Ok(expected), "{} of {}", written, value);
            prop_assert_eq!(with_default, found, "{} of {}", written, value);
        }
        Err(failure) => {
            let rules = found.expect_err(&format!("{written} of {value}"));
            let may_be = [Rule::UnknownKey, Rule::TypeMismatch, Rule::EmptyOutput];
            prop_assert!(
                rules.iter().all(|rule| may_be.contains(rule)),
                "{:?}",
                rules
            );
            let expected = match failure {
                Failure::Missing => Ok(json!("none")),
                Failure::Fails => Err(rules),
            };
            prop_assert_eq!(with_default, expected, "{} of {}", written, value);
        }
    }
    Ok(expected.is_ok() && steps.iter().any(|step| matches!(step, Step::Splat(_))))
}

proptest! {
    #![proptest_config(cases(3_000))]

    #[test]
    fn splats_mean_what_they_mean_in_terraform(numbers in prop::collection::vec(any::<u16>(), 0..80)) {
        check(&mut Choices::new(&numbers))?;
    }
}

#[test]
fn many_generated_splats_have_a_value() {
    let mut sequence = crate::choices::Sequence::new(3);
    let found = (0..300)
        .filter(|_| check(&mut Choices::new(&sequence.numbers(60))).unwrap())
        .count();
    assert!(found > 50, "{found} of 300");
}

/// A path cannot recurse deeper than the value, and a large list takes linear time.
#[test]
fn long_paths_and_long_lists() {
    let splats = "[*]".repeat(20_000);
    assert_eq!(rendered(&splats, " | json", &json!([[]])), Ok(json!([[]])));
    let rules = rendered(&splats, " | json", &json!([[1]])).unwrap_err();
    assert_eq!(rules, [Rule::TypeMismatch; 2]);

    let item = json!({"a": {"b": "x"}, "c": [{"d": 1}]});
    let list = json!(vec![item; 50_000]);
    let found = rendered("[*].c[*].d", " | length | json", &list);
    assert_eq!(found, Ok(json!(50_000)));
}
