//! Field bindings on decoded documents, and an independent model of them.

mod case;
mod model;
mod property;
mod select;

pub use property::{Outcome, does_as_the_model_does};
