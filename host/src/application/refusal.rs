//! What the host itself finds wrong, before the module is asked: files that
//! cannot be had. As diagnostics, so that they are drawn like all others.

use std::io::ErrorKind;
use std::path::Path;

use landfall_sandbox::types::{Diagnostic, Label, Need, Origin, Severity, Span};

use super::address;
use super::rule::HostRule;
use crate::files::{FileError, RootKind, Unlisted};
use crate::foreign;

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
        root: RootKind,
    },
    /// An outputs document in the operator's folder, which is not open.
    Mounted { need: Box<Need>, origin: Origin },
    /// An outputs document that is not there, and need not be.
    Optional(Box<Self>),
    /// Something in an application's folder that cannot be in its listing.
    Unlisted { path: String, reason: Unlisted },
    /// A link in an application's folder that leads out of the root.
    Outside { path: String },
    /// A folder with two Bindings of its own.
    TwoBindings {
        folder: String,
        names: [&'static str; 2],
    },
    /// A file that `--prune` would have removed, had nobody changed it. `record` is
    /// where it is known from.
    Kept { path: String, record: String },
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
    /// A file that could not be written; so many others neither, for the same reason.
    Output {
        path: String,
        error: std::io::Error,
        others: usize,
    },
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
                error: FileError::Missing | FileError::BrokenLink,
                ..
            }
            | Self::Need {
                error: FileError::Missing | FileError::BrokenLink,
                ..
            }
            | Self::Mounted { .. } => Self::Optional(Box::new(self)),
            other => other,
        }
    }

    /// Adds that a file could not be written. What is wrong with the whole disk is
    /// reported once, whatever number of files it hits.
    pub(crate) fn add_output(refusals: &mut Vec<Self>, path: &Path, error: std::io::Error) {
        let is_of_disk = matches!(
            error.kind(),
            ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::ReadOnlyFilesystem
        );
        for earlier in refusals.iter_mut().filter(|_| is_of_disk) {
            if let Self::Output {
                error: same,
                others,
                ..
            } = earlier
                && same.kind() == error.kind()
            {
                *others += 1;
                return;
            }
        }
        refusals.push(Self::Output {
            path: path.to_string_lossy().into_owned(),
            error,
            others: 0,
        });
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
                path,
                error: FileError::Missing,
                ..
            } if address::is_address(&path) => is_no_file(&path),
            Self::Outputs {
                name,
                path,
                error: error @ (FileError::Missing | FileError::BrokenLink),
            } => {
                let nothing = nothing(&error);
                let message =
                    format!("`{name}` has no outputs document: there is {nothing} `{path}`");
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
                root,
            } => needed(&need, &path, origin, &error, root),
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
            Self::Kept { path, record } => {
                let message = format!(
                    "`{path}` is kept: it was changed after an earlier run of landfall wrote it"
                );
                let help = format!("remove the file, or, to keep it, its line in `{record}`");
                Diagnostic {
                    severity: Severity::Warning,
                    help: Some(help),
                    ..finding(HostRule::KeptFile, message)
                }
            }
            Self::NotInApplication {
                path,
                application,
                is_folder: _,
                is_binding: true,
            } => {
                let message = format!("`{path}` is a Binding, not a manifest");
                Diagnostic {
                    help: Some(format!("name the folder: `{application}`")),
                    ..finding(HostRule::NotInApplication, message)
                }
            }
            Self::NotInApplication {
                path,
                application,
                is_folder,
                is_binding: false,
            } => {
                let message = match is_folder {
                    true => {
                        format!("`{path}` holds no manifest of the application `{application}`")
                    }
                    false => {
                        format!("`{path}` is not a manifest of the application `{application}`")
                    }
                };
                let help = "the application's Binding decides which files are (`spec.manifests`); standard input (`-`) belongs to no application".to_owned();
                Diagnostic {
                    help: Some(help),
                    ..finding(HostRule::NotInApplication, message)
                }
            }
            Self::OutsideApplications {
                folder,
                first,
                more,
            } => {
                let message = format!(
                    "not rendered: {} in `{folder}`, outside of every application",
                    first_of(&first, more, "manifest", "manifests")
                );
                let help = "move them into an application, or name the applications' folders to leave them out on purpose".to_owned();
                Diagnostic {
                    severity: Severity::Warning,
                    help: Some(help),
                    ..finding(HostRule::OutsideApplications, message)
                }
            }
            Self::SeveralApplications {
                folder,
                first,
                more,
            } => {
                let message = format!(
                    "`{folder}` has no Binding, but there are applications below it: {}",
                    first_of(&first, more, "folder", "folders")
                );
                let help = "an Argo CD Application renders one: set its `spec.source.path` to that folder, and make an Application for each (an ApplicationSet can)".to_owned();
                Diagnostic {
                    help: Some(help),
                    ..finding(HostRule::SeveralApplications, message)
                }
            }
            Self::Output {
                path,
                error,
                others,
            } => {
                let others = match others {
                    0 => String::new(),
                    1 => " and 1 other file".to_owned(),
                    others => format!(" and {others} other files"),
                };
                finding(
                    HostRule::UnwritableFile,
                    format!("`{path}`{others} cannot be written: {}", reason(&error)),
                )
            }
        }
    }
}

/// One thing by its name, and how many more there are.
fn first_of(first: &str, more: usize, one: &str, many: &str) -> String {
    match more {
        0 => format!("`{first}`"),
        1 => format!("`{first}` and 1 more {one}"),
        more => format!("`{first}` and {more} more {many}"),
    }
}

/// `subject` begins the sentence.
fn file(subject: &str, error: &FileError) -> Diagnostic {
    match error {
        FileError::BrokenLink => {
            let help = "make what the link leads to, or remove the link";
            Diagnostic {
                help: Some(help.to_owned()),
                ..finding(
                    HostRule::MissingFile,
                    format!("{subject} is a link that leads to nothing"),
                )
            }
        }
        FileError::Missing => finding(HostRule::MissingFile, format!("{subject} does not exist")),
        FileError::IsFolder => finding(
            HostRule::UnreadableFile,
            format!("{subject} is a folder, not a file"),
        ),
        FileError::IsSpecial => {
            let help =
                "for the output of a program use `-`, standard input, or the shell's <(command)";
            Diagnostic {
                help: Some(help.to_owned()),
                ..finding(
                    HostRule::UnreadableFile,
                    format!("{subject} is a named pipe, a socket or a device, not a regular file"),
                )
            }
        }
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

fn needed(
    need: &Need,
    path: &str,
    origin: Origin,
    error: &FileError,
    root: RootKind,
) -> Diagnostic {
    let labels = vec![label(need, origin, "asked for here")];
    let is_missing = matches!(error, FileError::Missing | FileError::BrokenLink);
    if is_missing && address::is_address(&need.path) {
        return Diagnostic {
            labels,
            ..is_no_file(&need.path)
        };
    }
    if is_missing {
        let message = format!(
            "`{}` is not published yet: there is {} `{path}`",
            need.name,
            nothing(error)
        );
        let help = match need.published_by.as_deref() {
            Some(publisher) if !publisher.is_empty() => {
                format!("published by: {}", foreign::line(publisher))
            }
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
    let found = file(
        &format!("`{path}`, the outputs document of `{}`,", need.name),
        error,
    );
    let help = match (error, root) {
        (FileError::OutsideRoot, RootKind::NoWorkTree) => Some(
            "there is no Git work tree here, so that the root is the application's own folder: name a larger one with --root".to_owned(),
        ),
        _ => found.help,
    };
    Diagnostic {
        labels,
        help,
        ..found
    }
}

/// What there is in the place of a missing file.
const fn nothing(error: &FileError) -> &'static str {
    match error {
        FileError::BrokenLink => "only a link to nothing,",
        _ => "no file",
    }
}

/// An address where a file is wanted.
fn is_no_file(path: &str) -> Diagnostic {
    let fetch = address::fetch(path);
    Diagnostic {
        help: Some(format!("{fetch} | landfall render -b NAME=- …")),
        ..finding(
            HostRule::MissingFile,
            format!("`{path}` is an address: landfall reads files, and nothing from a network"),
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

#[cfg(test)]
mod tests {
    use std::io::ErrorKind;
    use std::path::Path;

    use super::Refusal;

    #[test]
    fn reports_a_full_disk_once() {
        let mut refusals = Vec::new();
        for nth in 0..50 {
            let path = format!("{nth}.yaml");
            let error = match nth {
                7 => ErrorKind::PermissionDenied,
                _ => ErrorKind::StorageFull,
            };
            Refusal::add_output(&mut refusals, Path::new(&path), error.into());
        }
        let found = refusals.into_iter().map(Refusal::into_diagnostic);
        let messages: Vec<_> = found.map(|found| found.message).collect();
        assert_eq!(
            messages,
            [
                "`0.yaml` and 48 other files cannot be written: no storage space",
                "`7.yaml` cannot be written: permission denied"
            ]
        );
    }
}
