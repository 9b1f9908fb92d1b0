//! The kustomizations of a repository that read a file: what they build changes with it.
//!
//! Nothing may be missed: a kustomization that landfall does not read as kustomize does counts as
//! one that reads a file if its text has the file's name or that of a folder with it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use memchr::memmem;

use crate::discovery::BINDINGS;
use crate::files::{Budget, FileError, Listing, ListingError, Root};
use crate::paths;

use super::collect::{MAX_CONFIGURATION, NAMES};
use super::fields::{self, Mention, Names, Stage};
use super::local_path::{Named, named};

/// Why the readers of a file are unknown.
pub(crate) enum Unknown {
    /// The root, or a file or folder in it.
    Unread(String, FileError),
    Unlisted(String, ListingError),
}

/// Returns the folders of the kustomizations that read a file of `changed`, each with that file.
/// Left out are folders that are `named`, and those without a Binding that another kustomization
/// includes. All paths are relative to the root, and without links.
///
/// # Errors
/// Not all kustomizations can be read.
pub(crate) fn other_readers(
    root: &Root,
    changed: &BTreeSet<String>,
    is_named: impl Fn(&str) -> bool,
    budget: &mut Budget,
) -> Result<BTreeMap<String, String>, Unknown> {
    let all = Kustomizations::read(root, budget)?;
    let mut reading: BTreeMap<&String, &String> = BTreeMap::new();
    let mut left = Vec::new();
    for file in changed {
        left.push((file, file));
        if let Some((folder, _)) = all.folders.get_key_value(parent(file))
            && NAMES.contains(&paths::file_name(file))
        {
            reading.insert(folder, file);
            left.push((folder, file));
        }
    }
    let mut others: BTreeMap<&String, &[u8]> = all.unreadable();
    while let Some((path, changed)) = left.pop() {
        let readers = all.readers.get(path).into_iter().flatten();
        let mut readers: Vec<&String> = readers.collect();
        let name = memmem::Finder::new(paths::file_name(path));
        others.retain(|folder, text| {
            let may_read = name.find(text).is_some();
            if may_read {
                readers.push(folder);
            }
            !may_read
        });
        for folder in readers {
            if !reading.contains_key(folder) {
                reading.insert(folder, changed);
                left.push((folder, changed));
            }
        }
    }
    let is_other = |folder: &String| {
        let is_application = || {
            let mut bindings = BINDINGS.iter().map(|name| paths::join(folder, name));
            bindings.any(|path| root.inside(Path::new(&path)).is_ok())
        };
        !is_named(folder) && (!all.readers.contains_key(folder) || is_application())
    };
    let others = reading.into_iter().filter(|(folder, _)| is_other(folder));
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
    /// The text of each folder's, if it is not read as kustomize does.
    folders: BTreeMap<String, Option<Vec<u8>>>,
    /// The folders whose kustomizations name a file or a folder.
    readers: BTreeMap<String, Vec<String>>,
}

impl Kustomizations {
    fn read(root: &Root, budget: &mut Budget) -> Result<Self, Unknown> {
        let unread = |path: &str| {
            let path = path.to_owned();
            move |error| Unknown::Unread(path, error)
        };
        let listing = Listing::of(root, Path::new(""), &BTreeSet::new()).map_err(unread("."))?;
        if let Some((path, error)) = listing.errors.into_iter().next() {
            return Err(Unknown::Unlisted(
                path.to_string_lossy().into_owned(),
                error,
            ));
        }
        let mut all = Self::default();
        let mut of_plugins = BTreeSet::new();
        for path in listing.paths {
            if !NAMES.contains(&paths::file_name(&path)) {
                continue;
            }
            let folder = real(root, parent(&path));
            let content = root.read(Path::new(&path), budget).map_err(unread(&path))?;
            let text = std::str::from_utf8(&content).ok();
            let text = text.filter(|text| text.len() <= MAX_CONFIGURATION);
            // As in a render: what looks like a placeholder can hide a path.
            let read = |stage| text.map(|text| fields::of_kustomization(text, stage));
            let fields = [Stage::Source, Stage::Rendered].map(read);
            // Fields that landfall does not build are refused one by one, and all others are read.
            let is_read = fields
                .iter()
                .flatten()
                .any(|fields| fields.refusals.is_empty() || !fields.mentions.is_empty());
            let fields = fields.into_iter().flatten();
            for mention in fields.flat_map(|fields| fields.mentions) {
                if mention.names == Names::Plugins {
                    of_plugins.extend(local(root, &folder, &mention));
                }
                all.add(root, &folder, &mention, budget);
            }
            // Text in UTF-16 has a zero byte in each letter of a path.
            let text = || content.iter().copied().filter(|byte| *byte != 0).collect();
            all.folders.insert(folder, (!is_read).then(text));
        }
        // What a folder of plugins lists configures plugins, too.
        let listed = |(path, folders): (&String, &Vec<String>)| {
            let folders = folders.iter().filter(|folder| of_plugins.contains(*folder));
            folders
                .map(|folder| (folder.clone(), path.clone()))
                .collect::<Vec<_>>()
        };
        let listed: Vec<_> = all.readers.iter().flat_map(listed).collect();
        for (folder, path) in listed {
            all.add_of_plugins(root, &folder, &path, budget);
        }
        Ok(all)
    }

    /// Adds what a kustomization reads.
    fn add(&mut self, root: &Root, folder: &str, mention: &Mention, budget: &mut Budget) {
        if let Some(path) = local(root, folder, mention) {
            if mention.names == Names::Plugins {
                self.add_of_plugins(root, folder, &path, budget);
            }
            self.readers
                .entry(path)
                .or_default()
                .push(folder.to_owned());
        }
    }

    /// Adds what a file that configures plugins reads.
    fn add_of_plugins(&mut self, root: &Root, folder: &str, path: &str, budget: &mut Budget) {
        if let Ok(content) = root.read(Path::new(path), budget)
            && let Ok(text) = std::str::from_utf8(&content)
            && text.len() <= MAX_CONFIGURATION
        {
            for mention in fields::of_plugins(text, Stage::Source).mentions {
                if let Some(path) = local(root, folder, &mention) {
                    self.readers
                        .entry(path)
                        .or_default()
                        .push(folder.to_owned());
                }
            }
        }
    }

    /// Returns the texts of the kustomizations that are not read as kustomize does.
    fn unreadable(&self) -> BTreeMap<&String, &[u8]> {
        let texts = self.folders.iter();
        texts
            .filter_map(|(folder, text)| Some((folder, text.as_deref()?)))
            .collect()
    }
}

/// Returns what a kustomization names below the root.
fn local(root: &Root, folder: &str, mention: &Mention) -> Option<String> {
    match named(folder, &mention.path) {
        Named::Local(path) => Some(real(root, &path)),
        // A file can have the name of what kustomize would download.
        Named::Remote => {
            let path = real(root, &paths::join(folder, &mention.path));
            root.inside(Path::new(&path)).is_ok().then_some(path)
        }
        Named::Absolute | Named::OutsideRoot | Named::Nothing => None,
    }
}

/// Returns a path without links, if there is something.
fn real(root: &Root, path: &str) -> String {
    let real = root.inside(Path::new(if path.is_empty() { "." } else { path }));
    real.map_or_else(|_| path.to_owned(), |real| paths::for_module(&real))
}
