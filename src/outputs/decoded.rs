//! Values in the text of an output: JSON, or YAML as an outputs document may be.

use crate::outputs::Value;
use crate::outputs::formats::value_of_yaml;
use crate::outputs::json::Json;

/// Reads JSON as in outputs documents. `may_have` decides whether it may have this many
/// values.
///
/// # Errors
/// What is wrong with the text: `is not JSON: expected a value, at line 1, column 3`.
pub(crate) fn decoded_json(
    text: &str,
    may_have: impl Fn(usize) -> bool,
) -> Result<Value, NotDecoded> {
    let not_json = |what: &str, at: usize| {
        let what = format!("is not JSON: {what}, {}", position(text, at));
        Err(NotDecoded::Because(what))
    };
    let json = match Json::read(text, 0) {
        Ok(json) => json,
        Err(error) => return not_json(error.message, error.at),
    };
    if !may_have(json.len()) {
        return Err(NotDecoded::TooLarge);
    }
    match json.root().value() {
        Ok(value) => Ok(value),
        Err([_, again]) => not_json("duplicate key", again.start),
    }
}

/// Reads one YAML document, which may be any value, as in outputs documents: only what all
/// readers read alike. `may_have` decides whether it may have this many values.
///
/// # Errors
/// What is wrong with the text.
pub(crate) fn decoded_yaml(
    text: &str,
    may_have: impl Fn(usize) -> bool,
) -> Result<Value, NotDecoded> {
    value_of_yaml(text, may_have).map_err(|error| match error {
        None => NotDecoded::TooLarge,
        Some((what, at)) => NotDecoded::Because(format!("{what}, {}", position(text, at))),
    })
}

/// Why a text has no value.
#[derive(Debug)]
pub(crate) enum NotDecoded {
    Because(String),
    TooLarge,
}

/// Returns the line and column of a byte, which count from 1.
fn position(text: &str, at: usize) -> String {
    let before = text.get(..at).unwrap_or(text);
    let line_start = yaml::line_start(before, before.len());
    let column = before.get(line_start..).unwrap_or_default().chars().count() + 1;
    let line = memchr::memchr_iter(b'\n', before.as_bytes()).count() + 1;
    format!("at line {line}, column {column}")
}
