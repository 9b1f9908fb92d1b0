//! What each function of a reference costs: measured by `benches/functions`, which calls
//! the library itself, as native code.

use anyhow::{Context, Result};

use super::table::Table;
use crate::process::{cargo, quiet, read};
use crate::workspace::Workspace;

const INTRODUCTION: &str = "\
The time per reference of a manifest with 1,000 of them, each calling one function, as
a ratio to a plain reference to a string: all in one process, natively (the sandbox is
measured above), in turn, the median of 31 renders. Reading the manifest and writing
the value are part of it. The outputs are in benches/functions/cases.rs.
";

/// Builds and runs the bench, and returns the section's text.
///
/// # Errors
/// A function has no case or does not render, or the bench cannot be built.
pub(super) fn section(workspace: &Workspace, day: &str) -> Result<String> {
    let output = read(cargo(workspace).arg("bench").args(quiet()).args([
        "--package",
        "landfall",
        "--bench",
        "functions",
    ]))?;
    Ok(format!(
        "{INTRODUCTION}\nMeasured on {day}.\n\n{}",
        table(&output)?
    ))
}

/// Parses lines of call, output, nanoseconds and ratio.
fn table(output: &str) -> Result<Table> {
    let mut table = Table::new(&["function", "on", "µs", "× plain"]);
    for line in output.lines() {
        let cells: Vec<&str> = line.split('\t').collect();
        let [call, output, nanoseconds, ratio] = cells[..] else {
            anyhow::bail!("`{line}` is no line of the bench `functions`");
        };
        let nanoseconds: f64 = nanoseconds
            .parse()
            .with_context(|| format!("the time in `{line}`"))?;
        let call = if call.is_empty() {
            "none".to_owned()
        } else {
            format!("`{call}`")
        };
        table.row(vec![
            call,
            output.to_owned(),
            format!("{:.2}", nanoseconds / 1e3),
            ratio.to_owned(),
        ]);
    }
    Ok(table)
}

#[cfg(test)]
mod tests {
    use super::table;

    #[test]
    fn a_row_for_each_line() {
        let table = table("\tname\t1374\t1.00\njoin(\",\")\tsubnets\t1812\t1.32\n").unwrap();
        assert_eq!(
            table.to_string(),
            "\
| function    |      on |   µs | × plain |
| ----------- | ------: | ---: | ------: |
| none        |    name | 1.37 |    1.00 |
| `join(\",\")` | subnets | 1.81 |    1.32 |
"
        );
        assert!(super::table("warming up\n").is_err());
    }
}
