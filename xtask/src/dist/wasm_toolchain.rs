//! The toolchain that compiles WebAssembly: the one in use, to which rustup may add the target,
//! and only where that cannot be had the distribution's.

use std::env;
use std::ffi::OsStr;
use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Result, bail};

use crate::apt::{self, Packages};
use crate::process::{cargo, read, run, rustc};
use crate::workspace::Workspace;

/// The target of the guests.
pub(super) const TARGET: &str = "wasm32-unknown-unknown";

/// Debian's own toolchain with the sources of std, and a linker for WebAssembly, which
/// that toolchain does not include.
const PACKAGES: Packages = Packages {
    names: &["rustc-web", "cargo-web", "rust-web-src", "lld-22"],
    size: "147 MB to download, 1.2 GB on disk",
};

/// Their programs by full paths: the ones on PATH may be rustup's.
const CARGO: &str = "/usr/bin/cargo";
const RUSTC: &str = "/usr/bin/rustc";
const RUSTDOC: &str = "/usr/bin/rustdoc";
const LINKER: &str = "/usr/bin/wasm-ld-22";

/// A compiler for the guests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Toolchain {
    /// The toolchain in use, which has the target.
    InUse,
    /// The distribution's toolchain. It has no compiled std for the target, so std is
    /// built from its sources along with the guest.
    Distribution,
}

impl Toolchain {
    /// Returns its cargo, in the repository, in an environment without settings for
    /// another toolchain.
    pub(super) fn cargo(self, workspace: &Workspace) -> Command {
        let mut command = match self {
            Self::InUse => cargo(workspace),
            Self::Distribution => Command::new(CARGO),
        };
        command.current_dir(&workspace.root);
        for (name, _) in env::vars_os() {
            if !self.may_pass(&name) {
                command.env_remove(&name);
            }
        }
        if self == Self::Distribution {
            command
                .env("RUSTC", RUSTC)
                .env("RUSTDOC", RUSTDOC)
                // Building std is unstable: this allows it with a stable compiler.
                .env("RUSTC_BOOTSTRAP", "1")
                .env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER", LINKER);
        }
        command
    }

    /// Returns the additional arguments of its `cargo build`, for a small standard library.
    pub(super) fn arguments(self) -> &'static [&'static str] {
        match self {
            Self::InUse => &[],
            Self::Distribution => &[
                "-Zbuild-std=std,panic_abort",
                // Sorting and formatting take a negligible part of a render's time.
                "-Zbuild-std-features=optimize_for_size",
            ],
        }
    }

    /// Returns flags that make a module small and need an unstable compiler: a panic is a
    /// trap, without a message. The module imports nothing, so it could not print one
    /// anyway.
    pub(super) fn flags_for_size(self) -> &'static [&'static str] {
        match self {
            Self::InUse => &[],
            Self::Distribution => &["-Zunstable-options", "-Cpanic=immediate-abort"],
        }
    }

    /// Returns its compiler.
    pub(super) fn rustc(self) -> Command {
        match self {
            Self::InUse => rustc(),
            Self::Distribution => Command::new(RUSTC),
        }
    }

    /// Whether cargo may see this variable. Flags, wrappers and profiles from the
    /// environment would change the module's bytes; registry settings and the owner's
    /// restrictions would not.
    fn may_pass(self, name: &OsStr) -> bool {
        const HARMLESS: &[&str] = &[
            "CARGO_BUILD_JOBS",
            "CARGO_HOME",
            "CARGO_HTTP_",
            "CARGO_NET_",
            "CARGO_REGISTRIES_",
            "CARGO_REGISTRY_",
            "CARGO_SOURCE_",
            "CARGO_TERM_",
            "RUSTUP_AUTO_INSTALL",
            "RUSTUP_HOME",
        ];
        let name = name.to_string_lossy();
        let begins = |prefixes: &[&str]| prefixes.iter().any(|prefix| name.starts_with(prefix));
        let is_choice = self == Self::InUse && ["RUSTUP_TOOLCHAIN", "RUSTC"].contains(&&*name);
        !begins(&["CARGO", "RUSTC", "RUSTUP", "RUSTDOC", "RUSTFLAGS"])
            || begins(HARMLESS)
            || is_choice
    }
}

/// Finds a toolchain, installing what is missing if allowed.
///
/// # Errors
/// There is none and nothing may be installed: the message names the command to run.
pub(super) fn find(workspace: &Workspace) -> Result<Toolchain> {
    if in_use_has_target() {
        return Ok(Toolchain::InUse);
    }
    let has_rustup = apt::works(Command::new("rustup").arg("--version"));
    // The owner of a machine forbids rustup to download toolchains there.
    let is_forbidden = env::var_os("RUSTUP_AUTO_INSTALL").is_some_and(|value| value == "0");
    if has_rustup && !is_forbidden {
        let mut rustup = Command::new("rustup");
        rustup
            .args(["target", "add", TARGET])
            .current_dir(&workspace.root);
        eprintln!("dist: running rustup target add {TARGET}");
        match run(&mut rustup) {
            Ok(()) if in_use_has_target() => return Ok(Toolchain::InUse),
            Ok(()) => eprintln!("dist: rustup added it to another toolchain than the one in use"),
            Err(error) => eprintln!("dist: {error:#}"),
        }
    }
    let missing = format!("nothing here compiles {TARGET}");
    let offer = || {
        apt::offer("dist", &missing, PACKAGES).unwrap_or_else(|error| {
            eprintln!("dist: {error:#}");
            false
        })
    };
    if has_distribution() || (offer() && has_distribution()) {
        eprintln!("dist: the toolchain in use lacks {TARGET}: taking the distribution's");
        return Ok(Toolchain::Distribution);
    }
    if has_rustup {
        bail!("{missing}: run rustup target add {TARGET}");
    }
    let [update, install] = PACKAGES.commands();
    bail!("{missing}: on Debian, run {update} && {install}");
}

fn in_use_has_target() -> bool {
    let folder = read(rustc().args(["--print", "target-libdir", "--target", TARGET]));
    let entries = folder.ok().and_then(|folder| fs::read_dir(folder).ok());
    entries.is_some_and(|mut entries| {
        entries.any(|entry| {
            entry.is_ok_and(|entry| entry.file_name().to_string_lossy().starts_with("libstd-"))
        })
    })
}

/// Whether the distribution's toolchain is complete, and as new as `rust-version` in Cargo.toml.
fn has_distribution() -> bool {
    let read = |argument: &[&str]| read(Command::new(RUSTC).args(argument)).unwrap_or_default();
    if ![CARGO, RUSTC, LINKER]
        .iter()
        .all(|program| Path::new(program).is_file())
    {
        return false;
    }
    let minimum = minor(concat!("rustc ", env!("CARGO_PKG_RUST_VERSION")));
    let sources = Path::new(&read(&["--print", "sysroot"])).join("lib/rustlib/src/rust/library");
    minor(&read(&["--version"])) >= minimum && sources.join("Cargo.lock").is_file()
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
        assert_eq!(minor("rustc 1.96.0 (ac68faa20 2026-05-25)"), Some(96));
        assert!(minor("rustc 1.95") > minor("gcc 12"));
    }

    #[test]
    fn the_environment_does_not_select_another_toolchain() {
        let passes = |toolchain: Toolchain, name: &str| toolchain.may_pass(OsStr::new(name));
        for name in [
            "RUSTUP_TOOLCHAIN",
            "RUSTC",
            "RUSTFLAGS",
            "CARGO_ENCODED_RUSTFLAGS",
        ] {
            assert!(!passes(Toolchain::Distribution, name), "{name}");
        }
        for name in ["PATH", "CARGO_NET_OFFLINE", "RUSTUP_AUTO_INSTALL"] {
            assert!(passes(Toolchain::Distribution, name), "{name}");
        }
        assert!(passes(Toolchain::InUse, "RUSTUP_TOOLCHAIN"));
        assert!(!passes(Toolchain::InUse, "RUSTC_WRAPPER"));
    }
}
