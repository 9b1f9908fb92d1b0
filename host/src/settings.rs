//! The resolved command line: validated values that the rest of the program trusts.
//! Only [`crate::flags`] creates them.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::Duration;

use landfall_sandbox::types::{BuiltInCeiling, Parameter, Plan, Tool as Named};

use crate::exit::Exit;

/// One run of the program.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Settings {
    pub(crate) command: Command,
    pub(crate) report: ReportSettings,
    pub(crate) limits: Limits,
}

/// A subcommand with its inputs.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Command {
    Render {
        inputs: Inputs,
        programs: Programs,
        destination: Destination,
        /// `--prune`: whether to remove files that earlier runs wrote into the destination
        /// folder and this run does not.
        prune: bool,
        /// `--check`: whether to list the files that a render in place would change,
        /// instead of writing them.
        check: bool,
    },
    Check {
        inputs: Inputs,
        programs: Programs,
        format: CheckFormat,
        /// `--no-references`. None: check the manifests by rendering them.
        no_references: Option<NoReferences>,
    },
    Explain {
        inputs: Inputs,
        format: ExplainFormat,
        /// List only the outputs that nothing uses.
        unused: bool,
    },
    Diff {
        /// The inputs with the old outputs: `-b`, `--from` and `--plan`.
        inputs: Inputs,
        programs: Programs,
        /// The documents that replace those bound to the same names: `--to`.
        to: Vec<BoundFile>,
        format: DiffFormat,
    },
    Adopt {
        inputs: Inputs,
        format: AdoptFormat,
        /// `--write`
        writes: bool,
    },
    Migrate(Migrate),
    OutputsCheck {
        outputs: Outputs,
        /// `--contract`
        contract: Option<InputPath>,
        format: CheckFormat,
    },
    OutputsContract(ContractSource),
    Sample(Sample),
    Expand(Expand),
    Export(Export),
    Stamp(Stamp),
    Krm(Krm),
    HelmValues(HelmValues),
    Install {
        folder: PathBuf,
    },
    CmpInit(Cmp),
    CmpDiscover(Cmp),
    CmpParameters(Cmp),
    CmpGenerate(Cmp),
    ArgocdInstall(ArgocdInstall),
    ArgocdDoctor(ArgocdDoctor),
}

impl Command {
    /// Returns the loosest policies that this subcommand allows. Decided here for all
    /// calls of the module, so that no call can forget it.
    pub(crate) const fn built_in_ceiling(&self) -> BuiltInCeiling {
        match self {
            // The operator's policy is checked as the plugin reads it. The getter does not know
            // whether Argo CD runs Helm.
            Self::CmpInit(_)
            | Self::CmpDiscover(_)
            | Self::CmpParameters(_)
            | Self::CmpGenerate(_)
            | Self::ArgocdDoctor(_)
            | Self::HelmValues(_) => BuiltInCeiling::ArgoCd,
            Self::Render { .. }
            | Self::Check { .. }
            | Self::Explain { .. }
            | Self::Diff { .. }
            | Self::Adopt { .. }
            | Self::Migrate(_)
            | Self::OutputsCheck { .. }
            | Self::OutputsContract(_)
            | Self::Sample(_)
            | Self::Expand(_)
            | Self::Export(_)
            | Self::Stamp(_)
            | Self::Krm(_)
            | Self::Install { .. }
            | Self::ArgocdInstall(_) => BuiltInCeiling::None,
        }
    }

    /// Returns how a run of this subcommand with errors ends.
    pub(crate) const fn error_exit(&self) -> Exit {
        match self {
            Self::Diff { .. } => Exit::DiffErrors,
            _ => Exit::InputErrors,
        }
    }
}

/// `landfall migrate`
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Migrate {
    pub(crate) inputs: Inputs,
    /// `--from`: the id of a dialect.
    pub(crate) dialect: String,
    /// `--write`
    pub(crate) writes: bool,
    /// `--partial`: references that cannot be migrated may be left.
    pub(crate) is_partial: bool,
}

/// The inputs of `render`, `check`, `explain`, `diff`, `adopt` and `migrate`.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Inputs {
    /// Never empty.
    pub(crate) paths: Vec<InputPath>,
    pub(crate) bound: Vec<BoundFile>,
    /// `--outputs-from-terraform`: the outputs are declared, and have no values.
    pub(crate) declared: Vec<TerraformFolder>,
    /// The Binding to use instead of the folder's own `landfall.yaml`.
    pub(crate) config: Option<InputPath>,
    /// `--no-binding`
    pub(crate) ignores_bindings: bool,
    /// Whether secrets in files that Git tracks are reported: by `check` alone.
    pub(crate) checks_git: bool,
    pub(crate) root: Option<PathBuf>,
    /// The name of standard input in diagnostics.
    pub(crate) stdin_name: Option<String>,
    pub(crate) policies: Policies,
    /// `--param`
    pub(crate) parameters: Vec<Parameter>,
    pub(crate) mounted: Option<MountedOutputs>,
    /// Only for `render` and `check`. The parameters do not set `name` then.
    pub(crate) each: Option<Each>,
    /// `--jobs`: the number of threads. None: as many as there are cores.
    pub(crate) jobs: Option<NonZeroUsize>,
}

/// `--mounted-outputs`: the operator's folder of outputs documents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct MountedOutputs {
    pub(crate) folder: PathBuf,
    /// The flag or the environment variable that names it.
    pub(crate) named_by: &'static str,
    /// `--mounted-outputs-public`: documents whose format does not mark what is sensitive
    /// are not sensitive.
    pub(crate) is_public: bool,
}

/// A tool that this command runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tool {
    Kustomize,
    Helm,
}

impl Tool {
    /// Returns the tool that builds the manifests of a folder.
    pub(crate) const fn of(plan: &Plan) -> Option<Self> {
        match plan.tool {
            Some(Named::Kustomize) => Some(Self::Kustomize),
            Some(Named::Helm) => Some(Self::Helm),
            Some(Named::None) | None => None,
        }
    }

    /// Returns its name, which is also that of its program and of its value in `spec.tool`.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Kustomize => "kustomize",
            Self::Helm => "helm",
        }
    }

    /// Returns the command that builds the manifests of a folder.
    pub(crate) const fn command(self) -> &'static str {
        match self {
            Self::Kustomize => "kustomize build",
            Self::Helm => "helm template",
        }
    }
}

/// The programs for folders that another tool builds. None: the one on PATH.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Programs {
    /// `--kustomize`
    pub(crate) kustomize: Option<PathBuf>,
    /// `--helm`
    pub(crate) helm: Option<PathBuf>,
}

impl Programs {
    /// Returns the program that a flag names.
    pub(crate) fn of(&self, tool: Tool) -> Option<&Path> {
        match tool {
            Tool::Kustomize => self.kustomize.as_deref(),
            Tool::Helm => self.helm.as_deref(),
        }
    }
}

/// The release of a chart, from the variables of Argo CD. Empty outside of Argo CD.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Release {
    /// The name of the Application.
    pub(crate) name: Option<String>,
    /// The namespace of its destination.
    pub(crate) namespace: Option<String>,
    /// The version of the destination cluster.
    pub(crate) kube_version: Option<String>,
    /// The API versions of the destination cluster.
    pub(crate) api_versions: Vec<String>,
}

/// Policies that flags set.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Policies {
    /// The policy document for the module. None when no flag sets a policy.
    pub(crate) document: Option<String>,
    /// Whether a bound document may be missing. None: the Binding decides.
    pub(crate) keeps_unpublished: Option<bool>,
    /// Whether a flag allows that there are no manifests.
    pub(crate) allows_no_resources: bool,
}

/// Where `landfall render` writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Destination {
    /// One stream on standard output.
    Stdout,
    /// `--output-dir`. With `--each`, it has `{name}` in it.
    Folder(PathBuf),
    /// `--in-place`. Standard input is not among the paths then.
    InPlace {
        /// `--replace-references`: whether to replace references and apply field
        /// bindings, not only update setter comments.
        replace_references: bool,
    },
}

impl Destination {
    /// Returns the output folder.
    pub(crate) fn folders(&self) -> &[PathBuf] {
        match self {
            Self::Folder(folder) => std::slice::from_ref(folder),
            Self::Stdout | Self::InPlace { .. } => &[],
        }
    }
}

/// `--each`: the manifests are rendered once for each file of a pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Each {
    /// Never empty.
    pub(crate) patterns: Vec<EachPattern>,
    /// Whether to show on standard error how many clusters are rendered.
    pub(crate) shows_progress: bool,
}

impl Each {
    /// The name of a cluster in the path of `--output-dir`.
    pub(crate) const PLACEHOLDER: &str = "{name}";

    /// The parameter with the name of the cluster.
    pub(crate) const PARAMETER: &str = "name";
}

/// `[NAME=]GLOB`
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct EachPattern {
    /// A valid binding name.
    pub(crate) name: String,
    /// A valid pattern.
    pub(crate) pattern: String,
}

impl EachPattern {
    /// Returns whether a pattern, or a part of one, has wildcards.
    pub(crate) fn has_wildcards(text: &str) -> bool {
        text.contains(['*', '?', '['])
    }
}

/// `landfall check --no-references`: report the references in manifests without
/// rendering them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NoReferences {
    /// `--allow`: prefixes of text that is not reported.
    pub(crate) allowed: Vec<String>,
}

/// `landfall check -o`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CheckFormat {
    /// Drawn diagnostics on standard error.
    Text,
    /// A machine-readable report on standard output.
    Report(ReportFormat),
}

/// The format of a report of findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ReportFormat {
    Json,
    Sarif,
    Github,
    Junit,
}

/// `landfall explain -o`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ExplainFormat {
    /// A table on standard output.
    Text,
    Json,
}

/// `landfall diff -o`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DiffFormat {
    Text,
    Json,
    /// For a comment on a pull request.
    Markdown,
}

/// `landfall adopt -o`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AdoptFormat {
    Text,
    Json,
}

/// The outputs documents of `landfall outputs`.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Outputs {
    pub(crate) bound: Vec<BoundFile>,
    /// `--config`. None with no files in `bound`: the Binding of the current folder.
    pub(crate) config: Option<InputPath>,
    /// `--no-binding`
    pub(crate) ignores_bindings: bool,
    pub(crate) root: Option<PathBuf>,
    /// The name of standard input in diagnostics.
    pub(crate) stdin_name: Option<String>,
    /// `--param`
    pub(crate) parameters: Vec<Parameter>,
    pub(crate) mounted: Option<MountedOutputs>,
}

/// What `landfall outputs contract` is written from.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum ContractSource {
    Documents(Outputs),
    /// `--from-terraform`
    Terraform(TerraformFolder),
}

/// `[NAME=]DIR`: a folder of Terraform code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TerraformFolder {
    /// A valid binding name.
    pub(crate) name: String,
    pub(crate) path: PathBuf,
}

/// The settings of `landfall expand`.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Expand {
    /// The files and folders with ApplicationSets. Never empty.
    pub(crate) paths: Vec<InputPath>,
    /// `--clusters`: the files and folders with the Secrets of clusters.
    pub(crate) clusters: Vec<InputPath>,
    pub(crate) output_dir: Option<PathBuf>,
    /// `--prune`: whether to remove files that earlier runs wrote into the folder.
    pub(crate) prune: bool,
    pub(crate) stdin_name: Option<String>,
}

/// The settings of `landfall export`.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Export {
    pub(crate) outputs: Outputs,
    /// The target, as the module names it.
    pub(crate) target: &'static str,
    pub(crate) options: Vec<Parameter>,
    /// The file with the option `config`.
    pub(crate) config_file: Option<PathBuf>,
}

/// The settings of `landfall sample`.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Sample {
    pub(crate) contract: InputPath,
    /// The bound name whose document is written. None: the only one.
    pub(crate) name: Option<String>,
    pub(crate) stdin_name: Option<String>,
}

/// The settings of `landfall krm`.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Krm {
    pub(crate) bound: Vec<BoundFile>,
    pub(crate) root: Option<PathBuf>,
    pub(crate) stdin_name: Option<String>,
    pub(crate) policies: Policies,
}

/// The settings of `landfall cmp`.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Cmp {
    pub(crate) bound: Vec<BoundFile>,
    pub(crate) programs: Programs,
    pub(crate) config: Option<InputPath>,
    pub(crate) operator_policy: Option<OperatorPath>,
    /// `--allow-sensitive`. There is no operator's policy then.
    pub(crate) allows_sensitive: bool,
    /// `--allow-secret-files`
    pub(crate) allows_secret_files: bool,
    pub(crate) policies: Policies,
    pub(crate) mounted: Option<MountedOutputs>,
    /// `--digest-key`
    pub(crate) digest_key: Option<OperatorPath>,
    /// `--deadline`: how long Argo CD waits for this command.
    pub(crate) deadline: Duration,
}

/// The settings of `landfall stamp`.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Stamp {
    /// Never empty.
    pub(crate) bound: Vec<BoundFile>,
    /// `--config`. None: the nearest Binding.
    pub(crate) config: Option<PathBuf>,
    /// `--no-binding`
    pub(crate) ignores_bindings: bool,
    /// `--digest-key`
    pub(crate) key: Option<PathBuf>,
    /// `--mounted-outputs-public`
    pub(crate) is_public: bool,
    pub(crate) stdin_name: Option<String>,
}

/// The variable that names the operator's policy if no flag does.
pub(crate) const OPERATOR_POLICY: &str = "LANDFALL_OPERATOR_POLICY";

/// The variable that names the folder of mounted outputs documents if no flag does.
pub(crate) const MOUNTED_OUTPUTS: &str = "LANDFALL_MOUNTED_OUTPUTS";

/// The variable that is `true` if mounted documents whose format does not mark what is
/// sensitive are not sensitive.
pub(crate) const MOUNTED_OUTPUTS_PUBLIC: &str = "LANDFALL_MOUNTED_OUTPUTS_PUBLIC";

/// The variable that names the key of digests if no flag does.
pub(crate) const DIGEST_KEY: &str = "LANDFALL_DIGEST_KEY";

/// A file or folder that the operator of Argo CD provides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct OperatorPath {
    pub(crate) path: PathBuf,
    /// The flag or the environment variable that names it.
    pub(crate) named_by: &'static str,
}

/// The settings of `landfall argocd install`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ArgocdInstall {
    pub(crate) form: ArgocdForm,
    /// A valid reference with a tag or a digest.
    pub(crate) image: String,
    /// At most one for each project.
    pub(crate) mounted_outputs: Vec<OutputsVolume>,
    /// `--mounted-outputs-public`
    pub(crate) is_public: bool,
    /// The name of the Secret with the key of digests.
    pub(crate) digest_key: Option<String>,
    /// The name of the ConfigMap with the operator's policy.
    pub(crate) operator_policy: Option<String>,
}

/// `landfall helm values`.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct HelmValues {
    pub(crate) url: String,
    pub(crate) operator_policy: Option<OperatorPath>,
}

/// `landfall argocd install --as`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ArgocdForm {
    Kustomize,
    HelmValues,
    Patch,
}

/// `--mounted-outputs [PROJECT=]KIND/NAME`: outputs documents for an Argo CD project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct OutputsVolume {
    /// None: for all projects.
    pub(crate) project: Option<String>,
    pub(crate) source: OutputsSource,
    /// The name of the Secret or the ConfigMap.
    pub(crate) name: String,
}

/// The kind of resource that outputs documents are mounted from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OutputsSource {
    Secret,
    ConfigMap,
}

/// The settings of `landfall argocd doctor`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ArgocdDoctor {
    /// The folder of an application to check.
    pub(crate) application: Option<PathBuf>,
    /// `--param`
    pub(crate) parameters: Vec<Parameter>,
    pub(crate) format: DoctorFormat,
    /// The files and folders that the sidecar's variables name.
    pub(crate) operator_policy: Option<OperatorPath>,
    pub(crate) mounted_outputs: Option<OperatorPath>,
    pub(crate) digest_key: Option<OperatorPath>,
}

/// `landfall argocd doctor -o`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DoctorFormat {
    Text,
    Json,
}

/// An input that a command line names. At most one on a command line is
/// [`InputPath::Stdin`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum InputPath {
    /// `-`
    Stdin,
    /// A file or a folder; it need not exist.
    Path(PathBuf),
}

/// `-b NAME=FILE`
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BoundFile {
    pub(crate) flag: BindingFlag,
    /// A valid binding name.
    pub(crate) name: String,
    pub(crate) file: InputPath,
    /// The argument to suggest if the file does not exist.
    pub(crate) suggestion: Option<String>,
}

/// A flag that binds an outputs document to a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BindingFlag {
    Bind,
    From,
    To,
    /// The document is a Terraform plan: its outputs before the apply are the old ones.
    Plan,
    /// The document is of one cluster of a fleet.
    Each,
}

impl BindingFlag {
    /// Returns the flag as it is written.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Bind => "-b",
            Self::From => "--from",
            Self::To => "--to",
            Self::Plan => "--plan",
            Self::Each => "--each",
        }
    }
}

/// Which diagnostics are shown, and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ReportSettings {
    pub(crate) verbosity: Verbosity,
    pub(crate) color: bool,
    /// Show notes about unused outputs, which do not affect the result.
    pub(crate) unused_notes: bool,
    /// Treat warnings as errors.
    pub(crate) strict: bool,
}

/// `-q`, the default, or `-v`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verbosity {
    Quiet,
    Normal,
    Verbose,
}

/// The limits of one run. Sizes are in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Limits {
    /// Total size of all files read.
    pub(crate) input: u64,
    /// Memory of the module.
    pub(crate) memory: u64,
    /// Wall time of the module.
    pub(crate) time: Duration,
    /// Total size of the text that edits insert.
    pub(crate) answer: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            input: 256 << 20,
            memory: 1 << 30,
            time: Duration::from_secs(60),
            answer: 256 << 20,
        }
    }
}
