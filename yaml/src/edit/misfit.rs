//! Why a value cannot be written somewhere.

use super::DataType;

/// A value that cannot be written at a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Misfit {
    /// The position of the [`Part`](super::Part) whose value it is.
    pub part: usize,
    /// Why the value is not allowed.
    pub why: Why,
}

/// Why a value cannot be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Why {
    /// A list, a map or null where only text is allowed.
    NotText {
        /// The type of the value.
        found: DataType,
        /// What accepts only text.
        holder: TextHolder,
        /// Whether the node has a tag.
        tagged: bool,
    },
    /// The node's tag does not allow the value.
    Tag {
        /// The type of the value.
        found: DataType,
        /// The tag without `!!`.
        tag: String,
    },
    /// A key would have more than 1,024 characters, the most that YAML allows on one line
    /// (1.2.2, 7.4.2).
    LongKey,
    /// There is no position for a value: nothing can be written after the node's colon or
    /// dash.
    NoPosition,
}

/// What accepts only text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextHolder {
    /// A key of a mapping.
    Key,
    /// A quoted scalar that the value would replace as a whole.
    Quotes,
    /// A block scalar.
    Block,
    /// A part of a longer text.
    Part,
}

impl Misfit {
    pub(crate) const fn of(why: Why) -> Self {
        Self { part: 0, why }
    }
}
