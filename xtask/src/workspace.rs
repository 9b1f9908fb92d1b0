//! The folders of the workspace.

use std::env;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

/// The folders of this checkout.
#[derive(Clone, Debug)]
pub(crate) struct Workspace {
    /// The repository.
    pub(crate) root: PathBuf,
    /// Cargo's target folder.
    pub(crate) target: PathBuf,
    /// Built artifacts.
    pub(crate) dist: PathBuf,
}

impl Workspace {
    /// Returns the checkout for which this program was started.
    pub(crate) fn current() -> Result<Self> {
        // Cargo sets it when it runs a program; the compiled-in one may belong to another
        // checkout that shares the target folder.
        let manifest = env::var_os("CARGO_MANIFEST_DIR");
        let manifest =
            manifest.map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
        let root = manifest
            .parent()
            .context("xtask/ has no parent folder")?
            .to_path_buf();
        // Derived from the path of this program: that is right however the target folder
        // was chosen, by variable, flag or configuration.
        let program = env::current_exe().context("finding this program")?;
        let target = program
            .ancestors()
            .nth(2)
            .context("this program lies in no target folder")?
            .to_path_buf();
        let dist = root.join("dist");
        Ok(Self { root, target, dist })
    }

    /// Returns a path for messages: relative to the repository if it is inside.
    pub(crate) fn shown<'a>(&self, path: &'a Path) -> std::path::Display<'a> {
        path.strip_prefix(&self.root).unwrap_or(path).display()
    }
}
