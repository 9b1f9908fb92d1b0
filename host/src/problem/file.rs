//! Diagnostics about files that cannot be read or written.

use landfall_sandbox::types::Diagnostic;

use crate::files::{FileError, Kept};

use super::rule::HostRule;
use super::{finding, no_resources, remote, warning, with_help};

/// A path on the command line, or a file that the Binding selects.
pub(super) fn manifest(path: &str, error: &FileError, others: usize) -> Diagnostic {
    let found = unreadable(&format!("`{path}`"), error, others);
    let is_missing = matches!(error, FileError::Missing);
    if is_missing && remote::is_remote(path) {
        return remote_address(path, " | landfall render -");
    }
    if is_missing && is_pattern(path) {
        let folder = path.rsplit_once('/').map_or(".", |(folder, _)| folder);
        let help = match is_pattern(folder) {
            true => "landfall does not expand patterns: pass files or a folder".to_owned(),
            false => format!(
                "no file matches this pattern, or quotes prevent the shell from expanding it; to render the manifests in a folder, pass the folder: `{folder}`"
            ),
        };
        return with_help(found, help);
    }
    found
}

/// A file or folder that a flag names.
pub(super) fn flag(flag: &str, path: &str, error: &FileError, others: usize) -> Diagnostic {
    if matches!(error, FileError::Missing) && remote::is_remote(path) {
        return remote_address(path, &format!(" | landfall … {flag} -"));
    }
    let found = unreadable(&format!("`{path}`, named by {flag},"), error, others);
    if flag == "--config" && path == "/dev/null" {
        return with_help(found, "to use no Binding, pass `--no-binding` instead");
    }
    found
}

/// A file that cannot be read. `subject` starts the message; `others` is the number of
/// other files with the same error.
pub(super) fn unreadable(subject: &str, error: &FileError, others: usize) -> Diagnostic {
    match error {
        FileError::BrokenLink => with_help(
            finding(
                HostRule::MissingFile,
                format!("{subject} is a broken link: its target does not exist"),
            ),
            "create the target, or remove the link",
        ),
        FileError::Missing => finding(HostRule::MissingFile, format!("{subject} does not exist")),
        FileError::IsFolder => finding(
            HostRule::UnreadableFile,
            format!("{subject} is a folder, not a file"),
        ),
        FileError::IsSpecial => with_help(
            finding(
                HostRule::UnreadableFile,
                format!("{subject} is a named pipe, a socket or a device, not a regular file"),
            ),
            "to read the output of a program, use standard input (`-`) or the shell's `<(command)`",
        ),
        FileError::OutsideRoot => with_help(
            finding(
                HostRule::OutsideRoot,
                format!("{subject} is outside the root"),
            ),
            "files that a Binding names or a link points to must be inside the root, which is the Git work tree or the folder passed with --root",
        ),
        FileError::TooLarge { limit } => with_help(
            finding(
                HostRule::InputTooLarge,
                format!("{subject} cannot be read: total input exceeds {limit} bytes"),
            ),
            "raise the limit with --max-input",
        ),
        FileError::Unreadable(error) => finding(
            HostRule::UnreadableFile,
            format!(
                "{subject}{} cannot be read: {}",
                and_others(others),
                reason(error)
            ),
        ),
    }
}

/// A file that cannot be written. `others` is the number of other files with the same
/// error.
pub(super) fn unwritable(path: &str, error: &std::io::Error, others: usize) -> Diagnostic {
    let (others, reason) = (and_others(others), reason(error));
    finding(
        HostRule::UnwritableFile,
        format!("`{path}`{others} cannot be written: {reason}"),
    )
}

/// An input without manifests, where a check relies on there being some.
pub(super) fn nothing_checked(path: &str, is_folder: bool) -> Diagnostic {
    let (message, help) = match is_folder {
        true => (
            format!("`{path}` contains no manifests: nothing was checked"),
            "pass the folder of the rendered manifests, or set `--no-resources allow`",
        ),
        false => (
            format!("`{path}` is empty: nothing was checked"),
            "if the command that writes it may have failed, use `set -o pipefail`; otherwise set `--no-resources allow`",
        ),
    };
    with_help(finding(HostRule::NothingChecked, message), help)
}

/// Standard input without manifests, which would be rendered to nothing.
pub(super) fn empty_stdin() -> Diagnostic {
    with_help(
        no_resources("standard input contains no manifests".to_owned()),
        "if the command before the pipe has failed, use `set -o pipefail`; if there may be no resources, set `--no-resources allow`",
    )
}

/// A file that `--prune` keeps.
pub(super) fn kept(file: &Kept, record: &str) -> Diagnostic {
    let path = file.path.to_string_lossy();
    let why = if file.is_modified {
        "it was modified after an earlier run wrote it"
    } else {
        "it may contain sensitive values, so whether it was modified is not recorded"
    };
    let message = format!("kept `{path}`: {why}");
    warning(with_help(
        finding(HostRule::KeptFile, message),
        format!("delete the file; to keep it, delete its line in `{record}`"),
    ))
}

/// A remote address, or a `file://` URL, where a file is expected. `then` is appended to the command that
/// fetches it.
pub(super) fn remote_address(path: &str, then: &str) -> Diagnostic {
    if let Some(local) = path.strip_prefix("file://") {
        return with_help(
            finding(
                HostRule::MissingFile,
                format!("`{path}` is a URL, but landfall reads only paths"),
            ),
            format!("write the path: `{local}`"),
        );
    }
    let found = finding(
        HostRule::MissingFile,
        format!("`{path}` is a remote address, but landfall reads only local files"),
    );
    match remote::fetch_command(path) {
        Some(fetch) => with_help(found, format!("fetch it first: {fetch}{then}")),
        None => with_help(found, "download it first, and pass the downloaded file"),
    }
}

/// Returns whether a path that does not exist is a pattern. The shell passes a pattern
/// on if no file matches it.
pub(super) fn is_pattern(path: &str) -> bool {
    path.contains(['*', '?', '[', '{'])
}

fn and_others(others: usize) -> String {
    match others {
        0 => String::new(),
        1 => " and 1 other file".to_owned(),
        others => format!(" and {others} other files"),
    }
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
