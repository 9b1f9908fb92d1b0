//! A private folder with the files that another program reads.

use std::fs::{File, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use super::interrupt::{self, Discard, lock};

/// The start of the folder's name.
const PREFIX: &str = ".landfall-";

/// A file in the folder that is locked as long as the folder is used.
const LOCK: &str = "lock";

/// A folder that only this user can enter. It is removed when it is dropped, when a signal ends
/// the program, and by the next run if the program was killed.
#[derive(Debug)]
pub(crate) struct Workspace {
    open: Arc<Mutex<Open>>,
    path: PathBuf,
}

#[derive(Debug)]
struct Open {
    folder: Option<tempfile::TempDir>,
    /// Locked.
    _lock: File,
    /// The process that reads its files.
    reader: Option<u32>,
}

impl Discard for Open {
    fn discard(&mut self) {
        if let Some(reader) = self.reader.take() {
            kill(reader);
        }
        // Removes it. If that fails, nothing more can be done.
        drop(self.folder.take());
    }
}

impl Workspace {
    /// Creates the folder in the first of `parents` in which that is possible.
    ///
    /// # Errors
    /// It cannot be created in any of them.
    pub(crate) fn create(parents: &[PathBuf]) -> io::Result<Self> {
        let mut builder = tempfile::Builder::new();
        builder.prefix(PREFIX);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            builder.permissions(std::fs::Permissions::from_mode(0o700));
        }
        let create = |parent: &PathBuf| builder.tempdir_in(parent);
        let mut created = Err(io::ErrorKind::NotFound.into());
        for parent in parents {
            remove_abandoned(parent);
            created = create(parent);
            if created.is_ok() {
                break;
            }
        }
        let folder = created?;
        let lock = create_lock(folder.path())?;
        // Other programs resolve links before they name it in their messages.
        let path = std::fs::canonicalize(folder.path())?;
        let open = Arc::new(Mutex::new(Open {
            folder: Some(folder),
            _lock: lock,
            reader: None,
        }));
        interrupt::discard_on_signals(&open)?;
        Ok(Self { open, path })
    }

    /// Kills this process when a signal ends the program. None: no process.
    pub(crate) fn kill_on_signals(&self, reader: Option<u32>) {
        lock(&self.open).reader = reader;
    }

    /// Returns its canonical path.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Creates a folder, and the folders above it.
    pub(crate) fn create_folder(&self, path: &str) -> io::Result<PathBuf> {
        let folder = self.path.join(path);
        // Locked, so that a signal waits until it is complete.
        let _open = lock(&self.open);
        std::fs::create_dir_all(&folder)?;
        Ok(folder)
    }

    /// Writes a new file, and creates the folders above it. `path` is relative, with `/` and
    /// without `..`.
    pub(crate) fn write(&self, path: &str, content: &[u8]) -> io::Result<()> {
        if let Some((folder, _)) = path.rsplit_once('/') {
            self.create_folder(folder)?;
        }
        let _open = lock(&self.open);
        let mut file = File::create_new(self.path.join(path))?;
        file.write_all(content)
    }
}

/// Creates the lock of a folder. It is locked before it has its name, so that a lock that is
/// free is that of a program that was killed.
fn create_lock(folder: &Path) -> io::Result<File> {
    let unnamed = folder.join("new-lock");
    let lock = File::create_new(&unnamed)?;
    match lock.try_lock() {
        Ok(()) => {}
        Err(TryLockError::Error(error)) => return Err(error),
        Err(TryLockError::WouldBlock) => return Err(io::ErrorKind::WouldBlock.into()),
    }
    std::fs::rename(unnamed, folder.join(LOCK))?;
    Ok(lock)
}

/// Removes the folders of programs that were killed. What fails is left for another run.
#[cfg(unix)]
fn remove_abandoned(parent: &Path) {
    use std::os::unix::fs::MetadataExt;
    let user = rustix::process::geteuid().as_raw();
    for entry in std::fs::read_dir(parent).into_iter().flatten().flatten() {
        let name = entry.file_name();
        if !name.as_encoded_bytes().starts_with(PREFIX.as_bytes()) {
            continue;
        }
        // Not that of a link. What other users own may be made to block.
        let is_own = (entry.metadata()).is_ok_and(|found| found.is_dir() && found.uid() == user);
        if !is_own {
            continue;
        }
        let folder = entry.path();
        // The folder of a program that has not created its lock yet is not removed.
        let lock = File::open(folder.join(LOCK));
        if lock.is_ok_and(|lock| lock.try_lock().is_ok()) {
            let _ = std::fs::remove_dir_all(folder);
        }
    }
}

#[cfg(not(unix))]
fn remove_abandoned(_: &Path) {}

#[cfg(unix)]
fn kill(process: u32) {
    use rustix::process::{Pid, Signal, kill_process};
    let process = i32::try_from(process).ok().and_then(Pid::from_raw);
    // Fails if it has exited.
    let _ = process.map(|process| kill_process(process, Signal::KILL));
}

#[cfg(not(unix))]
fn kill(_: u32) {}

impl Drop for Workspace {
    fn drop(&mut self) {
        lock(&self.open).discard();
    }
}

#[cfg(test)]
mod tests {
    use super::Workspace;

    #[test]
    fn it_is_removed_with_its_files() {
        let parent = tempfile::tempdir().unwrap();
        let missing = parent.path().join("missing");
        let workspace = Workspace::create(&[missing, parent.path().to_owned()]).unwrap();
        workspace.write("a/b/c.yaml", b"c").unwrap();
        let path = workspace.path().join("a/b/c.yaml");
        assert_eq!(std::fs::read(path).unwrap(), b"c");
        // A second file with this name would replace one that was rendered.
        assert!(workspace.write("a/b/c.yaml", b"d").is_err());
        drop(workspace);
        assert_eq!(std::fs::read_dir(parent.path()).unwrap().count(), 0);
    }

    #[cfg(unix)]
    #[test]
    fn the_folder_of_a_killed_program_is_removed() {
        let parent = tempfile::tempdir().unwrap();
        let parents = [parent.path().to_owned()];
        let running = Workspace::create(&parents).unwrap();
        // A killed program leaves its folder, and the system unlocks what it has locked.
        let abandoned = parent.path().join(".landfall-abandoned");
        std::fs::create_dir(&abandoned).unwrap();
        std::fs::write(abandoned.join("lock"), "").unwrap();
        std::fs::write(abandoned.join("secret.yaml"), "").unwrap();
        let others = [".landfall-new", "other"].map(|name| parent.path().join(name));
        for folder in &others {
            std::fs::create_dir(folder).unwrap();
        }
        let next = Workspace::create(&parents).unwrap();
        assert!(!abandoned.exists());
        let kept = others.iter().map(|folder| &**folder);
        for folder in kept.chain([running.path(), next.path()]) {
            assert!(folder.exists(), "{}", folder.display());
        }
    }

    #[cfg(unix)]
    #[test]
    fn others_cannot_enter_it() {
        use std::os::unix::fs::PermissionsExt;
        let parent = tempfile::tempdir().unwrap();
        let workspace = Workspace::create(&[parent.path().to_owned()]).unwrap();
        let mode = workspace.path().metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o700);
    }
}
