//! Text that starts like a reference but is not one.

use std::ops::Range;

use crate::reference::{Dialect, SyntaxError};
use crate::report::{Diagnostic, Origin, Rule};
use yaml::Span;

/// Reports text that starts like a reference but is not one; `range` is all of it.
pub(crate) fn invalid_reference(
    dialect: &dyn Dialect,
    error: &SyntaxError,
    text: &str,
    range: &Range<usize>,
    origin: Origin,
    span_of: &dyn Fn(&Range<usize>) -> Span,
) -> Diagnostic {
    let notation = dialect.notation();
    let (rule, message, help) = if error.unterminated {
        (
            Rule::UnterminatedReference,
            "unclosed reference",
            format!("close it with `{}` in the same scalar", notation.closer),
        )
    } else {
        (
            Rule::InvalidReference,
            "invalid reference",
            notation.form.to_owned(),
        )
    };
    let help = error.help.clone().unwrap_or(help);
    let wrong = text.get(error.at..).unwrap_or_default();
    let length = wrong.chars().next().map_or(0, char::len_utf8);
    Diagnostic::error(rule, format!("{message}: {}", error.message))
        .at(origin, span_of(&(error.at..error.at + length)), "")
        .at(origin, span_of(range), "it starts here")
        .help(help)
}
