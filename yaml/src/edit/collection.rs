//! Lists and maps written as YAML: block collections, and flow collections inside flow.

use super::{Data, Shape};
use crate::scalar::{Context, double_quoted, number, plain_reads_back};

const BLOCK: Context = Context {
    flow: false,
    json: false,
};

/// Returns `value` as a block collection whose first line continues at the cursor, in
/// column `column`; further lines begin with `line_break` and that many spaces.
///
/// ```yaml
/// - a
/// - key: value
///   list:
///     - "true"
/// ```
pub fn block<D: Data>(value: &D, column: usize, line_break: &str) -> String {
    let mut out = String::new();
    push_block(value, column, line_break, &mut out);
    out
}

/// Returns `value` as a flow collection or scalar: `[a, {k: v}]`, in JSON's form when the
/// context says so.
pub fn flow<D: Data>(value: &D, context: Context) -> String {
    let mut out = String::new();
    push_flow(value, context, &mut out);
    out
}

fn push_block<D: Data>(value: &D, column: usize, line_break: &str, out: &mut String) {
    let next_line = |out: &mut String, column: usize| {
        out.push_str(line_break);
        out.extend(std::iter::repeat_n(' ', column));
    };
    match value.shape() {
        Shape::List(items) if !items.is_empty() => {
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    next_line(out, column);
                }
                out.push_str("- ");
                push_block(item, column + 2, line_break, out);
            }
        }
        Shape::Map if value.is_block() => {
            for (index, (key, value)) in value.entries().enumerate() {
                if index > 0 {
                    next_line(out, column);
                }
                push_string(key, BLOCK, out);
                out.push(':');
                if value.is_block() {
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

fn push_flow<D: Data>(value: &D, context: Context, out: &mut String) {
    let inside = Context {
        flow: true,
        ..context
    };
    match value.shape() {
        Shape::Null => out.push_str("null"),
        Shape::Bool(true) => out.push_str("true"),
        Shape::Bool(false) => out.push_str("false"),
        Shape::Number(digits) => out.push_str(&number(digits)),
        Shape::String(text) => push_string(text, context, out),
        Shape::List(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    out.push_str(", ");
                }
                push_flow(item, inside, out);
            }
            out.push(']');
        }
        Shape::Map => {
            out.push('{');
            for (index, (key, value)) in value.entries().enumerate() {
                if index > 0 {
                    out.push_str(", ");
                }
                push_string(key, inside, out);
                out.push_str(": ");
                push_flow(value, inside, out);
            }
            out.push('}');
        }
    }
}

fn push_string(text: &str, context: Context, out: &mut String) {
    if plain_reads_back(text, context) {
        out.push_str(text);
    } else {
        out.push_str(&double_quoted(text));
    }
}

#[cfg(test)]
mod tests {
    use super::super::value::value;
    use super::*;

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
                Context {
                    flow: true,
                    json: false
                }
            ),
            "[a, \"b,c\", {k: [\"x?\"]}, 1.5]"
        );
        assert_eq!(
            flow(
                &value(&json),
                Context {
                    flow: true,
                    json: true
                }
            ),
            "[\"a\", \"b,c\", {\"k\": [\"x?\"]}, 1.5]"
        );
    }
}
