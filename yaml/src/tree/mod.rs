//! The tree of one document: every node with its bytes, and navigation between nodes.

mod duplicates;
mod navigate;
mod tokens;

pub use tokens::BlockHeader;
pub(crate) use tokens::dash_between;

use std::ops::{Index, Range};

use crate::scalar::decode;

/// The position of a node in its [`Tree`]: a key comes before its value, a collection
/// before its members.
pub type NodeId = usize;

/// The located nodes of one document, with the text they were located in.
///
/// A tree is immutable and owns its text: it can be cached and shared between threads. A
/// node takes at most 64 bytes.
///
/// # Examples
/// ```
/// let tree = landfall_yaml::locate("a: 1\nb: [x, 'y']\n").unwrap();
/// let texts: Vec<_> = tree.ids().filter_map(|id| tree.text(id)).collect();
/// assert_eq!(texts, ["a", "1", "b", "x", "y"]);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tree {
    pub(crate) source: String,
    pub(crate) nodes: Vec<Node>,
    /// The decoded texts of scalars whose text isn't a slice of the source.
    pub(crate) decoded: String,
    pub(crate) comments: Vec<Range<usize>>,
    pub(crate) cut_off: Vec<Range<usize>>,
    pub(crate) odd_anchor: Option<NodeId>,
}

/// Represents a missing offset or node.
const NONE: u32 = u32::MAX;

/// The longest text that can be located: offsets have 32 bits.
pub(crate) const MAX_LENGTH: usize = NONE as usize - 1;

/// A scalar, an alias or a collection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Node {
    tag_of_kind: KindTag,
    style: Style,
    flow: bool,
    has_anchor: bool,
    tag_of_role: RoleTag,
    /// Indentation, column or alias target.
    number: u32,
    start: u32,
    token_end: u32,
    after: u32,
    end: u32,
    parent: u32,
    role: u32,
    /// The first node after this one and its descendants.
    next: u32,
    tag: [u32; 2],
    /// Bytes of `Tree::decoded`; `NONE` if the text is a slice of the source.
    text: [u32; 2],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum KindTag {
    Scalar,
    Alias,
    Sequence,
    Mapping,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RoleTag {
    Root,
    Key,
    Value,
    Item,
}

/// What a node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Text in one of five styles.
    Scalar {
        /// How it is written.
        style: Style,
        /// The columns before a block scalar's content; 0 for the other styles.
        indent: usize,
    },
    /// `*name`, with the node that it repeats; `None` if the document defines no such
    /// anchor.
    Alias(Option<NodeId>),
    /// A list.
    Sequence {
        /// Whether it is written in brackets.
        flow: bool,
        /// The number of characters before its first byte on that line; 0 in flow.
        column: usize,
    },
    /// A map.
    Mapping {
        /// Whether it is written in braces, or is a single pair inside brackets.
        flow: bool,
        /// The number of characters before its first byte on that line; 0 in flow.
        column: usize,
    },
}

/// How a scalar is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// `text`
    Plain,
    /// `'text'`
    SingleQuoted,
    /// `"text"`
    DoubleQuoted,
    /// `|`
    Literal,
    /// `>`
    Folded,
}

impl Style {
    /// Returns whether this is a block style: the text begins on the line after `|` or
    /// `>`.
    #[must_use]
    pub const fn is_block(self) -> bool {
        matches!(self, Self::Literal | Self::Folded)
    }
}

/// The role of a node in its parent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The root of the document.
    Root,
    /// A key of a mapping.
    Key,
    /// The value of this key.
    Value(NodeId),
    /// An item of a sequence, counted from 0.
    Item(usize),
}

/// Everything that the parser knows about a node when it begins.
pub(crate) struct Located {
    pub(crate) kind: Kind,
    pub(crate) range: Range<usize>,
    pub(crate) after: usize,
    pub(crate) parent: Option<NodeId>,
    pub(crate) role: Role,
    pub(crate) tag: Option<Range<usize>>,
}

/// Offsets are at most [`MAX_LENGTH`], which `locate` has checked.
#[allow(clippy::cast_possible_truncation, reason = "see above")]
const fn narrow(number: usize) -> u32 {
    number as u32
}

impl Node {
    #[inline(always)]
    #[allow(
        clippy::inline_always,
        reason = "called for each node; without it, an eighth of the parser's time"
    )]
    pub(crate) fn new(located: &Located) -> Self {
        let (kind, style, flow, number) = match located.kind {
            Kind::Scalar { style, indent } => (KindTag::Scalar, style, false, narrow(indent)),
            Kind::Alias(target) => {
                let target = target.map_or(NONE, narrow);
                (KindTag::Alias, Style::Plain, false, target)
            }
            Kind::Sequence { flow, column } => {
                (KindTag::Sequence, Style::Plain, flow, narrow(column))
            }
            Kind::Mapping { flow, column } => {
                (KindTag::Mapping, Style::Plain, flow, narrow(column))
            }
        };
        let (tag_of_role, role) = match located.role {
            Role::Root => (RoleTag::Root, 0),
            Role::Key => (RoleTag::Key, 0),
            Role::Value(key) => (RoleTag::Value, narrow(key)),
            Role::Item(index) => (RoleTag::Item, narrow(index)),
        };
        let tag = located.tag.as_ref();
        Self {
            tag_of_kind: kind,
            style,
            flow,
            has_anchor: false,
            tag_of_role,
            number,
            start: narrow(located.range.start),
            token_end: narrow(located.range.end),
            after: narrow(located.after),
            end: narrow(located.range.end),
            parent: located.parent.map_or(NONE, narrow),
            role,
            next: NONE,
            tag: tag.map_or([NONE; 2], |tag| [narrow(tag.start), narrow(tag.end)]),
            text: [NONE; 2],
        }
    }

    pub(crate) const fn set_anchor(&mut self) {
        self.has_anchor = true;
    }

    pub(crate) const fn set_end(&mut self, end: usize, next: NodeId) {
        self.end = narrow(end);
        self.next = narrow(next);
    }

    pub(crate) const fn set_next(&mut self, next: NodeId) {
        self.next = narrow(next);
    }

    pub(crate) fn set_text(&mut self, text: &Range<usize>) {
        self.text = [narrow(text.start), narrow(text.end)];
    }

    /// Returns what the node is.
    #[must_use]
    pub const fn kind(&self) -> Kind {
        match self.tag_of_kind {
            KindTag::Scalar => Kind::Scalar {
                style: self.style,
                indent: self.number as usize,
            },
            KindTag::Alias => Kind::Alias(optional(self.number)),
            KindTag::Sequence => Kind::Sequence {
                flow: self.flow,
                column: self.number as usize,
            },
            KindTag::Mapping => Kind::Mapping {
                flow: self.flow,
                column: self.number as usize,
            },
        }
    }

    /// Returns the node that an alias repeats; `None` for other nodes, and for an alias
    /// without an anchor.
    #[must_use]
    pub const fn alias_target(&self) -> Option<NodeId> {
        match self.tag_of_kind {
            KindTag::Alias => optional(self.number),
            _ => None,
        }
    }

    /// Returns how a scalar is written; `None` for other nodes.
    #[must_use]
    pub const fn style(&self) -> Option<Style> {
        match self.tag_of_kind {
            KindTag::Scalar => Some(self.style),
            _ => None,
        }
    }

    /// Returns the bytes of a scalar with its quotes; for a block scalar only its content,
    /// from after the indentation of its first line that isn't blank. For a collection,
    /// returns the opening bracket, or the empty range where its first member or dash
    /// begins.
    #[must_use]
    pub const fn range(&self) -> Range<usize> {
        self.start as usize..self.token_end as usize
    }

    /// Returns all bytes of the node: for a collection from its first to its last.
    #[must_use]
    pub fn extent(&self) -> Range<usize> {
        self.start as usize..self.end.max(self.token_end) as usize
    }

    /// Returns the end of the last token before this node. Its own anchor and tag come
    /// after that.
    #[must_use]
    pub const fn after(&self) -> usize {
        self.after as usize
    }

    /// Returns the offset after the node's last byte: for a collection, after its closing
    /// bracket or its last member.
    #[must_use]
    pub const fn end(&self) -> usize {
        self.end as usize
    }

    /// Returns the collection that the node is a member of; `None` for the root.
    #[must_use]
    pub const fn parent(&self) -> Option<NodeId> {
        optional(self.parent)
    }

    /// Returns the node's role in its parent.
    #[must_use]
    pub const fn role(&self) -> Role {
        match self.tag_of_role {
            RoleTag::Root => Role::Root,
            RoleTag::Key => Role::Key,
            RoleTag::Value => Role::Value(self.role as usize),
            RoleTag::Item => Role::Item(self.role as usize),
        }
    }

    /// Returns whether an anchor is defined on the node.
    #[must_use]
    pub const fn has_anchor(&self) -> bool {
        self.has_anchor
    }

    /// Returns the bytes of the node's tag, such as `!!str`.
    #[must_use]
    pub const fn tag(&self) -> Option<Range<usize>> {
        match self.tag {
            [NONE, _] => None,
            [start, end] => Some(start as usize..end as usize),
        }
    }
}

const fn optional(number: u32) -> Option<usize> {
    match number {
        NONE => None,
        number => Some(number as usize),
    }
}

impl Index<NodeId> for Tree {
    type Output = Node;

    fn index(&self, id: NodeId) -> &Node {
        &self.nodes[id]
    }
}

impl Tree {
    /// Returns the text that the nodes' offsets refer to.
    #[must_use]
    pub fn source(&self) -> &str {
        &self.source
    }

    /// Returns the decoded text of a scalar, of a block scalar after chomping; `None` for
    /// other nodes.
    #[must_use]
    pub fn text(&self, id: NodeId) -> Option<&str> {
        let (texts, range) = self.text_range(self.nodes.get(id)?)?;
        texts.get(range)
    }

    /// Returns where the text of a scalar is.
    #[inline]
    fn text_range(&self, node: &Node) -> Option<(&str, Range<usize>)> {
        let style = node.style()?;
        Some(match node.text {
            [NONE, _] => {
                let quotes = usize::from(style != Style::Plain);
                let range = node.range();
                let range = range.start + quotes..range.end.checked_sub(quotes)?;
                (&self.source, range)
            }
            [start, end] => (&self.decoded, start as usize..end as usize),
        })
    }

    /// Returns the same tree with other decoded texts for some scalars. Their bytes stay
    /// the same.
    ///
    /// # Examples
    /// ```
    /// let tree = landfall_yaml::locate("kind: x\n").unwrap();
    /// let tree = tree.with_texts([(2, "Pod")]);
    /// assert_eq!(tree.text(2), Some("Pod"));
    /// ```
    #[must_use]
    pub fn with_texts<'t>(&self, texts: impl IntoIterator<Item = (NodeId, &'t str)>) -> Self {
        let mut tree = self.clone();
        for (id, text) in texts {
            tree.set_text(id, text);
        }
        tree
    }

    pub(crate) fn set_text(&mut self, id: NodeId, text: &str) {
        let start = self.decoded.len();
        let fits = start.saturating_add(text.len()) <= MAX_LENGTH;
        if fits && let Some(node) = self.nodes.get_mut(id) {
            self.decoded.push_str(text);
            node.set_text(&(start..start + text.len()));
        }
    }

    /// Returns the tree with the texts of `source`. The text of this tree is `source` with
    /// `masks` overwritten; they are in order.
    ///
    /// # Examples
    /// ```
    /// use landfall_yaml::{locate, masked};
    ///
    /// let source = "[${a}, '${b}''']";
    /// let masks = [1..5, 8..12];
    /// let tree = locate(masked(source, masks.iter())).unwrap();
    /// assert_eq!(tree.text(1), Some("qqqq"));
    /// let tree = tree.unmasked(source, &masks);
    /// assert_eq!((tree.text(1), tree.text(2)), (Some("${a}"), Some("${b}'")));
    /// ```
    #[must_use]
    pub fn unmasked(&self, source: &str, masks: &[Range<usize>]) -> Self {
        let mut tree = Self {
            source: source.to_owned(),
            nodes: self.nodes.clone(),
            decoded: self.decoded.clone(),
            comments: self.comments.clone(),
            cut_off: self.cut_off.clone(),
            odd_anchor: self.odd_anchor,
        };
        let mut masks = masks.iter().peekable();
        for (id, node) in self.nodes() {
            let range = node.range();
            if node.style().is_none() {
                continue;
            }
            while masks.next_if(|mask| mask.end <= range.start).is_some() {}
            if masks.peek().is_some_and(|mask| mask.start < range.end)
                && let Some(decoded) = decode(source, self, id)
            {
                tree.set_text(id, decoded.chomped(&decoded.text));
            }
        }
        tree
    }

    /// Returns the bytes of comments, `#` included, in order: as far as all readers treat
    /// them as comments.
    #[must_use]
    pub fn comments(&self) -> &[Range<usize>] {
        &self.comments
    }

    /// Returns the first node whose anchor has a name that YAML 1.1 does not allow, or
    /// that is already defined: readers differ in which of the two nodes an alias repeats.
    #[must_use]
    pub const fn odd_anchor(&self) -> Option<NodeId> {
        self.odd_anchor
    }

    /// Returns the approximate size of the tree in bytes.
    #[must_use]
    pub fn weight(&self) -> usize {
        let ranges = (self.comments.len() + self.cut_off.len()) * size_of::<Range<usize>>();
        self.source.len() + self.decoded.len() + self.nodes.len() * size_of::<Node>() + ranges
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_document_has_no_children() {
        let tree = crate::locate("# a comment\n").unwrap();
        assert!(tree.is_empty());
        assert_eq!(tree.children(0).next(), None);
        assert_eq!(tree.members(0).next(), None);
        assert_eq!(tree.value_of(0), None);
        assert!(!tree.root_has("a"));
        assert_eq!(tree.text(0), None);
    }

    #[test]
    fn a_weight_counts_texts_nodes_and_comments() {
        let weight = |source: &str| crate::locate(source).unwrap().weight();
        let node = size_of::<Node>();
        assert_eq!(weight("- a\n"), 4 + 2 * node);
        assert_eq!(weight("- a\n- b # c\n# d\n"), 16 + 3 * node + 2 * 16);
        // The text of the scalar is not a slice of the source.
        assert_eq!(weight("- 'a''b'\n"), 9 + 2 * node + 3);
    }

    #[test]
    fn a_node_takes_at_most_64_bytes() {
        assert!(size_of::<Node>() <= 64, "{}", size_of::<Node>());
    }
}
