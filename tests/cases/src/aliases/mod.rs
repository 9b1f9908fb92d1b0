//! Documents full of anchors, aliases and merge keys, with sensitive values in them.

mod case;
mod property;

pub use case::{bound, is_secret, violations};
pub use property::is_right_for_one_reader;
