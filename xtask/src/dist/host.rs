//! The command, with the module compiled ahead of time inside it.

use anyhow::Result;

use super::{COMMAND, PRECOMPILED, files};
use crate::process::{cargo, run};
use crate::workspace::Workspace;

/// Builds `dist/landfall`.
pub(super) fn build(workspace: &Workspace) -> Result<()> {
    run(cargo(workspace)
        .args([
            "build",
            "--quiet",
            "--release",
            "--package",
            "landfall-host",
            "--bin",
            "landfall",
        ])
        .env("LANDFALL_MODULE", workspace.dist.join(PRECOMPILED)))?;
    files::install(
        &workspace.target.join("release").join(COMMAND),
        &workspace.dist.join(COMMAND),
    )
}
