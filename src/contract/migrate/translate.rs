//! A reference of another dialect in landfall's own: its outputs with the names of their
//! bindings, its operators as functions.

use crate::bind::plain_value;
use crate::functions::{Function, target_of};
use crate::outputs::{Bindings, Value};
use crate::reference::{Argument, ArgumentValue, Call, Path, Reference, Step};
use yaml::is_number;

/// Characters that have a meaning in the patterns of Flux's `#` and `%`.
const GLOB: [char; 5] = ['*', '?', '[', ']', '\\'];

/// Why a reference has no equivalent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Untranslatable {
    /// No bound document has this output.
    Unbound(String),
    /// No function does what this operator does with these arguments.
    Operator(String),
    /// A fallback of several texts and references.
    Fallback,
}

/// Returns a reference in landfall's own dialect. `is_plain`: it is all of a plain scalar,
/// where a fallback is YAML.
pub(super) fn translated(
    reference: &Reference,
    bindings: &Bindings,
    is_plain: bool,
) -> Result<Reference, Untranslatable> {
    let has_fallback = reference.calls.iter().any(|call| call.function == DEFAULT);
    let mut calls = Vec::with_capacity(reference.calls.len());
    for call in &reference.calls {
        add_calls(call, bindings, is_plain, &mut calls)?;
    }
    let path = match output(&reference.path, bindings) {
        Ok(path) => path,
        // Without its fallback, nothing says which binding should have it.
        Err(unbound) if has_fallback => default_output(&reference.path, bindings).ok_or(unbound)?,
        Err(unbound) => return Err(unbound),
    };
    Ok(Reference::new(path, calls))
}

const DEFAULT: &str = "default";

/// Returns the path of the output that a variable names.
fn output(path: &Path, bindings: &Bindings) -> Result<Path, Untranslatable> {
    let target = target_of(path, bindings).filter(|target| target.bound().is_some());
    match target {
        Some(target) => Ok(Path::new(Some(target.binding.to_owned()), &target.output)),
        None => Err(Untranslatable::Unbound(path.display())),
    }
}

/// Returns the path of an output that does not exist yet, if only one name is bound.
fn default_output(path: &Path, bindings: &Bindings) -> Option<Path> {
    let mut names = bindings.names();
    let (name, others) = (names.next()?, names.next());
    let Step::Key(output) = &path.segments.first()?.step else {
        return None;
    };
    others
        .is_none()
        .then(|| Path::new(Some(name.to_owned()), output))
}

/// Adds the functions that do what a call does.
fn add_calls(
    call: &Call,
    bindings: &Bindings,
    is_plain: bool,
    calls: &mut Vec<Call>,
) -> Result<(), Untranslatable> {
    let operator = || Untranslatable::Operator(call.function.clone());
    let texts: Option<Vec<&str>> = call.arguments.iter().map(text).collect();
    let is_literal = |pattern: &str| !pattern.is_empty() && !pattern.contains(GLOB);
    let added = match (call.function.as_str(), texts.as_deref()) {
        (DEFAULT | ":?" | ":+", _) => {
            let Some(fallback) = call.arguments.first() else {
                return Err(operator());
            };
            return add_fallback(fallback, bindings, is_plain, calls);
        }
        ("^^", Some([])) => Call::new("upper", &[]),
        (",,", Some([])) => Call::new("lower", &[]),
        ("${#}", Some([])) => Call::new("length", &[]),
        ("//", Some([old])) if !old.is_empty() => Call::new("replace", &[old, ""]),
        ("//", Some([old, new])) if !old.is_empty() => Call::new("replace", &[old, new]),
        ("#" | "##", Some([pattern])) if is_literal(pattern) => {
            Call::new("trim_prefix", &[pattern])
        }
        ("%" | "%%", Some([pattern])) if is_literal(pattern) => {
            Call::new("trim_suffix", &[pattern])
        }
        (":", Some(positions)) if positions.iter().all(|position| is_position(position)) => {
            let number = |digits: &&str| Argument {
                value: ArgumentValue::Number((*digits).to_owned()),
                range: 0..0,
            };
            Call {
                arguments: positions.iter().map(number).collect(),
                ..Call::new("substring", &[])
            }
        }
        (name, Some(texts)) if is_own(name) => Call::new(name, texts),
        _ => return Err(operator()),
    };
    calls.push(added);
    Ok(())
}

/// Whether a name is that of one of landfall's own functions.
fn is_own(name: &str) -> bool {
    name.starts_with(|first: char| first.is_ascii_lowercase()) && Function::of_name(name).is_some()
}

/// Whether a text is a position that means the same to both: a number of bytes of ASCII is
/// one of characters.
fn is_position(text: &str) -> bool {
    !text.starts_with('-')
        && text.len() < 10
        && text.bytes().all(|b| b.is_ascii_digit())
        && is_number(text)
}

fn text(argument: &Argument) -> Option<&str> {
    match &argument.value {
        ArgumentValue::String(text) => Some(text),
        _ => None,
    }
}

/// Adds a fallback. That of a fallback follows it: `${a:=${b:=c}}` becomes
/// `default(infra.b) | default("c")`.
fn add_fallback(
    fallback: &Argument,
    bindings: &Bindings,
    is_plain: bool,
    calls: &mut Vec<Call>,
) -> Result<(), Untranslatable> {
    let (value, rest): (_, &[Call]) = match &fallback.value {
        ArgumentValue::String(text) if is_plain => (literal(text)?, &[]),
        ArgumentValue::String(text) => (ArgumentValue::String(text.clone()), &[]),
        ArgumentValue::Path(path) => (ArgumentValue::Path(output(path, bindings)?), &[]),
        ArgumentValue::Reference(nested) => {
            let path = output(&nested.path, bindings)?;
            (ArgumentValue::Path(path), &nested.calls)
        }
        _ => return Err(Untranslatable::Fallback),
    };
    calls.push(Call {
        arguments: vec![Argument { value, range: 0..0 }],
        ..Call::new(DEFAULT, &[])
    });
    for call in rest {
        // An argument cannot call functions, and those of the whole apply to the value, too.
        if !matches!(call.function.as_str(), DEFAULT | ":?" | ":+") {
            return Err(Untranslatable::Fallback);
        }
        add_calls(call, bindings, is_plain, calls)?;
    }
    Ok(())
}

/// Returns the argument for a text that is all of a plain scalar.
fn literal(text: &str) -> Result<ArgumentValue, Untranslatable> {
    Ok(match plain_value(text) {
        None => ArgumentValue::String(text.to_owned()),
        Some(Value::Null) => ArgumentValue::Null,
        Some(Value::Bool(value)) => ArgumentValue::Bool(value),
        Some(Value::Number(digits)) => ArgumentValue::Number(digits),
        Some(Value::String(text)) => ArgumentValue::String(text),
        Some(Value::List(_) | Value::Object(_)) => return Err(Untranslatable::Fallback),
    })
}
