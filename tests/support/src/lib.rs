//! What the tests of every crate share.
//!
//! - [`skip`]: a test that this machine cannot run reports it and is counted, so that no
//!   test passes by doing nothing
//! - `landfall_test_needs` (`needs/`): tests that need `dist/` or the corpora are ignored without
//!   them, by the test runner, which is better and possible where the compiler can look for it
//! - [`exemptions`]: what may be skipped where `CI=true`, and why
//! - [`seed`]: the seed of generated cases, and how a run is repeated
//! - `readers`: what other YAML readers read; with the feature `readers`
//! - `property`: how properties are run; with the feature `proptest`
//!
//! `xtask` depends on this crate too (`cargo xtask test` counts the skips and chooses the
//! seed), so without features it has no dependencies.
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
