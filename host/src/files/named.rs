//! Files that the user names: anywhere, regular ones or pipes of the shell.

use std::fs::{File, FileType, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

use super::{Budget, FileError};

/// What stands at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Folder,
    /// Anything else: what it is shows when it is opened.
    File,
}

/// What the user's path leads to.
pub(crate) fn kind(path: &Path) -> Result<Kind, FileError> {
    let metadata = std::fs::metadata(path).map_err(|error| missing(path, error))?;
    Ok(if metadata.is_dir() {
        Kind::Folder
    } else {
        Kind::File
    })
}

/// Reads a file that the user named: a regular one, or a pipe of the shell.
pub(crate) fn read_named(path: &Path, budget: &mut Budget) -> Result<Vec<u8>, FileError> {
    let is_of_shell = is_of_shell(path);
    let file = open(path, is_of_shell).map_err(|error| match error.raw_os_error() {
        // A socket can be seen, but not opened.
        #[cfg(unix)]
        Some(number) if number == rustix::io::Errno::NXIO.raw_os_error() => FileError::IsSpecial,
        _ => missing(path, error),
    })?;
    let metadata = file.metadata().map_err(FileError::from_io)?;
    match metadata.file_type() {
        kind if kind.is_file() => budget.read(file, metadata.len()),
        kind if kind.is_dir() => Err(FileError::IsFolder),
        kind if is_of_shell && is_pipe(kind) => budget.read(file, 0),
        _ => Err(FileError::IsSpecial),
    }
}

/// Whether a path is one that shells make of `<(command)`: the pipe is open already, so
/// that somebody writes into it. A named pipe may wait for a writer for ever.
fn is_of_shell(path: &Path) -> bool {
    ["/dev/fd", "/dev/stdin", "/proc/self/fd"]
        .iter()
        .any(|prefix| path.starts_with(prefix))
}

#[cfg(unix)]
fn is_pipe(kind: FileType) -> bool {
    use std::os::unix::fs::FileTypeExt;
    kind.is_fifo()
}

#[cfg(not(unix))]
fn is_pipe(_: FileType) -> bool {
    false
}

#[cfg(unix)]
fn open(path: &Path, is_of_shell: bool) -> io::Result<File> {
    use rustix::fs::OFlags;
    use std::os::unix::fs::OpenOptionsExt;
    let mut options = OpenOptions::new();
    options.read(true);
    if !is_of_shell {
        // Opening a named pipe would wait for someone to write into it.
        options.custom_flags(OFlags::NONBLOCK.bits().cast_signed());
    }
    options.open(path)
}

#[cfg(not(unix))]
fn open(path: &Path, _: bool) -> io::Result<File> {
    File::open(path)
}

/// Why a path leads to nothing.
fn missing(path: &Path, error: io::Error) -> FileError {
    match FileError::from_io(error) {
        FileError::Missing if path.is_symlink() => FileError::BrokenLink,
        error => error,
    }
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
