//! The analysis of a source before any value is known: its documents, references and
//! resources.

pub(crate) mod annotation;
pub(crate) mod at;
pub(crate) mod document;
pub(crate) mod emitted;
pub(crate) mod encoded;
pub(crate) mod look_alike;
pub(crate) mod near_miss;
pub(crate) mod resource_check;
pub(crate) mod source;
pub(crate) mod stray;
pub(crate) mod targets;
pub(crate) mod texts;
pub(crate) mod unbound;

pub(crate) use annotation::Disabled;
pub(crate) use encoded::{decoded_kinds, encoded_references, may_hold_encoded};
pub(crate) use look_alike::{diagnostic as look_alike_diagnostic, is_like_setter, look_alike};
pub(crate) use texts::{LocatedTrees, TextKind, View};
