//! The places of values in documents that are embedded in scalars.

use std::ops::Range;

use crate::collections::OrderedMap;
use crate::contract::adopt::candidates::Place;
use crate::reference::{self, Heads, mask_references};
use yaml::{Kind, Tree, decode, masked};

/// Values in documents that are embedded at a greater depth are not replaced.
const MAX_DEPTH: usize = 8;

/// Returns the places of values in the text of a scalar at the place `outer`; `None` for
/// those that are never replaced. The ranges are ascending and disjoint. Any text that reads
/// as a YAML collection is taken for a document, unless the value is all of it.
pub(super) fn places(
    text: &str,
    ranges: &[Range<usize>],
    outer: &Place,
    heads: &Heads,
) -> Vec<Option<Place>> {
    let mut places = vec![Some(outer.clone()); ranges.len()];
    let is_whole = |range: &Range<usize>| text.get(range.clone()) == Some(text.trim());
    if !ranges.iter().any(is_whole) {
        set_places(text, ranges, outer, heads, 0, &mut places);
    }
    places
}

fn set_places(
    text: &str,
    ranges: &[Range<usize>],
    outer: &Place,
    heads: &Heads,
    depth: usize,
    places: &mut [Option<Place>],
) {
    if ranges.is_empty() {
        return;
    }
    for document in yaml::split(text) {
        let (start, end) = (document.offset, document.offset + document.text.len());
        let first = ranges.partition_point(|range| range.start < start);
        let next = ranges.partition_point(|range| range.start < end);
        let (Some(ranges), Some(places)) = (ranges.get(first..next), places.get_mut(first..next))
        else {
            continue;
        };
        if ranges.is_empty() {
            continue;
        }
        let Some(tree) = collection(document.text, heads) else {
            continue;
        };
        if depth >= MAX_DEPTH {
            places.fill(None);
            continue;
        }
        let ranges: Vec<Range<usize>> = (ranges.iter())
            .map(|range| range.start - start..range.end - start)
            .collect();
        set_places_in(document.text, &tree, &ranges, outer, heads, depth, places);
    }
}

/// Returns the tree of a document, unless it is a single scalar or not YAML.
fn collection(text: &str, heads: &Heads) -> Option<Tree> {
    let masks = mask_references(text, heads, &OrderedMap::new());
    let ranges: Vec<Range<usize>> = masks.into_iter().map(|mask| mask.range).collect();
    let tree = reference::locate(masked(text, ranges.iter())).ok()?;
    let is_scalar = matches!(tree.get(0)?.kind(), Kind::Scalar { .. } | Kind::Alias(_));
    (!is_scalar).then(|| tree.unmasked(text, &ranges))
}

fn set_places_in(
    text: &str,
    tree: &Tree,
    ranges: &[Range<usize>],
    outer: &Place,
    heads: &Heads,
    depth: usize,
    places: &mut [Option<Place>],
) {
    // Values that are in no scalar are in comments.
    let mut inner = vec![None; places.len()];
    for (id, node) in tree.nodes() {
        if node.style().is_none() {
            continue;
        }
        let extent = node.range();
        let first = ranges.partition_point(|range| range.start < extent.start);
        let next = ranges.partition_point(|range| range.end <= extent.end);
        let (Some(ranges), Some(inner)) = (ranges.get(first..next), inner.get_mut(first..next))
        else {
            continue;
        };
        if ranges.is_empty() {
            continue;
        }
        let (Some(place), Some(decoded)) = (Place::of(tree, id), decode(text, tree, id)) else {
            continue;
        };
        let place = place.inside(outer);
        let in_text: Option<Vec<Range<usize>>> = (ranges.iter())
            .map(|range| {
                let start = decoded.decoded_at(range.start)?;
                let end = decoded.decoded_at(range.end.checked_sub(1)?)? + 1;
                Some(start..end)
            })
            .collect();
        // A value with an escape cannot be replaced by a verbatim reference.
        let Some(in_text) = in_text else { continue };
        inner.fill(Some(place.clone()));
        let is_whole = |range: &Range<usize>| range.len() == decoded.text.trim().len();
        if !in_text.iter().any(is_whole) {
            set_places(&decoded.text, &in_text, &place, heads, depth + 1, inner);
        }
    }
    places.clone_from_slice(&inner);
}
