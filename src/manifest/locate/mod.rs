//! Where the scalars of a document stand: the tree of one masked document, every
//! node with its bytes. The one interface behind which YAML is parsed.

pub(crate) mod granit;

use std::borrow::Cow;
use std::ops::Range;

use super::mask::{mask_others, masked};
use granit::Granit;

/// Finds the nodes of one document.
pub(crate) trait Locator {
    /// The tree of `text`, one document with its references masked.
    fn locate<'t>(&self, text: &'t str) -> Result<Tree<'t>, LocateError>;
}

/// The tree of a document with its references masked, also where other people's
/// placeholders are all that YAML stumbles over: then `relaxed` becomes the document
/// with those masked too.
pub(crate) fn locate<'t>(
    scratch: &'t str,
    relaxed: &'t mut String,
) -> Result<Tree<'t>, LocateError> {
    let error = match Granit.locate(scratch) {
        Ok(tree) => return Ok(tree),
        Err(error) => error,
    };
    let others = mask_others(scratch);
    if others.is_empty() {
        return Err(error);
    }
    *relaxed = masked(scratch, others.iter());
    Granit.locate(relaxed).map_err(|_| error)
}

/// Why a document has no tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LocateError {
    /// The byte where the parser gave up.
    pub(crate) at: usize,
    /// What it says, without a place.
    message: String,
    /// Collections are nested more deeply than landfall reads.
    pub(crate) too_deep: bool,
}

impl LocateError {
    /// Says what is wrong with `what`: the file, the document.
    pub(crate) fn described(&self, what: &str) -> String {
        match self.too_deep {
            true => format!(
                "{what} nests lists and mappings more than {} levels deep",
                granit::NESTING_LIMIT
            ),
            false => format!("{what} is not YAML: {}", self.message),
        }
    }

    /// Says what is at the byte where the parser gave up.
    pub(crate) const fn label(&self) -> &'static str {
        match self.too_deep {
            true => "one level too many",
            false => "YAML cannot go on here",
        }
    }
}

/// The nodes of a document in the order of their first bytes; a key stands
/// before its value, a collection before its members.
#[derive(Debug, Default)]
pub(crate) struct Tree<'t> {
    pub(crate) nodes: Vec<Node<'t>>,
    /// Bytes of comments, `#` included, in order: as far as all readers take them for one.
    pub(crate) comments: Vec<Range<usize>>,
    /// What is left of comments with a line break of YAML 1.1, which its readers take for
    /// lines of the document.
    pub(crate) cut_off: Vec<Range<usize>>,
    /// The first node whose anchor has a name that YAML 1.1 does not allow, or that is
    /// defined before: readers differ in which of both an alias repeats.
    pub(crate) odd_anchor: Option<NodeId>,
}

impl Tree<'_> {
    /// The comment that holds byte `at`.
    pub(crate) fn comment_at(&self, at: usize) -> Option<Range<usize>> {
        range_at(&self.comments, at)
    }

    /// Whether byte `at` is in a comment for some readers only.
    pub(crate) fn is_cut_off(&self, at: usize) -> bool {
        range_at(&self.cut_off, at).is_some()
    }
}

fn range_at(ranges: &[Range<usize>], at: usize) -> Option<Range<usize>> {
    let next = ranges.partition_point(|range| range.start <= at);
    let range = ranges.get(next.checked_sub(1)?)?;
    (at < range.end).then(|| range.clone())
}

/// Position of a node in [`Tree::nodes`].
pub(crate) type NodeId = usize;

/// A scalar, alias or collection.
#[derive(Debug)]
pub(crate) struct Node<'t> {
    pub(crate) kind: Kind<'t>,
    /// A scalar's bytes with its quotes; of a block scalar the content only,
    /// from behind the indentation of its first line that is not blank. Of a
    /// collection its opening bracket, or the point where its first member or
    /// dash stands.
    pub(crate) range: Range<usize>,
    /// Where the last token before this node ends, anchors and tags aside.
    pub(crate) after: usize,
    /// Behind its last byte: of a collection its closing bracket, or its last
    /// member.
    pub(crate) end: usize,
    /// The collection that it is a member of; none for the root.
    pub(crate) parent: Option<NodeId>,
    pub(crate) role: Role,
    /// The anchor defined on this node.
    pub(crate) anchor: Option<usize>,
    /// The bytes of its tag: `!!str`.
    pub(crate) tag: Option<Range<usize>>,
}

/// What a node is.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Kind<'t> {
    Scalar {
        style: Style,
        /// The decoded text, masks in it.
        text: Cow<'t, str>,
        /// The columns before a block scalar's content.
        indent: usize,
    },
    /// The anchor it names; none where the document does not define it.
    Alias(Option<usize>),
    /// `column` counts the characters before its first byte on its line; 0 in
    /// flow, where it means nothing.
    Sequence { flow: bool, column: usize },
    /// Likewise.
    Mapping { flow: bool, column: usize },
}

/// How a scalar is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Style {
    Plain,
    SingleQuoted,
    DoubleQuoted,
    Literal,
    Folded,
}

/// What a node is to its parent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    Root,
    Key,
    /// The value of this key.
    Value(NodeId),
    /// Counted from 0.
    Item(usize),
}

impl Tree<'_> {
    /// The decoded text of a scalar, masks in it.
    pub(crate) fn text(&self, id: NodeId) -> Option<&str> {
        match &self.nodes.get(id)?.kind {
            Kind::Scalar { text, .. } => Some(text),
            _ => None,
        }
    }

    /// The members of a collection: a mapping's values, a sequence's items.
    pub(crate) fn members(&self, id: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        let is_inside = move |member: &NodeId| {
            self.nodes[*member]
                .parent
                .is_some_and(|parent| parent >= id)
        };
        let is_member = move |member: &NodeId| {
            let node = &self.nodes[*member];
            node.parent == Some(id) && node.role != Role::Key
        };
        let inside = (id + 1..self.nodes.len()).take_while(is_inside);
        inside.filter(is_member)
    }

    /// Whether the node stands inside a flow collection.
    pub(crate) fn in_flow(&self, id: NodeId) -> bool {
        self.nodes[id].parent.is_some_and(|parent| {
            matches!(
                self.nodes[parent].kind,
                Kind::Sequence { flow: true, .. } | Kind::Mapping { flow: true, .. }
            )
        })
    }

    /// The column where the block collection around the node begins; none at the
    /// root or in flow.
    pub(crate) fn block_column(&self, id: NodeId) -> Option<usize> {
        match self.nodes[self.nodes[id].parent?].kind {
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
}
