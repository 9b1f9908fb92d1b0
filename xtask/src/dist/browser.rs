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
const BY_HAND: &[&str] = &[
    "index.js",
    "index.d.ts",
    "module.js",
    "package.json",
    "README.md",
    "tools/index.js",
    "tools/index.d.ts",
];

/// Every file of the package, as `SHA256SUMS` lists them.
pub(super) const FILES: &[&str] = &[
    "browser/LICENSE",
    "browser/README.md",
    "browser/index.d.ts",
    "browser/index.js",
    "browser/landfall.js",
    MODULE,
    "browser/module.js",
    "browser/package.json",
    "browser/tools/index.d.ts",
    "browser/tools/index.js",
    "browser/tools/landfall.js",
    "browser/tools/landfall_bg.wasm",
];

/// One of the package's two modules.
struct Module {
    /// Its folder in the package.
    folder: &'static str,
    /// The folder of its core module and its glue.
    made: &'static str,
    /// The features of the guest, as cargo's arguments.
    features: &'static [&'static str],
}

const MODULES: [Module; 2] = [
    Module {
        folder: "",
        made: "browser-glue",
        features: &["--no-default-features"],
    },
    Module {
        folder: "tools",
        made: "browser-tools-glue",
        features: &["--no-default-features", "--features=tools"],
    },
];

/// Builds `dist/browser`.
pub(super) fn make(workspace: &Workspace, toolchain: Toolchain) -> Result<()> {
    let package = workspace.dist.join(FOLDER);
    for module in &MODULES {
        module.make(workspace, toolchain, &package)?;
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

/// Builds both core modules and returns their paths. Their symbols stay, because the glue needs
/// them.
pub(super) fn build(workspace: &Workspace, toolchain: Toolchain) -> Result<[PathBuf; 2]> {
    let [first, tools] = &MODULES;
    Ok([
        first.build(workspace, toolchain)?,
        tools.build(workspace, toolchain)?,
    ])
}

impl Module {
    fn make(&self, workspace: &Workspace, toolchain: Toolchain, package: &Path) -> Result<()> {
        let core = self.build(workspace, toolchain)?;
        let glue = forge::build(workspace, forge::GLUE)?;
        let made = self.folder_of_glue(workspace)?;
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
        let folder = package.join(self.folder);
        fs::create_dir_all(&folder).with_context(|| format!("making {}", folder.display()))?;
        for output in &outputs {
            let name = output.file_name().context("an output has a name")?;
            files::install(output, &folder.join(name))?;
        }
        Ok(())
    }

    /// Builds the core module. It is copied: the next one has the same name in cargo's folder.
    fn build(&self, workspace: &Workspace, toolchain: Toolchain) -> Result<PathBuf> {
        let core =
            guest::build_small(workspace, toolchain, "landfall-browser", self.features, &[])?;
        let copy = self.folder_of_glue(workspace)?.join("core.wasm");
        files::install(&core, &copy)?;
        Ok(copy)
    }

    fn folder_of_glue(&self, workspace: &Workspace) -> Result<PathBuf> {
        let made = guest::folder(workspace).join(self.made);
        fs::create_dir_all(&made).with_context(|| format!("making {}", made.display()))?;
        Ok(made)
    }
}

fn read(path: &Path) -> Result<String> {
    fs::read_to_string(path).with_context(|| format!("reading {}", path.display()))
}
