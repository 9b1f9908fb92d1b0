//! The npm package `landfall`: the guest for browsers and Node, its glue, and the
//! handwritten files of `guests/browser/js`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use super::wasm_toolchain::Toolchain;
use super::{files, forge, guest};
use crate::process::run;
use crate::workspace::Workspace;

/// The package's folder in `dist/`.
const FOLDER: &str = "browser";
/// The module.
pub(crate) const MODULE: &str = "browser/landfall_bg.wasm";
/// The placeholder for the version in `index.js` and `package.json`.
const VERSION: &str = "@VERSION@";
const DIGEST: &str = "@DIGEST@";

/// The handwritten files.
const BY_HAND: &[&str] = &["index.js", "index.d.ts", "package.json", "README.md"];

/// Every file of the package, as `SHA256SUMS` lists them.
pub(super) const FILES: &[&str] = &[
    "browser/LICENSE",
    "browser/README.md",
    "browser/index.d.ts",
    "browser/index.js",
    "browser/landfall.js",
    MODULE,
    "browser/package.json",
];

/// Builds `dist/browser`.
pub(super) fn make(workspace: &Workspace, toolchain: Toolchain) -> Result<()> {
    let core = build(workspace, toolchain)?;
    let glue = forge::build(workspace, forge::GLUE)?;
    let made = guest::folder(workspace).join("browser-glue");
    fs::create_dir_all(&made).with_context(|| format!("making {}", made.display()))?;
    let outputs = [made.join("landfall_bg.wasm"), made.join("landfall.js")];
    let stamp = forge::Stamp {
        path: made.join("glue.stamp"),
        program: &glue,
        core: &core,
        outputs: &outputs,
    };
    if !stamp.is_current()? {
        run(Command::new(&glue).arg(&core).arg(&made))?;
        stamp.write()?;
    }

    let package = workspace.dist.join(FOLDER);
    fs::create_dir_all(&package).with_context(|| format!("making {}", package.display()))?;
    for output in &outputs {
        let name = output.file_name().context("an output has a name")?;
        files::install(output, &package.join(name))?;
    }
    let digest = files::sum(&package.join("landfall_bg.wasm"))?;
    let by_hand = workspace.root.join("guests/browser/js");
    for name in BY_HAND {
        let text = read(&by_hand.join(name))?
            .replace(VERSION, env!("CARGO_PKG_VERSION"))
            .replace(DIGEST, &digest);
        files::write(text.as_bytes(), &package.join(name))?;
    }
    files::install(&workspace.root.join("LICENSE"), &package.join("LICENSE"))
}

/// Builds the core module and returns its path. Its symbols stay, because the glue needs them.
pub(super) fn build(workspace: &Workspace, toolchain: Toolchain) -> Result<PathBuf> {
    guest::build_small(workspace, toolchain, "landfall-browser", &[])
}

fn read(path: &Path) -> Result<String> {
    fs::read_to_string(path).with_context(|| format!("reading {}", path.display()))
}
