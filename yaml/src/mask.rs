//! Text overwritten by bytes that mean nothing to YAML.

use std::ops::Range;

/// The byte that masks are made of. It is inert in every context, and not a legal escape
/// after a backslash (`\_`, `\0` and `\a` are).
const INERT: char = 'q';

/// Sorts ranges that may overlap.
pub(crate) fn sort_by_start(ranges: &mut [Range<usize>]) {
    ranges.sort_by_key(|range| range.start);
}

/// Returns `text` with the given ranges overwritten: of the same length, so that every
/// offset still points into the original. Line breaks and the spaces around them are
/// kept, so that a range may go over the folded lines of a scalar. The ranges may overlap
/// and come in any order.
///
/// A template language's placeholders rarely parse as what they will become: masked, they
/// are plain text.
///
/// # Examples
/// ```
/// let text = "[${a}, ${b}]";
/// assert!(landfall_yaml::locate(text).is_err());
/// assert_eq!(landfall_yaml::masked(text, [1..5, 7..11].iter()), "[qqqq, qqqq]");
/// ```
pub fn masked<'r>(text: &str, ranges: impl Iterator<Item = &'r Range<usize>>) -> String {
    let mut ranges: Vec<_> = ranges.cloned().collect();
    sort_by_start(&mut ranges);
    let mut scratch = String::with_capacity(text.len());
    let mut at = 0;
    for range in ranges {
        let range = range.start.max(at)..range.end.max(at);
        scratch.push_str(&text[at..range.start]);
        let inner = &text[range.clone()];
        if memchr::memchr2(b'\n', b'\r', inner.as_bytes()).is_some() {
            scratch.extend(inner.bytes().map(|b| {
                if b.is_ascii_whitespace() {
                    char::from(b)
                } else {
                    INERT
                }
            }));
        } else {
            scratch.extend(std::iter::repeat_n(INERT, inner.len()));
        }
        at = range.end;
    }
    scratch.push_str(&text[at..]);
    scratch
}
