//! Files that the user names: anywhere, and of any kind that ends.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use super::{Budget, FileError};

/// What stands at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Folder,
    /// Also a pipe, as shells make of `<(command)`.
    File,
}

/// What the user's path leads to.
pub(crate) fn kind(path: &Path) -> Result<Kind, FileError> {
    let metadata = std::fs::metadata(path).map_err(FileError::from_io)?;
    Ok(if metadata.is_dir() {
        Kind::Folder
    } else {
        Kind::File
    })
}

/// Reads a file that the user named.
pub(crate) fn read_named(path: &Path, budget: &mut Budget) -> Result<Vec<u8>, FileError> {
    let file = File::open(path).map_err(FileError::from_io)?;
    let metadata = file.metadata().map_err(FileError::from_io)?;
    if metadata.is_dir() {
        return Err(FileError::IsFolder);
    }
    budget.read(file, metadata.len())
}

/// Where a regular file lies that the user named, links followed.
pub(crate) fn real_file(path: &Path) -> Result<PathBuf, FileError> {
    let metadata = std::fs::metadata(path).map_err(FileError::from_io)?;
    if !metadata.is_file() {
        return Err(FileError::IsSpecial);
    }
    std::fs::canonicalize(path).map_err(FileError::from_io)
}

/// Reads standard input to its end.
pub(crate) fn read_stdin(budget: &mut Budget) -> Result<Vec<u8>, FileError> {
    let stdin = io::stdin();
    budget.read(stdin.lock(), size_of_stdin())
}

/// The size of the file that standard input is redirected from; 0 for a pipe.
#[cfg(unix)]
fn size_of_stdin() -> u64 {
    use std::os::fd::AsFd;
    let file = io::stdin().as_fd().try_clone_to_owned().map(File::from);
    file.and_then(|file| file.metadata()).map_or(0, |metadata| {
        if metadata.is_file() {
            metadata.len()
        } else {
            0
        }
    })
}

#[cfg(not(unix))]
fn size_of_stdin() -> u64 {
    0
}
