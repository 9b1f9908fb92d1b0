//! The sizes of the artifacts.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result};

use super::table::Table;
use crate::dist::{BROWSER_MODULE, COMMAND, COMPONENT, PRECOMPILED};

/// The maximum size of the component, in bytes.
const MAX_COMPONENT: u64 = 1_050_000;
/// The maximum size of the browser's module in bytes after compression, which is how it
/// is loaded.
const MAX_COMPRESSED_MODULE: u64 = 225_000;

/// Returns a table of the artifacts in `folder`.
pub(super) fn table(folder: &Path) -> Result<Table> {
    let mut table = Table::new(&["artifact", "bytes", "expected", ""]);
    let mut row = |name: &str, bytes: u64, limit: Option<u64>| {
        let expected = limit.map(|limit| format!("≤ {}", super::inputs::grouped(limit)));
        let mark = limit.map(|limit| if bytes <= limit { "✓" } else { "✗" });
        table.row(vec![
            name.to_owned(),
            super::inputs::grouped(bytes),
            expected.unwrap_or_default(),
            mark.unwrap_or_default().to_owned(),
        ]);
    };
    for (name, limit, compressed_limit) in [
        (COMPONENT, Some(MAX_COMPONENT), None),
        (BROWSER_MODULE, None, Some(MAX_COMPRESSED_MODULE)),
    ] {
        let path = folder.join(name);
        row(name, size(&path)?, limit);
        if let Some(bytes) = compressed(&path) {
            row(&format!("{name}, gzip -9"), bytes, compressed_limit);
        }
    }
    row(PRECOMPILED, size(&folder.join(PRECOMPILED))?, None);
    row(COMMAND, size(&folder.join(COMMAND))?, None);
    Ok(table)
}

/// Returns the size of a file.
pub(super) fn size(path: &Path) -> Result<u64> {
    let metadata = fs::metadata(path).with_context(|| format!("looking at {}", path.display()))?;
    Ok(metadata.len())
}

/// Returns the size of a file after gzip, if that is installed.
pub(super) fn compressed(path: &Path) -> Option<u64> {
    let output = Command::new("gzip")
        .args(["-9", "--stdout"])
        .arg(path)
        .stderr(Stdio::null())
        .output()
        .ok()?;
    output
        .status
        .success()
        .then_some(output.stdout.len() as u64)
}
