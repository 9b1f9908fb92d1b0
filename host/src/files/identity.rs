//! Which file a path leads to: `a.yaml`, `./a.yaml` and a link to it are one.

use std::path::Path;

/// One regular file, whatever it is called.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct FileId(Id);

/// The device and the number of the file on it.
#[cfg(unix)]
type Id = (u64, u64);
/// The path, links followed, where the standard library knows no number.
#[cfg(not(unix))]
type Id = std::path::PathBuf;

impl FileId {
    /// The regular file that `path` leads to, links followed. None: there is none.
    pub(crate) fn of(path: &Path) -> Option<Self> {
        let metadata = std::fs::metadata(path).ok()?;
        if !metadata.is_file() {
            return None;
        }
        #[cfg(unix)]
        {
            use std::os::unix::fs::MetadataExt;
            Some(Self((metadata.dev(), metadata.ino())))
        }
        #[cfg(not(unix))]
        std::fs::canonicalize(path).ok().map(Self)
    }
}
