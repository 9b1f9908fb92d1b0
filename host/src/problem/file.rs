//! Problems with files that cannot be read or written.

use std::path::Path;

use landfall_sandbox::types::Severity;

use crate::files::{FileError, Kept};

use super::repeated::Common;
use super::rule::HostRule;
use super::{Problem, remote};

impl Problem {
    /// A path on the command line, or a file that the Binding selects.
    pub(crate) fn manifest(path: &str, error: &FileError) -> Self {
        let found = Self::unreadable(&format!("`{path}`"), error);
        let is_missing = matches!(error, FileError::Missing);
        if is_missing && remote::is_remote(path) {
            return Self::remote_address(path, " | landfall render -");
        }
        if is_missing && is_pattern(path) {
            let folder = path.rsplit_once('/').map_or(".", |(folder, _)| folder);
            let help = if is_pattern(folder) {
                "landfall does not expand patterns: pass files or a folder".to_owned()
            } else {
                format!(
                    "no file matches this pattern, or quotes prevent the shell from expanding it; to render the manifests in a folder, pass the folder: `{folder}`"
                )
            };
            return found.help(help);
        }
        found
    }

    /// A file or folder that a flag names.
    pub(crate) fn flag(flag: &str, path: &str, error: &FileError) -> Self {
        if matches!(error, FileError::Missing) && remote::is_remote(path) {
            return Self::remote_address(path, &format!(" | landfall … {flag} -"));
        }
        let found = Self::unreadable(&format!("`{path}`, named by {flag},"), error);
        if flag == "--config" && path == "/dev/null" {
            return found.help("to use no Binding, pass `--no-binding` instead");
        }
        found
    }

    /// A file that cannot be read. `subject` starts the message.
    pub(crate) fn unreadable(subject: &str, error: &FileError) -> Self {
        let new = |rule, what: &str| Self::new(rule, format!("{subject} {what}"));
        match error {
            FileError::BrokenLink => new(
                HostRule::MissingFile,
                "is a broken link: its target does not exist",
            )
            .help("create the target, or remove the link"),
            FileError::Missing => new(HostRule::MissingFile, "does not exist"),
            FileError::IsFolder => new(HostRule::UnreadableFile, "is a folder, not a file"),
            FileError::IsSpecial => new(
                HostRule::UnreadableFile,
                "is a named pipe, a socket or a device, not a regular file",
            )
            .help("to read the output of a program, use standard input (`-`) or the shell's `<(command)`"),
            FileError::OutsideRoot => new(HostRule::OutsideRoot, "is outside the root")
                .help("files that a Binding names or a link points to must be inside the root, which is the Git work tree or the folder passed with --root"),
            FileError::TooLarge { limit } => Self {
                common: Some(Common::TOO_LARGE),
                ..new(
                    HostRule::InputTooLarge,
                    &format!("cannot be read: total input exceeds {limit} bytes"),
                )
                .help("raise the limit with --max-input")
            },
            FileError::Unreadable(error) => Self {
                common: Common::of(error, false, subject.len()),
                ..new(
                    HostRule::UnreadableFile,
                    &format!("cannot be read: {}", reason(error)),
                )
            },
        }
    }

    /// A file that cannot be written.
    pub(crate) fn output(path: &Path, error: &std::io::Error) -> Self {
        let subject = format!("`{}`", path.to_string_lossy());
        let message = format!("{subject} cannot be written: {}", reason(error));
        let common = Common::of(error, true, subject.len());
        Self {
            common,
            ..Self::new(HostRule::UnwritableFile, message)
        }
    }

    /// A file that `--prune` keeps.
    pub(crate) fn kept(file: &Kept, record: &str) -> Self {
        let path = file.path.to_string_lossy();
        let why = if file.is_modified {
            "it was modified after an earlier run wrote it"
        } else {
            "it may contain sensitive values, so whether it was modified is not recorded"
        };
        let message = format!("kept `{path}`: {why}");
        Self::new(HostRule::KeptFile, message)
            .help(format!(
                "delete the file; to keep it, delete its line in `{record}`"
            ))
            .severity(Severity::Warning)
    }

    /// A remote address, or a `file://` URL, where a file is expected. `then` is appended to the command that
    /// fetches it.
    pub(crate) fn remote_address(path: &str, then: &str) -> Self {
        if let Some(local) = path.strip_prefix("file://") {
            return Self::new(
                HostRule::MissingFile,
                format!("`{path}` is a URL, but landfall reads only paths"),
            )
            .help(format!("write the path: `{local}`"));
        }
        let found = Self::new(
            HostRule::MissingFile,
            format!("`{path}` is a remote address, but landfall reads only local files"),
        );
        match remote::fetch_command(path) {
            Some(fetch) => found.help(format!("fetch it first: {fetch}{then}")),
            None => found.help("download it first, and pass the downloaded file"),
        }
    }
}

/// Returns whether a path that does not exist is a pattern. The shell passes a pattern
/// on if no file matches it.
pub(crate) fn is_pattern(path: &str) -> bool {
    path.contains(['*', '?', '[', '{'])
}

/// Returns the system's message without the error number.
pub(crate) fn reason(error: &std::io::Error) -> String {
    let text = error.to_string();
    let text = text.split(" (os error").next().unwrap_or(&text);
    let mut chars = text.chars();
    chars
        .next()
        .map(|first| first.to_lowercase().chain(chars).collect())
        .unwrap_or_default()
}
