//! Operations on the nodes of a tree. Each returns [`Edit`]s of the original bytes:
//! nothing else changes, and every YAML reader reads the same afterwards.

mod append;
mod collection;
mod data;
mod misfit;
mod ordinary;
mod parts;
mod remove;
mod replace;
mod splice;
mod spread;
mod value;
mod written;

pub use collection::{block, flow};
pub use data::{Data, DataType, Shape, Text};
pub use misfit::{Misfit, TextHolder, Why};
pub use parts::{Part, has_long_key};
pub use remove::{NotRemoved, remove_members};
pub use splice::{Edit, SpliceError, splice};
pub use value::Value;
pub use written::{Written, resolve};

use crate::scalar::{Context, Decoded, decode, decode_flow};
use crate::tree::{Kind, Node, NodeId, Role, Style, Tree};

/// One node with everything that determines how it may be written.
#[derive(Debug)]
pub struct NodeEditor<'a> {
    /// The original text. The tree may have been located with parts of it masked.
    pub source: &'a str,
    /// Its tree.
    pub tree: &'a Tree,
    /// The node.
    pub id: NodeId,
    /// The node as [`decode_node`] returns it.
    pub decoded: &'a Decoded<'a>,
    /// Whether the document is JSON, and must stay JSON.
    pub json: bool,
}

/// Decodes any node for a [`NodeEditor`]: the text of a scalar, an alias as written, for a
/// collection the empty range where it begins. Returns `None` for a block scalar that
/// doesn't match the tree.
#[must_use]
pub fn decode_node<'s>(source: &'s str, tree: &Tree, id: NodeId) -> Option<Decoded<'s>> {
    let range = tree[id].range();
    match tree[id].kind() {
        Kind::Scalar { .. } => decode(source, tree, id),
        Kind::Alias(_) => decode_flow(source, range, Style::Plain),
        Kind::Sequence { .. } | Kind::Mapping { .. } => {
            decode_flow(source, range.start..range.start, Style::Plain)
        }
    }
}

impl NodeEditor<'_> {
    /// Gives the node a value of any type. Its anchor and its tag stay, and so do its quotes
    /// or the style of its block if they can hold that very string.
    ///
    /// # Errors
    /// As for [`replace`](Self::replace).
    pub fn set<D: Data>(&self, value: &D) -> Result<Vec<Edit>, Misfit> {
        let keeps_style = match value.shape() {
            Shape::String(text) if self.style().is_block() => self.chomps_to(text),
            Shape::String(_) => true,
            _ => !self.is_quoted() && !self.is_block(),
        };
        if !keeps_style {
            if has_long_key(value) {
                return Err(Misfit::of(Why::LongKey));
            }
            return Ok(self.replace_with(flow(value, self.context())));
        }
        let all = 0..self.decoded.text.len();
        self.replace(&[Part {
            raw: self.decoded.raw_range(&all),
            decoded: all,
            value: Some(value),
        }])
    }

    /// Returns whether a string is what is left of it with the trailing line breaks of this
    /// block scalar.
    fn chomps_to(&self, text: &str) -> bool {
        let own = &self.decoded.text;
        let breaks = &own[own.trim_end_matches('\n').len()..];
        let written = format!("{}{breaks}", text.trim_end_matches('\n'));
        self.decoded.chomped(&written) == text && breaks.len() < own.len()
    }

    fn node(&self) -> &Node {
        &self.tree[self.id]
    }

    fn style(&self) -> Style {
        self.node().style().unwrap_or(Style::Plain)
    }

    pub(crate) fn is_key(&self) -> bool {
        self.node().role() == Role::Key
    }

    pub(crate) fn context(&self) -> Context {
        Context {
            flow: self.tree.in_flow(self.id),
            json: self.json,
        }
    }

    /// Returns the scalar's tag if it is one of YAML's own: `str` for `!!str`,
    /// `!<tag:yaml.org,2002:str>` and `!`.
    #[must_use]
    pub fn core_tag(&self) -> Option<&str> {
        let tag = self.source.get(self.node().tag()?)?;
        match tag.strip_prefix("!<tag:yaml.org,2002:") {
            _ if tag == "!" => Some("str"),
            Some(verbatim) => verbatim.strip_suffix('>'),
            None => tag.strip_prefix("!!"),
        }
    }

    /// Returns whether the node is a plain scalar without a tag.
    #[must_use]
    pub fn is_plain(&self) -> bool {
        self.node().style() == Some(Style::Plain) && self.node().tag().is_none()
    }

    /// Returns whether the node is a value in quotes, without a tag.
    #[must_use]
    pub fn is_quoted(&self) -> bool {
        let is_quoted = matches!(self.style(), Style::SingleQuoted | Style::DoubleQuoted);
        is_quoted && !self.is_key() && self.node().tag().is_none()
    }

    /// Returns whether the node is a value in a block scalar, without a tag.
    #[must_use]
    pub fn is_block(&self) -> bool {
        self.style().is_block() && !self.is_key() && self.node().tag().is_none()
    }

    /// Returns whether the written value alone determines the scalar's type: it is not a
    /// key, and the author wrote neither quotes nor a tag.
    #[must_use]
    pub fn is_untyped(&self) -> bool {
        self.style() == Style::Plain && !self.is_key() && self.node().tag().is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::locate::locate;

    #[test]
    fn a_node_says_how_it_is_written() {
        for (source, expected) in [
            ("- x\n", "plain untyped"),
            ("- 'x'\n", "quoted"),
            ("- \"x\"\n", "quoted"),
            ("- |\n  x\n", "block"),
            ("- >-\n  x\n", "block"),
            ("- !t x\n", ""),
            ("- !t 'x'\n", ""),
            ("- !t |\n  x\n", ""),
            ("x: 1\n", "plain"),
            ("'x': 1\n", ""),
            ("- !!x x\n", "x"),
            ("- ! x\n", "str"),
            ("- !<tag:yaml.org,2002:y> x\n", "y"),
        ] {
            let tree = locate(source).unwrap();
            let decoded = decode_node(source, &tree, 1).unwrap();
            let editor = NodeEditor {
                source,
                tree: &tree,
                id: 1,
                decoded: &decoded,
                json: false,
            };
            let said = [
                (editor.is_plain(), "plain"),
                (editor.is_untyped(), "untyped"),
                (editor.is_quoted(), "quoted"),
                (editor.is_block(), "block"),
            ]
            .into_iter()
            .filter(|(is, _)| *is)
            .map(|(_, what)| what);
            let said: Vec<_> = said.chain(editor.core_tag()).collect();
            assert_eq!(said.join(" "), expected, "{source:?}");
        }
    }
}
