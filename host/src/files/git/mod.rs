//! Whether Git tracks a file. Its files are read directly, because there may be no `git` where
//! landfall runs, and its configuration could start other programs.

mod index;

use std::io::Read;
use std::path::{Path, PathBuf};

use ignore::gitignore::{Gitignore, GitignoreBuilder};

/// The largest index that is read, in bytes. It has some millions of files.
const MAX_INDEX: u64 = 1 << 30;

/// What Git does with a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum InGit {
    Tracked,
    /// `git add .` would add it.
    NotIgnored,
    Ignored,
}

/// Returns what Git does with an existing file. None: it is not in a work tree, or this is not
/// known.
pub(crate) fn in_git(file: &Path) -> Option<InGit> {
    let file = std::fs::canonicalize(file).ok()?;
    let work_tree = file
        .ancestors()
        .skip(1)
        .find(|folder| folder.join(".git").symlink_metadata().is_ok())?;
    let path = file.strip_prefix(work_tree).ok()?;
    let segments: Option<Vec<&str>> = path.iter().map(|segment| segment.to_str()).collect();
    let name = segments?.join("/");
    let folder = git_folder(work_tree)?;
    if is_tracked(&folder, &name)? {
        return Some(InGit::Tracked);
    }
    Some(if is_ignored(work_tree, &common_folder(&folder), path) {
        InGit::Ignored
    } else {
        InGit::NotIgnored
    })
}

/// Returns the folder of a work tree with the files of Git: `.git` is a file with its path in
/// worktrees and submodules.
fn git_folder(work_tree: &Path) -> Option<PathBuf> {
    let path = work_tree.join(".git");
    if path.is_dir() {
        return Some(path);
    }
    let text = std::fs::read_to_string(&path).ok()?;
    let folder = work_tree.join(text.strip_prefix("gitdir:")?.trim());
    folder.is_dir().then_some(folder)
}

/// Returns the folder that all worktrees of a repository have in common.
fn common_folder(folder: &Path) -> PathBuf {
    let common = std::fs::read_to_string(folder.join("commondir"));
    common.map_or_else(
        |_| folder.to_path_buf(),
        |common| folder.join(common.trim()),
    )
}

fn is_tracked(folder: &Path, name: &str) -> Option<bool> {
    let hash = object_name_length(folder);
    let path = folder.join("index");
    if !path.try_exists().ok()? {
        // Nothing has been added yet.
        return Some(false);
    }
    let found = index::search(&read(&path)?, name.as_bytes(), hash)?;
    match found.shared {
        Some(shared) if !found.has_path && shared.iter().any(|byte| *byte != 0) => {
            let shared: String = shared.iter().map(|byte| format!("{byte:02x}")).collect();
            let shared = read(&folder.join(format!("sharedindex.{shared}")))?;
            Some(index::search(&shared, name.as_bytes(), hash)?.has_path)
        }
        _ => Some(found.has_path),
    }
}

/// Returns the length of object names in bytes: `extensions.objectFormat`.
fn object_name_length(folder: &Path) -> usize {
    let config = std::fs::read_to_string(common_folder(folder).join("config"));
    let config = config.unwrap_or_default().to_ascii_lowercase();
    let is_sha256 = config.lines().any(|line| {
        let setting = line
            .split_once('=')
            .map(|(key, value)| [key.trim(), value.trim()]);
        setting == Some(["objectformat", "sha256"])
    });
    if is_sha256 { 32 } else { 20 }
}

fn read(path: &Path) -> Option<Vec<u8>> {
    let mut content = Vec::new();
    let file = std::fs::File::open(path).ok()?;
    if !file.metadata().ok()?.is_file() {
        return None;
    }
    file.take(MAX_INDEX).read_to_end(&mut content).ok()?;
    Some(content)
}

/// Returns whether Git ignores a path of the work tree: by the innermost .gitignore that says
/// so, by `info/exclude`, or by the user's own file.
fn is_ignored(work_tree: &Path, common: &Path, path: &Path) -> bool {
    let file = work_tree.join(path);
    let folders = file.ancestors().skip(1);
    let folders = folders.take_while(|folder| folder.starts_with(work_tree));
    let of_folders = folders.map(|folder| rules(folder, &folder.join(".gitignore")));
    let of_repository = rules(work_tree, &common.join("info/exclude"));
    let of_user = Gitignore::global().0;
    let all = of_folders.chain([of_repository, of_user]);
    for rules in all {
        let is_below = file.starts_with(rules.path());
        let found = if is_below {
            rules.matched_path_or_any_parents(&file, false)
        } else {
            rules.matched(&file, false)
        };
        if found.is_ignore() {
            return true;
        }
        if found.is_whitelist() {
            return false;
        }
    }
    false
}

fn rules(folder: &Path, file: &Path) -> Gitignore {
    let mut rules = GitignoreBuilder::new(folder);
    // A line that is not valid is skipped, and so is a file that does not exist.
    let _ = rules.add(file);
    rules.build().unwrap_or_else(|_| Gitignore::empty())
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::{InGit, in_git};

    /// An index of version 2 with one file.
    fn index(path: &str) -> Vec<u8> {
        let mut index = b"DIRC\0\0\0\x02\0\0\0\x01".to_vec();
        index.extend([0; 60]);
        index.extend(u16::try_from(path.len()).unwrap().to_be_bytes());
        index.extend(path.bytes());
        let length = index.len() - 12;
        index.resize(12 + (length / 8 + 1) * 8, 0);
        index.extend([0; 20]);
        index
    }

    fn write(path: &Path, content: impl AsRef<[u8]>) {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    #[test]
    fn reads_work_trees_of_every_form() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        write(&root.join("plain/.git/index"), index("a/infra.json"));
        write(
            &root.join("linked/.git"),
            "gitdir: ../plain/.git/worktrees/linked\n",
        );
        let of_linked = root.join("plain/.git/worktrees/linked");
        write(&of_linked.join("commondir"), "../..\n");
        write(&of_linked.join("index"), index("b/infra.json"));
        write(&root.join("new/.git/HEAD"), "");
        write(&root.join("none/a/infra.json"), "{}");
        for (file, expected) in [
            ("plain/a/infra.json", Some(InGit::Tracked)),
            ("plain/b/infra.json", Some(InGit::NotIgnored)),
            ("linked/b/infra.json", Some(InGit::Tracked)),
            ("linked/a/infra.json", Some(InGit::NotIgnored)),
            ("new/infra.json", Some(InGit::NotIgnored)),
            ("none/a/infra.json", None),
        ] {
            write(&root.join(file), "{}");
            assert_eq!(in_git(&root.join(file)), expected, "{file}");
        }
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(root.join("plain/a/infra.json"), root.join("link")).unwrap();
            assert_eq!(in_git(&root.join("link")), Some(InGit::Tracked));
        }
    }

    #[test]
    fn follows_the_rules_of_gitignore() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        write(&root.join(".git/info/exclude"), "excluded.json\n");
        write(&root.join(".gitignore"), "*.secret.json\n/out/\n");
        write(&root.join("apps/.gitignore"), "!kept.secret.json\nlocal/\n");
        for (file, expected) in [
            ("a.secret.json", InGit::Ignored),
            ("apps/a.secret.json", InGit::Ignored),
            ("apps/kept.secret.json", InGit::NotIgnored),
            ("apps/local/deep/a.json", InGit::Ignored),
            ("out/a.json", InGit::Ignored),
            ("apps/out/a.json", InGit::NotIgnored),
            ("excluded.json", InGit::Ignored),
            ("infra.json", InGit::NotIgnored),
        ] {
            write(&root.join(file), "{}");
            assert_eq!(in_git(&root.join(file)), Some(expected), "{file}");
        }
    }
}
