//! What a request knows about the names that its manifests use.

use crate::collections::{OrderedMap, OrderedSet};
use crate::config::KnownName;
use crate::reference::Heads;

/// The names of one render, bound or not.
#[derive(Clone, Debug, Default)]
pub(crate) struct Names {
    /// Bound, but without a document: the policy `unpublished` keeps their references.
    unpublished: OrderedSet<String>,
    /// Names that the Binding declares as another tool's.
    foreign: OrderedSet<String>,
    /// Names that other Bindings bind, with the path of one of those Bindings.
    elsewhere: OrderedMap<String, String>,
}

impl Names {
    /// Creates the names of a render. `asked` are the names that the Binding binds,
    /// `foreign` those that it declares as another tool's.
    pub(crate) fn new(
        known: &[KnownName],
        asked: impl IntoIterator<Item = String>,
        foreign: impl IntoIterator<Item = String>,
    ) -> Self {
        let mut names = Self {
            unpublished: asked.into_iter().collect(),
            foreign: foreign.into_iter().collect(),
            elsewhere: OrderedMap::new(),
        };
        for KnownName { name, bound_by } in known {
            match bound_by {
                None => {
                    names.unpublished.insert(name.clone());
                }
                Some(path) => {
                    let path = || path.clone();
                    names.elsewhere.entry(name.clone()).or_insert_with(path);
                }
            }
        }
        names
    }

    /// Returns whether text with this name may stay as it is. So may a reference that names
    /// no binding, if any bound document isn't published: its name is an output's.
    pub(crate) fn is_left_alone(&self, name: &str, is_binding: bool) -> bool {
        let is_unpublished = match is_binding {
            true => self.unpublished.contains(name),
            false => !self.unpublished.is_empty(),
        };
        is_unpublished || self.foreign.contains(name)
    }

    /// Returns the Binding that binds `name`, if it is another one.
    pub(crate) fn bound_by(&self, name: &str) -> Option<&str> {
        self.elsewhere.get(name).map(String::as_str)
    }

    /// Returns whether no name is bound at all.
    pub(crate) fn is_empty(&self, heads: &Heads) -> bool {
        self.unpublished.is_empty() && heads.names().next().is_none()
    }

    /// Returns every name that a reference can have here.
    pub(crate) fn usable<'n>(&'n self, heads: &'n Heads) -> impl Iterator<Item = &'n str> {
        heads
            .names()
            .chain(self.unpublished.iter().map(String::as_str))
    }
}
