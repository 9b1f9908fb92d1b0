//! The npm package `landfall`, run by Node: for every example of the documentation, for
//! `examples/` and for texts that are hard to count in, it answers what the core
//! answers on this machine, to the byte.
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

mod cases;
mod package;
mod texts;

// The reader of the documentation's examples is that of the core's own tests.
#[allow(dead_code, reason = "here nothing is expected of an example")]
#[path = "../../../tests/specs/config.rs"]
mod config;
#[allow(dead_code, reason = "here nothing is expected of an example")]
#[path = "../../../tests/specs/notation.rs"]
mod notation;
#[allow(dead_code, reason = "here nothing is expected of an example")]
#[path = "../../../tests/specs/outputs.rs"]
mod outputs;
#[allow(dead_code, reason = "here nothing is expected of an example")]
#[path = "../../../tests/specs/page.rs"]
mod page;
#[allow(dead_code, reason = "here nothing is expected of an example")]
#[path = "../../../tests/specs/reported.rs"]
mod reported;
