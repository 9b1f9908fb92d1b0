//! References overwritten by bytes that mean nothing to YAML, so that a document
//! parses as it will stand when they are replaced, and every offset still points
//! into the original.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::reference::{Heads, extent, shapes};

/// The byte that masks are made of. It is inert in every context, and no legal
/// escape when a backslash stands before it (`\_`, `\0` and `\a` are).
const INERT: char = 'q';

/// A reference, or an escaped one, in the raw text of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Mask {
    /// From `$` of `${` to where it ends, as far as raw text can tell.
    pub(crate) range: Range<usize>,
    /// `$${…`: the escape; `range` does not hold its first `$`.
    pub(crate) escaped: bool,
}

/// The masks of every bound reference in `text`, in order and disjoint.
///
/// `known` gives the ends of references whose scalars have been read, by the
/// bytes where they begin.
pub(crate) fn mask_references(
    text: &str,
    heads: &Heads,
    known: &BTreeMap<usize, usize>,
) -> Vec<Mask> {
    let mut masks: Vec<Mask> = Vec::new();
    for head in heads.find(text) {
        // A head inside the string of a reference belongs to that one.
        if masks.last().is_some_and(|last| head.at < last.range.end) {
            continue;
        }
        let range = known
            .get(&head.at)
            .map_or_else(|| extent(text, head.at), |end| head.at..*end);
        masks.push(Mask {
            range,
            escaped: head.escaped,
        });
    }
    masks
}

/// The ranges of everything that would be a reference if its name were bound: for
/// documents that are read before the names are known.
pub(crate) fn mask_shapes(text: &str) -> Vec<Range<usize>> {
    shapes(text).map(|at| extent(text, at)).collect()
}

/// The ranges of balanced `${…}` on one line each that are no references: other
/// people's placeholders, which YAML alone may not be able to parse.
pub(crate) fn mask_others(text: &str) -> Vec<Range<usize>> {
    let bytes = text.as_bytes();
    let mut ranges: Vec<Range<usize>> = Vec::new();
    // The braces that are open on this line, and whether a `$` stands before.
    let mut open: Vec<(usize, bool)> = Vec::new();
    for (at, byte) in bytes.iter().enumerate() {
        match byte {
            b'{' => open.push((at, at > 0 && bytes[at - 1] == b'$')),
            b'}' => {
                if let Some((start, true)) = open.pop() {
                    let range = start - 1..at + 1;
                    while ranges.last().is_some_and(|last| last.start > range.start) {
                        ranges.pop();
                    }
                    ranges.push(range);
                }
            }
            b'\n' | b'\r' => open.clear(),
            _ => {}
        }
    }
    ranges
}

/// Sorts ranges that may overlap.
pub(super) fn sort_by_start(ranges: &mut [Range<usize>]) {
    ranges.sort_by_key(|range| range.start);
}

/// `text` with the given ranges overwritten, line breaks and the spaces around
/// them kept: a reference may go on over the folded lines of a scalar. The
/// ranges may overlap and come in any order.
pub(crate) fn masked<'r>(text: &str, ranges: impl Iterator<Item = &'r Range<usize>>) -> String {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        let masks = mask_references(text, &Heads::new(["infra"]), &BTreeMap::new());
        let scratch = masked(text, masks.iter().map(|mask| &mask.range));
        assert_eq!(scratch, expected);
        assert_eq!(scratch.len(), text.len());
    }

    #[test]
    fn a_reference_becomes_inert_bytes_of_the_same_length() {
        check("[${infra.a}, ${infra.b}]", "[qqqqqqqqqq, qqqqqqqqqq]");
        check("{ ${infra.k}: 1 }", "{ qqqqqqqqqq: 1 }");
        check(
            "a: ${infra.x | default(\"a: b # c\")}\n",
            &format!("a: {}\n", "q".repeat(32)),
        );
        check("a: $${infra.x}", "a: $qqqqqqqqqq");
        check(
            "a: ${infra.x | default('é')}",
            &format!("a: {}", "q".repeat(26)),
        );
    }

    #[test]
    fn other_text_stays() {
        check("a: ${HOME} ${infra} {{ x }}", "a: ${HOME} ${infra} {{ x }}");
    }

    #[test]
    fn other_peoples_placeholders_are_found_when_they_are_balanced() {
        assert_eq!(mask_others("{a: ${X:-${Y}}, b: ${Z\n}"), vec![4..14]);
    }
}
