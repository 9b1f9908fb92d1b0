//! Writing a folder of files: all of them, or none.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};

use crate::splice::Spliced;

use super::staged::Staged;

/// Files on their way into a folder, staged until [`OutputFolder::publish`].
/// Dropped before that, nothing of them remains.
#[derive(Debug)]
pub(crate) struct OutputFolder {
    folder: PathBuf,
    staged: Staged,
    /// Folders that were made for these files, outermost first.
    made: Vec<PathBuf>,
    targets: BTreeSet<PathBuf>,
}

impl OutputFolder {
    pub(crate) fn new(folder: &Path) -> Self {
        Self {
            folder: folder.to_path_buf(),
            staged: Staged::default(),
            made: Vec::new(),
            targets: BTreeSet::new(),
        }
    }

    /// Writes one file; `path` is relative to the folder.
    pub(crate) fn write(
        &mut self,
        path: &str,
        file: Spliced<'_>,
    ) -> Result<(), (PathBuf, io::Error)> {
        let target = self.folder.join(path);
        self.write_beside(&target, file)
            .map_err(|error| (target, error))
    }

    fn write_beside(&mut self, target: &Path, file: Spliced<'_>) -> io::Result<()> {
        if !self.targets.insert(target.to_path_buf()) {
            return Err(io::Error::new(
                io::ErrorKind::AlreadyExists,
                "two files would be written here",
            ));
        }
        if target.is_dir() {
            return Err(io::ErrorKind::IsADirectory.into());
        }
        let parent = target.parent().unwrap_or(&self.folder).to_path_buf();
        self.make_folder(&parent)?;
        self.staged.add(target, file, None)
    }

    fn make_folder(&mut self, folder: &Path) -> io::Result<()> {
        let missing: Vec<_> = folder
            .ancestors()
            .take_while(|ancestor| !ancestor.as_os_str().is_empty() && !ancestor.exists())
            .collect();
        for folder in missing.into_iter().rev() {
            std::fs::create_dir(folder)?;
            self.made.push(folder.to_path_buf());
        }
        Ok(())
    }

    /// Puts all files into place.
    pub(crate) fn publish(mut self) -> Result<(), (PathBuf, io::Error)> {
        std::mem::take(&mut self.staged).publish()?;
        self.made.clear();
        Ok(())
    }
}

impl Drop for OutputFolder {
    fn drop(&mut self) {
        self.staged = Staged::default();
        for folder in self.made.drain(..).rev() {
            // Only an empty one goes away, which is what is wanted.
            let _ = std::fs::remove_dir(folder);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::OutputFolder;
    use crate::splice::Spliced;

    fn write(folder: &mut OutputFolder, path: &str, content: &str) -> bool {
        folder
            .write(path, Spliced::with_edits(content.as_bytes(), &[]).unwrap())
            .is_ok()
    }

    #[test]
    fn all_of_them() {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("new/out");
        let mut output = OutputFolder::new(&out);
        assert!(write(&mut output, "a.yaml", "a: 1\n"));
        assert!(write(&mut output, "deep/er/b.yaml", "b: 1\n"));
        assert!(!out.join("a.yaml").exists());
        output.publish().unwrap();
        assert_eq!(fs::read_to_string(out.join("a.yaml")).unwrap(), "a: 1\n");
        assert_eq!(
            fs::read_to_string(out.join("deep/er/b.yaml")).unwrap(),
            "b: 1\n"
        );
        assert_eq!(fs::read_dir(&out).unwrap().count(), 2);
    }

    #[test]
    fn or_none() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("b.yaml")).unwrap();
        fs::write(folder.path().join("a.yaml"), "before").unwrap();
        let mut output = OutputFolder::new(folder.path());
        assert!(write(&mut output, "a.yaml", "after"));
        assert!(write(&mut output, "deep/er/c.yaml", "c"));
        assert!(!write(&mut output, "b.yaml", "a folder is in the way"));
        assert!(!write(&mut output, "a.yaml", "twice"));
        drop(output);
        assert_eq!(
            fs::read_to_string(folder.path().join("a.yaml")).unwrap(),
            "before"
        );
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
    }

    #[cfg(unix)]
    #[test]
    fn permissions_are_the_usual_ones() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("usual"), "").unwrap();
        let mut output = OutputFolder::new(folder.path());
        assert!(write(&mut output, "a.yaml", ""));
        output.publish().unwrap();
        let mode = |name| {
            fs::metadata(folder.path().join(name))
                .unwrap()
                .permissions()
                .mode()
        };
        assert_eq!(mode("a.yaml"), mode("usual"));
    }
}
