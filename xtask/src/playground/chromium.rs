//! The browser that the page is tried in: one that is there, or Debian's.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::apt::{self, Packages};

/// The variable that names a browser.
const VARIABLE: &str = "CHROMIUM";

/// Names under which systems have Chromium, or Chrome.
const NAMES: &[&str] = &[
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
];

/// Debian's, and one font: without any a page has no text.
const PACKAGES: Packages = Packages {
    names: &["chromium", "fonts-dejavu-core"],
    size: "125 MB to download",
};

/// The browser of this machine, when there is one.
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

/// The browser, from Debian's packages where it is missing.
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
    apt::answers(Command::new(program).arg("--version"))
}
