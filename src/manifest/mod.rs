//! YAML with references in it.

mod differently;
mod mask;

pub(crate) use differently::read_differently;
pub(crate) use mask::{Mask, locate, mask_references, mask_shapes};
