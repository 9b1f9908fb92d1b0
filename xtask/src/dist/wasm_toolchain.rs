//! Finds a toolchain that compiles WebAssembly on this machine, and prints each step
//! before taking it: an installed target; `rustup target add`; the packages of the
//! distribution, after asking the user at the terminal; else the commands to run by hand.

use std::env;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Result, bail};

use crate::apt::{self, Packages};
use crate::process::{cargo, read, run, rustc};
use crate::workspace::Workspace;

/// The target of the guest.
pub(super) const TARGET: &str = "wasm32-unknown-unknown";

/// Debian's own toolchain with the sources of std, and a linker for WebAssembly, which
/// that toolchain does not include.
const PACKAGES: Packages = Packages {
    names: &["rustc-web", "cargo-web", "rust-web-src", "lld-22"],
    size: "147 MB to download, 1.2 GB on disk",
};

/// The oldest compiler that this workspace supports: `rust-version` in Cargo.toml.
const MINIMUM_MINOR: u32 = 95;

/// A compiler for the guest.
#[derive(Debug)]
pub(super) enum Toolchain {
    /// The active toolchain, which has the target.
    InUse,
    /// The distribution's toolchain. It has no compiled std for the target, so std is
    /// built from its sources along with the guest.
    Distribution {
        /// `wasm-ld`, under the name that the distribution gives it.
        linker: PathBuf,
    },
}

/// The distribution's programs by their full paths: the ones on PATH may be rustup's.
const CARGO: &str = "/usr/bin/cargo";
const RUSTC: &str = "/usr/bin/rustc";
const RUSTDOC: &str = "/usr/bin/rustdoc";

impl Toolchain {
    /// Returns its cargo, in the repository, in an environment without settings for
    /// another toolchain.
    pub(super) fn cargo(&self, workspace: &Workspace) -> Command {
        let mut command = match self {
            Self::InUse => cargo(workspace),
            Self::Distribution { .. } => Command::new(CARGO),
        };
        command.current_dir(&workspace.root);
        for (name, _) in env::vars_os() {
            if !self.may_pass(&name) {
                command.env_remove(&name);
            }
        }
        if let Self::Distribution { linker } = self {
            command
                .env("RUSTC", RUSTC)
                .env("RUSTDOC", RUSTDOC)
                // Building std is unstable: this allows it with a stable compiler.
                .env("RUSTC_BOOTSTRAP", "1")
                .env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER", linker);
        }
        command
    }

    /// Returns the additional arguments of its `cargo build`.
    pub(super) fn arguments(&self) -> &'static [&'static str] {
        match self {
            Self::InUse => &[],
            Self::Distribution { .. } => &["-Z", "build-std=std,panic_abort"],
        }
    }

    /// Returns flags that make a module small and need an unstable compiler: a panic is a
    /// trap, without a message. The module imports nothing, so it could not print one
    /// anyway.
    pub(super) fn flags_for_size(&self) -> &'static [&'static str] {
        match self {
            Self::InUse => &[],
            Self::Distribution { .. } => &["-Zunstable-options", "-Cpanic=immediate-abort"],
        }
    }

    /// Returns the arguments of its `cargo build` for a small standard library.
    pub(super) fn arguments_for_size(&self) -> &'static [&'static str] {
        match self {
            Self::InUse => &[],
            Self::Distribution { .. } => &["-Z", "build-std-features=optimize_for_size"],
        }
    }

    /// Returns its compiler.
    pub(super) fn rustc(&self) -> Command {
        match self {
            Self::InUse => rustc(),
            Self::Distribution { .. } => Command::new(RUSTC),
        }
    }

    /// Whether cargo may see this variable. Flags, wrappers and profiles from the
    /// environment would change the module's bytes; registry settings and the owner's
    /// restrictions would not.
    fn may_pass(&self, name: &OsStr) -> bool {
        let Some(name) = name.to_str() else {
            return true;
        };
        if !["CARGO", "RUSTC", "RUSTUP", "RUSTDOC", "RUSTFLAGS"]
            .iter()
            .any(|prefix| name.starts_with(prefix))
        {
            return true;
        }
        let harmless = [
            "CARGO_HTTP_",
            "CARGO_NET_",
            "CARGO_REGISTRIES_",
            "CARGO_REGISTRY_",
            "CARGO_SOURCE_",
            "CARGO_TERM_",
        ];
        match name {
            "CARGO_HOME" | "CARGO_BUILD_JOBS" | "RUSTUP_HOME" | "RUSTUP_AUTO_INSTALL" => true,
            "RUSTUP_TOOLCHAIN" | "RUSTC" => matches!(self, Self::InUse),
            name => harmless.iter().any(|prefix| name.starts_with(prefix)),
        }
    }
}

/// Finds a toolchain, installing one if allowed.
///
/// # Errors
/// There is none and none may be installed: the message lists the commands to run.
pub(super) fn find(workspace: &Workspace) -> Result<Toolchain> {
    log(&format!("looking for {TARGET} in the toolchain in use"));
    if in_use_has_target() {
        return Ok(Toolchain::InUse);
    }
    if rustup_may_install() {
        let mut rustup = Command::new("rustup");
        rustup
            .args(["target", "add", TARGET])
            .current_dir(&workspace.root);
        log(&format!(
            "it is not installed: running rustup target add {TARGET}"
        ));
        match run(&mut rustup) {
            Ok(()) if in_use_has_target() => return Ok(Toolchain::InUse),
            Ok(()) => log("rustup installed it for another toolchain than the one in use"),
            Err(error) => log(&format!("{error:#}")),
        }
    }
    log("looking for the distribution's own Rust toolchain");
    if let Some(toolchain) = distribution()? {
        return Ok(toolchain);
    }
    let missing = format!("nothing here compiles {TARGET}");
    match apt::offer("dist", &missing, PACKAGES) {
        Ok(true) => {
            if let Some(toolchain) = distribution()? {
                return Ok(toolchain);
            }
            log("the packages are installed and their compiler is too old for this workspace");
        }
        Ok(false) => {}
        Err(error) => log(&format!("{error:#}")),
    }
    bail!(
        "nothing on this machine compiles {TARGET}. Run either\n    rustup target add {TARGET}\nor, on Debian, as root\n    {}\nand then cargo xtask dist again",
        PACKAGES.commands().join("\n    ")
    );
}

fn log(line: &str) {
    eprintln!("dist: {line}");
}

fn in_use_has_target() -> bool {
    let libraries = read(rustc().args(["--print", "target-libdir", "--target", TARGET]));
    libraries.is_ok_and(|folder| {
        fs::read_dir(folder).is_ok_and(|mut entries| {
            entries.any(|entry| {
                entry.is_ok_and(|entry| entry.file_name().to_string_lossy().starts_with("libstd-"))
            })
        })
    })
}

/// Whether rustup may install a target. With `RUSTUP_AUTO_INSTALL=0` the owner of a
/// machine forbids downloading toolchains there.
fn rustup_may_install() -> bool {
    if !apt::works(Command::new("rustup").arg("--version")) {
        return false;
    }
    let forbidden = env::var_os("RUSTUP_AUTO_INSTALL").is_some_and(|value| value == "0");
    if forbidden {
        log("it is not installed, and RUSTUP_AUTO_INSTALL=0 forbids rustup to download it");
    }
    !forbidden
}

/// Returns the distribution's toolchain if it is complete and new enough.
fn distribution() -> Result<Option<Toolchain>> {
    if !Path::new(CARGO).is_file() || !Path::new(RUSTC).is_file() {
        return Ok(None);
    }
    let version = read(Command::new(RUSTC).arg("--version"))?;
    let sysroot = read(Command::new(RUSTC).args(["--print", "sysroot"]))?;
    let std_sources = Path::new(&sysroot).join("lib/rustlib/src/rust/library/Cargo.lock");
    let Some(linker) = newest_linker(Path::new("/usr/bin")) else {
        return Ok(None);
    };
    if minor(&version).is_none_or(|minor| minor < MINIMUM_MINOR) || !std_sources.is_file() {
        return Ok(None);
    }
    log(&format!(
        "taking {version} of the distribution, with {}",
        linker.display()
    ));
    Ok(Some(Toolchain::Distribution { linker }))
}

/// Returns `wasm-ld-22` rather than `wasm-ld-19`; `wasm-ld` if it is the only one.
fn newest_linker(folder: &Path) -> Option<PathBuf> {
    let entries = fs::read_dir(folder).ok()?;
    let version = |path: &PathBuf| -> Option<u32> {
        let name = path.file_name()?.to_str()?;
        if name == "wasm-ld" {
            Some(0)
        } else {
            name.strip_prefix("wasm-ld-")?.parse().ok()
        }
    };
    entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter_map(|path| Some((version(&path)?, path)))
        .max()
        .map(|(_, path)| path)
}

/// Returns 96 for `rustc 1.96.0 (…)`.
fn minor(version: &str) -> Option<u32> {
    version
        .strip_prefix("rustc 1.")?
        .split('.')
        .next()?
        .parse()
        .ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_minor_version_of_a_compiler() {
        assert_eq!(
            minor("rustc 1.96.0 (ac68faa20 2026-05-25) (built from a source tarball)"),
            Some(96)
        );
        assert_eq!(minor("rustc 1.95.0"), Some(95));
        assert_eq!(minor("gcc 12"), None);
    }

    #[test]
    fn the_environment_does_not_select_another_toolchain() {
        let distribution = Toolchain::Distribution {
            linker: PathBuf::new(),
        };
        for name in [
            "RUSTUP_TOOLCHAIN",
            "RUSTC",
            "RUSTFLAGS",
            "CARGO",
            "CARGO_ENCODED_RUSTFLAGS",
            "RUSTC_WRAPPER",
        ] {
            assert!(!distribution.may_pass(OsStr::new(name)), "{name}");
        }
        for name in [
            "PATH",
            "CARGO_HOME",
            "CARGO_NET_OFFLINE",
            "RUSTUP_AUTO_INSTALL",
        ] {
            assert!(distribution.may_pass(OsStr::new(name)), "{name}");
        }
        assert!(Toolchain::InUse.may_pass(OsStr::new("RUSTUP_TOOLCHAIN")));
    }
}
