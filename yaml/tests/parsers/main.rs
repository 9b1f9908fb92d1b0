//! The fast parser against the complete one: the same tree in every field, or no tree.

#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "tests read files, and fail where they cannot go on"
)]

mod corpora;
mod mutated;
mod mutation;
mod traps;
