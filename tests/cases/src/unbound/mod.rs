//! Text that reads as a reference and whose name is not bound, and an independent model of
//! what is reported.

mod case;
mod model;
mod property;
mod text;

pub use property::reported_as_the_model_says;
