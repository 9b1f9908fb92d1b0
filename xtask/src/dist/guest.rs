//! The guest: the plugin as a core WebAssembly module, built reproducibly bit for bit.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Result;

use super::flags::Flags;
use super::wasm_toolchain::{TARGET, Toolchain};
use crate::process::{quiet, read, run};
use crate::workspace::Workspace;

/// Returns the build folder. Separate from everything else: it may be built by another version
/// of cargo, and its lock then never waits for a build of the host.
pub(super) fn folder(workspace: &Workspace) -> PathBuf {
    workspace.target.join("wasm")
}

/// Builds the core module and returns its path.
pub(super) fn build(workspace: &Workspace, toolchain: Toolchain) -> Result<PathBuf> {
    let target = folder(workspace);
    let mut flags = flags(workspace, toolchain)?;
    // The linker reserves five bytes for each index: this uses as many as needed.
    flags.push("-Clink-arg=--compress-relocations");
    // cargo (1.96) ignores the profile's `strip` for a package with its own level.
    flags.push("-Cstrip=symbols");
    let mut cargo = toolchain.cargo(workspace);
    cargo
        .args(["build", "--locked"])
        .args(quiet())
        .args(["--package", "landfall-component", "--profile", "wasm"])
        .args(["--target", TARGET])
        .args(toolchain.arguments())
        .env("CARGO_TARGET_DIR", &target)
        .env(Flags::VARIABLE, flags.encoded());
    run(&mut cargo)?;
    Ok(target
        .join(TARGET)
        .join("wasm")
        .join("landfall_component.wasm"))
}

/// Builds the core module of a package for size, and returns its path. `features` are
/// cargo's arguments for them; `rustc_flags` are those of the package itself, so that what it depends on is compiled once for all such packages.
pub(super) fn build_small(
    workspace: &Workspace,
    toolchain: Toolchain,
    package: &str,
    features: &[&str],
    rustc_flags: &[&str],
) -> Result<PathBuf> {
    let target = folder(workspace);
    let flags = flags(workspace, toolchain)?;
    let mut cargo = toolchain.cargo(workspace);
    cargo
        .args(["rustc", "--locked"])
        .args(quiet())
        .args(["--package", package, "--lib"])
        .args(features)
        .args(["--crate-type", "cdylib"])
        .args(["--profile", "browser", "--target", TARGET])
        .args(toolchain.arguments())
        .arg("--")
        .args(rustc_flags)
        .env("CARGO_TARGET_DIR", &target)
        .env(Flags::VARIABLE, flags.encoded());
    run(&mut cargo)?;
    let name = format!("{}.wasm", package.replace('-', "_"));
    Ok(target.join(TARGET).join("browser").join(name))
}

/// Returns the flags of every guest.
pub(super) fn flags(workspace: &Workspace, toolchain: Toolchain) -> Result<Flags> {
    let mut flags = Flags::default();
    flags.push("-Ctarget-feature=+simd128");
    for flag in toolchain.flags_for_size() {
        flags.push(*flag);
    }
    flags.rename_folders(workspace)?;
    let sysroot = read(toolchain.rustc().args(["--print", "sysroot"]))?;
    let std_sources = Path::new(&sysroot).join("lib/rustlib/src/rust");
    // A symlink on Debian: the compiler may see either path.
    if let Ok(real) = fs::canonicalize(&std_sources) {
        flags.rename(real, "/rust");
    }
    flags.rename(std_sources, "/rust");
    Ok(flags)
}
