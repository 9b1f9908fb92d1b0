//! Reports an error that affects many files, such as a full disk, only once.

use std::io::{Error, ErrorKind};

use landfall_sandbox::types::Diagnostic;

use crate::files::FileError;

use super::Problem;

/// An error that many files can have in common.
#[derive(Debug, PartialEq, Eq)]
enum CommonError {
    /// The total input is too large. All files read after that fail too.
    TooLarge,
    /// An error of the system, on reading or on writing.
    System {
        is_written: bool,
        kind: ErrorKind,
        number: Option<i32>,
    },
}

impl CommonError {
    fn of(problem: &Problem) -> Option<Self> {
        let (error, is_written) = match (problem, problem.file_error()) {
            (Problem::Output { error, .. }, _) => (error, true),
            (_, Some(FileError::Unreadable(error))) => (error, false),
            (_, Some(FileError::TooLarge { .. })) => return Some(Self::TooLarge),
            _ => return None,
        };
        (!is_about_one_file(error)).then(|| Self::System {
            is_written,
            kind: error.kind(),
            number: error.raw_os_error(),
        })
    }
}

/// Returns whether an error concerns only one file.
fn is_about_one_file(error: &Error) -> bool {
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

/// Converts problems to diagnostics, in the same order.
pub(crate) fn diagnostics(problems: Vec<Problem>) -> Vec<Diagnostic> {
    // Each reported problem, with the number of others that have the same error.
    let mut kept: Vec<(Problem, usize)> = Vec::new();
    // Each common error, with the index of the problem that reports it.
    let mut common: Vec<(CommonError, usize)> = Vec::new();
    for problem in problems {
        if let Some(error) = CommonError::of(&problem) {
            if let Some((_, first)) = common.iter().find(|(known, _)| *known == error) {
                kept[*first].1 += 1;
                continue;
            }
            common.push((error, kept.len()));
        }
        kept.push((problem, 0));
    }
    let kept = kept.into_iter();
    kept.map(|(problem, others)| problem.into_diagnostic(others))
        .collect()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn messages(problems: Vec<Problem>) -> Vec<String> {
        let found = diagnostics(problems).into_iter();
        found.map(|found| found.message).collect()
    }

    #[test]
    fn reports_a_full_disk_once() {
        let problems = (0..50).map(|nth| {
            let error = match nth {
                7 => ErrorKind::PermissionDenied,
                _ => ErrorKind::StorageFull,
            };
            Problem::output(Path::new(&format!("{nth}.yaml")), error.into())
        });
        assert_eq!(
            messages(problems.collect()),
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
        let problems = (0..50).map(|nth| Problem::Manifest {
            path: format!("{nth}.yaml"),
            error: FileError::Unreadable(Error::from_raw_os_error(match nth {
                7 | 8 => EACCES,
                _ => EIO,
            })),
        });
        let written = Problem::output(Path::new("out"), Error::from_raw_os_error(EIO));
        assert_eq!(
            messages(problems.chain([written]).collect()),
            [
                "`0.yaml` and 47 other files cannot be read: input/output error",
                "`7.yaml` cannot be read: permission denied",
                "`8.yaml` cannot be read: permission denied",
                "`out` cannot be written: input/output error"
            ]
        );
    }

    #[test]
    fn reports_once_that_the_input_is_too_large() {
        let problems = ["a", "b"].map(|path| Problem::Manifest {
            path: path.to_owned(),
            error: FileError::TooLarge { limit: 5 },
        });
        assert_eq!(
            messages(problems.into()),
            ["`a` cannot be read: total input exceeds 5 bytes"]
        );
    }
}
