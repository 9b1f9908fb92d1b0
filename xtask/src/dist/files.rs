//! Artifacts as files: written atomically, only if they differ, with checksums.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use sha2::{Digest, Sha256};

/// Returns the SHA-256 of a file in lowercase hexadecimal.
pub(super) fn sum(path: &Path) -> Result<String> {
    let bytes = fs::read(path).with_context(|| format!("reading {}", path.display()))?;
    Ok(Sha256::digest(bytes)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect())
}

/// Copies a file and its permissions, unless the same bytes are there already: a new
/// timestamp would make cargo rebuild what depends on it. The copy is atomic, so it works
/// while the old one is running.
///
/// It is one write: Linux then caches the file in large pages. A program that `fs::copy` has
/// copied, page by page, takes up to a quarter longer to start.
pub(super) fn install(from: &Path, to: &Path) -> Result<()> {
    let content = fs::read(from).with_context(|| format!("reading {}", from.display()))?;
    if fs::read(to).is_ok_and(|found| found == content) {
        return Ok(());
    }
    let beside = to.with_extension(format!("{}.new", std::process::id()));
    let written = fs::write(&beside, content).and_then(|()| {
        let permissions = fs::metadata(from)?.permissions();
        fs::set_permissions(&beside, permissions)
    });
    written.with_context(|| format!("writing {}", beside.display()))?;
    fs::rename(&beside, to).with_context(|| format!("writing {}", to.display()))
}

/// Writes a file, unless these bytes are there already.
pub(super) fn write(content: &[u8], to: &Path) -> Result<()> {
    if fs::read(to).is_ok_and(|found| found == content) {
        return Ok(());
    }
    fs::write(to, content).with_context(|| format!("writing {}", to.display()))
}

/// Writes `SHA256SUMS` as `sha256sum --check` reads it.
pub(super) fn write_sums(folder: &Path, names: &[&str]) -> Result<()> {
    let mut text = String::new();
    for name in names {
        text.push_str(&format!("{}  {name}\n", sum(&folder.join(name))?));
    }
    fs::write(folder.join("SHA256SUMS"), text).context("writing SHA256SUMS")
}
