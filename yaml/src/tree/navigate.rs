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

#[cfg(test)]
mod tests {
    use crate::locate;

    const DOCUMENT: &str = "a: &x\n  b: [1, c: 2]\n  d: 3\ne: *x\n";

    #[test]
    fn nodes_are_found_from_their_neighbours() {
        let tree = locate(DOCUMENT).unwrap();
        assert_eq!((tree.len(), tree.ids()), (13, 0..13));
        assert_eq!(
            tree.nodes().map(|(id, _)| id).collect::<Vec<_>>(),
            Vec::from_iter(0..13)
        );
        let texts = |ids: Vec<usize>| -> Vec<_> {
            ids.into_iter()
                .map(|id| tree.text(id).unwrap_or("-"))
                .collect()
        };
        assert_eq!(texts(tree.children(0).collect()), ["a", "-", "e", "-"]);
        assert_eq!(texts(tree.members(2).collect()), ["-", "3"]);
        assert_eq!(
            texts(tree.inside(2).collect()),
            ["b", "-", "1", "-", "c", "2", "d", "3"]
        );
        assert_eq!(tree.entries(2).collect::<Vec<_>>(), [(3, 4), (9, 10)]);
        assert_eq!(tree.up_from(8).collect::<Vec<_>>(), [8, 6, 4, 2, 0]);
        assert_eq!(
            [tree.value_of(1), tree.value_of(9), tree.value_of(2)],
            [Some(2), Some(10), None]
        );
        assert_eq!([tree.target(12), tree.target(2)], [2, 2]);
        assert_eq!([0, 4, 17, 100].map(|at| tree.first_from(at)), [0, 2, 8, 13]);
        assert!(tree.get(12).is_some() && tree.get(13).is_none());
        assert!(tree.root_has("e") && !tree.root_has("b"));
    }

    #[test]
    fn collections_say_how_their_members_are_written() {
        let tree = locate(DOCUMENT).unwrap();
        assert_eq!(
            [0, 2, 4, 5, 8].map(|id| tree.in_flow(id)),
            [false, false, false, true, true]
        );
        let columns = [0, 1, 3, 5].map(|id| tree.block_column(id));
        assert_eq!(columns, [None, Some(0), Some(2), None]);
    }
}
