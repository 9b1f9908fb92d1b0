//! The dialect of Argo CD's ApplicationSets: plain templates, and Go templates as far as
//! they are values.
//!
//! ```text
//! reference = "{{" name *( "." key ) "}}"      ; plain: a key is all of the rest
//!           / action                           ; Go templates, see `action.rs`
//! ```
//!
//! `metadata.labels` and `metadata.annotations` are the outputs `labels` and `annotations` of
//! the Secret of a cluster. Argo CD has no escape; a Go template writes a string for it, such
//! as `{{ "{{" }}`, which stays here.

mod action;

pub(crate) use action::{
    Action, CLOSER as ACTION_CLOSER, Expression, ExpressionKind, OPENER as ACTION_OPENER,
    parse_action,
};

use std::ops::Range;

use action::{EVALUATED, is_control};

use crate::reference::head::{skip_name, skip_space};
use crate::reference::{
    Argument, ArgumentValue, Call, Dialect, Insertion, Notation, Opening, Path, Position,
    Reference, Segment, Step, Syntax, SyntaxError,
};

/// The call of `nameNormalized`, which is a function of `name`.
pub(crate) const NAME_NORMALIZED: &str = ".nameNormalized";

#[derive(Debug)]
pub(super) struct ApplicationSet;

static NOTATION: Notation = Notation {
    id: "applicationset",
    opener: ACTION_OPENER,
    closer: ACTION_CLOSER,
    form: "write `{{name}}` or `{{ .name }}`, `{{metadata.labels.x}}` or `{{ .metadata.labels.x }}`",
    names_variables: true,
    ignored_kinds: &["ApplicationSet"],
    ..Notation::OWN
};

impl Dialect for ApplicationSet {
    fn notation(&self) -> &'static Notation {
        &NOTATION
    }

    /// Claims names, fields and words. `{{ $x }}`, strings and comments stay: the first is of
    /// another tool, and the others are not references.
    fn opening(&self, bytes: &[u8], at: usize) -> Option<Opening> {
        let mut start = at + ACTION_OPENER.len();
        if let Some([b'-', b' ' | b'\t' | b'\r' | b'\n']) = bytes.get(start..start + 2) {
            start += 2;
        }
        start = skip_space(bytes, start);
        while bytes.get(start) == Some(&b'(') {
            start = skip_space(bytes, start + 1);
        }
        if bytes.get(start) == Some(&b'.') {
            start += 1;
        }
        let end = skip_name(bytes, start);
        let begins = bytes
            .get(start)
            .is_some_and(|byte| byte.is_ascii_alphabetic() || *byte == b'_');
        begins.then_some(Opening {
            at,
            name: start..end,
            is_binding: false,
        })
    }

    fn parse(&self, text: &str, at: usize) -> Result<Reference, SyntaxError> {
        let content = at + ACTION_OPENER.len();
        let rest = text.get(content..).unwrap_or_default();
        if let Some(length) = rest.find(ACTION_CLOSER)
            && let Some(tag) = plain_tag(rest.get(..length).unwrap_or_default())
        {
            let mut path = plain_path(text, content + tag.start..content + tag.end);
            let calls = normalizing_call(&mut path);
            return Ok(Reference {
                path,
                calls,
                range: at..content + length + ACTION_CLOSER.len(),
            });
        }
        let action = parse_action(text, at)?;
        if action.trims_before || action.trims_after {
            let mut error = SyntaxError::new(
                at,
                "white space around a reference cannot be removed".to_owned(),
            );
            error.help = Some("write `{{` and `}}` without `-`".to_owned());
            return Err(error);
        }
        let Some(expression) = action.expression else {
            return Err(not_a_reference(at, "a comment is not a reference"));
        };
        let (path, calls) = reference(&expression)?;
        Ok(Reference {
            path,
            calls,
            range: action.range,
        })
    }

    fn extent(&self, raw: &str, at: usize) -> Range<usize> {
        let bytes = raw.as_bytes();
        let mut end = (at + ACTION_OPENER.len()).min(bytes.len());
        while let Some(&byte) = bytes.get(end) {
            let quote: &[u8] = match (byte, bytes.get(end + 1)) {
                (b'}', Some(b'}')) => return at..end + ACTION_CLOSER.len(),
                (b'\\', Some(b'"')) => b"\\\"",
                (b'"', _) => b"\"",
                (b'`', _) => b"`",
                (b' ' | b'\t' | b'.' | b'/' | b'|' | b'(' | b')' | b'-', _) => b"",
                _ if byte.is_ascii_alphanumeric() || byte == b'_' || !byte.is_ascii() => b"",
                _ => break,
            };
            end = match quote {
                b"" => end + 1,
                _ => match end_of_string(bytes, end + quote.len(), quote) {
                    Some(after) => after,
                    None => break,
                },
            };
        }
        // It is unclosed; trailing blanks belong to the manifest.
        let unclosed = raw.get(at..end).unwrap_or_default();
        at..at + unclosed.trim_end_matches([' ', '\t']).len()
    }

    fn write(&self, syntax: &Syntax<'_>, _: char) -> Option<String> {
        match syntax {
            Syntax::Reference(reference) => {
                let written = written_value(&reference.path, &reference.calls)?;
                Some(format!("{{{{ {written} }}}}"))
            }
            Syntax::Segment(path, nth) => written_segment(path, *nth),
            Syntax::Call(call) => written_call(call),
            Syntax::Argument(argument) => written_argument(argument),
        }
    }

    fn append(&self, reference: &Reference, calls: &[Call], _: char) -> Option<Vec<Insertion>> {
        let is_plain = reference
            .path
            .segments
            .first()
            .is_some_and(|first| first.whole.start == first.range.start);
        // A plain template has no functions.
        if is_plain {
            return None;
        }
        let mut text = String::new();
        for call in calls {
            text.push_str(&format!(" {}", written_call(call)?));
        }
        let position = Position::BeforeCloser;
        Some(vec![Insertion { position, text }])
    }
}

/// Returns the bytes of the name in a plain tag: one word that is neither a field nor a
/// keyword of Go templates.
fn plain_tag(content: &str) -> Option<Range<usize>> {
    let name = content.trim_ascii();
    let start = content.len() - content.trim_ascii_start().len();
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/');
    let begins = name.starts_with(|c: char| c.is_alphabetic() || c == '_');
    let is_word = begins && name.chars().all(is_name) && !is_control(name);
    is_word.then_some(start..start + name.len())
}

/// Returns the path of a plain name: after the name of an object, all of the rest is a key.
fn plain_path(text: &str, range: Range<usize>) -> Path {
    let name = text.get(range.clone()).unwrap_or_default();
    let mut segments = Vec::new();
    let mut at = range.start;
    let metadata = ["metadata.labels.", "metadata.annotations."];
    if metadata.iter().any(|prefix| name.starts_with(prefix)) {
        at += "metadata.".len();
    }
    let rest = text.get(at..range.end).unwrap_or_default();
    let (first, key) = match rest.split_once('.') {
        Some((first, key)) => (first, Some(key)),
        None => (rest, None),
    };
    segments.push(segment(first, at..at + first.len(), at..at + first.len()));
    if let Some(key) = key {
        let start = at + first.len();
        segments.push(segment(key, start + 1..range.end, start..range.end));
    }
    Path {
        binding: None,
        segments,
        range,
    }
}

/// Makes `nameNormalized` the output `name`, and returns the call that normalizes it.
fn normalizing_call(path: &mut Path) -> Vec<Call> {
    let [only] = &mut path.segments[..] else {
        return Vec::new();
    };
    if only.step != Step::Key("nameNormalized".to_owned()) {
        return Vec::new();
    }
    only.step = Step::Key("name".to_owned());
    let mut call = Call::new(NAME_NORMALIZED, &[]);
    call.range = only.range.clone();
    vec![call]
}

fn segment(key: &str, range: Range<usize>, whole: Range<usize>) -> Segment {
    Segment {
        step: Step::Key(key.to_owned()),
        range,
        whole,
    }
}

/// Returns the path and the calls of an expression.
fn reference(expression: &Expression) -> Result<(Path, Vec<Call>), SyntaxError> {
    match &expression.kind {
        ExpressionKind::Field(_) | ExpressionKind::Index { .. } => {
            let mut path = path(expression)?;
            let calls = normalizing_call(&mut path);
            Ok((path, calls))
        }
        ExpressionKind::Default {
            fallback,
            value,
            name,
        } => {
            let (path, mut calls) = reference(value)?;
            calls.push(Call {
                function: "default".to_owned(),
                range: name.clone(),
                arguments: vec![Argument {
                    value: argument(fallback)?,
                    range: fallback.range.clone(),
                }],
            });
            Ok((path, calls))
        }
        ExpressionKind::String(_) | ExpressionKind::Integer(_) | ExpressionKind::Bool(_) => Err(
            not_a_reference(expression.range.start, "expected the value of a parameter"),
        ),
    }
}

fn argument(expression: &Expression) -> Result<ArgumentValue, SyntaxError> {
    Ok(match &expression.kind {
        ExpressionKind::String(text) => ArgumentValue::String(text.clone()),
        ExpressionKind::Integer(digits) => ArgumentValue::Number(digits.clone()),
        ExpressionKind::Bool(value) => ArgumentValue::Bool(*value),
        _ => {
            let (path, calls) = reference(expression)?;
            let range = expression.range.clone();
            ArgumentValue::Reference(Box::new(Reference { path, calls, range }))
        }
    })
}

fn path(expression: &Expression) -> Result<Path, SyntaxError> {
    let mut segments = Vec::new();
    add_segments(expression, &mut segments)?;
    let is_metadata = |nth: usize, names: &[&str]| {
        let key = segments
            .get(nth)
            .map(|segment: &Segment| segment.step.key());
        key.is_some_and(|key| names.contains(&&*key))
    };
    if is_metadata(0, &["metadata"]) && is_metadata(1, &["labels", "annotations"]) {
        segments.remove(0);
    }
    Ok(Path {
        binding: None,
        segments,
        range: expression.range.clone(),
    })
}

fn add_segments(expression: &Expression, segments: &mut Vec<Segment>) -> Result<(), SyntaxError> {
    match &expression.kind {
        ExpressionKind::Field(names) => {
            for (name, range) in names {
                let whole = range.start.saturating_sub(1)..range.end;
                segments.push(segment(name, range.clone(), whole));
            }
        }
        ExpressionKind::Index { value, keys } => {
            add_segments(value, segments)?;
            for key in keys {
                let whole = key.range.clone();
                let range = whole.start + 1..whole.end.saturating_sub(1).max(whole.start + 1);
                segments.push(match &key.kind {
                    ExpressionKind::String(text) => segment(text, range, whole),
                    ExpressionKind::Integer(digits) if digits.parse::<usize>().is_ok() => Segment {
                        step: Step::Index(digits.parse().unwrap_or_default()),
                        range: whole.clone(),
                        whole,
                    },
                    _ => {
                        let message = "a key of `index` must be a string or a position here";
                        return Err(not_a_reference(key.range.start, message));
                    }
                });
            }
        }
        _ => {
            let message = "expected the value of a parameter";
            return Err(not_a_reference(expression.range.start, message));
        }
    }
    Ok(())
}

fn not_a_reference(at: usize, message: &str) -> SyntaxError {
    let mut error = SyntaxError::new(at, message.to_owned());
    error.help = Some(EVALUATED.to_owned());
    error
}

/// Returns the end of the string whose content begins at `at`, if it ends on its line.
fn end_of_string(bytes: &[u8], mut at: usize, quote: &[u8]) -> Option<usize> {
    loop {
        let rest = bytes.get(at..)?;
        match rest.first()? {
            b'\n' | b'\r' => return None,
            _ if rest.starts_with(quote) => return Some(at + quote.len()),
            b'\\' if quote == b"\"" => at += 2,
            _ => at += 1,
        }
    }
}

/// Writes a path: fields as far as keys are names, and `index` for the others.
fn written_path(path: &Path) -> Option<String> {
    if path.binding.is_some() {
        return None;
    }
    let (first, rest) = path.segments.split_first()?;
    let name = first.step.key();
    let mut text = match &*name {
        "labels" | "annotations" => format!(".metadata.{name}"),
        _ if is_field(&name) => format!(".{name}"),
        _ => return None,
    };
    let mut is_indexed = false;
    for segment in rest {
        match &segment.step {
            Step::Key(key) if is_field(key) && !is_indexed => {
                text.push('.');
                text.push_str(key);
                continue;
            }
            Step::Splat => return None,
            _ if !is_indexed => {
                text.insert_str(0, "index ");
                is_indexed = true;
            }
            _ => {}
        }
        match &segment.step {
            Step::Index(index) => text.push_str(&format!(" {index}")),
            step => text.push_str(&format!(" {}", quoted(&step.key())?)),
        }
    }
    Some(text)
}

fn written_segment(path: &Path, nth: usize) -> Option<String> {
    let segment = path.segments.get(nth)?;
    let key = segment.step.key();
    // The key of `index` is a string.
    if segment.whole.end > segment.range.end {
        return quoted(&key);
    }
    let dot = if segment.whole.start < segment.range.start {
        "."
    } else {
        ""
    };
    let is_plain_key = key
        .chars()
        .all(|c| is_name(c) || matches!(c, '-' | '.' | '/'));
    is_plain_key.then(|| format!("{dot}{key}"))
}

fn written_call(call: &Call) -> Option<String> {
    match (call.function.as_str(), &call.arguments[..]) {
        ("default", [one]) => Some(format!("| default {}", written_argument(&one.value)?)),
        _ => None,
    }
}

fn written_argument(argument: &ArgumentValue) -> Option<String> {
    Some(match argument {
        ArgumentValue::Bool(value) => value.to_string(),
        ArgumentValue::Number(digits) if digits.parse::<i64>().is_ok() => digits.clone(),
        ArgumentValue::String(text) => quoted(text)?,
        ArgumentValue::Path(path) => written_operand(path, &[])?,
        ArgumentValue::Reference(reference) => written_operand(&reference.path, &reference.calls)?,
        ArgumentValue::Null
        | ArgumentValue::Omit
        | ArgumentValue::Number(_)
        | ArgumentValue::Concatenation(_)
        | ArgumentValue::Call(_) => {
            return None;
        }
    })
}

/// Writes a path with its calls.
fn written_value(path: &Path, calls: &[Call]) -> Option<String> {
    let (mut text, calls) = match calls {
        [first, calls @ ..] if first.function == NAME_NORMALIZED => {
            (NAME_NORMALIZED.to_owned(), calls)
        }
        _ => (written_path(path)?, calls),
    };
    for call in calls {
        text.push_str(&format!(" {}", written_call(call)?));
    }
    Some(text)
}

fn written_operand(path: &Path, calls: &[Call]) -> Option<String> {
    let text = written_value(path, calls)?;
    Some(if text.contains(' ') {
        format!("({text})")
    } else {
        text
    })
}

/// Writes a string of Go; `None` if it would need escapes, which differ from those of YAML.
fn quoted(text: &str) -> Option<String> {
    let is_simple = !text.contains(['"', '\\']) && !text.chars().any(char::is_control);
    is_simple.then(|| format!("\"{text}\""))
}

fn is_field(key: &str) -> bool {
    !key.is_empty() && key.chars().all(is_name)
}

fn is_name(c: char) -> bool {
    c == '_' || c.is_alphanumeric()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Reference {
        ApplicationSet.parse(text, 0).unwrap()
    }

    #[test]
    fn both_modes_have_the_same_paths() {
        for (text, path) in [
            ("{{name}}", "name"),
            ("{{ .name }}", "name"),
            (
                "{{ metadata.annotations.aws_vpc_id }}",
                "annotations.aws_vpc_id",
            ),
            (
                "{{.metadata.annotations.aws_vpc_id}}",
                "annotations.aws_vpc_id",
            ),
            ("{{metadata.labels.a.b/c-d}}", "labels[\"a.b/c-d\"]"),
            (
                "{{ index .metadata.labels \"a.b/c-d\" }}",
                "labels[\"a.b/c-d\"]",
            ),
            ("{{ index .metadata \"labels\" \"x\" }}", "labels.x"),
            ("{{values.x}}", "values.x"),
            ("{{ index .list 0 }}", "list[0]"),
            ("{{metadata}}", "metadata"),
            ("{{index}}", "index"),
        ] {
            let reference = parsed(text);
            assert_eq!(reference.path.display(), path, "{text}");
            assert_eq!(reference.range, 0..text.len());
            assert_eq!(reference.calls, []);
        }
    }

    #[test]
    fn written_references_parse_back() {
        for text in [
            "{{ .name }}",
            "{{ .metadata.labels.x }}",
            "{{ index .metadata.annotations \"a.b/c\" | default \"x y\" }}",
            "{{ .values.x | default .name }}",
            "{{ .nameNormalized }}",
            "{{ .a | default .nameNormalized }}",
            "{{ .a | default (index .b \"c-d\" 0 | default 3) | default true }}",
        ] {
            let reference = parsed(text);
            let written = ApplicationSet.write(&Syntax::Reference(&reference), '"');
            assert_eq!(written.as_deref(), Some(text));
            assert_eq!(
                ApplicationSet.extent(&format!("{text} }}}}"), 0),
                0..text.len()
            );
        }
        let default = parsed("{{ default \"x\" .y }}");
        let written = ApplicationSet.write(&Syntax::Reference(&default), '"');
        assert_eq!(written.as_deref(), Some("{{ .y | default \"x\" }}"));
    }

    #[test]
    fn names_what_is_not_a_reference() {
        let message = |text| ApplicationSet.parse(text, 0).unwrap_err().message;
        assert_eq!(message("{{ if .x }}"), "`if` is not evaluated");
        assert_eq!(message("{{ end }}"), "`end` is not evaluated");
        assert_eq!(
            message("{{ lower .x }}"),
            "the function `lower` is not evaluated"
        );
        assert_eq!(
            message("{{- .x }}"),
            "white space around a reference cannot be removed"
        );
        assert_eq!(
            message("{{ index .a .b }}"),
            "a key of `index` must be a string or a position here"
        );
        assert_eq!(
            message("{{ default .a \"b\" }}"),
            "expected the value of a parameter"
        );
    }

    #[test]
    fn claims_names_and_fields_alone() {
        let opens = |text: &str| ApplicationSet.opening(text.as_bytes(), 0).is_some();
        for text in [
            "{{name}}",
            "{{ .x",
            "{{- .x }}",
            "{{if .x}}",
            "{{ (index .a \"b\") }}",
            "{{\n_a",
        ] {
            assert!(opens(text), "{text}");
        }
        for text in [
            "{{ $x }}",
            "{{ \"{{\" }}",
            "{{/* c */}}",
            "{{}}",
            "{{",
            "{{{",
            "{{ . }}",
            "{{ 1 }}",
        ] {
            assert!(!opens(text), "{text}");
        }
    }

    #[test]
    fn an_extent_excludes_what_the_grammar_does_not_allow() {
        let extent = |raw: &'static str| &raw[ApplicationSet.extent(raw, 0)];
        assert_eq!(extent("{{name}} # c }}"), "{{name}}");
        assert_eq!(
            extent("{{ index .a \\\"b}}\\\" }}c"),
            "{{ index .a \\\"b}}\\\" }}"
        );
        assert_eq!(
            extent("{{ .a | default `}}` }}c"),
            "{{ .a | default `}}` }}"
        );
        assert_eq!(extent("{{ .a  # c"), "{{ .a");
        assert_eq!(extent("{{ .a\n}}"), "{{ .a");
        assert_eq!(extent("{{ a: b }}"), "{{ a");
    }
}
