//! Values that break YAML when they are inserted naively.

use serde_json::{Value as Json, json};

use crate::choices::Choices;
use crate::strings::STRINGS;

/// Concatenated to strings that are hostile in several ways at once.
const FRAGMENTS: &[&str] = &[
    "a",
    "b",
    " ",
    "\n",
    "'",
    "\"",
    "\\",
    ":",
    ": ",
    "#",
    " #",
    "-",
    "- ",
    "?",
    ",",
    "[",
    "]",
    "{",
    "}",
    "\t",
    "\r",
    "\u{85}",
    "\u{2028}",
    "\u{feff}",
    "1",
    "0",
    ".",
    "e",
    "_",
    "=",
    "%",
    "@",
    "&",
    "*",
    "!",
    "|",
    ">",
    "~",
    "y",
    "no",
    "---",
    "...",
    "${infra.v0}",
    "$",
    "é",
    "😀",
    "\0",
    "\n\n",
    "  ",
    "\n  ",
    " \n",
];

/// Returns numbers on which JSON, YAML 1.1, YAML 1.2 and f64 agree.
fn numbers() -> Vec<Json> {
    vec![
        json!(42),
        json!(0),
        json!(-1),
        json!(8080),
        json!(1.5),
        json!(-0.25),
        json!(1e-7),
        json!(1.5e300),
        json!(i64::MIN),
        json!(i64::MAX),
        json!(u64::MAX),
        json!(0.1),
    ]
}

/// Returns a value that is allowed anywhere: a string, sometimes a number or bool.
pub(crate) fn scalar(choices: &mut Choices<'_>) -> Json {
    match choices.below(10) {
        8 => {
            let numbers = numbers();
            numbers[choices.below(numbers.len())].clone()
        }
        9 => Json::Bool(choices.one_in(2)),
        _ => Json::String(string(choices)),
    }
}

/// Returns any value: one in four is a list, an object, null or an empty string.
pub(crate) fn any(choices: &mut Choices<'_>) -> Json {
    match choices.below(20) {
        15 | 16 => collection(choices, 0),
        17 | 18 => object(choices, 0),
        19 => choices
            .pick(&["", "null"])
            .parse()
            .unwrap_or(Json::String(String::new())),
        _ => scalar(choices),
    }
}

/// Returns a non-empty string.
pub(crate) fn string(choices: &mut Choices<'_>) -> String {
    if !choices.one_in(3) {
        return choices.pick(STRINGS).to_owned();
    }
    let mut text = String::new();
    for _ in 0..1 + choices.below(6) {
        text.push_str(choices.pick(FRAGMENTS));
    }
    text
}

fn collection(choices: &mut Choices<'_>, depth: usize) -> Json {
    let length = choices.below(4);
    Json::Array((0..length).map(|_| member(choices, depth)).collect())
}

fn object(choices: &mut Choices<'_>, depth: usize) -> Json {
    let length = choices.below(4);
    let entries = (0..length).map(|_| (string(choices), member(choices, depth)));
    Json::Object(entries.collect())
}

fn member(choices: &mut Choices<'_>, depth: usize) -> Json {
    match choices.below(6) {
        3 if depth < 4 => collection(choices, depth + 1),
        4 if depth < 4 => object(choices, depth + 1),
        5 => choices.pick(&["null", "\"\"", "[]", "{}"]).parse().unwrap(),
        _ => scalar(choices),
    }
}
