//! YAML as located bytes, for programs that change YAML without re-emitting it.
//!
//! A serializer loses comments, quotes and line breaks, and YAML readers disagree about
//! what it writes. This library keeps the original text: it [splits](split()) a stream
//! into documents, [locates](locate()) every node with its bytes, [decodes](decode)
//! scalars with a map back to their bytes, and turns operations on nodes into [`Edit`]s,
//! which [`splice`] applies. What it writes reads back the same in go-yaml v2 and v3,
//! sigs.k8s.io/yaml, PyYAML, libyaml, ruamel.yaml and Node's yaml.
//!
//! | module | from | to |
//! | --- | --- | --- |
//! | `split` | a stream | [`Document`]s |
//! | `locate` | a document | a [`Tree`] of [`Node`]s |
//! | `tree` | a node | its neighbours and tokens |
//! | `scalar` | bytes | text, and back |
//! | `edit` | a node and a value | [`Edit`]s |
//!
//! # Examples
//! Replace one value and keep everything else:
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
mod portability;
mod scalar;
mod span;
mod split;
mod tree;

pub use comment::CommentScan;
pub use edit::{
    Data, DataType, Edit, Misfit, NodeEditor, NotRemoved, Part, Shape, SpliceError, Text,
    TextHolder, Why, Written, block, decode_node, flow, has_long_key, remove_members, resolve,
    splice,
};
pub use line::{BLANKS, Marker, line_break, line_end, line_start, marker};
#[cfg(feature = "count")]
pub use locate::locate_count;
#[cfg(any(test, feature = "compare"))]
pub use locate::{Comparison, compare_parsers, locate_completely, locate_fast};
pub use locate::{LocateError, locate};
pub use mask::masked;
pub use portability::read_differently;
pub use scalar::{
    Chomping, Context, Decoded, decode, decode_flow, double_quoted, is_number, is_ordinary, number,
    number_length, plain_reads_back,
};
pub use span::Span;
pub use split::{Document, split};
pub use tree::{BlockHeader, Kind, Node, NodeId, Role, Style, Tree};
