//! The operators of other dialects, as functions. No reference in landfall's own dialect can
//! name them.
//!
//! Those of Flux's variables do what fluxcd/pkg/envsubst 1.8.0 does (`funcs.go`), with two exceptions: positions
//! that cut a character are errors, and a pattern matches characters, not bytes.

mod case;
mod glob;
mod normalized;

pub(crate) use normalized::normalized;

use crate::functions::call::check_growth;
use crate::functions::text::text;
use crate::functions::{
    Arguments, Body, Failure, Function, Kind, Parameter, ReturnType, Times, Types,
};
use crate::outputs::{Type, Value};
use crate::reference::NAME_NORMALIZED;

const POSITION: Parameter = parameter("position", Times::Once);
const LENGTH: Parameter = parameter("length", Times::Optional);
const OLD: Parameter = parameter("old", Times::Once);
const NEW: Parameter = parameter("new", Times::Optional);
const PATTERN: Parameter = parameter("pattern", Times::Once);

/// Every operator, under its own characters.
pub(crate) const OPERATORS: &[Function] = &[
    fallback(":?"),
    fallback(":+"),
    operator("${#}", &[], "the number of bytes of the value", length),
    operator(
        "^",
        &[],
        "the value with its first character in upper case",
        upper_first,
    ),
    operator("^^", &[], "the value in upper case", upper),
    operator(
        ",",
        &[],
        "the value with its first character in lower case",
        lower_first,
    ),
    operator(",,", &[], "the value in lower case", lower),
    operator(
        ":",
        &[POSITION, LENGTH],
        "a part of the value, counted in bytes",
        substring,
    ),
    operator(
        "/",
        &[OLD, NEW],
        "the value with the first occurrence replaced",
        replace_first,
    ),
    operator(
        "//",
        &[OLD, NEW],
        "the value with every occurrence replaced",
        replace_all,
    ),
    operator(
        "/#",
        &[OLD, NEW],
        "the value with this beginning replaced",
        replace_prefix,
    ),
    operator(
        "/%",
        &[OLD, NEW],
        "the value with this end replaced",
        replace_suffix,
    ),
    operator(
        "#",
        &[PATTERN],
        "the value without the shortest beginning that matches",
        |value, arguments| glob::trim_start(text(value)?, arguments.text(0), glob::Match::Shortest),
    ),
    operator(
        "##",
        &[PATTERN],
        "the value without the longest beginning that matches",
        |value, arguments| glob::trim_start(text(value)?, arguments.text(0), glob::Match::Longest),
    ),
    operator(
        "%",
        &[PATTERN],
        "the value without the shortest end that matches",
        |value, arguments| glob::trim_end(text(value)?, arguments.text(0), glob::Match::Shortest),
    ),
    operator(
        "%%",
        &[PATTERN],
        "the value without the longest end that matches",
        |value, arguments| glob::trim_end(text(value)?, arguments.text(0), glob::Match::Longest),
    ),
    operator(
        NAME_NORMALIZED,
        &[],
        "the value in the characters that names of resources have",
        |value, _| Ok(Value::String(normalized(text(value)?))),
    ),
];

const fn operator(
    name: &'static str,
    parameters: &'static [Parameter],
    doc: &'static str,
    body: fn(&Value, &Arguments<'_>) -> Result<Value, Failure>,
) -> Function {
    Function {
        name,
        accepts: Types::TEXT,
        returns: ReturnType::Type(Type::String),
        parameters,
        doc,
        body: Body::Value(body),
    }
}

/// An operator that is a fallback like `:=`, though not in a shell.
const fn fallback(name: &'static str) -> Function {
    const WORD: Parameter = Parameter {
        name: "word",
        kind: Kind::Any,
        times: Times::Once,
    };
    Function {
        name,
        accepts: Types::ANY,
        returns: ReturnType::Same,
        parameters: &[WORD],
        doc: "the value, or this word if there is none",
        body: Body::Default,
    }
}

/// Returns what an operator does in a shell, if it does something else here.
pub(crate) fn elsewhere(name: &str) -> Option<&'static str> {
    match name {
        ":?" => Some("in a shell, it is an error message"),
        ":+" => Some("in a shell, it replaces a value"),
        _ => None,
    }
}

const fn parameter(name: &'static str, times: Times) -> Parameter {
    Parameter {
        name,
        kind: Kind::Text,
        times,
    }
}

/// Returns how an operator is written: `${name//old/new}`. `None` for functions.
pub(crate) fn form(function: &Function) -> Option<String> {
    let name = function.name;
    if name.starts_with(|c: char| c.is_ascii_lowercase()) {
        return None;
    }
    if name == NAME_NORMALIZED {
        return Some(name.to_owned());
    }
    if name == "${#}" {
        return Some("${#name}".to_owned());
    }
    let separator = if name == ":" { ":" } else { "/" };
    let parameters: Vec<_> = function.parameters.iter().map(|it| it.name).collect();
    Some(format!("${{name{name}{}}}", parameters.join(separator)))
}

fn string(text: impl Into<String>) -> Result<Value, Failure> {
    Ok(Value::String(text.into()))
}

fn length(value: &Value, _: &Arguments<'_>) -> Result<Value, Failure> {
    Ok(Value::Number(text(value)?.len().to_string()))
}

fn upper(value: &Value, _: &Arguments<'_>) -> Result<Value, Failure> {
    string(text(value)?.chars().map(case::upper).collect::<String>())
}

fn lower(value: &Value, _: &Arguments<'_>) -> Result<Value, Failure> {
    string(text(value)?.chars().map(case::lower).collect::<String>())
}

fn upper_first(value: &Value, _: &Arguments<'_>) -> Result<Value, Failure> {
    string(first(text(value)?, case::upper))
}

fn lower_first(value: &Value, _: &Arguments<'_>) -> Result<Value, Failure> {
    string(first(text(value)?, case::lower))
}

fn first(text: &str, convert: fn(char) -> char) -> String {
    let mut characters = text.chars();
    let first = characters.next().map(convert);
    first.into_iter().chain(characters).collect()
}

fn replace_all(value: &Value, arguments: &Arguments<'_>) -> Result<Value, Failure> {
    let (text, old, new) = (text(value)?, arguments.text(0), arguments.text(1));
    let count = if old.is_empty() {
        // Before every character, and at the end.
        text.chars().count() + 1
    } else {
        text.matches(old).count()
    };
    let more = new.len().saturating_sub(old.len());
    check_growth(text.len(), count.saturating_mul(more))?;
    string(text.replace(old, new))
}

fn replace_first(value: &Value, arguments: &Arguments<'_>) -> Result<Value, Failure> {
    string(text(value)?.replacen(arguments.text(0), arguments.text(1), 1))
}

fn replace_prefix(value: &Value, arguments: &Arguments<'_>) -> Result<Value, Failure> {
    let text = text(value)?;
    match text.strip_prefix(arguments.text(0)) {
        Some(rest) if arguments.has(1) => string(format!("{}{rest}", arguments.text(1))),
        _ => string(text),
    }
}

fn replace_suffix(value: &Value, arguments: &Arguments<'_>) -> Result<Value, Failure> {
    let text = text(value)?;
    match text.strip_suffix(arguments.text(0)) {
        Some(rest) if arguments.has(1) => string(format!("{rest}{}", arguments.text(1))),
        _ => string(text),
    }
}

/// Takes a part. What is not a number changes nothing, as in Flux, and everything out of
/// range is omitted.
fn substring(value: &Value, arguments: &Arguments<'_>) -> Result<Value, Failure> {
    let text = text(value)?;
    let Some(position) = number(arguments.text(0)) else {
        return string(text);
    };
    let start = from_end(text, position).unwrap_or(0);
    let end = if arguments.has(1) {
        match number(arguments.text(1)) {
            None => return string(text),
            Some(length) if length < 0 => from_end(text, length).unwrap_or(0),
            Some(length) => start.saturating_add(usize::try_from(length).unwrap_or(usize::MAX)),
        }
    } else {
        text.len()
    };
    let end = end.min(text.len());
    if start >= end {
        return string("");
    }
    for (argument, at) in [(0, start), (1, end)] {
        if !text.is_char_boundary(at) {
            let message = "it counts bytes, and would cut a character into parts".to_owned();
            return Err(Failure::Argument(argument, message));
        }
    }
    string(text.get(start..end).unwrap_or_default())
}

/// Parses a number as Go's `strconv.Atoi` does.
fn number(text: &str) -> Option<i64> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    let is_number = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
    if is_number { text.parse().ok() } else { None }
}

/// Returns the byte at a position, which counts from the end if it is negative; `None` before
/// the beginning.
fn from_end(text: &str, position: i64) -> Option<usize> {
    match usize::try_from(position) {
        Ok(position) => Some(position),
        Err(_) => {
            let back = usize::try_from(position.unsigned_abs()).unwrap_or(usize::MAX);
            text.len().checked_sub(back)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::call::check_function;
    use super::super::{FUNCTIONS, Function};
    use super::*;

    /// Checks an operator on strings.
    fn check(operator: &str, value: &str, arguments: &[&str], expected: &str) {
        let quoted: Vec<String> = arguments.iter().map(|text| format!("{text:?}")).collect();
        let arguments: Vec<&str> = quoted.iter().map(String::as_str).collect();
        check_function(
            operator,
            &format!("{value:?}"),
            &arguments,
            &format!("{expected:?}"),
        );
    }

    #[test]
    fn replaces_as_flux_does() {
        check("/", "a.b.c", &[".", "-"], "a-b.c");
        check("//", "a.b.c", &[".", "-"], "a-b-c");
        check("//", "a.b.c", &["."], "abc");
        check("//", "ab", &["", "-"], "-a-b-");
        check("/#", "aba", &["a", "x"], "xba");
        check("/#", "aba", &["a"], "aba");
        check("/%", "aba", &["a", "x"], "abx");
        check("/%", "aba", &["b", "x"], "aba");
    }

    #[test]
    fn counts_bytes_in_parts() {
        check(":", "abcdef", &["2"], "cdef");
        check(":", "abcdef", &["-2"], "ef");
        check(":", "abcdef", &["-9"], "abcdef");
        check(":", "abcdef", &["9"], "");
        check(":", "abcdef", &["1", "2"], "bc");
        check(":", "abcdef", &["1", "-1"], "bcde");
        check(":", "abcdef", &["4", "-4"], "");
        check(":", "abcdef", &["1", "99"], "bcdef");
        check(":", "abcdef", &[" -3"], "abcdef");
        check(":", "abcdef", &["1", "x"], "abcdef");
        check(":", "é!", &["2"], "!");
        check_function(
            ":",
            "\"é\"",
            &["\"1\""],
            "Argument(0, \"it counts bytes, and would cut a character into parts\")",
        );
        check_function("${#}", "\"é\"", &[], "2");
    }

    #[test]
    fn no_operator_is_a_function() {
        for operator in OPERATORS {
            assert!(FUNCTIONS.iter().all(|one| one.name != operator.name));
            assert!(form(operator).is_some());
            assert!(Function::of_name(operator.name).is_some());
        }
        assert!(FUNCTIONS.iter().all(|function| form(function).is_none()));
    }
}
