//! Actions of Go templates, as far as they are values: fields, literals, `index` and
//! `default`.
//!
//! ```text
//! action   = "{{" ["- "] pipeline [" -"] "}}"
//! pipeline = command *( "|" command )             ; the value becomes the last argument
//! command  = operand / function 1*operand
//! operand  = 1*( "." name ) / string / integer / "true" / "false" / "(" pipeline ")"
//! ```
//!
//! Everything else that `text/template` and Sprig have is an error that names it.

use std::ops::Range;

use crate::reference::SyntaxError;

pub(crate) const OPENER: &str = "{{";
pub(crate) const CLOSER: &str = "}}";

/// The maximum nesting of parentheses: the parser is recursive.
const MAX_DEPTH: usize = 32;

/// What is evaluated, for help.
pub(crate) const EVALUATED: &str = "of Go templates, only fields, `index` and `default` are evaluated: \
     `{{ .name }}`, `{{ index .metadata.annotations \"a.b/c\" }}`, `{{ .values.x | default \"y\" }}`";

/// The words with which `text/template` controls its flow.
const CONTROL: [&str; 11] = [
    "if", "else", "end", "range", "with", "define", "template", "block", "break", "continue", "nil",
];

/// `{{ … }}`
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Action {
    /// `None`: it is a comment.
    pub(crate) expression: Option<Expression>,
    /// From the opener through the closer.
    pub(crate) range: Range<usize>,
    /// Whether it removes the white space before it: `{{-`.
    pub(crate) trims_before: bool,
    /// Whether it removes the white space after it: `-}}`.
    pub(crate) trims_after: bool,
}

/// A value in an action, with its bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Expression {
    pub(crate) kind: ExpressionKind,
    pub(crate) range: Range<usize>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ExpressionKind {
    /// `.metadata.labels`: the names with their bytes, without the dots. At least one.
    Field(Vec<(String, Range<usize>)>),
    /// `index .metadata.labels "a"`, with at least one key.
    Index {
        value: Box<Expression>,
        keys: Vec<Expression>,
    },
    /// `default "x" .y`
    Default {
        fallback: Box<Expression>,
        value: Box<Expression>,
        /// The bytes of the function's name.
        name: Range<usize>,
    },
    String(String),
    /// The digits of an integer.
    Integer(String),
    Bool(bool),
}

/// Parses the action whose opener is at byte `at` of `text`.
///
/// # Errors
/// The first thing in it that Go's parser refuses, or that is not evaluated here.
pub(crate) fn parse_action(text: &str, at: usize) -> Result<Action, SyntaxError> {
    let mut parser = Parser {
        text,
        at: at + OPENER.len(),
        depth: 0,
    };
    parser.action(at)
}

/// Returns whether `word` is a keyword of Go templates.
pub(crate) fn is_control(word: &str) -> bool {
    CONTROL.contains(&word)
}

struct Parser<'t> {
    text: &'t str,
    at: usize,
    depth: usize,
}

impl<'t> Parser<'t> {
    fn action(&mut self, start: usize) -> Result<Action, SyntaxError> {
        let trims_before = self.rest().starts_with('-') && self.peek(1).is_some_and(is_space);
        if trims_before {
            self.at += 2;
        }
        if self.rest().starts_with("/*") {
            return self.comment(start, trims_before);
        }
        let expression = self.pipeline()?;
        self.skip_space();
        let trims_after = self.at_trimming_closer();
        if trims_after {
            self.at += 1;
        }
        if !self.rest().starts_with(CLOSER) {
            return Err(self.unexpected("`}}`"));
        }
        self.at += CLOSER.len();
        Ok(Action {
            expression: Some(expression),
            range: start..self.at,
            trims_before,
            trims_after,
        })
    }

    fn comment(&mut self, start: usize, trims_before: bool) -> Result<Action, SyntaxError> {
        let end = self.rest().find("*/");
        let Some(end) = end else {
            self.at = self.text.len();
            return Err(self.unexpected("`*/`"));
        };
        self.at += end + "*/".len();
        let trims_after = self.rest().starts_with(is_space_char) && self.peek(1) == Some(b'-');
        if trims_after {
            self.at += 2;
        }
        if !self.rest().starts_with(CLOSER) {
            return Err(self.unexpected("`}}` right after the comment"));
        }
        self.at += CLOSER.len();
        Ok(Action {
            expression: None,
            range: start..self.at,
            trims_before,
            trims_after,
        })
    }

    fn pipeline(&mut self) -> Result<Expression, SyntaxError> {
        let mut value = self.command(None)?;
        loop {
            self.skip_space();
            if !self.rest().starts_with('|') {
                return Ok(value);
            }
            self.at += 1;
            value = self.command(Some(value))?;
        }
    }

    /// Parses a command; `piped` is the value of the one before it.
    fn command(&mut self, piped: Option<Expression>) -> Result<Expression, SyntaxError> {
        self.skip_space();
        let start = self.at;
        if let Some(name) = self.word() {
            return match name {
                "true" | "false" if piped.is_none() => {
                    self.at += name.len();
                    self.end_of_operand()?;
                    Ok(self.expression(ExpressionKind::Bool(name == "true"), start))
                }
                "index" | "default" => self.call(name, piped),
                _ if is_control(name) => {
                    Err(self.not_evaluated(start, &format!("`{name}` is not evaluated")))
                }
                _ => {
                    let message = format!("the function `{name}` is not evaluated");
                    Err(self.not_evaluated(start, &message))
                }
            };
        }
        let value = self.operand()?;
        if let Some(piped) = piped {
            let mut error = SyntaxError::new(
                start,
                "a value is piped to something that is not a function".to_owned(),
            );
            error.help = Some(EVALUATED.to_owned());
            let _ = piped;
            return Err(error);
        }
        self.skip_space();
        let next = self.rest();
        if next.starts_with(CLOSER) || next.starts_with(['|', ')']) || self.at_trimming_closer() {
            return Ok(value);
        }
        if next.is_empty() {
            Err(self.unexpected("`}}`"))
        } else {
            Err(self.not_evaluated(self.at, "expected `|` or `}}` after a value"))
        }
    }

    fn call(&mut self, name: &str, piped: Option<Expression>) -> Result<Expression, SyntaxError> {
        let start = self.at;
        self.at += name.len();
        let name_range = start..self.at;
        let mut arguments = Vec::new();
        loop {
            self.skip_space();
            let next = self.rest();
            let ends = next.is_empty() || next.starts_with(CLOSER) || next.starts_with(['|', ')']);
            if ends || self.at_trimming_closer() {
                break;
            }
            let at = self.at;
            if let Some(word) = self.word() {
                if !matches!(word, "true" | "false") {
                    let message = format!("`{word}` is not evaluated as an argument");
                    return Err(self.not_evaluated(at, &message));
                }
                self.at += word.len();
                self.end_of_operand()?;
                arguments.push(self.expression(ExpressionKind::Bool(word == "true"), at));
                continue;
            }
            arguments.push(self.operand()?);
        }
        if self.rest().is_empty() {
            return Err(self.unexpected("`}}`"));
        }
        let end = self.at;
        let range = match &piped {
            Some(piped) => piped.range.start..end,
            None => start..end,
        };
        arguments.extend(piped);
        let wrong = |expected: &str| {
            SyntaxError::new(
                start,
                format!(
                    "`{name}` takes {expected}, but {} were given",
                    arguments.len()
                ),
            )
        };
        let trimmed = range.start..range.start + self.text[range].trim_end().len();
        match name {
            "index" => {
                if arguments.len() < 2 {
                    return Err(wrong("a value and at least one key"));
                }
                let mut arguments = arguments.into_iter();
                let Some(value) = arguments.next() else {
                    return Err(self.unexpected("a value"));
                };
                let kind = ExpressionKind::Index {
                    value: Box::new(value),
                    keys: arguments.collect(),
                };
                Ok(Expression {
                    kind,
                    range: trimmed,
                })
            }
            _ => {
                let [fallback, value] = <[Expression; 2]>::try_from(arguments).map_err(|found| {
                    SyntaxError::new(
                        start,
                        format!("`default` takes a fallback and a value, but {} arguments were given", found.len()),
                    )
                })?;
                let kind = ExpressionKind::Default {
                    fallback: Box::new(fallback),
                    value: Box::new(value),
                    name: name_range,
                };
                Ok(Expression {
                    kind,
                    range: trimmed,
                })
            }
        }
    }

    fn operand(&mut self) -> Result<Expression, SyntaxError> {
        let start = self.at;
        let kind = match self.peek(0) {
            Some(b'.') => self.field()?,
            Some(b'"') => ExpressionKind::String(self.quoted()?),
            Some(b'`') => ExpressionKind::String(self.raw()?),
            Some(b'0'..=b'9' | b'-' | b'+') => self.integer()?,
            Some(b'(') => return self.parenthesized(),
            Some(b'$') => {
                return Err(self.not_evaluated(start, "variables are not evaluated"));
            }
            Some(b'\'') => {
                return Err(
                    self.not_evaluated(start, "a character in single quotes is not a string")
                );
            }
            _ => return Err(self.unexpected("a value")),
        };
        self.end_of_operand()?;
        Ok(self.expression(kind, start))
    }

    fn parenthesized(&mut self) -> Result<Expression, SyntaxError> {
        if self.depth == MAX_DEPTH {
            return Err(SyntaxError::new(
                self.at,
                "too many parentheses in each other".to_owned(),
            ));
        }
        self.depth += 1;
        self.at += 1;
        let value = self.pipeline()?;
        self.skip_space();
        if !self.rest().starts_with(')') {
            return Err(self.unexpected("`)`"));
        }
        self.at += 1;
        self.depth -= 1;
        self.end_of_operand()?;
        Ok(value)
    }

    fn field(&mut self) -> Result<ExpressionKind, SyntaxError> {
        let mut names = Vec::new();
        while self.rest().starts_with('.') {
            let start = self.at + 1;
            let name = self.text.get(start..).unwrap_or_default();
            let length = name.find(|c: char| !is_name(c)).unwrap_or(name.len());
            let Some(name) = name.get(..length).filter(|name| !name.is_empty()) else {
                return Err(self.not_evaluated(self.at, "`.` without a name is not evaluated"));
            };
            self.at = start + length;
            names.push((name.to_owned(), start..self.at));
        }
        Ok(ExpressionKind::Field(names))
    }

    /// Parses a string in double quotes, whose escapes are those of Go.
    fn quoted(&mut self) -> Result<String, SyntaxError> {
        let start = self.at;
        self.at += 1;
        let mut bytes = Vec::new();
        loop {
            let Some(next) = self.rest().chars().next() else {
                return Err(self.unexpected("`\"`"));
            };
            match next {
                '"' => {
                    self.at += 1;
                    return String::from_utf8(bytes).map_err(|_| {
                        SyntaxError::new(start, "the string is not UTF-8".to_owned())
                    });
                }
                '\n' => return Err(self.unexpected("`\"` on the same line")),
                '\\' => self.escape(&mut bytes)?,
                other => {
                    self.at += other.len_utf8();
                    bytes.extend_from_slice(other.encode_utf8(&mut [0; 4]).as_bytes());
                }
            }
        }
    }

    /// Parses an escape sequence (`strconv.UnquoteChar`).
    fn escape(&mut self, bytes: &mut Vec<u8>) -> Result<(), SyntaxError> {
        let start = self.at;
        let invalid = || SyntaxError::new(start, "invalid escape sequence".to_owned());
        let letter = self.peek(1).ok_or_else(invalid)?;
        self.at += 2;
        let simple = match letter {
            b'a' => 7,
            b'b' => 8,
            b'f' => 12,
            b'n' => b'\n',
            b'r' => b'\r',
            b't' => b'\t',
            b'v' => 11,
            b'\\' => b'\\',
            b'"' => b'"',
            b'x' => self
                .digits(2, 16, invalid)?
                .try_into()
                .map_err(|_| invalid())?,
            b'0'..=b'7' => {
                self.at -= 1;
                self.digits(3, 8, invalid)?
                    .try_into()
                    .map_err(|_| invalid())?
            }
            b'u' | b'U' => {
                let length = if letter == b'u' { 4 } else { 8 };
                let code = self.digits(length, 16, invalid)?;
                let character = char::from_u32(code).ok_or_else(invalid)?;
                bytes.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
                return Ok(());
            }
            _ => return Err(invalid()),
        };
        bytes.push(simple);
        Ok(())
    }

    fn digits(
        &mut self,
        length: usize,
        radix: u32,
        invalid: impl Fn() -> SyntaxError,
    ) -> Result<u32, SyntaxError> {
        let digits = self
            .text
            .get(self.at..self.at + length)
            .ok_or_else(&invalid)?;
        if digits.starts_with('+') {
            return Err(invalid());
        }
        self.at += length;
        u32::from_str_radix(digits, radix).map_err(|_| invalid())
    }

    fn raw(&mut self) -> Result<String, SyntaxError> {
        let content = self.text.get(self.at + 1..).unwrap_or_default();
        let Some(length) = content.find('`') else {
            self.at = self.text.len();
            return Err(self.unexpected("a backquote"));
        };
        self.at += length + 2;
        // As in Go, carriage returns are not part of a raw string.
        Ok(content.get(..length).unwrap_or_default().replace('\r', ""))
    }

    fn integer(&mut self) -> Result<ExpressionKind, SyntaxError> {
        let start = self.at;
        let rest = self.rest();
        let digits = rest.strip_prefix('-').unwrap_or(rest);
        let length = digits.bytes().take_while(u8::is_ascii_digit).count();
        let written = &rest[..rest.len() - digits.len() + length];
        let is_plain = length == 1 || !digits.starts_with('0');
        let next = digits.get(length..).unwrap_or_default();
        let is_longer = next.starts_with(|c: char| c == '.' || is_name(c));
        if length == 0 || !is_plain || is_longer || written.parse::<i64>().is_err() {
            return Err(self.not_evaluated(start, "only decimal integers are evaluated as numbers"));
        }
        self.at += written.len();
        Ok(ExpressionKind::Integer(written.to_owned()))
    }

    /// Checks what follows an operand: nothing may touch it.
    fn end_of_operand(&mut self) -> Result<(), SyntaxError> {
        let rest = self.rest();
        let ends = rest.is_empty()
            || rest.starts_with(CLOSER)
            || rest.starts_with(|c: char| is_space_char(c) || matches!(c, '|' | ')'));
        match (ends, rest.chars().next()) {
            (true, _) | (_, None) => Ok(()),
            (false, Some(found)) => {
                let mut error = SyntaxError::new(self.at, format!("`{found}` is not allowed here"));
                error.help = Some(match found {
                    '-' | '/' | ':' => "a name with other characters than letters, digits and `_` is the key of `index`: `{{ index .metadata.labels \"a-b\" }}`".to_owned(),
                    _ => EVALUATED.to_owned(),
                });
                Err(error)
            }
        }
    }

    /// Returns the word at the current byte, such as a function's name.
    fn word(&self) -> Option<&'t str> {
        let rest = self.rest();
        let length = rest.find(|c: char| !is_name(c)).unwrap_or(rest.len());
        let word = rest.get(..length)?;
        let is_word = word.starts_with(|c: char| c == '_' || c.is_alphabetic());
        is_word.then_some(word)
    }

    fn expression(&self, kind: ExpressionKind, start: usize) -> Expression {
        Expression {
            kind,
            range: start..self.at,
        }
    }

    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn peek(&self, after: usize) -> Option<u8> {
        self.text.as_bytes().get(self.at + after).copied()
    }

    /// Returns whether ` -}}` begins before the current byte: white space was skipped.
    fn at_trimming_closer(&self) -> bool {
        let before = self
            .at
            .checked_sub(1)
            .and_then(|at| self.text.as_bytes().get(at));
        self.rest().starts_with("-}}") && before.copied().is_some_and(is_space)
    }

    fn skip_space(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start_matches(is_space_char).len();
    }

    fn unexpected(&self, expected: &str) -> SyntaxError {
        let mut error = SyntaxError::new(self.at, format!("expected {expected}"));
        error.unterminated = self.at >= self.text.len();
        if !error.unterminated {
            error.help = Some(EVALUATED.to_owned());
        }
        error
    }

    fn not_evaluated(&self, at: usize, message: &str) -> SyntaxError {
        let mut error = SyntaxError::new(at, message.to_owned());
        error.help = Some(EVALUATED.to_owned());
        error
    }
}

const fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n')
}

const fn is_space_char(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\r' | '\n')
}

fn is_name(c: char) -> bool {
    c == '_' || c.is_alphanumeric()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Writes an expression with parentheses around every call.
    fn written(expression: &Expression) -> String {
        match &expression.kind {
            ExpressionKind::Field(names) => {
                names.iter().map(|(name, _)| format!(".{name}")).collect()
            }
            ExpressionKind::Index { value, keys } => {
                let keys: Vec<_> = keys.iter().map(written).collect();
                format!("(index {} {})", written(value), keys.join(" "))
            }
            ExpressionKind::Default {
                fallback, value, ..
            } => {
                format!("(default {} {})", written(fallback), written(value))
            }
            ExpressionKind::String(text) => format!("{text:?}"),
            ExpressionKind::Integer(digits) => digits.clone(),
            ExpressionKind::Bool(value) => value.to_string(),
        }
    }

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let action = parse_action(text, 0).unwrap();
        assert_eq!(action.range, 0..text.len());
        assert_eq!(written(&action.expression.unwrap()), expected, "{text}");
    }

    #[track_caller]
    fn refuses(text: &str, at: usize, message: &str) {
        let error = parse_action(text, 0).unwrap_err();
        assert_eq!((error.at, &*error.message), (at, message), "{text}");
    }

    #[test]
    fn parses_values() {
        check("{{.name}}", ".name");
        check("{{ .metadata.labels.x }}", ".metadata.labels.x");
        check(
            "{{ index .metadata.annotations \"a.b/c\" }}",
            "(index .metadata.annotations \"a.b/c\")",
        );
        check("{{ index .a `b` 0 }}", "(index .a \"b\" 0)");
        check("{{ default \"x\" .y }}", "(default \"x\" .y)");
        check("{{ .y | default \"x\" }}", "(default \"x\" .y)");
        check(
            "{{ index .metadata.labels \"a\" | default .name | default 3 }}",
            "(default 3 (default .name (index .metadata.labels \"a\")))",
        );
        check(
            "{{ default true (index .a (.b)) }}",
            "(default true (index .a .b))",
        );
        check("{{ \"{{\" }}", "\"{{\"");
        check("{{ \"\\u00e9\\x41\\101\\n\" }}", "\"éAA\\n\"");
        check("{{\n.a\n}}", ".a");
    }

    #[test]
    fn trims_white_space_as_go_does() {
        let trims = |text: &str| {
            let action = parse_action(text, 0).unwrap();
            (
                action.trims_before,
                action.trims_after,
                action.expression.is_some(),
            )
        };
        assert_eq!(trims("{{- .a -}}"), (true, true, true));
        assert_eq!(trims("{{- .a }}"), (true, false, true));
        assert_eq!(trims("{{ .a | default \"x\" -}}"), (false, true, true));
        assert_eq!(trims("{{/* }} */}}"), (false, false, false));
        assert_eq!(trims("{{- /* a */ -}}"), (true, true, false));
        assert_eq!(trims("{{ -1 }}"), (false, false, true));
    }

    #[test]
    fn names_what_is_not_evaluated() {
        refuses(
            "{{ lower .name }}",
            3,
            "the function `lower` is not evaluated",
        );
        refuses(
            "{{ .name | upper }}",
            11,
            "the function `upper` is not evaluated",
        );
        refuses("{{ if .x }}", 3, "`if` is not evaluated");
        refuses("{{- range .x }}", 4, "`range` is not evaluated");
        refuses("{{ $x }}", 3, "variables are not evaluated");
        refuses("{{ . }}", 3, "`.` without a name is not evaluated");
        refuses("{{ .a-b }}", 5, "`-` is not allowed here");
        refuses("{{ .a .b }}", 6, "expected `|` or `}}` after a value");
        refuses(
            "{{ default .a .b .c }}",
            3,
            "`default` takes a fallback and a value, but 3 arguments were given",
        );
        refuses(
            "{{ index .a }}",
            3,
            "`index` takes a value and at least one key, but 1 were given",
        );
        refuses(
            "{{ 'a' }}",
            3,
            "a character in single quotes is not a string",
        );
        refuses(
            "{{ 0x1 }}",
            3,
            "only decimal integers are evaluated as numbers",
        );
        refuses(
            "{{ .a | .b }}",
            8,
            "a value is piped to something that is not a function",
        );
        refuses("{{ (index .a \"b\").c }}", 17, "`.` is not allowed here");
        refuses("{{ \"\\q\" }}", 4, "invalid escape sequence");
        refuses("{{}}", 2, "expected a value");
    }

    #[test]
    fn an_unclosed_action_is_unterminated() {
        for text in [
            "{{ .a",
            "{{",
            "{{ \"a",
            "{{ `a",
            "{{/* a",
            "{{ default \"x\" ",
            "{{ (.a",
        ] {
            assert!(parse_action(text, 0).unwrap_err().unterminated, "{text}");
        }
    }

    #[test]
    fn limits_the_nesting_of_parentheses() {
        let text = format!("{{{{ {}.a{} }}}}", "(".repeat(9_000), ")".repeat(9_000));
        assert!(parse_action(&text, 0).is_err());
    }
}
