//! Folders that are removed with the test that made them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

/// A folder of one test.
pub struct Scratch {
    folder: TempDir,
}

impl Scratch {
    /// Creates an empty folder. Its path has no symlinks: kustomize resolves them before
    /// it compares paths.
    #[must_use]
    #[expect(clippy::new_without_default, reason = "it makes a folder")]
    pub fn new() -> Self {
        let parent = std::env::temp_dir()
            .canonicalize()
            .expect("the temporary folder is there");
        let folder = tempfile::Builder::new()
            .prefix("landfall-")
            .tempdir_in(parent);
        Self {
            folder: folder.expect("a temporary folder"),
        }
    }

    /// Creates a folder with a copy of `examples/NAME`, without the files that only a run
    /// leaves (`.terraform`, state).
    #[must_use]
    pub fn with_example(name: &str) -> Self {
        let scratch = Self::new();
        copy(
            &crate::program::example(name),
            &scratch.at("examples").join(name),
        );
        scratch
    }

    /// As [`Scratch::with_example`], where the outputs document `infra` is its public export:
    /// what may be committed.
    ///
    /// # Panics
    /// The export fails.
    #[must_use]
    pub fn with_public_example(name: &str, infra: &str) -> Self {
        let scratch = Self::with_example(name);
        let file = scratch.at(infra);
        let output = Command::new(crate::program::landfall())
            .args(["export", "public", "--no-binding", "-b"])
            .arg(format!("infra={}", file.display()))
            .output()
            .expect("landfall starts");
        assert!(output.status.success(), "{output:?}");
        fs::write(file, output.stdout).expect("the document can be written");
        scratch
    }

    /// Returns the folder.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Returns the path of a file or folder in it.
    #[must_use]
    pub fn at(&self, relative: &str) -> PathBuf {
        self.path().join(relative)
    }

    /// Reads a file in it.
    ///
    /// # Panics
    /// There is no such file.
    #[must_use]
    pub fn read(&self, relative: &str) -> String {
        read(&self.at(relative))
    }

    /// Writes a file in it, and creates its parent folders.
    ///
    /// # Panics
    /// The file cannot be written.
    pub fn write(&self, relative: &str, text: &str) {
        let path = self.at(relative);
        fs::create_dir_all(path.parent().expect("a file in a folder")).expect("the folder is made");
        fs::write(&path, text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    }

    /// Replaces `old`, which must occur exactly once in the file, by `new`.
    ///
    /// # Panics
    /// `old` does not occur exactly once.
    pub fn replace(&self, relative: &str, old: &str, new: &str) {
        let text = self.read(relative);
        assert_eq!(text.matches(old).count(), 1, "{old} in {relative}");
        self.write(relative, &text.replacen(old, new, 1));
    }
}

/// Reads a file.
///
/// # Panics
/// There is no such file.
#[must_use]
pub fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Copies a folder, without the files that only a run of Terraform leaves.
///
/// # Panics
/// It cannot be copied.
pub fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("the folder is made");
    let entries = fs::read_dir(from).unwrap_or_else(|error| panic!("{}: {error}", from.display()));
    for entry in entries {
        let entry = entry.expect("a folder's entry");
        let name = entry.file_name();
        let left_behind = name
            .to_str()
            .is_some_and(|name| name.starts_with(".terraform") || name.contains(".tfstate"));
        if left_behind {
            continue;
        }
        if entry.file_type().expect("its type").is_dir() {
            copy(&entry.path(), &to.join(name));
        } else {
            fs::copy(entry.path(), to.join(name)).expect("the file is copied");
        }
    }
}
