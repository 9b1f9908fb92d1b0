//! Builds a tree from nodes in document order: the conventions that both parsers share.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;

use crate::tree::{Kind, Located, Node, NodeId, Role, Style, Tree};

/// A collection whose members are being read.
struct Open {
    node: NodeId,
    mapping: bool,
    /// The number of items so far.
    items: usize,
    /// The key that has no value yet.
    key: Option<NodeId>,
}

/// More levels than most documents have.
const USUAL_LEVELS: usize = 16;

/// A tree that is being built. Nodes are added in the order of their first bytes.
pub(super) struct Builder<'t> {
    text: &'t str,
    /// Without its source, which is `text`.
    pub(super) tree: Tree,
    open: Vec<Open>,
    /// The nodes of the anchors so far, by their names.
    anchors: BTreeMap<Cow<'t, str>, NodeId>,
    /// The end of the last token that isn't a comment, anchor or tag.
    pub(super) after: usize,
}

impl<'t> Builder<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self {
            text,
            tree: Tree {
                // A manifest has a node for sixteen bytes or more.
                nodes: Vec::with_capacity(text.len() / 16),
                ..Tree::default()
            },
            open: Vec::with_capacity(USUAL_LEVELS),
            anchors: BTreeMap::new(),
            after: 0,
        }
    }

    /// Returns whether the innermost open collection is a mapping.
    pub(super) fn in_mapping(&self) -> bool {
        self.open.last().is_some_and(|open| open.mapping)
    }

    /// Adds a scalar whose text is a slice of the source, or is set afterwards.
    #[inline]
    pub(super) fn scalar(
        &mut self,
        style: Style,
        indent: usize,
        range: Range<usize>,
        tag: Option<Range<usize>>,
    ) {
        let end = range.end;
        self.push(Kind::Scalar { style, indent }, range, tag);
        self.after = end;
    }

    /// Adds an alias of `target`.
    pub(super) fn alias(&mut self, target: Option<NodeId>, range: Range<usize>) {
        let end = range.end;
        self.push(Kind::Alias(target), range, None);
        self.after = end;
    }

    /// Adds a collection; what follows are its members. `range` is its bracket, or the
    /// position where a block collection begins.
    pub(super) fn begin(&mut self, kind: Kind, range: Range<usize>, tag: Option<Range<usize>>) {
        let node = self.tree.nodes.len();
        let end = range.end;
        self.push(kind, range, tag);
        // A bracket is a token; the start of a block collection is only a position.
        self.after = self.after.max(end);
        self.open.push(Open {
            node,
            mapping: matches!(kind, Kind::Mapping { .. }),
            items: 0,
            key: None,
        });
    }

    /// Ends the innermost collection: after its closing bracket, which ends at `bracket`,
    /// or after its last token.
    pub(super) fn end(&mut self, bracket: Option<usize>) {
        self.after = bracket.unwrap_or(self.after);
        if let Some(open) = self.open.pop() {
            let next = self.tree.nodes.len();
            if let Some(node) = self.tree.nodes.get_mut(open.node) {
                node.set_end(self.after, next);
            }
        }
    }

    /// Defines an anchor on the last node.
    pub(super) fn anchor(&mut self, name: Cow<'t, str>) {
        let Some(id) = self.tree.nodes.len().checked_sub(1) else {
            return;
        };
        let is_plain = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_');
        let is_odd = !name.bytes().all(is_plain) | self.anchors.insert(name, id).is_some();
        if is_odd && self.tree.odd_anchor.is_none() {
            self.tree.odd_anchor = Some(id);
        }
        self.tree.nodes[id].set_anchor();
    }

    /// Returns the last node with this anchor.
    pub(super) fn anchored(&self, name: &str) -> Option<NodeId> {
        self.anchors.get(name).copied()
    }

    /// Adds a comment. Comments may be added in any order.
    pub(super) fn comment(&mut self, range: Range<usize>) {
        self.tree.comments.push(range);
    }

    /// Stores the text of the last node if it isn't a slice of the source.
    pub(super) fn store_text(&mut self, text: &str) {
        // Usually the parser's text is that slice itself, and nothing must be compared.
        let is_slice = self
            .slice()
            .is_some_and(|inner| std::ptr::eq(inner, text) || inner == text);
        if !is_slice {
            let start = self.tree.decoded.len();
            self.tree.decoded.push_str(text);
            self.set_text(start);
        }
    }

    /// Makes the end of the decoded texts, from `start`, the text of the last node, unless
    /// it is a slice of the source.
    pub(super) fn take_text(&mut self, start: usize) {
        if self.slice() == self.tree.decoded.get(start..) {
            self.tree.decoded.truncate(start);
        } else {
            self.set_text(start);
        }
    }

    fn set_text(&mut self, start: usize) {
        let end = self.tree.decoded.len();
        if let Some(node) = self.tree.nodes.last_mut() {
            node.set_text(&(start..end));
        }
    }

    /// Returns the slice of the source that the tree takes for the text of the last node
    /// if no other is stored.
    fn slice(&self) -> Option<&'t str> {
        let node = self.tree.nodes.last()?;
        let quotes = usize::from(node.style() != Some(Style::Plain));
        let range = node.range();
        let end = range.end.checked_sub(quotes)?;
        self.text.get(range.start + quotes..end)
    }

    #[inline]
    fn push(&mut self, kind: Kind, range: Range<usize>, tag: Option<Range<usize>>) {
        let id = self.tree.nodes.len();
        let (parent, role) = match self.open.last_mut() {
            None => (None, Role::Root),
            Some(open) => {
                let role = if !open.mapping {
                    open.items += 1;
                    Role::Item(open.items - 1)
                } else if let Some(key) = open.key.take() {
                    Role::Value(key)
                } else {
                    open.key = Some(id);
                    Role::Key
                };
                (Some(open.node), role)
            }
        };
        let mut node = Node::new(&Located {
            kind,
            range,
            after: self.after,
            parent,
            role,
            tag,
        });
        node.set_next(id + 1);
        self.tree.nodes.push(node);
    }
}
