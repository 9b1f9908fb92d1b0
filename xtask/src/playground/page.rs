//! The page itself: its packages, the built form, and Vite's server for development.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result};

use super::node;
use crate::dist;
use crate::process::run;
use crate::workspace::Workspace;

/// Returns the folder of the page's sources.
pub(super) fn sources(workspace: &Workspace) -> PathBuf {
    workspace.root.join("playground")
}

/// Returns the folder of the built page.
pub(super) fn built(workspace: &Workspace) -> PathBuf {
    workspace.dist.join("playground")
}

/// Builds `dist/playground`. The package `dist/browser` must exist.
///
/// # Errors
/// Node is missing, packages cannot be fetched, or the page does not compile.
pub(crate) fn build(workspace: &Workspace) -> Result<()> {
    packages(workspace)?;
    // Without its table of 50 files; problems are still reported.
    run(npm(workspace).args(["run", "--silent", "build", "--", "--logLevel=warn"]))
}

/// Serves the page on this machine until it is stopped.
pub(super) fn serve(workspace: &Workspace) -> Result<()> {
    node::find()?;
    if !workspace.dist.join(dist::BROWSER_MODULE).is_file() {
        dist::browser_package(workspace)?;
    }
    packages(workspace)?;
    run(npm(workspace).args(["run", "--silent", "dev"]))
}

/// Installs the page's packages from its lock file, if that has changed.
pub(super) fn packages(workspace: &Workspace) -> Result<()> {
    let node = node::find()?;
    let lock = sources(workspace).join("package-lock.json");
    let lock = fs::read_to_string(&lock).with_context(|| format!("reading {}", lock.display()))?;
    // Inside the folder that it describes: npm begins by removing that folder.
    let stamp = sources(workspace).join("node_modules/.landfall-stamp");
    let wanted = format!("{node}\n{lock}");
    if fs::read_to_string(&stamp).ok().as_ref() == Some(&wanted) {
        return Ok(());
    }
    // None of these packages needs an install script, so none may run one.
    run(npm(workspace).args(["ci", "--ignore-scripts", "--silent"]))?;
    fs::write(&stamp, wanted).with_context(|| format!("writing {}", stamp.display()))
}

pub(super) fn npm(workspace: &Workspace) -> Command {
    let mut command = node::npm();
    command.current_dir(sources(workspace));
    command
}
