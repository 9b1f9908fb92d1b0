//! The guest: the plugin as a core WebAssembly module, built reproducibly bit for bit.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Result;

use super::flags::Flags;
use super::wasm_toolchain::{TARGET, Toolchain};
use crate::process::{quiet, read, run};
use crate::workspace::Workspace;

/// What to optimize for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Goal {
    /// As in the profile `wasm`.
    Speed,
    /// The same profile at opt-level "s".
    Size,
}

impl Goal {
    /// Returns the build folder. Separate from everything else: it may be built by
    /// another version of cargo, and its lock then never waits for a build of the host.
    pub(super) fn folder(self, workspace: &Workspace) -> PathBuf {
        workspace.target.join(match self {
            Self::Speed => "wasm",
            Self::Size => "wasm-for-size",
        })
    }

    const fn arguments(self) -> &'static [&'static str] {
        match self {
            Self::Speed => &[],
            Self::Size => &[
                "--config",
                "profile.wasm.opt-level=\"s\"",
                "--config",
                "profile.wasm.package.landfall-component.opt-level=\"s\"",
            ],
        }
    }
}

/// Builds the core module and returns its path.
pub(super) fn build(workspace: &Workspace, toolchain: &Toolchain, goal: Goal) -> Result<PathBuf> {
    let target = goal.folder(workspace);
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
        // Sorting and formatting take a negligible part of a render's time.
        .args(toolchain.arguments_for_size())
        .args(goal.arguments())
        .env("CARGO_TARGET_DIR", &target)
        .env(Flags::VARIABLE, flags.encoded());
    run(&mut cargo)?;
    Ok(target
        .join(TARGET)
        .join("wasm")
        .join("landfall_component.wasm"))
}

/// Returns the flags of every guest.
pub(super) fn flags(workspace: &Workspace, toolchain: &Toolchain) -> Result<Flags> {
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
