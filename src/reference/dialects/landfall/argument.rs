//! The arguments of a call: literals, paths, and the function that `each` calls.

use super::parser::{Parser, SyntaxError};
use crate::reference::{Argument, ArgumentValue, Call, Path};

/// The function whose argument is a call.
const CALLS_ITS_ARGUMENT: &str = "each";

/// How deep calls can be arguments of each other: lists of lists have a few levels.
const MAX_NESTED: usize = 8;

impl Parser<'_> {
    /// Parses an argument of `call`.
    pub(super) fn argument(&mut self, call: &mut Call) -> Result<(), SyntaxError> {
        let takes_call = call.function == CALLS_ITS_ARGUMENT;
        let arguments = &mut call.arguments;
        match self.peek() {
            Some(quote @ (b'"' | b'\'')) => {
                let mut text = String::new();
                let range = self.string(quote, &mut text)?;
                arguments.push(Argument {
                    value: ArgumentValue::String(text),
                    range,
                });
                Ok(())
            }
            Some(b'+' | b'-' | b'0'..=b'9') => {
                arguments.push(self.number());
                Ok(())
            }
            _ => {
                let word = self.word();
                let next = self.peek();
                let is_path = !word.is_empty() && matches!(next, Some(b'.' | b'['));
                if takes_call && !is_path {
                    self.at = word.start;
                    return self.nested_call(arguments);
                }
                if next == Some(b'(') && !word.is_empty() {
                    let name = &self.text[word.clone()];
                    let message = format!("`{name}(…)` is not a valid argument");
                    let help = format!(
                        "write functions after `|`; only `{CALLS_ITS_ARGUMENT}` takes one as its argument"
                    );
                    return Err(SyntaxError::new(word.start, message).help(help));
                }
                let (value, result) = match &self.text[word.clone()] {
                    "true" if !is_path => (ArgumentValue::Bool(true), Ok(())),
                    "false" if !is_path => (ArgumentValue::Bool(false), Ok(())),
                    "null" if !is_path => (ArgumentValue::Null, Ok(())),
                    "omit" if !is_path => (ArgumentValue::Omit, Ok(())),
                    name => {
                        let mut path = Path {
                            binding: Some(name.to_owned()),
                            range: word.clone(),
                            ..Path::default()
                        };
                        let result = if is_path {
                            self.at = word.start;
                            self.path(&mut path)
                        } else if word.is_empty() {
                            Err(self.error(
                                "a quoted string, a number, `true`, `false`, `null` or a path",
                            ))
                        } else {
                            let message = format!("`{name}` is not a valid argument");
                            let help = format!("quote a string: `\"{name}\"`");
                            self.recover(SyntaxError::new(word.start, message).help(help));
                            Ok(())
                        };
                        (ArgumentValue::Path(path), result)
                    }
                };
                let range = match &value {
                    ArgumentValue::Path(path) => path.range.clone(),
                    _ => word,
                };
                arguments.push(Argument { value, range });
                result
            }
        }
    }

    /// Parses a call that is an argument.
    fn nested_call(&mut self, arguments: &mut Vec<Argument>) -> Result<(), SyntaxError> {
        let start = self.at;
        if self.depth == MAX_NESTED {
            let message = format!("calls are nested more than {MAX_NESTED} levels deep");
            return Err(SyntaxError::new(start, message));
        }
        let mut calls = Vec::new();
        self.depth += 1;
        let result = self.call(&mut calls);
        self.depth -= 1;
        let nested = calls.pop().map(|call| Argument {
            range: call.range.start..self.at.max(call.range.end),
            value: ArgumentValue::Call(Box::new(call)),
        });
        arguments.extend(nested);
        result
    }

    /// Parses a JSON number.
    fn number(&mut self) -> Argument {
        let length = self.bytes[self.at..]
            .iter()
            .take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.'))
            .count();
        let range = self.at..self.at + length;
        let digits = &self.text[range.clone()];
        // The digits are kept as written, so any number of them is allowed.
        if !yaml::is_number(digits) {
            let message = format!("`{digits}` is not a JSON number");
            self.recover(SyntaxError::new(range.start, message));
        }
        self.at = range.end;
        Argument {
            value: ArgumentValue::Number(digits.to_owned()),
            range,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::parser::{parse, parse_partial};
    use super::*;

    /// Returns the nested calls of the last call, or the error.
    fn nested(text: &str) -> String {
        match parse(text, 0) {
            Ok(reference) => {
                let last = reference.calls.last().unwrap();
                let calls = last.with_nested().skip(1);
                let shown = |call: &Call| {
                    let written = &text[call.range.clone()];
                    format!("{written}/{}", call.arguments.len())
                };
                calls.map(shown).collect::<Vec<_>>().join(" > ")
            }
            Err(error) => format!("{}: {}", error.at, error.message),
        }
    }

    #[test]
    fn each_takes_a_call() {
        assert_eq!(nested("${a.b | each(upper)}"), "upper/0");
        assert_eq!(nested("${a.b|each( prefix( \"x)\" ) )}"), "prefix/1");
        assert_eq!(
            nested("${a.b | each(each(object(\"k\", c.d)))}"),
            "each/1 > object/2"
        );
        assert_eq!(nested("${a.b | each(true)}"), "true/0");
        assert_eq!(nested("${a.b | each()}"), "");
        assert_eq!(nested("${a.b | each(\"x\")}"), "");
        assert_eq!(nested("${a.b | each(c.d)}"), "");
    }

    #[test]
    fn other_functions_take_none() {
        assert_eq!(
            nested("${a.b | default(upper(c.d))}"),
            "16: `upper(…)` is not a valid argument"
        );
        assert_eq!(
            nested("${a.b | each(default(upper(c.d)))}"),
            "21: `upper(…)` is not a valid argument"
        );
        assert_eq!(
            nested("${a.b | each(,)}"),
            "13: expected a function name, found `,`"
        );
    }

    #[test]
    fn the_depth_is_limited() {
        let calls = |levels: usize| {
            let (open, close) = ("each(".repeat(levels), ")".repeat(levels));
            format!("${{a.b | {open}upper{close}}}")
        };
        assert!(parse(&calls(MAX_NESTED), 0).is_ok());
        assert_eq!(
            nested(&calls(100_000)),
            "53: calls are nested more than 8 levels deep"
        );
    }

    #[test]
    fn an_unfinished_call_is_a_node() {
        for (text, expected) in [
            ("${a.b | each(", ""),
            ("${a.b | each(pre", "pre"),
            ("${a.b | each(prefix(", "prefix"),
            ("${a.b | each(prefix(\"x", "prefix"),
        ] {
            let (reference, error) = parse_partial(text, 0);
            assert!(error.is_some(), "{text}");
            let call = reference.calls.last().and_then(Call::nested).unwrap();
            assert_eq!(&text[call.range.clone()], expected);
        }
    }
}
