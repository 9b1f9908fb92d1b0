//! What a command line asks for, after every check: values that the program can
//! trust. Made in one place, [`crate::flags`].

use std::path::PathBuf;
use std::time::Duration;

use landfall_sandbox::types::BuiltInCeiling;

/// One run of the program.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Settings {
    pub(crate) command: Command,
    pub(crate) report: ReportSettings,
    pub(crate) limits: Limits,
}

/// The subcommand with what it works on.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Command {
    Render {
        inputs: Inputs,
        destination: Destination,
        /// `--prune`, with a folder as the destination: what an earlier run wrote there
        /// and this one does not is removed.
        prune: bool,
    },
    Check {
        inputs: Inputs,
        format: CheckFormat,
        /// None: the manifests are rendered, as ever.
        gate: Option<NoReferences>,
    },
    Explain {
        inputs: Inputs,
        format: ExplainFormat,
        /// Only the outputs that nothing uses.
        unused: bool,
    },
    Krm(Krm),
    CmpGenerate(Cmp),
    CmpDiscover(Cmp),
}

impl Command {
    /// The loosest policies that this subcommand allows. It is asked for here, once,
    /// so that no caller of the module decides it.
    pub(crate) const fn built_in_ceiling(&self) -> BuiltInCeiling {
        match self {
            Self::CmpGenerate(_) | Self::CmpDiscover(_) => BuiltInCeiling::ArgoCd,
            Self::Render { .. } | Self::Check { .. } | Self::Explain { .. } | Self::Krm(_) => {
                BuiltInCeiling::None
            }
        }
    }
}

/// Sources, outputs documents and Binding of `render`, `check` and `explain`.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Inputs {
    /// Never empty.
    pub(crate) paths: Vec<Place>,
    pub(crate) bound: Vec<BoundFile>,
    /// The Binding, when it is not the folder's own `landfall.yaml`.
    pub(crate) config: Option<Place>,
    pub(crate) root: Option<PathBuf>,
    /// What diagnostics call standard input.
    pub(crate) stdin_name: Option<String>,
    pub(crate) policies: Policies,
}

/// Policies by flags.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Policies {
    /// The document that the module reads; none without a flag.
    pub(crate) document: Option<String>,
    /// Whether a bound document may be missing; none: the Binding says.
    pub(crate) keeps_unpublished: Option<bool>,
}

/// Where `landfall render` writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Destination {
    /// One stream on standard output.
    Stdout,
    /// `--output-dir`
    Folder(PathBuf),
    /// `--in-place`; standard input is none of the inputs' paths then.
    InPlace {
        /// `--replace-references`: not only setter comments and field bindings.
        replace_references: bool,
    },
}

/// `landfall check --no-references`: manifests are looked at as they are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NoReferences {
    /// Text that begins like this is meant.
    pub(crate) allowed: Vec<String>,
}

/// `landfall check -o`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CheckFormat {
    /// For people, on standard error.
    Text,
    /// For programs, on standard output.
    Report(crate::report::Format),
}

/// `landfall explain -o`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ExplainFormat {
    /// A table.
    Text,
    Json,
}

/// What `landfall krm` needs beside the ResourceList.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Krm {
    pub(crate) bound: Vec<BoundFile>,
    pub(crate) root: Option<PathBuf>,
    pub(crate) stdin_name: Option<String>,
    pub(crate) policies: Policies,
}

/// What `landfall cmp` needs beside the folder it is called in.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Cmp {
    pub(crate) bound: Vec<BoundFile>,
    pub(crate) config: Option<Place>,
    pub(crate) operator_policy: Option<PathBuf>,
    pub(crate) policies: Policies,
}

/// A place that a command line names. At most one of a command line is
/// [`Place::Stdin`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// `-`
    Stdin,
    /// A file or a folder; it need not exist.
    Path(PathBuf),
}

/// `-b NAME=FILE`
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BoundFile {
    /// A valid binding name.
    pub(crate) name: String,
    pub(crate) file: Place,
    /// The argument that was most likely meant, should there be no such file.
    pub(crate) meant: Option<String>,
}

/// What is told beside the manifests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ReportSettings {
    pub(crate) verbosity: Verbosity,
    pub(crate) color: bool,
    /// Notes that say nothing of what is written are told too: which outputs
    /// nothing uses.
    pub(crate) advice: bool,
    /// Every warning is an error.
    pub(crate) strict: bool,
}

/// `-q`, nothing, `-v`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verbosity {
    Quiet,
    Normal,
    Verbose,
}

/// The bounds of one run. Sizes are bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Limits {
    /// All files that are read, together.
    pub(crate) input: u64,
    /// The module's memory.
    pub(crate) memory: u64,
    /// The module's wall time.
    pub(crate) time: Duration,
    /// All that edits write, together.
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
