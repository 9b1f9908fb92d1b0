//! Lists and objects written as YAML: block collections where a block has room,
//! flow collections inside flow.

use super::encode::double_quoted;
use super::plain::{Place, plain_reads_back};
use crate::outputs::Value;

const BLOCK: Place = Place {
    flow: false,
    json: false,
};

/// `value` as a block collection whose first line goes on where the cursor
/// stands, in column `column`; further lines begin with `line_break` and that
/// many spaces.
///
/// ```yaml
/// - a
/// - key: value
///   list:
///     - "true"
/// ```
pub(crate) fn block(value: &Value, column: usize, line_break: &str) -> String {
    let mut out = String::new();
    push_block(value, column, line_break, &mut out);
    out
}

/// `value` as a flow collection or scalar: `[a, {k: v}]`, in JSON's form when
/// the place says so.
pub(crate) fn flow(value: &Value, place: Place) -> String {
    let mut out = String::new();
    push_flow(value, place, &mut out);
    out
}

fn push_block(value: &Value, column: usize, line_break: &str, out: &mut String) {
    let next_line = |out: &mut String, column: usize| {
        out.push_str(line_break);
        out.extend(std::iter::repeat_n(' ', column));
    };
    match value {
        Value::List(items) if !items.is_empty() => {
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    next_line(out, column);
                }
                out.push_str("- ");
                push_block(item, column + 2, line_break, out);
            }
        }
        Value::Object(entries) if !entries.is_empty() => {
            for (index, (key, value)) in entries.iter().enumerate() {
                if index > 0 {
                    next_line(out, column);
                }
                push_string(&key.name, BLOCK, out);
                out.push(':');
                if is_block(value) {
                    next_line(out, column + 2);
                } else {
                    out.push(' ');
                }
                push_block(value, column + 2, line_break, out);
            }
        }
        _ => push_flow(value, BLOCK, out),
    }
}

/// Whether the value is written over lines of its own.
pub(crate) fn is_block(value: &Value) -> bool {
    match value {
        Value::List(items) => !items.is_empty(),
        Value::Object(entries) => !entries.is_empty(),
        _ => false,
    }
}

fn push_flow(value: &Value, place: Place, out: &mut String) {
    let inside = Place {
        flow: true,
        ..place
    };
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(true) => out.push_str("true"),
        Value::Bool(false) => out.push_str("false"),
        Value::Number(digits) => out.push_str(&number(digits)),
        Value::String(text) => push_string(text, place, out),
        Value::List(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    out.push_str(", ");
                }
                push_flow(item, inside, out);
            }
            out.push(']');
        }
        Value::Object(entries) => {
            out.push('{');
            for (index, (key, value)) in entries.iter().enumerate() {
                if index > 0 {
                    out.push_str(", ");
                }
                push_string(&key.name, inside, out);
                out.push_str(": ");
                push_flow(value, inside, out);
            }
            out.push('}');
        }
    }
}

fn push_string(text: &str, place: Place, out: &mut String) {
    if plain_reads_back(text, place) {
        out.push_str(text);
    } else {
        out.push_str(&double_quoted(text));
    }
}

/// The digits of a JSON number as every YAML reader reads them as a number:
/// PyYAML wants a fraction and a sign with an exponent (`1.0e-07`; it reads
/// `1e-07` as text). That is JSON too.
pub(crate) fn number(digits: &str) -> String {
    let Some((mantissa, exponent)) = digits.split_once(['e', 'E']) else {
        return digits.to_owned();
    };
    let fraction = if mantissa.contains('.') { "" } else { ".0" };
    let sign = if exponent.starts_with(['+', '-']) {
        ""
    } else {
        "+"
    };
    format!("{mantissa}{fraction}e{sign}{exponent}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outputs::{Key, Value};
    use crate::report::Span;

    fn value(json: &serde_json::Value) -> Value {
        match json {
            serde_json::Value::Null => Value::Null,
            serde_json::Value::Bool(value) => Value::Bool(*value),
            serde_json::Value::Number(number) => Value::Number(number.to_string()),
            serde_json::Value::String(text) => Value::String(text.clone()),
            serde_json::Value::Array(items) => Value::List(items.iter().map(value).collect()),
            serde_json::Value::Object(entries) => Value::Object(
                entries
                    .iter()
                    .map(|(k, v)| {
                        (
                            Key {
                                name: k.clone(),
                                span: Span::point(0),
                            },
                            value(v),
                        )
                    })
                    .collect(),
            ),
        }
    }

    #[test]
    fn blocks() {
        let json = serde_json::json!([["a", "b"], {"k": [], "l": {"m": "x: y", "o": [1, true, null]}, "yes": {}}, "no", "a\nb"]);
        let expected = "- - a\n    - b\n  - k: []\n    l:\n      m: \"x: y\"\n      o:\n        - 1\n        - true\n        - null\n    \"yes\": {}\n  - \"no\"\n  - \"a\\nb\"";
        assert_eq!(block(&value(&json), 2, "\n"), expected);
    }

    #[test]
    fn flows() {
        let json = serde_json::json!(["a", "b,c", {"k": ["x?"]}, 1.5]);
        assert_eq!(
            flow(
                &value(&json),
                Place {
                    flow: true,
                    json: false
                }
            ),
            "[a, \"b,c\", {k: [\"x?\"]}, 1.5]"
        );
        assert_eq!(
            flow(
                &value(&json),
                Place {
                    flow: true,
                    json: true
                }
            ),
            "[\"a\", \"b,c\", {\"k\": [\"x?\"]}, 1.5]"
        );
    }

    #[test]
    fn numbers() {
        for (digits, expected) in [
            ("1e-07", "1.0e-07"),
            ("1.5E3", "1.5e+3"),
            ("2e+1", "2.0e+1"),
            ("10", "10"),
            ("1.50", "1.50"),
        ] {
            assert_eq!(number(digits), expected);
        }
    }
}
