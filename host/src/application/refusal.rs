//! What the host itself finds wrong, before the module is asked: files that
//! cannot be had. As diagnostics, so that they are drawn like all others.

use landfall_sandbox::types::{Diagnostic, Label, Need, Origin, Severity, Span};

use super::rule::HostRule;
use crate::files::{FileError, Unlisted};

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
    /// `-b NAME=FILE`
    Outputs {
        name: String,
        path: String,
        error: FileError,
    },
    /// An outputs document that the Binding asks for; `origin` is the document
    /// that asks.
    Need {
        need: Box<Need>,
        path: String,
        origin: Origin,
        error: FileError,
    },
    /// An outputs document in the operator's folder, which is not open.
    Mounted { need: Box<Need>, origin: Origin },
    /// An outputs document that is not there, and need not be.
    Optional(Box<Self>),
    /// Something in an application's folder that cannot be in its listing.
    Unlisted { path: String, reason: Unlisted },
    /// A link in an application's folder that leads out of the root.
    Outside { path: String },
    /// There is neither an outputs document nor a Binding.
    NothingBound,
    /// A folder with two Bindings of its own.
    TwoBindings {
        folder: String,
        names: [&'static str; 2],
    },
    /// A file that could not be written.
    Output { path: String, error: std::io::Error },
}

impl Refusal {
    /// Whether no further file can be read.
    pub(super) const fn is_final(&self) -> bool {
        matches!(
            self,
            Self::Manifest {
                error: FileError::TooLarge { .. },
                ..
            } | Self::Flag {
                error: FileError::TooLarge { .. },
                ..
            } | Self::Outputs {
                error: FileError::TooLarge { .. },
                ..
            } | Self::Need {
                error: FileError::TooLarge { .. },
                ..
            }
        )
    }

    /// The same of a document that need not be there: a warning, unless there is
    /// more wrong with it than that.
    pub(crate) fn of_optional(self) -> Self {
        match self {
            Self::Outputs {
                error: FileError::Missing,
                ..
            }
            | Self::Need {
                error: FileError::Missing,
                ..
            }
            | Self::Mounted { .. } => Self::Optional(Box::new(self)),
            other => other,
        }
    }

    /// The finding that is drawn.
    pub(crate) fn into_diagnostic(self) -> Diagnostic {
        match self {
            Self::Optional(refusal) => {
                let finding = refusal.into_diagnostic();
                let message = format!("{}; references to it stay as they are", finding.message);
                Diagnostic {
                    severity: Severity::Warning,
                    message,
                    ..finding
                }
            }
            Self::Manifest { path, error } => file(&format!("`{path}`"), &error),
            Self::Flag { flag, path, error } => {
                file(&format!("`{path}`, named by {flag},"), &error)
            }
            Self::Outputs {
                name,
                path,
                error: FileError::Missing,
            } => {
                let message =
                    format!("`{name}` has no outputs document: there is no file `{path}`");
                let help =
                    format!("publish it first, for example: terraform output -json > {path}");
                Diagnostic {
                    help: Some(help),
                    ..finding(HostRule::OutputsNotPublished, message)
                }
            }
            Self::Outputs { name, path, error } => file(
                &format!("`{path}`, the outputs document of `{name}`,"),
                &error,
            ),
            Self::Need {
                need,
                path,
                origin,
                error,
            } => needed(&need, &path, origin, &error),
            Self::Mounted { need, origin } => {
                let message = format!(
                    "`{}` wants `{}` from the operator's mounted folder, and none is open here",
                    need.name, need.path
                );
                let help = format!("bind it on the command line: -b {}=FILE", need.name);
                let labels = vec![label(&need, origin, "asked for here")];
                Diagnostic {
                    labels,
                    help: Some(help),
                    ..finding(HostRule::OutputsNotPublished, message)
                }
            }
            Self::Unlisted {
                path,
                reason: Unlisted::Name,
            } => {
                let message = format!("`{path}` is left out: its name is not UTF-8");
                Diagnostic {
                    severity: Severity::Warning,
                    ..finding(HostRule::UnlistedFile, message)
                }
            }
            Self::Outside { path } => {
                let message = format!("`{path}` is left out: the link leads out of the root");
                let help = "a larger root can be named with --root".to_owned();
                Diagnostic {
                    severity: Severity::Warning,
                    help: Some(help),
                    ..finding(HostRule::OutsideRoot, message)
                }
            }
            Self::Unlisted {
                path,
                reason: Unlisted::File(error),
            } => file(&format!("`{path}`"), &error),
            Self::Unlisted {
                path,
                reason: Unlisted::TooMany { limit },
            } => {
                let message = format!("more than {limit} files: listing stopped in `{path}`");
                let help =
                    "render a smaller folder, and see whether links lead in circles".to_owned();
                Diagnostic {
                    help: Some(help),
                    ..finding(HostRule::InputTooLarge, message)
                }
            }
            Self::NothingBound => {
                let message =
                    "no outputs document is bound: every reference passes through as it is"
                        .to_owned();
                let help = "bind one, -b infra=FILE, or name a Binding, --config FILE; a folder may hold its own, landfall.yaml".to_owned();
                Diagnostic {
                    severity: Severity::Warning,
                    help: Some(help),
                    ..finding(HostRule::NothingBound, message)
                }
            }
            Self::TwoBindings {
                folder,
                names: [first, second],
            } => {
                let help = "keep one of them, or name one with --config".to_owned();
                let message = format!("`{folder}` has two Bindings, `{first}` and `{second}`");
                Diagnostic {
                    help: Some(help),
                    ..finding(HostRule::TwoBindings, message)
                }
            }
            Self::Output { path, error } => finding(
                HostRule::UnwritableFile,
                format!("`{path}` cannot be written: {}", reason(&error)),
            ),
        }
    }
}

/// `subject` begins the sentence.
fn file(subject: &str, error: &FileError) -> Diagnostic {
    match error {
        FileError::Missing => finding(HostRule::MissingFile, format!("{subject} does not exist")),
        FileError::IsFolder => finding(
            HostRule::UnreadableFile,
            format!("{subject} is a folder, not a file"),
        ),
        FileError::IsSpecial => finding(
            HostRule::UnreadableFile,
            format!("{subject} is a pipe, a socket or a device, not a regular file"),
        ),
        FileError::OutsideRoot => {
            let help = "files that a Binding or a link names stay inside the Git work tree, or inside --root".to_owned();
            Diagnostic {
                help: Some(help),
                ..finding(
                    HostRule::OutsideRoot,
                    format!("{subject} lies outside the root"),
                )
            }
        }
        FileError::TooLarge { limit } => {
            let message =
                format!("{subject} is too large: all files together may have {limit} bytes");
            Diagnostic {
                help: Some("raise the limit with --max-input".to_owned()),
                ..finding(HostRule::InputTooLarge, message)
            }
        }
        FileError::Unreadable(error) => finding(
            HostRule::UnreadableFile,
            format!("{subject} cannot be read: {}", reason(error)),
        ),
    }
}

fn needed(need: &Need, path: &str, origin: Origin, error: &FileError) -> Diagnostic {
    let labels = vec![label(need, origin, "asked for here")];
    if let FileError::Missing = error {
        let message = format!(
            "`{}` is not published yet: there is no file `{path}`",
            need.name
        );
        let help = match need.published_by.as_deref() {
            Some(publisher) if !publisher.is_empty() => format!("published by: {publisher}"),
            _ => format!(
                "publish it, for example: terraform output -json > {path}; `publishedBy` beside it tells who does"
            ),
        };
        return Diagnostic {
            labels,
            help: Some(help),
            ..finding(HostRule::OutputsNotPublished, message)
        };
    }
    Diagnostic {
        labels,
        ..file(
            &format!("`{path}`, the outputs document of `{}`,", need.name),
            error,
        )
    }
}

fn label(need: &Need, origin: Origin, message: &str) -> Label {
    let span = Span {
        origin,
        start: need.start,
        end: need.end,
    };
    // A ResourceList holds Secrets; a Binding holds none.
    let conceal = !matches!(origin, Origin::Binding);
    Label {
        span,
        message: message.to_owned(),
        conceal,
    }
}

fn finding(rule: HostRule, message: String) -> Diagnostic {
    Diagnostic {
        rule: rule.id().to_owned(),
        severity: Severity::Error,
        message,
        labels: Vec::new(),
        help: None,
        mends: Vec::new(),
        resource: None,
        field: None,
    }
}

/// The system's words without its number.
fn reason(error: &std::io::Error) -> String {
    let text = error.to_string();
    let text = text.split(" (os error").next().unwrap_or(&text);
    let mut chars = text.chars();
    chars
        .next()
        .map(|first| first.to_lowercase().chain(chars).collect())
        .unwrap_or_default()
}
