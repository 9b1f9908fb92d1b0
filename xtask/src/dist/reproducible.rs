//! `cargo xtask dist --check-reproducible`: the guests have the same bytes wherever they
//! are built. They are built in the usual folder, and once more from a copy of the
//! sources in another folder, without anything compiled before.
//!
//! The core modules are compared: everything made from them (`landfall.component.wasm`,
//! the browser's package) is a function of their bytes, and `sandbox/tests/component.rs`
//! compiles the component again to the same `.cwasm`.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use super::wasm_toolchain::{self, Toolchain};
use super::{browser, files, guest, wasi};
use crate::process::{read, step};
use crate::workspace::Workspace;

/// Builds the guests twice and compares them.
///
/// # Errors
/// A build fails, or a module differs in the other folder.
pub(super) fn check(workspace: &Workspace) -> Result<()> {
    let toolchain = wasm_toolchain::find(workspace)?;
    // Its path has a different length, too.
    let folder = workspace.target.join("built-elsewhere");
    let elsewhere = copy(workspace, &folder)?;
    let copied = step("dist: the guests elsewhere", || {
        build(&elsewhere, toolchain)
    })?;
    // Last: `cargo xtask test` starts this beside its own build of them, which then is done.
    let original = step("dist: the guests here", || build(workspace, toolchain))?;
    for (original, copied) in original.iter().zip(&copied) {
        compare(original, copied)?;
    }
    fs::remove_dir_all(&folder).with_context(|| format!("removing {}", folder.display()))
}

fn compare(original: &Path, copied: &Path) -> Result<()> {
    let (sum, other) = (files::sum(original)?, files::sum(copied)?);
    let (original, copied) = (original.display(), copied.display());
    if sum != other {
        bail!(
            "the same sources have other bytes in another folder:\n{sum}  {original}\n{other}  {copied}"
        );
    }
    eprintln!("{sum}  {original}: the same bytes in both folders");
    Ok(())
}

/// Builds the core modules of the component and of the browser's package, and the WASI command.
fn build(workspace: &Workspace, toolchain: Toolchain) -> Result<[PathBuf; 4]> {
    let [browser, tools] = browser::build(workspace, toolchain)?;
    Ok([
        guest::build(workspace, toolchain)?,
        browser,
        tools,
        wasi::build(workspace, toolchain)?,
    ])
}

/// Copies the sources, every file that Git tracks or would add, into another workspace.
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
        // A removed file is still listed until that is committed.
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
    fn reports_both_files_if_a_byte_differs() {
        let folder = std::env::temp_dir().join(format!("landfall-xtask-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let [original, same, other] = ["original", "same", "other"].map(|name| folder.join(name));
        for (path, content) in [(&original, "a"), (&same, "a"), (&other, "b")] {
            fs::write(path, content).unwrap();
        }
        compare(&original, &same).unwrap();
        let error = compare(&original, &other).unwrap_err().to_string();
        for path in [&original, &other] {
            assert!(error.contains(&path.display().to_string()), "{error}");
        }
        fs::remove_dir_all(&folder).unwrap();
    }
}
