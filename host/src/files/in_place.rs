//! Writing files back over themselves: all that changed, or none.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

use crate::splice::Spliced;

use super::staged::{self, Phase, Staged};

/// Files on their way over what they were read from, staged until
/// [`InPlace::publish`]. Dropped before that, nothing of them remains.
#[derive(Debug)]
pub(crate) struct InPlace<'a> {
    rendered: BTreeMap<PathBuf, Spliced<'a>>,
    staged: Staged,
}

impl<'a> InPlace<'a> {
    /// # Errors
    /// Nothing can be staged.
    pub(crate) fn new() -> io::Result<Self> {
        Ok(Self {
            rendered: BTreeMap::new(),
            staged: Staged::anywhere()?,
        })
    }

    /// Writes one file when it changed. `place` is where it lies, links followed;
    /// `original` is what was read there.
    pub(crate) fn write(
        &mut self,
        place: &Path,
        original: &[u8],
        file: Spliced<'a>,
    ) -> io::Result<()> {
        // Two paths or two links may lead to one file.
        if let Some(other) = self.rendered.insert(place.to_path_buf(), file) {
            return if file.equals(other) {
                Ok(())
            } else {
                Err(io::Error::new(
                    io::ErrorKind::AlreadyExists,
                    "it is rendered twice, with two results",
                ))
            };
        }
        if file.is(original) {
            return Ok(());
        }
        let metadata = fs::metadata(place)?;
        // A new file takes its place, which the old one's permissions alone would
        // not hinder. Nor do they hinder the administrator from opening it.
        if metadata.permissions().readonly() {
            return Err(io::Error::new(
                io::ErrorKind::PermissionDenied,
                "it is read-only",
            ));
        }
        OpenOptions::new().write(true).open(place)?;
        self.staged.put(place, file, Some(&metadata), Phase::Put)?;
        // Once it is staged, no other run of landfall writes here.
        if fs::read(place)? != original {
            return Err(io::Error::other("it was changed while it was rendered"));
        }
        Ok(())
    }

    /// How many files change.
    pub(crate) fn changed(&self) -> usize {
        self.staged.len()
    }

    /// Puts all files into place, and removes what killed runs left beside any of them.
    pub(crate) fn publish(self) -> Result<(), (PathBuf, io::Error)> {
        let folders: BTreeSet<_> = self
            .rendered
            .keys()
            .filter_map(|place| place.parent())
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
        Spliced::with_edits(content, &[]).unwrap()
    }

    #[test]
    fn one_file_has_one_result() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("a.yaml");
        fs::write(&place, "a: 1\n").unwrap();
        let mut files = InPlace::new().unwrap();
        let mut write = |content| files.write(&place, b"a: 1\n", spliced(content)).is_ok();
        assert!(write(b"a: 2\n"));
        assert!(write(b"a: 2\n"));
        assert!(!write(b"a: 3\n"));
        assert!(!write(b"a: 1\n"));
        assert_eq!(files.changed(), 1);
        drop(files);
        assert_eq!(fs::read_to_string(&place).unwrap(), "a: 1\n");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
