//! `cargo xtask dist`: everything that is given to users, into `dist/`.

mod component;
mod files;
mod flags;
mod guest;
mod host;
mod wasm_toolchain;

use anyhow::{Context, Result, bail};

use guest::Goal;

use crate::playground::{self, node};
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

/// Builds the module for size instead, into [`Workspace::dist_for_size`]: to be
/// measured beside the one that users get.
pub(crate) const FOR_SIZE: &str = "--for-size";

/// Builds all artifacts. What has not changed is not made again.
///
/// # Errors
/// No way to compile WebAssembly on this machine, or a build that fails.
pub(crate) fn run(arguments: &[String]) -> Result<()> {
    let mut workspace = Workspace::here()?;
    let mut goal = Goal::Speed;
    for argument in arguments {
        if argument != FOR_SIZE {
            bail!("`{argument}` is not understood: usage: cargo xtask dist [{FOR_SIZE}]");
        }
        goal = Goal::Size;
        workspace.dist = workspace.dist_for_size();
    }
    std::fs::create_dir_all(&workspace.dist).context("making dist/")?;
    let toolchain = wasm_toolchain::find(&workspace)?;
    let core = step("dist: the guest", || {
        guest::build(&workspace, &toolchain, goal)
    })?;
    step("dist: the component", || {
        component::make(&workspace, goal, &core)
    })?;
    step("dist: the command", || host::build(&workspace))?;
    if goal == Goal::Speed {
        page(&workspace)?;
    }
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

/// The page, where Node is: nobody needs it to build or to test the rest.
fn page(workspace: &Workspace) -> Result<()> {
    if let Err(error) = node::find() {
        eprintln!("dist: skipped: the page: {error:#}");
        return Ok(());
    }
    step("dist: the page", || playground::build(workspace))
}
