//! The WASI command, for runtimes of preview 1.

use std::path::PathBuf;

use anyhow::Result;

use super::wasm_toolchain::Toolchain;
use super::{files, guest};
use crate::workspace::Workspace;

/// The module.
pub(super) const MODULE: &str = "landfall.wasi.wasm";

/// Builds `dist/landfall.wasi.wasm`.
pub(super) fn make(workspace: &Workspace, toolchain: Toolchain) -> Result<()> {
    let core = build(workspace, toolchain)?;
    files::install(&core, &workspace.dist.join(MODULE))
}

/// Builds the module and returns its path.
pub(super) fn build(workspace: &Workspace, toolchain: Toolchain) -> Result<PathBuf> {
    let rustc_flags = ["-Cstrip=symbols", "-Clink-arg=--compress-relocations"];
    guest::build_small(workspace, toolchain, "landfall-wasi", &[], &rustc_flags)
}
