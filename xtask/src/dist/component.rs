//! The component and its ahead-of-time compiled form, made by `xtask/forge`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use super::guest::Goal;
use super::{COMPONENT, PRECOMPILED, files};
use crate::process::{cargo, quiet, run};
use crate::workspace::Workspace;

/// Makes `dist/landfall.component.{wasm,cwasm}` out of the core module.
pub(super) fn make(workspace: &Workspace, goal: Goal, core: &Path) -> Result<()> {
    // With the features that the whole workspace asks of its dependencies: the
    // tests then find wasmtime compiled already.
    run(cargo(workspace)
        .args(["build", "--workspace", "--bin", "landfall-forge"])
        .args(quiet()))?;
    let forge = workspace
        .target
        .join("debug")
        .join(format!("landfall-forge{}", std::env::consts::EXE_SUFFIX));

    let made = goal.folder(workspace);
    let outputs = [made.join(COMPONENT), made.join(PRECOMPILED)];
    let stamp = Stamp {
        path: made.join("component.stamp"),
        forge: &forge,
        core,
        outputs: &outputs,
    };
    if !stamp.is_current()? {
        run(Command::new(&forge).arg(core).args(&outputs))?;
        stamp.write()?;
    }
    let [component, precompiled] = &outputs;
    files::install(component, &workspace.dist.join(COMPONENT))?;
    files::install(precompiled, &workspace.dist.join(PRECOMPILED))
}

/// Remembers what the outputs were made of and by what.
struct Stamp<'a> {
    path: PathBuf,
    forge: &'a Path,
    core: &'a Path,
    outputs: &'a [PathBuf],
}

impl Stamp<'_> {
    fn is_current(&self) -> Result<bool> {
        if !self.outputs.iter().all(|path| path.is_file()) {
            return Ok(false);
        }
        Ok(fs::read_to_string(&self.path).ok() == Some(self.text()?))
    }

    fn write(&self) -> Result<()> {
        fs::write(&self.path, self.text()?)
            .with_context(|| format!("writing {}", self.path.display()))
    }

    fn text(&self) -> Result<String> {
        let mut text = format!("core {}\n", files::sum(self.core)?);
        // By size and time: it holds a compiler, and hashing 60 MB takes longer
        // than what the stamp saves.
        let forge = fs::metadata(self.forge)
            .with_context(|| format!("looking at {}", self.forge.display()))?;
        text.push_str(&format!("forge {} {:?}\n", forge.len(), forge.modified()?));
        for path in self.outputs {
            text.push_str(&format!("{} {}\n", path.display(), files::sum(path)?));
        }
        Ok(text)
    }
}
