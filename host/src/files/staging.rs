//! The folder in which files wait until they are put into place: `.landfall`, beside
//! them, so that this takes a rename. A lock in it says that its run is alive; without
//! one, what is in it was left by a run that was killed.

use std::fs::TryLockError;
use std::io;
use std::path::Path;

use cap_std::fs::{Dir, File, OpenOptions};

/// A hidden folder: neither landfall nor kustomize takes its files for manifests.
pub(super) const FOLDER: &str = ".landfall";
const LOCK: &str = "lock";
/// Begins the names of all other files that a run makes in the folder.
const PREFIX: &str = "staged-";

/// An open staging folder. [`Staging::discard`] leaves nothing of it.
#[derive(Debug)]
pub(super) struct Staging {
    parent: Dir,
    dir: Dir,
    /// Locked while it is open, where the file system has locks.
    lock: std::fs::File,
    next: u64,
}

/// What became of an attempt to open a staging folder.
pub(super) enum Attempt {
    Open(Staging),
    /// Another run has it: this lock can be had when that run has ended.
    Busy(std::fs::File),
    /// Another run has just removed it.
    Gone,
}

impl Staging {
    /// Removes what a killed run left in `parent`.
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

    /// Opens the staging folder in `parent`, and removes what a killed run left there.
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
        // A link could lead to files that are not a run's own.
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
            // A file system without locks: nobody knows whether other runs are alive.
            Err(TryLockError::Error(_)) => false,
        };
        let staging = Self {
            parent: parent.try_clone()?,
            dir,
            lock,
            next: 0,
        };
        if is_alone {
            // The run that had the lock removes the file before it lets go of it.
            if !staging.holds_lock()? {
                return Ok(Attempt::Gone);
            }
            staging.remove_files();
        }
        Ok(Attempt::Open(staging))
    }

    /// Whether the lock is that of the file which other runs find.
    #[cfg(unix)]
    fn holds_lock(&self) -> io::Result<bool> {
        use cap_std::fs::MetadataExt as _;
        use std::os::unix::fs::MetadataExt as _;
        let (own, found) = (self.lock.metadata()?, self.dir.metadata(LOCK)?);
        let at_place = self.parent.open_dir(FOLDER)?.dir_metadata()?;
        Ok((own.dev(), own.ino()) == (found.dev(), found.ino())
            && at_place.ino() == self.dir.dir_metadata()?.ino())
    }

    #[cfg(not(unix))]
    fn holds_lock(&self) -> io::Result<bool> {
        Ok(self.dir.exists(LOCK))
    }

    pub(super) const fn dir(&self) -> &Dir {
        &self.dir
    }

    /// Makes an empty file, and gives its name.
    pub(super) fn create(&mut self) -> io::Result<(String, File)> {
        let mut options = OpenOptions::new();
        // With the usual permissions: the umask takes its part away.
        options.write(true).create_new(true);
        let (dir, name) = (&self.dir, &mut self.next);
        Self::under_new_name(name, |name| dir.open_with(name, &options))
    }

    /// Gives `name` in `from` one more name in here. A copy where the file system has
    /// no links.
    pub(super) fn keep(&mut self, from: &Dir, name: &Path) -> io::Result<String> {
        let dir = &self.dir;
        let kept = Self::under_new_name(&mut self.next, |kept| {
            from.hard_link(name, dir, kept)
                .or_else(|error| match error.kind() {
                    io::ErrorKind::AlreadyExists => Err(error),
                    _ => from.copy(name, dir, kept).map(|_| ()),
                })
        })?;
        Ok(kept.0)
    }

    fn under_new_name<T>(
        next: &mut u64,
        make: impl Fn(&str) -> io::Result<T>,
    ) -> io::Result<(String, T)> {
        loop {
            let name = format!("{PREFIX}{next}");
            *next += 1;
            match make(&name) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                made => return made.map(|made| (name, made)),
            }
        }
    }

    /// Removes all files that were made here, and the folder unless it holds others.
    pub(super) fn discard(&mut self) {
        self.remove_files();
        // While it is held, so that nobody else has taken it.
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
