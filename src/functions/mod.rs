//! The functions of references: one table, and a file for each kind of value. All are
//! total: for any value and any arguments they return a value or the reason why there is
//! none.

mod address;
mod argument;
mod arn;
mod call;
mod concat;
mod convert;
mod each;
mod encoding;
pub(crate) mod failed_call;
mod failure;
mod list;
pub(crate) mod look_up;
mod object;
pub(crate) mod operators;
pub(crate) mod sensitive_failure;
mod stand_in;
mod table;
mod text;
mod types;

pub(crate) use argument::{Arguments, literal_value};
pub(crate) use call::{check, check_argument, run, size, usage};
pub(crate) use concat::concat;
pub(crate) use each::each;
pub(crate) use encoding::{hexadecimal, is_base64};
pub(crate) use failed_call::{FailedCall, Reported};
pub(crate) use failure::{Absent, FailedMember, Failure};
pub(crate) use look_up::{Evaluation, member, target_of, value_at};
pub(crate) use sensitive_failure::hide_render_reason;
pub use stand_in::StandIn;
pub(crate) use table::{ELSEWHERE, FUNCTIONS};
pub(crate) use types::{Inferred, ReturnType, Types};

use crate::outputs::Value;
use crate::reference::{Call, Dialect, Insertion, Position, Reference};
use yaml::{Edit, Span};

/// One row of the table.
#[derive(Debug)]
pub(crate) struct Function {
    pub(crate) name: &'static str,
    /// The types of the values that it accepts.
    pub(crate) accepts: Types,
    /// The type of its result.
    pub(crate) returns: ReturnType,
    pub(crate) parameters: &'static [Parameter],
    /// What it does, in a few words.
    pub(crate) doc: &'static str,
    pub(crate) body: Body,
}

/// What a function does.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Body {
    /// Provides a value if there is none.
    Default,
    /// ReturnType the reason why a value is required.
    Required,
    /// Removes the sensitive mark.
    Nonsensitive,
    /// Computes a value from a value. The arguments have been checked.
    Value(fn(&Value, &Arguments<'_>) -> Result<Value, Failure>),
    /// Appends lists to a list, see [`concat`].
    Concat,
    /// Calls a function on the items of a list or the values of an object, see [`each`].
    Each,
    /// Puts the items of a list in the place of an item.
    Spread,
}

/// The arguments between a function's parentheses.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Parameter {
    pub(crate) name: &'static str,
    pub(crate) kind: Kind,
    pub(crate) times: Times,
}

/// What an argument must be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Anything.
    Any,
    /// A string.
    Text,
    /// A literal string in the reference itself, because it is shown in messages.
    Literal,
    /// A number without fraction and exponent.
    Whole,
    /// A list.
    List,
    /// A call of a function, see [`Function::is_for_items`].
    Call,
}

/// How many arguments a parameter takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Times {
    Once,
    /// Zero or one.
    Optional,
    /// One or more; only for the last parameter.
    Many,
}

impl Function {
    /// Returns the function with this name.
    pub(crate) fn of_name(name: &str) -> Option<&'static Self> {
        let mut all = FUNCTIONS.iter().chain(operators::OPERATORS);
        all.find(|function| function.name == name)
    }

    /// Writes its signature: `trim(characters?)`, `concat(list, …)`.
    pub(crate) fn signature(&self) -> String {
        if let Some(form) = operators::form(self) {
            return form;
        }
        if self.parameters.is_empty() {
            return self.name.to_owned();
        }
        let parameters = self.parameters.iter().map(|parameter| {
            let after = match parameter.times {
                Times::Once => "",
                Times::Optional => "?",
                Times::Many => ", …",
            };
            format!("{}{after}", parameter.name)
        });
        format!(
            "{}({})",
            self.name,
            parameters.collect::<Vec<_>>().join(", ")
        )
    }

    /// Returns whether `each` can call it. What concerns a whole reference, such as whether
    /// it is sensitive, does not concern an item.
    pub(crate) const fn is_for_items(&self) -> bool {
        match self.body {
            Body::Default | Body::Value(_) | Body::Concat | Body::Each => true,
            Body::Required | Body::Nonsensitive | Body::Spread => false,
        }
    }

    /// Returns the parameter of the argument `nth`.
    pub(crate) fn parameter(&self, nth: usize) -> Option<&'static Parameter> {
        let last = self.parameters.last();
        self.parameters
            .get(nth)
            .or(last.filter(|last| last.times == Times::Many))
    }

    /// Returns whether it accepts this number of arguments.
    pub(crate) fn accepts_count(&self, arguments: usize) -> bool {
        let least = self
            .parameters
            .iter()
            .filter(|parameter| parameter.times != Times::Optional)
            .count();
        arguments >= least && (arguments == 0 || self.parameter(arguments - 1).is_some())
    }
}

/// Returns the edits that make a reference call these functions last, with their strings
/// in `quote`. `span` is the location of the reference in its file. Returns `None` if the
/// dialect has no notation for it.
pub(crate) fn call_last(
    dialect: &dyn Dialect,
    reference: &Reference,
    span: Span,
    calls: &[Call],
    quote: char,
) -> Option<Vec<Edit>> {
    let notation = dialect.notation();
    let edit = |Insertion { position, text }| {
        let at = match position {
            Position::AfterOpener => span.start + notation.opener.len(),
            Position::BeforeCloser => span.end.saturating_sub(notation.closer.len()),
        };
        Edit {
            span: Span::point(at),
            text: text.into_bytes(),
        }
    };
    let insertions = dialect.append(reference, calls, quote)?;
    Some(insertions.into_iter().map(edit).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_keys() {
        let mut seen = std::collections::BTreeSet::new();
        for function in FUNCTIONS {
            assert!(
                seen.insert(function.name),
                "duplicate function {}",
                function.name
            );
            assert!(
                function
                    .name
                    .bytes()
                    .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_')
            );
        }
    }

    #[test]
    fn signatures_give_the_number_of_arguments() {
        let check = |name: &str, signature: &str, counts: &[usize]| {
            let function = Function::of_name(name).unwrap();
            assert_eq!(function.signature(), signature);
            let found: Vec<_> = (0..5).filter(|n| function.accepts_count(*n)).collect();
            assert_eq!(found, counts, "{name}");
        };
        check("upper", "upper", &[0]);
        check("join", "join(separator)", &[1]);
        check("trim", "trim(characters?)", &[0, 1]);
        check("substring", "substring(start, length?)", &[1, 2]);
        check("concat", "concat(list, …)", &[1, 2, 3, 4]);
    }

    /// Returns a heading's anchor, as GitHub generates it.
    fn anchor(heading: &str) -> String {
        heading
            .to_lowercase()
            .chars()
            .filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'))
            .map(|c| if c == ' ' { '-' } else { c })
            .collect()
    }

    #[test]
    fn every_function_is_documented() {
        let overview = include_str!("../../docs/language/functions.md");
        let pages = [
            ("default", include_str!("../../docs/language/default.md")),
            (
                "sensitive-outputs",
                include_str!("../../docs/language/sensitive-outputs.md"),
            ),
            (
                "functions-text",
                include_str!("../../docs/language/functions-text.md"),
            ),
            (
                "functions-lists",
                include_str!("../../docs/language/functions-lists.md"),
            ),
            (
                "functions-types",
                include_str!("../../docs/language/functions-types.md"),
            ),
            (
                "functions-encoding",
                include_str!("../../docs/language/functions-encoding.md"),
            ),
            (
                "functions-addresses",
                include_str!("../../docs/language/functions-addresses.md"),
            ),
        ];
        let mut wrong = Vec::new();
        for function in FUNCTIONS {
            let signature = function.signature();
            let heading = format!("\n## `{signature}`\n");
            let Some((page, _)) = pages.iter().find(|(_, text)| text.contains(&heading)) else {
                wrong.push(format!("no page has the heading{heading}"));
                continue;
            };
            let row = format!(
                "| [`{signature}`]({page}.md#{}) | {} |",
                anchor(&signature),
                function.doc
            );
            if !overview.lines().any(|line| line == row) {
                wrong.push(format!("functions.md has no line\n{row}"));
            }
        }
        assert!(wrong.is_empty(), "\n{}\n", wrong.join("\n"));
    }
}
