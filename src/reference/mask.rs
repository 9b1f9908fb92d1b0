//! Overwrites references with bytes that have no meaning in YAML, so that a document parses
//! as it will after substitution, and every offset is still one of the original.

use std::ops::Range;

use crate::collections::OrderedMap;
use yaml::{LocateError, Tree, masked};

use crate::reference::head::Head;
use crate::reference::{Dialect, Heads, is_escaped, openings};

/// A reference, or an escaped one, in the raw text of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Mask {
    /// From the opener to the end, as far as the raw text determines it.
    pub(crate) range: Range<usize>,
    /// Whether it follows the dialect's escape, which is not part of `range`.
    pub(crate) escaped: bool,
}

/// Returns the masks of all bound references in `text`, in order and disjoint.
///
/// `known` maps the start of each reference whose scalar has been read to its end.
pub(crate) fn mask_references(
    text: &str,
    heads: &Heads,
    known: &OrderedMap<usize, usize>,
) -> Vec<Mask> {
    if heads.dialect().only_in_setters() {
        Vec::new()
    } else {
        mask_heads(text, heads, known, &mut heads.find(text), Vec::new())
    }
}

/// Returns the masks of the references that begin at these bytes, ascending: all heads of a
/// text that has been searched already. `offset` is that of `text` in what was searched.
pub(crate) fn mask_found(
    text: &str,
    heads: &Heads,
    known: &OrderedMap<usize, usize>,
    found: &[usize],
    offset: usize,
) -> Vec<Mask> {
    if heads.dialect().only_in_setters() {
        return Vec::new();
    }
    let masks = Vec::with_capacity(found.len());
    let mut found = (found.iter())
        .filter_map(|at| at.checked_sub(offset))
        .map(|at| heads.head(text, at));
    mask_heads(text, heads, known, &mut found, masks)
}

/// Adds the masks of these heads to `masks`, which is empty.
fn mask_heads(
    text: &str,
    heads: &Heads,
    known: &OrderedMap<usize, usize>,
    found: &mut dyn Iterator<Item = Head>,
    mut masks: Vec<Mask>,
) -> Vec<Mask> {
    for head in found {
        // A head in a string of a reference is part of that reference.
        if masks.last().is_some_and(|last| head.at < last.range.end) {
            continue;
        }
        let range = known.get(&head.at).map_or_else(
            || heads.dialect().extent(text, head.at),
            |end| head.at..*end,
        );
        masks.push(Mask {
            range,
            escaped: head.escaped,
        });
    }
    masks
}

/// Adds the mask of the reference that is being typed at byte `at`, unless it overlaps
/// another mask.
pub(crate) fn mask_unfinished(text: &str, at: usize, dialect: &dyn Dialect, masks: &mut Vec<Mask>) {
    let before = text.as_bytes().get(..at).unwrap_or_default();
    let Some(start) = memchr::memmem::rfind(before, dialect.notation().opener.as_bytes()) else {
        return;
    };
    let range = dialect.extent(text, start);
    let next = masks.partition_point(|mask| mask.range.start < start);
    let is_taken = |mask: &Mask| start < mask.range.end && mask.range.start < range.end;
    let mut neighbours = masks.iter().skip(next.saturating_sub(1)).take(2);
    if neighbours.any(is_taken) {
        return;
    }
    let escaped = is_escaped(dialect, before, start);
    masks.insert(next, Mask { range, escaped });
}

/// Returns the ranges of everything that would be a reference if its name were bound: for
/// documents that are read before the names are known.
pub(crate) fn mask_shapes(text: &str, dialect: &'static dyn Dialect) -> Vec<Range<usize>> {
    if dialect.only_in_setters() {
        return Vec::new();
    }
    openings(dialect, text.as_bytes())
        .map(|opening| dialect.extent(text, opening.at))
        .collect()
}

/// Returns the ranges of balanced `${…}`, each on one line, that are not references but
/// placeholders of other tools, which may not be valid YAML.
fn mask_others(text: &str) -> Vec<Range<usize>> {
    let bytes = text.as_bytes();
    let mut ranges: Vec<Range<usize>> = Vec::new();
    // The braces that are open on this line, and whether a `$` precedes them.
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

/// Locates the nodes of a document with its references masked. If it isn't valid YAML then,
/// the placeholders of other tools are masked too.
///
/// # Errors
/// The document is not YAML even then.
pub(crate) fn locate(scratch: String) -> Result<Tree, LocateError> {
    let error = match yaml::locate(scratch) {
        Ok(tree) => return Ok(tree),
        Err(error) => error,
    };
    let others = mask_others(error.text());
    if others.is_empty() {
        return Err(error);
    }
    let relaxed = masked(error.text(), others.iter());
    yaml::locate(relaxed).map_err(|_| error)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        let masks = mask_references(text, &Heads::new(["infra"]), &OrderedMap::new());
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
    fn does_not_mask_other_text() {
        check("a: ${HOME} ${infra} {{ x }}", "a: ${HOME} ${infra} {{ x }}");
    }

    #[test]
    fn finds_balanced_placeholders_of_other_tools() {
        assert_eq!(mask_others("{a: ${X:-${Y}}, b: ${Z\n}"), vec![4..14]);
    }
}
