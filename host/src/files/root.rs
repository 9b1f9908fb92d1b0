//! The one root: the folder that nothing named by a file may leave.

use std::io;
use std::path::{Path, PathBuf};

use cap_std::ambient_authority;
use cap_std::fs::{Dir, File, OpenOptions, ReadDir};

use super::{Budget, FileError};

/// An open folder. Paths given to it are relative to it; `..` and links are
/// followed while they stay inside.
#[derive(Debug)]
pub(crate) struct Root {
    dir: Dir,
    /// Without links, so that places inside can be told from places outside.
    path: PathBuf,
    kind: RootKind,
}

/// Why a folder is the root.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RootKind {
    /// It was named.
    Named,
    /// It is the Git work tree.
    WorkTree,
    /// There is no Git work tree: it is the application's own folder.
    NoWorkTree,
    /// It holds what Argo CD handed over.
    Received,
    /// The plugin was called by a person: it is the Git work tree, or without one the
    /// application's own folder.
    ByHand { in_work_tree: bool },
}

impl Root {
    /// Opens `folder` itself as the root.
    pub(crate) fn open(folder: &Path) -> Result<Self, FileError> {
        let path = std::fs::canonicalize(folder).map_err(FileError::from_io)?;
        let dir = Dir::open_ambient_dir(&path, ambient_authority()).map_err(FileError::from_io)?;
        Ok(Self {
            dir,
            path,
            kind: RootKind::Named,
        })
    }

    /// Opens the folder of what Argo CD handed over.
    pub(crate) fn received(folder: &Path) -> Result<Self, FileError> {
        let kind = RootKind::Received;
        Ok(Self {
            kind,
            ..Self::open(folder)?
        })
    }

    /// Opens the Git work tree that holds `folder`, else `folder`.
    pub(crate) fn around(folder: &Path) -> Result<Self, FileError> {
        let path = std::fs::canonicalize(folder).map_err(FileError::from_io)?;
        // A file in worktrees and submodules, a folder elsewhere.
        let work_tree = path
            .ancestors()
            .find(|ancestor| ancestor.join(".git").symlink_metadata().is_ok());
        let kind = match work_tree {
            Some(_) => RootKind::WorkTree,
            None => RootKind::NoWorkTree,
        };
        let root = Self::open(work_tree.unwrap_or(&path))?;
        Ok(Self { kind, ..root })
    }

    /// The same for a plugin that a person called.
    pub(crate) fn by_hand(folder: &Path) -> Result<Self, FileError> {
        let root = Self::around(folder)?;
        let kind = RootKind::ByHand {
            in_work_tree: root.kind == RootKind::WorkTree,
        };
        Ok(Self { kind, ..root })
    }

    /// Why this is the root.
    pub(crate) const fn kind(&self) -> RootKind {
        self.kind
    }

    /// `place` relative to the root, when it lies inside.
    pub(crate) fn relative(&self, place: &Path) -> Result<PathBuf, FileError> {
        let place = std::fs::canonicalize(place).map_err(FileError::from_io)?;
        place
            .strip_prefix(&self.path)
            .map(Path::to_path_buf)
            .map_err(|_| FileError::OutsideRoot)
    }

    /// The same of a folder that need not exist.
    pub(crate) fn relative_if_made(&self, folder: &Path) -> Result<PathBuf, FileError> {
        let folder = std::path::absolute(folder).map_err(FileError::from_io)?;
        let existing = folder.ancestors().find(|above| above.exists());
        let Some(existing) = existing else {
            return Err(FileError::Missing);
        };
        let mut made = self.relative(existing)?;
        for part in folder.strip_prefix(existing).into_iter().flatten() {
            match part.to_str() {
                Some("..") => drop(made.pop()),
                _ => made.push(part),
            }
        }
        Ok(made)
    }

    /// Reads a regular file.
    pub(crate) fn read(&self, path: &Path, budget: &mut Budget) -> Result<Vec<u8>, FileError> {
        let file = self.open_file(path)?;
        let metadata = file.metadata().map_err(FileError::from_io)?;
        match metadata.file_type() {
            kind if kind.is_file() => budget.read(file, metadata.len()),
            kind if kind.is_dir() => Err(FileError::IsFolder),
            _ => Err(FileError::IsSpecial),
        }
    }

    /// Where a file lies, links followed; they lead nowhere out of the root.
    pub(crate) fn real(&self, path: &Path) -> Result<PathBuf, FileError> {
        Ok(self.path.join(self.inside(path)?))
    }

    /// The same, relative to the root.
    pub(crate) fn inside(&self, path: &Path) -> Result<PathBuf, FileError> {
        self.dir.canonicalize(path).map_err(refused)
    }

    fn open_file(&self, path: &Path) -> Result<File, FileError> {
        let mut options = OpenOptions::new();
        options.read(true);
        #[cfg(unix)]
        {
            use cap_std::fs::OpenOptionsExt;
            // Opening a named pipe would wait for someone to write into it.
            options.custom_flags(rustix::fs::OFlags::NONBLOCK.bits().cast_signed());
        }
        self.dir
            .open_with(path, &options)
            .map_err(|error| match refused(error) {
                FileError::Missing if self.is_link(path) => FileError::BrokenLink,
                error => error,
            })
    }

    fn is_link(&self, path: &Path) -> bool {
        let found = self.dir.symlink_metadata(path);
        found.is_ok_and(|metadata| metadata.is_symlink())
    }

    /// Lists a folder.
    pub(super) fn entries(&self, path: &Path) -> Result<ReadDir, FileError> {
        let path = if path.as_os_str().is_empty() {
            Path::new(".")
        } else {
            path
        };
        self.dir.read_dir(path).map_err(refused)
    }

    /// What a path leads to, links followed.
    pub(super) fn metadata(&self, path: &Path) -> Result<cap_std::fs::Metadata, FileError> {
        self.dir.metadata(path).map_err(refused)
    }
}

/// cap-std itself, not the system, says "permission denied" of a path that leads
/// out: then there is no number of the system.
fn refused(error: io::Error) -> FileError {
    match error.raw_os_error() {
        None if error.kind() == io::ErrorKind::PermissionDenied => FileError::OutsideRoot,
        // A socket can be seen, but not opened.
        #[cfg(unix)]
        Some(number) if number == rustix::io::Errno::NXIO.raw_os_error() => FileError::IsSpecial,
        _ => FileError::from_io(error),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::Root;
    use crate::files::{Budget, FileError};

    fn read(root: &Root, path: &str) -> Result<Vec<u8>, String> {
        root.read(Path::new(path), &mut Budget::new(1 << 20))
            .map_err(|error| match error {
                FileError::Unreadable(error) => error.kind().to_string(),
                other => format!("{other:?}"),
            })
    }

    #[test]
    fn inside_and_no_further() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path();
        fs::create_dir_all(path.join("root/app/deep")).unwrap();
        fs::write(path.join("secret"), "secret").unwrap();
        fs::write(path.join("root/a"), "a").unwrap();
        let root = Root::open(&path.join("root")).unwrap();

        assert_eq!(read(&root, "a").as_deref(), Ok(&b"a"[..]));
        assert_eq!(read(&root, "app/deep/../../a").as_deref(), Ok(&b"a"[..]));
        assert_eq!(read(&root, "../secret"), Err("OutsideRoot".into()));
        assert_eq!(read(&root, "app/../../secret"), Err("OutsideRoot".into()));
        assert_eq!(
            read(&root, path.join("root/a").to_str().unwrap()),
            Err("OutsideRoot".into())
        );
        assert_eq!(read(&root, "b"), Err("Missing".into()));
        assert_eq!(read(&root, "a/b"), Err("Missing".into()));
        assert_eq!(read(&root, "app"), Err("IsFolder".into()));
    }

    #[cfg(unix)]
    #[test]
    fn links_stay_inside() {
        use std::os::unix::fs::symlink;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path();
        fs::create_dir_all(path.join("root/..2026/")).unwrap();
        fs::write(path.join("secret"), "secret").unwrap();
        fs::write(path.join("root/..2026/key"), "value").unwrap();
        // As Kubernetes mounts ConfigMaps.
        symlink("..2026", path.join("root/..data")).unwrap();
        symlink("..data/key", path.join("root/key")).unwrap();
        symlink("../secret", path.join("root/out")).unwrap();
        symlink(path.join("secret"), path.join("root/absolute")).unwrap();
        symlink("loop", path.join("root/loop")).unwrap();
        symlink("/proc/self/root", path.join("root/magic")).unwrap();
        let root = Root::open(&path.join("root")).unwrap();

        assert_eq!(read(&root, "key").as_deref(), Ok(&b"value"[..]));
        assert_eq!(read(&root, "out"), Err("OutsideRoot".into()));
        assert_eq!(read(&root, "absolute"), Err("OutsideRoot".into()));
        assert_eq!(read(&root, "magic/etc/passwd"), Err("OutsideRoot".into()));
        assert!(read(&root, "loop").is_err());
    }

    #[cfg(unix)]
    #[test]
    fn special_files_do_not_hang() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe");
        rustix::fs::mknodat(
            rustix::fs::CWD,
            &pipe,
            rustix::fs::FileType::Fifo,
            rustix::fs::Mode::RUSR,
            0,
        )
        .unwrap();
        let _socket = std::os::unix::net::UnixListener::bind(folder.path().join("socket")).unwrap();
        let root = Root::open(folder.path()).unwrap();
        assert_eq!(read(&root, "pipe"), Err("IsSpecial".into()));
        assert_eq!(read(&root, "socket"), Err("IsSpecial".into()));
    }

    #[test]
    fn the_budget_counts_all_files() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("a"), "aaaa").unwrap();
        let root = Root::open(folder.path()).unwrap();
        let mut budget = Budget::new(10);
        for expect in [true, true, false] {
            assert_eq!(root.read(Path::new("a"), &mut budget).is_ok(), expect);
        }
    }

    #[test]
    fn the_work_tree_is_the_root() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join("repo/apps/web")).unwrap();
        fs::write(folder.path().join("repo/.git"), "gitdir: elsewhere").unwrap();
        fs::write(folder.path().join("repo/infra.json"), "{}").unwrap();
        let root = Root::around(&folder.path().join("repo/apps/web")).unwrap();
        assert_eq!(
            root.relative(&folder.path().join("repo/apps/web")).unwrap(),
            Path::new("apps/web")
        );
        assert_eq!(
            read(&root, "apps/web/../../infra.json").as_deref(),
            Ok(&b"{}"[..])
        );
    }
}
