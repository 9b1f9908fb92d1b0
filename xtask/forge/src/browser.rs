//! The browser's module and its glue, `landfall_bg.wasm` and `landfall.js`.

use std::path::Path;

use anyhow::{Context, Result};
use wasm_bindgen_cli_support::Bindgen;

/// Writes both into `folder`.
pub(crate) fn make(core: &Path, folder: &Path) -> Result<()> {
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
