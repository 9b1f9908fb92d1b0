//! What the tests of every crate share.
//!
//! - [`needs`] (`needs/`): tests that need `dist/`, the corpora or a program are ignored without
//!   them, by the test runner
//! - [`skip`]: what a test does not do in full on this machine is reported and counted
//! - [`exemptions`]: what may be skipped where `CI=true`, and why
//! - [`seed`]: the seed of generated cases, and how a run is repeated
//! - `readers`: what other YAML readers read; with the feature `readers`
//! - `property`: how properties are run; with the feature `proptest`
//!
//! `xtask` depends on this crate too (`cargo xtask test` counts the skips and chooses the
//! seed), so without features it has no dependencies but `needs/`.
#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "tests read the environment and write to stderr; the lints guard the plugin"
)]
#![allow(
    clippy::panic,
    clippy::expect_used,
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "this library is called by tests alone: a panic is a failed test"
)]

pub mod exemptions;
#[cfg(feature = "proptest")]
pub mod property;
#[cfg(feature = "readers")]
pub mod readers;
pub mod seed;
pub mod skip;

pub use landfall_test_needs::needs;
