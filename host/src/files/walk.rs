//! Lists all files below a folder.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::{FileError, Root};

/// The maximum number of entries. A larger folder is most likely not an application, or
/// contains links that multiply each other.
const MAX_ENTRIES: usize = 1_000_000;

/// The files below a folder, sorted by the bytes of their paths.
#[derive(Debug, Default)]
pub(crate) struct Listing {
    /// Relative to the folder, with `/`.
    pub(crate) paths: Vec<String>,
    /// Those of `paths` that are links, or are below one. Sorted.
    pub(crate) linked: Vec<String>,
    /// Links that point outside the root, to a file or a folder. They are in `paths` too
    /// unless their names are not UTF-8; bytes that are not UTF-8 are U+FFFD here.
    pub(crate) outside: Vec<String>,
    /// Paths relative to the folder that could not be listed.
    pub(crate) errors: Vec<(PathBuf, ListingError)>,
}

/// Why an entry of a folder could not be listed.
#[derive(Debug)]
pub(crate) enum ListingError {
    /// Its name is not UTF-8.
    NotUtf8,
    /// It could not be read.
    File(FileError),
    /// There are too many entries; this one and those after it are not listed.
    TooMany { limit: usize },
}

impl Listing {
    /// Lists `folder`, a path inside `root`, except `.git` folders and `without`, paths
    /// relative to `folder`.
    ///
    /// # Errors
    /// The folder itself cannot be listed.
    pub(crate) fn of(
        root: &Root,
        folder: &Path,
        without: &BTreeSet<PathBuf>,
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
        walk.listing.linked.sort_unstable();
        walk.listing
            .errors
            .sort_by(|left, right| left.0.cmp(&right.0));
        Ok(walk.listing)
    }
}

struct Walk<'a> {
    root: &'a Root,
    folder: &'a Path,
    without: &'a BTreeSet<PathBuf>,
    listing: Listing,
    seen: usize,
}

impl Walk<'_> {
    /// Lists the folder `below`. `parents` are the folders that were entered through
    /// links. They are not entered again inside themselves.
    fn enter(&mut self, below: &Path, parents: &mut Vec<Identity>) -> Result<(), FileError> {
        for entry in self.root.entries(&self.folder.join(below))? {
            self.seen += 1;
            if self.seen > MAX_ENTRIES {
                if self.seen == MAX_ENTRIES + 1 {
                    let error = ListingError::TooMany { limit: MAX_ENTRIES };
                    self.listing.errors.push((below.to_path_buf(), error));
                }
                return Ok(());
            }
            let entry = entry.map_err(FileError::Unreadable)?;
            let path = below.join(entry.file_name());
            if entry.file_name() == ".git" || self.without.contains(&path) {
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
                        // Pipes and devices too: opening one reports what it is.
                        self.add(path.clone(), !parents.is_empty());
                        Ok(())
                    }
                })
            {
                self.listing.errors.push((path, ListingError::File(error)));
            }
        }
        Ok(())
    }

    fn follow(&mut self, path: &Path, parents: &mut Vec<Identity>) -> Result<(), FileError> {
        let metadata = match self.root.metadata(&self.folder.join(path)) {
            Ok(metadata) => metadata,
            // An error only if the file is opened.
            Err(FileError::Missing) => {
                self.add(path.to_path_buf(), true);
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
            self.add(path.to_path_buf(), true);
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

    /// Returns whether the folder contains `path`.
    fn is_above(&self, path: &Path, identity: Identity) -> bool {
        let path = self.folder.join(path);
        path.ancestors().skip(1).any(|ancestor| {
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

    fn add(&mut self, path: PathBuf, is_linked: bool) {
        match with_slashes(&path) {
            Some(path) => {
                if is_linked {
                    self.listing.linked.push(path.clone());
                }
                self.listing.paths.push(path);
            }
            None => self.listing.errors.push((path, ListingError::NotUtf8)),
        }
    }
}

/// Returns a path with `/` as the separator, or None if it is not UTF-8.
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

/// Without inode numbers all folders have the same identity, so that links to folders
/// are not followed.
#[cfg(not(unix))]
fn identity(_: &cap_std::fs::Metadata) -> Identity {
    (0, 0)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fs;
    use std::path::{Path, PathBuf};

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
    fn paths_are_sorted_and_relative_and_exclude_git() {
        let folder = tree(&[
            "app/b/c.yaml",
            "app/b-d.yaml",
            "app/a.yaml",
            "app/.hidden",
            "app/.git/config",
            "other.yaml",
        ]);
        let root = Root::open(folder.path()).unwrap();
        let listing = Listing::of(&root, Path::new("app"), &BTreeSet::new()).unwrap();
        assert_eq!(listing.paths, [".hidden", "a.yaml", "b-d.yaml", "b/c.yaml"]);
        let all = Listing::of(
            &root,
            Path::new(""),
            &BTreeSet::from([PathBuf::from("app")]),
        )
        .unwrap();
        assert_eq!(all.paths, ["other.yaml"]);
        assert!(matches!(
            Listing::of(&root, Path::new("nothing"), &BTreeSet::new()),
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
        let listing = Listing::of(&root, Path::new("app"), &BTreeSet::new()).unwrap();
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
        assert!(listing.errors.is_empty(), "{listing:?}");
    }
}
