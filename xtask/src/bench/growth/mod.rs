//! Whether the time grows linearly with the input, by measuring it in two sizes alternately:
//! for every kind of input that once took superlinear time, and every format of outputs.

mod cases;
mod formats;

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use super::Bench;
use super::race::{Contender, race};
use super::table::{Table, grouped, mark, megabytes, millis};

/// The maximum ratio for twice the input: n·log n, and measurement noise.
const MAX_RATIO: f64 = 2.3;

/// Names of files, and what is in them.
type Files = Vec<(&'static str, String)>;

/// One kind of input.
struct Case {
    /// What the input has n of.
    name: String,
    n: usize,
    files: Box<dyn Fn(usize) -> Files>,
    /// The arguments of the command, and `< FILE` for its input.
    line: &'static str,
    exit: i32,
    /// A text that the output contains.
    shows: &'static str,
}

/// Measures all cases.
///
/// # Errors
/// The command fails, or does not report what a case is about.
pub(super) fn section(bench: &Bench) -> Result<String> {
    let mut table = Table::new("input | n | ms | ms at 2n | × |  | peak MB | MB at 2n");
    let folder = bench.folder.join("growth");
    let cases = cases::all().into_iter().chain(formats::all());
    for case in cases.filter(|case| bench.wants(&case.name)) {
        let contenders = [
            case.prepared(case.n, &bench.landfall, &folder.join("small"))?,
            case.prepared(2 * case.n, &bench.landfall, &folder.join("large"))?,
        ];
        let series = race(&contenders, bench.rounds(9));
        let series = series.with_context(|| format!("measuring {}", case.name))?;
        let [small, large] = [&series[0], &series[1]];
        let ratio = large.least_processor() / small.least_processor();
        eprintln!("bench: {}: {ratio:.2} ×", case.name);
        table.row(vec![
            case.name,
            grouped(case.n),
            millis(small.least_processor()),
            millis(large.least_processor()),
            format!("{ratio:.2}"),
            mark(ratio <= MAX_RATIO),
            megabytes(small.peak),
            megabytes(large.peak),
        ]);
    }
    Ok(table.to_string())
}

impl Case {
    fn new(
        name: impl Into<String>,
        n: usize,
        files: impl Fn(usize) -> Files + 'static,
        line: &'static str,
        exit: i32,
        shows: &'static str,
    ) -> Self {
        let (name, files) = (name.into(), Box::new(files));
        Self {
            name,
            n,
            files,
            line,
            exit,
            shows,
        }
    }

    /// Writes the files for n things.
    fn prepared(&self, n: usize, program: &Path, folder: &Path) -> Result<Contender> {
        // A Binding of earlier work would still apply.
        let _ = fs::remove_dir_all(folder);
        fs::create_dir_all(folder).with_context(|| format!("making {}", folder.display()))?;
        for (name, content) in (self.files)(n) {
            fs::write(folder.join(name), content).with_context(|| format!("writing {name}"))?;
        }
        Ok(Contender {
            name: self.name.clone(),
            program: program.to_path_buf(),
            line: self.line.to_owned(),
            folder: folder.to_path_buf(),
            exit: self.exit,
            shows: self.shows.to_owned(),
            ..Contender::default()
        })
    }
}

#[cfg(test)]
mod tests {
    use landfall_test_support::needs;

    use super::*;
    use crate::dist;
    use crate::workspace::Workspace;

    #[needs(dist)]
    #[test]
    fn every_case_shows_what_it_is_about() {
        let workspace = Workspace::current().unwrap();
        let program = workspace.dist.join(dist::COMMAND);
        let folder = workspace.target.join("bench/growth-test");
        let mut wrong = Vec::new();
        for case in cases::all().into_iter().chain(formats::all()) {
            let contender = case.prepared(40, &program, &folder).unwrap();
            if let Err(error) = race(&[contender], 1) {
                wrong.push(format!("{error:#}"));
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
}
