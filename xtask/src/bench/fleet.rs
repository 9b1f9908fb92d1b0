//! One source and many outputs documents: measured by `sandbox/benches/fleet.rs`, which
//! calls the library and the module, and by `landfall check --each` and `render --each`.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Instant;

use anyhow::{Context, Result, bail, ensure};

use super::table::Table;
use crate::process::{cargo, quiet, read, run};
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

const COMMAND: &str = "\
The command on the same files, from exec to exit: `landfall check --each 'clusters/*.json'`,
and `landfall render`, which also writes a copy of the source for each document.
";

/// The renders a second that are expected in `dense`, with all cores.
const MIN_RATE: f64 = 500.0;

/// The number of outputs documents that the bench writes.
const DOCUMENTS: f64 = 1_000.0;

/// Builds and runs the bench, and returns the section's text. The inputs of `program`,
/// landfall, are written to `folder`.
///
/// # Errors
/// The bench cannot be built, or a document does not render.
pub(super) fn section(
    workspace: &Workspace,
    program: &Path,
    folder: &Path,
    day: &str,
) -> Result<String> {
    let bench = || {
        let mut bench = cargo(workspace);
        bench.arg("bench").args(quiet()).args([
            "--package",
            "landfall-sandbox",
            "--bench",
            "fleet",
        ]);
        bench
    };
    let lines = read(&mut bench())?;
    let table = table(&lines)?;
    let folder = folder.join("fleet");
    run(bench().args(["--", "--write"]).arg(&folder))?;
    let command = command(program, &folder)?;
    Ok(format!(
        "{INTRODUCTION}\nMeasured on {day}.\n\n{table}\n{COMMAND}\n{command}"
    ))
}

/// Measures the command with one thread and with all cores, which must give the same bytes.
fn command(program: &Path, folder: &Path) -> Result<Table> {
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let mut table = Table::new(&["source", "command", "jobs", "seconds", "renders/s", ""]);
    let out = folder.join("out");
    for source in ["dense", "sparse"] {
        for subcommand in ["check", "render"] {
            let mut records = Vec::new();
            for jobs in [1, cores] {
                let seconds = timed(program, folder, &[subcommand, source], jobs)?;
                let rate = DOCUMENTS / seconds;
                let is_expected = source == "dense" && subcommand == "check" && jobs == cores;
                let verdict = match (is_expected, rate >= MIN_RATE) {
                    (false, _) => "",
                    (true, true) => "✓",
                    (true, false) => "✗",
                };
                table.row(vec![
                    source.to_owned(),
                    subcommand.to_owned(),
                    jobs.to_string(),
                    format!("{seconds:.2}"),
                    format!("{rate:.0}"),
                    verdict.to_owned(),
                ]);
                if out.exists() {
                    records.push(written(&out)?);
                    fs::remove_dir_all(&out).context("removing what was rendered")?;
                }
            }
            ensure!(
                records.windows(2).all(|pair| pair[0] == pair[1]),
                "the number of jobs changes what is written"
            );
        }
    }
    Ok(table)
}

/// Returns the seconds that a run of the command takes.
fn timed(program: &Path, folder: &Path, arguments: &[&str], jobs: usize) -> Result<f64> {
    let mut command = Command::new(program);
    command
        .args(arguments)
        .args(["--each", "clusters/*.json", "--quiet"])
        .args(["--jobs", &jobs.to_string()])
        .current_dir(folder)
        .stdin(Stdio::null());
    if arguments.first() == Some(&"render") {
        command.args(["--output-dir", "out/{name}"]);
    }
    let start = Instant::now();
    run(&mut command)?;
    Ok(start.elapsed().as_secs_f64())
}

/// Returns the records of what was written, which have its digests, sorted by folder.
fn written(out: &Path) -> Result<Vec<Vec<u8>>> {
    let mut folders = Vec::new();
    for entry in fs::read_dir(out).context("listing what was rendered")? {
        folders.push(entry?.path());
    }
    folders.sort();
    let records = folders
        .iter()
        .map(|folder| fs::read(folder.join(".landfall/written")));
    let records = records.collect::<std::io::Result<Vec<_>>>();
    records.context("reading what was rendered")
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
