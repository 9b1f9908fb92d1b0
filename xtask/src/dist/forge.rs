//! `xtask/forge` and `xtask/glue`: the heavy tools, in separate programs.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use super::files;
use crate::process::{cargo, quiet, run};
use crate::workspace::Workspace;

/// The program that makes the component.
pub(super) const COMPONENT: &str = "landfall-forge";
/// The program that makes the browser's glue.
pub(super) const GLUE: &str = "landfall-glue";

/// Builds the program and returns its path.
pub(super) fn build(workspace: &Workspace, program: &str) -> Result<PathBuf> {
    // With the features of the whole workspace, so that the tests find wasmtime already
    // compiled.
    run(cargo(workspace)
        .args(["build", "--workspace", "--bin", program])
        .args(quiet()))?;
    Ok(workspace
        .target
        .join("debug")
        .join(format!("{program}{}", std::env::consts::EXE_SUFFIX)))
}

/// Remembers from what and by which program the outputs were made.
pub(super) struct Stamp<'a> {
    pub(super) path: PathBuf,
    pub(super) program: &'a Path,
    pub(super) core: &'a Path,
    pub(super) outputs: &'a [PathBuf],
}

impl Stamp<'_> {
    pub(super) fn is_current(&self) -> Result<bool> {
        if !self.outputs.iter().all(|path| path.is_file()) {
            return Ok(false);
        }
        Ok(fs::read_to_string(&self.path).ok() == Some(self.text()?))
    }

    pub(super) fn write(&self) -> Result<()> {
        fs::write(&self.path, self.text()?)
            .with_context(|| format!("writing {}", self.path.display()))
    }

    fn text(&self) -> Result<String> {
        let mut text = format!("core {}\n", files::sum(self.core)?);
        // By size and time: the program contains a compiler, and hashing 60 MB takes
        // longer than what the stamp saves.
        let program = fs::metadata(self.program)
            .with_context(|| format!("looking at {}", self.program.display()))?;
        text.push_str(&format!(
            "program {} {:?}\n",
            program.len(),
            program.modified()?
        ));
        for path in self.outputs {
            text.push_str(&format!("{} {}\n", path.display(), files::sum(path)?));
        }
        Ok(text)
    }
}
