//! Changes to files: prepared in staging folders, then made together or not at all.

use std::fs::{File, Metadata};
use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use cap_std::fs::Dir;

use crate::splice::Spliced;

use super::base::{Base, Mount, mount};
use super::interrupt::{self, Discard, lock};
use super::staging::{Attempt, Staging};

/// For a staging folder that other runs remove again and again.
const MAX_ATTEMPTS: usize = 1_000;

/// Changes that wait for [`Staged::commit`]. Dropped before that, nothing of them
/// remains; nor when a signal ends the program.
#[derive(Debug)]
pub(super) struct Staged {
    open: Arc<Mutex<Open>>,
    base: Base,
    changes: Vec<Change>,
}

/// What exists on the disk of a run that is not done.
#[derive(Debug, Default)]
struct Open {
    staging: Vec<(Mount, Staging)>,
    /// Folders that were made for this run, outermost first.
    made: Vec<PathBuf>,
}

impl Discard for Open {
    fn discard(&mut self) {
        for (_, mut staging) in self.staging.drain(..) {
            staging.discard();
        }
        for folder in self.made.drain(..).rev() {
            // Only an empty one is removed, which is what is wanted.
            let _ = std::fs::remove_dir(folder);
        }
    }
}

/// When a change is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Phase {
    Before,
    /// Before files are put into place: where case does not matter, a removed file may
    /// have the name of a new one.
    Remove,
    Put,
    After,
}

#[derive(Debug)]
struct Change {
    phase: Phase,
    place: PathBuf,
    /// The position of the staging folder on the same mount.
    staging: usize,
    /// What is put at the place, by its name in the staging folder; none: the file
    /// there is removed.
    content: Option<String>,
}

enum Undo {
    /// A file was put at a place or removed, and what was there is kept.
    Changed {
        place: PathBuf,
        kept: Option<(usize, String)>,
    },
    Made(PathBuf),
}

impl Staged {
    /// Changes to files anywhere, whose folders exist.
    pub(super) fn anywhere() -> io::Result<Self> {
        let open = Arc::default();
        interrupt::discard_on_signals(&open)?;
        Ok(Self {
            open,
            base: Base::Anywhere,
            changes: Vec::new(),
        })
    }

    /// Changes to files below `folder`, which is made when it is missing. Waits for
    /// another run that changes files there.
    pub(super) fn below(folder: &Path) -> io::Result<Self> {
        let open: Arc<Mutex<Open>> = Arc::default();
        interrupt::discard_on_signals(&open)?;
        let mut attempts = 0;
        loop {
            make_folder(folder, &mut lock(&open))?;
            let dir = Dir::open_ambient_dir(folder, cap_std::ambient_authority())?;
            let mut staged = Self {
                open: Arc::clone(&open),
                base: Base::Below(dir),
                changes: Vec::new(),
            };
            attempts += 1;
            match staged.staging(Path::new("")) {
                // A run that failed has removed the folder that it had made.
                Err(error)
                    if error.kind() == io::ErrorKind::NotFound && attempts < MAX_ATTEMPTS => {}
                result => return result.map(|_| staged),
            }
        }
    }

    /// Opens the regular file at `place`, and tells its size; none where there is nothing.
    pub(super) fn open(&self, place: &Path) -> io::Result<Option<(cap_std::fs::File, u64)>> {
        let found = self.base.find(folder_of(place)).and_then(|dir| {
            let name = name_of(place)?;
            let metadata = dir.symlink_metadata(name)?;
            match metadata.is_file() {
                true => Ok((dir.open(name)?, metadata.len())),
                false => Err(io::Error::other("it is not a regular file")),
            }
        });
        match found {
            Ok(found) => Ok(Some(found)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Prepares a file for `place`. `like` is what it has to look like; none: as one
    /// that is made as usual.
    pub(super) fn put(
        &mut self,
        place: &Path,
        file: Spliced<'_>,
        like: Option<&Metadata>,
        phase: Phase,
    ) -> io::Result<()> {
        let staging = self.staging(folder_of(place))?;
        // No signal ends the run before the file is complete and known.
        let mut open = lock(&self.open);
        let (content, staged) = open.staging[staging].1.create()?;
        let mut out = BufWriter::with_capacity(64 << 10, staged);
        file.write_to(&mut out)?;
        let staged = out.into_inner().map_err(io::IntoInnerError::into_error)?;
        if let Some(like) = like {
            look_like(&staged.into_std(), like)?;
        }
        self.changes.push(Change {
            phase,
            place: place.to_path_buf(),
            staging,
            content: Some(content),
        });
        Ok(())
    }

    /// Prepares that the file at `place` is removed, and folders that are empty then.
    pub(super) fn remove(&mut self, place: &Path) -> io::Result<()> {
        let staging = self.staging(folder_of(place))?;
        self.changes.push(Change {
            phase: Phase::Remove,
            place: place.to_path_buf(),
            staging,
            content: None,
        });
        Ok(())
    }

    /// How many changes wait.
    pub(super) const fn len(&self) -> usize {
        self.changes.len()
    }

    /// The staging folder for files in `folder`: one for each mount, as no file is
    /// renamed from one to another.
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
                    // A signal ends the run while it waits.
                    drop(open);
                    other.lock()?;
                }
                Attempt::Gone => {}
            }
        }
        Err(io::Error::other("other runs leave no moment to write here"))
    }

    /// Makes all changes. When one cannot be made, those before it are taken back.
    pub(super) fn commit(mut self) -> Result<(), (PathBuf, io::Error)> {
        self.changes.sort_by_key(|change| change.phase);
        // No signal ends the run in between.
        let mut open = lock(&self.open);
        let mut done = Vec::new();
        for change in &self.changes {
            if let Err(error) = self.make(change, &mut open, &mut done) {
                for undo in done.into_iter().rev() {
                    // What was possible a moment ago, the other way round: when even
                    // that fails, there is nothing more to try.
                    let _ = self.undo(&undo, &open);
                }
                return Err((change.place.clone(), error));
            }
        }
        for change in self
            .changes
            .iter()
            .filter(|change| change.content.is_none())
        {
            self.base.remove_empty(folder_of(&change.place));
        }
        open.made.clear();
        open.discard();
        Ok(())
    }

    fn make(&self, change: &Change, open: &mut Open, done: &mut Vec<Undo>) -> io::Result<()> {
        let name = name_of(&change.place)?;
        let dir = self
            .base
            .folder(folder_of(&change.place), |made| done.push(Undo::Made(made)))?;
        let staging = &mut open.staging[change.staging].1;
        let kept = match dir.symlink_metadata(name) {
            Ok(metadata) if metadata.is_dir() => return Err(io::ErrorKind::IsADirectory.into()),
            Ok(_) => Some((change.staging, staging.keep(&dir, name)?)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        match &change.content {
            Some(content) => staging.dir().rename(content, &dir, name)?,
            None => dir.remove_file(name)?,
        }
        done.push(Undo::Changed {
            place: change.place.clone(),
            kept,
        });
        Ok(())
    }

    fn undo(&self, undo: &Undo, open: &Open) -> io::Result<()> {
        match undo {
            Undo::Made(folder) => self
                .base
                .find(folder_of(folder))?
                .remove_dir(name_of(folder)?),
            Undo::Changed { place, kept } => {
                let dir = self.base.find(folder_of(place))?;
                let name = name_of(place)?;
                match kept {
                    Some((staging, kept)) => {
                        open.staging[*staging].1.dir().rename(kept, &dir, name)
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

/// Removes what a killed run left in `folder`. When it cannot be removed, the next run
/// tries again.
pub(super) fn sweep(folder: &Path) {
    let _ = Dir::open_ambient_dir(folder, cap_std::ambient_authority())
        .and_then(|dir| Staging::sweep(&dir));
}

/// Makes a folder and those that it is in, where they are missing.
fn make_folder(folder: &Path, open: &mut Open) -> io::Result<()> {
    let missing: Vec<_> = folder
        .ancestors()
        .take_while(|ancestor| !ancestor.as_os_str().is_empty() && !ancestor.exists())
        .collect();
    for folder in missing.into_iter().rev() {
        match std::fs::create_dir(folder) {
            Ok(()) => open.made.push(folder.to_path_buf()),
            // Another run was faster.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

fn folder_of(place: &Path) -> &Path {
    place.parent().unwrap_or(Path::new(""))
}

fn name_of(place: &Path) -> io::Result<&Path> {
    place
        .file_name()
        .map(Path::new)
        .ok_or_else(|| io::ErrorKind::InvalidInput.into())
}

/// Gives a file the owner and the permissions of another one.
#[cfg(unix)]
fn look_like(file: &File, like: &Metadata) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt, fchown};
    let own = file.metadata()?;
    if (own.uid(), own.gid()) != (like.uid(), like.gid()) {
        // Only the system's administrator may give files away: for all others it
        // is as when Git writes the file.
        let _ = fchown(file, Some(like.uid()), Some(like.gid()));
    }
    // After the owner, whose change takes some of them away.
    file.set_permissions(like.permissions())
}

#[cfg(not(unix))]
fn look_like(file: &File, like: &Metadata) -> io::Result<()> {
    file.set_permissions(like.permissions())
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::{Phase, Staged};
    use crate::splice::Spliced;

    fn put(staged: &mut Staged, place: &Path, content: &str) {
        let file = Spliced::with_edits(content.as_bytes(), &[]).unwrap();
        staged.put(place, file, None, Phase::Put).unwrap();
    }

    /// The third place becomes a folder while files wait.
    #[test]
    fn takes_changes_back_when_one_fails() {
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
    fn leaves_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("a");
        fs::write(&place, "before").unwrap();
        let mut staged = Staged::anywhere().unwrap();
        put(&mut staged, &place, "after");
        staged.commit().unwrap();
        assert_eq!(fs::read_to_string(&place).unwrap(), "after");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
