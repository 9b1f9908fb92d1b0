//! landfall's own dialect: `${path | function(argument)}`.

mod argument;
mod extent;
mod parser;

pub(crate) use extent::extent;
pub(crate) use parser::{SyntaxError, is_key, parse, parse_partial};

use std::ops::Range;

use crate::reference::head::{skip_name, skip_space};
use crate::reference::{
    ArgumentValue, Call, Dialect, Insertion, Notation, Opening, Path, Position, Reference, Step,
    Syntax,
};

/// The dialect of manifests that are written for landfall.
#[derive(Debug)]
pub(super) struct Landfall;

static NOTATION: Notation = Notation {
    id: "landfall",
    opener: "${",
    closer: "}",
    escape: "$",
    setter: Some("landfall:"),
    form: "write `${name.output}`, with functions after `|`, or `$${` for a literal `${`",
    ..Notation::OWN
};

impl Dialect for Landfall {
    fn notation(&self) -> &'static Notation {
        &NOTATION
    }

    fn opening(&self, bytes: &[u8], at: usize) -> Option<Opening> {
        let start = skip_breaks(bytes, at + 2);
        let end = skip_name(bytes, start);
        let begins = bytes
            .get(start)
            .is_some_and(|b| b.is_ascii_alphabetic() || *b == b'_');
        let next = bytes.get(skip_breaks(bytes, end));
        (begins && matches!(next, Some(b'.' | b'['))).then_some(Opening {
            at,
            name: start..end,
            is_binding: true,
        })
    }

    fn parse(&self, text: &str, at: usize) -> Result<Reference, SyntaxError> {
        parse(text, at)
    }

    fn extent(&self, raw: &str, at: usize) -> Range<usize> {
        extent(raw, at)
    }

    fn write(&self, syntax: &Syntax<'_>, quote: char) -> Option<String> {
        Some(match syntax {
            Syntax::Reference(reference) => self.reference(reference, quote)?,
            Syntax::Segment(path, nth) => segment(&path.segments.get(*nth)?.step, quote),
            Syntax::Call(call) => format!("| {}", self.call(call, quote)?),
            Syntax::Argument(argument) => self.argument(argument, quote)?,
        })
    }

    fn append(&self, _: &Reference, calls: &[Call], quote: char) -> Option<Vec<Insertion>> {
        let mut text = String::new();
        for call in calls {
            text.push_str(" | ");
            text.push_str(&self.call(call, quote)?);
        }
        let position = Position::BeforeCloser;
        Some(vec![Insertion { position, text }])
    }
}

impl Landfall {
    fn reference(&self, reference: &Reference, quote: char) -> Option<String> {
        let mut text = format!("${{{}", path(&reference.path, quote)?);
        for call in &reference.calls {
            text.push_str(" | ");
            text.push_str(&self.call(call, quote)?);
        }
        text.push('}');
        Some(text)
    }

    fn call(&self, call: &Call, quote: char) -> Option<String> {
        if call.arguments.is_empty() {
            return Some(call.function.clone());
        }
        let mut text = format!("{}(", call.function);
        for (nth, argument) in call.arguments.iter().enumerate() {
            if nth > 0 {
                text.push_str(", ");
            }
            text.push_str(&self.argument(&argument.value, quote)?);
        }
        text.push(')');
        Some(text)
    }

    fn argument(&self, argument: &ArgumentValue, quote: char) -> Option<String> {
        Some(match argument {
            ArgumentValue::Null => "null".to_owned(),
            ArgumentValue::Omit => "omit".to_owned(),
            ArgumentValue::Bool(value) => value.to_string(),
            ArgumentValue::Number(digits) => digits.clone(),
            ArgumentValue::String(text) => quoted(text, quote),
            ArgumentValue::Path(argument) => path(argument, quote)?,
            ArgumentValue::Call(call) => self.call(call, quote)?,
            // An argument cannot call functions.
            ArgumentValue::Reference(reference) if reference.calls.is_empty() => {
                path(&reference.path, quote)?
            }
            ArgumentValue::Reference(_) | ArgumentValue::Concatenation(_) => return None,
        })
    }
}

/// Writes a path; returns `None` if it names no binding.
fn path(path: &Path, quote: char) -> Option<String> {
    let mut text = path.binding.clone()?;
    path.segments
        .iter()
        .for_each(|step| text.push_str(&segment(&step.step, quote)));
    Some(text)
}

fn segment(step: &Step, quote: char) -> String {
    match step {
        Step::Key(key) if is_key(key) => format!(".{key}"),
        Step::Key(key) => format!("[{}]", quoted(key, quote)),
        Step::Index(index) => format!("[{index}]"),
        Step::Splat => "[*]".to_owned(),
    }
}

fn quoted(text: &str, quote: char) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push(quote);
    for character in text.chars() {
        match character {
            '\n' => quoted.push_str("\\n"),
            '\t' => quoted.push_str("\\t"),
            _ => {
                if character == '\\' || character == quote {
                    quoted.push('\\');
                }
                quoted.push(character);
            }
        }
    }
    quoted.push(quote);
    quoted
}

/// Like [`skip_space`], but also skips what may be an escaped line break in double quotes:
/// the decoded text decides later whether it is one.
fn skip_breaks(bytes: &[u8], at: usize) -> usize {
    let at = skip_space(bytes, at);
    match bytes.get(at..at + 2) {
        Some(b"\\\n" | b"\\\r") => skip_breaks(bytes, at + 2),
        _ => at,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn written_references_parse_back() {
        for text in [
            "${a.b}",
            "${a.b[0].c[\"d e\"] | default(\"\\\"x\\\\\") | at(-1)}",
            "${a[\"b c\"] | f(null, true, 1.5e3, b.c[2]) | g}",
            "${a.b[*].c[*][0] | f(b.c[*])}",
            "${a.b | each(each(f(\"x\", b.c))) | each(g)}",
            "${a.b | default(omit) | spread}",
        ] {
            let reference = parse(text, 0).unwrap();
            let written = Landfall.write(&Syntax::Reference(&reference), '"');
            assert_eq!(written.as_deref(), Some(text));
        }
    }

    #[test]
    fn calls_are_appended_before_the_closing_brace() {
        let reference = parse("${a.b}", 0).unwrap();
        let calls = [Call::new("join", &[","]), Call::new("base64", &[])];
        let inserted = Landfall.append(&reference, &calls, '\'').unwrap();
        assert_eq!(
            inserted,
            [Insertion {
                position: Position::BeforeCloser,
                text: " | join(',') | base64".to_owned(),
            }]
        );
    }
}
