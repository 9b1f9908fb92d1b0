//! The base of the paths of changed files: none, or a folder within which no link is
//! followed.

use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};

use cap_std::ambient_authority;
use cap_std::fs::Dir;

/// The base of paths.
#[derive(Debug)]
pub(super) enum Base {
    /// Paths are below this folder. Links are not followed, so that nothing outside is
    /// ever written.
    Below(Dir),
    /// Paths are absolute, or relative to the current folder.
    Anywhere,
}

impl Base {
    /// Opens `folder`. Creates folders that are missing and passes them to `created`.
    pub(super) fn create(
        &self,
        folder: &Path,
        mut created: impl FnMut(PathBuf),
    ) -> io::Result<Dir> {
        self.descend(folder, |dir, name, path| {
            dir.create_dir(name)?;
            created(path.to_path_buf());
            Ok(true)
        })
    }

    /// Opens `folder`, or else the innermost existing folder above it.
    pub(super) fn existing(&self, folder: &Path) -> io::Result<Dir> {
        self.descend(folder, |_, _, _| Ok(false))
    }

    /// Opens `folder`.
    pub(super) fn find(&self, folder: &Path) -> io::Result<Dir> {
        self.descend(folder, |_, _, _| Err(io::ErrorKind::NotFound.into()))
    }

    /// Opens `folder` component by component. `missing` handles a missing folder and
    /// returns whether it exists now.
    fn descend(
        &self,
        folder: &Path,
        mut missing: impl FnMut(&Dir, &OsStr, &Path) -> io::Result<bool>,
    ) -> io::Result<Dir> {
        let Self::Below(base) = self else {
            let folder = if folder.as_os_str().is_empty() {
                Path::new(".")
            } else {
                folder
            };
            return Dir::open_ambient_dir(folder, ambient_authority());
        };
        let mut dir = base.try_clone()?;
        let mut path = PathBuf::new();
        for name in folder {
            path.push(name);
            match dir.symlink_metadata(name) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    if !missing(&dir, name, &path)? {
                        break;
                    }
                }
                Err(error) => return Err(error),
                Ok(metadata) if metadata.is_symlink() => {
                    return Err(io::Error::other(format!(
                        "`{}` is a link, and landfall does not write through links",
                        path.display()
                    )));
                }
                Ok(metadata) if !metadata.is_dir() => {
                    return Err(io::ErrorKind::NotADirectory.into());
                }
                Ok(_) => {}
            }
            // If it has become a link since, cap-std still does not let it leave `dir`.
            dir = dir.open_dir(name)?;
        }
        Ok(dir)
    }

    /// Removes `folder` and its parents as long as they are empty.
    pub(super) fn remove_empty(&self, folder: &Path) {
        for folder in folder.ancestors() {
            let (Some(name), Some(parent)) = (folder.file_name(), folder.parent()) else {
                return;
            };
            let removed = self.find(parent).and_then(|dir| dir.remove_dir(name));
            if removed.is_err() {
                return;
            }
        }
    }
}

/// Identifies a mount. Files can be renamed within one mount only.
pub(super) type Mount = (u64, u64);

#[cfg(target_os = "linux")]
pub(super) fn mount(dir: &Dir) -> io::Result<Mount> {
    use rustix::fs::{AtFlags, StatxFlags, statx};
    let flags = StatxFlags::BASIC_STATS | StatxFlags::MNT_ID;
    let found = statx(dir, c"", AtFlags::EMPTY_PATH, flags)?;
    let device = (u64::from(found.stx_dev_major) << 32) | u64::from(found.stx_dev_minor);
    Ok((device, found.stx_mnt_id))
}

#[cfg(all(unix, not(target_os = "linux")))]
pub(super) fn mount(dir: &Dir) -> io::Result<Mount> {
    use cap_std::fs::MetadataExt;
    Ok((dir.dir_metadata()?.dev(), 0))
}

#[cfg(not(unix))]
pub(super) fn mount(_: &Dir) -> io::Result<Mount> {
    Ok((0, 0))
}
