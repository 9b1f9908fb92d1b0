//! Compiler flags of release builds.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result, bail};

use crate::workspace::Workspace;

/// Flags as cargo takes them in `CARGO_ENCODED_RUSTFLAGS`, which allows for spaces
/// in paths.
#[derive(Debug, Default)]
pub(super) struct Flags(OsString);

impl Flags {
    /// The variable through which they are passed.
    pub(super) const VARIABLE: &'static str = "CARGO_ENCODED_RUSTFLAGS";

    pub(super) fn push(&mut self, flag: impl Into<OsString>) {
        if !self.0.is_empty() {
            self.0.push("\x1f");
        }
        self.0.push(flag.into());
    }

    /// Panic messages contain paths of sources: these names replace folders, so that an
    /// artifact has the same bytes wherever it was built, and does not reveal where.
    pub(super) fn rename(&mut self, folder: PathBuf, name: &str) {
        let mut flag = OsString::from("--remap-path-prefix=");
        flag.push(folder);
        flag.push("=");
        flag.push(name);
        self.push(flag);
    }

    /// Renames the folders common to every build.
    pub(super) fn rename_folders(&mut self, workspace: &Workspace) -> Result<()> {
        self.rename(workspace.root.clone(), "/landfall");
        self.rename(workspace.target.clone(), "/target");
        for registry in registries()? {
            self.rename(registry, "/registry");
        }
        Ok(())
    }

    pub(super) fn encoded(&self) -> &OsString {
        &self.0
    }
}

/// Returns the folders of cargo's home that have sources, one for each registry. They
/// exist: this program was compiled from one of them.
fn registries() -> Result<Vec<PathBuf>> {
    let home = env::var_os("CARGO_HOME")
        .map(PathBuf::from)
        .or_else(|| Some(env::home_dir()?.join(".cargo")))
        .context("neither CARGO_HOME nor a home folder is set")?;
    let sources = home.join("registry").join("src");
    let mut folders = Vec::new();
    for entry in fs::read_dir(&sources).with_context(|| format!("reading {}", sources.display()))? {
        folders.push(entry?.path());
    }
    if folders.is_empty() {
        bail!("{} holds no registry", sources.display());
    }
    folders.sort();
    Ok(folders)
}
