//! Manifest files that a command reads as they are, without a Binding.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use landfall_sandbox::types::File;

use crate::files::{self, Budget, Kind, Listing, Root};
use crate::paths;
use crate::problem::Problem;
use crate::settings::InputPath;

use super::flag_inputs::{display_name, read_input};

/// The ends of the names of files in folders that are read.
const EXTENSIONS: [&str; 3] = [".yaml", ".yml", ".json"];

/// Reads files, and the YAML and JSON files at any depth of folders, except dotfiles. `flag`
/// is the one that names them, if it is a flag. Adds a problem for each that cannot be read.
pub(crate) fn read_manifest_files(
    paths: &[InputPath],
    flag: Option<&'static str>,
    stdin_name: &str,
    budget: &mut Budget,
    problems: &mut Vec<Problem>,
) -> Vec<File> {
    let mut all = Vec::new();
    for path in paths {
        let shown = display_name(path, stdin_name);
        let read = match path {
            InputPath::Path(folder) if matches!(files::kind(folder), Ok(Kind::Folder)) => {
                read_folder(folder, &shown, budget, problems, &mut all)
            }
            input => read_input(input, budget).map(|content| {
                all.push(File {
                    path: shown.clone(),
                    content,
                });
            }),
        };
        if let Err(error) = read {
            problems.push(match flag {
                Some(flag) => Problem::flag(flag, &shown, &error),
                None => Problem::manifest(&shown, &error),
            });
        }
    }
    all
}

fn read_folder(
    folder: &Path,
    shown: &str,
    budget: &mut Budget,
    problems: &mut Vec<Problem>,
    all: &mut Vec<File>,
) -> Result<(), files::FileError> {
    let root = Root::open(folder)?;
    let listing = Listing::of(&root, Path::new(""), &BTreeSet::new())?;
    for (path, error) in listing.errors {
        problems.push(Problem::listing(
            &paths::join(shown, &paths::for_module(&path)),
            &error,
        ));
    }
    let is_read = |path: &&String| {
        let is_hidden = path.split('/').any(|segment| segment.starts_with('.'));
        !is_hidden && is_manifest(path)
    };
    let is_link = |path: &String| listing.linked.binary_search(path).is_ok();
    let paths: Vec<&String> = listing.paths.iter().filter(is_read).collect();
    let files = paths.iter().filter(|path| !is_link(path));
    let mut seen: BTreeSet<PathBuf> = files.map(PathBuf::from).collect();
    for path in paths {
        // A link and its target are one file, as are two links.
        let real = || root.inside(Path::new(path));
        if is_link(path) && real().is_ok_and(|real| !seen.insert(real)) {
            continue;
        }
        let shown = paths::join(shown, path);
        match root.read(Path::new(path), budget) {
            Ok(content) => all.push(File {
                path: shown,
                content,
            }),
            Err(error) => problems.push(Problem::manifest(&shown, &error)),
        }
    }
    Ok(())
}

/// Returns whether a file is a manifest by its name.
pub(crate) fn is_manifest(path: &str) -> bool {
    EXTENSIONS.iter().any(|end| path.ends_with(end))
}

/// Returns whether a stream has no documents but only comments and separators.
pub(crate) fn is_blank(content: &[u8]) -> bool {
    let mut lines = content.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii);
    lines.all(|line| line.is_empty() || line == b"---" || line.starts_with(b"#"))
}

#[cfg(test)]
mod tests {
    use super::is_blank;

    #[test]
    fn comments_and_separators_are_no_resources() {
        assert!(is_blank(b""));
        assert!(is_blank(b"---\n# Source: web/templates/a.yaml\n\n--- \n"));
        assert!(!is_blank(b"---\nkind: Service\n"));
    }
}
