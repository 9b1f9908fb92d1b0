//! All programs alternately, round after round: a temporary disturbance of the machine
//! affects all of them.

use std::fs::File;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result};

use super::answer;
use super::contenders::{Contender, Kind};
use super::inputs::{Input, Inputs};
use super::measure::{Sample, measure};

/// How often a text is processed.
#[derive(Clone, Copy, Debug)]
struct Plan {
    /// Runs that are not counted.
    warm_up: usize,
    rounds: usize,
    /// The rounds for peers that take longer than [`SLOW`].
    slow_rounds: usize,
}

/// A peer that takes longer is not comparable anyway: a few runs are enough.
const SLOW: Duration = Duration::from_millis(300);

impl Plan {
    fn of(input: &Input, quick: bool) -> Self {
        let (warm_up, rounds, slow_rounds) = match (input.name, quick) {
            ("small", false) => (10, 200, 200),
            ("small", true) => (3, 40, 40),
            ("dense16", false) => (1, 9, 2),
            ("dense16", true) => (1, 3, 1),
            (_, false) => (2, 31, 2),
            (_, true) => (1, 7, 1),
        };
        Self {
            warm_up,
            rounds,
            slow_rounds,
        }
    }

    const fn rounds(self, is_slow: bool) -> usize {
        if is_slow {
            self.slow_rounds
        } else {
            self.rounds
        }
    }
}

/// The largest text shows whether the cost grows linearly: programs that would take a
/// minute for it are left out.
fn takes_part(kind: Kind, input: &Input) -> bool {
    match kind {
        Kind::FluxText | Kind::Yq => input.name != "dense16",
        // Small manifests are always rendered in one thread.
        Kind::LandfallOneThread => input.name != "small",
        _ => true,
    }
}

/// The runs of one program on one text; there is at least one.
#[derive(Clone, Debug)]
pub(super) struct Series {
    pub(super) kind: Kind,
    walls: Vec<Duration>,
    /// The peak memory of any run, in bytes.
    pub(super) peak: u64,
}

impl Series {
    fn of(kind: Kind, samples: &[Sample]) -> Option<Self> {
        let mut walls: Vec<Duration> = samples.iter().map(|sample| sample.wall).collect();
        walls.sort();
        let peak = samples.iter().map(|sample| sample.peak).max()?;
        Some(Self { kind, walls, peak })
    }

    pub(super) fn runs(&self) -> usize {
        self.walls.len()
    }

    /// Returns the median in seconds.
    pub(super) fn median(&self) -> f64 {
        let (low, high) = ((self.walls.len() - 1) / 2, self.walls.len() / 2);
        f64::midpoint(
            self.walls[low].as_secs_f64(),
            self.walls[high].as_secs_f64(),
        )
    }

    /// Returns the minimum in seconds.
    pub(super) fn fastest(&self) -> f64 {
        self.walls[0].as_secs_f64()
    }
}

/// The measurements on one text.
#[derive(Clone, Debug)]
pub(super) struct Measured {
    pub(super) input: Input,
    pub(super) series: Vec<Series>,
    /// Peers that could not process it, and why.
    pub(super) skipped: Vec<String>,
}

impl Measured {
    pub(super) fn of(&self, kind: Kind) -> Option<&Series> {
        self.series.iter().find(|series| series.kind == kind)
    }
}

/// Measures all contenders on one text and checks their output, before the first counted
/// run and after the last one.
///
/// # Errors
/// landfall fails or is wrong; a peer fails after it succeeded.
pub(super) fn run(
    input: &Input,
    inputs: &Inputs,
    contenders: &[Contender],
    quick: bool,
    folder: &Path,
) -> Result<Measured> {
    let plan = Plan::of(input, quick);
    let mut skipped = Vec::new();
    let mut racing = Vec::new();
    for contender in contenders {
        if !takes_part(contender.kind, input) {
            continue;
        }
        let runner = Runner {
            input,
            inputs,
            contender,
            folder,
        };
        match runner.warm_up(plan) {
            Ok(rounds) => racing.push((runner, rounds, Vec::new())),
            Err(error) if contender.kind.is_ours() => return Err(error),
            Err(error) => {
                let line = format!("skipped: {}: {error:#}", contender.kind.name());
                eprintln!("{line}");
                skipped.push(line);
            }
        }
    }
    sync_disks();
    for round in 0..plan.rounds {
        for turn in 0..racing.len() {
            // No program is always the first, or always after the same one.
            let forward = (round + turn) % racing.len();
            let at = if round.is_multiple_of(2) {
                forward
            } else {
                racing.len() - 1 - forward
            };
            let (runner, rounds, samples) = &mut racing[at];
            if round < *rounds {
                samples.push(runner.run()?);
            }
        }
    }
    let mut series = Vec::new();
    for (runner, _, samples) in &racing {
        runner.check()?;
        series.extend(Series::of(runner.contender.kind, samples));
    }
    Ok(Measured {
        input: input.clone(),
        series,
        skipped,
    })
}

struct Runner<'a> {
    input: &'a Input,
    inputs: &'a Inputs,
    contender: &'a Contender,
    folder: &'a Path,
}

impl Runner<'_> {
    /// Warms up, and returns how many rounds are worthwhile.
    fn warm_up(&self, plan: Plan) -> Result<usize> {
        let first = self.run()?;
        self.check()?;
        let is_peer = matches!(self.contender.kind, Kind::FluxText | Kind::Yq);
        let is_slow = is_peer && first.wall > SLOW;
        if !is_slow {
            for _ in 1..plan.warm_up {
                self.run()?;
            }
        }
        Ok(plan.rounds(is_slow))
    }

    fn run(&self) -> Result<Sample> {
        // Truncating the last run's output must not count as part of this one.
        let create = |kind| {
            let path = self.file(kind);
            File::create(&path).with_context(|| format!("writing {}", path.display()))
        };
        let mut command = self
            .contender
            .command(self.input, self.inputs, create("yaml")?)?;
        command.stderr(create("stderr")?);
        measure(&mut command).with_context(|| format!("see {}", self.file("stderr").display()))
    }

    fn check(&self) -> Result<()> {
        answer::check(self.contender, self.input, self.inputs, &self.file("yaml"))
    }

    fn file(&self, kind: &str) -> std::path::PathBuf {
        let name: String = self
            .contender
            .kind
            .name()
            .chars()
            .filter(|character| character.is_ascii_alphanumeric())
            .collect();
        self.folder
            .join(format!("{}.by-{name}.{kind}", self.input.name))
    }
}

/// Flushes written data to disk, so that this does not happen during a run. Does nothing
/// if there is no such program.
fn sync_disks() {
    let _ = Command::new("sync").status();
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{Kind, Sample, Series};

    #[test]
    fn the_median_is_in_the_middle() {
        let check = |millis: &[u64], median: f64, fastest: f64| {
            let samples: Vec<Sample> = millis
                .iter()
                .map(|&millis| Sample {
                    wall: Duration::from_millis(millis),
                    processor: Duration::from_millis(millis),
                    peak: millis,
                })
                .collect();
            let series = Series::of(Kind::Cat, &samples).unwrap();
            assert!((series.median() - median).abs() < 1e-9);
            assert!((series.fastest() - fastest).abs() < 1e-9);
            assert_eq!(Some(series.peak), millis.iter().max().copied());
        };
        check(&[3], 0.003, 0.003);
        check(&[4, 2], 0.003, 0.002);
        check(&[9, 1, 2], 0.002, 0.001);
        assert!(Series::of(Kind::Cat, &[]).is_none());
    }
}
