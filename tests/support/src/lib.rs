//! What the tests of every crate share.
//!
//! - [`skip`]: a test that this machine cannot run says so and is counted, so that no
//!   test passes by doing nothing
//! - [`exemptions`]: what may be skipped where `CI=true`, and why
//!
//! `xtask` depends on this crate too (`cargo xtask test` counts and judges), so
//! it has no dependencies of its own.
#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "tests read the environment and write to stderr; the lints guard the plugin"
)]
#![allow(clippy::panic, reason = "a panic is a failed test")]

pub mod exemptions;
pub mod skip;
