//! The only part of the program that opens files. What a Binding or a folder
//! names is opened below one root and nowhere else; what the user names on the
//! command line may be anywhere.

mod base;
mod identity;
mod in_place;
mod interrupt;
mod named;
mod output;
mod room;
mod root;
mod staged;
mod staging;
mod walk;
mod written;

use std::io::{self, Read};

pub(crate) use identity::FileId;
pub(crate) use in_place::InPlace;
pub(crate) use named::{Kind, kind, read_named, read_stdin, real_file};
pub(crate) use output::OutputFolder;
pub(crate) use root::{Root, RootKind};
pub(crate) use walk::{Listing, Unlisted};

/// The bytes that may still be read, all files of a run together.
#[derive(Debug)]
pub(crate) struct Budget {
    limit: u64,
    left: u64,
}

impl Budget {
    pub(crate) const fn new(limit: u64) -> Self {
        Self { limit, left: limit }
    }

    /// Reads all of `file`. `size` is what the file system says of it: the memory
    /// is taken at once, and not twice.
    fn read(&mut self, file: impl Read, size: u64) -> Result<Vec<u8>, FileError> {
        if size > self.left {
            return Err(FileError::TooLarge { limit: self.limit });
        }
        let mut content = room::room_for(usize::try_from(size).unwrap_or(0));
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

/// Why a file could not be had.
#[derive(Debug)]
pub(crate) enum FileError {
    /// There is nothing of this name.
    Missing,
    /// There is a link of this name that leads to nothing.
    BrokenLink,
    /// It is a folder.
    IsFolder,
    /// It is a named pipe, a socket or a device.
    IsSpecial,
    /// `..`, an absolute path or a link leads out of the root.
    OutsideRoot,
    /// All files together are larger than may be read, in bytes.
    TooLarge { limit: u64 },
    /// The system refused.
    Unreadable(io::Error),
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
