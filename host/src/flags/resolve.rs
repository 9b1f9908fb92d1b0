//! From what was typed to what the program trusts. Everything that can only be
//! a wrong command line is found here.

use std::ffi::OsStr;
use std::path::PathBuf;

use crate::report::Format;
use crate::settings::{
    BoundFile, CheckFormat, Cmp, Command, Destination, ExplainFormat, Inputs, Krm, Limits,
    NoReferences, Place, ReportSettings, Settings, Verbosity,
};

use super::definition::{
    BindFlags, CheckFlags, CheckOutput, CmpFlags, CommonFlags, ExplainFlags, ExplainOutput,
    InputFlags, RenderFlags, Typed, TypedCommand,
};
use super::policy::{Unused, policies};
use super::{Surroundings, binding, color};

/// # Errors
/// What is wrong with the command line, in words.
pub(super) fn settings(typed: Typed, surroundings: &Surroundings<'_>) -> Result<Settings, String> {
    let Typed { common, command } = typed;
    let command = match command {
        TypedCommand::Render(RenderFlags {
            inputs,
            unused,
            output_dir,
            prune,
            in_place,
            replace_references,
        }) => {
            let inputs = self::inputs(inputs, unused.unused)?;
            let reads_stdin = inputs.paths.contains(&Place::Stdin);
            if output_dir.is_some() && reads_stdin && inputs.stdin_name.is_none() {
                return Err("--output-dir needs --stdin-filename to know what to call standard input's file".to_owned());
            }
            if in_place && reads_stdin {
                return Err("--in-place writes files over themselves, and `-`, standard input, is none: name the file".to_owned());
            }
            // Not by clap, which asks for nothing that another flag excludes.
            if replace_references && !in_place {
                return Err("--replace-references is for --in-place: everywhere else references are replaced".to_owned());
            }
            if prune && output_dir.is_none() {
                return Err(
                    "--prune is for --output-dir: it removes what an earlier run wrote there"
                        .to_owned(),
                );
            }
            let destination = match output_dir {
                Some(folder) => Destination::Folder(folder),
                None if in_place => Destination::InPlace { replace_references },
                None => Destination::Stdout,
            };
            Command::Render {
                inputs,
                destination,
                prune,
            }
        }
        TypedCommand::Check(CheckFlags {
            inputs,
            unused,
            output,
            no_references,
            allow,
        }) => Command::Check {
            inputs: self::inputs(inputs, unused.unused)?,
            gate: no_references.then_some(NoReferences { allowed: allow }),
            format: match output {
                CheckOutput::Text => CheckFormat::Text,
                CheckOutput::Json => CheckFormat::Report(Format::Json),
                CheckOutput::Sarif => CheckFormat::Report(Format::Sarif),
                CheckOutput::Github => CheckFormat::Report(Format::Github),
                CheckOutput::Junit => CheckFormat::Report(Format::Junit),
            },
        },
        TypedCommand::Explain(ExplainFlags {
            inputs,
            output,
            unused,
        }) => Command::Explain {
            // It tells them itself, and even where they are an error.
            inputs: self::inputs(inputs, Some(Unused::Ignore))?,
            format: match output {
                ExplainOutput::Text => ExplainFormat::Text,
                ExplainOutput::Json => ExplainFormat::Json,
            },
            unused,
        },
        TypedCommand::Krm(flags) => {
            let bound = bound_files(&flags.bind, &[])?;
            if bound.iter().any(|bound| bound.file == Place::Stdin) {
                return Err("standard input is the ResourceList: `-b` cannot read it".to_owned());
            }
            Command::Krm(Krm {
                bound,
                root: flags.root,
                stdin_name: flags.stdin_filename,
                policies: policies(flags.policy, flags.unused.unused),
            })
        }
        TypedCommand::CmpGenerate(flags) => Command::CmpGenerate(cmp(flags)?),
        TypedCommand::CmpDiscover(flags) => Command::CmpDiscover(cmp(flags)?),
    };
    let report = report(&common, surroundings);
    Ok(Settings {
        report: ReportSettings {
            // Who renders in a pipe wants to hear of what is written alone.
            advice: matches!(command, Command::Check { .. })
                || report.verbosity == Verbosity::Verbose,
            ..report
        },
        command,
        limits: limits(&common),
    })
}

fn inputs(flags: InputFlags, unused: Option<Unused>) -> Result<Inputs, String> {
    let bound = bound_files(&flags.bind, &flags.paths)?;
    let paths: Vec<_> = flags
        .paths
        .iter()
        .map(|path| place(path.as_os_str()))
        .collect();
    let config = flags.config.map(|path| place(path.as_os_str()));
    let readers = paths
        .iter()
        .chain(bound.iter().map(|bound| &bound.file))
        .chain(&config);
    if readers.filter(|place| **place == Place::Stdin).count() > 1 {
        return Err("standard input can be read once: `-` stands more than once".to_owned());
    }
    Ok(Inputs {
        paths,
        bound,
        config,
        root: flags.root,
        stdin_name: flags.stdin_filename,
        policies: policies(flags.policy, unused),
    })
}

fn cmp(flags: CmpFlags) -> Result<Cmp, String> {
    let bound = bound_files(&flags.bind, &[])?;
    let config = flags.config.map(|path| place(path.as_os_str()));
    if bound
        .iter()
        .map(|bound| &bound.file)
        .chain(&config)
        .any(|place| *place == Place::Stdin)
    {
        return Err("Argo CD gives a plugin no standard input: `-` cannot be read".to_owned());
    }
    Ok(Cmp {
        bound,
        config,
        operator_policy: flags.operator_policy,
        policies: policies(flags.policy, flags.unused.unused),
    })
}

fn bound_files(flags: &BindFlags, paths: &[PathBuf]) -> Result<Vec<BoundFile>, String> {
    let arguments = flags.bind.iter().map(|argument| argument.as_os_str());
    binding::bound_files(arguments, paths)
}

pub(super) fn place(argument: &OsStr) -> Place {
    if argument == "-" {
        Place::Stdin
    } else {
        Place::Path(PathBuf::from(argument))
    }
}

fn report(flags: &CommonFlags, surroundings: &Surroundings<'_>) -> ReportSettings {
    let verbosity = match (flags.quiet, flags.verbose) {
        (true, _) => Verbosity::Quiet,
        (false, true) => Verbosity::Verbose,
        (false, false) => Verbosity::Normal,
    };
    ReportSettings {
        verbosity,
        color: color::wanted(flags.color, surroundings),
        advice: false,
        strict: flags.strict,
    }
}

fn limits(flags: &CommonFlags) -> Limits {
    let default = Limits::default();
    Limits {
        input: flags.max_input.unwrap_or(default.input),
        memory: flags.max_memory.unwrap_or(default.memory),
        time: flags.max_time.unwrap_or(default.time),
        answer: flags.max_answer.unwrap_or(default.answer),
    }
}
