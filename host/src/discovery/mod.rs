//! Finds the applications to which the paths of a command line belong.

mod group;
mod near_binding;
mod search;

pub(crate) use group::{ApplicationFolder, Group, Part, RootChoice};
pub(crate) use near_binding::{NearBinding, NearTo, WhyNot};
pub(crate) use search::{BINDINGS, Search, has_binding, own_binding};
