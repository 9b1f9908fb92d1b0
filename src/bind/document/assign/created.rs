//! Fields that field bindings create: all new members of one collection, as one value.

use crate::collections::OrderedMap;
use crate::config::substitutions::PathStep;
use crate::kubernetes::resources::FieldStep;
use crate::outputs::{Key, Value};
use yaml::Span;

/// What is created at one position.
#[derive(Debug)]
pub(crate) enum Created {
    Nothing,
    Value(NewValue),
    Map {
        entries: Vec<(String, Created)>,
        positions: OrderedMap<String, usize>,
    },
    List {
        /// The number of items that the list already has.
        existing: usize,
        items: Vec<Created>,
        /// The items that a `[key=value]` step created.
        matched: OrderedMap<(String, String), usize>,
    },
}

/// A value that is created.
#[derive(Debug)]
pub(crate) struct NewValue {
    pub(crate) value: Value,
    /// The position of the assignment that creates it; `None` for the key of an item that
    /// `[key=value]` creates.
    pub(crate) assignment: Option<usize>,
}

/// Why a value cannot be created at the end of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Obstacle {
    /// Another value is created there.
    Occupied,
    /// The list has only `length` items when the one at `index` is created.
    OutOfRange { index: usize, length: usize },
}

impl Created {
    /// Returns an empty collection for new keys of a mapping.
    pub(crate) const fn in_map() -> Self {
        Self::Map {
            entries: Vec::new(),
            positions: OrderedMap::new(),
        }
    }

    /// Returns an empty collection for new items of a list that has `existing` items.
    pub(crate) const fn in_list(existing: usize) -> Self {
        Self::List {
            existing,
            items: Vec::new(),
            matched: OrderedMap::new(),
        }
    }

    /// Adds a value at the end of these steps. A step `[key=value]` that creates an item gives
    /// its key the value of `identities` at the same position.
    ///
    /// # Errors
    /// The value cannot be created there.
    pub(crate) fn insert(
        &mut self,
        steps: &[PathStep],
        identities: &[Value],
        value: NewValue,
    ) -> Result<(), Obstacle> {
        let (Some((first, rest)), Some((identity, identities))) =
            (steps.split_first(), identities.split_first())
        else {
            return match self {
                Self::Nothing => {
                    *self = Self::Value(value);
                    Ok(())
                }
                _ => Err(Obstacle::Occupied),
            };
        };
        if let Self::Nothing = self {
            *self = match first {
                PathStep::Key(_) | PathStep::Any => Self::in_map(),
                PathStep::Index { .. } | PathStep::Append | PathStep::Match { .. } => {
                    Self::in_list(0)
                }
            };
        }
        match (self, first) {
            (
                Self::Map { entries, positions },
                PathStep::Key(key) | PathStep::Index { key, .. },
            ) => {
                let next = entries.len();
                let position = *positions.entry(key.clone()).or_insert(next);
                if position == next {
                    entries.push((key.clone(), Self::Nothing));
                }
                entries[position].1.insert(rest, identities, value)
            }
            (
                Self::List {
                    existing, items, ..
                },
                PathStep::Index { index, .. },
            ) => {
                let length = *existing + items.len();
                match index.checked_sub(*existing) {
                    Some(position) if position < items.len() => {
                        items[position].insert(rest, identities, value)
                    }
                    Some(position) if position == items.len() => {
                        items.push(Self::Nothing);
                        items[position].insert(rest, identities, value)
                    }
                    _ => Err(Obstacle::OutOfRange {
                        index: *index,
                        length,
                    }),
                }
            }
            (Self::List { items, .. }, PathStep::Append) => {
                let mut item = Self::Nothing;
                item.insert(rest, identities, value)?;
                items.push(item);
                Ok(())
            }
            (
                Self::List { items, matched, .. },
                PathStep::Match {
                    key,
                    value: pattern,
                },
            ) => {
                let next = items.len();
                let text = pattern.literal().unwrap_or_default().to_owned();
                let position = *matched.entry((key.clone(), text)).or_insert(next);
                if position == next {
                    let mut item = Self::Nothing;
                    if !key.is_empty() {
                        let created = NewValue {
                            value: identity.clone(),
                            assignment: None,
                        };
                        let path = [PathStep::Key(key.clone())];
                        item.insert(&path, &[Value::Null], created)?;
                    }
                    items.push(item);
                }
                items[position].insert(rest, identities, value)
            }
            _ => Err(Obstacle::Occupied),
        }
    }

    /// Returns all that is created as one value, and by assignment the position of its
    /// value among all values in that, in the order in which they begin.
    pub(crate) fn into_value(self) -> (Value, OrderedMap<usize, usize>) {
        let mut positions = OrderedMap::new();
        let value = self.into_member(&mut 0, &mut positions);
        (value, positions)
    }

    fn into_member(self, next: &mut usize, positions: &mut OrderedMap<usize, usize>) -> Value {
        let position = *next;
        *next += 1;
        match self {
            Self::Nothing => Value::Null,
            Self::Value(NewValue { value, assignment }) => {
                positions.extend(assignment.map(|assignment| (assignment, position)));
                *next += count_members(&value);
                value
            }
            Self::Map { entries, .. } => {
                let entries = entries.into_iter().map(|(name, entry)| {
                    let span = Span::point(0);
                    (Key { name, span }, entry.into_member(next, positions))
                });
                Value::Object(entries.collect())
            }
            Self::List { items, .. } => {
                let items = items.into_iter();
                Value::List(
                    items
                        .map(|item| item.into_member(next, positions))
                        .collect(),
                )
            }
        }
    }
}

/// Returns the number of values inside a value, at any depth.
fn count_members(value: &Value) -> usize {
    match value {
        Value::List(items) => items.iter().map(|item| 1 + count_members(item)).sum(),
        Value::Object(entries) => entries
            .iter()
            .map(|(_, entry)| 1 + count_members(entry))
            .sum(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => 0,
    }
}

/// Returns the field steps of a new field, in a map or in something else.
pub(crate) fn field_steps(
    steps: &[PathStep],
    in_map: bool,
) -> impl Iterator<Item = FieldStep> + '_ {
    steps.iter().enumerate().map(move |(nth, step)| match step {
        PathStep::Index { key, .. } if in_map && nth == 0 => FieldStep::Key(key.as_str().into()),
        PathStep::Key(name) => FieldStep::Key(name.as_str().into()),
        PathStep::Index { index, .. } => FieldStep::Index(*index),
        // Which index the new item gets is not known yet; any of them has the same type.
        PathStep::Append | PathStep::Match { .. } => FieldStep::Index(0),
        // `*` creates nothing.
        PathStep::Any => FieldStep::Index(0),
    })
}
