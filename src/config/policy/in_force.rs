//! Computes effective policies from the requested ones, one policy at a time.

use crate::config::policy::ceiling::{Authority, Limit, Refusal};
use crate::config::policy::choice::Choice;
use crate::config::{ConfigLocation, Spanned};
use crate::report::Diagnostic;

/// An effective value, and where it comes from.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct InForce<T> {
    pub(crate) value: T,
    pub(crate) by: Authority,
}

impl<T: Choice> InForce<T> {
    /// Returns the error for a value that this policy doesn't allow.
    pub(crate) fn refusal(&self) -> Refusal {
        Refusal {
            key: T::KEY,
            word: self.value.word(),
            by: self.by,
        }
    }
}

/// Computes one policy: the last request wins, and no value is looser than the limit. A
/// value that is set and looser is an error; one that isn't set is tightened.
pub(crate) fn chosen<T: Choice>(
    asking: [&Option<Spanned<T>>; 2],
    limit: Option<Limit<T>>,
    refused: &mut Vec<Diagnostic>,
) -> InForce<T> {
    let asking = || asking.into_iter().filter_map(Option::as_ref);
    let asked = match asking().last() {
        Some(declared) => InForce {
            value: declared.value,
            by: Authority::Spanned(declared.origin, declared.span),
        },
        None => InForce::default(),
    };
    let Some(limit) = limit else { return asked };
    for declared in asking().filter(|declared| declared.value > limit.value) {
        let refusal = Refusal {
            key: T::KEY,
            word: limit.value.word(),
            by: limit.by,
        };
        let asked = declared.value.word();
        refused.push(looser(asked, declared.location(), &refusal));
    }
    if asked.value > limit.value {
        InForce {
            value: limit.value,
            by: limit.by,
        }
    } else {
        asked
    }
}

/// An effective list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ListInForce<T> {
    /// The requested items within the limit, in the order of the request.
    pub(crate) allowed: Vec<T>,
    /// The requested items outside the limit.
    pub(crate) refused: Vec<T>,
    /// The source of the limit; [`Authority::Author`] if there is no limit.
    pub(crate) limited_by: Authority,
}

/// Computes one list: the last request wins, or `default` if there is none, and only items
/// within the limit are kept.
pub(crate) fn intersected<T: Clone + Ord>(
    asking: [&Option<Spanned<Vec<T>>>; 2],
    default: &[T],
    limit: Option<Limit<&[T]>>,
) -> ListInForce<T> {
    let last = asking.into_iter().filter_map(Option::as_ref).next_back();
    let asked = last.map_or(default, |declared| declared.value.as_slice());
    let within = limit.map(|limit| {
        let mut within: Vec<&T> = limit.value.iter().collect();
        within.sort_unstable();
        within
    });
    let (allowed, refused) = asked.iter().cloned().partition(|item| {
        let within = within.as_ref();
        within.is_none_or(|within| within.binary_search(&item).is_ok())
    });
    ListInForce {
        allowed,
        refused,
        limited_by: limit.map_or(Authority::Author, |limit| limit.by),
    }
}

/// Reports a policy that is looser than its limit, with the location that requests it.
fn looser(asked: &str, location: ConfigLocation, refusal: &Refusal) -> Diagnostic {
    let (key, allowed) = (refusal.key, refusal.word);
    let mut error = refusal.error(&format!("`{key}: {asked}`"));
    error = error.in_config(location.origin, location.span, "requested here");
    let instead = format!("write `{key}: {allowed}`, or remove it");
    match refusal.by {
        Authority::Operator(origin, span) => {
            error.message = format!("{}: its limit is `{key}: {allowed}`", error.message);
            error
                .in_config(origin, span, "the loosest value allowed")
                .help(format!("{instead}; only the operator can allow more"))
        }
        _ => refusal.help(error, &instead, &format!("{key}: {asked}")),
    }
}
