//! References that were encoded before landfall saw them.

mod case;
mod property;

pub use property::found_and_nothing_else;
