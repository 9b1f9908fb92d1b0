//! Programs that do the same work, measured alternately, round after round: a temporary
//! disturbance of the machine affects all of them. What they write is checked.

use std::fs::{self, File};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, bail, ensure};
use wait4::Wait4;

use crate::process::run;

/// The seconds from which on a peer is not comparable anyway: one run is enough.
const SLOW: f64 = 0.3;

/// The folder of what programs write. Beside the inputs, landfall would look at files that have
/// its name.
const WRITTEN: &str = "written";

/// A program, and what it has to do: a time for other work is meaningless.
#[derive(Default)]
pub(super) struct Contender {
    pub(super) name: String,
    pub(super) program: PathBuf,
    /// Its arguments, separated by spaces, and `< FILE` for its input.
    pub(super) line: String,
    /// Where it runs.
    pub(super) folder: PathBuf,
    /// Nothing else is in its environment, which is copied when a program starts.
    pub(super) environment: Vec<(String, String)>,
    pub(super) exit: i32,
    /// The file whose bytes it has to write.
    pub(super) same: Option<String>,
    /// A text that it has to write.
    pub(super) shows: String,
    /// A text that it must not write.
    pub(super) lacks: Option<String>,
    /// Whether it is left out, with a message, if it fails.
    pub(super) is_peer: bool,
}

/// The runs of one contender.
#[derive(Default)]
pub(super) struct Series {
    /// Seconds from the start of the process to its end.
    walls: Vec<f64>,
    /// Seconds of the processor, both user and system, which are disturbed less.
    processors: Vec<f64>,
    /// The peak resident memory of any run, in bytes. Linux begins with the peak of the
    /// starting process (`setmax_mm_hiwater_rss` in `exec_mmap`), so this one stays small.
    pub(super) peak: u64,
}

impl Series {
    pub(super) fn runs(&self) -> usize {
        self.walls.len()
    }

    /// Returns the median in seconds.
    pub(super) fn median(&self) -> f64 {
        median(self.walls.clone())
    }

    /// Returns the median of what a run takes longer than the run of another contender in the
    /// same round, in seconds. It is negative if it takes less.
    pub(super) fn added(&self, other: &Self) -> f64 {
        let rounds = self.walls.iter().zip(&other.walls);
        median(rounds.map(|(wall, other)| wall - other).collect())
    }

    /// Returns the least time: disturbances only make a run slower.
    pub(super) fn least(&self) -> f64 {
        self.walls.iter().copied().fold(f64::INFINITY, f64::min)
    }

    /// Returns the least time of the processor.
    pub(super) fn least_processor(&self) -> f64 {
        self.processors
            .iter()
            .copied()
            .fold(f64::INFINITY, f64::min)
    }
}

fn median(mut seconds: Vec<f64>) -> f64 {
    seconds.sort_by(f64::total_cmp);
    f64::midpoint(seconds[(seconds.len() - 1) / 2], seconds[seconds.len() / 2])
}

/// Measures all contenders and checks what they write, before the first counted run and after
/// the last one. A peer that fails has no runs.
///
/// # Errors
/// A contender fails, or is wrong.
pub(super) fn race(contenders: &[Contender], rounds: usize) -> Result<Vec<Series>> {
    let mut plans = Vec::new();
    for contender in contenders {
        let mut first = Series::default();
        plans.push(
            match contender.run(&mut first).and_then(|()| contender.check()) {
                Ok(()) if contender.is_peer && first.least() > SLOW => 1,
                Ok(()) => rounds,
                Err(error) if contender.is_peer => {
                    eprintln!("skipped: {}: {error:#}", contender.name);
                    0
                }
                Err(error) => return Err(error),
            },
        );
    }
    // What was written would otherwise reach the disk during a run.
    let _ = Command::new("sync").status();
    let mut all: Vec<Series> = contenders.iter().map(|_| Series::default()).collect();
    for round in 0..rounds {
        for turn in 0..contenders.len() {
            // No program is always the first, or always after the same one.
            let forward = (round + turn) % contenders.len();
            let backward = contenders.len() - 1 - forward;
            let at = if round.is_multiple_of(2) {
                forward
            } else {
                backward
            };
            if round < plans[at] {
                contenders[at].run(&mut all[at])?;
            }
        }
    }
    for (contender, series) in contenders.iter().zip(&all) {
        if series.runs() > 0 {
            contender.check()?;
        }
    }
    Ok(all)
}

impl Contender {
    /// Runs it once.
    fn run(&self, series: &mut Series) -> Result<()> {
        let (arguments, stdin) = match self.line.split_once("< ") {
            Some((arguments, file)) => {
                let path = self.folder.join(file);
                let file = File::open(&path);
                (
                    arguments,
                    file.with_context(|| format!("reading {}", path.display()))?
                        .into(),
                )
            }
            None => (self.line.as_str(), Stdio::null()),
        };
        fs::create_dir_all(self.folder.join(WRITTEN))?;
        let create = |path: PathBuf| {
            File::create(&path).with_context(|| format!("writing {}", path.display()))
        };
        let mut command = Command::new(&self.program);
        command
            .args(arguments.split_whitespace())
            .current_dir(&self.folder)
            .env_clear()
            .envs(self.environment.iter().cloned())
            .stdin(stdin)
            .stdout(create(self.file("stdout"))?)
            .stderr(create(self.file("stderr"))?);
        let start = Instant::now();
        let ended = command.spawn().and_then(Wait4::wait4);
        let wall = start.elapsed().as_secs_f64();
        let ended = ended.with_context(|| format!("starting {}", self.program.display()))?;
        if ended.status.code() != Some(self.exit) {
            bail!(
                "{} ended with {}: see {}",
                self.name,
                ended.status,
                self.file("stderr").display()
            );
        }
        series.walls.push(wall);
        series
            .processors
            .push((ended.rusage.utime + ended.rusage.stime).as_secs_f64());
        series.peak = series.peak.max(ended.rusage.maxrss);
        Ok(())
    }

    /// Checks what the last run wrote, by other programs, so that this one stays small.
    fn check(&self) -> Result<()> {
        let (stdout, stderr) = (self.file("stdout"), self.file("stderr"));
        let has = |text: &str| {
            let mut grep = Command::new("grep");
            grep.args(["--quiet", "--fixed-strings", "-e", text]);
            run(grep.args([&stdout, &stderr])).is_ok()
        };
        let is_same = |file| run(Command::new("cmp").arg(&stdout).arg(self.folder.join(file)));
        let is_right = has(&self.shows)
            && !self.lacks.as_ref().is_some_and(|text| has(text))
            && self.same.as_ref().is_none_or(|file| is_same(file).is_ok());
        ensure!(
            is_right,
            "the answer of {} is wrong: see {}",
            self.name,
            stdout.display()
        );
        Ok(())
    }

    fn file(&self, kind: &str) -> PathBuf {
        let name = self.name.replace(|c: char| !c.is_ascii_alphanumeric(), "");
        self.folder.join(WRITTEN).join(format!("{name}.{kind}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_or_failed_run_is_not_measured() {
        let cargo = |line: &str, shows: &str, lacks: &str| Contender {
            program: env!("CARGO").into(),
            line: line.to_owned(),
            folder: std::env::temp_dir(),
            shows: shows.to_owned(),
            lacks: Some(lacks.to_owned()),
            ..Contender::default()
        };
        let right = race(&[cargo("--version", "cargo 1.", "rustc")], 3).unwrap();
        assert_eq!(right[0].runs(), 3);
        assert!(race(&[cargo("--version", "cargo 1.", "1.")], 1).is_err());
        assert!(race(&[cargo("--version", "rustc", "1.0.0")], 1).is_err());
        assert!(race(&[cargo("--no-such-flag", "", "cargo 1.")], 1).is_err());
    }
}
