//! What each step of a render costs, beside its budget: measured by `benches/steps`, which
//! calls the library itself, as native code, on the input `dense`.

use std::path::Path;

use anyhow::{Context, Result, bail};

use super::inputs::{self, Dialect, grouped};
use super::table::{Table, millis};
use crate::process::{cargo, quiet, read};
use crate::workspace::Workspace;

/// The input of which the budgets are.
const INPUT: &str = "dense";

/// The steps with their budgets in milliseconds on two quiet cores of 2.6 GHz. The names are
/// those that `benches/steps` prints.
const BUDGETS: &[(&str, &str, f64)] = &[
    ("Find", "find documents and references", 5.0),
    ("Mask", "mask", 2.0),
    ("Locate", "locate", 12.0),
    ("Read", "read references", 3.0),
    ("Analyse", "analyse", 4.0),
    ("Resolve", "resolve", 3.0),
    ("Place", "find fields", 3.0),
    ("Type", "look up types", 2.0),
    ("Write", "make edits", 3.0),
    ("Bind", "other work on values", 5.0),
    ("Answer", "configuration and answer", 3.0),
];

/// The budget of whole renders in milliseconds: about as much as GNU envsubst takes.
const WHOLE: f64 = 45.0;

/// The budget of allocations per reference.
const ALLOCATIONS: f64 = 3.0;

/// Builds and runs the bench, and returns the section's text.
///
/// # Errors
/// The input cannot be written or rendered, or the bench cannot be built.
pub(super) fn section(workspace: &Workspace, folder: &Path, day: &str) -> Result<String> {
    let inputs = inputs::make(folder, &[INPUT])?;
    let input = inputs.all.first().context("no input")?;
    let output = read(
        cargo(workspace)
            .arg("bench")
            .args(quiet())
            .args(["--package", "landfall", "--bench", "steps", "--"])
            .arg(input.file(Dialect::Landfall))
            .arg(&inputs.document),
    )?;
    text(&output, day)
}

/// Returns the section for what the bench printed.
fn text(output: &str, day: &str) -> Result<String> {
    let mut lines = output.lines();
    let [references, bytes, whole, least] = numbers(lines.next().unwrap_or_default())?;
    let mut table = Table::new(&[
        "step",
        "median ms",
        "least ms",
        "budget",
        "×",
        "",
        "allocations",
    ]);
    let mut row = |name: &str, [median, least]: [f64; 2], budget: f64, allocations: f64| {
        let ratio = median / 1e6 / budget;
        table.row(vec![
            name.to_owned(),
            millis(median / 1e9),
            millis(least / 1e9),
            budget.to_string(),
            format!("{ratio:.2}"),
            if ratio <= 1.0 { "✓" } else { "✗" }.to_owned(),
            format!("{:.2}", allocations / references),
        ]);
    };
    let mut sum = 0.0;
    for (step, name, budget) in BUDGETS {
        let line = lines.next().unwrap_or_default();
        let Some(rest) = line.strip_prefix(step) else {
            bail!("the bench `steps` printed `{line}` where its step {step} was expected");
        };
        let [time, least, allocations] = numbers(rest.trim_start())?;
        sum += allocations;
        row(name, [time, least], *budget, allocations);
    }
    row("whole render", [whole, least], WHOLE, sum);
    let (references, bytes) = (grouped(references as u64), grouped(bytes as u64));
    Ok(format!(
        "\
`dense` ({references} references, {bytes} bytes), rendered by the library as native code:
the time of each step without the steps inside it, of 25 renders, the ratio of the median to
the budget, and how often memory is allocated for each reference. The whole render is measured in turn with these,
while its steps are not; its budget of allocations is {ALLOCATIONS} for each reference. The steps are
marked in the code (`src/steps.rs`); the budgets are in `xtask/src/bench/steps.rs`.

Measured on {day}.

{table}"
    ))
}

/// Parses tab-separated numbers.
fn numbers<const N: usize>(line: &str) -> Result<[f64; N]> {
    let numbers = line.split('\t').map(str::parse);
    let numbers: Vec<f64> = numbers
        .collect::<Result<_, _>>()
        .with_context(|| format!("`{line}` is not a line of the output of the bench `steps`"))?;
    match numbers.try_into() {
        Ok(numbers) => Ok(numbers),
        Err(_) => bail!("`{line}` is not a line of the output of the bench `steps`"),
    }
}

#[cfg(test)]
mod tests {
    use super::{BUDGETS, text};

    /// Returns what the bench prints if every step takes 4 ms and 10 allocations.
    fn output() -> String {
        let steps = BUDGETS.iter();
        let steps = steps.map(|(step, ..)| format!("{step}\t4000000\t3000000\t10\n"));
        format!(
            "20\t1000\t90000000\t80000000\n{}",
            steps.collect::<String>()
        )
    }

    #[test]
    fn a_row_for_each_step_and_one_for_all() {
        let text = text(&output(), "2026-11-24").unwrap();
        let rows: Vec<&str> = text.lines().filter(|line| line.starts_with('|')).collect();
        assert_eq!(rows.len(), 2 + BUDGETS.len() + 1);
        let cells = |row: &str| row.split('|').map(str::trim).collect::<Vec<_>>().join("|");
        assert_eq!(cells(rows[4]), "|locate|4.00|3.00|12|0.33|✓|0.50|");
        assert_eq!(cells(rows[13]), "|whole render|90.0|80.0|45|2.00|✗|5.50|");
    }

    #[test]
    fn refuses_other_steps_than_those_with_budgets() {
        let other = output().replace("Locate", "Parse");
        assert!(text(&other, "2026-11-24").is_err());
        assert!(text("warming up\n", "2026-11-24").is_err());
    }
}
