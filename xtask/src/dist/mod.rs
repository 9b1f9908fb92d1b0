//! `cargo xtask dist`: builds everything that is distributed to users, into `dist/`.

mod browser;
mod component;
mod files;
mod flags;
mod forge;
mod guest;
mod host;
mod reproducible;
mod wasi;
mod wasm_toolchain;

use std::path::PathBuf;
use std::sync::mpsc::channel;

use anyhow::{Context, Result, bail};

pub(crate) use browser::MODULE as BROWSER_MODULE;
use wasm_toolchain::Toolchain;

use crate::playground::{self, node};
use crate::process::{both, step};
use crate::workspace::Workspace;

/// The module as other hosts run it.
pub(crate) const COMPONENT: &str = "landfall.component.wasm";
/// The module compiled ahead of time for this machine's architecture.
pub(crate) const PRECOMPILED: &str = "landfall.component.cwasm";
/// The command, with the module inside.
pub(crate) const COMMAND: &str = if cfg!(windows) {
    "landfall.exe"
} else {
    "landfall"
};

/// The first entries of `SHA256SUMS`, in order.
const ARTIFACTS: &[&str] = &[COMMAND, PRECOMPILED, COMPONENT];

/// Builds only the command and its parts.
pub(crate) const COMMAND_ALONE: &str = "--command";

/// Builds the guests twice, in two folders, and compares them instead.
pub(crate) const CHECK_REPRODUCIBLE: &str = "--check-reproducible";

/// Builds all artifacts. Unchanged ones are not rebuilt.
///
/// # Errors
/// WebAssembly cannot be compiled on this machine, or a build fails.
pub(crate) fn run(arguments: &[String]) -> Result<()> {
    let workspace = Workspace::current()?;
    let arguments: Vec<_> = arguments.iter().map(String::as_str).collect();
    let is_complete = match arguments[..] {
        [] => true,
        [COMMAND_ALONE] => false,
        [CHECK_REPRODUCIBLE] => return reproducible::check(&workspace),
        _ => bail!(
            "`{}` is not understood: usage: cargo xtask dist [{COMMAND_ALONE} | {CHECK_REPRODUCIBLE}]",
            arguments.join(" ")
        ),
    };
    build(&workspace, is_complete, || {
        step("dist: the command", || host::build(&workspace))
    })?;
    let mut artifacts = ARTIFACTS.to_vec();
    if is_complete {
        artifacts.push(wasi::MODULE);
        artifacts.extend(browser::FILES);
    }
    files::write_sums(&workspace.dist, &artifacts)?;
    for name in artifacts {
        let path = workspace.dist.join(name);
        let bytes = std::fs::metadata(&path)
            .with_context(|| format!("looking at {}", path.display()))?
            .len();
        eprintln!("{:>12} bytes  {}", bytes, workspace.shown(&path));
    }
    Ok(())
}

/// Builds the module, and the command without optimization and with the module inside, and
/// returns the command's path. Its wasmtime is the one that compiled the module, which has
/// other features and flags than that of the distributed command.
///
/// # Errors
/// WebAssembly cannot be compiled on this machine, or a build fails.
pub(crate) fn unoptimized_command(workspace: &Workspace) -> Result<PathBuf> {
    build(workspace, false, || {
        step("dist: the command, unoptimized", || {
            forge::build(workspace, "landfall")
        })
    })
}

/// Builds the component, the command, and the browser's package and page with the WASI command.
fn build<T>(
    workspace: &Workspace,
    is_complete: bool,
    command: impl FnOnce() -> Result<T>,
) -> Result<T> {
    std::fs::create_dir_all(&workspace.dist).context("making dist/")?;
    let toolchain = wasm_toolchain::find(workspace)?;
    let (sender, forge) = channel();
    // At once: most of the time of both guests and of the command is link-time
    // optimization, which uses one core. No two of these builds lock the same folder.
    let ((), built) = both(
        || {
            // Owned here: it ends with a failure, and the other side stops waiting.
            let sender = sender;
            let forge = step("dist: the compiler of WebAssembly", || {
                forge::build(workspace, forge::COMPONENT)
            })?;
            // If the guest does not compile, nobody receives it.
            let _ = sender.send(forge);
            if is_complete {
                package(workspace, toolchain)?;
                page(workspace)?;
                step("dist: the WASI command", || {
                    wasi::make(workspace, toolchain)
                })?;
            }
            Ok(())
        },
        || {
            let core = step("dist: the guest", || guest::build(workspace, toolchain))?;
            let forge = forge
                .recv()
                .context("the compiler of WebAssembly was not built")?;
            step("dist: the component", || {
                component::make(workspace, &core, &forge)
            })?;
            command()
        },
    )?;
    Ok(built)
}

/// Finds a compiler for the guests, or installs one if allowed, so that builds at once don't
/// both install it.
///
/// # Errors
/// There is none.
pub(crate) fn prepare(workspace: &Workspace) -> Result<()> {
    wasm_toolchain::find(workspace).map(drop)
}

/// Builds only `dist/browser`, which the page needs.
pub(crate) fn browser_package(workspace: &Workspace) -> Result<()> {
    package(workspace, wasm_toolchain::find(workspace)?)
}

fn package(workspace: &Workspace, toolchain: Toolchain) -> Result<()> {
    step("dist: the browser's package", || {
        browser::make(workspace, toolchain)
    })
}

/// Builds the page if Node is installed, since nothing else needs Node to be built or
/// tested.
fn page(workspace: &Workspace) -> Result<()> {
    if let Err(error) = node::find() {
        eprintln!("dist: skipped: the page: {error:#}");
        return Ok(());
    }
    step("dist: the page", || playground::build(workspace))
}
