//! The text that can be written differently because a value in it is another one: quotes,
//! escapes and the header of a block scalar are not changes of their own.

use std::ops::Range;

use yaml::{Span, decode_node, line_end, line_start, locate, masked, split};

/// Parts of a source, disjoint and in order.
#[derive(Debug, Default)]
pub(crate) struct Parts(Vec<Range<usize>>);

impl Parts {
    /// Returns the lines of these references, and the scalars in their documents that share
    /// bytes with these lines. `references` are bytes of the source, in order.
    pub(crate) fn around(source: &[u8], references: &[Range<usize>]) -> Self {
        let Ok(text) = std::str::from_utf8(source) else {
            return Self(std::iter::once(0..source.len()).collect());
        };
        let mut found = Vec::new();
        let mut rest = references;
        for document in split(text) {
            let (start, end) = (document.offset, document.offset + document.text.len());
            let (own, others) = rest.split_at(rest.partition_point(|one| one.start < end));
            rest = others;
            let own: Vec<_> = own
                .iter()
                .map(|one| one.start - start..one.end.min(end) - start)
                .collect();
            if !own.is_empty() {
                let parts = in_document(document.text, &own).into_iter();
                found.extend(parts.map(|part| part.start + start..part.end + start));
            }
        }
        found.sort_unstable_by_key(|part| part.start);
        let mut merged: Vec<Range<usize>> = Vec::new();
        for part in found {
            match merged.last_mut() {
                Some(last) if part.start <= last.end => last.end = last.end.max(part.end),
                _ => merged.push(part),
            }
        }
        Self(merged)
    }

    /// Returns whether a byte of the source is in a part, or next to it.
    pub(crate) fn contain(&self, at: usize) -> bool {
        let next = self.0.partition_point(|part| part.end < at);
        self.0.get(next).is_some_and(|part| part.start <= at)
    }
}

fn in_document(text: &str, references: &[Range<usize>]) -> Vec<Range<usize>> {
    let lines = references
        .iter()
        .map(|one| line_start(text, one.start)..line_end(text, one.end));
    let mut found: Vec<Range<usize>> = lines.collect();
    let Ok(tree) = locate(masked(text, references.iter())) else {
        return std::iter::once(0..text.len()).collect();
    };
    let lines = found.clone();
    for id in tree.ids() {
        let Some(decoded) = decode_node(text, &tree, id) else {
            continue;
        };
        let raw = Span::from(decoded.raw);
        let next = lines.partition_point(|line| line.end < raw.start);
        if lines.get(next).is_some_and(|line| line.start <= raw.end) {
            found.push(raw.range());
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::Parts;

    /// Checks the parts around the references `${x}` in a source.
    #[track_caller]
    fn check(source: &str, expect: &[&str]) {
        let references = source.match_indices("${x}");
        let references: Vec<_> = references.map(|(at, text)| at..at + text.len()).collect();
        let Parts(found) = Parts::around(source.as_bytes(), &references);
        let found: Vec<&str> = found.into_iter().map(|part| &source[part]).collect();
        assert_eq!(found, expect);
    }

    #[test]
    fn quotes_and_headers_are_around_a_reference() {
        check("a: |  # c\n  b\n  ${x}\nc: d\n", &["|  # c\n  b\n  ${x}\n"]);
        check("a: b\nc:\n  d\n  ${x}\n  e\nf: g\n", &["d\n  ${x}\n  e"]);
        check("a: ${x}\n---\nb: c\n", &["a: ${x}"]);
        check("a: 1\nb: [${x}\n", &["a: 1\nb: [${x}\n"]);
    }
}
