//! The page itself: its packages, the built form, and Vite's server for development.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result};

use super::node;
use crate::dist;
use crate::process::run;
use crate::workspace::Workspace;

/// Where the page's sources are.
pub(super) fn sources(workspace: &Workspace) -> PathBuf {
    workspace.root.join("playground")
}

/// Where the built page is.
pub(super) fn built(workspace: &Workspace) -> PathBuf {
    workspace.dist.join("playground")
}

/// Builds `dist/playground`. The package `dist/browser` is there already.
///
/// # Errors
/// No Node, packages that cannot be fetched, or a page that does not compile.
pub(crate) fn build(workspace: &Workspace) -> Result<()> {
    packages(workspace)?;
    // Without its table of 50 files; what is wrong is still told.
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

/// Fetches the page's packages as its lock file says, when it says something new.
pub(super) fn packages(workspace: &Workspace) -> Result<()> {
    let node = node::find()?;
    let lock = sources(workspace).join("package-lock.json");
    let lock = fs::read_to_string(&lock).with_context(|| format!("reading {}", lock.display()))?;
    // Inside the folder that it speaks of: npm begins by removing that folder.
    let stamp = sources(workspace).join("node_modules/.landfall-stamp");
    let wanted = format!("{node}\n{lock}");
    if fs::read_to_string(&stamp).ok().as_ref() == Some(&wanted) {
        return Ok(());
    }
    // None of these packages needs a script to be installed, so none may run one.
    run(npm(workspace).args(["ci", "--ignore-scripts", "--silent"]))?;
    fs::write(&stamp, wanted).with_context(|| format!("writing {}", stamp.display()))
}

pub(super) fn npm(workspace: &Workspace) -> Command {
    let mut command = node::npm();
    command.current_dir(sources(workspace));
    command
}
