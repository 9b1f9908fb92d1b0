//! What the host itself finds wrong, before and after the module is asked: files that
//! cannot be read or written, and folders that are not what they are taken for. As
//! diagnostics, so that they are drawn like all others.

mod application;
mod file;
mod outputs;
mod repeated;

use std::path::Path;

use landfall_sandbox::types::{Diagnostic, Need, Origin, Severity};

use super::rule::HostRule;
use crate::files::{FileError, RootKind, Unlisted};

pub(crate) use repeated::diagnostics;

/// Something that could not be opened, and why it was wanted.
#[derive(Debug)]
pub(crate) enum Refusal {
    /// A path of the command line, or a file that the Binding selects.
    Manifest { path: String, error: FileError },
    /// A file or folder that a flag names.
    Flag {
        flag: &'static str,
        path: String,
        error: FileError,
    },
    /// `-b NAME=FILE`; `meant` is the argument that was meant, where that is known.
    Outputs {
        name: String,
        path: String,
        error: FileError,
        meant: Option<String>,
    },
    /// An outputs document that the Binding asks for; `origin` is the document
    /// that asks, `meant` the path that was meant, where that is known.
    Need {
        need: Box<Need>,
        path: String,
        origin: Origin,
        error: FileError,
        root: RootKind,
        meant: Option<String>,
    },
    /// An outputs document in the operator's folder, which is not open.
    Mounted { need: Box<Need>, origin: Origin },
    /// An outputs document that is not there, and need not be.
    Optional(Box<Self>),
    /// Something in an application's folder that cannot be in its listing.
    Unlisted { path: String, reason: Unlisted },
    /// A link in a folder that leads out of the root. `exclude` is the pattern that
    /// excludes it in the Binding; `is_left_out`: it may be meant that it is not rendered.
    Outside {
        path: String,
        exclude: Option<String>,
        root: RootKind,
        is_left_out: bool,
    },
    /// The same of a file whose name is not UTF-8.
    Unnamed {
        path: String,
        exclude: Option<String>,
        is_left_out: bool,
    },
    /// A folder with two Bindings of its own.
    TwoBindings {
        folder: String,
        names: [&'static str; 2],
    },
    /// A path of an application that holds none of its manifests.
    NotInApplication {
        path: String,
        application: String,
        is_folder: bool,
        is_binding: bool,
    },
    /// Files beside the applications of a folder that look like manifests.
    OutsideApplications {
        folder: String,
        first: String,
        more: usize,
    },
    /// A folder of applications where one is expected.
    SeveralApplications {
        folder: String,
        first: String,
        more: usize,
    },
    /// A file that `--prune` would have removed, had nobody changed it. `record` is
    /// where it is known from.
    Kept { path: String, record: String },
    /// An output folder in the application's own, `below` it, from which the next
    /// render would take manifests.
    OutputAmongManifests { path: String, below: String },
    /// Output files that are sources: the first of them, and how many more there are.
    OutputOverSources { first: String, more: usize },
    /// A file that could not be written.
    Output { path: String, error: std::io::Error },
}

impl Refusal {
    /// A file that could not be written.
    pub(crate) fn output(path: &Path, error: std::io::Error) -> Self {
        Self::Output {
            path: path.to_string_lossy().into_owned(),
            error,
        }
    }

    /// Whether no further file can be read.
    pub(super) fn is_final(&self) -> bool {
        matches!(self.file_error(), Some(FileError::TooLarge { .. }))
    }

    /// Why a file could not be read, when that is what is wrong.
    fn file_error(&self) -> Option<&FileError> {
        match self {
            Self::Manifest { error, .. }
            | Self::Flag { error, .. }
            | Self::Outputs { error, .. }
            | Self::Need { error, .. }
            | Self::Unlisted {
                reason: Unlisted::File(error),
                ..
            } => Some(error),
            _ => None,
        }
    }

    /// The same of a document that need not be there: a warning, unless there is
    /// more wrong with it than that.
    pub(crate) fn of_optional(self) -> Self {
        match self {
            Self::Outputs {
                error: FileError::Missing | FileError::BrokenLink,
                meant: None,
                ..
            }
            | Self::Need {
                error: FileError::Missing | FileError::BrokenLink,
                meant: None,
                ..
            }
            | Self::Mounted { .. } => Self::Optional(Box::new(self)),
            other => other,
        }
    }

    /// The finding that is drawn; `others` files have the same fault.
    fn into_diagnostic(self, others: usize) -> Diagnostic {
        match self {
            Self::Optional(refusal) => {
                let finding = refusal.into_diagnostic(others);
                let message = format!("{}; references to it stay as they are", finding.message);
                Diagnostic {
                    severity: Severity::Warning,
                    message,
                    ..finding
                }
            }
            Self::Manifest { path, error } => file::manifest(&path, &error, others),
            Self::Flag { flag, path, error } => file::flag(flag, &path, &error, others),
            Self::Outputs {
                name,
                path,
                error,
                meant,
            } => outputs::bound(&name, &path, &error, meant.as_deref(), others),
            Self::Need {
                need,
                path,
                origin,
                error: _,
                root: _,
                meant: Some(meant),
            } => outputs::mistaken(&need, &path, origin, &meant),
            Self::Need {
                need,
                path,
                origin,
                error,
                root,
                meant: None,
            } => outputs::needed(&need, &path, origin, &error, root, others),
            Self::Mounted { need, origin } => outputs::mounted(&need, origin),
            Self::Unlisted {
                path,
                reason: Unlisted::File(error),
            } => file::manifest(&path, &error, others),
            Self::Unlisted {
                path,
                reason: Unlisted::Name,
            } => application::unnamed(&path, None, false),
            Self::Unlisted {
                path,
                reason: Unlisted::TooMany { limit },
            } => application::too_many(&path, limit),
            Self::Outside {
                path,
                exclude,
                root,
                is_left_out,
            } => application::outside(&path, exclude.as_deref(), root, is_left_out),
            Self::Unnamed {
                path,
                exclude,
                is_left_out,
            } => application::unnamed(&path, exclude.as_deref(), is_left_out),
            Self::TwoBindings { folder, names } => application::two_bindings(&folder, names),
            Self::NotInApplication {
                path,
                application,
                is_binding: true,
                ..
            } => application::binding(&path, &application),
            Self::NotInApplication {
                path,
                application,
                is_folder,
                is_binding: false,
            } => application::not_in(&path, &application, is_folder),
            Self::OutsideApplications {
                folder,
                first,
                more,
            } => application::outside_applications(&folder, &first, more),
            Self::SeveralApplications {
                folder,
                first,
                more,
            } => application::several(&folder, &first, more),
            Self::Kept { path, record } => file::kept(&path, &record),
            Self::OutputAmongManifests { path, below } => {
                application::output_among_manifests(&path, &below)
            }
            Self::OutputOverSources { first, more } => {
                application::output_over_sources(&first, more)
            }
            Self::Output { path, error } => file::unwritable(&path, &error, others),
        }
    }
}

fn finding(rule: HostRule, message: String) -> Diagnostic {
    Diagnostic {
        rule: rule.id().to_owned(),
        severity: Severity::Error,
        message,
        labels: Vec::new(),
        help: None,
        fixes: Vec::new(),
        resource: None,
        field: None,
    }
}

/// What to do about a finding.
fn with_help(found: Diagnostic, help: impl Into<String>) -> Diagnostic {
    Diagnostic {
        help: Some(help.into()),
        ..found
    }
}

fn warning(found: Diagnostic) -> Diagnostic {
    Diagnostic {
        severity: Severity::Warning,
        ..found
    }
}
