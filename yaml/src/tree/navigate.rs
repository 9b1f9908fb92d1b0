//! Navigation from a node to its neighbours.

use std::ops::Range;

use super::{Kind, Node, NodeId, Role, Tree};

impl Tree {
    /// Returns the number of nodes.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Returns whether the document has no nodes.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Returns the position of every node, in the order of their first bytes.
    #[must_use]
    pub const fn ids(&self) -> Range<NodeId> {
        0..self.nodes.len()
    }

    /// Returns every node with its position, in the order of their first bytes.
    pub fn nodes(&self) -> impl DoubleEndedIterator<Item = (NodeId, &Node)> {
        self.nodes.iter().enumerate()
    }

    /// Returns the node at this position, if any.
    #[must_use]
    pub fn get(&self, id: NodeId) -> Option<&Node> {
        self.nodes.get(id)
    }

    /// Returns the nodes inside a collection, at any depth; none if the node does not
    /// exist, as in an empty document.
    #[must_use]
    pub fn inside(&self, id: NodeId) -> Range<NodeId> {
        id + 1..self.next(id)
    }

    /// Returns the first node after this one and its descendants.
    fn next(&self, id: NodeId) -> NodeId {
        let next = self
            .nodes
            .get(id)
            .and_then(|node| super::optional(node.next));
        next.unwrap_or(self.nodes.len())
    }

    /// Returns the direct children of a collection: keys and values, or items.
    pub fn children(&self, id: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        let Range { start, end } = self.inside(id);
        let next = move |child: &NodeId| Some(self.next(*child)).filter(|next| *next < end);
        std::iter::successors((start < end).then_some(start), next)
    }

    /// Returns the members of a collection: a mapping's values, a sequence's items.
    pub fn members(&self, id: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        self.children(id)
            .filter(|child| self.nodes[*child].role() != Role::Key)
    }

    /// Returns the keys of a mapping with their values.
    pub fn entries(&self, id: NodeId) -> impl Iterator<Item = (NodeId, NodeId)> + '_ {
        self.children(id)
            .filter_map(|child| match self.nodes[child].role() {
                Role::Value(key) => Some((key, child)),
                _ => None,
            })
    }

    /// Returns whether the root is a mapping with this key.
    #[must_use]
    pub fn root_has(&self, name: &str) -> bool {
        !self.is_empty() && self.entries(0).any(|(key, _)| self.text(key) == Some(name))
    }

    /// Returns the value of a key.
    #[must_use]
    pub fn value_of(&self, key: NodeId) -> Option<NodeId> {
        let value = self.next(key);
        let node = self.nodes.get(value)?;
        (node.role() == Role::Value(key)).then_some(value)
    }

    /// Returns a node and the collections around it, the innermost first.
    pub fn up_from(&self, id: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        std::iter::successors(Some(id), |at| self.nodes[*at].parent())
    }

    /// Returns the node that an alias repeats; any other node itself.
    #[must_use]
    pub fn target(&self, id: NodeId) -> NodeId {
        self.nodes[id].alias_target().unwrap_or(id)
    }

    /// Returns whether the node is a member of a flow collection.
    #[must_use]
    pub fn in_flow(&self, id: NodeId) -> bool {
        self.nodes[id]
            .parent()
            .is_some_and(|parent| self.nodes[parent].flow)
    }

    /// Returns the column of the block collection that contains the node; `None` at the
    /// root and in flow.
    #[must_use]
    pub fn block_column(&self, id: NodeId) -> Option<usize> {
        match self.nodes[self.nodes[id].parent()?].kind() {
            Kind::Sequence {
                flow: false,
                column,
            }
            | Kind::Mapping {
                flow: false,
                column,
            } => Some(column),
            _ => None,
        }
    }

    /// Returns the first node whose bytes begin at or after `at`.
    #[must_use]
    pub fn first_from(&self, at: usize) -> NodeId {
        self.nodes.partition_point(|node| node.range().start < at)
    }
}
