//! Pages of documentation whose examples are tests; `tests/specs/main.rs` describes them.

pub mod config;
pub mod notation;
pub mod outputs;
pub mod page;
pub mod reported;
