//! The ceiling: the loosest policies that a render may have. Each key is the operator's if
//! the operator sets it, else landfall's own for the environment.

use crate::config::BuiltInCeiling;
use crate::config::Spanned;
use crate::config::policy::choice::Choice;
use crate::report::{Diagnostic, Origin, Rule};
use yaml::Span;

/// The loosest value of one policy, and who sets it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limit<T> {
    pub(crate) value: T,
    pub(crate) by: Authority,
}

/// Where a policy's value comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Authority {
    /// landfall's default, or the requested value if there is no limit.
    #[default]
    Author,
    /// The Binding or a flag, at this location.
    Spanned(Origin, Span),
    /// landfall's own ceiling under Argo CD.
    ArgoCd,
    /// The operator's policy, at this location.
    Operator(Origin, Span),
}

impl<T: Choice> Limit<T> {
    /// Returns the limit of a choice; `None`: any value is allowed.
    pub(crate) fn of_choice(
        operator: Option<&Spanned<T>>,
        built_in: BuiltInCeiling,
    ) -> Option<Self> {
        if let Some(declared) = operator {
            return Some(Self {
                value: declared.value,
                by: Authority::Operator(declared.origin, declared.span),
            });
        }
        match built_in {
            BuiltInCeiling::None => None,
            BuiltInCeiling::ArgoCd => T::UNDER_ARGO_CD.map(|value| Self {
                value,
                by: Authority::ArgoCd,
            }),
        }
    }
}

impl<'p, T> Limit<&'p [T]> {
    /// Returns the limit of a list: under Argo CD nothing, unless the operator sets it.
    pub(crate) fn of_list(
        operator: Option<&'p Spanned<Vec<T>>>,
        built_in: BuiltInCeiling,
    ) -> Option<Self> {
        if let Some(declared) = operator {
            return Some(Self {
                value: declared.value.as_slice(),
                by: Authority::Operator(declared.origin, declared.span),
            });
        }
        match built_in {
            BuiltInCeiling::None => None,
            BuiltInCeiling::ArgoCd => Some(Self {
                value: &[],
                by: Authority::ArgoCd,
            }),
        }
    }
}

/// What forbids something: the subject of the message, the location that forbids it, and
/// what to do.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Refusal {
    pub(crate) key: &'static str,
    pub(crate) word: &'static str,
    pub(crate) by: Authority,
}

impl Refusal {
    /// Returns `the operator's policy does not allow WHAT`, without a location yet.
    pub(crate) fn error(&self, what: &str) -> Diagnostic {
        let (key, word) = (self.key, self.word);
        match self.by {
            Authority::Operator(..) => Diagnostic::error(
                Rule::RefusedByOperator,
                format!("the operator's policy does not allow {what}"),
            ),
            Authority::ArgoCd => Diagnostic::error(
                Rule::RefusedByOperator,
                format!("landfall as a plugin does not allow {what}"),
            ),
            Authority::Author | Authority::Spanned(..) => Diagnostic::error(
                Rule::RefusedByPolicy,
                format!("the policy `{key}: {word}` does not allow {what}"),
            ),
        }
    }

    /// Adds the location that forbids it, if it is in a document.
    pub(crate) fn refused_here(&self, error: Diagnostic) -> Diagnostic {
        match self.by {
            Authority::Operator(origin, span) | Authority::Spanned(origin, span) => {
                error.in_config(origin, span, "refused here")
            }
            Authority::Author | Authority::ArgoCd => error,
        }
    }

    /// Adds help: `instead`, and who can allow it.
    pub(crate) fn help(&self, error: Diagnostic, instead: &str, allowing: &str) -> Diagnostic {
        match self.by {
            Authority::ArgoCd => error.help(format!(
                "{instead}; an operator can allow it with `{allowing}` in the operator's policy"
            )),
            _ => error.help(instead),
        }
    }
}
