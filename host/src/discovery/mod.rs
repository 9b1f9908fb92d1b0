//! Finds the applications to which the paths of a command line belong.

mod group;
mod near_binding;
mod problems;
mod search;

pub(crate) use group::{ApplicationFolder, Group, Part, RootChoice};
pub(crate) use near_binding::NearTo;
pub(crate) use problems::{first_of, near_binding, several_applications};
pub(crate) use search::{BINDINGS, Groups, Outside, Search, has_binding, own_binding};
