//! Node and npm, which build the page and run its tests.

use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::process::read;

/// The oldest Node that Vite and the tests support: `engines` in playground/package.json.
const MINIMUM: (u32, u32) = (20, 19);

/// The name of npm on this system.
const NPM: &str = if cfg!(windows) { "npm.cmd" } else { "npm" };

/// Returns a description of this machine's Node and npm.
///
/// # Errors
/// One of them is missing or too old: the message says how to get them.
pub(crate) fn find() -> Result<String> {
    let (major, minor) = MINIMUM;
    let how = format!(
        "the page needs Node ≥ {major}.{minor} with npm: \
         https://nodejs.org/en/download, or the packages nodejs and npm of your distribution"
    );
    let version = read(Command::new("node").arg("--version")).with_context(|| how.clone())?;
    let new_enough = release(&version).is_some_and(|release| release >= MINIMUM);
    if !new_enough {
        bail!("this is Node {version}, and {how}");
    }
    let npm_version = read(npm().arg("--version")).context(how)?;
    Ok(format!("Node {version}, npm {npm_version}"))
}

/// Returns npm, without its advertisements and network requests for advisories.
pub(crate) fn npm() -> Command {
    let mut command = Command::new(NPM);
    command
        .env("npm_config_audit", "false")
        .env("npm_config_fund", "false")
        .env("npm_config_update_notifier", "false");
    command
}

/// Returns (20, 19) for `v20.19.4`.
fn release(version: &str) -> Option<(u32, u32)> {
    let mut numbers = version.strip_prefix('v')?.split('.');
    Some((numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::release;

    #[test]
    fn the_release_of_a_node() {
        assert_eq!(release("v20.19.4"), Some((20, 19)));
        assert_eq!(release("v26.1.0-nightly"), Some((26, 1)));
        assert_eq!(release("20"), None);
    }
}
