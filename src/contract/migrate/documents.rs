//! Compares rendered files by what YAML readers read: comments and the style of quotes do not
//! matter.

use std::ops::Range;

use yaml::{Kind, NodeId, Style, Tree, locate, split};

/// Returns the bytes of the documents of `source` that are rendered to different documents.
pub(super) fn differing(source: &[u8], expected: &[u8], found: &[u8]) -> Vec<Range<usize>> {
    if expected == found {
        return Vec::new();
    }
    let whole = || std::iter::once(0..source.len() + 1).collect();
    let texts = [source, expected, found].map(|bytes| str::from_utf8(bytes).unwrap_or_default());
    let [source, expected, found] = texts.map(split);
    if source.len() != expected.len() || source.len() != found.len() {
        return whole();
    }
    let documents = source.iter().zip(expected.iter().zip(&found));
    let different = documents.filter(|(_, (a, b))| !is_same(a.text, b.text));
    let ranges =
        different.map(|(document, _)| document.offset..document.offset + document.text.len() + 1);
    ranges.collect()
}

fn is_same(a: &str, b: &str) -> bool {
    if a == b {
        return true;
    }
    let (Ok(a), Ok(b)) = (locate(a.to_owned()), locate(b.to_owned())) else {
        return false;
    };
    a.len() == b.len() && a.ids().all(|id| is_same_node(&a, &b, id))
}

fn is_same_node(a: &Tree, b: &Tree, id: NodeId) -> bool {
    let (one, other) = (&a[id], &b[id]);
    let has_tag = |tree: &Tree| {
        let tag = tree[id].tag();
        tag.and_then(|range| tree.source().get(range))
            .map(str::to_owned)
    };
    let is_same_kind = match (one.kind(), other.kind()) {
        (Kind::Scalar { style: a, .. }, Kind::Scalar { style: b, .. }) => {
            (a == Style::Plain) == (b == Style::Plain)
        }
        (Kind::Sequence { .. }, Kind::Sequence { .. })
        | (Kind::Mapping { .. }, Kind::Mapping { .. }) => true,
        (Kind::Alias(a), Kind::Alias(b)) => a == b,
        _ => false,
    };
    is_same_kind
        && one.parent() == other.parent()
        && one.role() == other.role()
        && one.has_anchor() == other.has_anchor()
        && has_tag(a) == has_tag(b)
        && a.text(id) == b.text(id)
}
