//! The staging folder `.landfall`. It is on the same mount as the final paths, so that
//! files can be renamed. Its lock is held while a run uses it; files in an unlocked
//! staging folder are leftovers of a killed run.

use std::fs::TryLockError;
use std::io;
use std::path::Path;

use cap_std::fs::{Dir, File, OpenOptions};

/// A hidden folder, so that neither landfall nor kustomize reads its files as manifests.
pub(super) const FOLDER: &str = ".landfall";
const LOCK: &str = "lock";
/// The prefix of the names of staged files.
const PREFIX: &str = "staged-";

/// An open staging folder. [`Staging::discard`] removes it.
#[derive(Debug)]
pub(super) struct Staging {
    parent: Dir,
    dir: Dir,
    /// Locked while the folder is open, if the file system supports locks.
    lock: std::fs::File,
    next: u64,
}

/// The result of an attempt to open a staging folder.
pub(super) enum Attempt {
    Open(Staging),
    /// Another run uses it, and holds this lock until it ends.
    Busy(std::fs::File),
    /// Another run has just removed it.
    Gone,
}

impl Staging {
    /// Removes leftovers of a killed run in `parent`.
    pub(super) fn sweep(parent: &Dir) -> io::Result<()> {
        match parent.symlink_metadata(FOLDER) {
            Ok(metadata) if metadata.is_dir() => {}
            _ => return Ok(()),
        }
        if let Attempt::Open(mut staging) = Self::attempt(parent)? {
            staging.discard();
        }
        Ok(())
    }

    /// Opens the staging folder in `parent`, and removes leftovers of a killed run.
    pub(super) fn attempt(parent: &Dir) -> io::Result<Attempt> {
        match parent.create_dir(FOLDER) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
            _ => {}
        }
        Self::lock(parent).or_else(|error| match error.kind() {
            io::ErrorKind::NotFound => Ok(Attempt::Gone),
            _ => Err(error),
        })
    }

    fn lock(parent: &Dir) -> io::Result<Attempt> {
        // A link could point to other files.
        if !parent.symlink_metadata(FOLDER)?.is_dir() {
            return Err(io::Error::other(format!("`{FOLDER}` is not a folder")));
        }
        let dir = parent.open_dir(FOLDER)?;
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true);
        let lock = dir.open_with(LOCK, &options)?.into_std();
        let is_alone = match lock.try_lock() {
            Ok(()) => true,
            Err(TryLockError::WouldBlock) => return Ok(Attempt::Busy(lock)),
            // Without locks it is unknown whether other runs use the folder.
            Err(TryLockError::Error(_)) => false,
        };
        let staging = Self {
            parent: parent.try_clone()?,
            dir,
            lock,
            next: 0,
        };
        if is_alone {
            // The previous owner may have removed the file before it released the lock.
            if !staging.holds_lock()? {
                return Ok(Attempt::Gone);
            }
            staging.remove_files();
        }
        Ok(Attempt::Open(staging))
    }

    /// Returns whether the locked file is still the one at the path of the lock file.
    #[cfg(unix)]
    fn holds_lock(&self) -> io::Result<bool> {
        use cap_std::fs::MetadataExt as _;
        use std::os::unix::fs::MetadataExt as _;
        let (own, found) = (self.lock.metadata()?, self.dir.metadata(LOCK)?);
        let folder = self.parent.open_dir(FOLDER)?.dir_metadata()?;
        Ok((own.dev(), own.ino()) == (found.dev(), found.ino())
            && folder.ino() == self.dir.dir_metadata()?.ino())
    }

    #[cfg(not(unix))]
    fn holds_lock(&self) -> io::Result<bool> {
        Ok(self.dir.exists(LOCK))
    }

    pub(super) const fn dir(&self) -> &Dir {
        &self.dir
    }

    /// Creates an empty file and returns it with its name.
    pub(super) fn create(&mut self) -> io::Result<(String, File)> {
        let mut options = OpenOptions::new();
        // With default permissions, which the umask restricts.
        options.write(true).create_new(true);
        let (dir, name) = (&self.dir, &mut self.next);
        Self::under_new_name(name, |name| dir.open_with(name, &options))
    }

    /// Backs up the file `name` in `from` as a hard link, or as a copy if the file system
    /// has no hard links. Returns the name of the backup.
    pub(super) fn back_up(&mut self, from: &Dir, name: &Path) -> io::Result<String> {
        let dir = &self.dir;
        let backup = Self::under_new_name(&mut self.next, |backup| {
            from.hard_link(name, dir, backup)
                .or_else(|error| match error.kind() {
                    io::ErrorKind::AlreadyExists => Err(error),
                    _ => from.copy(name, dir, backup).map(|_| ()),
                })
        })?;
        Ok(backup.0)
    }

    fn under_new_name<T>(
        next: &mut u64,
        create: impl Fn(&str) -> io::Result<T>,
    ) -> io::Result<(String, T)> {
        loop {
            let name = format!("{PREFIX}{next}");
            *next += 1;
            match create(&name) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                created => return created.map(|created| (name, created)),
            }
        }
    }

    /// Removes all staged files, and the folder unless it contains others.
    pub(super) fn discard(&mut self) {
        self.remove_files();
        // Still locked, so that no other run has opened it.
        let _ = self.dir.remove_file(LOCK);
        let _ = self.parent.remove_dir(FOLDER);
    }

    fn remove_files(&self) {
        let Ok(entries) = self.dir.entries() else {
            return;
        };
        for entry in entries.flatten() {
            if entry.file_name().to_string_lossy().starts_with(PREFIX) {
                let _ = self.dir.remove_file(entry.file_name());
            }
        }
    }
}
