//! The compact format that `src/kubernetes/types/table.rs` reads; its layout is
//! documented there.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, Result, bail};

use super::graph::{FIRST, Graph, Id, Member, number};
use super::types::{Kind, Type};

/// The length of the first line in bytes, including its padding.
const TITLE: usize = 64;

/// Used in place of the number of fields for a list and for a map.
const ITEM: u16 = 0xffff;
const VALUE: u16 = 0xfffe;

/// Added to the number of fields of an object that may have others.
const OPEN: u16 = 0x4000;

/// The kinds of the table.
pub(crate) struct Kinds {
    /// Those that every cluster has.
    pub(crate) built_in: Vec<Kind>,
    /// Those that a cluster may define, perhaps in another version.
    pub(crate) custom: Vec<Kind>,
}

/// Encodes the table of these kinds and all types that they use.
///
/// # Errors
/// A type is missing, or there are too many of something.
pub(crate) fn write(
    source: &str,
    types: &BTreeMap<String, Type>,
    kinds: &Kinds,
) -> Result<Vec<u8>> {
    let all: Vec<Kind> = kinds
        .built_in
        .iter()
        .chain(&kinds.custom)
        .cloned()
        .collect();
    let graph = Graph::new(types, &all)?;
    let (built_in, custom) = graph.kinds.split_at(kinds.built_in.len());
    let built_in = rows(&kinds.built_in, built_in);
    let custom = rows(&kinds.custom, custom);

    let fields = graph.types().flatten();
    let names: BTreeSet<&str> = fields
        .filter_map(|(member, _)| match member {
            Member::Field(name) => Some(name.as_str()),
            Member::Value | Member::Item | Member::Others => None,
        })
        .chain(
            built_in
                .iter()
                .chain(&custom)
                .flat_map(|(api_version, kind, _)| [*api_version, *kind]),
        )
        .collect();
    let mut texts = Vec::new();
    let mut starts = BTreeMap::new();
    for name in names {
        starts.insert(name, number(texts.len())?);
        let length = u8::try_from(name.len()).with_context(|| name.to_owned())?;
        texts.push(length);
        texts.extend(name.bytes());
    }
    let start = |name: &str| starts.get(name).copied().context("a name is missing");

    // The first number of each type.
    let mut firsts = Vec::new();
    let mut next = usize::from(FIRST);
    for members in graph.types() {
        firsts.push(number(next)?);
        next += 1 + match &members[..] {
            [(Member::Item | Member::Value, _)] => 1,
            fields => 2 * count(fields),
        };
    }
    let id = |id: Id| match id.checked_sub(FIRST) {
        Some(nth) => firsts[usize::from(nth)],
        None => id,
    };

    let mut title = format!("landfall fields 3: {source}");
    if title.len() >= TITLE {
        bail!("`{title}` is too long for the first line");
    }
    title.extend(std::iter::repeat_n(' ', TITLE - 1 - title.len()));
    title.push('\n');
    let mut table = title.into_bytes();
    let mut push = |value: u16| table.extend(value.to_le_bytes());

    push(number(built_in.len())?);
    push(number(custom.len())?);
    push(number(next - usize::from(FIRST))?);
    push(id(graph.any));
    for (api_version, kind, root) in built_in.iter().chain(&custom) {
        push(start(api_version)?);
        push(start(kind)?);
        push(id(*root));
    }
    for members in graph.types() {
        match &members[..] {
            [(Member::Item, _)] => push(ITEM),
            [(Member::Value, _)] => push(VALUE),
            fields if count(fields) < fields.len() => push(number(count(fields))? | OPEN),
            fields => push(number(count(fields))?),
        }
        for (member, found) in members {
            match member {
                Member::Others => continue,
                Member::Field(name) => push(start(name)?),
                Member::Item | Member::Value => {}
            }
            push(id(*found));
        }
    }
    table.extend(texts);
    Ok(table)
}

/// Returns the number of fields that an object names.
fn count(members: &[(Member, Id)]) -> usize {
    let is_named = |(member, _): &&(Member, Id)| *member != Member::Others;
    members.iter().filter(is_named).count()
}

/// Returns the rows of these kinds, sorted.
fn rows<'k>(kinds: &'k [Kind], roots: &[Id]) -> BTreeSet<(&'k str, &'k str, Id)> {
    kinds
        .iter()
        .zip(roots)
        .map(|(kind, root)| (kind.api_version.as_str(), kind.kind.as_str(), *root))
        .collect()
}
