//! Fields that a field binding makes: the values of all that are missing in one
//! collection, together.

use crate::collections::OrderedMap;
use crate::config::substitutions::PathStep;
use crate::kubernetes::resources::FieldStep;
use crate::outputs::{Key, Value};
use yaml::Span;

/// What is made at one place.
#[derive(Debug)]
pub(crate) enum Created {
    Nothing,
    /// With the number of the assignment that makes it.
    Value(Value, usize),
    Map {
        entries: Vec<(String, Created)>,
        positions: OrderedMap<String, usize>,
    },
    List {
        /// How many items the list has already.
        before: usize,
        items: Vec<Created>,
        /// The items that a `[key=value]` made.
        matched: OrderedMap<(String, String), usize>,
    },
}

/// Why a value cannot be made at the end of some steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Obstacle {
    /// Another value is made there.
    Taken,
    /// The list has only so many items when the one with this index is made.
    Beyond { index: usize, length: usize },
}

impl Created {
    /// For new keys of a mapping.
    pub(crate) const fn in_map() -> Self {
        Self::Map {
            entries: Vec::new(),
            positions: OrderedMap::new(),
        }
    }

    /// For new items of a list that has so many.
    pub(crate) const fn in_list(before: usize) -> Self {
        Self::List {
            before,
            items: Vec::new(),
            matched: OrderedMap::new(),
        }
    }

    /// Puts a value at the end of these steps.
    ///
    /// # Errors
    /// There is no room for it.
    pub(crate) fn put(
        &mut self,
        steps: &[PathStep],
        value: (Value, usize),
    ) -> Result<(), Obstacle> {
        let Some((first, rest)) = steps.split_first() else {
            return match self {
                Self::Nothing => {
                    *self = Self::Value(value.0, value.1);
                    Ok(())
                }
                _ => Err(Obstacle::Taken),
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
                entries[position].1.put(rest, value)
            }
            (Self::List { before, items, .. }, PathStep::Index { index, .. }) => {
                let length = *before + items.len();
                match index.checked_sub(*before) {
                    Some(position) if position < items.len() => items[position].put(rest, value),
                    Some(position) if position == items.len() => {
                        items.push(Self::Nothing);
                        items[position].put(rest, value)
                    }
                    _ => Err(Obstacle::Beyond {
                        index: *index,
                        length,
                    }),
                }
            }
            (Self::List { items, .. }, PathStep::Append) => {
                let mut item = Self::Nothing;
                item.put(rest, value)?;
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
                let position = *matched.entry((key.clone(), text.clone())).or_insert(next);
                if position == next {
                    let mut item = Self::Nothing;
                    if !key.is_empty() {
                        let identity = [PathStep::Key(key.clone())];
                        item.put(&identity, (Value::String(text), usize::MAX))?;
                    }
                    items.push(item);
                }
                items[position].put(rest, value)
            }
            _ => Err(Obstacle::Taken),
        }
    }

    /// What is made, as a value; and which of all values in it, in the order in which
    /// they begin, the assignments make.
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
            Self::Value(value, assignment) => {
                positions.insert(assignment, position);
                *next += members(&value);
                value
            }
            Self::Map { entries, .. } => {
                let entries = entries.into_iter().map(|(name, made)| {
                    let span = Span::point(0);
                    (Key { name, span }, made.into_member(next, positions))
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

/// How many values are inside of a value, at any depth.
fn members(value: &Value) -> usize {
    match value {
        Value::List(items) => items.iter().map(|item| 1 + members(item)).sum(),
        Value::Object(entries) => entries.iter().map(|(_, entry)| 1 + members(entry)).sum(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => 0,
    }
}

/// The field steps of what is made in a map, or in something else.
pub(crate) fn steps_of(steps: &[PathStep], in_map: bool) -> impl Iterator<Item = FieldStep> + '_ {
    steps.iter().enumerate().map(move |(nth, step)| match step {
        PathStep::Index { key, .. } if in_map && nth == 0 => FieldStep::Key(key.as_str().into()),
        PathStep::Key(name) => FieldStep::Key(name.as_str().into()),
        PathStep::Index { index, .. } => FieldStep::Index(*index),
        PathStep::Append | PathStep::Match { .. } | PathStep::Any => FieldStep::Index(0),
    })
}
