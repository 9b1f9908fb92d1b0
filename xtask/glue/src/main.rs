//! Makes the browser's module and its glue, `landfall_bg.wasm` and `landfall.js`, from the
//! browser's core module: `landfall-glue CORE.wasm FOLDER`. Apart from `xtask/forge`, so that
//! only what needs the browser's package compiles it.

#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "a build tool: it reads and writes files"
)]

use std::env;
use std::ffi::OsString;
use std::path::Path;

use anyhow::{Context, Result, bail};
use wasm_bindgen_cli_support::Bindgen;

fn main() -> Result<()> {
    let arguments: Vec<OsString> = env::args_os().skip(1).collect();
    let [core, folder] = &arguments[..] else {
        bail!("usage: landfall-glue CORE.wasm FOLDER");
    };
    make(core.as_ref(), folder.as_ref())
}

/// Writes both into `folder`.
fn make(core: &Path, folder: &Path) -> Result<()> {
    let mut bindgen = Bindgen::new();
    bindgen
        .web(true)?
        .input_path(core)
        .out_name("landfall")
        // The package has its own types.
        .typescript(false)
        .remove_name_section(true)
        .remove_producers_section(true)
        // After a trap an instance is unusable: the package makes a new one.
        .reset_state_function(true);
    bindgen
        .generate(folder)
        .with_context(|| format!("making the glue of {}", core.display()))
}
