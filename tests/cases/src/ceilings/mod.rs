//! Policies under a ceiling, and operator's policies that two YAML readers read differently.

mod case;
mod hostile;
mod property;

pub use property::{read_alike, within_the_ceiling};
