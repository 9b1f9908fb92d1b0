//! The flags as clap parses them. The flags of a subcommand are built only when that
//! subcommand is called, to keep the start-up time at a millisecond.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Command, Subcommand, ValueEnum};

use super::argocd::ArgocdCall;
use super::color::When;
use super::each::{EachFlags, JobsFlag};
use super::export::ExportCall;
use super::help;
use super::inputs::{BindFlags, InputFlags, MountedFlags, OutputsFlags, ProgramFlags};
use super::policy::{OtherDialect, PolicyFlags, UnusedFlag};
use super::quantity;

/// The parsed command line, before [`super::resolve`] validates it.
#[derive(Args)]
pub(super) struct LowArgs {
    #[command(flatten)]
    pub(super) common: CommonFlags,

    #[command(subcommand)]
    pub(super) command: LowCommand,
}

#[derive(Subcommand)]
#[command(defer = true)]
pub(super) enum LowCommand {
    /// Substitute outputs into manifests
    #[command(after_help = help::RENDER_EXAMPLES)]
    Render(RenderFlags),
    /// Report all problems without writing anything
    #[command(after_help = help::CHECK_EXAMPLES)]
    Check(CheckFlags),
    /// Show where each value came from
    #[command(after_help = help::EXPLAIN_EXAMPLES)]
    Explain(ExplainFlags),
    /// Show what a change of outputs does to manifests
    #[command(after_help = help::DIFF_EXAMPLES)]
    Diff(DiffFlags),
    /// Replace hard-coded values that equal outputs with references
    #[command(after_help = help::ADOPT_EXAMPLES)]
    Adopt(AdoptFlags),
    /// Rewrite manifests of Flux or kpt in landfall's own dialect
    #[command(after_help = help::MIGRATE_EXAMPLES)]
    Migrate(MigrateFlags),
    /// Check outputs documents, and write contracts for them
    #[command(after_help = help::OUTPUTS_EXAMPLES)]
    Outputs(Group<OutputsCall>),
    /// Write placeholder outputs that satisfy a contract
    #[command(after_help = help::SAMPLE_EXAMPLES)]
    Sample(SampleFlags),
    /// Write the Applications that Argo CD's ApplicationSets make
    #[command(after_help = help::EXPAND_EXAMPLES)]
    Expand(ExpandFlags),
    /// Write outputs in the format of another tool
    #[command(after_help = help::EXPORT_EXAMPLES)]
    Export(Group<ExportCall>),
    /// Print the digest of outputs documents that are mounted under Argo CD
    #[command(after_help = help::STAMP_EXAMPLES)]
    Stamp(StampFlags),
    /// Run as a KRM function: read a ResourceList from standard input, write it to standard output
    #[command(after_help = help::KRM_EXAMPLES)]
    Krm(KrmFlags),
    /// Run as a plugin of Helm
    #[command(after_help = help::HELM_EXAMPLES)]
    Helm(Group<HelmCall>),
    /// Copy this command to a folder in which kustomize, kpt and plugins of Helm find it
    #[command(after_help = help::INSTALL_EXAMPLES)]
    Install {
        /// Folder on PATH
        #[arg(value_name = "DIR")]
        folder: PathBuf,
    },
    /// Run as an Argo CD config management plugin
    #[command(after_help = help::CMP_EXAMPLES)]
    Cmp(Group<CmpCall>),
    /// Install landfall in Argo CD, and check that it works
    #[command(after_help = help::ARGOCD_EXAMPLES)]
    Argocd(Group<ArgocdCall>),
}

#[derive(Args)]
#[command(arg_required_else_help = false)]
pub(super) struct Group<Call: Subcommand> {
    #[command(subcommand)]
    pub(super) call: Call,
}

#[derive(Subcommand)]
#[command(defer = true)]
pub(super) enum CmpCall {
    /// Check what the operator has configured (plugin.yaml: spec.init)
    Init(CmpFlags),
    /// Print a line if the folder has a Binding, nothing otherwise (plugin.yaml: spec.discover.find)
    Discover(CmpFlags),
    /// Write the parameters that the application has as JSON (plugin.yaml: spec.parameters.dynamic)
    Parameters(CmpFlags),
    /// Write the application's manifests to standard output (plugin.yaml: spec.generate)
    Generate(CmpFlags),
}

#[derive(Subcommand)]
pub(super) enum HelmCall {
    /// Write a values file with outputs in place of its references (plugin.yaml of the getter)
    Values {
        /// Path of the file, relative to the current folder
        #[arg(value_name = "landfall://PATH")]
        url: String,
    },
}

/// Returns the complete command.
pub(super) fn command() -> Command {
    LowCommand::augment_subcommands(program())
}

/// Returns the command with only the subcommand that a command line starts with. If it
/// fails, [`command`] gives the same error with all suggestions, and the complete help.
///
/// clap copies the common flags into every subcommand, which takes longer than all the rest
/// of parsing.
pub(super) fn called_command(arguments: &[OsString]) -> Option<Command> {
    let find = |calls: Command, position: usize| {
        let name = arguments.get(position)?.to_str()?;
        calls.find_subcommand(name).cloned()
    };
    let mut called = find(LowCommand::augment_subcommands(Command::new("landfall")), 1)?;
    if called.get_name() == "cmp"
        && let Some(call) = find(CmpCall::augment_subcommands(Command::new("cmp")), 2)
    {
        called = Command::new("cmp").subcommand(call);
    }
    let program = program().disable_help_subcommand(true);
    Some(program.subcommand(called.disable_help_subcommand(true)))
}

fn program() -> Command {
    let command = Command::new("landfall")
        .version(env!("CARGO_PKG_VERSION"))
        .about(help::ABOUT)
        .after_help(help::EXAMPLES)
        .after_long_help(help::EXAMPLES_AND_MORE)
        .subcommand_required(true)
        .arg_required_else_help(true)
        .infer_long_args(false);
    CommonFlags::augment_args(command)
}

// Flags of every subcommand, accepted before or after its name. These structs have no
// doc comments because clap would use them as the description of the command.
#[derive(Args)]
#[command(next_display_order = 100)]
pub(super) struct CommonFlags {
    /// Show errors only, no warnings or notes
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    pub(super) quiet: bool,

    /// Show all errors instead of the first 50, and summarize what was done
    #[arg(short, long, global = true)]
    pub(super) verbose: bool,

    /// Treat warnings as errors
    #[arg(long, global = true)]
    pub(super) strict: bool,

    /// When to colour diagnostics; honours NO_COLOR, FORCE_COLOR and CLICOLOR_FORCE
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    pub(super) color: When,

    /// Maximum total size of all files read, with --each for each cluster [default: 256MiB]
    #[arg(long, global = true, value_name = "SIZE", value_parser = quantity::size, help_heading = help::LIMITS)]
    pub(super) max_input: Option<u64>,

    /// Maximum memory of the module [default: 1GiB]
    #[arg(long, global = true, value_name = "SIZE", value_parser = quantity::size, help_heading = help::LIMITS)]
    pub(super) max_memory: Option<u64>,

    /// Maximum run time of the module, with --each for each cluster [default: 60s]
    #[arg(long, global = true, value_name = "TIME", value_parser = quantity::duration, help_heading = help::LIMITS)]
    pub(super) max_time: Option<Duration>,

    /// Maximum total size of all substituted values, with --each for each cluster [default: 256MiB]
    #[arg(long, global = true, value_name = "SIZE", value_parser = quantity::size, help_heading = help::LIMITS)]
    pub(super) max_answer: Option<u64>,
}

#[derive(Args)]
#[command(next_display_order = 20)]
pub(super) struct RenderFlags {
    #[command(flatten)]
    pub(super) inputs: InputFlags,

    #[command(flatten)]
    pub(super) each: EachFlags,

    #[command(flatten)]
    pub(super) jobs: JobsFlag,

    #[command(flatten)]
    pub(super) unused: UnusedFlag,

    #[command(flatten)]
    pub(super) programs: ProgramFlags,

    /// Write files into DIR instead of a stream to standard output
    ///
    /// Files keep their paths relative to the rendered folder. Either all files are
    /// written or, if there is an error, none. With --each, DIR contains `{name}`.
    #[arg(long, value_name = "DIR", conflicts_with = "in_place")]
    pub(super) output_dir: Option<PathBuf>,

    /// With --output-dir, remove files that earlier runs wrote and this run does not
    ///
    /// DIR/.landfall/written records the files that were written. Files that were
    /// modified since then are kept, with a warning. Use a separate DIR for each command:
    /// files that another command wrote into DIR are removed too.
    #[arg(long)]
    pub(super) prune: bool,

    /// Update setter comments in the manifest files themselves
    ///
    /// `vpcId: vpc-0ab1  # landfall: ${infra.vpc_id}` gets the current value and keeps
    /// its comment, so that the manifest stays valid without landfall and can be
    /// rendered again. References outside setter comments are left as they are, and
    /// field bindings are not applied. Either all files are written or, if there is an
    /// error, none. Nothing is written to standard output.
    #[arg(long, conflicts_with = "each")]
    pub(super) in_place: bool,

    /// With --in-place, also replace references by their values, which removes the
    /// references from the files, and apply field bindings
    #[arg(long)]
    pub(super) replace_references: bool,

    /// With --in-place, list the files that would change instead of writing them
    ///
    /// The exit code is 1 if a file would change, and 0 if all are up to date.
    #[arg(long)]
    pub(super) check: bool,
}

#[derive(Args)]
#[command(next_display_order = 20)]
pub(super) struct CheckFlags {
    #[command(flatten)]
    pub(super) inputs: InputFlags,

    #[command(flatten)]
    pub(super) each: EachFlags,

    #[command(flatten)]
    pub(super) jobs: JobsFlag,

    #[command(flatten)]
    pub(super) unused: UnusedFlag,

    #[command(flatten)]
    pub(super) programs: ProgramFlags,

    /// Report format; `text` is written to standard error, all others to standard output
    #[arg(short, long, value_name = "FORMAT", default_value = "text")]
    pub(super) output: CheckOutput,

    /// Fail if rendered manifests still contain references
    ///
    /// Meant as the last step of a pipeline; nothing is rendered. The bound names are
    /// taken from `-b` and `--config`, without opening the outputs documents. If neither
    /// is given, any text that parses as a reference is reported. References in block
    /// scalars, embedded documents and the base64 data of Secrets are found too;
    /// comments are ignored. Empty input is an error, unless --no-resources is `allow`.
    #[arg(long, conflicts_with = "each")]
    pub(super) no_references: bool,

    /// Check references against the `output` blocks of Terraform code
    ///
    /// Fails on each reference to an output that the code in DIR does not declare. No
    /// outputs document is needed. Values are unknown, so only names and the use of
    /// sensitive outputs are checked. NAME is `infra` by default. Can be repeated.
    #[arg(long, value_name = "[NAME=]DIR", conflicts_with_all = ["no_references", "each"])]
    pub(super) outputs_from_terraform: Vec<OsString>,

    /// With --no-references, ignore references that start with TEXT, such as those
    /// escaped as `$${infra.x}`
    #[arg(long, value_name = "TEXT", requires = "no_references")]
    pub(super) allow: Vec<String>,
}

#[derive(Clone, Copy, ValueEnum)]
pub(super) enum CheckOutput {
    /// Compiler-style diagnostics with excerpts of all files involved
    Text,
    /// Versioned JSON, see docs/schemas
    Json,
    /// SARIF 2.1.0, for code scanning
    Sarif,
    /// GitHub Actions annotations, at most ten
    Github,
    /// JUnit XML with one test case per manifest
    Junit,
}

#[derive(Args)]
#[command(next_display_order = 20)]
pub(super) struct ExplainFlags {
    #[command(flatten)]
    pub(super) inputs: InputFlags,

    /// Output format
    #[arg(short, long, value_name = "FORMAT", default_value = "text")]
    pub(super) output: ExplainOutput,

    /// List the bound outputs that nothing uses instead
    #[arg(long)]
    pub(super) unused: bool,
}

#[derive(Clone, Copy, ValueEnum)]
pub(super) enum ExplainOutput {
    /// For reading
    Text,
    /// Versioned JSON, see docs/schemas
    Json,
}

#[derive(Subcommand)]
pub(super) enum OutputsCall {
    /// Report all problems with outputs documents: what cannot be read, and what violates the contract
    #[command(after_help = help::OUTPUTS_CHECK_EXAMPLES)]
    Check(OutputsCheckFlags),
    /// Write the contract that outputs documents satisfy: names and types, and no values
    #[command(after_help = help::OUTPUTS_CONTRACT_EXAMPLES)]
    Contract(OutputsContractFlags),
}

#[derive(Args)]
#[command(next_display_order = 20)]
pub(super) struct OutputsCheckFlags {
    #[command(flatten)]
    pub(super) outputs: OutputsFlags,

    /// Contract that the outputs must satisfy [default: that of the Binding, if any]
    #[arg(long, value_name = "FILE")]
    pub(super) contract: Option<PathBuf>,

    /// Report format; `text` is written to standard error, all others to standard output
    #[arg(short, long, value_name = "FORMAT", default_value = "text")]
    pub(super) output: CheckOutput,
}

#[derive(Args)]
#[command(next_display_order = 20)]
pub(super) struct OutputsContractFlags {
    #[command(flatten)]
    pub(super) outputs: OutputsFlags,

    /// Read the `output` blocks of Terraform code instead of outputs documents
    ///
    /// Reads the *.tf, *.tofu, *.tf.json and *.tofu.json files in DIR, without its
    /// subfolders. The contract has the name of each output and whether it is sensitive;
    /// its type only where the code states it. NAME is `infra` by default.
    #[arg(long, value_name = "[NAME=]DIR", conflicts_with_all = ["bind", "config", "root"])]
    pub(super) from_terraform: Option<OsString>,
}

#[derive(Args)]
#[command(next_display_order = 20)]
pub(super) struct SampleFlags {
    /// Contract that the sample values satisfy; `-` reads standard input
    #[arg(long, value_name = "FILE")]
    pub(super) contract: PathBuf,

    /// Bound name whose document is written; required if the contract has several
    #[arg(long, value_name = "NAME")]
    pub(super) name: Option<String>,

    /// Name of standard input in diagnostics
    #[arg(long, value_name = "NAME")]
    pub(super) stdin_filename: Option<String>,
}

#[derive(Args)]
#[command(next_display_order = 20)]
pub(super) struct StampFlags {
    #[command(flatten)]
    pub(super) bind: BindFlags,

    /// Binding that may declare outputs of these documents sensitive [default: the nearest landfall.yaml]
    #[arg(short, long, value_name = "FILE")]
    pub(super) config: Option<PathBuf>,

    /// Use no Binding, even where there is a landfall.yaml
    #[arg(long, conflicts_with = "config")]
    pub(super) no_binding: bool,

    /// Key of the digest, required if an output is sensitive
    ///
    /// At least 16 bytes, without the line breaks at the end of FILE. The operator mounts
    /// the same key with `landfall argocd install --digest-key`.
    #[arg(long, value_name = "FILE")]
    pub(super) digest_key: Option<PathBuf>,

    /// Outputs of these documents are not sensitive unless they are marked
    ///
    /// For documents that the operator mounts with the flag of the same name.
    #[arg(long)]
    pub(super) mounted_outputs_public: bool,

    /// Name of standard input in diagnostics
    #[arg(long, value_name = "NAME")]
    pub(super) stdin_filename: Option<String>,
}

#[derive(Args)]
#[command(next_display_order = 20)]
pub(super) struct DiffFlags {
    /// Old outputs document of a name, `infra` by default
    ///
    /// Can be repeated, like `-b`. Every name must be given to both --from and --to. All
    /// other names have the same documents on both sides, by the Binding or by `-b`.
    #[arg(
        long,
        value_name = "[NAME=]FILE",
        required_unless_present = "plan",
        display_order = 1
    )]
    pub(super) from: Vec<OsString>,

    /// New outputs document of a name, `infra` by default
    #[arg(
        long,
        value_name = "[NAME=]FILE",
        required_unless_present = "plan",
        display_order = 2
    )]
    pub(super) to: Vec<OsString>,

    /// Terraform plan with the old and the new outputs of a name, `infra` by default
    ///
    /// The JSON that `terraform show -json PLAN` writes. Can be repeated, instead of --from
    /// and --to or with them for other names.
    #[arg(long, value_name = "[NAME=]FILE", display_order = 3)]
    pub(super) plan: Vec<OsString>,

    #[command(flatten)]
    pub(super) inputs: InputFlags,

    #[command(flatten)]
    pub(super) programs: ProgramFlags,

    /// Output format
    #[arg(short, long, value_name = "FORMAT", default_value = "text")]
    pub(super) output: DiffOutput,
}

#[derive(Args)]
#[command(next_display_order = 20)]
pub(super) struct AdoptFlags {
    #[command(flatten)]
    pub(super) inputs: InputFlags,

    /// Write the manifest files, instead of only showing what would change
    ///
    /// Either all files are written or, if there is an error, none. Rendering them with
    /// the same outputs gives the bytes that rendering them gave before.
    #[arg(long)]
    pub(super) write: bool,

    /// Output format
    #[arg(short, long, value_name = "FORMAT", default_value = "text")]
    pub(super) output: ExplainOutput,
}

#[derive(Args)]
#[command(next_display_order = 20)]
pub(super) struct MigrateFlags {
    /// How the manifests write references now
    #[arg(long, value_name = "DIALECT", display_order = 1)]
    pub(super) from: OtherDialect,

    #[command(flatten)]
    pub(super) inputs: InputFlags,

    /// Write the files, instead of only showing what would change
    ///
    /// Either all files are written or, if there is an error or a reference cannot be
    /// migrated, none.
    #[arg(long)]
    pub(super) write: bool,

    /// Write the files that are migrated completely, even if others are not
    #[arg(long, requires = "write")]
    pub(super) partial: bool,
}

#[derive(Args)]
#[command(next_display_order = 20)]
pub(super) struct ExpandFlags {
    /// Files with ApplicationSets, folders of them, or `-` for standard input
    #[arg(value_name = "APPLICATIONSET", required = true)]
    pub(super) paths: Vec<PathBuf>,

    /// File or folder with the Secrets of registered clusters, or `-` for standard input
    ///
    /// Can be repeated. A file may have many Secrets, as a stream or as the List that
    /// `kubectl get secret -o yaml` writes. The credentials in them are not read. As in Argo
    /// CD, `in-cluster` is added if no Secret registers https://kubernetes.default.svc.
    #[arg(long, value_name = "PATH")]
    pub(super) clusters: Vec<PathBuf>,

    /// Write a file for each Application into DIR instead of a stream to standard output
    ///
    /// The files are named after their Applications. Either all are written or, if there is
    /// an error, none.
    #[arg(long, value_name = "DIR")]
    pub(super) output_dir: Option<PathBuf>,

    /// With --output-dir, remove files that earlier runs wrote and this run does not
    #[arg(long)]
    pub(super) prune: bool,

    /// Name of standard input in diagnostics
    #[arg(long, value_name = "NAME")]
    pub(super) stdin_filename: Option<String>,
}

#[derive(Clone, Copy, ValueEnum)]
pub(super) enum DiffOutput {
    /// Changes by application and resource
    Text,
    /// Versioned JSON, see docs/schemas
    Json,
    /// Tables for a comment on a pull request
    Markdown,
}

#[derive(Args)]
#[command(next_display_order = 20)]
pub(super) struct KrmFlags {
    #[command(flatten)]
    pub(super) bind: BindFlags,

    /// Folder that must contain all files the functionConfig names [default: the current folder]
    #[arg(long, value_name = "DIR")]
    pub(super) root: Option<PathBuf>,

    /// Name of the ResourceList in diagnostics
    #[arg(long, value_name = "NAME")]
    pub(super) stdin_filename: Option<String>,

    #[command(flatten)]
    pub(super) policy: PolicyFlags,

    #[command(flatten)]
    pub(super) unused: UnusedFlag,
}

#[derive(Args)]
#[command(next_display_order = 20)]
pub(super) struct CmpFlags {
    #[command(flatten)]
    pub(super) bind: BindFlags,

    /// Use this Binding instead of the application's own landfall.yaml
    #[arg(short, long, value_name = "FILE")]
    pub(super) config: Option<PathBuf>,

    /// Operator's policy: the loosest policies that a Binding or a flag may set
    ///
    /// Each key in FILE replaces that key of the built-in ceiling. Because Argo CD
    /// stores rendered manifests in plain text, the built-in ceiling is `sensitive:
    /// {kinds: [], inside: []}`, `nonsensitive` and `sensitiveContract: refuse`, and
    /// `missing`, `unpublished` and `noResources: error`. Without this flag, the variable
    /// LANDFALL_OPERATOR_POLICY names FILE.
    #[arg(long, value_name = "FILE")]
    pub(super) operator_policy: Option<PathBuf>,

    /// Allow sensitive outputs in Secrets, which Argo CD stores in plain text
    ///
    /// Short for an operator's policy with `sensitive: {kinds: [Secret]}`.
    #[arg(long, conflicts_with = "operator_policy")]
    pub(super) allow_sensitive: bool,

    /// Allow sensitive outputs in files of the repository
    ///
    /// What Argo CD extracts was committed, so that everyone who can read the repository can
    /// read them. Without this flag, such a file is an error. It is for plugins whose `init`
    /// command decrypts files.
    #[arg(long)]
    pub(super) allow_secret_files: bool,

    #[command(flatten)]
    pub(super) mounted: MountedFlags,

    /// Key of keyed digests in the parameter `outputs-digest`, by an absolute path
    ///
    /// Without this flag, the variable LANDFALL_DIGEST_KEY names FILE.
    #[arg(long, value_name = "FILE")]
    pub(super) digest_key: Option<PathBuf>,

    /// Timeout of Argo CD for this plugin [default: 60s]
    ///
    /// If the mounted outputs do not have the digest in the parameter `outputs-digest`, they
    /// are read again until 10 seconds before the deadline.
    #[arg(long, value_name = "TIME", value_parser = quantity::duration)]
    pub(super) deadline: Option<Duration>,

    #[command(flatten)]
    pub(super) programs: ProgramFlags,

    #[command(flatten)]
    pub(super) policy: PolicyFlags,

    #[command(flatten)]
    pub(super) unused: UnusedFlag,
}
