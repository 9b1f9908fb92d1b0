//! The npm package `landfall`, run by Node: for every example of the documentation, for
//! `examples/` and for texts whose offsets are hard to count, it returns exactly what the
//! core returns natively.
#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "tests start programs and read what those wrote; the lints guard the plugin"
)]
#![allow(
    clippy::panic,
    clippy::unwrap_used,
    reason = "a panic is a failed test"
)]

// `#[test]`: without `dist/`, a test is ignored.
#[macro_use]
extern crate landfall_test_needs;

use landfall_test_cases::pages::{config, notation, outputs, page};

mod cases;
mod package;
mod texts;
