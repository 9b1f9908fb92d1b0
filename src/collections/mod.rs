//! Ordered maps and sets that compile to little code.
//!
//! `BTreeMap` compiles to 3 to 5 kB for each pair of types, and the plugin has some fifty
//! pairs, most of which never hold more than a few entries. These take a quarter of that.
//! They iterate in the order of their keys, like the standard ones, and have only the
//! methods that the plugin uses.

mod map;
mod set;

pub(crate) use map::OrderedMap;
pub(crate) use set::OrderedSet;
