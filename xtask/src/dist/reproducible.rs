//! `cargo xtask dist --check-reproducible`: the guests have the same bytes wherever they
//! are built. They are built where everything is, and once more from a copy of the
//! sources in another folder, with nothing compiled before.
//!
//! The core modules are compared: what is made of them (`landfall.component.wasm`, the
//! browser's package) is a function of their bytes, and
//! `sandbox/tests/component.rs` compiles the component again to the same `.cwasm`.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use super::guest::{self, Goal};
use super::wasm_toolchain::{self, Toolchain};
use super::{browser, files};
use crate::process::{read, step};
use crate::workspace::Workspace;

/// Builds both guests twice and compares them.
///
/// # Errors
/// A build fails, or a module has other bytes in the other folder.
pub(super) fn check(workspace: &Workspace) -> Result<()> {
    let toolchain = wasm_toolchain::find(workspace)?;
    let here = step("dist: the guests here", || build(workspace, &toolchain))?;
    // A path of another length, too.
    let folder = workspace.target.join("built-elsewhere");
    let elsewhere = copy(workspace, &folder)?;
    let there = step("dist: the guests elsewhere", || {
        build(&elsewhere, &toolchain)
    })?;
    for (here, there) in here.iter().zip(&there) {
        compare(here, there)?;
    }
    fs::remove_dir_all(&folder).with_context(|| format!("removing {}", folder.display()))
}

fn compare(here: &Path, there: &Path) -> Result<()> {
    let (sum, other) = (files::sum(here)?, files::sum(there)?);
    let (here, there) = (here.display(), there.display());
    if sum != other {
        bail!(
            "the same sources have other bytes in another folder:\n{sum}  {here}\n{other}  {there}"
        );
    }
    eprintln!("{sum}  {here}: the same bytes in both folders");
    Ok(())
}

/// The core modules of the component and of the browser's package.
fn build(workspace: &Workspace, toolchain: &Toolchain) -> Result<[PathBuf; 2]> {
    Ok([
        guest::build(workspace, toolchain, Goal::Speed)?,
        browser::build(workspace, toolchain)?,
    ])
}

/// The workspace of a copy of the sources: every file that Git has or would take.
fn copy(workspace: &Workspace, folder: &Path) -> Result<Workspace> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            return Err(error).with_context(|| format!("removing {}", folder.display()));
        }
        _ => {}
    }
    let root = folder.join("landfall");
    let listed = read(
        Command::new("git")
            .args([
                "ls-files",
                "-z",
                "--cached",
                "--others",
                "--exclude-standard",
            ])
            .current_dir(&workspace.root),
    )?;
    for path in listed.split('\0').filter(|path| !path.is_empty()) {
        let (from, to) = (workspace.root.join(path), root.join(path));
        // One that was removed and is not committed yet is still listed.
        if !from.is_file() {
            continue;
        }
        let parent = to.parent().context("a file has a folder")?;
        fs::create_dir_all(parent).with_context(|| format!("making {}", parent.display()))?;
        fs::copy(&from, &to).with_context(|| format!("copying {}", from.display()))?;
    }
    Ok(Workspace {
        target: root.join("target"),
        dist: root.join("dist"),
        root,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_byte_fails_the_check_and_both_files_are_named() {
        let folder = std::env::temp_dir().join(format!("landfall-xtask-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let [here, same, other] = ["here", "same", "other"].map(|name| folder.join(name));
        for (path, content) in [(&here, "a"), (&same, "a"), (&other, "b")] {
            fs::write(path, content).unwrap();
        }
        compare(&here, &same).unwrap();
        let error = compare(&here, &other).unwrap_err().to_string();
        for path in [&here, &other] {
            assert!(error.contains(&path.display().to_string()), "{error}");
        }
        fs::remove_dir_all(&folder).unwrap();
    }
}
