//! Writes references and operations as Flux reads them.

use crate::reference::{ArgumentValue, Call, Path, Reference, Step, Syntax};

/// Writes a piece of syntax; returns `None` if Flux has no notation for it.
pub(super) fn write(syntax: &Syntax<'_>) -> Option<String> {
    match syntax {
        Syntax::Reference(reference) => self::reference(reference),
        Syntax::Segment(path, 0) => name(path),
        Syntax::Segment(..) => None,
        Syntax::Call(call) => operation(call),
        Syntax::Argument(ArgumentValue::String(text)) => plain(text),
        Syntax::Argument(ArgumentValue::Reference(reference)) => self::reference(reference),
        Syntax::Argument(_) => None,
    }
}

/// Writes a reference.
fn reference(reference: &Reference) -> Option<String> {
    if reference.path.segments.len() != 1 {
        return None;
    }
    let name = name(&reference.path)?;
    match &reference.calls[..] {
        [] => Some(format!("${{{name}}}")),
        [call] if call.function == "${#}" => Some(format!("${{#{name}}}")),
        [call] => Some(format!("${{{name}{}}}", operation(call)?)),
        _ => None,
    }
}

/// Returns the variable that a path names, if it names no binding.
fn name(path: &Path) -> Option<String> {
    let Step::Key(name) = &path.segments.first()?.step else {
        return None;
    };
    let mut bytes = name.bytes();
    let is_first = |b: u8| b.is_ascii_alphabetic() || b == b'_';
    let is_name =
        bytes.next().is_some_and(is_first) && bytes.all(|b| b.is_ascii_alphanumeric() || b == b'_');
    (is_name && path.binding.is_none()).then(|| name.clone())
}

/// Writes what a call adds after the name.
pub(super) fn operation(call: &Call) -> Option<String> {
    let operator = call.function.as_str();
    let arguments = &call.arguments[..];
    let written = |nth: usize| arguments.get(nth).map(|argument| &argument.value);
    Some(match (operator, arguments.len()) {
        ("default", 1) => format!(":={}", fallback(written(0)?)?),
        (":?" | ":+", 1) => format!("{operator}{}", fallback(written(0)?)?),
        ("^" | "^^" | "," | ",,", 0) => operator.to_owned(),
        ("#" | "##" | "%" | "%%", 1) => format!("{operator}{}", one(written(0)?, plain)?),
        (":", 1) => format!(":{}", one(written(0)?, plain)?),
        (":", 2) => format!(":{}:{}", one(written(0)?, plain)?, one(written(1)?, plain)?),
        ("/" | "//" | "/#" | "/%", 1) => format!("{operator}{}/", one(written(0)?, escaped)?),
        ("/" | "//" | "/#" | "/%", 2) => format!(
            "{operator}{}/{}",
            one(written(0)?, escaped)?,
            one(written(1)?, escaped)?
        ),
        _ => return None,
    })
}

fn fallback(value: &ArgumentValue) -> Option<String> {
    match value {
        ArgumentValue::Concatenation(parts) => {
            parts.iter().map(|part| one(&part.value, plain)).collect()
        }
        ArgumentValue::String(text) if text.is_empty() => Some(String::new()),
        value => one(value, plain),
    }
}

/// Writes one argument, its text by `text`.
fn one(value: &ArgumentValue, text: fn(&str) -> Option<String>) -> Option<String> {
    match value {
        ArgumentValue::String(string) if !string.is_empty() => text(string),
        ArgumentValue::Reference(reference) => self::reference(reference),
        _ => None,
    }
}

/// Writes text that has no escapes.
fn plain(text: &str) -> Option<String> {
    let ends = text.contains(['}', '\n']) || text.contains("${");
    (!ends).then(|| text.to_owned())
}

/// Writes the text of a replacement.
fn escaped(text: &str) -> Option<String> {
    let escaped = text
        .replace('\\', "\\\\")
        .replace('/', "\\/")
        .replace('$', "$$");
    (!text.contains(['}', '\n'])).then_some(escaped)
}
