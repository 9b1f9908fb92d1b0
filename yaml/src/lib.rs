#![doc = include_str!("../README.md")]
//!
//! # The precise interface
//! Replace one part of a scalar:
//! ```
//! use landfall_yaml::{NodeEditor, Part, Text, decode_node, locate, splice};
//!
//! let source = "image: 'nginx'   # pinned\nreplicas: 3\n";
//! let tree = locate(source).unwrap();
//! let id = tree.ids().find(|id| tree.text(*id) == Some("nginx")).unwrap();
//! let decoded = decode_node(source, &tree, id).unwrap();
//! let editor = NodeEditor { source, tree: &tree, id, decoded: &decoded, json: false };
//! let part = Part { decoded: 0..5, raw: decoded.raw_range(&(0..5)), value: Some(&Text("it's")) };
//! let edits = editor.replace_parts(&[part]).unwrap();
//! assert_eq!(
//!     splice(source.as_bytes(), &edits).unwrap(),
//!     b"image: 'it''s'   # pinned\nreplicas: 3\n"
//! );
//! ```

#![forbid(unsafe_code)]

mod comment;
mod edit;
mod line;
mod locate;
mod mask;
mod patch;
mod portability;
mod scalar;
mod span;
mod split;
mod tree;

pub use comment::CommentScan;
pub use edit::{
    Data, DataType, Edit, Misfit, NodeEditor, NotRemoved, Part, Shape, SpliceError, Text,
    TextHolder, Value, Why, Written, block, decode_node, flow, has_long_key, remove_members,
    resolve, splice,
};
pub use line::{BLANKS, Marker, line_break, line_end, line_start, marker};
#[cfg(feature = "count")]
pub use locate::locate_count;
#[cfg(any(test, feature = "compare"))]
pub use locate::{Comparison, compare_parsers, locate_completely, locate_fast};
pub use locate::{LocateError, locate};
pub use mask::masked;
pub use patch::{NotPatched, Operation, Patch, PatchError, patch};
pub use portability::read_differently;
pub use scalar::{
    Chomping, Context, Decoded, decode, decode_flow, double_quoted, is_number, is_ordinary, number,
    number_length, plain_reads_back,
};
pub use span::Span;
pub use split::{Document, split};
pub use tree::{BlockHeader, Kind, Node, NodeId, Role, Style, Tree};
