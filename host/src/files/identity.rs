//! The identity of files: `a.yaml`, `./a.yaml` and a link to it are the same file.

use std::path::Path;

/// Identifies a regular file independently of its path.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct FileId(Id);

/// The device and inode numbers.
#[cfg(unix)]
type Id = (u64, u64);
/// The canonical path.
#[cfg(not(unix))]
type Id = std::path::PathBuf;

impl FileId {
    /// Returns the identity of the regular file at `path`, following links. None if
    /// there is no such file.
    pub(crate) fn of(path: &Path) -> Option<Self> {
        let metadata = std::fs::metadata(path).ok()?;
        if !metadata.is_file() {
            return None;
        }
        #[cfg(unix)]
        return Some(Self::of_metadata(&metadata));
        #[cfg(not(unix))]
        std::fs::canonicalize(path).ok().map(Self)
    }

    /// Returns the identity of the regular file that standard output is redirected to. None
    /// if it is none, or if the system cannot tell.
    pub(crate) fn of_stdout() -> Option<Self> {
        #[cfg(unix)]
        {
            use std::os::fd::AsFd;
            let stdout = std::io::stdout().as_fd().try_clone_to_owned().ok()?;
            let metadata = std::fs::File::from(stdout).metadata().ok()?;
            metadata.is_file().then(|| Self::of_metadata(&metadata))
        }
        #[cfg(not(unix))]
        None
    }

    #[cfg(unix)]
    fn of_metadata(metadata: &std::fs::Metadata) -> Self {
        use std::os::unix::fs::MetadataExt;
        Self((metadata.dev(), metadata.ino()))
    }
}
