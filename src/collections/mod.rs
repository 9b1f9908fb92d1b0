//! Ordered maps and sets that take little code in the module.
//!
//! `BTreeMap` compiles to 3 to 5 kB for each pair of types, and the plugin has some fifty
//! pairs of which hardly any holds more than a few entries. These take a quarter of that.
//! They iterate in the order of their keys, as the standard ones do, and have those of their
//! methods that the plugin uses.

mod map;
mod set;

pub(crate) use map::OrderedMap;
pub(crate) use set::OrderedSet;
