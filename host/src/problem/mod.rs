//! Problems that the host finds itself, before and after it calls the module, such as
//! files that cannot be read or written. They become diagnostics and are reported like
//! those of the module.

mod clusters;
mod file;
mod folders;
mod mounted;
mod outputs;
mod remote;
mod repeated;
mod rule;

use std::path::Path;

use landfall_sandbox::types::{Diagnostic, Label, NamedFile, Need, Origin, Severity, Span, Topic};

use crate::discovery::{NearBinding, NearTo};
use crate::files::{FileError, Kept, ListingError, RootKind};
use crate::loading::{DigestError, NotMounted};
use crate::settings::{BindingFlag, Tool};

pub(crate) use clusters::ClustersProblem;
pub(crate) use file::reason;
pub(crate) use folders::ToolNotRun;
pub(crate) use repeated::diagnostics;
pub(crate) use rule::HostRule;

/// A problem with a file or folder.
#[derive(Debug)]
pub(crate) enum Problem {
    /// A path on the command line, or a file that the Binding selects, cannot be read.
    Manifest { path: String, error: FileError },
    /// A file or folder that a flag names cannot be read.
    Flag {
        flag: &'static str,
        path: String,
        error: FileError,
    },
    /// The file of `-b NAME=FILE` cannot be read. `suggestion` is the argument that was
    /// probably intended.
    Outputs {
        flag: BindingFlag,
        name: String,
        path: String,
        error: FileError,
        suggestion: Option<String>,
    },
    /// A command that needs outputs documents has none. `lacks_binding`: there is no Binding
    /// in the current folder that could name them.
    NoOutputs { lacks_binding: bool },
    /// An outputs document that the Binding requires cannot be read. `origin` is the
    /// document that requires it, `suggestion` the path that was probably intended.
    Need {
        need: Box<Need>,
        path: String,
        origin: Origin,
        error: FileError,
        root: RootKind,
        suggestion: Option<String>,
    },
    /// An outputs document in the operator's mounted folder, which is not available.
    /// `is_plugin`: whether the operator of Argo CD decides what is mounted.
    Mounted {
        need: Box<Need>,
        origin: Origin,
        why: NotMounted,
        is_plugin: bool,
    },
    /// An outputs document in the operator's mounted folder cannot be read. `other` is the
    /// other path at which it was looked for.
    MountedNeed {
        need: Box<Need>,
        origin: Origin,
        path: String,
        other: Option<String>,
        error: FileError,
    },
    /// A file of `spec.schemas` cannot be read.
    Schema {
        schema: Box<NamedFile>,
        path: String,
        error: FileError,
    },
    /// The mounted documents do not have the digest that the Application asks for.
    OtherDigest,
    /// An Application asks for a digest, and its Binding has no mounted documents.
    NothingDigested,
    /// The digest that an Application asks for cannot be compared.
    Digest(DigestError),
    /// Outputs that are digested without a key, although some may be sensitive. `unmarked`:
    /// the path of a document whose format does not mark them.
    UnkeyedDigest { unmarked: Option<String> },
    /// A variable of Argo CD is malformed. `what` continues its name.
    Variable { name: &'static str, what: String },
    /// An outputs document that does not exist and is optional.
    Optional(Box<Self>),
    /// Something in an application's folder that could not be listed.
    Listing { path: String, error: ListingError },
    /// A link that points outside the root. `exclude` is the pattern that excludes it in
    /// the Binding. A link is skipped, which is a warning, if the Binding does not
    /// select it for certain.
    LinkOutsideRoot {
        path: String,
        exclude: Option<String>,
        root: RootKind,
        is_skipped: bool,
    },
    /// A file whose name is not UTF-8. Skipped under the same condition as a link.
    NotUtf8Name {
        path: String,
        exclude: Option<String>,
        is_skipped: bool,
    },
    /// A folder with two Bindings of its own.
    TwoBindings {
        folder: String,
        names: [&'static str; 2],
    },
    /// No Binding applies, although one is near.
    NearBinding { near: NearBinding, to: NearTo },
    /// A file that `flag` binds to `name`, although the Binding declares outputs of it sensitive
    /// under the name `declared`. Without a flag, the Binding itself does.
    RenamedOutputs {
        binding: String,
        flag: Option<BindingFlag>,
        name: String,
        declared: String,
        path: String,
    },
    /// A file that is bound to `name`, which the Binding does not bind, while its own files depend
    /// on parameters that are not set.
    UnknownDeclarations { binding: String, name: String },
    /// A path of an application that contains none of its manifests.
    NotInApplication {
        path: String,
        application: String,
        is_folder: bool,
        is_binding: bool,
    },
    /// Files that look like manifests, in a folder of applications but outside all of
    /// them.
    OutsideApplications {
        folder: String,
        first: String,
        more: usize,
    },
    /// A folder of applications where one application is expected.
    SeveralApplications {
        folder: String,
        first: String,
        more: usize,
    },
    /// A file that `--prune` keeps. `record` is the file that records what was written.
    Kept { file: Kept, record: String },
    /// An output folder from which the next render would read manifests. `below` is its
    /// path relative to the application's folder.
    OutputAmongManifests { path: String, below: String },
    /// Output files that are sources: the first one, and the number of others.
    OutputOverSources { first: String, more: usize },
    /// Standard input without manifests.
    EmptyStdin,
    /// Standard output is a source: the shell has emptied it.
    StdoutIsSource { path: String },
    /// Standard output is one of the files that the outputs are read from.
    StdoutIsOutputs { path: String },
    /// An input without manifests for `check --no-references`.
    NothingChecked { path: String, is_folder: bool },
    /// A folder without Terraform code, or a file where such a folder is expected.
    NoTerraform { path: String, is_file: bool },
    /// A contract that does not have the bound name that a flag asks for, or several if none
    /// does.
    ContractNames {
        path: String,
        wanted: Option<String>,
        names: Vec<String>,
    },
    /// A folder that another tool builds, and that is not built here.
    ToolNotRun {
        tool: Tool,
        folder: String,
        why: ToolNotRun,
    },
    /// The files of `--each` are not those of a fleet.
    Clusters(ClustersProblem),
    /// A file that cannot be written.
    Output { path: String, error: std::io::Error },
}

impl Problem {
    /// Creates the problem of a file that cannot be written.
    pub(crate) fn output(path: &Path, error: std::io::Error) -> Self {
        Self::Output {
            path: path.to_string_lossy().into_owned(),
            error,
        }
    }

    /// Returns whether no more files can be read.
    pub(super) fn stops_reading(&self) -> bool {
        matches!(self.file_error(), Some(FileError::TooLarge { .. }))
    }

    /// Returns why a file could not be read, if that is the problem.
    fn file_error(&self) -> Option<&FileError> {
        match self {
            Self::Manifest { error, .. }
            | Self::Flag { error, .. }
            | Self::Outputs { error, .. }
            | Self::Need { error, .. }
            | Self::MountedNeed { error, .. }
            | Self::Schema { error, .. }
            | Self::Listing {
                error: ListingError::File(error),
                ..
            } => Some(error),
            _ => None,
        }
    }

    /// Turns the problem of a missing outputs document into a warning or a note. Returns other
    /// problems unchanged.
    pub(crate) fn into_optional(self) -> Self {
        match self {
            Self::Outputs {
                error: FileError::Missing | FileError::BrokenLink,
                suggestion: None,
                ..
            }
            | Self::Need {
                error: FileError::Missing | FileError::BrokenLink,
                suggestion: None,
                ..
            }
            | Self::MountedNeed {
                error: FileError::Missing | FileError::BrokenLink,
                ..
            }
            | Self::Mounted {
                why: NotMounted::NoFolder,
                is_plugin: false,
                ..
            } => Self::Optional(Box::new(self)),
            other => other,
        }
    }

    /// Converts the problem to a diagnostic. `others` is the number of other files with
    /// the same problem.
    fn into_diagnostic(self, others: usize) -> Diagnostic {
        match self {
            Self::Optional(problem) => {
                let (severity, consequence) = match &*problem {
                    Self::Need { need, .. }
                    | Self::MountedNeed { need, .. }
                    | Self::Mounted { need, .. }
                        if need.may_be_absent =>
                    {
                        (Severity::Note, "it is optional")
                    }
                    _ => (Severity::Warning, "references to it are left as they are"),
                };
                let finding = problem.into_diagnostic(others);
                Diagnostic {
                    severity,
                    message: format!("{}; {consequence}", finding.message),
                    ..finding
                }
            }
            Self::Manifest { path, error } => file::manifest(&path, &error, others),
            Self::Flag { flag, path, error } => file::flag(flag, &path, &error, others),
            Self::Outputs {
                flag,
                name,
                path,
                error,
                suggestion,
            } => outputs::bound((flag, &name), &path, &error, suggestion.as_deref(), others),
            Self::NoOutputs { lacks_binding } => outputs::no_outputs(lacks_binding),
            Self::Need {
                need,
                path,
                origin,
                error: _,
                root: _,
                suggestion: Some(suggestion),
            } => outputs::malformed_path(&need, &path, origin, &suggestion),
            Self::Need {
                need,
                path,
                origin,
                error,
                root,
                suggestion: None,
            } => outputs::required(&need, &path, origin, &error, root, others),
            Self::Mounted {
                need,
                origin,
                why,
                is_plugin,
            } => mounted::not_mounted(&need, origin, &why, is_plugin),
            Self::MountedNeed {
                need,
                origin,
                path,
                other,
                error,
            } => mounted::not_found(&need, origin, (&path, other.as_deref()), &error, others),
            Self::Schema {
                schema,
                path,
                error,
            } => Diagnostic {
                labels: vec![named_here(schema.start, schema.end)],
                ..file::manifest(&path, &error, others)
            },
            Self::OtherDigest => mounted::other_digest(),
            Self::NothingDigested => mounted::nothing_digested(),
            Self::Digest(error) => mounted::invalid_digest(error),
            Self::UnkeyedDigest { unmarked } => mounted::unkeyed_digest(unmarked.as_deref()),
            Self::Variable { name, what } => with_help(
                Diagnostic {
                    rule: "invalid-parameter".to_owned(),
                    ..finding(HostRule::MissingFile, format!("`{name}` {what}"))
                },
                "Argo CD sets this variable from the Application's `plugin.parameters`: correct them there; it must not be set in `plugin.env` or in the sidecar",
            ),
            Self::Listing {
                path,
                error: ListingError::File(error),
            } => file::manifest(&path, &error, others),
            Self::Listing {
                path,
                error: ListingError::NotUtf8,
            } => folders::not_utf8_name(&path, None, false),
            Self::Listing {
                path,
                error: ListingError::TooMany { limit },
            } => folders::too_many_files(&path, limit),
            Self::LinkOutsideRoot {
                path,
                exclude,
                root,
                is_skipped,
            } => folders::link_outside_root(&path, exclude.as_deref(), root, is_skipped),
            Self::NotUtf8Name {
                path,
                exclude,
                is_skipped,
            } => folders::not_utf8_name(&path, exclude.as_deref(), is_skipped),
            Self::TwoBindings { folder, names } => folders::two_bindings(&folder, names),
            Self::NearBinding { near, to } => folders::near_binding(&near, &to),
            Self::RenamedOutputs {
                binding,
                flag,
                name,
                declared,
                path,
            } => with_help(
                finding(
                    HostRule::BindingNotApplied,
                    format!(
                        "the Binding `{binding}` declares outputs of `{path}` sensitive under the name `{declared}`, not `{name}`"
                    ),
                ),
                match flag {
                    Some(flag) => {
                        let flag = flag.as_str();
                        format!("bind it under that name: `{flag} {declared}={path}`")
                    }
                    None => format!("declare its sensitive outputs under `{name}`, too"),
                },
            ),
            Self::UnknownDeclarations { binding, name } => with_help(
                finding(
                    HostRule::BindingNotApplied,
                    format!(
                        "the Binding `{binding}` declares outputs sensitive, and the paths of its files depend on parameters: whether `{name}` is one of them is not known"
                    ),
                ),
                "bind the file under its name in the Binding, or render without it: `--no-binding`",
            ),
            Self::NotInApplication {
                path,
                application,
                is_binding: true,
                ..
            } => folders::binding_as_manifest(&path, &application),
            Self::NotInApplication {
                path,
                application,
                is_folder,
                is_binding: false,
            } => folders::not_in_application(&path, &application, is_folder),
            Self::OutsideApplications {
                folder,
                first,
                more,
            } => folders::outside_applications(&folder, &first, more),
            Self::SeveralApplications {
                folder,
                first,
                more,
            } => folders::several_applications(&folder, &first, more),
            Self::Kept { file, record } => file::kept(&file, &record),
            Self::OutputAmongManifests { path, below } => {
                folders::output_among_manifests(&path, &below)
            }
            Self::OutputOverSources { first, more } => folders::output_over_sources(&first, more),
            Self::EmptyStdin => file::empty_stdin(),
            Self::StdoutIsSource { path } => folders::stdout_is_source(&path),
            Self::StdoutIsOutputs { path } => folders::stdout_is_outputs(&path),
            Self::NothingChecked { path, is_folder } => file::nothing_checked(&path, is_folder),
            Self::NoTerraform { path, is_file } => with_help(
                finding(
                    HostRule::InvalidTerraform,
                    match is_file {
                        true => format!("`{path}` is a file, not a folder"),
                        false => format!("`{path}` contains no Terraform code"),
                    },
                ),
                "pass the folder with the `output` blocks: its *.tf, *.tofu and *.tf.json files are read",
            ),
            Self::ContractNames {
                path,
                wanted,
                names,
            } => outputs::contract_names(&path, wanted.as_deref(), &names),
            Self::ToolNotRun { tool, folder, why } => folders::tool_not_run(tool, &folder, why),
            Self::Clusters(problem) => clusters::diagnostic(&problem),
            Self::Output { path, error } => file::unwritable(&path, &error, others),
        }
    }
}

/// Creates an error without locations.
pub(crate) fn finding(rule: HostRule, message: String) -> Diagnostic {
    Diagnostic {
        rule: rule.id().to_owned(),
        topic: None,
        severity: Severity::Error,
        message,
        labels: Vec::new(),
        help: None,
        fixes: Vec::new(),
        resource: None,
        field: None,
    }
}

/// Creates an error about a lack of resources, under the module's rule.
pub(crate) fn no_resources(message: String) -> Diagnostic {
    Diagnostic {
        rule: "no-manifests".to_owned(),
        topic: Some(Topic::NoResources),
        ..finding(HostRule::NothingChecked, message)
    }
}

/// Creates a label of the bytes in the Binding that name a file.
pub(super) fn named_here(start: u32, end: u32) -> Label {
    let origin = Origin::Binding;
    Label {
        span: Span { origin, start, end },
        message: "named here".to_owned(),
        conceal: false,
    }
}

/// Adds help to a diagnostic.
pub(super) fn with_help(found: Diagnostic, help: impl Into<String>) -> Diagnostic {
    Diagnostic {
        help: Some(help.into()),
        ..found
    }
}

/// Turns an error into a warning.
pub(super) fn warning(found: Diagnostic) -> Diagnostic {
    Diagnostic {
        severity: Severity::Warning,
        ..found
    }
}
