//! Packages of Debian and its kin, where this program may install them.

use std::process::{Command, Stdio};

use anyhow::{Context, Result};

use crate::process::{read, run};

/// Whether `apt-get` is there and we are root.
pub(crate) fn may_install() -> bool {
    let root = read(Command::new("id").arg("-u")).is_ok_and(|id| id == "0");
    root && answers(Command::new("apt-get").arg("--version"))
}

/// Installs packages with what they need and no more.
///
/// # Errors
/// `apt-get` fails.
pub(crate) fn install(packages: &[&str]) -> Result<()> {
    let apt = || {
        let mut command = Command::new("apt-get");
        command
            .env("DEBIAN_FRONTEND", "noninteractive")
            // A caller reads paths from our stdout; apt tells its progress there.
            .stdout(std::io::stderr());
        command
    };
    run(apt().args(["--quiet", "update"])).context("apt-get update")?;
    run(apt()
        .args(["--quiet", "install", "-y", "--no-install-recommends"])
        .args(packages))
    .context("apt-get install")
}

/// Whether a program is there and works.
pub(crate) fn answers(command: &mut Command) -> bool {
    command
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}
