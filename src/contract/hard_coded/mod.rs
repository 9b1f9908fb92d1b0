//! The values of outputs that are hard-coded in text: how long and how distinct a text must be to
//! be found, and the search for sensitive ones.

mod prefixes;
mod sensitive;

pub(super) use prefixes::{MAX_PREFIX, Texted, prefixes};
pub(super) use sensitive::{Occurrence, SensitiveValues};

/// The maximum number of outputs that are named for a value.
pub(super) const MAX_NAMED: usize = 16;

/// The minimum length of a value, in characters.
pub(super) const MIN_LENGTH: usize = 6;

/// The minimum length of a value that is only a part of a scalar, or that is sensitive and
/// a single word.
pub(super) const MIN_PART_LENGTH: usize = 8;

/// Returns whether a sensitive value is reported where it is all of a scalar. It may have
/// several lines.
pub(super) fn is_distinct_or_secret(text: &str) -> bool {
    let length = text.chars().count();
    length >= MIN_PART_LENGTH || (length >= MIN_LENGTH && text.chars().any(|c| !c.is_alphabetic()))
}

/// Whether no word and no number with dots continues across byte `at`.
pub(super) fn is_boundary(text: &str, at: usize) -> bool {
    let (Some(before), Some(after)) = (text.get(..at), text.get(at..)) else {
        return false;
    };
    let mut back = before.chars().rev();
    let mut on = after.chars();
    let [last, before_last] = [back.next(), back.next()];
    let [first, second] = [on.next(), on.next()];
    let is = |c: Option<char>, test: fn(char) -> bool| c.is_some_and(test);
    let digit = |c: char| c.is_ascii_digit();
    let dotted_before = last == Some('.') && is(before_last, digit) && is(first, digit);
    let dotted_after = first == Some('.') && is(last, digit) && is(second, digit);
    let in_word = is(last, char::is_alphanumeric) && is(first, char::is_alphanumeric);
    !in_word && !dotted_before && !dotted_after
}
