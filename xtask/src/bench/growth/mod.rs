//! Twice the input, once more: whether work grows as its input does.
//!
//! Every kind of input that once took a time that grew faster is made in two sizes, and
//! both are measured in turn, in the same run.

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

/// How many times as long twice as much may take: n·log n, and what a machine adds.
const MAX_RATIO: f64 = 2.3;

/// Runs of each size, and those of them that `--quick` leaves.
const ROUNDS: usize = 9;
const QUICK_ROUNDS: usize = 3;

const INTRODUCTION: &str = "\
Each kind of input with n things in it and with 2n, in turn, in the same run: whole
processes of the command, the processor's time of the fastest of 9. × is the ratio of
both: 2 is linear, and more than 2.3 is expected of nothing. The inputs are those of
xtask/src/bench/growth/cases.rs.
";

/// Measures all cases. The section's text.
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
    // This process made the inputs, and those that it starts begin with its peak.
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

/// What was measured of one case.
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

    /// Seconds of the fastest run: what disturbs a run only makes it slower.
    fn least(&self) -> f64 {
        let least = self.times.iter().min();
        least.map_or(0.0, Duration::as_secs_f64)
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
        // Not counted: the first run finds nothing in the caches.
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
        self.double.least() / self.single.least()
    }

    fn row(&self) -> Vec<String> {
        vec![
            self.case.name.to_owned(),
            grouped(self.case.n as u64),
            millis(self.single.least()),
            millis(self.double.least()),
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
        let made = (case.make)(n);
        // A Binding of an earlier case would hold.
        if folder.exists() {
            fs::remove_dir_all(folder).with_context(|| format!("emptying {}", folder.display()))?;
        }
        fs::create_dir_all(folder).with_context(|| format!("making {}", folder.display()))?;
        let files = [
            (MANIFEST, Some(&made.manifest)),
            ("infra.json", Some(&made.outputs)),
            ("landfall.yaml", made.binding.as_ref()),
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
        if !self.folder.join("landfall.yaml").exists() {
            command.args(["-b", "infra.json"]);
        }
        measure_ending_with(&mut command, self.case.exit)
            .with_context(|| format!("see {}", self.folder.join(STDERR).display()))
    }

    /// A time for another work is no time.
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
                let made = (case.make)(n);
                let binding = made.binding.unwrap_or_default();
                made.manifest.len() + made.outputs.len() + binding.len()
            });
            assert!(one < two, "{}", case.name);
        }
    }
}
