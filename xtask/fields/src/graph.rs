//! The types that the kinds use: which fields each has. Equal types are one, and types that
//! decide nothing are left out.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, Result, bail};

use super::types::{Kind, Scalar, Type};

/// A type: smaller numbers than [`FIRST`] are scalars.
pub(crate) type Id = u16;

/// The first type that is not a scalar.
pub(crate) const FIRST: Id = 64;

const UNKNOWN: Id = 0;

/// The members of a type that is not a scalar, sorted.
pub(crate) type Members = Vec<(Member, Id)>;

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Member {
    Field(String),
    Value,
    Item,
    /// An object may have other fields, which can hold anything.
    Others,
}

/// The types of some kinds.
pub(crate) struct Graph {
    /// The first is number [`FIRST`].
    types: Vec<Members>,
    /// The type of a resource of unknown kind.
    pub(crate) any: Id,
    /// The type of each kind.
    pub(crate) kinds: Vec<Id>,
}

impl Graph {
    /// Returns the types of these kinds.
    ///
    /// # Errors
    /// A type is missing, or there are too many.
    pub(crate) fn new(types: &BTreeMap<String, Type>, kinds: &[Kind]) -> Result<Self> {
        let mut builder = Builder {
            types,
            named: BTreeMap::new(),
            shared: BTreeMap::new(),
            members: Vec::new(),
        };
        let any = builder.root(None)?;
        let kinds = kinds
            .iter()
            .map(|kind| builder.root(Some(&kind.type_name)))
            .collect::<Result<_>>()?;
        let mut graph = Self {
            types: builder.members,
            any,
            kinds,
        };
        graph.merge_equal();
        graph.drop_undecided();
        graph.merge_equal();
        Ok(graph)
    }

    /// Returns each type; the first is number [`FIRST`].
    pub(crate) fn types(&self) -> impl Iterator<Item = &Members> {
        self.types.iter()
    }

    /// Merges equal types, such as most versions of an API. Types are considered equal until
    /// a member distinguishes them, so recursive types are merged too.
    fn merge_equal(&mut self) {
        let mut classes: Vec<Id> = vec![0; self.types.len()];
        let mut count = 1;
        loop {
            let mut numbers: BTreeMap<Vec<(&Member, Id)>, Id> = BTreeMap::new();
            let mut next = Vec::with_capacity(self.types.len());
            for members in &self.types {
                let signature = members
                    .iter()
                    .map(|(member, id)| match id.checked_sub(FIRST) {
                        Some(nth) => (member, FIRST + classes[usize::from(nth)]),
                        None => (member, *id),
                    })
                    .collect();
                let fresh = numbers.len() as Id;
                next.push(*numbers.entry(signature).or_insert(fresh));
            }
            classes = next;
            if numbers.len() == count {
                break;
            }
            count = numbers.len();
        }
        self.renumber(&classes);
    }

    /// Drops types of which no member decides anything. What may hold such a type may hold
    /// anything, and is only named in an object that has no other fields.
    fn drop_undecided(&mut self) {
        let mut decided = vec![false; self.types.len()];
        loop {
            let decides = |id: Id| match id.checked_sub(FIRST) {
                Some(nth) => decided[usize::from(nth)],
                None => id != UNKNOWN,
            };
            let next: Vec<bool> = self
                .types
                .iter()
                .map(|members| members.iter().any(|(_, id)| decides(*id)))
                .collect();
            if next == decided {
                for members in &mut self.types {
                    let is_open = members.iter().any(|(member, _)| *member == Member::Others);
                    members.retain(|(member, id)| match member {
                        Member::Others => true,
                        Member::Field(_) if !is_open => true,
                        Member::Field(_) | Member::Value | Member::Item => decides(*id),
                    });
                    for (_, id) in members {
                        if !decides(*id) {
                            *id = UNKNOWN;
                        }
                    }
                }
                return;
            }
            decided = next;
        }
    }

    /// Keeps the first type of each class, and only those that are used.
    fn renumber(&mut self, classes: &[Id]) {
        let mut firsts: BTreeMap<Id, usize> = BTreeMap::new();
        for (nth, class) in classes.iter().enumerate() {
            firsts.entry(*class).or_insert(nth);
        }
        let first = |id: Id| {
            let nth = usize::from(id.checked_sub(FIRST)?);
            Some(firsts[&classes[nth]])
        };
        let mut used = BTreeSet::new();
        let roots = std::iter::once(self.any).chain(self.kinds.iter().copied());
        let mut pending: Vec<usize> = roots.filter_map(first).collect();
        while let Some(nth) = pending.pop() {
            if used.insert(nth) {
                pending.extend(self.types[nth].iter().filter_map(|(_, id)| first(*id)));
            }
        }
        let numbers: BTreeMap<usize, Id> = used.iter().copied().zip(FIRST..).collect();
        let number = |id: Id| first(id).map_or(id, |nth| numbers[&nth]);
        let kept = used.iter().map(|nth| {
            let members = self.types[*nth].iter();
            members
                .map(|(member, id)| (member.clone(), number(*id)))
                .collect()
        });
        self.types = kept.collect();
        self.any = number(self.any);
        self.kinds.iter_mut().for_each(|id| *id = number(*id));
    }
}

/// A graph that is being made.
struct Builder<'t> {
    types: &'t BTreeMap<String, Type>,
    /// Named types that already have a number.
    named: BTreeMap<&'t str, Id>,
    /// Other types that already have one.
    shared: BTreeMap<Members, Id>,
    /// The members of each.
    members: Vec<Members>,
}

impl<'t> Builder<'t> {
    /// Returns the type of a resource: of a known kind, or of an unknown one, which has
    /// metadata like all others.
    fn root(&mut self, name: Option<&str>) -> Result<Id> {
        let metadata = self.named("io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta")?;
        let string = self.id(&Type::Scalar(Scalar::String))?;
        let mut members = vec![
            (Member::Field("apiVersion".to_owned()), string),
            (Member::Field("kind".to_owned()), string),
            (Member::Field("metadata".to_owned()), metadata),
        ];
        if let Some(name) = name {
            let types = self.types;
            let fields = match types.get(name) {
                Some(Type::Struct(fields)) => fields,
                Some(Type::Open(fields)) => {
                    members.push((Member::Others, UNKNOWN));
                    fields
                }
                _ => bail!("{name} is not a type with fields"),
            };
            for (field, found) in fields {
                // The status is written by controllers and is in no manifest.
                if !["apiVersion", "kind", "metadata", "status"].contains(&field.as_str()) {
                    members.push((Member::Field(field.clone()), self.id(found)?));
                }
            }
        } else {
            members.push((Member::Others, UNKNOWN));
        }
        members.sort();
        self.shared(members)
    }

    fn named(&mut self, name: &str) -> Result<Id> {
        let types = self.types;
        let (name, found) = types
            .get_key_value(name)
            .with_context(|| format!("unknown type {name}"))?;
        if let Some(id) = self.named.get(name.as_str()) {
            return Ok(*id);
        }
        if let Type::Struct(_) | Type::Open(_) = found {
            // The number is assigned first, since the type may be recursive.
            let id = self.push(Members::new())?;
            self.named.insert(name, id);
            self.members[usize::from(id - FIRST)] = self.members_of(found)?;
            return Ok(id);
        }
        let id = self.id(found)?;
        self.named.insert(name, id);
        Ok(id)
    }

    fn id(&mut self, found: &'t Type) -> Result<Id> {
        match found {
            Type::Scalar(scalar) => Ok(match scalar {
                Scalar::Unknown => UNKNOWN,
                Scalar::String => 1,
                Scalar::Integer => 2,
                Scalar::Number => 3,
                Scalar::Boolean => 4,
                Scalar::Either => 5,
                Scalar::Ruled(number) => *number,
            }),
            Type::Named(name) => self.named(name),
            Type::List(_) | Type::Map(_) | Type::Struct(_) | Type::Open(_) => {
                let members = self.members_of(found)?;
                self.shared(members)
            }
        }
    }

    fn members_of(&mut self, found: &'t Type) -> Result<Members> {
        let mut members = match found {
            Type::List(item) => vec![(Member::Item, self.id(item)?)],
            Type::Map(value) => vec![(Member::Value, self.id(value)?)],
            Type::Struct(fields) | Type::Open(fields) => {
                let mut members = Vec::with_capacity(fields.len());
                if let Type::Open(_) = found {
                    members.push((Member::Others, UNKNOWN));
                }
                for (name, found) in fields {
                    members.push((Member::Field(name.clone()), self.id(found)?));
                }
                members
            }
            Type::Scalar(_) | Type::Named(_) => Vec::new(),
        };
        members.sort();
        Ok(members)
    }

    /// Returns the type with these members.
    fn shared(&mut self, members: Members) -> Result<Id> {
        if let Some(id) = self.shared.get(&members) {
            return Ok(*id);
        }
        let id = self.push(members.clone())?;
        self.shared.insert(members, id);
        Ok(id)
    }

    fn push(&mut self, members: Members) -> Result<Id> {
        self.members.push(members);
        number(usize::from(FIRST) + self.members.len() - 1)
    }
}

/// Returns a number that fits the table; its largest numbers have other meanings.
///
/// # Errors
/// It is too large.
pub(crate) fn number(value: usize) -> Result<u16> {
    u16::try_from(value)
        .ok()
        .filter(|value| *value < u16::MAX - 1)
        .with_context(|| format!("{value} does not fit the table"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(kind: &str) -> Kind {
        Kind {
            api_version: "example.com/v1".to_owned(),
            kind: kind.to_owned(),
            type_name: kind.to_owned(),
        }
    }

    fn structure<const N: usize>(fields: [(&str, Type); N]) -> Type {
        Type::Struct(fields.map(|(name, found)| (name.to_owned(), found)).into())
    }

    /// Returns the graph of the kinds `A` and `B` with these fields.
    fn graph(a: Type, b: Type) -> Graph {
        let metadata = structure([("name", Type::Scalar(Scalar::String))]);
        let node = structure([
            ("on", Type::Scalar(Scalar::Boolean)),
            ("next", Type::Named("Node".to_owned())),
        ]);
        let types = BTreeMap::from([
            (
                "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta".to_owned(),
                metadata,
            ),
            ("Node".to_owned(), node),
            ("A".to_owned(), a),
            ("B".to_owned(), b),
        ]);
        Graph::new(&types, &[kind("A"), kind("B")]).unwrap()
    }

    #[test]
    fn equal_types_are_one() {
        let selector = || structure([("name", Type::Scalar(Scalar::String))]);
        let spec = |selector| structure([("spec", structure([("selector", selector)]))]);
        let found = graph(spec(selector()), spec(selector()));
        assert_eq!(found.kinds[0], found.kinds[1]);
        // ObjectMeta has the same field. The others are `any`, `A` and its `spec`.
        assert_eq!(found.types().count(), 4);
    }

    #[test]
    fn a_part_of_a_recursive_type_is_that_type() {
        let named = || Type::Named("Node".to_owned());
        let unrolled = structure([("on", Type::Scalar(Scalar::Boolean)), ("next", named())]);
        let found = graph(
            structure([("spec", named())]),
            structure([("spec", unrolled)]),
        );
        assert_eq!(found.kinds[0], found.kinds[1]);
    }

    #[test]
    fn what_decides_nothing_is_dropped() {
        let unknown = || Type::Scalar(Scalar::Unknown);
        let fields = structure([
            ("any", unknown()),
            ("list", Type::List(Box::new(unknown()))),
            ("map", Type::Map(Box::new(structure([])))),
            ("status", Type::Scalar(Scalar::String)),
        ]);
        let found = graph(fields, structure([]));
        let names: Vec<Vec<&Member>> = (found.types())
            .map(|members| members.iter().map(|(member, _)| member).collect())
            .collect();
        // A kind has only its fields, whatever they may hold; one that is unknown has others.
        assert_ne!(found.kinds[0], found.any);
        assert!(names.iter().all(|names| names.len() < 7));
        let open = |fields: &[&Member]| fields.contains(&&Member::Others);
        assert_eq!(names.iter().filter(|names| open(names)).count(), 1);
    }
}
