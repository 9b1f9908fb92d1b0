//! The members of a document's collections, indexed so that following a field path takes a
//! lookup for each of its keys instead of a walk over the document.

use std::cell::RefCell;
use std::rc::Rc;

use crate::collections::OrderedMap;
use crate::config::substitutions::Pattern;
use yaml::{Kind, NodeId, Role, Tree};

/// Collections with fewer members are searched linearly.
const MIN_INDEXED: usize = 16;

/// The members of the collections of one document. Large ones are indexed when they are
/// searched.
pub(crate) struct Members<'t> {
    tree: &'t Tree,
    /// The members of the collections that a path went through.
    members: RefCell<OrderedMap<NodeId, Rc<[NodeId]>>>,
    /// The keys of large mappings that a path went through.
    keys: RefCell<OrderedMap<NodeId, OrderedMap<&'t str, NodeId>>>,
    /// The items of large lists by the text under a key.
    items: RefCell<OrderedMap<(NodeId, String), ByText<'t>>>,
}

type ByText<'t> = OrderedMap<&'t str, Vec<NodeId>>;

impl<'t> Members<'t> {
    pub(crate) fn new(tree: &'t Tree) -> Self {
        Self {
            tree,
            members: RefCell::default(),
            keys: RefCell::default(),
            items: RefCell::default(),
        }
    }

    pub(crate) const fn tree(&self) -> &'t Tree {
        self.tree
    }

    /// Returns the values of a mapping, or the items of a sequence.
    pub(crate) fn of(&self, id: NodeId) -> Rc<[NodeId]> {
        let mut known = self.members.borrow_mut();
        let members = known
            .entry(id)
            .or_insert_with(|| self.tree.members(id).collect());
        Rc::clone(members)
    }

    /// Returns the key of a mapping's value.
    pub(crate) fn key(&self, id: NodeId) -> Option<&'t str> {
        match self.tree[id].role() {
            Role::Value(key) => self.tree.text(key),
            _ => None,
        }
    }

    /// Returns the value of a key in a mapping. Of duplicate keys the last one counts.
    pub(crate) fn child(&self, mapping: NodeId, name: &str) -> Option<NodeId> {
        let members = self.of(mapping);
        if !matches!(self.tree[mapping].kind(), Kind::Mapping { .. }) {
            return None;
        }
        if members.len() < MIN_INDEXED {
            let mut members = members.iter().rev();
            return members.find(|id| self.key(**id) == Some(name)).copied();
        }
        let mut known = self.keys.borrow_mut();
        let keys = known.entry(mapping).or_insert_with(|| {
            let with_key = |id: &NodeId| Some((self.key(*id)?, *id));
            members.iter().filter_map(with_key).collect()
        });
        keys.get(name).copied()
    }

    /// Returns the text that `[key=value]` compares: the value of the key, or the item
    /// itself if the key is empty.
    fn compared(&self, item: NodeId, key: &str) -> Option<&'t str> {
        match key {
            "" => self.tree.text(self.tree.target(item)),
            key => {
                let item = self.tree.target(item);
                self.tree.text(self.tree.target(self.child(item, key)?))
            }
        }
    }

    /// Returns the items of a sequence whose text under `key` matches, and how many steps
    /// the comparisons took.
    pub(crate) fn matching(
        &self,
        sequence: NodeId,
        key: &str,
        pattern: &Pattern,
    ) -> (Vec<NodeId>, u64) {
        let items = self.of(sequence);
        let texts = || {
            items
                .iter()
                .filter_map(|id| Some((*id, self.compared(*id, key)?)))
        };
        match pattern.literal() {
            Some(literal) if items.len() >= MIN_INDEXED => {
                let mut known = self.items.borrow_mut();
                let items = known.entry((sequence, key.to_owned())).or_insert_with(|| {
                    let mut by_text = ByText::new();
                    for (id, text) in texts() {
                        by_text.entry(text).or_default().push(id);
                    }
                    by_text
                });
                (items.get(literal).cloned().unwrap_or_default(), 1)
            }
            _ => {
                let mut cost = 0_u64;
                let matching = texts()
                    .filter(|(_, text)| {
                        cost = cost.saturating_add(pattern.cost(text));
                        pattern.matches(text)
                    })
                    .map(|(id, _)| id)
                    .collect();
                (matching, cost)
            }
        }
    }
}
