//! `cargo xtask fields`: writes the table of Kubernetes' field types, using a separate
//! program (`xtask/fields`).

use anyhow::{Result, bail};

use crate::process::{cargo, quiet, run as run_program};
use crate::workspace::Workspace;

/// Writes the table.
///
/// # Errors
/// The program cannot be built, or it fails.
pub(crate) fn run(arguments: &[String]) -> Result<()> {
    if let Some(argument) = arguments.first() {
        bail!("`{argument}` is not understood: usage: cargo xtask fields");
    }
    run_program(
        cargo(&Workspace::current()?)
            .arg("run")
            .args(quiet())
            .args(["--package", "landfall-fields"]),
    )
}
