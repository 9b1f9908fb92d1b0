//! A dialect for tests, as different from landfall's own as possible: `<<output>>`.
//!
//! ```text
//! reference = "<<" [function] path *argument ["??" argument] ">>"
//! path      = name *("/" name)               ; no binding is named
//! argument  = "`" text "`" / reference       ; references nest
//! ```
//!
//! `~<<output>>` is literal text, and `# set: <<output>>` sets a node. `x ?? y` is
//! `default(y)`, with at most one call before it.

use std::ops::Range;

use crate::reference::head::{skip_name, skip_space};
use crate::reference::{
    Argument, ArgumentValue, Call, Dialect, Insertion, Notation, Opening, Path, Position,
    Reference, Segment, Step, Syntax, SyntaxError,
};

#[derive(Debug)]
pub(super) struct Toy;

static NOTATION: Notation = Notation {
    id: "toy",
    opener: "<<",
    closer: ">>",
    escape: "~",
    setter: Some("set:"),
    form: "write `<<output>>`, or `~<<` for a literal `<<`",
    ..Notation::OWN
};

/// The maximum nesting of references: the parser is recursive.
const MAX_DEPTH: usize = 16;

impl Dialect for Toy {
    fn notation(&self) -> &'static Notation {
        &NOTATION
    }

    fn opening(&self, bytes: &[u8], at: usize) -> Option<Opening> {
        let mut name = name(bytes, skip_space(bytes, at + 2))?;
        // The first of two words is a function.
        let next = skip_space(bytes, name.end);
        if next > name.end
            && let Some(second) = self::name(bytes, next)
        {
            name = second;
        }
        Some(Opening {
            at,
            name,
            is_binding: false,
        })
    }

    fn parse(&self, text: &str, at: usize) -> Result<Reference, SyntaxError> {
        Parser { text, at }.reference(0)
    }

    fn extent(&self, raw: &str, at: usize) -> Range<usize> {
        let bytes = raw.as_bytes();
        let (mut end, mut open) = (at + 2, 1);
        while let Some(&byte) = bytes.get(end) {
            end += match &bytes[end..] {
                [b'<', b'<', ..] => {
                    open += 1;
                    2
                }
                [b'>', b'>', ..] => {
                    open -= 1;
                    2
                }
                [b'`', rest @ ..] => match memchr::memchr3(b'`', b'\n', b'\r', rest) {
                    Some(length) if rest[length] == b'`' => length + 2,
                    _ => break,
                },
                _ if matches!(byte, b' ' | b'\t' | b'/' | b'?') => 1,
                _ => match skip_name(bytes, end) - end {
                    0 => break,
                    length => length,
                },
            };
            if open == 0 {
                return at..end;
            }
        }
        // It is unclosed; trailing blanks belong to the manifest.
        at..at + raw[at..end].trim_end_matches([' ', '\t']).len()
    }

    fn write(&self, syntax: &Syntax<'_>, _: char) -> Option<String> {
        match syntax {
            Syntax::Reference(reference) => self.reference(reference),
            Syntax::Segment(path, nth) => {
                let name = segment(&path.segments.get(*nth)?.step)?;
                let slash = if *nth > 0 { "/" } else { "" };
                Some(format!("{slash}{name}"))
            }
            Syntax::Call(call) => match (call.function.as_str(), &call.arguments[..]) {
                ("default", [one]) => Some(format!("?? {}", self.argument(&one.value)?)),
                _ => {
                    let (before, after) = self.call(call)?;
                    Some(format!("{before}…{after}"))
                }
            },
            Syntax::Argument(argument) => self.argument(argument),
        }
    }

    fn append(&self, reference: &Reference, calls: &[Call], _: char) -> Option<Vec<Insertion>> {
        let ([], [call]) = (&reference.calls[..], calls) else {
            return None;
        };
        let (before, after) = self.call(call)?;
        let insertions = [
            (Position::AfterOpener, before),
            (Position::BeforeCloser, after),
        ];
        let insertions = insertions.into_iter();
        let insertions = insertions.map(|(position, text)| Insertion { position, text });
        Some(insertions.filter(|one| !one.text.is_empty()).collect())
    }
}

impl Toy {
    fn reference(&self, reference: &Reference) -> Option<String> {
        if reference.path.binding.is_some() {
            return None;
        }
        let mut path = Vec::new();
        for one in &reference.path.segments {
            path.push(segment(&one.step)?);
        }
        let path = path.join("/");
        let (call, default) = match &reference.calls[..] {
            [] => (None, None),
            [only] if only.function == "default" => (None, Some(only)),
            [only] => (Some(only), None),
            [call, default] if default.function == "default" => (Some(call), Some(default)),
            _ => return None,
        };
        let (before, after) = match call {
            Some(call) => self.call(call)?,
            None => Default::default(),
        };
        let default = match default {
            Some(default) => format!(" {}", self.write(&Syntax::Call(default), '`')?),
            None => String::new(),
        };
        Some(format!("<<{before}{path}{after}{default}>>"))
    }

    /// Returns what a call writes before its path, and after it.
    fn call(&self, call: &Call) -> Option<(String, String)> {
        let mut after = String::new();
        for argument in &call.arguments {
            after.push(' ');
            after.push_str(&self.argument(&argument.value)?);
        }
        Some((format!("{} ", call.function), after))
    }

    fn argument(&self, argument: &ArgumentValue) -> Option<String> {
        match argument {
            ArgumentValue::String(text) if !text.contains(['`', '\n', '\r']) => {
                Some(format!("`{text}`"))
            }
            ArgumentValue::Reference(reference) => self.reference(reference),
            _ => None,
        }
    }
}

fn segment(step: &Step) -> Option<String> {
    let key = step.key();
    let all = name(key.as_bytes(), 0)? == (0..key.len());
    all.then(|| key.into_owned())
}

/// Returns the bytes of the name that begins at byte `at`.
fn name(bytes: &[u8], at: usize) -> Option<Range<usize>> {
    let end = skip_name(bytes, at);
    (end > at).then_some(at..end)
}

struct Parser<'t> {
    text: &'t str,
    at: usize,
}

impl Parser<'_> {
    fn skip(&mut self) {
        self.at = skip_space(self.text.as_bytes(), self.at);
    }

    fn eat(&mut self, sign: &str) -> bool {
        let found = self.text[self.at..].starts_with(sign);
        self.at += if found { sign.len() } else { 0 };
        found
    }

    fn error(&self, expected: &str) -> SyntaxError {
        let mut error = SyntaxError::new(self.at, format!("expected {expected}"));
        error.unterminated = self.at == self.text.len();
        error
    }

    fn name(&mut self) -> Result<Range<usize>, SyntaxError> {
        self.skip();
        let name = name(self.text.as_bytes(), self.at).ok_or_else(|| self.error("a name"))?;
        self.at = name.end;
        Ok(name)
    }

    /// Parses a reference, from its opener.
    fn reference(&mut self, depth: usize) -> Result<Reference, SyntaxError> {
        let start = self.at;
        if depth == MAX_DEPTH {
            return Err(SyntaxError::new(
                start,
                "too many references in each other".to_owned(),
            ));
        }
        self.at += 2;
        let first = self.name()?;
        let mut calls = Vec::new();
        self.skip();
        let path = match name(self.text.as_bytes(), self.at) {
            Some(second) if second.start > first.end => {
                self.at = second.end;
                let path = self.path(second)?;
                calls.push(Call {
                    function: self.text[first.clone()].to_owned(),
                    range: first,
                    arguments: self.arguments(depth)?,
                });
                path
            }
            _ => {
                self.at = first.end;
                self.path(first)?
            }
        };
        self.skip();
        let range = self.at..self.at + 2;
        if self.eat("??") {
            self.skip();
            let argument = self
                .argument(depth)?
                .ok_or_else(|| self.error("an argument"))?;
            calls.push(Call {
                function: "default".to_owned(),
                range,
                arguments: vec![argument],
            });
            self.skip();
        }
        if !self.eat(">>") {
            return Err(self.error("`>>`"));
        }
        Ok(Reference {
            path,
            calls,
            range: start..self.at,
        })
    }

    fn path(&mut self, first: Range<usize>) -> Result<Path, SyntaxError> {
        let segment = |text: &str, whole: Range<usize>, range: Range<usize>| Segment {
            step: Step::Key(text[range.clone()].to_owned()),
            range,
            whole,
        };
        let start = first.start;
        let mut segments = vec![segment(self.text, first.clone(), first)];
        loop {
            let from = self.at;
            if !self.eat("/") {
                break;
            }
            let range = self.name()?;
            segments.push(segment(self.text, from..range.end, range));
        }
        Ok(Path {
            binding: None,
            segments,
            range: start..self.at,
        })
    }

    fn arguments(&mut self, depth: usize) -> Result<Vec<Argument>, SyntaxError> {
        let mut arguments = Vec::new();
        loop {
            self.skip();
            match self.argument(depth)? {
                Some(argument) => arguments.push(argument),
                None => return Ok(arguments),
            }
        }
    }

    fn argument(&mut self, depth: usize) -> Result<Option<Argument>, SyntaxError> {
        let start = self.at;
        let value = if self.text[start..].starts_with("<<") {
            ArgumentValue::Reference(Box::new(self.reference(depth + 1)?))
        } else if self.eat("`") {
            let Some(length) = self.text[self.at..].find('`') else {
                self.at = self.text.len();
                return Err(self.error("a backquote"));
            };
            let text = self.text[self.at..self.at + length].to_owned();
            self.at += length + 1;
            ArgumentValue::String(text)
        } else {
            return Ok(None);
        };
        let range = start..self.at;
        Ok(Some(Argument { value, range }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn written_references_parse_back() {
        for text in [
            "<<a>>",
            "<<a/b/0 ?? `x y`>>",
            "<<join a <<b ?? <<c>>>>>>",
            "<<trim a `/` ?? <<upper b>>>>",
        ] {
            let reference = Toy.parse(text, 0).unwrap();
            let written = Toy.write(&Syntax::Reference(&reference), '"');
            assert_eq!(written.as_deref(), Some(text));
            assert_eq!(Toy.extent(&format!("{text} x>>"), 0), 0..text.len());
        }
    }

    #[test]
    fn an_unclosed_extent_excludes_what_is_not_part_of_the_reference() {
        let extent = |raw: &'static str| &raw[Toy.extent(raw, 0)];
        assert_eq!(extent("<<a  # c"), "<<a");
        assert_eq!(extent("<<a ?? <<b>>\nc: >>"), "<<a ?? <<b>>");
        assert_eq!(extent("<<a ?? `b\n`>>"), "<<a ??");
    }

    #[test]
    fn limits_the_nesting_of_references() {
        let text = format!("{}a{}", "<<a ?? ".repeat(9_000), ">>".repeat(9_000));
        assert!(Toy.parse(&text, 0).is_err());
    }
}
