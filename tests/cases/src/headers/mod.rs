//! Sensitive values in documents whose header YAML readers interpret differently.

mod case;
mod property;

pub use property::leaks_nothing_to_one_reader;
