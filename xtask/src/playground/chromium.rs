//! The browser in which the page is tested: an installed one, or Debian's.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::apt::{self, Packages};

/// The variable that names a browser.
const VARIABLE: &str = "CHROMIUM";

/// The names of Chromium, or Chrome, on different systems.
const NAMES: &[&str] = &[
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
];

/// Debian's package, and one font: without any, a page shows no text.
const PACKAGES: Packages = Packages {
    names: &["chromium", "fonts-dejavu-core"],
    size: "125 MB to download",
};

/// Returns the browser of this machine, if there is one.
///
/// # Errors
/// `CHROMIUM` names something that does not start.
pub(crate) fn find() -> Result<Option<PathBuf>> {
    if let Some(named) = env::var_os(VARIABLE).filter(|value| !value.is_empty()) {
        let named = PathBuf::from(named);
        if !starts(&named) {
            bail!("{VARIABLE} is {}, and that does not start", named.display());
        }
        return Ok(Some(named));
    }
    let folders = env::var_os("PATH").unwrap_or_default();
    let folders: Vec<_> = env::split_paths(&folders).collect();
    let found = NAMES
        .iter()
        .flat_map(|name| folders.iter().map(move |folder| folder.join(name)))
        .find(|path| path.is_file() && starts(path));
    Ok(found)
}

/// Returns the browser, installed from Debian's packages if missing.
///
/// # Errors
/// There is none and none may be installed: the message says what to run.
pub(crate) fn ensure() -> Result<PathBuf> {
    if let Some(found) = find()? {
        return Ok(found);
    }
    if apt::offer("tools", "there is no Chromium", PACKAGES)? {
        return find()?.context("the package chromium is installed, and none starts");
    }
    bail!(
        "no Chromium on this machine. Install it (on Debian, as root: {}), or name one: \
         {VARIABLE}=/path/to/chrome",
        PACKAGES.commands().join(" && ")
    )
}

fn starts(program: &Path) -> bool {
    apt::works(Command::new(program).arg("--version"))
}
