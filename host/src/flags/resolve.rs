//! Resolves [`LowArgs`] into [`Settings`]. Combinations of flags that are invalid
//! whatever the files contain are rejected here.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use crate::settings::{
    AdoptFormat, BindingFlag, BoundFile, CheckFormat, Cmp, Command, ContractSource, DIGEST_KEY,
    Destination, DiffFormat, Each, Expand, ExplainFormat, HelmValues, InputPath, Inputs, Krm,
    Limits, Migrate, NoReferences, OPERATOR_POLICY, ReportFormat as Format, ReportSettings, Sample,
    Settings, Stamp, Verbosity,
};

use super::binding::{bound_files, input_path, read_stdin_once, terraform_folders};
use super::color;
use super::definition::{
    AdoptFlags, CheckFlags, CheckOutput, CmpCall, CmpFlags, CommonFlags, DiffFlags, DiffOutput,
    ExpandFlags, ExplainFlags, ExplainOutput, Group, HelmCall, KrmFlags, LowArgs, LowCommand,
    MigrateFlags, OutputsCall, RenderFlags, StampFlags,
};
use super::each::{EachFlags, check_output_dir};
use super::environment::{Environment, operator_path};
use super::policy::{Unused, policies};

/// The default timeout of Argo CD's repo-server for a plugin (argo-cd v3.2.12).
const DEADLINE: Duration = Duration::from_secs(60);

/// Resolves a command line.
///
/// # Errors
/// A message that says what is wrong with the command line.
pub(super) fn settings(low: LowArgs, environment: &Environment<'_>) -> Result<Settings, String> {
    let LowArgs { common, command } = low;
    let command = self::command(command, environment, common.quiet)?;
    let report = report(&common, environment);
    Ok(Settings {
        report: ReportSettings {
            // A render in a pipeline reports only what affects the result.
            unused_notes: matches!(command, Command::Check { .. })
                || report.verbosity == Verbosity::Verbose,
            ..report
        },
        command,
        limits: limits(&common),
    })
}

/// Resolves a subcommand. `is_quiet`: only errors are shown.
fn command(
    low: LowCommand,
    environment: &Environment<'_>,
    is_quiet: bool,
) -> Result<Command, String> {
    Ok(match low {
        LowCommand::Render(flags) => render(flags, environment, is_quiet)?,
        LowCommand::Check(CheckFlags {
            inputs,
            each,
            jobs,
            unused,
            programs,
            output,
            no_references,
            outputs_from_terraform,
            allow,
        }) => {
            let mut inputs = inputs.resolve(unused.unused)?;
            inputs.declared = terraform_folders(&outputs_from_terraform)?;
            inputs.checks_git = true;
            inputs.each = self::each(each, &inputs, environment, is_quiet)?;
            inputs.jobs = jobs.jobs;
            Command::Check {
                inputs,
                programs: programs.resolve(),
                no_references: no_references.then_some(NoReferences { allowed: allow }),
                format: check_format(output),
            }
        }
        LowCommand::Explain(ExplainFlags {
            inputs,
            output,
            unused,
        }) => Command::Explain {
            // `explain` lists unused outputs itself, even where the policy makes them
            // an error.
            inputs: inputs.resolve(Some(Unused::Ignore))?,
            format: match output {
                ExplainOutput::Text => ExplainFormat::Text,
                ExplainOutput::Json => ExplainFormat::Json,
            },
            unused,
        },
        LowCommand::Diff(flags) => diff(flags)?,
        LowCommand::Adopt(flags) => adopt(flags)?,
        LowCommand::Migrate(flags) => Command::Migrate(migrate(flags)?),
        LowCommand::Outputs(Group { call }) => match call {
            OutputsCall::Check(flags) => {
                let contract = flags.contract.map(|path| input_path(path.as_os_str()));
                Command::OutputsCheck {
                    outputs: flags.outputs.resolve(contract.as_ref())?,
                    contract,
                    format: check_format(flags.output),
                }
            }
            OutputsCall::Contract(flags) => {
                let folders = terraform_folders(flags.from_terraform.as_slice())?;
                Command::OutputsContract(match folders.into_iter().next() {
                    Some(folder) => ContractSource::Terraform(folder),
                    None => ContractSource::Documents(flags.outputs.resolve(None)?),
                })
            }
        },
        LowCommand::Sample(flags) => Command::Sample(Sample {
            contract: input_path(flags.contract.as_os_str()),
            name: flags.name,
            stdin_name: flags.stdin_filename,
        }),
        LowCommand::Expand(flags) => Command::Expand(expand(flags)?),
        LowCommand::Export(Group { call }) => Command::Export(call.resolve()?),
        LowCommand::Stamp(flags) => Command::Stamp(stamp(flags)?),
        LowCommand::Krm(flags) => Command::Krm(krm(flags)?),
        LowCommand::Helm(Group { call }) => match call {
            HelmCall::Values { url } => Command::HelmValues(HelmValues {
                url,
                operator_policy: operator_path("", None, OPERATOR_POLICY, environment),
            }),
        },
        LowCommand::Install { folder } => Command::Install { folder },
        LowCommand::Cmp(Group { call }) => match call {
            CmpCall::Init(flags) => Command::CmpInit(cmp(flags, environment)?),
            // Argo CD itself renders a folder that no plugin claims: a variable that is not valid
            // must not make discovery fail. It uses none of them.
            CmpCall::Discover(flags) => {
                let variable: &dyn Fn(&str) -> Option<OsString> = &|_| None;
                let environment = Environment {
                    variable,
                    ..*environment
                };
                Command::CmpDiscover(cmp(flags, &environment)?)
            }
            CmpCall::Parameters(flags) => Command::CmpParameters(cmp(flags, environment)?),
            CmpCall::Generate(flags) => Command::CmpGenerate(cmp(flags, environment)?),
        },
        LowCommand::Argocd(Group { call }) => call.resolve(environment)?,
    })
}

fn render(
    flags: RenderFlags,
    environment: &Environment<'_>,
    is_quiet: bool,
) -> Result<Command, String> {
    let RenderFlags {
        inputs,
        each,
        jobs,
        unused,
        programs,
        output_dir,
        prune,
        in_place,
        replace_references,
        check,
    } = flags;
    let mut inputs = inputs.resolve(unused.unused)?;
    inputs.each = self::each(each, &inputs, environment, is_quiet)?;
    inputs.jobs = jobs.jobs;
    check_output_dir(inputs.each.as_ref(), output_dir.as_deref())?;
    let reads_stdin = inputs.paths.contains(&InputPath::Stdin);
    if output_dir.is_some() && reads_stdin && inputs.stdin_name.is_none() {
        return Err("--output-dir requires --stdin-filename, to name the file that is rendered from standard input".to_owned());
    }
    if in_place && reads_stdin {
        return Err(
            "--in-place cannot be used with standard input (`-`): name the file".to_owned(),
        );
    }
    // clap's `requires` would not report this together with a flag that
    // conflicts with `--in-place`.
    if replace_references && !in_place {
        return Err("--replace-references requires --in-place: without `--in-place`, references are always replaced".to_owned());
    }
    if check && !in_place {
        return Err("--check requires --in-place: `landfall check` reports problems without writing anything".to_owned());
    }
    if prune && output_dir.is_none() {
        return Err(
            "--prune requires --output-dir: it removes files that earlier runs wrote there"
                .to_owned(),
        );
    }
    let destination = match output_dir {
        Some(folder) => Destination::Folder(folder),
        None if in_place => Destination::InPlace { replace_references },
        None => Destination::Stdout,
    };
    Ok(Command::Render {
        inputs,
        programs: programs.resolve(),
        destination,
        prune,
        check,
    })
}

fn adopt(flags: AdoptFlags) -> Result<Command, String> {
    let AdoptFlags {
        inputs,
        write,
        output,
    } = flags;
    // Nothing uses the outputs before they are adopted.
    let inputs = inputs.resolve(Some(Unused::Ignore))?;
    if write && inputs.paths.contains(&InputPath::Stdin) {
        return Err("--write cannot be used with standard input (`-`): name the file".to_owned());
    }
    Ok(Command::Adopt {
        inputs,
        format: match output {
            ExplainOutput::Text => AdoptFormat::Text,
            ExplainOutput::Json => AdoptFormat::Json,
        },
        writes: write,
    })
}

fn stamp(flags: StampFlags) -> Result<Stamp, String> {
    let bound = flags.bind.resolve(&[])?;
    if bound.is_empty() {
        return Err("nothing to digest: name the documents with `-b NAME=FILE`".to_owned());
    }
    read_stdin_once(bound.iter().map(|bound| &bound.file))?;
    Ok(Stamp {
        bound,
        config: flags.config,
        ignores_bindings: flags.no_binding,
        key: flags.digest_key,
        is_public: flags.mounted_outputs_public,
        stdin_name: flags.stdin_filename,
    })
}

fn krm(flags: KrmFlags) -> Result<Krm, String> {
    let bound = flags.bind.resolve(&[])?;
    if bound.iter().any(|bound| bound.file == InputPath::Stdin) {
        return Err("`-b` cannot read standard input: it is the ResourceList".to_owned());
    }
    Ok(Krm {
        bound,
        root: flags.root,
        stdin_name: flags.stdin_filename,
        policies: policies(flags.policy, flags.unused.unused, None),
    })
}

fn migrate(flags: MigrateFlags) -> Result<Migrate, String> {
    if flags.inputs.dialect.is_some() {
        return Err(
            "--dialect cannot be used with `migrate`: `--from` names the dialect".to_owned(),
        );
    }
    let inputs = flags.inputs.resolve(Some(Unused::Ignore))?;
    if flags.write && inputs.paths.contains(&InputPath::Stdin) {
        return Err("--write cannot be used with standard input (`-`): name the file".to_owned());
    }
    Ok(Migrate {
        inputs,
        dialect: flags.from.id(),
        writes: flags.write,
        is_partial: flags.partial,
    })
}

fn expand(flags: ExpandFlags) -> Result<Expand, String> {
    let ExpandFlags {
        paths,
        clusters,
        output_dir,
        prune,
        stdin_filename,
    } = flags;
    let paths: Vec<_> = paths
        .iter()
        .map(|path| input_path(path.as_os_str()))
        .collect();
    let clusters: Vec<_> = clusters
        .iter()
        .map(|path| input_path(path.as_os_str()))
        .collect();
    read_stdin_once(paths.iter().chain(&clusters))?;
    if prune && output_dir.is_none() {
        return Err(
            "--prune requires --output-dir: it removes files that earlier runs wrote there"
                .to_owned(),
        );
    }
    Ok(Expand {
        paths,
        clusters,
        output_dir,
        prune,
        stdin_name: stdin_filename,
    })
}

/// Resolves `--each` for these inputs.
fn each(
    flags: EachFlags,
    inputs: &Inputs,
    environment: &Environment<'_>,
    is_quiet: bool,
) -> Result<Option<Each>, String> {
    let paths = inputs.paths.iter().filter_map(|path| match path {
        InputPath::Path(path) => Some(path.clone()),
        InputPath::Stdin => None,
    });
    let paths: Vec<_> = paths.collect();
    flags.resolve(&paths, &inputs.parameters, environment, is_quiet)
}

fn diff(flags: DiffFlags) -> Result<Command, String> {
    let DiffFlags {
        from,
        to,
        plan,
        inputs,
        programs,
        output,
    } = flags;
    let from = bound_files(BindingFlag::From, &from, &[])?;
    let to = bound_files(BindingFlag::To, &to, &[])?;
    for (these, flag, those, other) in [
        (&from, "--from", &to, "--to"),
        (&to, "--to", &from, "--from"),
    ] {
        if let Some(name) = only_in(these, those) {
            return Err(format!(
                "{flag} binds `{name}`, but {other} does not: use `{other} {name}=FILE`"
            ));
        }
    }
    let plans = bound_files(BindingFlag::Plan, &plan, &[])?;
    let mut inputs = inputs.resolve(None)?;
    for (flag, documents) in [(BindingFlag::From, from), (BindingFlag::Plan, plans)] {
        let earlier = &inputs.bound;
        if let Some(bound) = documents.iter().find(|bound| binds(earlier, &bound.name)) {
            let name = &bound.name;
            let other = if binds(&to, name) && flag == BindingFlag::Plan {
                "--from"
            } else {
                "-b"
            };
            return Err(format!(
                "`{name}` is bound by both `{other}` and {}: remove `{other}`",
                flag.as_str()
            ));
        }
        inputs.bound.extend(documents);
    }
    let mut names = BTreeSet::new();
    let mut plans = inputs
        .bound
        .iter()
        .filter(|bound| bound.flag == BindingFlag::Plan);
    if let Some(again) = plans.find(|plan| !names.insert(&plan.name)) {
        return Err(format!("--plan binds `{}` twice", again.name));
    }
    let files = inputs.bound.iter().chain(&to).map(|bound| &bound.file);
    read_stdin_once(files.chain(&inputs.paths).chain(&inputs.config))?;
    Ok(Command::Diff {
        inputs,
        programs: programs.resolve(),
        to,
        format: match output {
            DiffOutput::Text => DiffFormat::Text,
            DiffOutput::Json => DiffFormat::Json,
            DiffOutput::Markdown => DiffFormat::Markdown,
        },
    })
}

/// Returns a name that `these` bind and `those` do not.
fn only_in<'b>(these: &'b [BoundFile], those: &[BoundFile]) -> Option<&'b str> {
    let mut names = these.iter().map(|bound| bound.name.as_str());
    names.find(|name| !binds(those, name))
}

fn binds(files: &[BoundFile], name: &str) -> bool {
    files.iter().any(|bound| bound.name == name)
}

const fn check_format(output: CheckOutput) -> CheckFormat {
    match output {
        CheckOutput::Text => CheckFormat::Text,
        CheckOutput::Json => CheckFormat::Report(Format::Json),
        CheckOutput::Sarif => CheckFormat::Report(Format::Sarif),
        CheckOutput::Github => CheckFormat::Report(Format::Github),
        CheckOutput::Junit => CheckFormat::Report(Format::Junit),
    }
}

fn cmp(flags: CmpFlags, environment: &Environment<'_>) -> Result<Cmp, String> {
    let bound = flags.bind.resolve(&[])?;
    let config = flags.config.map(|path| input_path(path.as_os_str()));
    if bound
        .iter()
        .map(|bound| &bound.file)
        .chain(&config)
        .any(|place| *place == InputPath::Stdin)
    {
        return Err("`-` cannot be used here: Argo CD gives a plugin no standard input".to_owned());
    }
    let programs = flags.programs.resolve();
    let is_relative = |program: &PathBuf| program.components().count() > 1 && program.is_relative();
    for (flag, program) in [
        ("--kustomize", &programs.kustomize),
        ("--helm", &programs.helm),
    ] {
        if program.as_ref().is_some_and(is_relative) {
            return Err(format!(
                "{flag} requires an absolute path here: a relative one would be a file of the application"
            ));
        }
    }
    let operator_policy = operator_path(
        "--operator-policy",
        flags.operator_policy,
        OPERATOR_POLICY,
        environment,
    );
    if flags.allow_sensitive && operator_policy.is_some() {
        return Err(format!(
            "--allow-sensitive cannot be used together with {OPERATOR_POLICY}: set `sensitive: {{kinds: [Secret]}}` in the policy"
        ));
    }
    Ok(Cmp {
        bound,
        programs,
        config,
        operator_policy,
        allows_sensitive: flags.allow_sensitive,
        allows_secret_files: flags.allow_secret_files,
        policies: policies(flags.policy, flags.unused.unused, None),
        mounted: flags.mounted.resolve_for_operator(environment)?,
        digest_key: operator_path("--digest-key", flags.digest_key, DIGEST_KEY, environment),
        deadline: flags.deadline.unwrap_or(DEADLINE),
    })
}

fn report(flags: &CommonFlags, environment: &Environment<'_>) -> ReportSettings {
    let verbosity = match (flags.quiet, flags.verbose) {
        (true, _) => Verbosity::Quiet,
        (false, true) => Verbosity::Verbose,
        (false, false) => Verbosity::Normal,
    };
    ReportSettings {
        verbosity,
        color: color::is_enabled(flags.color, environment),
        unused_notes: false,
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
