//! Sets `has_dist` if `cargo xtask dist` has built the command: tests that need it are
//! ignored otherwise (`tests/support/needs`).
#![allow(clippy::disallowed_methods, reason = "a build script looks for a file")]

use std::path::Path;

fn main() {
    println!("cargo::rustc-check-cfg=cfg(has_dist)");
    println!("cargo::rerun-if-changed=build.rs");
    let dist = Path::new(env!("CARGO_MANIFEST_DIR")).join("../dist");
    let command = format!("landfall{}", std::env::consts::EXE_SUFFIX);
    if dist.join(command).is_file() {
        println!("cargo::rustc-cfg=has_dist");
    } else {
        // The folder changes when the command appears.
        println!("cargo::rerun-if-changed={}", dist.display());
    }
}
