//! Reports an error that affects many files, such as a full disk, only once.

use std::io::{Error, ErrorKind};

use landfall_sandbox::types::Diagnostic;

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

/// An error that many files can have in common, in a problem.
#[derive(Debug)]
pub(super) struct Common {
    error: CommonError,
    /// Where the message says how many other files have it, if it does.
    others_at: Option<usize>,
}

impl Common {
    /// The total input is too large.
    pub(super) const TOO_LARGE: Self = Self {
        error: CommonError::TooLarge,
        others_at: None,
    };

    /// Returns None for an error that concerns only one file. The number of other files is
    /// said at `others_at` of the message.
    pub(super) fn of(error: &Error, is_written: bool, others_at: usize) -> Option<Self> {
        (!is_about_one_file(error)).then(|| Self {
            error: CommonError::System {
                is_written,
                kind: error.kind(),
                number: error.raw_os_error(),
            },
            others_at: Some(others_at),
        })
    }
}

impl Problem {
    /// Returns whether no more files can be read.
    pub(crate) fn stops_reading(&self) -> bool {
        let error = self.common.as_ref().map(|common| &common.error);
        error == Some(&CommonError::TooLarge)
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
    let mut found: Vec<Diagnostic> = Vec::new();
    // Each common error, with the index of its diagnostic and the number of other files.
    let mut reported: Vec<(Common, usize, usize)> = Vec::new();
    for problem in problems {
        if let Some(common) = problem.common {
            let mut known = reported.iter_mut();
            if let Some((.., others)) = known.find(|(known, ..)| known.error == common.error) {
                *others += 1;
                continue;
            }
            reported.push((common, found.len(), 0));
        }
        found.push(*problem.found);
    }
    for (common, nth, others) in reported {
        if let Some(at) = common.others_at {
            found[nth].message.insert_str(at, &and_others(others));
        }
    }
    found
}

fn and_others(others: usize) -> String {
    match others {
        0 => String::new(),
        1 => " and 1 other file".to_owned(),
        others => format!(" and {others} other files"),
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::files::FileError;

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
            Problem::output(Path::new(&format!("{nth}.yaml")), &error.into())
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
        let problems = (0..50).map(|nth| {
            let error = Error::from_raw_os_error(match nth {
                7 | 8 => EACCES,
                _ => EIO,
            });
            Problem::manifest(&format!("{nth}.yaml"), &FileError::Unreadable(error))
        });
        let written = Problem::output(Path::new("out"), &Error::from_raw_os_error(EIO));
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
        let too_large = FileError::TooLarge { limit: 5 };
        let problems = ["a", "b"].map(|path| Problem::manifest(path, &too_large));
        assert_eq!(
            messages(problems.into()),
            ["`a` cannot be read: total input exceeds 5 bytes"]
        );
    }
}
