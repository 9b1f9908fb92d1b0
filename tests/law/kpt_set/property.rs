//! Generated setter comments, against the model and against every way to divide the value.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use serde_json::{Map, Value as Json, json};

use super::model::{Outcome, Pattern, apply};
use super::with_outputs;
use crate::choices::Choices;
use crate::generated::cases;
use crate::render::render;

/// Manifests that the property checks.
const MANIFESTS: u32 = 3_000;

const LITERALS: &[&str] = &["", "-", ":", "/", "--", "a", ".", "v "];
const PARTS: &[&str] = &[
    "a", "app", "1", "22", "x-y", "a:b", "-", "", "é", "a.b/c", "\"", "it's",
];
const VALUES: &[&str] = &[
    "nginx",
    "3",
    "012",
    "true",
    "a: b",
    "x # y",
    "*a",
    "'",
    "\"q\"",
    "line\nbreak",
    "- a",
    "{a}",
    "-",
    ":",
    "~",
    " b ",
    "é",
];

struct Case {
    pattern: Pattern,
    value: String,
    /// The value as the manifest writes it.
    written: String,
}

fn case(choices: &mut Choices<'_>) -> Case {
    let count = 1 + choices.below(4);
    let names = (0..count).map(|_| format!("n{}", choices.below(5)));
    let names: Vec<String> = names.collect();
    let literals = (0..=count).map(|_| choices.pick(LITERALS).to_owned());
    let mut literals: Vec<String> = literals.collect();
    // A blank at its end is not part of a pattern.
    literals[count] = literals[count].trim_end().to_owned();
    let pattern = Pattern { literals, names };
    let mut known = BTreeMap::new();
    let parts = pattern.names.iter().map(|name| {
        let part = choices.pick(PARTS).to_owned();
        if choices.one_in(6) {
            part
        } else {
            known.entry(name).or_insert(part).clone()
        }
    });
    let parts: Vec<String> = parts.collect();
    let mut value = pattern.with(&parts);
    match choices.below(12) {
        10 => value.push('z'),
        11 => value.insert(0, 'z'),
        _ => {}
    }
    let is_plain = value.starts_with(|c: char| c.is_ascii_alphanumeric())
        && value
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "-/".contains(c));
    let written = match choices.below(3) {
        0 if is_plain => value.clone(),
        1 => format!("'{}'", value.replace('\'', "''")),
        _ => serde_json::to_string(&value).unwrap(),
    };
    Case {
        pattern,
        value,
        written,
    }
}

/// Returns the text of a scalar.
fn text(value: &serde_yaml::Value) -> String {
    match value {
        serde_yaml::Value::String(text) => text.clone(),
        serde_yaml::Value::Number(number) => number.to_string(),
        serde_yaml::Value::Bool(value) => value.to_string(),
        serde_yaml::Value::Null => "null".to_owned(),
        other => panic!("{other:?} is not a scalar"),
    }
}

/// Returns the texts that a division gives the runs of names without a setter.
fn runs(pattern: &Pattern, parts: &[String], is_bound: &dyn Fn(&str) -> bool) -> Vec<String> {
    let mut runs = vec![pattern.literals[0].clone()];
    let all = pattern.names.iter().zip(parts).zip(&pattern.literals[1..]);
    for ((name, part), literal) in all {
        if is_bound(name) {
            runs.push(literal.clone());
        } else if let Some(run) = runs.last_mut() {
            run.push_str(part);
            run.push_str(literal);
        }
    }
    runs
}

fn setters(choices: &mut Choices<'_>) -> BTreeMap<String, String> {
    let mut setters = BTreeMap::new();
    for nth in 0..5 {
        if choices.below(2) == 1 {
            setters.insert(format!("n{nth}"), choices.pick(VALUES).to_owned());
        }
    }
    setters
}

/// Returns a manifest with a setter comment, and its setters.
pub(crate) fn generated(numbers: &[u16]) -> (String, Map<String, Json>) {
    let choices = &mut Choices::new(numbers);
    let Case {
        pattern, written, ..
    } = case(choices);
    let mut values: Map<String, Json> = Map::new();
    values.insert("other".into(), json!("x"));
    let setters = setters(choices).into_iter();
    values.extend(setters.map(|(name, value)| (name, json!(value))));
    let manifest = format!(
        "a: {written} # kpt-set: {}\nb: ${{infra.n0}} # c\nc: 80 # kpt-set: ${{n1}}\n",
        pattern.text()
    );
    (manifest, values)
}

fn check(numbers: &[u16]) -> Result<(), TestCaseError> {
    let choices = &mut Choices::new(numbers);
    let case = case(choices);
    let setters = setters(choices);
    let is_bound = |name: &str| setters.contains_key(name);
    let mut values: Map<String, Json> = Map::new();
    values.insert("other".into(), json!("x"));
    values.extend(
        setters
            .iter()
            .map(|(name, value)| (name.clone(), json!(value))),
    );
    let request = with_outputs(&Json::Object(values));
    let Case { pattern, value, .. } = &case;
    let comment = format!("# kpt-set: {}", pattern.text());
    let manifest = format!(
        "# ${{n0}}\nz: ${{n1}}\na: {} {comment}\nb: 1 # c\n",
        case.written
    );
    let expected = apply(pattern, value, &setters);
    let divisions = pattern.divisions(value);
    let all_bound = pattern.names.iter().all(|name| is_bound(name));
    match render(manifest.as_bytes(), &request) {
        Ok(rendered) => {
            let output = String::from_utf8(rendered.output).unwrap();
            let (before, after) = ("# ${n0}\nz: ${n1}\na: ", format!(" {comment}\nb: 1 # c\n"));
            prop_assert!(
                output.starts_with(before) && output.ends_with(&after),
                "{output}"
            );
            let read: serde_yaml::Value = serde_yaml::from_str(&output).unwrap();
            let result = text(&read["a"]);
            match expected {
                Outcome::Unchanged => prop_assert_eq!(&output, &manifest),
                Outcome::Set(expected) => prop_assert_eq!(&result, &expected, "{}", manifest),
                Outcome::Unresolved => {
                    // The longest parts that apply-setters takes may leave one empty, where
                    // the runs are certain all the same.
                    let parts = pattern.first_match(value).unwrap_or_default();
                    let fine = parts.iter().any(String::is_empty);
                    prop_assert!(fine, "{}", manifest);
                }
            }
            if !all_bound && pattern.names.iter().any(|name| is_bound(name)) {
                let runs: BTreeSet<_> = divisions
                    .iter()
                    .map(|parts| runs(pattern, parts, &is_bound))
                    .collect();
                prop_assert_eq!(runs.len(), 1, "{}", manifest);
            }
            let again = render(output.as_bytes(), &request);
            let is_derived = !all_bound;
            match again {
                Ok(again) => prop_assert_eq!(String::from_utf8(again.output).unwrap(), output),
                // The new value may match the pattern in several ways.
                Err(_) => prop_assert!(is_derived, "{}", output),
            }
        }
        Err(found) => {
            let found: Vec<_> = found.iter().map(|found| found.message.clone()).collect();
            prop_assert!(
                expected != Outcome::Unchanged && !all_bound,
                "{manifest}{found:?}"
            );
            // Exactly one division, without an empty or a second part, is never refused.
            if let [only] = &divisions[..] {
                let mut parts = BTreeMap::new();
                let unbound = pattern
                    .names
                    .iter()
                    .zip(only)
                    .filter(|(name, _)| !is_bound(name));
                let is_clear = unbound.into_iter().all(|(name, part)| {
                    !part.is_empty() && parts.entry(name).or_insert(part) == &part
                });
                prop_assert!(!is_clear, "{manifest}{found:?}");
            }
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(cases(MANIFESTS))]

    #[test]
    fn a_pattern_sets_what_apply_setters_sets_or_is_refused(
        numbers in prop::collection::vec(any::<u16>(), 8..60)
    ) {
        check(&numbers)?;
    }
}
