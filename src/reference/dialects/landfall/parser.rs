//! The parser of `${path | function(argument)}`.

use std::ops::Range;

use crate::reference::head::{is_name_byte, skip_name, skip_space};
use crate::reference::{Call, Path, Reference, Segment, Step};

/// Where a text stops being a valid reference, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SyntaxError {
    /// The offset of the byte that is not allowed, or the text's length at its end.
    pub(crate) at: usize,
    pub(crate) message: String,
    /// What to write instead, if that is known.
    pub(crate) help: Option<String>,
    /// Whether the closing `}` is missing: the text, or a line, ended before it.
    pub(crate) unterminated: bool,
}

impl SyntaxError {
    pub(crate) fn new(at: usize, message: String) -> Self {
        Self {
            at,
            message,
            help: None,
            unterminated: false,
        }
    }

    pub(super) fn help(self, help: String) -> Self {
        Self {
            help: Some(help),
            ..self
        }
    }
}

/// Parses the reference whose `$` is at byte `at` of `text`.
pub(crate) fn parse(text: &str, at: usize) -> Result<Reference, SyntaxError> {
    match parse_partial(text, at) {
        (reference, None) => Ok(reference),
        (_, Some(error)) => Err(error),
    }
}

/// Parses as much as there is of the reference whose `$` is at byte `at` of `text`, and
/// returns its first error.
///
/// An invalid argument or key still becomes a node. Parsing stops at a missing token: the
/// range ends there, and the last node may be incomplete: a name without bytes, a key
/// without a closing quote, a path without segments.
pub(crate) fn parse_partial(text: &str, at: usize) -> (Reference, Option<SyntaxError>) {
    let mut parser = Parser {
        text,
        bytes: text.as_bytes(),
        at: at + 2,
        depth: 0,
        first_error: None,
    };
    let mut path = Path::default();
    let mut calls = Vec::new();
    let result = parser.reference(&mut path, &mut calls);
    let reference = Reference {
        path,
        calls,
        range: at..parser.at,
    };
    (reference, parser.first_error.or(result.err()))
}

/// Whether `key` may follow a dot.
pub(crate) fn is_key(key: &str) -> bool {
    !key.is_empty() && key.bytes().all(is_name_byte)
}

pub(super) struct Parser<'t> {
    pub(super) text: &'t str,
    pub(super) bytes: &'t [u8],
    pub(super) at: usize,
    /// How many calls are arguments of each other here.
    pub(super) depth: usize,
    /// The first error after which parsing continued.
    first_error: Option<SyntaxError>,
}

impl Parser<'_> {
    /// Skips white space and returns the next byte.
    pub(super) fn peek(&mut self) -> Option<u8> {
        self.at = skip_space(self.bytes, self.at);
        self.bytes.get(self.at).copied()
    }

    pub(super) fn error(&mut self, expected: &str) -> SyntaxError {
        // A missing `}` is noticed at the end of the text or of its line.
        let seen = self.peek();
        let found = self
            .text
            .get(self.at..)
            .and_then(|rest| rest.chars().next());
        let message = match found {
            Some(found) => format!("expected {expected}, found `{}`", found.escape_debug()),
            None => format!("expected {expected}, found end of text"),
        };
        let between = self.bytes[..self.at]
            .iter()
            .rev()
            .take_while(|b| b.is_ascii_whitespace());
        let on_new_line = between.clone().any(|b| *b == b'\n');
        SyntaxError {
            unterminated: seen.is_none() || on_new_line,
            ..SyntaxError::new(self.at, message)
        }
    }

    /// Records an error after which parsing continues.
    pub(super) fn recover(&mut self, error: SyntaxError) {
        self.first_error.get_or_insert(error);
    }

    fn expect(&mut self, byte: u8, expected: &str) -> Result<(), SyntaxError> {
        if self.peek() == Some(byte) {
            self.at += 1;
            return Ok(());
        }
        Err(self.error(expected))
    }

    fn reference(&mut self, path: &mut Path, calls: &mut Vec<Call>) -> Result<(), SyntaxError> {
        self.path(path)?;
        loop {
            match self.peek() {
                Some(b'|') => {
                    self.at += 1;
                    self.call(calls)?;
                }
                Some(b'}') => {
                    self.at += 1;
                    return Ok(());
                }
                _ => return Err(self.error("`}`, `|`, `.` or `[`")),
            }
        }
    }

    /// Reads a run of name bytes, which may be empty.
    pub(super) fn word(&mut self) -> Range<usize> {
        self.peek();
        let start = self.at;
        self.at = skip_name(self.bytes, start);
        start..self.at
    }

    fn require(&mut self, word: &Range<usize>, expected: &str) -> Result<(), SyntaxError> {
        if word.is_empty() {
            return Err(self.error(expected));
        }
        Ok(())
    }

    pub(super) fn path(&mut self, path: &mut Path) -> Result<(), SyntaxError> {
        path.range = self.word();
        path.binding = Some(self.text[path.range.clone()].to_owned());
        self.require(&path.range, "a binding name")?;
        loop {
            match self.peek() {
                Some(b'.') => {
                    let start = self.at;
                    self.at += 1;
                    let range = self.word();
                    path.segments.push(Segment {
                        step: Step::Key(self.text[range.clone()].to_owned()),
                        whole: start..range.end,
                        range: range.clone(),
                    });
                    if range.is_empty() && self.peek() == Some(b'*') {
                        let help = "to map over the items of a list, write `[*]`".to_owned();
                        return Err(self.error("an output name or key").help(help));
                    }
                    self.require(&range, "an output name or key")?;
                }
                Some(b'[') => {
                    let whole = self.at..self.at;
                    self.at += 1;
                    path.segments.push(Segment {
                        step: Step::Key(String::new()),
                        range: self.at..self.at,
                        whole,
                    });
                    let is_first = path.segments.len() == 1;
                    if let Some(segment) = path.segments.last_mut() {
                        self.bracket(segment, is_first)?;
                        self.expect(b']', "`]`")?;
                        segment.whole.end = self.at;
                    }
                }
                _ if path.segments.is_empty() => return Err(self.error("`.` or `[`")),
                _ => return Ok(()),
            }
            path.range.end = self.at;
        }
    }

    /// Parses what is between `[` and `]`. `is_first` is whether it names an output.
    fn bracket(&mut self, segment: &mut Segment, is_first: bool) -> Result<(), SyntaxError> {
        if let Some(b'*') = self.peek() {
            segment.step = Step::Splat;
            segment.range = self.at..self.at + 1;
            self.at += 1;
            if is_first {
                let message = "`[*]` is not the name of an output".to_owned();
                let help = "write it after an output that is a list: `name.output[*]`".to_owned();
                self.recover(SyntaxError::new(segment.range.start, message).help(help));
            }
            return Ok(());
        }
        if let Some(quote @ (b'"' | b'\'')) = self.peek() {
            let mut key = String::new();
            let start = self.at + 1;
            let result = self.string(quote, &mut key);
            segment.step = Step::Key(key);
            // Without a closing quote it ends where parsing stopped.
            segment.range = start..self.at - usize::from(result.is_ok());
            return result.map(|_| ());
        }
        let range = self.word();
        let digits = &self.text[range.clone()];
        segment.step = Step::Key(digits.to_owned());
        segment.range = range.clone();
        self.require(&range, "a quoted key, an index or `*`")?;
        match digits.parse() {
            Ok(index) if is_digits(digits) => segment.step = Step::Index(index),
            _ if digits.strip_prefix('-').is_some_and(is_digits) => {
                let help = format!("to count from the end, write `| at({digits})` after the path");
                let message = "an index cannot be negative".to_owned();
                self.recover(SyntaxError::new(range.start, message).help(help));
            }
            _ => {
                let message = format!("`{digits}` is not an index");
                let help = format!("quote a key: `[\"{digits}\"]`");
                self.recover(SyntaxError::new(range.start, message).help(help));
            }
        }
        Ok(())
    }

    pub(super) fn call(&mut self, calls: &mut Vec<Call>) -> Result<(), SyntaxError> {
        let range = self.word();
        calls.push(Call {
            function: self.text[range.clone()].to_owned(),
            range: range.clone(),
            arguments: Vec::new(),
        });
        self.require(&range, "a function name")?;
        let (Some(b'('), Some(call)) = (self.peek(), calls.last_mut()) else {
            return Ok(());
        };
        self.at += 1;
        if self.peek() == Some(b')') {
            self.at += 1;
            return Ok(());
        }
        loop {
            self.argument(call)?;
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b')') => {
                    self.at += 1;
                    return Ok(());
                }
                _ => return Err(self.error("`,` or `)`")),
            }
        }
    }

    /// Decodes a string into `value` and returns its range, with its quotes. The escapes
    /// are `\\ \" \' \n \t \uXXXX`.
    pub(super) fn string(
        &mut self,
        quote: u8,
        value: &mut String,
    ) -> Result<Range<usize>, SyntaxError> {
        let start = self.at;
        self.at += 1;
        loop {
            let Some(character) = self
                .text
                .get(self.at..)
                .and_then(|rest| rest.chars().next())
            else {
                let message = format!("expected `{}` to close the string", char::from(quote));
                return Err(SyntaxError {
                    unterminated: true,
                    ..SyntaxError::new(start, message)
                });
            };
            let here = self.at;
            self.at += character.len_utf8();
            match character {
                _ if character == char::from(quote) => return Ok(start..self.at),
                '\\' => match self.escape(here) {
                    Ok(escaped) => value.push(escaped),
                    Err(error) => self.recover(error),
                },
                _ => value.push(character),
            }
        }
    }

    fn escape(&mut self, at: usize) -> Result<char, SyntaxError> {
        let invalid = || {
            let help = "valid escapes: \\\\ \\\" \\' \\n \\t \\uXXXX".to_owned();
            SyntaxError::new(at, "unknown escape".to_owned()).help(help)
        };
        let mut rest = self.text.get(self.at..).unwrap_or_default().chars();
        let escaped = rest.next().ok_or_else(invalid)?;
        self.at += escaped.len_utf8();
        Ok(match escaped {
            '\\' | '"' | '\'' => escaped,
            'n' => '\n',
            't' => '\t',
            'u' => {
                let digits = self.text.get(self.at..self.at + 4).ok_or_else(invalid)?;
                // `from_str_radix` accepts a sign.
                if digits.starts_with('+') {
                    return Err(invalid());
                }
                let code = u32::from_str_radix(digits, 16).map_err(|_| invalid())?;
                let character = char::from_u32(code).ok_or_else(invalid)?;
                self.at += 4;
                character
            }
            _ => return Err(invalid()),
        })
    }
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reference::ArgumentValue;

    fn parsed(text: &str) -> String {
        match parse(text, 0) {
            Ok(reference) => {
                let calls: Vec<_> = reference
                    .calls
                    .iter()
                    .map(|c| format!(" | {}/{}", c.function, c.arguments.len()))
                    .collect();
                format!(
                    "{}{} ..{}",
                    reference.path.display(),
                    calls.concat(),
                    reference.range.end
                )
            }
            Err(error) => format!(
                "{}: {}{}",
                error.at,
                error.message,
                match (error.help, error.unterminated) {
                    (_, true) => " (unterminated)".to_owned(),
                    (Some(help), false) => format!(" / {help}"),
                    (None, false) => String::new(),
                }
            ),
        }
    }

    #[test]
    fn paths() {
        assert_eq!(parsed("${infra.vpc_id}"), "infra.vpc_id ..15");
        assert_eq!(
            parsed("${ infra . vpc-id [ 0 ] [\"any key\"]['k'].0 }"),
            "infra.vpc-id[0][\"any key\"].k.0 ..44"
        );
        assert_eq!(parsed("${a.b[*].c[ * ][0]}"), "a.b[*].c[*][0] ..19");
    }

    #[test]
    fn calls() {
        assert_eq!(
            parsed("${a.b | default(\"x } | y\") | json}"),
            "a.b | default/1 | json/0 ..34"
        );
        assert_eq!(
            parsed("${a.b|replace('a',\"b\")|at(-1)|f(true,null,c.d[0],1.5e3)|g()}"),
            "a.b | replace/2 | at/1 | f/4 | g/0 ..60"
        );
        assert_eq!(parsed("${a.b | default(-1e400)}"), "a.b | default/1 ..24");
    }

    #[test]
    fn errors_have_an_offset_and_what_was_expected() {
        assert_eq!(
            parsed("${a.}"),
            "4: expected an output name or key, found `}`"
        );
        assert_eq!(
            parsed("${a.b"),
            "5: expected `}`, `|`, `.` or `[`, found end of text (unterminated)"
        );
        assert_eq!(
            parsed("${a.b\nc: d"),
            "6: expected `}`, `|`, `.` or `[`, found `c` (unterminated)"
        );
        assert_eq!(
            parsed("${a.b | }"),
            "8: expected a function name, found `}`"
        );
        assert_eq!(
            parsed("${a.b | default(x)}"),
            "16: `x` is not a valid argument / quote a string: `\"x\"`"
        );
        assert_eq!(
            parsed("${a[b]}"),
            "4: `b` is not an index / quote a key: `[\"b\"]`"
        );
        assert_eq!(
            parsed("${a[*].b}"),
            "4: `[*]` is not the name of an output / write it after an output that is a list: `name.output[*]`"
        );
        assert_eq!(
            parsed("${a.b.*.c}"),
            "6: expected an output name or key, found `*` / to map over the items of a list, write `[*]`"
        );
        assert_eq!(parsed("${a.b[**]}"), "7: expected `]`, found `*`");
        assert_eq!(
            parsed("${a.b | default(\"x)}"),
            "16: expected `\"` to close the string (unterminated)"
        );
        assert_eq!(
            parsed("${a.b | default(\"\\x\")}"),
            "17: unknown escape / valid escapes: \\\\ \\\" \\' \\n \\t \\uXXXX"
        );
        assert_eq!(
            parsed("${a.b | default(\"\\é\")}"),
            "17: unknown escape / valid escapes: \\\\ \\\" \\' \\n \\t \\uXXXX"
        );
        assert_eq!(parsed("${a.b | at(01)}"), "11: `01` is not a JSON number");
    }

    /// Returns the nodes of an unfinished reference, and where parsing stopped.
    fn unfinished(text: &str) -> String {
        fn path(nodes: &mut Vec<String>, text: &str, path: &Path) {
            nodes.push(format!(
                "binding `{}`",
                path.binding.as_deref().unwrap_or_default()
            ));
            for segment in &path.segments {
                let written = &text[segment.range.clone()];
                nodes.push(format!("{:?} `{written}`", segment.step));
            }
        }
        let (reference, error) = parse_partial(text, 0);
        assert!(error.is_some(), "{text}");
        let mut nodes = Vec::new();
        path(&mut nodes, text, &reference.path);
        for call in &reference.calls {
            nodes.push(format!("call `{}`", &text[call.range.clone()]));
            for argument in &call.arguments {
                match &argument.value {
                    ArgumentValue::Path(found) => path(&mut nodes, text, found),
                    _ => nodes.push(format!("argument `{}`", &text[argument.range.clone()])),
                }
            }
        }
        format!("{} ..{}", nodes.join(", "), reference.range.end)
    }

    #[test]
    fn an_unfinished_reference_ends_where_parsing_stops() {
        assert_eq!(unfinished("${"), "binding `` ..2");
        assert_eq!(unfinished("${ inf x}"), "binding `inf` ..7");
        assert_eq!(unfinished("${a."), "binding `a`, Key(\"\") `` ..4");
        assert_eq!(unfinished("${a.b"), "binding `a`, Key(\"b\") `b` ..5");
        assert_eq!(
            unfinished("${a[\"b c"),
            "binding `a`, Key(\"b c\") `b c` ..8"
        );
        assert_eq!(
            unfinished("${a[\"b\"].c[0"),
            "binding `a`, Key(\"b\") `b`, Key(\"c\") `c`, Index(0) `0` ..12"
        );
        assert_eq!(
            unfinished("${a.b[*"),
            "binding `a`, Key(\"b\") `b`, Splat `*` ..7"
        );
        assert_eq!(
            unfinished("${a.b[*]."),
            "binding `a`, Key(\"b\") `b`, Splat `*`, Key(\"\") `` ..9"
        );
        assert_eq!(unfinished("${a[b c"), "binding `a`, Key(\"b\") `b` ..6");
        assert_eq!(
            unfinished("${a.b | "),
            "binding `a`, Key(\"b\") `b`, call `` ..8"
        );
        assert_eq!(
            unfinished("${a.b | at(1) | f(\"x\", c."),
            "binding `a`, Key(\"b\") `b`, call `at`, argument `1`, call `f`, argument `\"x\"`, binding `c`, Key(\"\") `` ..25"
        );
        assert_eq!(
            unfinished("${a.b | f(c"),
            "binding `a`, Key(\"b\") `b`, call `f`, binding `c` ..11"
        );
        assert_eq!(
            unfinished("${a.b | f("),
            "binding `a`, Key(\"b\") `b`, call `f`, binding `` ..10"
        );
        assert_eq!(
            unfinished("${a.b | f(\"${c.d"),
            "binding `a`, Key(\"b\") `b`, call `f` ..16"
        );
    }

    #[test]
    fn parsing_continues_after_an_invalid_argument_or_key() {
        assert_eq!(
            unfinished("${a[b].c | at(01) | f(x, \"\\x\") | g"),
            "binding `a`, Key(\"b\") `b`, Key(\"c\") `c`, call `at`, argument `01`, call `f`, binding `x`, argument `\"\\x\"`, call `g` ..34"
        );
        let (reference, error) = parse_partial("${a.b | at(01) | f(x)} c", 0);
        assert_eq!(reference.range, 0..22);
        assert_eq!(error.map(|error| error.at), Some(11));
    }
}
