//! All file access of the program. Files that a Binding names or that a folder contains
//! are opened only below the root; files that the user names on the command line may be
//! anywhere.

mod base;
mod buffer;
mod git;
mod identity;
mod in_place;
mod interrupt;
mod output;
mod root;
mod staged;
mod staging;
mod user_path;
mod walk;
mod workspace;
mod written;

use std::io::{self, Read};

pub(crate) use git::{InGit, in_git};
pub(crate) use identity::FileId;
pub(crate) use in_place::InPlace;
pub(crate) use output::{Kept, OutputFolder};
pub(crate) use root::{Root, RootKind};
pub(crate) use user_path::{Kind, is_shell_pipe, kind, read_stdin, read_user_path, real_file};
pub(crate) use walk::{Listing, ListingError};
pub(crate) use workspace::Workspace;

/// The number of bytes that a run may still read.
#[derive(Clone, Debug)]
pub(crate) struct Budget {
    limit: u64,
    left: u64,
}

impl Budget {
    pub(crate) const fn new(limit: u64) -> Self {
        Self { limit, left: limit }
    }

    /// Reads all of `file`. `size` is its size in the file system, with which the buffer
    /// is allocated once.
    fn read(&mut self, file: impl Read, size: u64) -> Result<Vec<u8>, FileError> {
        if size > self.left {
            return Err(FileError::TooLarge { limit: self.limit });
        }
        let mut content = buffer::with_capacity(usize::try_from(size).unwrap_or(0));
        file.take(self.left + 1)
            .read_to_end(&mut content)
            .map_err(FileError::Unreadable)?;
        match self.left.checked_sub(content.len() as u64) {
            Some(left) => self.left = left,
            None => return Err(FileError::TooLarge { limit: self.limit }),
        }
        Ok(content)
    }
}

/// Why a file could not be read.
#[derive(Debug)]
pub(crate) enum FileError {
    /// It does not exist.
    Missing,
    /// It is a link whose target does not exist.
    BrokenLink,
    /// It is a folder.
    IsFolder,
    /// It is a named pipe, a socket or a device.
    IsSpecial,
    /// `..`, an absolute path or a link leads out of the root.
    OutsideRoot,
    /// The total size of all files exceeds the limit, in bytes.
    TooLarge { limit: u64 },
    /// The system reported an error.
    Unreadable(io::Error),
}

impl From<io::Error> for FileError {
    fn from(error: io::Error) -> Self {
        Self::from_io(error)
    }
}

impl FileError {
    fn from_io(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => Self::Missing,
            io::ErrorKind::IsADirectory => Self::IsFolder,
            _ => Self::Unreadable(error),
        }
    }
}
