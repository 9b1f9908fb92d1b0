//! The ceiling: the loosest policies that a render may have. Each key is the
//! operator's where the operator states it, else landfall's own for where it runs.

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

/// Who decides a policy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Authority {
    /// landfall's default, or what is requested if there is no limit.
    #[default]
    Author,
    /// The Binding or a flag, here.
    Spanned(Origin, Span),
    /// landfall's own ceiling under Argo CD.
    ArgoCd,
    /// The operator's policy, here.
    Operator(Origin, Span),
}

impl<T: Choice> Limit<T> {
    /// The limit of a choice; none: any value is allowed.
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
    /// The limit of a list: under Argo CD nothing, unless the operator states it.
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

/// What does not allow something: the subject of its message, the place that says so
/// and what to do.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Refusal {
    pub(crate) key: &'static str,
    pub(crate) word: &'static str,
    pub(crate) by: Authority,
}

impl Refusal {
    /// `the operator's policy does not allow WHAT`, without a place yet.
    pub(crate) fn error(&self, what: &str) -> Diagnostic {
        let (key, word) = (self.key, self.word);
        match self.by {
            Authority::Operator(..) => Diagnostic::error(
                Rule::RefusedByOperator,
                format!("the operator's policy does not allow {what}"),
            ),
            Authority::ArgoCd => Diagnostic::error(
                Rule::RefusedByOperator,
                format!("landfall under Argo CD does not allow {what}"),
            ),
            Authority::Author | Authority::Spanned(..) => Diagnostic::error(
                Rule::RefusedByPolicy,
                format!("the policy `{key}: {word}` does not allow {what}"),
            ),
        }
    }

    /// Adds the location that refuses it, if a document does.
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
