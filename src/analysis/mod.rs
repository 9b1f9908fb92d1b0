//! What a source holds before any value is known: documents, references, the resources
//! around them.

pub(crate) mod annotation;
pub(crate) mod at;
pub(crate) mod document;
pub(crate) mod encoded;
pub(crate) mod look_alike;
pub(crate) mod resource;
pub(crate) mod source;
pub(crate) mod stray;
pub(crate) mod targets;
pub(crate) mod unbound;

pub(crate) use annotation::Disabled;
pub(crate) use encoded::{decoded_kinds, encoded_references, may_hold_encoded};
pub(crate) use look_alike::{look_alike, warning as look_alike_warning};
pub(crate) use unbound::View;
