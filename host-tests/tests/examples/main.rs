//! The READMEs of examples, pasted into a shell: each `sh` block is run in a copy of the
//! example, in a Git repository, one after the other. Its standard output and standard error
//! are the `text` block after it, or empty.
//!
//! `UPDATE=1 cargo test -p landfall-host-tests --test examples` rewrites the `text` blocks.
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

// `#[test]`: without the command, a test is ignored.
#[macro_use]
extern crate landfall_test_needs;

mod readme;

use landfall_host_tests::program::tool;

use readme::check;

#[test(tools)]
fn kustomize() {
    let Some(kustomize) = tool("kustomize") else {
        return;
    };
    check("kustomize", &[kustomize]);
}
