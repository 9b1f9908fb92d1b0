//! The WASI command, run by wasmtime, Node and Chromium: on every example of the documentation
//! that a ResourceList can carry, it writes what the native command writes.
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
mod runs;
mod runtimes;
