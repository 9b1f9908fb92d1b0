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

mod cases;
mod package;
mod texts;

// The parser of the documentation's examples is shared with the core's tests.
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
