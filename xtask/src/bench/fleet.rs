//! One source and many outputs documents: measured by `sandbox/benches/fleet.rs`, which
//! calls the library and the module.

use anyhow::{Context, Result, bail};

use super::table::Table;
use crate::process::{cargo, quiet, read};
use crate::workspace::Workspace;

/// The maximum time of each later render, as a share of the first.
const MAX_SHARE: f64 = 0.15;

const INTRODUCTION: &str = "\
A source of 1 MB, rendered against 1,000 outputs documents of 50 outputs each, in one
process: natively in two threads that share the source, and in one instance of the
module. The first render analyses the source, and the later ones bind values to it; their
median is compared. Kept is what the analysis takes in memory for each byte of the source.
In `dense` each document of the source has four references, in `sparse` one of twenty.
";

/// Builds and runs the bench, and returns the section's text.
///
/// # Errors
/// The bench cannot be built, or a document does not render.
pub(super) fn section(workspace: &Workspace, day: &str) -> Result<String> {
    let lines = read(cargo(workspace).arg("bench").args(quiet()).args([
        "--package",
        "landfall-sandbox",
        "--bench",
        "fleet",
    ]))?;
    Ok(format!(
        "{INTRODUCTION}\nMeasured on {day}.\n\n{}",
        table(&lines)?
    ))
}

/// Parses lines of source, way, milliseconds of the first and of later renders, and kept
/// bytes, `-` if they aren't known.
fn table(lines: &str) -> Result<Table> {
    let mut table = Table::new(&["source", "how", "first ms", "later ms", "share", "", "kept"]);
    for line in lines.lines() {
        let cells: Vec<&str> = line.split('\t').collect();
        let [source, how, first, later, kept] = cells[..] else {
            bail!("`{line}` is not a line of the bench `fleet`");
        };
        let milliseconds = |text: &str| -> Result<f64> {
            text.parse()
                .with_context(|| format!("the time in `{line}`"))
        };
        let share = milliseconds(later)? / milliseconds(first)?;
        let kept = match kept {
            "-" => String::new(),
            kept => format!("{kept} B"),
        };
        table.row(vec![
            source.to_owned(),
            how.to_owned(),
            first.to_owned(),
            later.to_owned(),
            format!("{:.1} %", share * 100.0),
            if share <= MAX_SHARE { "✓" } else { "✗" }.to_owned(),
            kept,
        ]);
    }
    Ok(table)
}

#[cfg(test)]
mod tests {
    use super::table;

    #[test]
    fn a_row_for_each_line() {
        let lines = "dense\tnative\t40.00\t4.00\t31.2\ndense\tcomponent\t80.00\t16.00\t-\n";
        assert_eq!(
            table(lines).unwrap().to_string(),
            "\
| source |       how | first ms | later ms |  share |     |   kept |
| ------ | --------: | -------: | -------: | -----: | --: | -----: |
| dense  |    native |    40.00 |     4.00 | 10.0 % |   ✓ | 31.2 B |
| dense  | component |    80.00 |    16.00 | 20.0 % |   ✗ |        |
"
        );
        assert!(table("warming up\n").is_err());
    }
}
