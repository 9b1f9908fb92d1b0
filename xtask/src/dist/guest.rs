//! The guest: the plugin as a core WebAssembly module, reproducible bit for bit.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use super::wasm_toolchain::{TARGET, Toolchain};
use crate::process::{read, run};
use crate::workspace::Workspace;

/// Builds the core module and returns its path.
pub(super) fn build(workspace: &Workspace, toolchain: &Toolchain) -> Result<PathBuf> {
    // Apart from everything else: it may be another version of cargo, and its lock
    // then never waits for a build of the host.
    let target = workspace.target.join("wasm");
    let mut cargo = toolchain.cargo(workspace);
    cargo
        .args([
            "build",
            "--quiet",
            "--locked",
            "--package",
            "landfall-component",
            "--profile",
            "wasm",
        ])
        .args(["--target", TARGET])
        .args(toolchain.arguments())
        .env("CARGO_TARGET_DIR", &target)
        .env("CARGO_ENCODED_RUSTFLAGS", flags(workspace, toolchain)?);
    run(&mut cargo)?;
    Ok(target
        .join(TARGET)
        .join("wasm")
        .join("landfall_component.wasm"))
}

/// The compiler's flags, in the encoding that allows for spaces in paths.
fn flags(workspace: &Workspace, toolchain: &Toolchain) -> Result<OsString> {
    let mut flags = OsString::from("-Ctarget-feature=+simd128");
    for (folder, name) in remapped(workspace, toolchain)? {
        flags.push("\x1f--remap-path-prefix=");
        flags.push(folder);
        flags.push("=");
        flags.push(name);
    }
    Ok(flags)
}

/// Folders whose paths panic messages would carry into the module, and the names
/// that stand for them in it.
fn remapped(workspace: &Workspace, toolchain: &Toolchain) -> Result<Vec<(PathBuf, &'static str)>> {
    let mut folders = vec![
        (workspace.root.clone(), "/landfall"),
        (workspace.target.clone(), "/target"),
    ];
    for registry in registries()? {
        folders.push((registry, "/registry"));
    }
    let sysroot = read(toolchain.rustc().args(["--print", "sysroot"]))?;
    let std_sources = Path::new(&sysroot).join("lib/rustlib/src/rust");
    // A link on Debian: the compiler may see either path.
    if let Ok(real) = fs::canonicalize(&std_sources) {
        folders.push((real, "/rust"));
    }
    folders.push((std_sources, "/rust"));
    Ok(folders)
}

/// The folders of cargo's home that hold sources, one for each registry. They
/// exist: this program was compiled from one of them.
fn registries() -> Result<Vec<PathBuf>> {
    let home = env::var_os("CARGO_HOME")
        .map(PathBuf::from)
        .or_else(|| Some(env::home_dir()?.join(".cargo")));
    let sources = home
        .context("neither CARGO_HOME nor a home folder is set")?
        .join("registry")
        .join("src");
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
