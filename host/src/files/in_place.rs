//! Writes changed files in place: all of them, or none.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

use crate::splice::Spliced;

use super::staged::{self, Phase, Staged};

/// Changed files, staged until [`InPlace::publish`]. If it is dropped before, no file
/// is changed and nothing is left behind.
#[derive(Debug)]
pub(crate) struct InPlace<'a> {
    rendered: BTreeMap<PathBuf, Spliced<'a>>,
    staged: Staged,
}

impl<'a> InPlace<'a> {
    /// Creates an empty set of changes.
    ///
    /// # Errors
    /// The signal handlers cannot be installed.
    pub(crate) fn new() -> io::Result<Self> {
        Ok(Self {
            rendered: BTreeMap::new(),
            staged: Staged::anywhere()?,
        })
    }

    /// Stages one file if it changed. `path` is its canonical path, `original` the
    /// content that was read from it.
    pub(crate) fn write(
        &mut self,
        path: &Path,
        original: &[u8],
        file: Spliced<'a>,
    ) -> io::Result<()> {
        // Two arguments or two links may lead to the same file.
        if let Some(other) = self.rendered.insert(path.to_path_buf(), file) {
            return if file.equals(other) {
                Ok(())
            } else {
                Err(Self::two_results())
            };
        }
        if file.is(original) {
            return Ok(());
        }
        let metadata = fs::metadata(path)?;
        // The file is replaced by renaming, which its permissions would not prevent; root
        // could even open it for writing.
        if metadata.permissions().readonly() {
            return Err(io::Error::new(
                io::ErrorKind::PermissionDenied,
                "it is read-only",
            ));
        }
        OpenOptions::new().write(true).open(path)?;
        self.staged.put(path, file, Some(&metadata), Phase::Put)?;
        // From here on, no other run of landfall writes to this folder.
        if fs::read(path)? != original {
            return Err(io::Error::other("it was modified during the render"));
        }
        Ok(())
    }

    /// Returns the error for a file that is rendered twice with different results.
    pub(crate) fn two_results() -> io::Error {
        io::Error::new(
            io::ErrorKind::AlreadyExists,
            "it is rendered twice with different results",
        )
    }

    /// Returns the number of files that change.
    pub(crate) fn changed(&self) -> usize {
        self.staged.len()
    }

    /// Replaces all changed files, and removes leftovers of killed runs in their folders.
    pub(crate) fn publish(self) -> Result<(), (PathBuf, io::Error)> {
        let folders: BTreeSet<_> = self
            .rendered
            .keys()
            .filter_map(|path| path.parent())
            .collect();
        let folders: Vec<_> = folders.into_iter().map(Path::to_path_buf).collect();
        self.staged.commit()?;
        for folder in folders {
            staged::sweep(&folder);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::InPlace;
    use crate::splice::Spliced;

    fn spliced(content: &[u8]) -> Spliced<'_> {
        Spliced::unedited(content)
    }

    #[test]
    fn rejects_a_file_with_two_results() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.yaml");
        fs::write(&path, "a: 1\n").unwrap();
        let mut files = InPlace::new().unwrap();
        let mut write = |content| files.write(&path, b"a: 1\n", spliced(content)).is_ok();
        assert!(write(b"a: 2\n"));
        assert!(write(b"a: 2\n"));
        assert!(!write(b"a: 3\n"));
        assert!(!write(b"a: 1\n"));
        assert_eq!(files.changed(), 1);
        drop(files);
        assert_eq!(fs::read_to_string(&path).unwrap(), "a: 1\n");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
