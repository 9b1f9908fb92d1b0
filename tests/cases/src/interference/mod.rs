//! Manifests that are rendered twice, with two sensitive values.

mod case;
mod compare;

pub use case::Case;
pub use compare::{Outcome, compare};
