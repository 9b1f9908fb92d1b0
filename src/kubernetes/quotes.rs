//! Which values in a text are in quotes of a language in which `\` makes the next character text.

use std::ops::Range;

/// Returns for each value, by its bytes, whether the author's quotes are around it: one of
/// `quotes` that is not closed before it. The values are ascending, and have no quotes themselves.
pub(crate) fn in_quotes<'v>(
    text: &str,
    values: impl Iterator<Item = &'v Range<usize>>,
    quotes: &[char],
) -> Vec<bool> {
    let (mut open, mut is_escaped, mut at) = (None, false, 0);
    let is_in_quotes = |value: &Range<usize>| {
        for c in text.get(at..value.start).unwrap_or_default().chars() {
            match open {
                _ if is_escaped => is_escaped = false,
                Some(_) if c == '\\' => is_escaped = true,
                Some(quote) if c == quote => open = None,
                None if quotes.contains(&c) => open = Some(c),
                _ => {}
            }
        }
        // The value is no escape.
        is_escaped = false;
        at = value.end;
        open.is_some()
    };
    values.map(is_in_quotes).collect()
}
