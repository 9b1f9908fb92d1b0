//! The module compiled for speed, as distributed, compared with one compiled for size.

use std::path::Path;

use anyhow::Result;

use super::contenders::Kind;
use super::inputs::grouped;
use super::rounds::Measured;
use super::sizes::{compressed, size};
use super::table::{Table, millis};
use crate::dist::{COMPONENT, PRECOMPILED};

/// Returns a row for each folder of artifacts: sizes, and medians in milliseconds.
pub(super) fn table(for_speed: &Path, for_size: &Path, measured: &[Measured]) -> Result<Table> {
    let names = measured.iter().map(|measured| measured.input.name);
    let header: Vec<String> = ["opt-level", "component", "gzip -9", "cwasm"]
        .into_iter()
        .map(str::to_owned)
        .chain(names.map(|name| format!("{name} ms")))
        .collect();
    let header: Vec<&str> = header.iter().map(String::as_str).collect();
    let mut table = Table::new(&header);
    for (opt_level, folder, kind) in [
        ("3", for_speed, Kind::Landfall),
        ("\"s\"", for_size, Kind::LandfallForSize),
    ] {
        let component = folder.join(COMPONENT);
        let mut row = vec![
            opt_level.to_owned(),
            grouped(size(&component)?),
            compressed(&component).map_or_else(String::new, grouped),
            grouped(size(&folder.join(PRECOMPILED))?),
        ];
        row.extend(measured.iter().map(|measured| {
            measured
                .of(kind)
                .map_or_else(String::new, |series| millis(series.median()))
        }));
        table.row(row);
    }
    Ok(table)
}
