//! Where changed files are: below one folder, through no link, or anywhere.

use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};

use cap_std::ambient_authority;
use cap_std::fs::Dir;

/// What places are relative to.
#[derive(Debug)]
pub(super) enum Base {
    /// Places are below this folder. No link in it is followed, so that nothing outside
    /// is ever written.
    Below(Dir),
    /// Places are absolute, or relative to the current folder.
    Anywhere,
}

impl Base {
    /// Opens `folder`; what is missing is made and handed to `made`.
    pub(super) fn folder(&self, folder: &Path, mut made: impl FnMut(PathBuf)) -> io::Result<Dir> {
        self.descend(folder, |dir, name, path| {
            dir.create_dir(name)?;
            made(path.to_path_buf());
            Ok(true)
        })
    }

    /// Opens `folder`, else the innermost folder above it that exists.
    pub(super) fn existing(&self, folder: &Path) -> io::Result<Dir> {
        self.descend(folder, |_, _, _| Ok(false))
    }

    /// Opens `folder`.
    pub(super) fn find(&self, folder: &Path) -> io::Result<Dir> {
        self.descend(folder, |_, _, _| Err(io::ErrorKind::NotFound.into()))
    }

    /// `missing` says whether a missing folder can be entered then.
    fn descend(
        &self,
        folder: &Path,
        mut missing: impl FnMut(&Dir, &OsStr, &Path) -> io::Result<bool>,
    ) -> io::Result<Dir> {
        let Self::Below(base) = self else {
            let folder = match folder.as_os_str().is_empty() {
                true => Path::new("."),
                false => folder,
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
                        "`{}` is a link, and nothing is written through links",
                        path.display()
                    )));
                }
                Ok(metadata) if !metadata.is_dir() => {
                    return Err(io::ErrorKind::NotADirectory.into());
                }
                Ok(_) => {}
            }
            // Should it be a link by now, it leads nowhere out of `dir`.
            dir = dir.open_dir(name)?;
        }
        Ok(dir)
    }

    /// Removes `folder` and those that it is in while they are empty.
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

/// Within one mount files can be renamed.
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
