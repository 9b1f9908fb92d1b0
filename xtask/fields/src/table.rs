//! The compact format that `src/kubernetes/types/table.rs` reads; its layout is
//! documented there.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, Result, bail};

use super::schema::{Scalar, Type};

/// The length of the first line in bytes, including its padding.
const TITLE: usize = 64;

/// Used in place of a field's name for an item of a list and for a value of a map.
const ITEM: u16 = 0xffff;
const VALUE: u16 = 0xfffe;

/// The first type that is not a scalar.
const FIRST: u16 = 8;

/// A kind that has a type.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Kind {
    pub(crate) api_version: String,
    pub(crate) kind: String,
    pub(crate) type_name: String,
}

/// A type whose members are other types.
type Members = Vec<(Member, u16)>;

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Member {
    Field(String),
    Value,
    Item,
}

/// Encodes the table of these kinds and all types that they use.
///
/// # Errors
/// A type is missing, or there are too many of something.
pub(crate) fn write(
    source: &str,
    types: &BTreeMap<String, Type>,
    kinds: &[Kind],
) -> Result<Vec<u8>> {
    let mut graph = Graph {
        types,
        known: BTreeMap::new(),
        members: Vec::new(),
    };
    let any = graph.root(None)?;
    let mut roots = Vec::new();
    for kind in kinds {
        roots.push(graph.root(Some(&kind.type_name))?);
    }
    let classes = classes(&graph.members);
    let class = |id: u16| match id.checked_sub(FIRST) {
        Some(nth) => FIRST + classes[usize::from(nth)],
        None => id,
    };
    // One of each class: all its types are equal.
    let distinct: BTreeMap<u16, &Members> = classes.iter().copied().zip(&graph.members).collect();
    let kinds: BTreeSet<(&str, &str, u16)> = kinds
        .iter()
        .zip(roots)
        .map(|(kind, root)| (kind.api_version.as_str(), kind.kind.as_str(), class(root)))
        .collect();

    let fields = distinct.values().flat_map(|members| members.iter());
    let names: BTreeSet<&str> = fields
        .filter_map(|(member, _)| match member {
            Member::Field(name) => Some(name.as_str()),
            Member::Value | Member::Item => None,
        })
        .chain(
            kinds
                .iter()
                .flat_map(|(api_version, kind, _)| [*api_version, *kind]),
        )
        .collect();
    let names: Vec<&str> = names.into_iter().collect();
    let name = |text: &str| -> Result<u16> {
        let at = names
            .binary_search(&text)
            .ok()
            .context("a name is missing")?;
        number(at)
    };

    let mut title = format!("landfall fields 1: {source}");
    if title.len() >= TITLE {
        bail!("`{title}` is too long for the first line");
    }
    title.extend(std::iter::repeat_n(' ', TITLE - 1 - title.len()));
    title.push('\n');
    let mut table = title.into_bytes();
    let mut push = |value: u16| table.extend(value.to_le_bytes());

    let field_count: usize = distinct.values().map(|members| members.len()).sum();
    for count in [names.len(), distinct.len(), field_count, kinds.len()] {
        push(number(count)?);
    }
    push(class(any));
    let mut end = 0;
    for name in &names {
        end += name.len();
        push(number(end)?);
    }
    let mut end = 0;
    for members in distinct.values() {
        end += members.len();
        push(number(end)?);
    }
    for (member, id) in distinct.values().flat_map(|members| members.iter()) {
        push(match member {
            Member::Field(text) => name(text)?,
            Member::Value => VALUE,
            Member::Item => ITEM,
        });
        push(class(*id));
    }
    for (api_version, kind, root) in &kinds {
        push(name(api_version)?);
        push(name(kind)?);
        push(*root);
    }
    table.extend(names.concat().bytes());
    Ok(table)
}

fn number(value: usize) -> Result<u16> {
    u16::try_from(value)
        .ok()
        .filter(|value| *value < VALUE)
        .with_context(|| format!("{value} does not fit the table"))
}

/// The types that the kinds use, each with its members.
struct Graph<'t> {
    types: &'t BTreeMap<String, Type>,
    /// Named types that already have an id.
    known: BTreeMap<&'t str, u16>,
    members: Vec<Members>,
}

impl<'t> Graph<'t> {
    /// Returns the type of a resource: of a known kind, or of an unknown one, which has
    /// metadata like all others.
    fn root(&mut self, name: Option<&str>) -> Result<u16> {
        let metadata = self.named("io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta")?;
        let mut members = vec![
            (
                Member::Field("apiVersion".to_owned()),
                self.id(&Type::Scalar(Scalar::String))?,
            ),
            (
                Member::Field("kind".to_owned()),
                self.id(&Type::Scalar(Scalar::String))?,
            ),
            (Member::Field("metadata".to_owned()), metadata),
        ];
        if let Some(name) = name {
            let types = self.types;
            let Some(Type::Struct(fields)) = types.get(name) else {
                bail!("{name} is not a type with fields");
            };
            for (field, found) in fields {
                // The status is written by controllers and is in no manifest.
                if !["apiVersion", "kind", "metadata", "status"].contains(&field.as_str()) {
                    members.push((Member::Field(field.clone()), self.id(found)?));
                }
            }
        }
        self.push(members)
    }

    fn named(&mut self, name: &str) -> Result<u16> {
        let types = self.types;
        let (name, found) = types
            .get_key_value(name)
            .with_context(|| format!("unknown type {name}"))?;
        if let Some(id) = self.known.get(name.as_str()) {
            return Ok(*id);
        }
        if let Type::Struct(_) = found {
            // The id is assigned first, since the type may be recursive.
            let id = self.push(Vec::new())?;
            self.known.insert(name, id);
            let members = self.members_of(found)?;
            self.members[usize::from(id - FIRST)] = members;
            return Ok(id);
        }
        let id = self.id(found)?;
        self.known.insert(name, id);
        Ok(id)
    }

    fn id(&mut self, found: &'t Type) -> Result<u16> {
        match found {
            Type::Scalar(scalar) => Ok(match scalar {
                Scalar::Unknown => 0,
                Scalar::String => 1,
                Scalar::Integer => 2,
                Scalar::Boolean => 4,
                Scalar::Either => 5,
            }),
            Type::Named(name) => self.named(name),
            Type::List(_) | Type::Map(_) | Type::Struct(_) => {
                let members = self.members_of(found)?;
                self.push(members)
            }
        }
    }

    fn members_of(&mut self, found: &'t Type) -> Result<Members> {
        Ok(match found {
            Type::List(item) => vec![(Member::Item, self.id(item)?)],
            Type::Map(value) => vec![(Member::Value, self.id(value)?)],
            Type::Struct(fields) => {
                let mut members = Vec::with_capacity(fields.len());
                for (name, found) in fields {
                    members.push((Member::Field(name.clone()), self.id(found)?));
                }
                members
            }
            Type::Scalar(_) | Type::Named(_) => Vec::new(),
        })
    }

    fn push(&mut self, mut members: Members) -> Result<u16> {
        members.sort();
        self.members.push(members);
        number(usize::from(FIRST) + self.members.len() - 1)
    }
}

/// Returns the class of each type, where equal types, such as most versions of an API,
/// share a class. Types are considered equal until a member distinguishes them, so
/// recursive types are merged too.
fn classes(types: &[Members]) -> Vec<u16> {
    let mut classes = vec![0; types.len()];
    let mut count = 1;
    loop {
        let mut numbers: BTreeMap<Vec<(&Member, u16)>, u16> = BTreeMap::new();
        let mut next: Vec<u16> = Vec::with_capacity(types.len());
        for members in types {
            let signature = members
                .iter()
                .map(|(member, id)| match id.checked_sub(FIRST) {
                    Some(nth) => (member, FIRST + classes[usize::from(nth)]),
                    None => (member, *id),
                })
                .collect();
            let fresh = numbers.len() as u16;
            next.push(*numbers.entry(signature).or_insert(fresh));
        }
        classes = next;
        if numbers.len() == count {
            return classes;
        }
        count = numbers.len();
    }
}
