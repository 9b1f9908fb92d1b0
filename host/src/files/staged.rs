//! Atomic changes to several files: staged first, then committed together or not at all.

use std::fs::{File, Metadata};
use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use cap_std::fs::Dir;

use crate::splice::Spliced;

use super::base::{Base, Mount, mount};
use super::interrupt::{self, Discard, lock};
use super::staging::{Attempt, Staging};

/// The maximum number of attempts to open a staging folder, which other runs may remove
/// at any time.
const MAX_ATTEMPTS: usize = 1_000;

/// Staged changes. If it is dropped before [`Staged::commit`], or if a signal ends the
/// program, nothing is left behind.
#[derive(Debug)]
pub(super) struct Staged {
    open: Arc<Mutex<Open>>,
    base: Base,
    changes: Vec<Change>,
}

/// The temporary files and folders of a run.
#[derive(Debug, Default)]
struct Open {
    staging: Vec<(Mount, Staging)>,
    /// Folders that this run created, outermost first.
    created: Vec<PathBuf>,
}

impl Discard for Open {
    fn discard(&mut self) {
        for (_, mut staging) in self.staging.drain(..) {
            staging.discard();
        }
        for folder in self.created.drain(..).rev() {
            // Fails for a folder that is not empty, which must stay.
            let _ = std::fs::remove_dir(folder);
        }
    }
}

/// The order in which changes are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Phase {
    Before,
    /// Before [`Phase::Put`]: on a case-insensitive file system, a removed file may have
    /// the name of a new one.
    Remove,
    Put,
    After,
}

#[derive(Debug)]
struct Change {
    phase: Phase,
    path: PathBuf,
    /// The index of the staging folder on the same mount.
    staging: usize,
    /// The name of the new file in the staging folder. None: the file is removed.
    content: Option<String>,
}

enum Undo {
    /// A file was created, replaced or removed. `backup` is the previous file in a
    /// staging folder.
    Changed {
        path: PathBuf,
        backup: Option<(usize, String)>,
    },
    /// A folder was created.
    Created(PathBuf),
}

impl Staged {
    /// Prepares changes to files anywhere, in existing folders.
    pub(super) fn anywhere() -> io::Result<Self> {
        let open = Arc::default();
        interrupt::discard_on_signals(&open)?;
        Ok(Self {
            open,
            base: Base::Anywhere,
            changes: Vec::new(),
        })
    }

    /// Prepares changes to files below `folder`, and creates it if it does not exist.
    /// Waits while another run changes files there.
    pub(super) fn below(folder: &Path) -> io::Result<Self> {
        let open: Arc<Mutex<Open>> = Arc::default();
        interrupt::discard_on_signals(&open)?;
        let mut attempts = 0;
        loop {
            create_folder(folder, &mut lock(&open))?;
            let dir = Dir::open_ambient_dir(folder, cap_std::ambient_authority())?;
            let mut staged = Self {
                open: Arc::clone(&open),
                base: Base::Below(dir),
                changes: Vec::new(),
            };
            attempts += 1;
            match staged.staging(Path::new("")) {
                // Another run that failed has removed the folder it had created.
                Err(error)
                    if error.kind() == io::ErrorKind::NotFound && attempts < MAX_ATTEMPTS => {}
                result => return result.map(|_| staged),
            }
        }
    }

    /// Opens the regular file at `path` and returns it with its size. None if it does
    /// not exist.
    pub(super) fn open(&self, path: &Path) -> io::Result<Option<(cap_std::fs::File, u64)>> {
        let found = self.base.find(folder_of(path)).and_then(|dir| {
            let name = name_of(path)?;
            let metadata = dir.symlink_metadata(name)?;
            if metadata.is_file() {
                Ok((dir.open(name)?, metadata.len()))
            } else {
                Err(io::Error::other("it is not a regular file"))
            }
        });
        match found {
            Ok(found) => Ok(Some(found)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Stages a file for `path`, with the owner and permissions in `like`, or the default
    /// ones.
    pub(super) fn put(
        &mut self,
        path: &Path,
        file: Spliced<'_>,
        like: Option<&Metadata>,
        phase: Phase,
    ) -> io::Result<()> {
        let staging = self.staging(folder_of(path))?;
        // Locked, so that a signal waits until the file is complete and recorded.
        let mut open = lock(&self.open);
        let (content, staged) = open.staging[staging].1.create()?;
        let mut out = BufWriter::with_capacity(64 << 10, staged);
        file.write_to(&mut out)?;
        let staged = out.into_inner().map_err(io::IntoInnerError::into_error)?;
        if let Some(like) = like {
            copy_owner_and_permissions(&staged.into_std(), like)?;
        }
        self.changes.push(Change {
            phase,
            path: path.to_path_buf(),
            staging,
            content: Some(content),
        });
        Ok(())
    }

    /// Stages the removal of the file at `path`, and of folders that become empty.
    pub(super) fn remove(&mut self, path: &Path) -> io::Result<()> {
        let staging = self.staging(folder_of(path))?;
        self.changes.push(Change {
            phase: Phase::Remove,
            path: path.to_path_buf(),
            staging,
            content: None,
        });
        Ok(())
    }

    /// Returns the number of staged changes.
    pub(super) const fn len(&self) -> usize {
        self.changes.len()
    }

    /// Returns the index of the staging folder for files in `folder`. There is one per
    /// mount, because a file cannot be renamed from one mount to another.
    fn staging(&mut self, folder: &Path) -> io::Result<usize> {
        let dir = self.base.existing(folder)?;
        let mount = mount(&dir)?;
        for _ in 0..MAX_ATTEMPTS {
            let mut open = lock(&self.open);
            if let Some(at) = open.staging.iter().position(|(of, _)| *of == mount) {
                return Ok(at);
            }
            match Staging::attempt(&dir)? {
                Attempt::Open(staging) => open.staging.push((mount, staging)),
                Attempt::Busy(other) => {
                    // Unlocked, so that a signal can end the run while it waits.
                    drop(open);
                    other.lock()?;
                }
                Attempt::Gone => {}
            }
        }
        Err(io::Error::other(
            "the folder could not be locked: other runs keep writing to it",
        ))
    }

    /// Makes all changes. If one fails, undoes the others.
    pub(super) fn commit(mut self) -> Result<(), (PathBuf, io::Error)> {
        self.changes.sort_by_key(|change| change.phase);
        // Locked, so that a signal waits until all changes are made.
        let mut open = lock(&self.open);
        let mut done = Vec::new();
        for change in &self.changes {
            if let Err(error) = self.make(change, &mut open, &mut done) {
                for undo in done.into_iter().rev() {
                    // If undoing fails too, nothing more can be done.
                    let _ = self.undo(&undo, &open);
                }
                return Err((change.path.clone(), error));
            }
        }
        for change in self
            .changes
            .iter()
            .filter(|change| change.content.is_none())
        {
            self.base.remove_empty(folder_of(&change.path));
        }
        open.created.clear();
        open.discard();
        Ok(())
    }

    fn make(&self, change: &Change, open: &mut Open, done: &mut Vec<Undo>) -> io::Result<()> {
        let name = name_of(&change.path)?;
        let dir = self.base.create(folder_of(&change.path), |created| {
            done.push(Undo::Created(created));
        })?;
        let staging = &mut open.staging[change.staging].1;
        let backup = match dir.symlink_metadata(name) {
            Ok(metadata) if metadata.is_dir() => return Err(io::ErrorKind::IsADirectory.into()),
            Ok(_) => Some((change.staging, staging.back_up(&dir, name)?)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        match &change.content {
            Some(content) => staging.dir().rename(content, &dir, name)?,
            None => dir.remove_file(name)?,
        }
        done.push(Undo::Changed {
            path: change.path.clone(),
            backup,
        });
        Ok(())
    }

    fn undo(&self, undo: &Undo, open: &Open) -> io::Result<()> {
        match undo {
            Undo::Created(folder) => self
                .base
                .find(folder_of(folder))?
                .remove_dir(name_of(folder)?),
            Undo::Changed { path, backup } => {
                let dir = self.base.find(folder_of(path))?;
                let name = name_of(path)?;
                match backup {
                    Some((staging, backup)) => {
                        open.staging[*staging].1.dir().rename(backup, &dir, name)
                    }
                    None => dir.remove_file(name),
                }
            }
        }
    }
}

impl Drop for Staged {
    fn drop(&mut self) {
        lock(&self.open).discard();
    }
}

/// Removes leftovers of a killed run in `folder`. If that fails, the next run tries
/// again.
pub(super) fn sweep(folder: &Path) {
    let _ = Dir::open_ambient_dir(folder, cap_std::ambient_authority())
        .and_then(|dir| Staging::sweep(&dir));
}

/// Creates a folder and its parents if they do not exist.
fn create_folder(folder: &Path, open: &mut Open) -> io::Result<()> {
    let missing: Vec<_> = folder
        .ancestors()
        .take_while(|ancestor| !ancestor.as_os_str().is_empty() && !ancestor.exists())
        .collect();
    for folder in missing.into_iter().rev() {
        match std::fs::create_dir(folder) {
            Ok(()) => open.created.push(folder.to_path_buf()),
            // Another run has created it in the meantime.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

fn folder_of(path: &Path) -> &Path {
    path.parent().unwrap_or(Path::new(""))
}

fn name_of(path: &Path) -> io::Result<&Path> {
    path.file_name()
        .map(Path::new)
        .ok_or_else(|| io::ErrorKind::InvalidInput.into())
}

/// Gives a file the owner and the permissions in `like`.
#[cfg(unix)]
fn copy_owner_and_permissions(file: &File, like: &Metadata) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt, fchown};
    let own = file.metadata()?;
    if (own.uid(), own.gid()) != (like.uid(), like.gid()) {
        // Only root may change the owner. For all others the file gets a new owner, as
        // when Git writes it.
        let _ = fchown(file, Some(like.uid()), Some(like.gid()));
    }
    // Last, because changing the owner clears some permissions.
    file.set_permissions(like.permissions())
}

#[cfg(not(unix))]
fn copy_owner_and_permissions(file: &File, like: &Metadata) -> io::Result<()> {
    file.set_permissions(like.permissions())
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::{Phase, Staged};
    use crate::splice::Spliced;

    fn put(staged: &mut Staged, path: &Path, content: &str) {
        let file = Spliced::unedited(content.as_bytes());
        staged.put(path, file, None, Phase::Put).unwrap();
    }

    /// The third path becomes a folder after the changes are staged.
    #[test]
    fn undoes_all_changes_when_one_fails() {
        let folder = tempfile::tempdir().unwrap();
        let [old, new, gone, third] = ["a", "b", "c", "d"].map(|name| folder.path().join(name));
        fs::write(&old, "before").unwrap();
        fs::write(&gone, "removed").unwrap();
        let written = fs::metadata(&old).unwrap().modified().unwrap();
        let mut staged = Staged::anywhere().unwrap();
        put(&mut staged, &old, "after");
        put(&mut staged, &new, "new");
        put(&mut staged, &third, "in the way");
        staged.remove(&gone).unwrap();
        assert_eq!(staged.len(), 4);
        fs::create_dir_all(third.join("full")).unwrap();
        let (refused, _) = staged.commit().unwrap_err();
        assert_eq!(refused, third);
        assert_eq!(fs::read_to_string(&old).unwrap(), "before");
        assert_eq!(fs::metadata(&old).unwrap().modified().unwrap(), written);
        assert_eq!(fs::read_to_string(&gone).unwrap(), "removed");
        assert!(!new.exists());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 3);
    }

    #[test]
    fn commit_leaves_no_temporary_files() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        fs::write(&path, "before").unwrap();
        let mut staged = Staged::anywhere().unwrap();
        put(&mut staged, &path, "after");
        staged.commit().unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "after");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
