//! Calls functions: the checks before a value is known, and the call itself, whose result
//! never exceeds a limit.

use std::ops::Range;

use crate::functions::argument::literal_value;
use crate::functions::look_up::fix_name;
use crate::functions::table::{ELSEWHERE, FUNCTIONS};
use crate::functions::{Arguments, Failure, Function, Kind, Parameter};
use crate::outputs::{Type, Value};
use crate::reference::Site;
use crate::reference::{Argument, ArgumentValue, Call};
use crate::report::suggest;
use crate::report::{Diagnostic, Rule};

/// The maximum size of a function's result, unless its input is larger: ten times what a
/// cluster stores in one resource. Without a limit a few calls of `replace` would exhaust
/// memory.
pub(crate) const MAX_VALUE: usize = 16 << 20;

/// Returns the function of a call, after checking the number of arguments and the kinds of
/// the literal ones.
///
/// # Errors
/// The first problem with the call.
pub(crate) fn check(call: &Call, site: &Site<'_>) -> Result<&'static Function, Box<Diagnostic>> {
    let Some(function) = Function::of_name(&call.function) else {
        return Err(Box::new(unknown(call, site)));
    };
    let found = call.arguments.len();
    if !function.accepts_count(found) {
        let given = match found {
            0 => "none was given".to_owned(),
            1 => "one was given".to_owned(),
            more => format!("{more} were given"),
        };
        let error = Diagnostic::error(
            Rule::InvalidArgument,
            format!(
                "`{}` takes {}, but {given}",
                function.name,
                accepted_count(function)
            ),
        );
        let error = site.label(error, &call.range, "");
        return Err(Box::new(error.help(usage(function))));
    }
    for (nth, argument) in call.arguments.iter().enumerate() {
        let Some(parameter) = function.parameter(nth) else {
            break;
        };
        if argument.value == ArgumentValue::Omit {
            if function.name == "default" {
                continue;
            }
            let message = format!("`{}` does not accept `omit`", function.name);
            let error = Diagnostic::error(Rule::InvalidArgument, message);
            let error = site.label(error, &argument.range, "");
            let help = "`| default(omit)` removes an entry or item that has no value";
            return Err(Box::new(error.help(site.dialect.translate_calls(help))));
        }
        if parameter.kind == Kind::Call {
            check_nested(function, parameter, argument, site)?;
            continue;
        }
        // A literal can be quoted here; an output has its own type.
        let kind = match parameter.kind {
            Kind::Text => Kind::Literal,
            other => other,
        };
        let error = match literal_value(&argument.value) {
            Some(value) if !kind.holds(&value) => misfit(function, parameter, &value, "this"),
            None if parameter.kind == Kind::Literal => Diagnostic::error(
                Rule::InvalidArgument,
                format!(
                    "`{}` expects a literal string as its `{}`, not an output",
                    function.name, parameter.name
                ),
            ),
            _ => continue,
        };
        let error = site.label(error, &argument.range, "");
        return Err(Box::new(error.help(usage(function))));
    }
    Ok(function)
}

/// Checks an argument that must be a call.
fn check_nested(
    function: &Function,
    parameter: &Parameter,
    argument: &Argument,
    site: &Site<'_>,
) -> Result<(), Box<Diagnostic>> {
    let name = function.name;
    let error = match &argument.value {
        ArgumentValue::Call(nested) => match check(nested, site)? {
            _ if nested
                .arguments
                .iter()
                .any(|one| one.value == ArgumentValue::Omit) =>
            {
                let message = format!("`{name}` cannot omit items");
                let error = Diagnostic::error(Rule::InvalidArgument, message);
                let help = "remove null and empty items with `| compact`";
                error.help(site.dialect.translate_calls(help))
            }
            called if called.is_for_items() => return Ok(()),
            called => {
                let message = format!("`{name}` cannot call `{}`", called.name);
                let error = Diagnostic::error(Rule::InvalidArgument, message);
                error.help(format!(
                    "call it after `{name}`: `| {}`",
                    called.signature()
                ))
            }
        },
        other => {
            let found =
                literal_value(other).map_or("an output", |value| value.value_type().described());
            let message = format!(
                "`{name}` expects a function as its `{}`, but this is {found}",
                parameter.name
            );
            let error = Diagnostic::error(Rule::InvalidArgument, message);
            let help = format!("write the function alone, as in `| {name}(upper)`");
            error.help(site.dialect.translate_calls(&help))
        }
    };
    Err(Box::new(site.label(error, &argument.range, "")))
}

/// Checks that the value of an output may be the argument `nth`. `subject` names it in the
/// message.
///
/// # Errors
/// The value doesn't fit the parameter.
pub(crate) fn check_argument(
    function: &Function,
    nth: usize,
    value: &Value,
    subject: &str,
    range: &Range<usize>,
    site: &Site<'_>,
) -> Result<(), Box<Diagnostic>> {
    match function.parameter(nth) {
        Some(parameter) if !parameter.kind.holds(value) => {
            let error = misfit(function, parameter, value, subject);
            Err(Box::new(site.label(error, range, "").help(usage(function))))
        }
        _ => Ok(()),
    }
}

fn misfit(function: &Function, parameter: &Parameter, value: &Value, subject: &str) -> Diagnostic {
    let found = match (parameter.kind, value.value_type()) {
        (Kind::Whole, Type::Number) => "a number with a fraction",
        (_, found) => found.described(),
    };
    let Parameter { name, kind, .. } = parameter;
    let message = format!(
        "`{}` expects {} as its `{name}`, but {subject} is {found}",
        function.name,
        kind.described(),
    );
    Diagnostic::error(Rule::InvalidArgument, message)
}

/// The approximate overhead of an item in bytes besides its text: the same on every
/// machine.
pub(crate) const ITEM: usize = 32;

/// Calls a function whose arguments have been checked.
///
/// # Errors
/// The function has no result, it would be too large, or functions would exceed the limit
/// `may_work`.
pub(crate) fn run(
    body: fn(&Value, &Arguments<'_>) -> Result<Value, Failure>,
    value: &Value,
    arguments: &Arguments<'_>,
    may_work: &dyn Fn(usize) -> bool,
) -> Result<Value, Failure> {
    if !may_work(
        arguments
            .0
            .iter()
            .fold(width(value), |all, one| all.saturating_add(width(one))),
    ) {
        return Err(Failure::TooMuchWork);
    }
    let result = body(value, arguments)?;
    let size = size(&result);
    if size > MAX_VALUE && size > self::size(value) {
        return Err(Failure::TooLarge);
    }
    if !may_work(size) {
        return Err(Failure::TooMuchWork);
    }
    Ok(result)
}

/// Returns the approximate number of bytes that a function reads if it doesn't recurse into
/// a value.
pub(crate) fn width(value: &Value) -> usize {
    match value {
        Value::Null | Value::Bool(_) => 0,
        Value::Number(text) | Value::String(text) => text.len(),
        Value::List(items) => items.len().saturating_mul(ITEM),
        Value::Object(entries) => entries.len().saturating_mul(ITEM),
    }
}

/// Checks that a value of `length` bytes may grow by `more`.
///
/// # Errors
/// It would exceed [`MAX_VALUE`].
pub(crate) fn check_growth(length: usize, more: usize) -> Result<(), Failure> {
    match length.saturating_add(more) {
        size if more > 0 && size > MAX_VALUE => Err(Failure::TooLarge),
        _ => Ok(()),
    }
}

/// Returns the approximate size of a value in bytes.
pub(crate) fn size(value: &Value) -> usize {
    match value {
        Value::Null | Value::Bool(_) => 0,
        Value::Number(text) | Value::String(text) => text.len(),
        Value::List(items) => items.iter().map(|item| size(item) + ITEM).sum(),
        Value::Object(entries) => entries
            .iter()
            .map(|(key, value)| key.name.len() + size(value) + ITEM)
            .sum(),
    }
}

/// Describes how a function is called: `join(separator)`: what it does.
pub(crate) fn usage(function: &Function) -> String {
    format!("`{}`: {}", function.signature(), function.doc)
}

/// `one argument`, `one or two arguments`, `at least one argument`
fn accepted_count(function: &Function) -> String {
    const NUMBERS: [&str; 3] = ["no", "one", "two"];
    let counts: Vec<usize> = (0..=NUMBERS.len())
        .filter(|n| function.accepts_count(*n))
        .collect();
    let number = |n: &usize| NUMBERS.get(*n).copied().unwrap_or("more");
    let arguments = |n: &usize| if *n == 1 { "argument" } else { "arguments" };
    match counts.as_slice() {
        [0, 1] => "at most one argument".to_owned(),
        [least, .., most] if *most == NUMBERS.len() => {
            format!("at least {} {}", number(least), arguments(least))
        }
        [least, .., most] => format!("{} or {} {}", number(least), number(most), arguments(most)),
        [one] => format!("{} {}", number(one), arguments(one)),
        [] => "more arguments".to_owned(),
    }
}

fn unknown(call: &Call, site: &Site<'_>) -> Diagnostic {
    let wanted = call.function.as_str();
    let error = Diagnostic::error(
        Rule::UnknownFunction,
        format!("unknown function `{wanted}`"),
    );
    let names = || FUNCTIONS.iter().map(|function| function.name);
    let elsewhere = ELSEWHERE
        .iter()
        .find(|(name, _)| name.eq_ignore_ascii_case(wanted))
        .map(|(_, ours)| *ours);
    let error = match elsewhere.or_else(|| suggest::closest(wanted, names())) {
        Some(near) => fix_name(error, site, &call.range, near),
        None => {
            let all: Vec<_> = names().map(|name| format!("`{name}`")).collect();
            error.help(format!("available functions: {}", all.join(", ")))
        }
    };
    site.label(error, &call.range, "")
}

/// Calls a function on JSON and compares its value, as JSON, or its failure.
#[cfg(test)]
pub(crate) fn check_function(name: &str, value: &str, arguments: &[&str], expected: &str) {
    let function = Function::of_name(name).unwrap();
    let super::Body::Value(body) = function.body else {
        panic!("{name} is not a function on values");
    };
    let read = |json: &str| crate::outputs::value_of_json(json);
    let arguments: Vec<_> = arguments
        .iter()
        .map(|argument| std::borrow::Cow::Owned(read(argument)))
        .collect();
    assert!(function.accepts_count(arguments.len()), "{name}");
    for (nth, argument) in arguments.iter().enumerate() {
        assert!(
            function.parameter(nth).unwrap().kind.holds(argument),
            "{name}"
        );
    }
    let reported = match run(body, &read(value), &Arguments(&arguments), &|_| true) {
        Ok(made) => made.to_json(),
        Err(failure) => format!("{failure:?}"),
    };
    assert_eq!(reported, expected, "{name} of {value:.80}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rejects_a_result_that_grows_too_large() {
        let half = format!("\"{}\"", "x".repeat(MAX_VALUE / 2 + 1));
        check_function("hex", &half, &[], "TooLarge");
        check_function("replace", &half, &["\"x\"", "\"yyy\""], "TooLarge");
        check_function("split", &half, &["\"\""], "TooLarge");
        let list = format!("[{}\"\"]", "\"\",".repeat(1000));
        let separator = format!("\"{}\"", "x".repeat(MAX_VALUE / 900));
        check_function("join", &list, &[&separator], "TooLarge");
    }

    #[test]
    fn accepts_a_large_value_that_does_not_grow() {
        let text = format!("\"{}\"", "x".repeat(MAX_VALUE + 1));
        check_function("verbatim", &text, &[], &text);
    }
}
