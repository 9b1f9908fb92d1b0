//! The programs that do the same work.

use std::env;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use super::inputs::{Dialect, Input, Inputs};
use crate::process::{read, run};
use crate::{apt, tools};

/// A program that can be measured on this machine.
#[derive(Clone, Debug)]
pub(super) struct Contender {
    pub(super) kind: Kind,
    pub(super) version: String,
    program: PathBuf,
}

/// The kind of work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Copies: the lower bound.
    Cat,
    /// Substitutes text.
    GnuEnvsubst,
    /// Substitutes text as Flux does, without Flux's other work.
    FluxText,
    /// Parses YAML, substitutes in strings, writes new YAML.
    Yq,
    /// `dist/landfall`.
    Landfall,
    /// The same in one thread.
    LandfallOneThread,
    /// The same with the module compiled for size.
    LandfallForSize,
}

impl Kind {
    /// Returns its name in tables.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Cat => "cat",
            Self::GnuEnvsubst => "GNU envsubst",
            Self::FluxText => "Flux's text tool",
            Self::Yq => "yq envsubst",
            Self::Landfall => "landfall",
            Self::LandfallOneThread => "landfall --jobs 1",
            Self::LandfallForSize => "landfall, guest at \"s\"",
        }
    }

    /// Whether its failure is a failure of landfall.
    pub(super) const fn is_ours(self) -> bool {
        matches!(
            self,
            Self::Landfall | Self::LandfallOneThread | Self::LandfallForSize
        )
    }

    /// Returns the language of references that it reads.
    pub(super) const fn dialect(self) -> Dialect {
        match self {
            Self::Cat | Self::Landfall | Self::LandfallOneThread | Self::LandfallForSize => {
                Dialect::Landfall
            }
            Self::GnuEnvsubst | Self::Yq => Dialect::Shell,
            Self::FluxText => Dialect::Flux,
        }
    }

    /// Returns what a right output is.
    pub(super) const fn answer(self) -> Answer {
        match self {
            Self::Cat => Answer::Copy,
            Self::Yq => Answer::Rewritten,
            Self::GnuEnvsubst
            | Self::FluxText
            | Self::Landfall
            | Self::LandfallOneThread
            | Self::LandfallForSize => Answer::Expected,
        }
    }
}

/// What a program has to write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    /// The input.
    Copy,
    /// The expected text, byte for byte.
    Expected,
    /// Text in its own formatting without any reference left.
    Rewritten,
}

impl Contender {
    /// Returns the command that reads `input` and writes to `output`.
    pub(super) fn command(&self, input: &Input, inputs: &Inputs, output: File) -> Result<Command> {
        let text = input.file(self.kind.dialect());
        let mut command = Command::new(&self.program);
        // Equal for all, and small, since it is copied when a program starts.
        command.env_clear().stdin(Stdio::null()).stdout(output);
        let outputs = inputs.outputs.all();
        match self.kind {
            Kind::Cat => {
                command.arg(&text);
            }
            Kind::Landfall | Kind::LandfallOneThread | Kind::LandfallForSize => {
                let mut binding = std::ffi::OsString::from("infra=");
                binding.push(&inputs.document);
                command.arg("render").arg(&text).arg("-b").arg(binding);
                if self.kind == Kind::LandfallOneThread {
                    command.args(["--jobs", "1"]);
                }
            }
            Kind::Yq => {
                command
                    .arg("(.. | select(tag == \"!!str\")) |= envsubst")
                    .arg(&text);
            }
            Kind::GnuEnvsubst | Kind::FluxText => {
                let file =
                    File::open(&text).with_context(|| format!("reading {}", text.display()))?;
                command.stdin(file);
            }
        }
        if self.kind == Kind::GnuEnvsubst {
            // Without the list it would blank everything that looks like a variable.
            let list: String = outputs
                .iter()
                .map(|output| format!("${{{}}}", output.variable))
                .collect();
            command.arg(list);
        }
        if matches!(self.kind, Kind::GnuEnvsubst | Kind::FluxText | Kind::Yq) {
            command.envs(
                outputs
                    .iter()
                    .map(|output| (&output.variable, &output.value)),
            );
        }
        Ok(command)
    }

    /// Creates a contender for the command with the compiled module inside.
    ///
    /// # Errors
    /// It does not run.
    pub(super) fn landfall(kind: Kind, program: &Path) -> Result<Self> {
        let version = read(Command::new(program).arg("--version"))?;
        Ok(Self {
            kind,
            version,
            program: program.to_path_buf(),
        })
    }
}

/// Returns the peers that are or can be installed on this machine, and why the others are
/// not.
pub(super) fn peers() -> (Vec<Contender>, Vec<String>) {
    let mut found = Vec::new();
    let mut skipped = Vec::new();
    for kind in [Kind::Cat, Kind::GnuEnvsubst, Kind::FluxText, Kind::Yq] {
        let peer = match kind {
            Kind::GnuEnvsubst => gnu_envsubst(),
            Kind::FluxText => built(kind, "flux-envsubst"),
            Kind::Yq => built(kind, "yq"),
            _ => system(kind, "cat"),
        };
        match peer {
            Ok(contender) => found.push(contender),
            Err(error) => {
                let line = format!("skipped: {}: {error:#}", kind.name());
                eprintln!("{line}");
                skipped.push(line);
            }
        }
    }
    (found, skipped)
}

/// Finds a program of the system.
fn system(kind: Kind, name: &str) -> Result<Contender> {
    let program = on_path(name).with_context(|| format!("`{name}` is not on the PATH"))?;
    let version = read(Command::new(&program).arg("--version"))?;
    let version = version.lines().next().unwrap_or_default().to_owned();
    Ok(Contender {
        kind,
        version,
        program,
    })
}

/// Finds or builds a program of `cargo xtask tools`.
fn built(kind: Kind, name: &str) -> Result<Contender> {
    let program = landfall_tools::named(name).with_context(|| format!("no tool `{name}`"))?;
    Ok(Contender {
        kind,
        version: format!("{name} {}", program.version),
        program: tools::ensure(program)?,
    })
}

fn gnu_envsubst() -> Result<Contender> {
    if on_path("envsubst").is_none() {
        install_gettext()?;
    }
    let contender = system(Kind::GnuEnvsubst, "envsubst")?;
    // Other programs use the same name.
    if !contender.version.contains("GNU") {
        bail!(
            "the `envsubst` on the PATH is not GNU's: {}",
            contender.version
        );
    }
    Ok(contender)
}

fn install_gettext() -> Result<()> {
    if !apt::may_install() {
        bail!("it is not installed: on Debian it is in the package gettext-base");
    }
    eprintln!("bench: running apt-get install gettext-base");
    let apt = || {
        let mut command = Command::new("apt-get");
        command.env("DEBIAN_FRONTEND", "noninteractive");
        // Our standard output is the table.
        command.stdout(Stdio::null());
        command
    };
    run(apt().arg("update")).context("apt-get update")?;
    run(apt().args(["install", "-y", "--no-install-recommends", "gettext-base"]))
        .context("apt-get install")
}

pub(super) fn on_path(name: &str) -> Option<PathBuf> {
    env::split_paths(&env::var_os("PATH")?)
        .map(|folder| folder.join(name))
        .find(|path| path.is_file())
}
