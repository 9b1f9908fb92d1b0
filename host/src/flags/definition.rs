//! What may be typed. Every subcommand's flags are built only when that
//! subcommand is called: start-up is a millisecond in all.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Command, FromArgMatches, Subcommand, ValueEnum};

use super::policy::{PolicyFlags, UnusedFlag};
use super::{help, quantity};

/// The whole command line as it was typed.
pub(super) struct Typed {
    pub(super) common: CommonFlags,
    pub(super) command: TypedCommand,
}

pub(super) enum TypedCommand {
    Render(RenderFlags),
    Check(CheckFlags),
    Explain(ExplainFlags),
    Krm(KrmFlags),
    CmpGenerate(CmpFlags),
    CmpDiscover(CmpFlags),
}

impl Typed {
    pub(super) fn from_matches(matches: &clap::ArgMatches) -> Result<Self, clap::Error> {
        let common = CommonFlags::from_arg_matches(matches)?;
        let command = match matches.subcommand() {
            Some(("render", flags)) => TypedCommand::Render(RenderFlags::from_arg_matches(flags)?),
            Some(("check", flags)) => TypedCommand::Check(CheckFlags::from_arg_matches(flags)?),
            Some(("explain", flags)) => {
                TypedCommand::Explain(ExplainFlags::from_arg_matches(flags)?)
            }
            Some(("krm", flags)) => TypedCommand::Krm(KrmFlags::from_arg_matches(flags)?),
            Some(("cmp", flags)) => match CmpCall::from_arg_matches(flags)? {
                CmpCall::Generate(flags) => TypedCommand::CmpGenerate(flags),
                CmpCall::Discover(flags) => TypedCommand::CmpDiscover(flags),
            },
            _ => return Err(clap::Error::new(clap::error::ErrorKind::MissingSubcommand)),
        };
        Ok(Self { common, command })
    }
}

pub(super) fn command() -> Command {
    let command = Command::new("landfall")
        .version(env!("CARGO_PKG_VERSION"))
        .about(help::ABOUT)
        .after_help(help::EXAMPLES)
        .after_long_help(help::EXAMPLES_AND_MORE)
        .subcommand_required(true)
        .arg_required_else_help(true)
        .infer_long_args(false);
    CommonFlags::augment_args(command)
        .subcommand(
            Command::new("render")
                .about(help::RENDER)
                .after_help(help::RENDER_EXAMPLES)
                .defer(RenderFlags::augment_args),
        )
        .subcommand(
            Command::new("check")
                .about(help::CHECK)
                .after_help(help::CHECK_EXAMPLES)
                .defer(CheckFlags::augment_args),
        )
        .subcommand(
            Command::new("explain")
                .about(help::EXPLAIN)
                .after_help(help::EXPLAIN_EXAMPLES)
                .defer(ExplainFlags::augment_args),
        )
        .subcommand(
            Command::new("krm")
                .about(help::KRM)
                .after_help(help::KRM_EXAMPLES)
                .defer(KrmFlags::augment_args),
        )
        .subcommand(
            Command::new("cmp")
                .about(help::CMP)
                .after_help(help::CMP_EXAMPLES)
                .defer(|command| CmpCall::augment_subcommands(command).subcommand_required(true)),
        )
}

// Flags that every subcommand has, before or after its name. No doc comments on
// these structs: clap would take them for the command's own description.
#[derive(Args)]
#[command(next_display_order = 100)]
pub(super) struct CommonFlags {
    /// Show errors only, no warnings and notes
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    pub(super) quiet: bool,

    /// Show all errors, however many, and say what was done
    #[arg(short, long, global = true)]
    pub(super) verbose: bool,

    /// Make every warning an error
    #[arg(long, global = true)]
    pub(super) strict: bool,

    /// When to colour diagnostics; NO_COLOR, FORCE_COLOR and CLICOLOR_FORCE are honoured
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    pub(super) color: When,

    /// The most bytes to read, all files together [default: 256MiB]
    #[arg(long, global = true, value_name = "SIZE", value_parser = quantity::size, help_heading = help::LIMITS)]
    pub(super) max_input: Option<u64>,

    /// The most memory for the module [default: 1GiB]
    #[arg(long, global = true, value_name = "SIZE", value_parser = quantity::size, help_heading = help::LIMITS)]
    pub(super) max_memory: Option<u64>,

    /// The longest time for the module [default: 60s]
    #[arg(long, global = true, value_name = "TIME", value_parser = quantity::duration, help_heading = help::LIMITS)]
    pub(super) max_time: Option<Duration>,

    /// The most bytes that substituted values may have together [default: 256MiB]
    #[arg(long, global = true, value_name = "SIZE", value_parser = quantity::size, help_heading = help::LIMITS)]
    pub(super) max_answer: Option<u64>,
}

#[derive(Clone, Copy, ValueEnum)]
pub(super) enum When {
    Auto,
    Always,
    Never,
}

#[derive(Args)]
#[command(next_display_order = 20)]
pub(super) struct InputFlags {
    /// Folders and files of manifests; `-` is standard input
    ///
    /// A folder with a `landfall.yaml` is an application: this Binding says which of
    /// its files, at any depth, are manifests and which outputs documents belong to
    /// it. A path inside an application is rendered as a part of it; a folder of
    /// applications renders all of them. A file without a Binding in a folder above
    /// it is taken as it is.
    #[arg(value_name = "PATH", default_value = ".")]
    pub(super) paths: Vec<PathBuf>,

    #[command(flatten)]
    pub(super) bind: BindFlags,

    /// The Binding to use, in place of the nearest landfall.yaml
    #[arg(short, long, value_name = "FILE")]
    pub(super) config: Option<PathBuf>,

    /// The folder that files named by a Binding may not leave [default: the Git work tree]
    #[arg(long, value_name = "DIR")]
    pub(super) root: Option<PathBuf>,

    /// What diagnostics call standard input
    #[arg(long, value_name = "NAME")]
    pub(super) stdin_filename: Option<String>,

    #[command(flatten)]
    pub(super) policy: PolicyFlags,
}

#[derive(Args)]
#[command(next_display_order = 10)]
pub(super) struct BindFlags {
    /// Bind an outputs document; without a name it is `infra`
    ///
    /// References name it: `-b network=net.json` answers `${network.vpc_id}`.
    /// May be given several times, for one name too: later documents win. It
    /// stands in for what the Binding says about that name. FILE may be `-`.
    #[arg(short, long = "bind", value_name = "[NAME=]FILE")]
    pub(super) bind: Vec<OsString>,
}

#[derive(Args)]
#[command(next_display_order = 20)]
pub(super) struct RenderFlags {
    #[command(flatten)]
    pub(super) inputs: InputFlags,

    #[command(flatten)]
    pub(super) unused: UnusedFlag,

    /// Write files into DIR, under their paths in the rendered folder, instead
    /// of a stream to standard output. All of them or, on an error, none
    #[arg(long, value_name = "DIR", conflicts_with = "in_place")]
    pub(super) output_dir: Option<PathBuf>,

    /// With --output-dir: remove the files that an earlier run wrote into DIR and this
    /// one does not
    ///
    /// DIR/.landfall/written is the record of those files. One that was changed since
    /// stays, with a warning. A DIR belongs to one command: what another one wrote
    /// there is removed as well.
    #[arg(long)]
    pub(super) prune: bool,

    /// Render setter comments, and write the files that change over themselves
    ///
    /// `vpcId: vpc-0ab1  # landfall: ${infra.vpc_id}` gets the value of today and
    /// keeps its comment: it is valid without landfall, and can be rendered again
    /// and again. References outside of such comments stay as they are, and field
    /// bindings do nothing. All files are written or, on an error, none; nothing
    /// goes to standard output.
    #[arg(long)]
    pub(super) in_place: bool,

    /// With --in-place: put values in the place of references too, which then are
    /// gone, and into the targets of field bindings
    #[arg(long)]
    pub(super) replace_references: bool,
}

#[derive(Args)]
#[command(next_display_order = 20)]
pub(super) struct CheckFlags {
    #[command(flatten)]
    pub(super) inputs: InputFlags,

    #[command(flatten)]
    pub(super) unused: UnusedFlag,

    /// How to tell what is found: text for people goes to standard error, all
    /// else to standard output
    #[arg(short, long, value_name = "FORMAT", default_value = "text")]
    pub(super) output: CheckOutput,

    /// The gate at the end of a pipeline: fail when manifests that were rendered still
    /// hold references
    ///
    /// Nothing is rendered. Names come from `-b` and `--config`, whose documents are not
    /// opened; without them, whatever reads as a reference is one. References in block
    /// scalars, in embedded documents and in the base64 of Secrets count too, those in
    /// comments do not.
    #[arg(long)]
    pub(super) no_references: bool,

    /// With --no-references: text that begins with TEXT is meant, such as what
    /// `$${infra.x}` became
    #[arg(long, value_name = "TEXT", requires = "no_references")]
    pub(super) allow: Vec<String>,
}

#[derive(Clone, Copy, ValueEnum)]
pub(super) enum CheckOutput {
    /// As a compiler does, with the lines of every file that has a part in it
    Text,
    /// Versioned data, see docs/schemas
    Json,
    /// SARIF 2.1.0, for code scanning
    Sarif,
    /// Annotations of GitHub Actions, ten at most
    Github,
    /// JUnit XML, a test case for each manifest
    Junit,
}

#[derive(Args)]
#[command(next_display_order = 20)]
pub(super) struct ExplainFlags {
    #[command(flatten)]
    pub(super) inputs: InputFlags,

    /// How to tell it
    #[arg(short, long, value_name = "FORMAT", default_value = "text")]
    pub(super) output: ExplainOutput,

    /// Show the bound outputs that nothing uses instead
    #[arg(long)]
    pub(super) unused: bool,
}

#[derive(Clone, Copy, ValueEnum)]
pub(super) enum ExplainOutput {
    /// A table
    Text,
    /// Versioned data, see docs/schemas
    Json,
}

#[derive(Args)]
#[command(next_display_order = 20)]
pub(super) struct KrmFlags {
    #[command(flatten)]
    pub(super) bind: BindFlags,

    /// The folder that files named by the functionConfig may not leave [default: the current folder]
    #[arg(long, value_name = "DIR")]
    pub(super) root: Option<PathBuf>,

    /// What diagnostics call the ResourceList
    #[arg(long, value_name = "NAME")]
    pub(super) stdin_filename: Option<String>,

    #[command(flatten)]
    pub(super) policy: PolicyFlags,

    #[command(flatten)]
    pub(super) unused: UnusedFlag,
}

#[derive(Subcommand)]
enum CmpCall {
    /// Write the application's manifests (plugin.yaml: spec.generate)
    Generate(CmpFlags),
    /// Print a line when the folder is landfall's, else nothing (plugin.yaml: spec.discover.find)
    Discover(CmpFlags),
}

#[derive(Args)]
#[command(next_display_order = 20)]
pub(super) struct CmpFlags {
    #[command(flatten)]
    pub(super) bind: BindFlags,

    /// The Binding to use, in place of the application's own landfall.yaml
    #[arg(short, long, value_name = "FILE")]
    pub(super) config: Option<PathBuf>,

    /// The operator's policy: the loosest policies that a Binding or a flag may set
    ///
    /// Each key that it states replaces landfall's own ceiling for Argo CD, which
    /// keeps rendered manifests in plain text: sensitive: {kinds: [], inside: []},
    /// nonsensitive and sensitiveContract: refuse, missing, unpublished and
    /// noResources: error.
    #[arg(long, value_name = "FILE")]
    pub(super) operator_policy: Option<PathBuf>,

    #[command(flatten)]
    pub(super) policy: PolicyFlags,

    #[command(flatten)]
    pub(super) unused: UnusedFlag,
}
