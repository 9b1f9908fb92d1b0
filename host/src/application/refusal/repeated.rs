//! One fault of the machine, reported once, whatever number of files it hits.

use std::io::{Error, ErrorKind};

use landfall_sandbox::types::Diagnostic;

use super::Refusal;
use crate::files::FileError;

/// What several files can have in common.
#[derive(Debug, PartialEq, Eq)]
enum Fault {
    /// All files together are too large: the others only came after that.
    TooLarge,
    /// The system's error, and whether it came of writing.
    OfSystem {
        is_written: bool,
        kind: ErrorKind,
        number: Option<i32>,
    },
}

impl Fault {
    fn of(refusal: &Refusal) -> Option<Self> {
        let (error, is_written) = match (refusal, refusal.file_error()) {
            (Refusal::Output { error, .. }, _) => (error, true),
            (_, Some(FileError::Unreadable(error))) => (error, false),
            (_, Some(FileError::TooLarge { .. })) => return Some(Self::TooLarge),
            _ => return None,
        };
        (!is_of_one_file(error)).then(|| Self::OfSystem {
            is_written,
            kind: error.kind(),
            number: error.raw_os_error(),
        })
    }
}

/// Whether others of the disk are not touched by an error.
fn is_of_one_file(error: &Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::PermissionDenied
            | ErrorKind::AlreadyExists
            | ErrorKind::IsADirectory
            | ErrorKind::NotADirectory
            | ErrorKind::NotFound
            | ErrorKind::InvalidFilename
            | ErrorKind::InvalidData
            | ErrorKind::FileTooLarge
            | ErrorKind::Other
    )
}

/// The findings that are drawn, in the order of what was refused.
pub(crate) fn diagnostics(refusals: Vec<Refusal>) -> Vec<Diagnostic> {
    // Each refusal that is reported, with how many others have its fault.
    let mut kept: Vec<(Refusal, usize)> = Vec::new();
    // Each fault, with the position of the refusal that reports it.
    let mut faults: Vec<(Fault, usize)> = Vec::new();
    for refusal in refusals {
        if let Some(fault) = Fault::of(&refusal) {
            if let Some((_, first)) = faults.iter().find(|(known, _)| *known == fault) {
                kept[*first].1 += 1;
                continue;
            }
            faults.push((fault, kept.len()));
        }
        kept.push((refusal, 0));
    }
    let kept = kept.into_iter();
    kept.map(|(refusal, others)| refusal.into_diagnostic(others))
        .collect()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn messages(refusals: Vec<Refusal>) -> Vec<String> {
        let found = diagnostics(refusals).into_iter();
        found.map(|found| found.message).collect()
    }

    #[test]
    fn reports_a_full_disk_once() {
        let refusals = (0..50).map(|nth| {
            let error = match nth {
                7 => ErrorKind::PermissionDenied,
                _ => ErrorKind::StorageFull,
            };
            Refusal::output(Path::new(&format!("{nth}.yaml")), error.into())
        });
        assert_eq!(
            messages(refusals.collect()),
            [
                "`0.yaml` and 48 other files cannot be written: no storage space",
                "`7.yaml` cannot be written: permission denied"
            ]
        );
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn reports_a_broken_disk_once() {
        const EIO: i32 = 5;
        const EACCES: i32 = 13;
        let refusals = (0..50).map(|nth| Refusal::Manifest {
            path: format!("{nth}.yaml"),
            error: FileError::Unreadable(Error::from_raw_os_error(match nth {
                7 | 8 => EACCES,
                _ => EIO,
            })),
        });
        let written = Refusal::output(Path::new("out"), Error::from_raw_os_error(EIO));
        assert_eq!(
            messages(refusals.chain([written]).collect()),
            [
                "`0.yaml` and 47 other files cannot be read: input/output error",
                "`7.yaml` cannot be read: permission denied",
                "`8.yaml` cannot be read: permission denied",
                "`out` cannot be written: input/output error"
            ]
        );
    }

    #[test]
    fn reports_once_that_all_files_are_too_large() {
        let refusals = ["a", "b"].map(|path| Refusal::Manifest {
            path: path.to_owned(),
            error: FileError::TooLarge { limit: 5 },
        });
        assert_eq!(
            messages(refusals.into()),
            ["`a` is too large: all files together may have 5 bytes"]
        );
    }
}
