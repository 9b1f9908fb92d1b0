//! Inputs on disk, and the command that is measured on them.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, bail};

use super::inputs::InputFiles;
use crate::bench::measure::{Sample, measure_ending_with};

const MANIFEST: &str = "manifest.yaml";
const STDOUT: &str = "stdout";
const STDERR: &str = "stderr";

/// What is measured.
pub(super) struct Work {
    pub(super) files: InputFiles,
    pub(super) command: &'static [&'static str],
    /// Whether the command reads the manifest.
    pub(super) has_manifest: bool,
    /// The expected exit code, and a text that the output contains.
    pub(super) exit: i32,
    pub(super) shows: &'static str,
}

/// The same in a folder.
pub(super) struct Prepared<'p> {
    program: &'p Path,
    folder: PathBuf,
    command: &'static [&'static str],
    has_manifest: bool,
    exit: i32,
    shows: &'static str,
}

impl<'p> Prepared<'p> {
    /// Writes the files of `work`.
    ///
    /// # Errors
    /// A file cannot be written.
    pub(super) fn new(work: &Work, program: &'p Path, folder: &Path) -> Result<Self> {
        // A Binding of earlier work would still apply.
        if folder.exists() {
            fs::remove_dir_all(folder).with_context(|| format!("emptying {}", folder.display()))?;
        }
        fs::create_dir_all(folder).with_context(|| format!("making {}", folder.display()))?;
        let files = [
            (MANIFEST, Some(&work.files.manifest)),
            ("infra.json", Some(&work.files.outputs)),
            ("landfall.yaml", work.files.binding.as_ref()),
        ];
        for (name, content) in files {
            let path = folder.join(name);
            if let Some(content) = content {
                fs::write(&path, content).with_context(|| format!("writing {}", path.display()))?;
            }
        }
        Ok(Self {
            program,
            folder: folder.to_path_buf(),
            command: work.command,
            has_manifest: work.has_manifest,
            exit: work.exit,
            shows: work.shows,
        })
    }

    /// Runs the command once.
    ///
    /// # Errors
    /// It exits with another code than is expected.
    pub(super) fn run(&self) -> Result<Sample> {
        let create = |name: &str| {
            let path = self.folder.join(name);
            File::create(&path).with_context(|| format!("writing {}", path.display()))
        };
        let mut command = Command::new(self.program);
        command
            .args(self.command)
            .current_dir(&self.folder)
            .env_clear()
            .stdin(Stdio::null())
            .stdout(create(STDOUT)?)
            .stderr(create(STDERR)?);
        if self.command == ["krm"] {
            let list = self.folder.join(MANIFEST);
            let list = File::open(&list).with_context(|| format!("reading {}", list.display()))?;
            command.stdin(list);
        } else if self.has_manifest {
            command.arg(MANIFEST);
        }
        let is_plan = self.command.contains(&"--plan");
        if !is_plan && !self.folder.join("landfall.yaml").exists() {
            command.args(["-b", "infra.json"]);
        }
        measure_ending_with(&mut command, self.exit)
            .with_context(|| format!("see {}", self.folder.join(STDERR).display()))
    }

    /// Checks the output: a time for different work is meaningless.
    ///
    /// # Errors
    /// It does not contain what is expected.
    pub(super) fn check(&self) -> Result<()> {
        for name in [STDOUT, STDERR] {
            let path = self.folder.join(name);
            let text =
                fs::read_to_string(&path).with_context(|| format!("reading {}", path.display()))?;
            if text.contains(self.shows) {
                return Ok(());
            }
        }
        bail!("`{}` is not in what it wrote", self.shows)
    }
}

/// The runs on one input.
#[derive(Default)]
pub(super) struct Series {
    times: Vec<Duration>,
    pub(super) peak: u64,
}

impl Series {
    fn add(&mut self, sample: Sample) {
        self.times.push(sample.processor);
        self.peak = self.peak.max(sample.peak);
    }

    /// Returns the seconds of the fastest run: disturbances only make a run slower.
    pub(super) fn fastest(&self) -> f64 {
        let fastest = self.times.iter().min();
        fastest.map_or(0.0, Duration::as_secs_f64)
    }
}

/// The measurements of the same work in two sizes.
#[derive(Default)]
pub(super) struct Growth {
    pub(super) small: Series,
    pub(super) large: Series,
}

impl Growth {
    /// Measures both sizes alternately.
    ///
    /// # Errors
    /// The command fails, or does not report what it should.
    pub(super) fn measured(
        small: &Work,
        large: &Work,
        program: &Path,
        folder: &Path,
        rounds: usize,
    ) -> Result<Self> {
        let small = Prepared::new(small, program, &folder.join("small"))?;
        let large = Prepared::new(large, program, &folder.join("large"))?;
        let mut growth = Self::default();
        // Not counted: the first run has cold caches.
        for one in [&small, &large] {
            one.run()?;
            one.check()?;
        }
        for _ in 0..rounds {
            growth.small.add(small.run()?);
            growth.large.add(large.run()?);
        }
        Ok(growth)
    }

    pub(super) fn ratio(&self) -> f64 {
        self.large.fastest() / self.small.fastest()
    }
}
