//! `cargo xtask dist`: everything that is given to users, into `dist/`.

mod component;
mod files;
mod flags;
mod guest;
mod host;
mod wasm_toolchain;

use anyhow::{Context, Result, bail};

use crate::process::step;
use crate::workspace::Workspace;

/// The module as others run it.
pub(crate) const COMPONENT: &str = "landfall.component.wasm";
/// The module compiled ahead of time for this machine's architecture.
pub(crate) const PRECOMPILED: &str = "landfall.component.cwasm";
/// The command, with the module inside.
pub(crate) const COMMAND: &str = if cfg!(windows) {
    "landfall.exe"
} else {
    "landfall"
};

/// What `SHA256SUMS` lists, in its order.
const ARTIFACTS: &[&str] = &[COMMAND, PRECOMPILED, COMPONENT];

/// Builds all artifacts. What has not changed is not made again.
///
/// # Errors
/// No way to compile WebAssembly on this machine, or a build that fails.
pub(crate) fn run(arguments: &[String]) -> Result<()> {
    if let Some(argument) = arguments.first() {
        bail!("`{argument}` is not understood: usage: cargo xtask dist");
    }
    let workspace = Workspace::here()?;
    std::fs::create_dir_all(&workspace.dist).context("making dist/")?;
    let toolchain = wasm_toolchain::find(&workspace)?;
    let core = step("dist: the guest", || guest::build(&workspace, &toolchain))?;
    step("dist: the component", || component::make(&workspace, &core))?;
    step("dist: the command", || host::build(&workspace))?;
    files::write_sums(&workspace.dist, ARTIFACTS)?;
    for name in ARTIFACTS {
        let path = workspace.dist.join(name);
        let bytes = std::fs::metadata(&path)
            .with_context(|| format!("looking at {}", path.display()))?
            .len();
        eprintln!("{:>12} bytes  {}", bytes, workspace.shown(&path));
    }
    Ok(())
}
