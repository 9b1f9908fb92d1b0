//! The types of Kubernetes' own fields, as `cargo xtask fields` wrote them down.
//! The table is read where it lies; nothing is decoded ahead.
//!
//! After a line of 64 bytes with the source and its version, everything is numbers
//! of 16 bits, little-endian, and then text:
//!
//! - how many names, types, members and kinds there are, and the type of a
//!   resource of no known kind;
//! - for each name the end of its text; names are sorted;
//! - for each type the end of its members; the first type is 8, smaller numbers
//!   are scalars;
//! - the members: name, type; sorted by name within a type. A list has one member
//!   whose name is [`ITEM`], a map has one whose name is [`VALUE`];
//! - the kinds: apiVersion, kind, type; sorted by both names;
//! - the texts of all names.

const TITLE: usize = 64;
const FIRST: u16 = 8;
const ITEM: u16 = 0xffff;
const VALUE: u16 = 0xfffe;

static KUBERNETES: Table = Table::read(include_bytes!("kubernetes.bin"));

/// A type of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TypeId(u16);

/// What a type is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    Unknown,
    String,
    Integer,
    Boolean,
    /// An integer or a string: IntOrString, Quantity.
    Either,
    List,
    Object,
}

/// The type of a resource of this kind; none when the kind is not known.
pub(crate) fn kind(api_version: &str, kind: &str) -> Option<TypeId> {
    let found = KUBERNETES.kinds.binary_search_by(|row| {
        let by_version = KUBERNETES.name(row[0]).cmp(api_version.as_bytes());
        by_version.then_with(|| KUBERNETES.name(row[1]).cmp(kind.as_bytes()))
    });
    Some(TypeId(number(KUBERNETES.kinds[found.ok()?][2])))
}

/// The type of a resource of no known kind: it has metadata, as all have.
pub(crate) fn any() -> TypeId {
    TypeId(KUBERNETES.any)
}

impl TypeId {
    pub(crate) fn shape(self) -> Shape {
        match self.0 {
            1 => Shape::String,
            2 => Shape::Integer,
            4 => Shape::Boolean,
            5 => Shape::Either,
            FIRST.. => match self.only_member() {
                Some((ITEM, _)) => Shape::List,
                _ => Shape::Object,
            },
            _ => Shape::Unknown,
        }
    }

    /// The type of an object's field.
    pub(crate) fn field(self, key: &str) -> Option<Self> {
        match self.only_member() {
            Some((VALUE, value)) => return Some(value),
            Some((ITEM, _)) => return None,
            _ => {}
        }
        let members = self.members();
        let found = members.binary_search_by(|row| KUBERNETES.name(row[0]).cmp(key.as_bytes()));
        Some(Self(number(members[found.ok()?][1])))
    }

    /// The type of a list's items.
    pub(crate) fn item(self) -> Option<Self> {
        self.only_member()
            .and_then(|(name, item)| (name == ITEM).then_some(item))
    }

    fn only_member(self) -> Option<(u16, Self)> {
        match self.members() {
            [[name, found]] => Some((number(*name), Self(number(*found)))),
            _ => None,
        }
    }

    fn members(self) -> &'static [[[u8; 2]; 2]] {
        let members = || {
            let nth = usize::from(self.0.checked_sub(FIRST)?);
            let end = usize::from(number(*KUBERNETES.type_ends.get(nth)?));
            let start = match nth {
                0 => 0,
                nth => usize::from(number(KUBERNETES.type_ends[nth - 1])),
            };
            KUBERNETES.members.get(start..end)
        };
        members().unwrap_or_default()
    }
}

type Number = [u8; 2];

struct Table {
    any: u16,
    name_ends: &'static [Number],
    type_ends: &'static [Number],
    members: &'static [[Number; 2]],
    kinds: &'static [[Number; 3]],
    names: &'static [u8],
}

impl Table {
    /// Runs in the compiler: a malformed table is a failed build.
    const fn read(bytes: &'static [u8]) -> Self {
        let (_, bytes) = bytes.split_at(TITLE);
        let (numbers, _) = bytes.as_chunks();
        let (counts, numbers) = numbers.split_at(5);
        let (name_ends, numbers) = numbers.split_at(number(counts[0]) as usize);
        let (type_ends, numbers) = numbers.split_at(number(counts[1]) as usize);
        let (members, numbers) = numbers.split_at(number(counts[2]) as usize * 2);
        let (kinds, _) = numbers.split_at(number(counts[3]) as usize * 3);
        let read = 5 + name_ends.len() + type_ends.len() + members.len() + kinds.len();
        let (_, names) = bytes.split_at(read * 2);
        Self {
            any: number(counts[4]),
            name_ends,
            type_ends,
            members: members.as_chunks().0,
            kinds: kinds.as_chunks().0,
            names,
        }
    }

    fn name(&self, id: Number) -> &[u8] {
        let end = |nth: usize| self.name_ends.get(nth).map(|end| usize::from(number(*end)));
        let id = usize::from(number(id));
        let start = match id {
            0 => Some(0),
            id => end(id - 1),
        };
        start
            .zip(end(id))
            .and_then(|(start, end)| self.names.get(start..end))
            .unwrap_or_default()
    }
}

const fn number(bytes: Number) -> u16 {
    u16::from_le_bytes(bytes)
}
