//! The page's tests: its parts in Node, and the built page in a real browser.

use std::fs;

use anyhow::{Context, Result, bail};

use super::{chromium, page};
use crate::dist::COMMAND;
use crate::process::run as run_program;
use crate::workspace::Workspace;

/// The folder of screenshots, below the target folder.
const SCREENSHOTS: &str = "playground-screenshots";

/// Runs all tests of the page.
///
/// # Errors
/// Node or the browser is missing (`lacks` reports it beforehand), nothing is built, or a
/// test fails.
pub(crate) fn run(workspace: &Workspace) -> Result<()> {
    page::packages(workspace)?;
    let Some(browser) = chromium::find()? else {
        bail!("no Chromium on this machine: `cargo xtask tools chromium` gets it or says how");
    };
    let built = page::built(workspace);
    let command = workspace.dist.join(COMMAND);
    let package = workspace.dist.join("browser/index.js");
    for needed in [&built.join("index.html"), &package, &command] {
        if !needed.is_file() {
            bail!(
                "{} is missing: run cargo xtask dist",
                workspace.shown(needed)
            );
        }
    }
    let screenshots = workspace.target.join(SCREENSHOTS);
    fs::create_dir_all(&screenshots)
        .with_context(|| format!("making {}", screenshots.display()))?;
    run_program(page::npm(workspace).args(["run", "--silent", "test"]))?;
    run_program(
        page::npm(workspace)
            .args(["run", "--silent", "test:browser"])
            .env("CHROMIUM", browser)
            .env("LANDFALL_BIN", command)
            .env("LANDFALL_PLAYGROUND", built)
            .env("LANDFALL_SCREENSHOTS", &screenshots),
    )?;
    eprintln!("screenshots: {}", screenshots.display());
    Ok(())
}
