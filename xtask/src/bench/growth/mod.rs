//! Whether the time grows linearly with the input, by doubling it.
//!
//! Every kind of input that once took superlinear time is generated in two sizes, and
//! both are measured alternately, in the same run.

mod cases;
mod inputs;

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, bail};

use super::inputs::grouped;
use super::measure::{Sample, floor, measure_ending_with};
use super::table::{Table, megabytes, millis};
use cases::{CASES, Case};

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

/// Measures all cases and returns the section's text.
///
/// # Errors
/// The command fails, or does not report what a case is about.
pub(super) fn section(program: &Path, folder: &Path, quick: bool, day: &str) -> Result<String> {
    let folder = folder.join("growth");
    let mut table = Table::new(&[
        "input", "n", "ms", "ms at 2n", "×", "", "peak MB", "MB at 2n", "×",
    ]);
    for case in CASES {
        let growth = Growth::measured(case, program, &folder, quick)
            .with_context(|| format!("measuring {}", case.name))?;
        eprintln!("bench: {}: {:.2} ×", case.name, growth.ratio());
        table.row(growth.row());
    }
    // This process generated the inputs, and its children begin with its peak.
    let floor = floor().map_or_else(String::new, |floor| {
        format!(
            " Less peak memory than {} MB cannot be seen.",
            megabytes(floor)
        )
    });
    Ok(format!(
        "{INTRODUCTION}\nMeasured on {day}.{floor}\n\n{table}"
    ))
}

/// The measurements of one case.
struct Growth {
    case: &'static Case,
    single: Series,
    double: Series,
}

/// The runs on one input.
#[derive(Default)]
struct Series {
    times: Vec<Duration>,
    peak: u64,
}

impl Series {
    fn add(&mut self, sample: Sample) {
        self.times.push(sample.processor);
        self.peak = self.peak.max(sample.peak);
    }

    /// Returns the seconds of the fastest run: disturbances only make a run slower.
    fn fastest(&self) -> f64 {
        let fastest = self.times.iter().min();
        fastest.map_or(0.0, Duration::as_secs_f64)
    }
}

impl Growth {
    fn measured(case: &'static Case, program: &Path, folder: &Path, quick: bool) -> Result<Self> {
        let single = Prepared::new(case, case.n, program, &folder.join("n"))?;
        let double = Prepared::new(case, 2 * case.n, program, &folder.join("2n"))?;
        let mut growth = Self {
            case,
            single: Series::default(),
            double: Series::default(),
        };
        // Not counted: the first run has cold caches.
        single.run()?;
        single.check()?;
        double.run()?;
        double.check()?;
        for _ in 0..if quick { QUICK_ROUNDS } else { ROUNDS } {
            growth.single.add(single.run()?);
            growth.double.add(double.run()?);
        }
        Ok(growth)
    }

    fn ratio(&self) -> f64 {
        self.double.fastest() / self.single.fastest()
    }

    fn row(&self) -> Vec<String> {
        vec![
            self.case.name.to_owned(),
            grouped(self.case.n as u64),
            millis(self.single.fastest()),
            millis(self.double.fastest()),
            format!("{:.2}", self.ratio()),
            if self.ratio() <= MAX_RATIO {
                "✓"
            } else {
                "✗"
            }
            .to_owned(),
            megabytes(self.single.peak),
            megabytes(self.double.peak),
            format!("{:.2}", self.double.peak as f64 / self.single.peak as f64),
        ]
    }
}

/// One case in one size, on disk.
struct Prepared<'a> {
    case: &'static Case,
    program: &'a Path,
    folder: PathBuf,
}

impl<'a> Prepared<'a> {
    fn new(case: &'static Case, n: usize, program: &'a Path, folder: &Path) -> Result<Self> {
        let files = (case.make)(n);
        // A Binding of an earlier case would still apply.
        if folder.exists() {
            fs::remove_dir_all(folder).with_context(|| format!("emptying {}", folder.display()))?;
        }
        fs::create_dir_all(folder).with_context(|| format!("making {}", folder.display()))?;
        let files = [
            (MANIFEST, Some(&files.manifest)),
            ("infra.json", Some(&files.outputs)),
            ("landfall.yaml", files.binding.as_ref()),
        ];
        for (name, content) in files {
            let path = folder.join(name);
            if let Some(content) = content {
                fs::write(&path, content).with_context(|| format!("writing {}", path.display()))?;
            }
        }
        Ok(Self {
            case,
            program,
            folder: folder.to_path_buf(),
        })
    }

    fn run(&self) -> Result<Sample> {
        let create = |name: &str| {
            let path = self.folder.join(name);
            File::create(&path).with_context(|| format!("writing {}", path.display()))
        };
        let mut command = Command::new(self.program);
        command
            .args(self.case.command)
            .current_dir(&self.folder)
            .env_clear()
            .stdout(create(STDOUT)?)
            .stderr(create(STDERR)?);
        if self.case.command == ["krm"] {
            let list = self.folder.join(MANIFEST);
            let list = File::open(&list).with_context(|| format!("reading {}", list.display()))?;
            command.stdin(list);
        } else {
            command.arg(MANIFEST).stdin(Stdio::null());
        }
        let is_plan = self.case.command.contains(&"--plan");
        if !is_plan && !self.folder.join("landfall.yaml").exists() {
            command.args(["-b", "infra.json"]);
        }
        measure_ending_with(&mut command, self.case.exit)
            .with_context(|| format!("see {}", self.folder.join(STDERR).display()))
    }

    /// Checks the output: a time for different work is meaningless.
    fn check(&self) -> Result<()> {
        for name in [STDOUT, STDERR] {
            let path = self.folder.join(name);
            let text =
                fs::read_to_string(&path).with_context(|| format!("reading {}", path.display()))?;
            if text.contains(self.case.shows) {
                return Ok(());
            }
        }
        bail!("`{}` is not in what it wrote", self.case.shows)
    }
}

const MANIFEST: &str = "manifest.yaml";
const STDOUT: &str = "stdout";
const STDERR: &str = "stderr";

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
