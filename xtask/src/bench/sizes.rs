//! The sizes of the artifacts.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use super::Bench;
use super::table::{Table, grouped, mark};

/// What browsers load is compressed.
const COMPRESSED: &str = ", gzip -9";
/// The page, its worker and its module. Other scripts are pages of the documentation, which are
/// loaded when they are opened.
const FIRST_LOAD: &str = "playground, first load";

/// The artifacts with their limits.
const SIZES: &[(&str, Option<usize>)] = &[
    ("landfall.component.wasm", Some(1_050_000)),
    ("landfall.component.wasm, gzip -9", None),
    ("browser/landfall_bg.wasm", None),
    ("browser/landfall_bg.wasm, gzip -9", Some(225_000)),
    ("browser/tools/landfall_bg.wasm, gzip -9", None),
    ("playground, first load, gzip -9", Some(300_000)),
    ("landfall.wasi.wasm", None),
    ("landfall.component.cwasm", None),
    ("landfall", None),
];

/// Returns a table of the artifacts.
///
/// # Errors
/// One of them is missing.
pub(super) fn section(bench: &Bench) -> Result<String> {
    let dist = &bench.workspace.dist;
    let mut table = Table::new("artifact | bytes | expected | ");
    for (name, limit) in SIZES {
        let files = match name.trim_end_matches(COMPRESSED) {
            FIRST_LOAD => first_load(&dist.join("playground"))?,
            name => vec![dist.join(name)],
        };
        let mut bytes = 0;
        for file in files {
            bytes += if name.ends_with(COMPRESSED) {
                let gzip = Command::new("gzip").arg("-9c").arg(&file).output();
                let gzip = gzip.context("starting gzip")?;
                ensure!(gzip.status.success(), "gzip cannot read {}", file.display());
                gzip.stdout.len()
            } else {
                let content = fs::read(&file);
                content
                    .with_context(|| format!("reading {}", file.display()))?
                    .len()
            };
        }
        table.row(vec![
            (*name).to_owned(),
            grouped(bytes),
            limit.map_or_else(String::new, |limit| format!("≤ {}", grouped(limit))),
            limit.map_or_else(String::new, |limit| mark(bytes <= limit)),
        ]);
    }
    Ok(table.to_string())
}

fn first_load(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut files = vec![folder.join("index.html")];
    let mut text = fs::read_to_string(&files[0]).context("the page is not built: it needs Node")?;
    for prefix in ["index-", "worker-", "landfall_bg-"] {
        for entry in fs::read_dir(folder.join("assets"))? {
            let path = entry?.path();
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            // Files of earlier builds are there, too.
            if name.starts_with(prefix) && text.contains(&*name) {
                text.push_str(&String::from_utf8_lossy(&fs::read(&path)?));
                files.push(path);
            }
        }
    }
    Ok(files)
}
