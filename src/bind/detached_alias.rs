//! Aliases that some YAML readers resolve to a sensitive value of another document.

use crate::collections::OrderedMap;
use crate::reference::{Heads, locate, mask_references};
use crate::report::{Diagnostic, Origin, Rule};
use yaml::{Document, Kind, Span, masked, split};

/// Reports the first alias without an anchor in its document. `anchored` is a sensitive
/// value inside an anchored node, with its file: go-yaml v3 keeps anchors from one document
/// of a stream to the next, and would copy the value to the alias.
pub(crate) fn detached_alias<'t>(
    texts: impl Iterator<Item = (usize, &'t str)>,
    heads: &Heads,
    anchored: (usize, Span),
) -> Option<Diagnostic> {
    let (alias_in, alias) = texts
        .filter_map(|(file, text)| Some((file, first_in_text(text, heads)?)))
        .next()?;
    let (file, anchored) = anchored;
    Some(
        Diagnostic::error(
            Rule::AmbiguousResource,
            "YAML readers may resolve this alias to a sensitive value in another document",
        )
        .at(
            Origin::Manifest(alias_in),
            alias,
            "this document has no such anchor",
        )
        .at(
            Origin::Manifest(file),
            anchored,
            "the sensitive value, inside an anchored node",
        )
        .help("remove the alias, or the anchor around the sensitive value"),
    )
}

fn first_in_text(text: &str, heads: &Heads) -> Option<Span> {
    let documents = split(text);
    let mut aliases = documents
        .iter()
        .filter_map(|document| first_in_document(*document, heads));
    aliases.next()
}

fn first_in_document(document: Document<'_>, heads: &Heads) -> Option<Span> {
    memchr::memchr(b'*', document.text.as_bytes())?;
    let masks = mask_references(document.text, heads, &OrderedMap::new());
    let scratch = masked(document.text, masks.iter().map(|mask| &mask.range));
    let tree = locate(scratch).ok()?;
    let mut nodes = tree.nodes().map(|(_, node)| node);
    let alias = nodes.find(|node| node.kind() == Kind::Alias(None))?;
    Some(Span::from(alias.range()).shifted(document.offset))
}
