//! Overwrites parts of a text with bytes that have no meaning in YAML.

use std::ops::Range;

/// The byte that masks consist of. It is inert in every context, and not a valid escape
/// after a backslash (`\_`, `\0` and `\a` are).
const INERT: char = 'q';

/// References are about this long: a mask is copied at once.
const INERT_RUN: &str = "qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqq";

/// Sorts ranges that may overlap.
pub(crate) fn sort_by_start(ranges: &mut [Range<usize>]) {
    ranges.sort_by_key(|range| range.start);
}

/// Returns `text` with the given ranges overwritten. Its length stays the same, so every
/// offset is also valid in the original. A range with a line break keeps its whitespace,
/// so that it may span the folded lines of a scalar. The ranges may overlap and be in any
/// order.
///
/// The placeholders of a template language rarely parse like the values that replace them;
/// masked, they are plain text.
///
/// # Examples
/// ```
/// let text = "[${a}, ${b}]";
/// assert!(landfall_yaml::locate(text).is_err());
/// assert_eq!(landfall_yaml::masked(text, [1..5, 7..11].iter()), "[qqqq, qqqq]");
/// ```
pub fn masked<'r>(text: &str, ranges: impl Iterator<Item = &'r Range<usize>> + Clone) -> String {
    if ranges.clone().is_sorted_by_key(|range| range.start) {
        return masked_in_order(text, ranges.cloned());
    }
    let mut ranges: Vec<_> = ranges.cloned().collect();
    sort_by_start(&mut ranges);
    masked_in_order(text, ranges.into_iter())
}

/// As [`masked`], with ranges that are sorted by their starts.
fn masked_in_order(text: &str, ranges: impl Iterator<Item = Range<usize>>) -> String {
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
            let mut left = inner.len();
            while left > 0 {
                let run = &INERT_RUN[..left.min(INERT_RUN.len())];
                scratch.push_str(run);
                left -= run.len();
            }
        }
        at = range.end;
    }
    scratch.push_str(&text[at..]);
    scratch
}

#[cfg(test)]
mod tests {
    use std::iter::once;

    use super::masked;

    #[test]
    fn overlapping_ranges_in_any_order_are_overwritten_once() {
        let text = "0123456789";
        assert_eq!(masked(text, [6..8, 1..4, 2..5].iter()), "0qqqq5qq89");
        assert_eq!(masked(text, [1..5, 2..3].iter()), "0qqqq56789");
        assert_eq!(masked(text, [].iter()), text);
    }

    #[test]
    fn a_mask_is_as_long_as_its_range() {
        for length in [0, 1, 63, 64, 65, 200] {
            let text = format!("a{}b", "x".repeat(length));
            let expected = format!("a{}b", "q".repeat(length));
            assert_eq!(masked(&text, once(&(1..1 + length))), expected);
        }
        assert_eq!(masked("é: 1", once(&(0..2))), "qq: 1");
    }

    #[test]
    fn a_mask_over_several_lines_keeps_its_whitespace() {
        assert_eq!(masked("${a\n  é}", once(&(0..9))), "qqq\n  qqq");
        assert_eq!(masked("${a\r\tb}", once(&(0..7))), "qqq\r\tqq");
        assert_eq!(masked("${a b}", once(&(0..6))), "qqqqqq");
    }
}
