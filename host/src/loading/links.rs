//! A link and its target are one file, as are two links with the same target.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::discovery::Part;
use crate::files::Root;

/// The links in an application's folder.
pub(super) struct Links<'a> {
    pub(super) root: &'a Root,
    /// The folder, relative to the root.
    pub(super) folder: &'a Path,
    /// The paths that are links or below one, relative to the folder. Sorted.
    pub(super) linked: &'a [String],
}

impl Links<'_> {
    /// Returns the manifests without repeated files, in their order: of the paths of a file, one
    /// that the command line names, or else one that is no link, or else the first. Files that
    /// are no manifests by another path are left out: `others`, relative to the folder, and the
    /// canonical paths `named`.
    pub(super) fn once<'m>(
        &self,
        manifests: Vec<&'m String>,
        part: &Part,
        others: impl Iterator<Item = impl AsRef<Path>>,
        named: &[PathBuf],
    ) -> Vec<&'m String> {
        if self.linked.is_empty() {
            return manifests;
        }
        let mut chosen: BTreeMap<PathBuf, Option<&String>> = BTreeMap::new();
        for other in others {
            if let Ok(real) = self.root.inside(&self.folder.join(other)) {
                chosen.insert(real, None);
            }
        }
        let named = named
            .iter()
            .filter_map(|path| self.root.relative(path).ok());
        chosen.extend(named.map(|path| (path, None)));
        // Whether a path is chosen later than another.
        let rank = |path: &String| (part.entry_of(path).is_none(), self.is_linked(path));
        for path in &manifests {
            let Some(real) = self.real(path) else {
                continue;
            };
            let chosen = chosen.entry(real).or_insert(Some(path));
            if let Some(other) = chosen
                && rank(path) < rank(other)
            {
                *other = path;
            }
        }
        let is_chosen = |path: &&String| match self.real(path) {
            Some(real) => chosen.get(&real) == Some(&Some(*path)),
            // Opening it reports why.
            None => true,
        };
        manifests.into_iter().filter(is_chosen).collect()
    }

    fn is_linked(&self, path: &String) -> bool {
        self.linked.binary_search(path).is_ok()
    }

    /// Returns the canonical path of a file, relative to the root.
    fn real(&self, path: &String) -> Option<PathBuf> {
        let in_root = self.folder.join(path);
        if self.is_linked(path) {
            self.root.inside(&in_root).ok()
        } else {
            Some(in_root)
        }
    }
}
