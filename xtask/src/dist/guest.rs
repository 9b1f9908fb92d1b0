//! The guest: the plugin as a core WebAssembly module, reproducible bit for bit.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Result;

use super::flags::Flags;
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
        .args(["build", "--quiet", "--locked"])
        .args(["--package", "landfall-component", "--profile", "wasm"])
        .args(["--target", TARGET])
        .args(toolchain.arguments())
        .env("CARGO_TARGET_DIR", &target)
        .env(Flags::VARIABLE, flags(workspace, toolchain)?.encoded());
    run(&mut cargo)?;
    Ok(target
        .join(TARGET)
        .join("wasm")
        .join("landfall_component.wasm"))
}

fn flags(workspace: &Workspace, toolchain: &Toolchain) -> Result<Flags> {
    let mut flags = Flags::default();
    flags.push("-Ctarget-feature=+simd128");
    flags.rename_folders(workspace)?;
    let sysroot = read(toolchain.rustc().args(["--print", "sysroot"]))?;
    let std_sources = Path::new(&sysroot).join("lib/rustlib/src/rust");
    // A link on Debian: the compiler may see either path.
    if let Ok(real) = fs::canonicalize(&std_sources) {
        flags.rename(real, "/rust");
    }
    flags.rename(std_sources, "/rust");
    Ok(flags)
}
