//! Files that the user names on the command line. They may be anywhere, and may be
//! pipes of the shell.

use std::fs::{File, FileType, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

use super::{Budget, FileError};

/// What a path refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Folder,
    /// Anything else. Opening it fails if it is not a regular file.
    File,
}

/// Returns what a path refers to.
pub(crate) fn kind(path: &Path) -> Result<Kind, FileError> {
    let metadata = std::fs::metadata(path).map_err(|error| missing(path, error))?;
    Ok(if metadata.is_dir() {
        Kind::Folder
    } else {
        Kind::File
    })
}

/// Reads a regular file, or a pipe of the shell.
pub(crate) fn read_user_path(path: &Path, budget: &mut Budget) -> Result<Vec<u8>, FileError> {
    let is_shell_pipe = is_shell_pipe(path);
    let file = open(path, is_shell_pipe).map_err(|error| match error.raw_os_error() {
        // Opening a socket fails.
        #[cfg(unix)]
        Some(number) if number == rustix::io::Errno::NXIO.raw_os_error() => FileError::IsSpecial,
        _ => missing(path, error),
    })?;
    let metadata = file.metadata().map_err(FileError::from_io)?;
    match metadata.file_type() {
        kind if kind.is_file() => budget.read(file, metadata.len()),
        kind if kind.is_dir() => Err(FileError::IsFolder),
        kind if is_shell_pipe && is_pipe(kind) => budget.read(file, 0),
        _ => Err(FileError::IsSpecial),
    }
}

/// Returns whether a shell creates such paths for `<(command)`. Unlike any other named
/// pipe, which may wait for a writer forever, such a pipe is already open for writing.
pub(crate) fn is_shell_pipe(path: &Path) -> bool {
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
fn open(path: &Path, is_shell_pipe: bool) -> io::Result<File> {
    use rustix::fs::OFlags;
    use std::os::unix::fs::OpenOptionsExt;
    let mut options = OpenOptions::new();
    options.read(true);
    if !is_shell_pipe {
        // Opening a named pipe would block until it has a writer.
        options.custom_flags(OFlags::NONBLOCK.bits().cast_signed());
    }
    options.open(path)
}

#[cfg(not(unix))]
fn open(path: &Path, _: bool) -> io::Result<File> {
    File::open(path)
}

/// Converts the error for a path that cannot be opened.
fn missing(path: &Path, error: io::Error) -> FileError {
    match FileError::from_io(error) {
        FileError::Missing if path.is_symlink() => FileError::BrokenLink,
        error => error,
    }
}

/// Returns the canonical path of a regular file.
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

/// Returns the size of the file that standard input is redirected from; 0 for a pipe.
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
