//! Files that cannot be read or written.

use landfall_sandbox::types::Diagnostic;

use super::super::address;
use super::super::rule::HostRule;
use super::{finding, warning, with_help};
use crate::files::FileError;

/// A path of the command line, or a file that the Binding selects.
pub(super) fn manifest(path: &str, error: &FileError, others: usize) -> Diagnostic {
    let found = unreadable(&format!("`{path}`"), error, others);
    let is_missing = matches!(error, FileError::Missing);
    if is_missing && address::is_address(path) {
        return is_address(path, " | landfall render -");
    }
    if is_missing && is_pattern(path) {
        let folder = path.rsplit_once('/').map_or(".", |(folder, _)| folder);
        let help = match is_pattern(folder) {
            true => "landfall expands no patterns: name files or a folder".to_owned(),
            false => format!(
                "no file matches this pattern, or quotes keep the shell from expanding it; to render the manifests of a folder, name it: `{folder}`"
            ),
        };
        return with_help(found, help);
    }
    found
}

/// A file or folder that a flag names.
pub(super) fn flag(flag: &str, path: &str, error: &FileError, others: usize) -> Diagnostic {
    if matches!(error, FileError::Missing) && address::is_address(path) {
        return is_address(path, &format!(" | landfall render … {flag} -"));
    }
    unreadable(&format!("`{path}`, named by {flag},"), error, others)
}

/// A file that cannot be read, and how many others cannot for the same reason;
/// `subject` begins the sentence.
pub(super) fn unreadable(subject: &str, error: &FileError, others: usize) -> Diagnostic {
    match error {
        FileError::BrokenLink => with_help(
            finding(
                HostRule::MissingFile,
                format!("{subject} is a broken link: what it points to does not exist"),
            ),
            "create that file, or remove the link",
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
            "for the output of a program use `-`, standard input, or the shell's <(command)",
        ),
        FileError::OutsideRoot => with_help(
            finding(
                HostRule::OutsideRoot,
                format!("{subject} is outside the root"),
            ),
            "files that a Binding or a link names stay inside the root: the Git work tree, or --root",
        ),
        FileError::TooLarge { limit } => with_help(
            finding(
                HostRule::InputTooLarge,
                format!("{subject} is too large: all files together may have {limit} bytes"),
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

/// A file that cannot be written, and how many others cannot for the same reason.
pub(super) fn unwritable(path: &str, error: &std::io::Error, others: usize) -> Diagnostic {
    let (others, reason) = (and_others(others), reason(error));
    finding(
        HostRule::UnwritableFile,
        format!("`{path}`{others} cannot be written: {reason}"),
    )
}

/// A file that `--prune` leaves alone.
pub(super) fn kept(path: &str, record: &str) -> Diagnostic {
    let message =
        format!("`{path}` is kept: it was changed after an earlier run of landfall wrote it");
    warning(with_help(
        finding(HostRule::KeptFile, message),
        format!("remove the file, or, to keep it, its line in `{record}`"),
    ))
}

/// An address where a file is wanted; `then` is what is done with the output of the
/// command that fetches it.
pub(super) fn is_address(path: &str, then: &str) -> Diagnostic {
    let found = finding(
        HostRule::MissingFile,
        format!("`{path}` is an address: landfall reads files, and nothing from a network"),
    );
    match address::fetch(path) {
        Some(fetch) => with_help(found, format!("fetch it first: {fetch}{then}")),
        None => with_help(found, "fetch it first, and name the file"),
    }
}

/// Whether a path that leads to nothing is a pattern that the shell passed on as it is,
/// since no file matches it.
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
