//! Scalars: decoding their text, and encoding text so that every YAML reader reads it
//! back.

mod decode;
mod encode;
mod number;
mod ordinary;
mod plain;

pub(crate) use decode::decode_block_whole;
pub use decode::{Chomping, Decoded, decode, decode_flow};
pub use encode::double_quoted;
pub(crate) use encode::{
    is_ascii_text, literal_cannot_hold, push_double_quoted, push_single_quoted,
    single_quotes_can_hold,
};
pub use number::{is_number, number, number_length};
pub use ordinary::is_ordinary;
pub use plain::{Context, plain_reads_back};
