//! All files below a folder.

use std::path::{Path, PathBuf};

use super::{FileError, Root};

/// A folder with more entries than this is not an application but a mistake, or
/// links that multiply each other.
const MOST_ENTRIES: usize = 1_000_000;

/// The files below a folder, in the order of their paths' bytes.
#[derive(Debug, Default)]
pub(crate) struct Listing {
    /// Relative to the folder, with `/`.
    pub(crate) paths: Vec<String>,
    /// Links that lead out of the root, to a file or to a folder, which nobody can tell
    /// without leaving it. They are among the paths too, but for names that are not
    /// UTF-8, which have U+FFFD here.
    pub(crate) outside: Vec<String>,
    /// Relative to the folder.
    pub(crate) unlisted: Vec<(PathBuf, Unlisted)>,
}

/// Why something below a folder is not in its listing.
#[derive(Debug)]
pub(crate) enum Unlisted {
    /// Its name is not UTF-8.
    Name,
    /// It could not be looked at.
    File(FileError),
    /// There are too many files; those after this one are not listed.
    TooMany { limit: usize },
}

impl Listing {
    /// Lists `folder`, a path inside `root`. Git's own folder is left out, and so
    /// is `without`, a path below `folder`.
    ///
    /// # Errors
    /// The folder itself cannot be listed.
    pub(crate) fn of(
        root: &Root,
        folder: &Path,
        without: Option<&Path>,
    ) -> Result<Self, FileError> {
        let mut walk = Walk {
            root,
            folder,
            without,
            listing: Self::default(),
            seen: 0,
        };
        walk.enter(Path::new(""), &mut Vec::new())?;
        walk.listing.paths.sort_unstable();
        walk.listing
            .unlisted
            .sort_by(|left, right| left.0.cmp(&right.0));
        Ok(walk.listing)
    }
}

struct Walk<'a> {
    root: &'a Root,
    folder: &'a Path,
    without: Option<&'a Path>,
    listing: Listing,
    seen: usize,
}

impl Walk<'_> {
    /// `parents` are the folders that were entered by links: one that is entered
    /// again inside itself has been listed already.
    fn enter(&mut self, below: &Path, parents: &mut Vec<Identity>) -> Result<(), FileError> {
        for entry in self.root.entries(&self.folder.join(below))? {
            self.seen += 1;
            if self.seen > MOST_ENTRIES {
                if self.seen == MOST_ENTRIES + 1 {
                    self.listing.unlisted.push((
                        below.to_path_buf(),
                        Unlisted::TooMany {
                            limit: MOST_ENTRIES,
                        },
                    ));
                }
                return Ok(());
            }
            let entry = entry.map_err(FileError::Unreadable)?;
            let path = below.join(entry.file_name());
            if entry.file_name() == ".git" || self.without == Some(&path) {
                continue;
            }
            if let Err(error) = entry
                .file_type()
                .map_err(FileError::Unreadable)
                .and_then(|kind| {
                    if kind.is_symlink() {
                        self.follow(&path, parents)
                    } else if kind.is_dir() {
                        self.enter(&path, parents)
                    } else {
                        // Pipes and devices too: whoever asks for one is told what it is.
                        self.add(path.clone());
                        Ok(())
                    }
                })
            {
                self.listing.unlisted.push((path, Unlisted::File(error)));
            }
        }
        Ok(())
    }

    fn follow(&mut self, path: &Path, parents: &mut Vec<Identity>) -> Result<(), FileError> {
        let place = self.folder.join(path);
        let metadata = match self.root.metadata(&place) {
            Ok(metadata) => metadata,
            // It may be a file that nobody asks for.
            Err(FileError::Missing) => {
                self.add(path.to_path_buf());
                return Ok(());
            }
            Err(FileError::OutsideRoot) => {
                let link = match with_slashes(path) {
                    Some(link) => {
                        self.listing.paths.push(link.clone());
                        link
                    }
                    None => path.to_string_lossy().into_owned(),
                };
                self.listing.outside.push(link);
                return Ok(());
            }
            Err(error) => return Err(error),
        };
        if !metadata.is_dir() {
            self.add(path.to_path_buf());
            return Ok(());
        }
        let identity = identity(&metadata);
        if parents.contains(&identity) || self.is_above(path, identity) {
            return Ok(());
        }
        parents.push(identity);
        let entered = self.enter(path, parents);
        parents.pop();
        entered
    }

    /// Whether the folder is one that `path` stands in.
    fn is_above(&self, path: &Path, identity: Identity) -> bool {
        let place = self.folder.join(path);
        place.ancestors().skip(1).any(|ancestor| {
            let ancestor = if ancestor.as_os_str().is_empty() {
                Path::new(".")
            } else {
                ancestor
            };
            self.root
                .metadata(ancestor)
                .is_ok_and(|metadata| self::identity(&metadata) == identity)
        })
    }

    fn add(&mut self, path: PathBuf) {
        match with_slashes(&path) {
            Some(path) => self.listing.paths.push(path),
            None => self.listing.unlisted.push((path, Unlisted::Name)),
        }
    }
}

/// A path with `/`. None: a segment of it is not UTF-8.
fn with_slashes(path: &Path) -> Option<String> {
    let segments: Option<Vec<_>> = path.iter().map(|segment| segment.to_str()).collect();
    Some(segments?.join("/"))
}

type Identity = (u64, u64);

#[cfg(unix)]
fn identity(metadata: &cap_std::fs::Metadata) -> Identity {
    use cap_std::fs::MetadataExt;
    (metadata.dev(), metadata.ino())
}

/// Where the standard library does not tell one folder from another, links to
/// folders are not followed.
#[cfg(not(unix))]
fn identity(_: &cap_std::fs::Metadata) -> Identity {
    (0, 0)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::Listing;
    use crate::files::{FileError, Root};

    fn tree(files: &[&str]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for file in files {
            let path = folder.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        }
        folder
    }

    #[test]
    fn sorted_relative_and_without_git() {
        let folder = tree(&[
            "app/b/c.yaml",
            "app/b-d.yaml",
            "app/a.yaml",
            "app/.hidden",
            "app/.git/config",
            "other.yaml",
        ]);
        let root = Root::open(folder.path()).unwrap();
        let listing = Listing::of(&root, Path::new("app"), None).unwrap();
        assert_eq!(listing.paths, [".hidden", "a.yaml", "b-d.yaml", "b/c.yaml"]);
        let all = Listing::of(&root, Path::new(""), Some(Path::new("app"))).unwrap();
        assert_eq!(all.paths, ["other.yaml"]);
        assert!(matches!(
            Listing::of(&root, Path::new("nothing"), None),
            Err(FileError::Missing)
        ));
    }

    #[cfg(unix)]
    #[test]
    fn links_are_followed_inside_the_root_once() {
        use std::os::unix::fs::symlink;
        let folder = tree(&["root/app/a.yaml", "root/shared/s.yaml", "outside/o.yaml"]);
        let app = folder.path().join("root/app");
        symlink("../shared", app.join("shared")).unwrap();
        symlink("../shared/s.yaml", app.join("s.yaml")).unwrap();
        symlink("../app", app.join("itself")).unwrap();
        symlink("../app", folder.path().join("root/shared/back")).unwrap();
        symlink("../../outside", app.join("outside")).unwrap();
        symlink("nowhere", app.join("dangling.yaml")).unwrap();
        let root = Root::open(&folder.path().join("root")).unwrap();
        let listing = Listing::of(&root, Path::new("app"), None).unwrap();
        assert_eq!(
            listing.paths,
            [
                "a.yaml",
                "dangling.yaml",
                "outside",
                "s.yaml",
                "shared/s.yaml"
            ]
        );
        assert_eq!(listing.outside, ["outside"]);
        assert!(listing.unlisted.is_empty(), "{listing:?}");
    }
}
