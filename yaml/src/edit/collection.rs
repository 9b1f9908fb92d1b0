//! Lists and maps written as YAML: block collections, and flow collections inside flow.

use std::ops::Range;

use super::{Data, Shape};
use crate::scalar::{Context, double_quoted, number, plain_reads_back};

const BLOCK: Context = Context {
    flow: false,
    json: false,
};

/// Returns `value` as a block collection whose first line begins at the cursor, in column
/// `column`; further lines begin with `line_break` and that many spaces.
///
/// ```yaml
/// - a
/// - key: value
///   list:
///     - "true"
/// ```
pub fn block<D: Data>(value: &D, column: usize, line_break: &str) -> String {
    let mut out = Members::default();
    push_block(value, column, line_break, &mut out);
    out.text
}

/// Returns `value` as a flow collection or scalar: `[a, {k: v}]`, as JSON if the context
/// requires it.
pub fn flow<D: Data>(value: &D, context: Context) -> String {
    let mut out = Members::default();
    push_flow(value, context, &mut out);
    out.text
}

/// A value as written, with the bytes of every value inside it.
#[derive(Default)]
pub(super) struct Members {
    pub(super) text: String,
    /// In the order in which the values begin, the outermost first.
    pub(super) ranges: Vec<Range<usize>>,
    is_recorded: bool,
}

impl Members {
    /// See [`block`].
    pub(super) fn in_block<D: Data>(value: &D, column: usize, line_break: &str) -> Self {
        let mut out = Self::recorded();
        push_block(value, column, line_break, &mut out);
        out
    }

    /// See [`flow`].
    pub(super) fn in_flow<D: Data>(value: &D, context: Context) -> Self {
        let mut out = Self::recorded();
        push_flow(value, context, &mut out);
        out
    }

    fn recorded() -> Self {
        Self {
            is_recorded: true,
            ..Self::default()
        }
    }

    /// Begins a value.
    fn begin(&mut self) -> usize {
        if self.is_recorded {
            self.ranges.push(self.text.len()..self.text.len());
        }
        self.ranges.len()
    }

    /// Ends the value that [`Self::begin`] began.
    fn end(&mut self, begun: usize) {
        let end = self.text.len();
        if let Some(range) = begun
            .checked_sub(1)
            .and_then(|nth| self.ranges.get_mut(nth))
        {
            range.end = end;
        }
    }
}

fn push_block<D: Data>(value: &D, column: usize, line_break: &str, out: &mut Members) {
    if !value.is_block() {
        return push_flow(value, BLOCK, out);
    }
    let next_line = |out: &mut Members, column: usize| {
        out.text.push_str(line_break);
        out.text.extend(std::iter::repeat_n(' ', column));
    };
    let begun = out.begin();
    if let Shape::List(items) = value.shape() {
        for (index, item) in items.iter().enumerate() {
            if index > 0 {
                next_line(out, column);
            }
            out.text.push_str("- ");
            push_block(item, column + 2, line_break, out);
        }
    }
    for (index, (key, value)) in value.entries().enumerate() {
        if index > 0 {
            next_line(out, column);
        }
        push_string(key, BLOCK, &mut out.text);
        out.text.push(':');
        if value.is_block() {
            next_line(out, column + 2);
        } else {
            out.text.push(' ');
        }
        push_block(value, column + 2, line_break, out);
    }
    out.end(begun);
}

fn push_flow<D: Data>(value: &D, context: Context, out: &mut Members) {
    let inside = Context {
        flow: true,
        ..context
    };
    let begun = out.begin();
    match value.shape() {
        Shape::Null => out.text.push_str("null"),
        Shape::Bool(true) => out.text.push_str("true"),
        Shape::Bool(false) => out.text.push_str("false"),
        Shape::Number(digits) => out.text.push_str(&number(digits)),
        Shape::String(text) => push_string(text, context, &mut out.text),
        Shape::List(items) => {
            out.text.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    out.text.push_str(", ");
                }
                push_flow(item, inside, out);
            }
            out.text.push(']');
        }
        Shape::Map => {
            out.text.push('{');
            for (index, (key, value)) in value.entries().enumerate() {
                if index > 0 {
                    out.text.push_str(", ");
                }
                push_string(key, inside, &mut out.text);
                out.text.push_str(": ");
                push_flow(value, inside, out);
            }
            out.text.push('}');
        }
    }
    out.end(begun);
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
    use super::*;
    use crate::edit::Value;

    #[test]
    fn blocks() {
        let json = serde_json::json!([["a", "b"], {"k": [], "l": {"m": "x: y", "o": [1, true, null]}, "yes": {}}, "no", "a\nb"]);
        let expected = "- - a\n    - b\n  - k: []\n    l:\n      m: \"x: y\"\n      o:\n        - 1\n        - true\n        - null\n    \"yes\": {}\n  - \"no\"\n  - \"a\\nb\"";
        assert_eq!(block(&Value::from(&json), 2, "\n"), expected);
    }

    #[test]
    fn flows() {
        let json = serde_json::json!(["a", "b,c", {"k": ["x?"]}, 1.5]);
        assert_eq!(
            flow(
                &Value::from(&json),
                Context {
                    flow: true,
                    json: false
                }
            ),
            "[a, \"b,c\", {k: [\"x?\"]}, 1.5]"
        );
        assert_eq!(
            flow(
                &Value::from(&json),
                Context {
                    flow: true,
                    json: true
                }
            ),
            "[\"a\", \"b,c\", {\"k\": [\"x?\"]}, 1.5]"
        );
    }
}
