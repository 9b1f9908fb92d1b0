//! A map ordered by its keys.

use std::borrow::Borrow;
use std::cmp::Ordering;
use std::iter::Flatten;
use std::ops::RangeInclusive;

/// The maximum number of entries of a block. An insertion moves at most this many entries
/// and, on average, a thousandth as many blocks as the map has entries.
const MAX_BLOCK: usize = 64;

/// A map ordered by its keys: a sorted list of sorted blocks.
///
/// A lookup takes two binary searches. An insertion moves entries of one block, and
/// occasionally the list of blocks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct OrderedMap<K, V> {
    /// No block is empty.
    blocks: Vec<Vec<(K, V)>>,
}

/// Where an entry is, or would be.
#[derive(Clone, Copy)]
struct Slot {
    block: usize,
    at: usize,
}

/// The entry of a key in a map, vacant or occupied.
pub(crate) struct Entry<'m, K, V> {
    map: &'m mut OrderedMap<K, V>,
    key: K,
    slot: Result<Slot, Slot>,
}

/// Finds the slot that compares equal, or else the one where it would be inserted. Neither
/// generic nor inlined, so that it is compiled only once.
#[inline(never)]
fn search(
    blocks: usize,
    length: &dyn Fn(usize) -> usize,
    compare: &dyn Fn(Slot) -> Ordering,
) -> Result<Slot, Slot> {
    let (mut block, mut end) = (0, blocks);
    // The last block that does not begin after the searched entry, or else the first one.
    while end - block > 1 {
        let middle = block.midpoint(end);
        let first = Slot {
            block: middle,
            at: 0,
        };
        match compare(first) {
            Ordering::Less => block = middle,
            Ordering::Equal => return Ok(first),
            Ordering::Greater => end = middle,
        }
    }
    let (mut at, mut end) = (0, length(block));
    while at < end {
        let middle = Slot {
            block,
            at: at.midpoint(end),
        };
        match compare(middle) {
            Ordering::Less => at = middle.at + 1,
            Ordering::Equal => return Ok(middle),
            Ordering::Greater => end = middle.at,
        }
    }
    Err(Slot { block, at })
}

impl<K, V> Default for OrderedMap<K, V> {
    fn default() -> Self {
        Self::new()
    }
}

impl<K, V> OrderedMap<K, V> {
    /// Creates an empty map, without allocating.
    pub(crate) const fn new() -> Self {
        Self { blocks: Vec::new() }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }

    pub(crate) fn len(&self) -> usize {
        self.blocks.iter().map(Vec::len).sum()
    }

    /// Returns the entries in the order of their keys.
    pub(crate) fn iter(&self) -> impl DoubleEndedIterator<Item = (&K, &V)> + Clone {
        self.into_iter().map(|(key, value)| (key, value))
    }

    /// Returns the keys in their order.
    pub(crate) fn keys(&self) -> impl DoubleEndedIterator<Item = &K> + Clone {
        self.iter().map(|(key, _)| key)
    }

    /// Returns the values in the order of their keys.
    pub(crate) fn values(&self) -> impl DoubleEndedIterator<Item = &V> + Clone {
        self.iter().map(|(_, value)| value)
    }

    /// Returns the values in the order of their keys.
    pub(crate) fn values_mut(&mut self) -> impl Iterator<Item = &mut V> {
        let entries = self.blocks.iter_mut().flatten();
        entries.map(|(_, value)| value)
    }

    /// Returns the values in the order of their keys.
    pub(crate) fn into_values(self) -> impl DoubleEndedIterator<Item = V> {
        self.into_iter().map(|(_, value)| value)
    }

    fn slot<Q>(&self, key: &Q) -> Result<Slot, Slot>
    where
        K: Borrow<Q>,
        Q: Ord + ?Sized,
    {
        // Most maps are empty: those of what references change.
        if self.blocks.is_empty() {
            return Err(Slot { block: 0, at: 0 });
        }
        let length = |block: usize| self.blocks.get(block).map_or(0, Vec::len);
        let compare = |slot: Slot| self.blocks[slot.block][slot.at].0.borrow().cmp(key);
        search(self.blocks.len(), &length, &compare)
    }

    /// Returns a key's value.
    pub(crate) fn get<Q>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
        Q: Ord + ?Sized,
    {
        self.get_key_value(key).map(|(_, value)| value)
    }

    /// Returns a key as it is stored, and its value.
    pub(crate) fn get_key_value<Q>(&self, key: &Q) -> Option<(&K, &V)>
    where
        K: Borrow<Q>,
        Q: Ord + ?Sized,
    {
        let slot = self.slot(key).ok()?;
        let (key, value) = self.blocks.get(slot.block)?.get(slot.at)?;
        Some((key, value))
    }

    pub(crate) fn contains_key<Q>(&self, key: &Q) -> bool
    where
        K: Borrow<Q>,
        Q: Ord + ?Sized,
    {
        self.slot(key).is_ok()
    }

    /// Returns a key's value as a mutable reference.
    pub(crate) fn get_mut<Q>(&mut self, key: &Q) -> Option<&mut V>
    where
        K: Borrow<Q>,
        Q: Ord + ?Sized,
    {
        let slot = self.slot(key).ok()?;
        Some(self.value_mut(slot))
    }

    /// Returns the entries whose keys are in a range, in their order.
    pub(crate) fn range(&self, keys: RangeInclusive<K>) -> impl Iterator<Item = &(K, V)>
    where
        K: Ord,
    {
        let (Ok(from) | Err(from)) = self.slot(keys.start());
        let blocks = self.blocks.get(from.block..).unwrap_or_default();
        let entries = blocks.iter().flatten().skip(from.at);
        entries.take_while(move |(key, _)| key <= keys.end())
    }

    /// Sets a key's value and returns the previous one. A key that exists is not replaced.
    pub(crate) fn insert(&mut self, key: K, value: V) -> Option<V>
    where
        K: Ord,
    {
        match self.slot(&key) {
            Ok(slot) => Some(std::mem::replace(self.value_mut(slot), value)),
            Err(slot) => {
                self.insert_at(slot, key, value);
                None
            }
        }
    }

    /// Returns a key's entry, to insert a value if it is vacant.
    pub(crate) fn entry(&mut self, key: K) -> Entry<'_, K, V>
    where
        K: Ord,
    {
        let slot = self.slot(&key);
        Entry {
            map: self,
            key,
            slot,
        }
    }

    fn value_mut(&mut self, slot: Slot) -> &mut V {
        &mut self.blocks[slot.block][slot.at].1
    }

    /// Inserts an entry and returns where it is.
    fn insert_at(&mut self, mut slot: Slot, key: K, value: V) -> Slot {
        let Some(block) = self.blocks.get_mut(slot.block) else {
            self.blocks.push(vec![(key, value)]);
            return slot;
        };
        if block.len() == MAX_BLOCK {
            // An insertion at the end keeps the block whole: ascending keys fill their
            // blocks.
            let half = if slot.at == MAX_BLOCK {
                MAX_BLOCK
            } else {
                MAX_BLOCK / 2
            };
            let rest = block.split_off(half);
            self.blocks.insert(slot.block + 1, rest);
            if slot.at >= half {
                slot.block += 1;
                slot.at -= half;
            }
        }
        self.blocks[slot.block].insert(slot.at, (key, value));
        slot
    }
}

impl<'m, K, V> Entry<'m, K, V> {
    /// Inserts a value if the entry is vacant, and returns the entry's value.
    pub(crate) fn or_insert_with(self, value: impl FnOnce() -> V) -> &'m mut V {
        let slot = match self.slot {
            Ok(slot) => slot,
            Err(slot) => self.map.insert_at(slot, self.key, value()),
        };
        self.map.value_mut(slot)
    }

    /// Inserts a value if the entry is vacant, and returns the entry's value.
    pub(crate) fn or_insert(self, value: V) -> &'m mut V {
        self.or_insert_with(|| value)
    }

    /// Inserts the default value if the entry is vacant, and returns the entry's value.
    pub(crate) fn or_default(self) -> &'m mut V
    where
        V: Default,
    {
        self.or_insert_with(V::default)
    }
}

impl<K: Ord, V> Extend<(K, V)> for OrderedMap<K, V> {
    fn extend<I: IntoIterator<Item = (K, V)>>(&mut self, entries: I) {
        for (key, value) in entries {
            self.insert(key, value);
        }
    }
}

impl<K: Ord, V> FromIterator<(K, V)> for OrderedMap<K, V> {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(entries: I) -> Self {
        let mut map = Self::new();
        map.extend(entries);
        map
    }
}

impl<K, V> IntoIterator for OrderedMap<K, V> {
    type Item = (K, V);
    type IntoIter = Flatten<std::vec::IntoIter<Vec<(K, V)>>>;

    fn into_iter(self) -> Self::IntoIter {
        self.blocks.into_iter().flatten()
    }
}

impl<'m, K, V> IntoIterator for &'m OrderedMap<K, V> {
    type Item = &'m (K, V);
    type IntoIter = Flatten<std::slice::Iter<'m, Vec<(K, V)>>>;

    fn into_iter(self) -> Self::IntoIter {
        self.blocks.iter().flatten()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::OrderedMap;

    proptest! {
        #[test]
        fn agrees_with_the_standard_map(keys in vec(0_u16..600, 0..900), from: u8, to: u8) {
            let (mut own, mut standard) = (OrderedMap::new(), BTreeMap::new());
            for (at, key) in keys.into_iter().enumerate() {
                if key % 3 == 0 {
                    own.entry(key).or_insert(at);
                    standard.entry(key).or_insert(at);
                } else {
                    prop_assert_eq!(own.insert(key, at), standard.insert(key, at));
                }
            }
            prop_assert_eq!(own.len(), standard.len());
            prop_assert_eq!(own.is_empty(), standard.is_empty());
            for key in 0..600 {
                prop_assert_eq!(own.get(&key), standard.get(&key));
                prop_assert_eq!(own.contains_key(&key), standard.contains_key(&key));
            }
            let (from, to) = (u16::from(from.min(to)), u16::from(from.max(to)));
            let in_range: Vec<_> = own.range(from..=to).copied().collect();
            let expected: Vec<_> = standard.range(from..=to).map(|(k, v)| (*k, *v)).collect();
            prop_assert_eq!(in_range, expected);
            let backwards: Vec<_> = own.clone().into_iter().rev().collect();
            prop_assert_eq!(backwards, standard.into_iter().rev().collect::<Vec<_>>());
        }
    }

    #[test]
    fn ascending_keys_fill_blocks() {
        let map: OrderedMap<usize, ()> = (0..1000).map(|key| (key, ())).collect();
        assert_eq!(map.blocks.len(), 1000_usize.div_ceil(super::MAX_BLOCK));
        assert!(map.keys().copied().eq(0..1000));
    }
}
