//! YAML as bytes: split a stream into documents, mask the references, locate
//! scalars, decode them, and write values into them so that every YAML reader
//! reads the same.

mod collection;
mod comment;
mod decode;
mod differently;
mod encode;
mod locate;
mod mask;
mod plain;
mod splice;
mod split;

pub(crate) use collection::{block, flow, is_block, number};
pub(crate) use comment::CommentScan;
pub(crate) use decode::{Chomping, Decoded, decode, decode_block_text, decode_flow};
pub(crate) use differently::read_differently;
pub(crate) use encode::{
    double_quoted, literal_cannot_hold, push_double_quoted, push_single_quoted,
    single_quotes_can_hold,
};
pub(crate) use locate::{
    Kind, LocateError, Locator, Node, NodeId, Role, Style, Tree, granit::Granit, locate,
};
pub(crate) use mask::{Mask, mask_others, mask_references, mask_shapes, masked};
pub(crate) use plain::{Place, plain_reads_back};
pub use splice::{SpliceError, splice};
pub(crate) use split::{Document, split};

/// What YAML takes for blanks and line breaks. `str::trim` takes more, U+00A0 among
/// them: to YAML these are letters.
pub(crate) const BLANKS: [char; 4] = [' ', '\t', '\n', '\r'];
