//! The parser of `${name}` and of Flux's operations on it.

use std::ops::Range;

use crate::reference::{
    Argument, ArgumentValue, Call, Path, Reference, Segment, Step, SyntaxError,
};

/// The maximum nesting of references: the parser is recursive.
const MAX_DEPTH: usize = 32;

/// Text that is not meant for Flux.
const NOT_FLUX: &str = "for text that is not Flux's, write `$$` instead of `$`, or leave the whole resource unchanged with the annotation `kustomize.toolkit.fluxcd.io/substitute: disabled`";

/// Where the text of an argument ends.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    /// At `}`.
    Brace,
    /// At `:` or `}`.
    Colon,
    /// At `/`, and not at `}`.
    Slash,
}

pub(super) struct Parser<'t> {
    text: &'t str,
    at: usize,
    depth: usize,
}

impl<'t> Parser<'t> {
    /// Creates the parser of the reference whose `$` is at byte `at`.
    pub(super) const fn new(text: &'t str, at: usize) -> Self {
        Self { text, at, depth: 0 }
    }

    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    /// Skips the characters that are accepted, and returns their bytes.
    fn take_while(&mut self, accept: impl Fn(char) -> bool) -> Range<usize> {
        let start = self.at;
        let rest = self.rest();
        self.at += rest.find(|c| !accept(c)).unwrap_or(rest.len());
        start..self.at
    }

    fn error(&self, expected: &str) -> SyntaxError {
        let found = match self.peek() {
            Some(found) => format!("found `{}`", found.escape_debug()),
            None => "found end of text".to_owned(),
        };
        SyntaxError {
            unterminated: self.peek().is_none(),
            ..SyntaxError::new(self.at, format!("expected {expected}, {found}"))
        }
    }

    fn close(&mut self, expected: &str) -> Result<(), SyntaxError> {
        if self.peek() == Some('}') {
            self.at += 1;
            return Ok(());
        }
        Err(self.error(expected))
    }

    fn name(&mut self) -> Result<Path, SyntaxError> {
        let range = self.take_while(is_name);
        if range.is_empty() {
            let mut error = self.error("a variable name");
            if !error.unterminated {
                error.help = Some(NOT_FLUX.to_owned());
            }
            return Err(error);
        }
        let name = self.text.get(range.clone()).unwrap_or_default();
        let segment = Segment {
            step: Step::Key(name.to_owned()),
            range: range.clone(),
            whole: range.clone(),
        };
        Ok(Path {
            binding: None,
            segments: vec![segment],
            range,
        })
    }

    /// Parses a reference, from its opener.
    ///
    /// # Errors
    /// The first syntax error, where Flux fails as well.
    pub(super) fn reference(mut self) -> Result<Reference, SyntaxError> {
        self.nested()
    }

    fn nested(&mut self) -> Result<Reference, SyntaxError> {
        let start = self.at;
        if self.depth == MAX_DEPTH {
            let message = format!("more than {MAX_DEPTH} references in each other");
            return Err(SyntaxError::new(start, message));
        }
        self.depth += 1;
        self.at += 2;
        let (path, calls) = match self.peek() {
            Some('#') => self.length()?,
            _ => {
                let path = self.name()?;
                let calls = self.operation(&path)?;
                (path, calls)
            }
        };
        self.depth -= 1;
        Ok(Reference {
            path,
            calls,
            range: start..self.at,
        })
    }

    /// Parses `#name}`.
    fn length(&mut self) -> Result<(Path, Vec<Call>), SyntaxError> {
        let range = self.at..self.at + 1;
        self.at += 1;
        let path = self.name()?;
        self.close("`}`")?;
        let call = Call {
            function: "${#}".to_owned(),
            range,
            arguments: Vec::new(),
        };
        Ok((path, vec![call]))
    }

    /// Parses what follows a name, including `}`.
    fn operation(&mut self, path: &Path) -> Result<Vec<Call>, SyntaxError> {
        let start = self.at;
        let mut operator = |length: usize| {
            self.at += length;
            start..self.at
        };
        let rest = self.text.get(start..).unwrap_or_default();
        let arguments_of: fn(&mut Self) -> Result<Vec<Argument>, SyntaxError>;
        let range = match rest.as_bytes() {
            [b'}', ..] => {
                self.at += 1;
                return Ok(Vec::new());
            }
            [b':', b'=' | b'-' | b'?' | b'+', ..] => {
                arguments_of = Self::default;
                operator(2)
            }
            [b'=', ..] => {
                arguments_of = Self::default;
                operator(1)
            }
            [b':', ..] => {
                arguments_of = Self::substring;
                operator(1)
            }
            [b'/', b'/' | b'#' | b'%', ..] => {
                arguments_of = Self::replacement;
                operator(2)
            }
            [b'/', ..] => {
                arguments_of = Self::replacement;
                operator(1)
            }
            [one @ (b'#' | b'%'), two, ..] => {
                arguments_of = Self::pattern;
                operator(1 + usize::from(one == two))
            }
            [b'^' | b',', b'^' | b',', ..] => {
                arguments_of = Self::no_arguments;
                operator(2)
            }
            [b'^' | b',', ..] => {
                arguments_of = Self::no_arguments;
                operator(1)
            }
            _ => return Err(self.no_operator(path)),
        };
        let arguments = arguments_of(self)?;
        let function = match self.text.get(range.clone()).unwrap_or_default() {
            "=" | ":=" | ":-" => "default",
            // Flux changes nothing then.
            "^," | ",^" => return Ok(Vec::new()),
            operator => operator,
        };
        Ok(vec![Call {
            function: function.to_owned(),
            range,
            arguments,
        }])
    }

    /// Returns the error for what follows a name and is not an operator.
    fn no_operator(&self, path: &Path) -> SyntaxError {
        let mut error = self.error("`}` or an operator");
        if error.unterminated {
            return error;
        }
        let name = self.text.get(path.range.clone()).unwrap_or_default();
        let word = self.rest();
        let end = word.find('}').unwrap_or(word.len());
        let word = word.get(..end).unwrap_or_default();
        error.help = Some(match word.as_bytes() {
            [b'-' | b'.', after @ ..] if after.iter().all(|b| is_output_byte(*b)) => {
                let variable = format!("{name}{word}").replace(['-', '.'], "_");
                format!(
                    "the name of a variable has letters, digits and `_`: `${{{variable}}}` reads the output `{name}{word}`; a fallback is written `${{{name}:-…}}`"
                )
            }
            [operator @ (b'-' | b'+' | b'?'), ..] => {
                let operator = char::from(*operator);
                format!(
                    "Flux does not parse `{operator}` without `:`; a fallback is written `${{{name}:-…}}`"
                )
            }
            _ => NOT_FLUX.to_owned(),
        });
        error
    }

    fn no_arguments(&mut self) -> Result<Vec<Argument>, SyntaxError> {
        self.close("`}`")?;
        Ok(Vec::new())
    }

    /// Parses a fallback: text and references, in any order.
    fn default(&mut self) -> Result<Vec<Argument>, SyntaxError> {
        let start = self.at;
        let mut parts = Vec::new();
        while self.peek() != Some('}') {
            parts.push(self.argument(End::Brace, "`}`")?);
        }
        let range = start..self.at;
        self.close("`}`")?;
        let value = match parts.len() {
            0 => ArgumentValue::String(String::new()),
            1 => return Ok(parts),
            _ => ArgumentValue::Concatenation(parts),
        };
        Ok(vec![Argument { value, range }])
    }

    fn substring(&mut self) -> Result<Vec<Argument>, SyntaxError> {
        let mut arguments = vec![self.argument(End::Colon, "a position")?];
        if !self.take_while(|c| c == ':').is_empty() {
            arguments.push(self.argument(End::Brace, "a length")?);
        }
        self.close("`}`")?;
        Ok(arguments)
    }

    fn pattern(&mut self) -> Result<Vec<Argument>, SyntaxError> {
        let argument = self.argument(End::Brace, "a pattern")?;
        self.close("`}`")?;
        Ok(vec![argument])
    }

    fn replacement(&mut self) -> Result<Vec<Argument>, SyntaxError> {
        let mut arguments = vec![self.argument(End::Slash, "the text to replace")?];
        if self.take_while(|c| c == '/').is_empty() {
            let mut error = self.error("`/` after the text to replace");
            error.help = Some("to remove text, write `${name/text/}`".to_owned());
            return Err(error);
        }
        if self.peek() != Some('}') {
            let start = self.at;
            let argument = if self.rest().starts_with("${") {
                self.argument(End::Brace, "`}`")?
            } else {
                self.escaped(start, End::Brace, "`}`")?
            };
            arguments.push(argument);
        }
        self.close("`}`")?;
        Ok(arguments)
    }

    /// Parses one argument, which is not empty: a reference, or the text before `end` or a
    /// reference.
    fn argument(&mut self, end: End, expected: &str) -> Result<Argument, SyntaxError> {
        let start = self.at;
        if self.rest().starts_with("${") {
            let reference = self.nested()?;
            return Ok(Argument {
                range: reference.range.clone(),
                value: ArgumentValue::Reference(Box::new(reference)),
            });
        }
        if end == End::Slash {
            return self.escaped(start, end, expected);
        }
        while let Some(character) = self.peek() {
            if is_end(character, end) || self.rest().starts_with("${") {
                break;
            }
            self.at += character.len_utf8();
        }
        let range = start..self.at;
        if range.is_empty() {
            return Err(self.error(expected));
        }
        let text = self.text.get(range.clone()).unwrap_or_default();
        Ok(Argument {
            value: ArgumentValue::String(text.to_owned()),
            range,
        })
    }

    /// Parses the text of a replacement, in which `$$`, `\/` and `\\` are escapes.
    fn escaped(&mut self, start: usize, end: End, expected: &str) -> Result<Argument, SyntaxError> {
        let mut text = String::new();
        while let Some(character) = self.peek() {
            let rest = self.rest();
            if rest.starts_with("${") {
                break;
            }
            let escaped = ["$$", "\\/", "\\\\"].iter().any(|it| rest.starts_with(it));
            if escaped {
                self.at += 1;
            } else if is_end(character, end) {
                break;
            }
            let Some(character) = self.peek() else { break };
            text.push(character);
            self.at += character.len_utf8();
        }
        if self.at == start {
            return Err(self.error(expected));
        }
        Ok(Argument {
            value: ArgumentValue::String(text),
            range: start..self.at,
        })
    }
}

fn is_end(character: char, end: End) -> bool {
    match end {
        End::Brace => character == '}',
        End::Colon => matches!(character, ':' | '}'),
        End::Slash => character == '/',
    }
}

/// Whether a character may be part of a name: the library accepts all letters, though the
/// names of variables are ASCII.
fn is_name(character: char) -> bool {
    let is_letter = character.is_alphabetic() && !character.is_numeric();
    is_letter || character.is_ascii_digit() || character == '_'
}

const fn is_output_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.')
}

/// Returns the bytes of the name that begins at byte `at`.
pub(super) fn name_at(bytes: &[u8], at: usize) -> Range<usize> {
    let at = at.min(bytes.len());
    let is_part = |byte: &&u8| byte.is_ascii_alphanumeric() || **byte == b'_' || !byte.is_ascii();
    let length = bytes[at..].iter().take_while(is_part).count();
    let mut chunks = bytes[at..at + length].utf8_chunks();
    let text = chunks.next().map_or("", |chunk| chunk.valid());
    at..at + text.find(|c| !is_name(c)).unwrap_or(text.len())
}
