//! Files that are written in full under other names, beside the places that they
//! are for, and put there together.

use std::fs::{self, File, Metadata};
use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};

use tempfile::TempPath;

use crate::splice::Spliced;

/// Files that wait for [`Staged::publish`]. Dropped before that, nothing of them
/// remains.
#[derive(Debug, Default)]
pub(super) struct Staged {
    waiting: Vec<(TempPath, PathBuf)>,
}

impl Staged {
    /// Writes one file beside `target`, whose folder exists. `like` is what the
    /// file has to look like; none: as one that is made as usual.
    pub(super) fn add(
        &mut self,
        target: &Path,
        file: Spliced<'_>,
        like: Option<&Metadata>,
    ) -> io::Result<()> {
        let mut builder = tempfile::Builder::new();
        builder.prefix(PREFIX);
        #[cfg(unix)]
        if like.is_none() {
            use std::os::unix::fs::PermissionsExt;
            // The umask takes its part away.
            builder.permissions(fs::Permissions::from_mode(0o666));
        }
        let temporary = builder.tempfile_in(folder_of(target))?;
        let mut out = BufWriter::with_capacity(64 << 10, temporary.as_file());
        file.write_to(&mut out)?;
        out.into_inner().map_err(io::IntoInnerError::into_error)?;
        if let Some(like) = like {
            look_like(temporary.as_file(), like)?;
        }
        // Closed here: thousands of files may be waiting.
        self.waiting
            .push((temporary.into_temp_path(), target.to_path_buf()));
        Ok(())
    }

    /// How many files wait.
    pub(super) fn len(&self) -> usize {
        self.waiting.len()
    }

    /// Puts all files into place. When one cannot be put there, those before it
    /// are taken back.
    pub(super) fn publish(self) -> Result<(), (PathBuf, io::Error)> {
        let mut done = Vec::with_capacity(self.waiting.len());
        for (temporary, target) in self.waiting {
            match replace(temporary, &target) {
                Ok(before) => done.push((before, target)),
                Err(error) => {
                    for (before, target) in done.into_iter().rev() {
                        take_back(before, &target);
                    }
                    return Err((target, error));
                }
            }
        }
        Ok(())
    }
}

/// No manifest's name: a folder that is rendered while this stands in it, or after
/// the machine stopped, takes no notice.
const PREFIX: &str = ".landfall-";

/// Puts a file into place, and gives what stood there under another name.
fn replace(temporary: TempPath, target: &Path) -> io::Result<Option<TempPath>> {
    let before = match target.symlink_metadata() {
        Ok(metadata) if metadata.is_file() => Some(second_name(target)?),
        _ => None,
    };
    temporary.persist(target).map_err(|error| error.error)?;
    Ok(before)
}

/// The same file under one more name; a copy where the file system has no links.
fn second_name(target: &Path) -> io::Result<TempPath> {
    let kept = tempfile::Builder::new()
        .prefix(PREFIX)
        .make_in(folder_of(target), |name| {
            fs::hard_link(target, name).or_else(|error| match error.kind() {
                // Taken: another name is tried.
                io::ErrorKind::AlreadyExists => Err(error),
                _ => fs::copy(target, name).map(|_| ()),
            })
        })?;
    Ok(kept.into_temp_path())
}

/// What was possible a moment ago, the other way round: when even that fails,
/// there is nothing more to try.
fn take_back(before: Option<TempPath>, target: &Path) {
    let _ = match before {
        Some(before) => before.persist(target).map_err(|error| error.error),
        None => fs::remove_file(target),
    };
}

fn folder_of(target: &Path) -> &Path {
    match target.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
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

    use super::Staged;
    use crate::splice::Spliced;

    fn add(staged: &mut Staged, target: &Path, content: &str) {
        let file = Spliced::with_edits(content.as_bytes(), &[]).unwrap();
        staged.add(target, file, None).unwrap();
    }

    /// The third place becomes a folder while files wait.
    #[test]
    fn what_was_put_into_place_is_taken_back() {
        let folder = tempfile::tempdir().unwrap();
        let [old, new, third] = ["a", "b", "c"].map(|name| folder.path().join(name));
        fs::write(&old, "before").unwrap();
        let written = fs::metadata(&old).unwrap().modified().unwrap();
        let mut staged = Staged::default();
        add(&mut staged, &old, "after");
        add(&mut staged, &new, "new");
        add(&mut staged, &third, "in the way");
        assert_eq!(staged.len(), 3);
        fs::create_dir_all(third.join("full")).unwrap();
        let (refused, _) = staged.publish().unwrap_err();
        assert_eq!(refused, third);
        assert_eq!(fs::read_to_string(&old).unwrap(), "before");
        assert_eq!(fs::metadata(&old).unwrap().modified().unwrap(), written);
        assert!(!new.exists());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
    }

    #[test]
    fn nothing_else_remains() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("a");
        fs::write(&place, "before").unwrap();
        let mut staged = Staged::default();
        add(&mut staged, &place, "after");
        staged.publish().unwrap();
        assert_eq!(fs::read_to_string(&place).unwrap(), "after");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
