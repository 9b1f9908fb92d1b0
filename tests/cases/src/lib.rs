//! Cases that several tests of the plugin share.
//!
//! The law (`tests/law/`) checks each property on generated cases with proptest, the fuzz
//! targets (`fuzz/`) on whatever libFuzzer tries. The tests of the npm package
//! (`host-tests/tests/node/`) run the examples of [`pages`] that `tests/specs/` checks.
//!
//! - [`choices`]: the decisions from which a case is generated
//! - [`reading`]: what is read in the output, and which of it must not be there
//! - the others: a generator and its property each
#![allow(
    clippy::panic,
    clippy::expect_used,
    clippy::unwrap_used,
    reason = "this library is called by tests alone: a panic is a failed test"
)]

pub mod aliases;
pub mod ceilings;
pub mod choices;
pub mod encoded;
pub mod headers;
pub mod interference;
pub mod pages;
pub mod reading;
pub mod replacements;
pub mod unbound;
