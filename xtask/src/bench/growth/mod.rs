//! Whether the time grows linearly with the input, by measuring it in two sizes.
//!
//! Every kind of input that once took superlinear time is generated, and so is every
//! format of outputs documents for every command that reads them. Both sizes are measured
//! alternately, in the same run.

mod cases;
mod formats;
mod inputs;
mod prepared;

use std::path::Path;

use anyhow::{Context, Result};

use super::inputs::grouped;
use super::measure::floor;
use super::table::{Table, megabytes, millis};
use cases::{CASES, Case};
use formats::COMMANDS;
use prepared::Growth;

/// The maximum ratio for twice the input: n·log n, and measurement noise.
const MAX_RATIO: f64 = 2.3;

/// Runs per size, normally and with `--quick`.
const ROUNDS: usize = 9;
const QUICK_ROUNDS: usize = 3;

const INTRODUCTION: &str = "\
Each kind of input with n things in it and with 2n, in turn, in the same run: whole
processes of the command, the processor's time of the fastest of 9. × is the ratio of
both: 2 is linear, and more than 2.3 is expected of nothing. The inputs are those of
xtask/src/bench/growth/cases.rs.
";

/// The same for the table of formats, which has many cells: fewer runs, and a larger
/// factor so that less precision is enough.
const FORMATS_FACTOR: usize = 4;
const FORMATS_MAX_RATIO: f64 = 4.8;
const FORMATS_ROUNDS: usize = 3;
const FORMATS_QUICK_ROUNDS: usize = 1;

const FORMATS_INTRODUCTION: &str = "\
Each command that reads outputs, with n outputs in each format and with 4n: the ratio of
the fastest of 3 runs each, as above. 4 is linear, and ✗ marks more than 4.8. The formats
are those of xtask/src/bench/growth/formats.rs.
";

/// Measures all cases and returns the section's text.
///
/// # Errors
/// The command fails, or does not report what a case is about.
pub(super) fn section(program: &Path, folder: &Path, quick: bool, day: &str) -> Result<String> {
    let folder = folder.join("growth");
    let cases = cases(program, &folder, quick)?;
    let formats = formats(program, &folder, quick)?;
    // This process generated the inputs, and its children begin with its peak.
    let floor = floor().map_or_else(String::new, |floor| {
        format!(
            " Less peak memory than {} MB cannot be seen.",
            megabytes(floor)
        )
    });
    Ok(format!(
        "{INTRODUCTION}\nMeasured on {day}.{floor}\n\n{cases}\n{FORMATS_INTRODUCTION}\n{formats}"
    ))
}

/// Measures twice the input of each case.
fn cases(program: &Path, folder: &Path, quick: bool) -> Result<Table> {
    let mut table = Table::new(&[
        "input", "n", "ms", "ms at 2n", "×", "", "peak MB", "MB at 2n", "×",
    ]);
    let rounds = if quick { QUICK_ROUNDS } else { ROUNDS };
    for case in CASES {
        let (small, large) = (case.work(case.n), case.work(2 * case.n));
        let growth = Growth::measured(&small, &large, program, folder, rounds)
            .with_context(|| format!("measuring {}", case.name))?;
        eprintln!("bench: {}: {:.2} ×", case.name, growth.ratio());
        table.row(row(case, &growth));
    }
    Ok(table)
}

fn row(case: &Case, growth: &Growth) -> Vec<String> {
    let Growth { small, large } = growth;
    let is_linear = growth.ratio() <= MAX_RATIO;
    vec![
        case.name.to_owned(),
        grouped(case.n as u64),
        millis(small.fastest()),
        millis(large.fastest()),
        format!("{:.2}", growth.ratio()),
        if is_linear { "✓" } else { "✗" }.to_owned(),
        megabytes(small.peak),
        megabytes(large.peak),
        format!("{:.2}", large.peak as f64 / small.peak as f64),
    ]
}

/// Measures each command on each format.
fn formats(program: &Path, folder: &Path, quick: bool) -> Result<Table> {
    let names = COMMANDS.iter().map(|command| command.name);
    let header: Vec<_> = ["format"].into_iter().chain(names).collect();
    let mut table = Table::new(&header);
    let rounds = if quick {
        FORMATS_QUICK_ROUNDS
    } else {
        FORMATS_ROUNDS
    };
    for row in formats::rows() {
        let mut cells = vec![row.name()];
        for command in COMMANDS {
            let (small, large) = (
                row.work(command, command.n),
                row.work(command, FORMATS_FACTOR * command.n),
            );
            let growth = Growth::measured(&small, &large, program, folder, rounds)
                .with_context(|| format!("measuring {} of {}", command.name, row.name()))?;
            let ratio = growth.ratio();
            let mark = if ratio > FORMATS_MAX_RATIO {
                "✗ "
            } else {
                ""
            };
            cells.push(format!("{mark}{ratio:.2}"));
        }
        eprintln!("bench: {}", cells.join(", "));
        table.row(cells);
    }
    Ok(table)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::cases::CASES;

    #[test]
    fn cases_have_names_and_sizes_of_their_own() {
        let names: BTreeSet<_> = CASES.iter().map(|case| case.name).collect();
        assert_eq!(names.len(), CASES.len());
        for case in CASES {
            let [one, two] = [10, 20].map(|n| {
                let files = (case.make)(n);
                let binding = files.binding.unwrap_or_default();
                files.manifest.len() + files.outputs.len() + binding.len()
            });
            assert!(one < two, "{}", case.name);
        }
    }
}
