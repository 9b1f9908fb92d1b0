//! The analysis of a source before any value is known: its documents, references and
//! resources.

pub(crate) mod annotation;
pub(crate) mod at;
pub(crate) mod document;
pub(crate) mod encoded;
pub(crate) mod look_alike;
pub(crate) mod resource_check;
pub(crate) mod source;
pub(crate) mod stray;
pub(crate) mod targets;
pub(crate) mod unbound;

pub(crate) use annotation::Disabled;
pub(crate) use encoded::{decoded_kinds, encoded_references, may_hold_encoded};
pub(crate) use look_alike::{look_alike, warning as look_alike_warning};
pub(crate) use unbound::{LocatedTrees, View};
