//! The items of lists that equal those of an output: as they are, each after the same text
//! (`--domain-filter=a.example.com`), or each as the value of the same key (`id: sg-0ab1`).

use std::ops::Range;

use crate::contract::adopt::known::{KnownList, KnownValues};
use crate::contract::hard_coded::{MAX_PREFIX, is_boundary};
use crate::reference::{Argument, ArgumentValue, Call, LANDFALL, Reference, Syntax};
use yaml::{Kind, NodeId, Style, Tree};

/// Lists of more items are not looked for.
pub(super) const MAX_ITEMS: usize = 256;

/// Ends each item in the text of a list. No item contains it.
pub(super) const END: char = '\0';

/// Consecutive items of a list in a document.
pub(super) struct FoundList<'k> {
    /// The bytes from the first item to the last.
    pub(super) range: Range<usize>,
    pub(super) known: &'k KnownList,
    /// Their scalars.
    pub(super) values: Vec<NodeId>,
    /// What makes them of the items of the output.
    each: Option<Call>,
}

impl FoundList<'_> {
    /// Returns the reference that gives these items.
    pub(super) fn reference(&self) -> Option<String> {
        let (_, path) = self.known.outputs.first()?;
        let spread = Call::new("spread", &[]);
        let calls = self.each.iter().cloned().chain([spread]);
        let reference = Reference::new(path.clone(), calls.collect());
        LANDFALL.write(&Syntax::Reference(&reference), '"')
    }
}

/// An item that is a plain scalar, or a mapping whose only value is one.
struct Item<'t> {
    range: Range<usize>,
    value: NodeId,
    key: Option<&'t str>,
    text: &'t str,
}

impl<'t> Item<'t> {
    fn of(tree: &'t Tree, id: NodeId) -> Option<Self> {
        let node = &tree[id];
        if node.has_anchor() || node.tag().is_some() {
            return None;
        }
        if let Some(text) = plain_text(tree, id) {
            let range = node.range();
            return Some(Self {
                range,
                value: id,
                key: None,
                text,
            });
        }
        let Kind::Mapping { flow: false, .. } = node.kind() else {
            return None;
        };
        let mut entries = tree.entries(id);
        let (Some((key, value)), None) = (entries.next(), entries.next()) else {
            return None;
        };
        Some(Self {
            range: tree[key].range().start..tree[value].range().end,
            value,
            key: Some(plain_text(tree, key)?),
            text: plain_text(tree, value)?,
        })
    }
}

fn plain_text(tree: &Tree, id: NodeId) -> Option<&str> {
    let node = &tree[id];
    let is_plain = node.style() == Some(Style::Plain) && !node.has_anchor() && node.tag().is_none();
    if !is_plain {
        return None;
    }
    tree.text(id)
}

/// Returns the items in a block sequence that are all items of an output, without overlaps.
pub(super) fn find<'k>(
    text: &str,
    tree: &Tree,
    sequence: NodeId,
    known: &'k KnownValues,
) -> Vec<FoundList<'k>> {
    if !known.has_lists() || !matches!(tree[sequence].kind(), Kind::Sequence { flow: false, .. }) {
        return Vec::new();
    }
    let items: Vec<Option<Item<'_>>> = tree
        .children(sequence)
        .map(|id| Item::of(tree, id))
        .collect();
    let mut found = Vec::new();
    let mut at = 0;
    while at < items.len() {
        match first_of(text, items.get(at..).unwrap_or_default(), known) {
            Some((list, length)) => {
                found.push(list);
                at += length;
            }
            None => at += 1,
        }
    }
    found
}

/// Returns the longest list that the items begin with, and how many it has.
fn first_of<'k>(
    text: &str,
    items: &[Option<Item<'_>>],
    known: &'k KnownValues,
) -> Option<(FoundList<'k>, usize)> {
    let first = items.first()?.as_ref()?;
    let is_first = |at: usize| is_boundary(first.text, at) && known.begins_list(&first.text[at..]);
    let mut starts = first.text.char_indices().map(|(at, _)| at).take(MAX_PREFIX);
    let prefix = first.text.get(..starts.find(|at| is_first(*at))?)?;
    let mut run = String::new();
    let mut ends = Vec::new();
    let mut end = first.range.start;
    for item in items.iter().take(MAX_ITEMS) {
        let Some(item) = item.as_ref().filter(|item| item.key == first.key) else {
            break;
        };
        // Nothing but the dash is between items: a comment would go.
        let between = text.get(end..item.range.start).unwrap_or_default();
        if !ends.is_empty() && between.trim_ascii() != "-" {
            break;
        }
        let Some(own) = item.text.strip_prefix(prefix) else {
            break;
        };
        end = item.range.end;
        ends.push(end);
        run.push_str(own);
        run.push(END);
    }
    let list = known.longest_list(&run)?;
    let length = list.text.matches(END).count();
    let member = match (first.key, prefix) {
        (None, "") => None,
        (None, prefix) => Some(Call::new("prefix", &[prefix])),
        (Some(key), "") => Some(Call::new("object", &[key])),
        (Some(_), _) => return None,
    };
    let each = member.map(|call| Call {
        arguments: vec![Argument {
            value: ArgumentValue::Call(Box::new(call)),
            range: 0..0,
        }],
        ..Call::new("each", &[])
    });
    let range = first.range.start..*ends.get(length.checked_sub(1)?)?;
    let values = items.iter().flatten().take(length);
    let found = FoundList {
        range,
        values: values.map(|item| item.value).collect(),
        known: list,
        each,
    };
    Some((found, length))
}
