//! Reports a call that fails on a value that is not sensitive: what the function expects,
//! and what it found.

use crate::functions::call::{MAX_VALUE, usage};
use crate::functions::look_up::{Missing, fix_name};
use crate::functions::{Failure, Function};
use crate::outputs::{MAX_WORK, Type, Value};
use crate::reference::{Argument, ArgumentValue, Call, Syntax};
use crate::reference::{Dialect, Site};
use crate::report::{Diagnostic, Rule};

/// A call of a function.
pub(crate) struct FailedCall<'a> {
    pub(crate) function: &'static Function,
    pub(crate) call: &'a Call,
    /// The value that the function was called on: `infra.x`, or the result of a function.
    pub(crate) subject: String,
    pub(crate) value: &'a Value,
    /// How many calls of `each` it is an argument of.
    pub(crate) levels: usize,
}

/// The result of a failed call.
pub(crate) enum Reported {
    Error(Diagnostic),
    /// A later `default` applies.
    Missing(Missing),
}

/// Creates the error of too much work, without a location yet.
pub(crate) fn too_much_work() -> Diagnostic {
    let message = format!(
        "the functions and `[*]` of this render would process more than {MAX_WORK} times the answer's size limit"
    );
    Diagnostic::error(Rule::AnswerTooLarge, message).help(
        "use fewer functions and `[*]` on large outputs, or raise the limit on the answer's size",
    )
}

impl FailedCall<'_> {
    /// Returns the diagnostic of a failure.
    pub(crate) fn report(&self, failure: Failure, site: &Site<'_>) -> Reported {
        let Self {
            function,
            call,
            subject,
            ..
        } = self;
        let name = function.name;
        let found = self.value.value_type();
        let reported =
            |rule, message: String| site.label(Diagnostic::error(rule, message), &call.range, "");
        Reported::Error(match failure {
            Failure::Type(expected) => {
                let error = reported(
                    Rule::TypeMismatch,
                    format!(
                        "`{name}` expects {expected}, but {subject} is {}",
                        found.described()
                    ),
                );
                match self.type_help(expected, site.dialect) {
                    Some(help) => error.help(help),
                    None => error.help(usage(function)),
                }
            }
            Failure::Item(expected, item) => {
                let error = reported(
                    Rule::TypeMismatch,
                    format!(
                        "`{name}` expects a list of {expected}, but an item of {subject} is {}",
                        item.described()
                    ),
                );
                match item {
                    Type::Null => error.help(
                        site.dialect
                            .translate_calls("remove null and empty items with `| compact`"),
                    ),
                    _ => error.help(usage(function)),
                }
            }
            Failure::Entry(key, entry) => {
                let error = reported(
                    Rule::TypeMismatch,
                    format!(
                        "`{name}` expects an object of scalars, but the value of `{key}` in {subject} is {}",
                        entry.described()
                    ),
                );
                match entry {
                    Type::Null => error.help("null has no text: leave the key out of the output"),
                    _ => error.help(
                        site.dialect
                            .translate_calls("to write the whole object as text, use `| json`"),
                    ),
                }
            }
            Failure::Form(expected) => {
                let found = match found {
                    Type::String => "a different string",
                    found => found.described(),
                };
                reported(
                    Rule::TypeMismatch,
                    format!("`{name}` expects {expected}, but {subject} is {found}"),
                )
                .help(usage(function))
            }
            Failure::Content(why) => {
                let message = format!("`{name}`: {subject} {why}");
                reported(Rule::TypeMismatch, message).help(usage(function))
            }
            Failure::Argument(nth, message) => {
                let range = call
                    .arguments
                    .get(nth)
                    .map_or(&call.range, |argument| &argument.range);
                let error =
                    Diagnostic::error(Rule::InvalidArgument, format!("`{name}`: {message}"));
                site.label(error, range, "").help(usage(function))
            }
            Failure::Member(member) => {
                // The check of the call has found the function.
                let nested = call.nested();
                let function = nested.and_then(|call| Function::of_name(&call.function));
                let called = FailedCall {
                    function: function.unwrap_or(self.function),
                    call: nested.unwrap_or(call),
                    subject: format!("{} {subject}", member.name),
                    levels: self.levels + 1,
                    value: &member.value,
                };
                return called.report(member.failure, site);
            }
            Failure::TooLarge => reported(
                Rule::AnswerTooLarge,
                format!(
                    "`{name}` would make more than {} MiB from {subject}",
                    MAX_VALUE >> 20
                ),
            ),
            Failure::TooMuchWork => site.label(too_much_work(), &call.range, ""),
            Failure::Missing(absent) => {
                let mut error = reported(
                    Rule::UnknownKey,
                    format!("`{name}`: {} in {subject}", absent.what),
                );
                error = match (absent.near, absent.help) {
                    (Some(near), _) => self.fix_key(error, &near, site),
                    (None, Some(help)) => error.help(help),
                    (None, None) => error
                        .help(site.dialect.translate_calls(
                            "provide a fallback: add `| default(\"…\")` after it",
                        )),
                };
                let typo = absent.typo;
                return Reported::Missing(Missing { error, typo });
            }
        })
    }

    /// Returns how to call the function on the items of a value, or how to convert the value
    /// to a string.
    fn type_help(&self, expected: &str, dialect: &dyn Dialect) -> Option<String> {
        let calls = match (expected, self.value.value_type()) {
            ("a string", Type::List) => "`| join(\",\")` or `| json`",
            ("a string", Type::Object) => "`| json` or `| yaml`",
            _ => return None,
        };
        let calls = dialect.translate_calls(calls);
        let converted = format!("convert it to a string first with {calls}");
        let each = (0..=self.levels).fold(self.call.clone(), |nested, _| Call {
            function: "each".to_owned(),
            range: 0..0,
            arguments: vec![Argument {
                value: ArgumentValue::Call(Box::new(nested)),
                range: 0..0,
            }],
        });
        Some(match dialect.display(&Syntax::Call(&each)) {
            Some(each) if self.value.value_type() == Type::List => {
                format!("call it on each item with `{each}`, or {converted}")
            }
            _ => converted,
        })
    }

    /// Adds a fix if the key is a literal in the reference.
    fn fix_key(&self, error: Diagnostic, near: &str, site: &Site<'_>) -> Diagnostic {
        let error = error.help(format!("did you mean `{near}`?"));
        match self.call.arguments.as_slice() {
            [argument] if matches!(argument.value, ArgumentValue::String(_)) => {
                let written = ArgumentValue::String(near.to_owned());
                let written = site.dialect.display(&Syntax::Argument(&written));
                // The quotes are kept, of whatever kind they are.
                let quotes = written.as_deref().and_then(|text| text.split_once(near));
                let Some((before, after)) = quotes else {
                    return error;
                };
                let end = argument.range.end.saturating_sub(after.len());
                fix_name(
                    error,
                    site,
                    &(argument.range.start + before.len()..end),
                    near,
                )
            }
            _ => error,
        }
    }
}
