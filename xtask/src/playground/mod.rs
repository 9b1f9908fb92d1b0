//! The page in `playground/`: built into `dist/playground`, served for development, and
//! tested in a real browser.

mod browser_tests;
pub(crate) mod chromium;
pub(crate) mod node;
mod page;

use anyhow::{Result, bail};

pub(crate) use browser_tests::run as test;
pub(crate) use page::build;

use crate::process::step;
use crate::workspace::Workspace;

const USAGE: &str = "usage: cargo xtask playground [--build | --test]";

/// Without a flag, serves the page and rebuilds it on each change, until stopped.
///
/// # Errors
/// Node is missing, the browser for `--test` is missing, or a started program fails.
pub(crate) fn run(arguments: &[String]) -> Result<()> {
    let workspace = Workspace::current()?;
    let arguments: Vec<_> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        [] => page::serve(&workspace),
        ["--build"] => step("playground: build", || build(&workspace)),
        ["--test"] => step("playground: test", || test(&workspace)),
        _ => bail!("`{}` is not understood: {USAGE}", arguments.join(" ")),
    }
}

/// Returns what this machine lacks to build and test the page, if anything.
pub(crate) fn lacks() -> Option<String> {
    let browser = || match chromium::find()? {
        Some(_) => Ok(()),
        None => bail!("no Chromium: `cargo xtask tools chromium` gets it or says how"),
    };
    let lacks = node::find().and_then(|_| browser());
    lacks.err().map(|error| format!("{error:#}"))
}
