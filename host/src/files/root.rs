//! The root: the folder that contains all files a Binding may name or a link point to.

use std::io;
use std::path::{Path, PathBuf};

use cap_std::ambient_authority;
use cap_std::fs::{Dir, File, OpenOptions, ReadDir};

use super::{Budget, FileError};

/// An open root. Paths passed to it are relative to it. `..` and links are followed as
/// long as they stay inside.
#[derive(Debug)]
pub(crate) struct Root {
    dir: Dir,
    /// The canonical path, to decide whether other paths are inside.
    path: PathBuf,
    kind: RootKind,
}

/// Why a folder is the root.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RootKind {
    /// The user named it.
    Named,
    /// It is the Git work tree.
    WorkTree,
    /// It is the application's own folder, because there is no Git work tree.
    NoWorkTree,
    /// Argo CD extracted the repository into it.
    ArgoCd,
    /// `landfall cmp` was called outside of Argo CD: it is the Git work tree, or without
    /// one the application's own folder.
    ManualPlugin { in_work_tree: bool },
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

    /// Opens the folder into which Argo CD extracted the repository.
    pub(crate) fn argo_cd(folder: &Path) -> Result<Self, FileError> {
        let kind = RootKind::ArgoCd;
        Ok(Self {
            kind,
            ..Self::open(folder)?
        })
    }

    /// Opens the Git work tree that contains `folder`, or else `folder`.
    pub(crate) fn work_tree(folder: &Path) -> Result<Self, FileError> {
        let path = std::fs::canonicalize(folder).map_err(FileError::from_io)?;
        // `.git` is a folder, but a file in worktrees and submodules.
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

    /// As [`Root::work_tree`], for `landfall cmp` called outside of Argo CD.
    pub(crate) fn manual_plugin(folder: &Path) -> Result<Self, FileError> {
        let root = Self::work_tree(folder)?;
        let kind = RootKind::ManualPlugin {
            in_work_tree: root.kind == RootKind::WorkTree,
        };
        Ok(Self { kind, ..root })
    }

    /// Returns why this is the root.
    pub(crate) const fn kind(&self) -> RootKind {
        self.kind
    }

    /// Returns the canonical path of the root.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the canonical form of an existing `path`, relative to the root.
    ///
    /// # Errors
    /// [`FileError::OutsideRoot`] if it is not inside.
    pub(crate) fn relative(&self, path: &Path) -> Result<PathBuf, FileError> {
        let path = std::fs::canonicalize(path).map_err(FileError::from_io)?;
        path.strip_prefix(&self.path)
            .map(Path::to_path_buf)
            .map_err(|_| FileError::OutsideRoot)
    }

    /// Returns `path` relative to `folder` in this root, if it exists below it.
    pub(crate) fn below(&self, folder: &Path, path: &Path) -> Option<PathBuf> {
        let path = self.relative(path).ok()?;
        path.strip_prefix(folder).ok().map(Path::to_path_buf)
    }

    /// As [`Root::relative`], for a folder that need not exist.
    pub(crate) fn relative_if_created(&self, folder: &Path) -> Result<PathBuf, FileError> {
        let folder = std::path::absolute(folder).map_err(FileError::from_io)?;
        let existing = folder.ancestors().find(|above| above.exists());
        let Some(existing) = existing else {
            return Err(FileError::Missing);
        };
        let mut relative = self.relative(existing)?;
        for part in folder.strip_prefix(existing).into_iter().flatten() {
            match part.to_str() {
                Some("..") => drop(relative.pop()),
                _ => relative.push(part),
            }
        }
        Ok(relative)
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

    /// Returns whether a path is a folder, following links.
    pub(crate) fn is_folder(&self, path: &Path) -> Result<bool, FileError> {
        let path = if path.as_os_str().is_empty() {
            Path::new(".")
        } else {
            path
        };
        match self.metadata(path) {
            Err(FileError::Missing) if self.is_link(path) => Err(FileError::BrokenLink),
            found => Ok(found?.is_dir()),
        }
    }

    /// Returns the canonical path of a file inside the root.
    pub(crate) fn real(&self, path: &Path) -> Result<PathBuf, FileError> {
        Ok(self.path.join(self.inside(path)?))
    }

    /// As [`Root::real`], relative to the root.
    pub(crate) fn inside(&self, path: &Path) -> Result<PathBuf, FileError> {
        self.dir.canonicalize(path).map_err(file_error)
    }

    fn open_file(&self, path: &Path) -> Result<File, FileError> {
        let mut options = OpenOptions::new();
        options.read(true);
        #[cfg(unix)]
        {
            use cap_std::fs::OpenOptionsExt;
            // Opening a named pipe would block until it has a writer.
            options.custom_flags(rustix::fs::OFlags::NONBLOCK.bits().cast_signed());
        }
        self.dir
            .open_with(path, &options)
            .map_err(|error| match file_error(error) {
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
        self.dir.read_dir(path).map_err(file_error)
    }

    /// Returns the metadata of a path, following links.
    pub(super) fn metadata(&self, path: &Path) -> Result<cap_std::fs::Metadata, FileError> {
        self.dir.metadata(path).map_err(file_error)
    }
}

/// Converts an error of cap-std. For a path that leaves the root it is "permission
/// denied" without an error number, because it does not come from the system.
fn file_error(error: io::Error) -> FileError {
    match error.raw_os_error() {
        None if error.kind() == io::ErrorKind::PermissionDenied => FileError::OutsideRoot,
        // Opening a socket fails.
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
    fn paths_cannot_leave_the_root() {
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
    fn links_are_followed_only_inside_the_root() {
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
    fn special_files_are_rejected_without_blocking() {
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
    fn the_budget_limits_the_total_size() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("a"), "aaaa").unwrap();
        let root = Root::open(folder.path()).unwrap();
        let mut budget = Budget::new(10);
        for expect in [true, true, false] {
            assert_eq!(root.read(Path::new("a"), &mut budget).is_ok(), expect);
        }
    }

    #[test]
    fn the_git_work_tree_is_the_root() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join("repo/apps/web")).unwrap();
        fs::write(folder.path().join("repo/.git"), "gitdir: elsewhere").unwrap();
        fs::write(folder.path().join("repo/infra.json"), "{}").unwrap();
        let root = Root::work_tree(&folder.path().join("repo/apps/web")).unwrap();
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
