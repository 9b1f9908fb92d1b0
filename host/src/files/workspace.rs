//! A private folder with the files that another program reads.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use super::interrupt::{self, Discard, lock};

/// The start of the folder's name.
const PREFIX: &str = ".landfall-";

/// A folder that only this user can enter. It is removed when it is dropped, and when a
/// signal ends the program.
#[derive(Debug)]
pub(crate) struct Workspace {
    open: Arc<Mutex<Open>>,
    path: PathBuf,
}

#[derive(Debug)]
struct Open {
    folder: Option<tempfile::TempDir>,
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
            created = create(parent);
            if created.is_ok() {
                break;
            }
        }
        let folder = created?;
        // Other programs resolve links before they name it in their messages.
        let path = std::fs::canonicalize(folder.path())?;
        let open = Arc::new(Mutex::new(Open {
            folder: Some(folder),
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
        let mut file = std::fs::File::create_new(self.path.join(path))?;
        file.write_all(content)
    }
}

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
    fn others_cannot_enter_it() {
        use std::os::unix::fs::PermissionsExt;
        let parent = tempfile::tempdir().unwrap();
        let workspace = Workspace::create(&[parent.path().to_owned()]).unwrap();
        let mode = workspace.path().metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o700);
    }
}
