//! The members of a document's collections, so that following a field path costs a
//! step for each of its keys and not a walk over the document.

use std::cell::RefCell;
use std::rc::Rc;

use crate::collections::OrderedMap;
use crate::config::substitutions::Pattern;
use yaml::{Kind, NodeId, Role, Tree};

/// Mappings with fewer members are searched one by one.
const MIN_INDEXED: usize = 16;

/// The members of large collections of one document, indexed when they are searched.
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

    /// The values of a mapping, or the items of a sequence.
    pub(crate) fn of(&self, id: NodeId) -> Rc<[NodeId]> {
        let mut members = self.members.borrow_mut();
        let members = members
            .entry(id)
            .or_insert_with(|| self.tree.members(id).collect());
        Rc::clone(members)
    }

    /// The key of a mapping's value.
    pub(crate) fn key(&self, id: NodeId) -> Option<&'t str> {
        match self.tree[id].role() {
            Role::Value(key) => self.tree.text(key),
            _ => None,
        }
    }

    /// The value under a key of a mapping. Of equal keys the last one counts.
    pub(crate) fn child(&self, mapping: NodeId, name: &str) -> Option<NodeId> {
        let members = self.of(mapping);
        if !matches!(self.tree[mapping].kind(), Kind::Mapping { .. }) {
            return None;
        }
        if members.len() < MIN_INDEXED {
            let mut members = members.iter().rev();
            return members.find(|id| self.key(**id) == Some(name)).copied();
        }
        let mut keys = self.keys.borrow_mut();
        let keys = keys.entry(mapping).or_insert_with(|| {
            let with_key = |id: &NodeId| Some((self.key(*id)?, *id));
            members.iter().filter_map(with_key).collect()
        });
        keys.get(name).copied()
    }

    /// The text that `[key=value]` compares: that under the key, or where the key is
    /// empty that of the item itself.
    fn compared(&self, item: NodeId, key: &str) -> Option<&'t str> {
        match key {
            "" => self.tree.text(item),
            key => self.tree.text(self.child(item, key)?),
        }
    }

    /// The items of a sequence whose text under `key` matches, and how many
    /// comparisons that took.
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
                let known = known.entry((sequence, key.to_owned())).or_insert_with(|| {
                    let mut known = ByText::new();
                    for (id, text) in texts() {
                        known.entry(text).or_default().push(id);
                    }
                    known
                });
                (known.get(literal).cloned().unwrap_or_default(), 1)
            }
            _ => {
                let mut cost = 0_u64;
                let matching = texts().filter(|(_, text)| {
                    cost = cost.saturating_add(pattern.cost(text));
                    pattern.matches(text)
                });
                let matching = matching.map(|(id, _)| id).collect();
                (matching, cost)
            }
        }
    }
}
