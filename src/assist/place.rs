//! Where in its manifest a reference is being written.

use std::collections::BTreeMap;

use crate::outputs::Bindings;
use crate::reference::is_setter;
use crate::reference::{Heads, extent};
use crate::reference::{locate, mask_references};
use yaml::{Document, Style, masked, split};

/// What a place asks of what is written there.
#[derive(Debug)]
pub(super) struct Place {
    /// The quote that a key in brackets gets: one that the scalar around it lets
    /// stand as it is.
    pub(super) quote: &'static str,
}

/// The place of the `${` at byte `at`; none where it would be no reference.
pub(super) fn of(text: &str, at: usize, bindings: &Bindings) -> Option<Place> {
    let documents = split(text);
    let holds = |document: &&Document<'_>| {
        (document.offset..document.offset + document.text.len()).contains(&at)
    };
    let document = documents.iter().find(holds)?;
    in_document(document.text, at - document.offset, bindings)
}

fn in_document(text: &str, at: usize, bindings: &Bindings) -> Option<Place> {
    let heads = Heads::new(bindings.names());
    let written = extent(text, at);
    let mut ranges: Vec<_> = mask_references(text, &heads, &BTreeMap::new())
        .into_iter()
        .map(|mask| mask.range)
        .filter(|range| range.end <= written.start || written.end <= range.start)
        .collect();
    ranges.push(written);
    ranges.sort_by_key(|range| range.start);
    let scratch = masked(text, ranges.iter());
    let double = Some(Place { quote: "\"" });
    let Ok(tree) = locate(scratch) else {
        // Somebody is writing: it need not be YAML at every moment.
        let line = text[..at].rfind(['\n', '\r']).map_or(0, |end| end + 1);
        let line = text[line..at].trim_start();
        return double.filter(|_| !line.starts_with('#') || is_setter(line));
    };
    let comment = tree.comments().iter().find(|comment| comment.contains(&at));
    if let Some(comment) = comment {
        return double.filter(|_| is_setter(&text[comment.start..at]));
    }
    let mut nodes = tree.nodes().map(|(_, node)| node);
    let in_double_quotes =
        nodes.any(|node| node.style() == Some(Style::DoubleQuoted) && node.range().contains(&at));
    match in_double_quotes {
        true => Some(Place { quote: "'" }),
        false => double,
    }
}
