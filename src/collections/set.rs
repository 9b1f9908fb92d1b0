//! A set ordered by its items.

use std::borrow::Borrow;
use std::iter::Map;
use std::ops::RangeInclusive;

use super::OrderedMap;

/// A set ordered by its items.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct OrderedSet<T> {
    items: OrderedMap<T, ()>,
}

impl<T> Default for OrderedSet<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> OrderedSet<T> {
    /// Creates an empty set, without allocating.
    pub(crate) const fn new() -> Self {
        Self {
            items: OrderedMap::new(),
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.items.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// Returns the items in their order.
    pub(crate) fn iter(&self) -> impl DoubleEndedIterator<Item = &T> + Clone {
        self.items.keys()
    }

    pub(crate) fn contains<Q>(&self, item: &Q) -> bool
    where
        T: Borrow<Q>,
        Q: Ord + ?Sized,
    {
        self.items.contains_key(item)
    }

    /// Returns the items in a range, in their order.
    pub(crate) fn range(&self, items: RangeInclusive<T>) -> impl Iterator<Item = &T>
    where
        T: Ord,
    {
        self.items.range(items).map(|(item, ())| item)
    }

    /// Adds an item and returns whether it is new.
    pub(crate) fn insert(&mut self, item: T) -> bool
    where
        T: Ord,
    {
        self.items.insert(item, ()).is_none()
    }
}

impl<T: Ord> Extend<T> for OrderedSet<T> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, items: I) {
        for item in items {
            self.insert(item);
        }
    }
}

impl<T: Ord> FromIterator<T> for OrderedSet<T> {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        let mut set = Self::new();
        set.extend(items);
        set
    }
}

impl<T: Ord, const N: usize> From<[T; N]> for OrderedSet<T> {
    fn from(items: [T; N]) -> Self {
        items.into_iter().collect()
    }
}

impl<T> IntoIterator for OrderedSet<T> {
    type Item = T;
    type IntoIter = Map<<OrderedMap<T, ()> as IntoIterator>::IntoIter, fn((T, ())) -> T>;

    fn into_iter(self) -> Self::IntoIter {
        self.items.into_iter().map(|(item, ())| item)
    }
}
