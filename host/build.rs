//! Embeds the compiled module: `LANDFALL_MODULE`, or else
//! `dist/landfall.component.cwasm` in the workspace. Without either, the command still
//! compiles, and reports what to run.
#![allow(
    clippy::disallowed_methods,
    reason = "a build script reads the environment and looks for files"
)]

use std::path::{Path, PathBuf};

fn main() {
    println!("cargo::rustc-check-cfg=cfg(embedded_module, has_dist)");
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=LANDFALL_MODULE");

    let dist = Path::new(env!("CARGO_MANIFEST_DIR")).join("../dist");
    let module = std::env::var_os("LANDFALL_MODULE")
        .filter(|path| !path.is_empty())
        .map_or_else(|| dist.join("landfall.component.cwasm"), PathBuf::from);

    match module.canonicalize() {
        Ok(module) => {
            println!("cargo::rerun-if-changed={}", module.display());
            println!(
                "cargo::rustc-env=LANDFALL_EMBEDDED_MODULE={}",
                module.display()
            );
            println!("cargo::rustc-cfg=embedded_module");
            // For tests (tests/support/needs), which have the same name for it everywhere.
            println!("cargo::rustc-cfg=has_dist");
        }
        // If the path did not exist, cargo would run this script and compile the crate
        // every time. The folder also changes when the module appears.
        Err(_) => println!("cargo::rerun-if-changed={}", dist.display()),
    }
}
