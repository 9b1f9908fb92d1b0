//! The kustomizations of a repository that read a file: what they build changes with it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::files::{Budget, FileError, Listing, Root};
use crate::paths;

use super::collect::{MAX_CONFIGURATION, NAMES};
use super::fields::{self, Stage};
use super::local_path::{Named, named};

/// Returns the folders of the kustomizations that read a file of `changed` and are not among
/// `known`, each with that file. One that another of them includes is left out. `changed` and
/// what is returned are relative to the root, and `known` are canonical paths.
///
/// # Errors
/// The root cannot be listed.
pub(crate) fn other_readers(
    root: &Root,
    changed: &BTreeSet<String>,
    known: &BTreeSet<&Path>,
    budget: &mut Budget,
) -> Result<BTreeMap<String, String>, FileError> {
    let all = Kustomizations::read(root, budget)?;
    let mut reading: BTreeMap<&String, &String> = BTreeMap::new();
    let mut left = Vec::new();
    for file in changed {
        left.push((file, file));
        let own_folder = all.folders.get_key_value(parent(file));
        if let Some((folder, kustomization)) = own_folder
            && kustomization == file
        {
            reading.insert(folder, file);
            left.push((folder, file));
        }
    }
    while let Some((path, changed)) = left.pop() {
        for folder in all.readers.get(path).into_iter().flatten() {
            if reading.insert(folder, changed).is_none() {
                left.push((folder, changed));
            }
        }
    }
    reading.retain(|folder, _| {
        let file = all.folders.get(*folder).map(Path::new);
        let real = file.and_then(|file| root.real(file).ok());
        real.is_none_or(|real| !known.contains(&*real))
    });
    let is_first = |folder: &&String| !all.readers.contains_key(*folder);
    if reading.keys().any(is_first) {
        reading.retain(|folder, _| is_first(folder));
    }
    let others = reading.into_iter();
    Ok(others
        .map(|(folder, changed)| (folder.clone(), changed.clone()))
        .collect())
}

/// Returns the folder of a path that is relative to the root.
fn parent(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// The kustomizations below a root.
#[derive(Default)]
struct Kustomizations {
    /// The file of each folder.
    folders: BTreeMap<String, String>,
    /// The folders whose kustomizations name a file or a folder.
    readers: BTreeMap<String, Vec<String>>,
}

impl Kustomizations {
    fn read(root: &Root, budget: &mut Budget) -> Result<Self, FileError> {
        let mut all = Self::default();
        for path in Listing::of(root, Path::new(""), &BTreeSet::new())?.paths {
            if NAMES.contains(&paths::file_name(&path))
                && let Ok(content) = root.read(Path::new(&path), budget)
                && content.len() <= MAX_CONFIGURATION
                && let Ok(text) = std::str::from_utf8(&content)
            {
                let folder = parent(&path).to_owned();
                for mention in fields::of_kustomization(text, Stage::Source).mentions {
                    if let Named::Local(path) = named(&folder, &mention.path) {
                        all.readers.entry(path).or_default().push(folder.clone());
                    }
                }
                all.folders.insert(folder, path);
            }
        }
        Ok(all)
    }
}
