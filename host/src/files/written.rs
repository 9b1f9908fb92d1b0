//! The record of the files that `--output-dir` wrote: `.landfall/written` in the folder.
//! `--prune` removes recorded files that the current run does not write, unless they
//! were modified.
//!
//! The record has no extension, so that `kubectl apply -R` and Argo CD do not read it,
//! and one line per file, so that Git can merge it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path};

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::Xxh3;

use crate::splice::Spliced;

const VERSION: &str = "landfall.dev/written/v1alpha1";

/// A record of written files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Written {
    /// The digests of each file, by its path relative to the folder, with `/`. A file
    /// has several digests if a run was killed while it replaced the file, and none if it may
    /// contain sensitive values: others could verify guesses of them with it.
    files: BTreeMap<String, BTreeSet<String>>,
}

#[derive(Deserialize, Serialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Record {
    api_version: String,
    /// Digests, separated by spaces.
    files: BTreeMap<String, String>,
}

impl Written {
    /// Parses a record. None if it is invalid or of another version.
    pub(super) fn read(record: &[u8]) -> Option<Self> {
        let record: Record = serde_json::from_slice(record).ok()?;
        if record.api_version != VERSION || !record.files.keys().all(|path| is_inside(path)) {
            return None;
        }
        let digests = |digests: String| digests.split_whitespace().map(str::to_owned).collect();
        let files = record.files.into_iter();
        Some(Self {
            files: files.map(|(path, of)| (path, digests(of))).collect(),
        })
    }

    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let digests =
            |of: &BTreeSet<String>| of.iter().map(String::as_str).collect::<Vec<_>>().join(" ");
        let record = Record {
            api_version: VERSION.to_owned(),
            files: self
                .files
                .iter()
                .map(|(path, of)| (path.clone(), digests(of)))
                .collect(),
        };
        // Cannot fail: all keys are strings.
        let mut bytes = serde_json::to_vec_pretty(&record).unwrap_or_default();
        bytes.push(b'\n');
        bytes
    }

    /// Adds a file. Returns false if it was already recorded.
    pub(super) fn add(&mut self, path: &str, digest: Option<String>) -> bool {
        let digests = digest.into_iter().collect();
        self.files.insert(path.to_owned(), digests).is_none()
    }

    /// Returns the union of two records. A file without a digest in one of them has none.
    pub(super) fn union(&self, other: &Self) -> Self {
        let mut union = self.clone();
        for (path, digests) in &other.files {
            match union.files.get_mut(path) {
                None => union.keep(path, digests),
                Some(known) if known.is_empty() || digests.is_empty() => known.clear(),
                Some(known) => known.extend(digests.iter().cloned()),
            }
        }
        union
    }

    /// Returns the files of `earlier` that are not in this record.
    pub(super) fn missing<'e>(
        &self,
        earlier: &'e Self,
    ) -> impl Iterator<Item = (&'e str, &'e BTreeSet<String>)> {
        let files = earlier.files.iter();
        files
            .filter(|(path, _)| !self.files.contains_key(*path))
            .map(|(path, digests)| (path.as_str(), digests))
    }

    /// Adds a file of an earlier record.
    pub(super) fn keep(&mut self, path: &str, digests: &BTreeSet<String>) {
        self.files.insert(path.to_owned(), digests.clone());
    }
}

/// Returns whether a relative path stays inside its folder.
pub(super) fn is_inside(path: &str) -> bool {
    !path.is_empty()
        && Path::new(path)
            .components()
            .all(|part| matches!(part, Component::Normal(_)))
}

/// Returns the digest of a file's content. It need not be cryptographic: an attacker who
/// could exploit a collision could also remove the file.
pub(super) fn digest(file: Spliced<'_>) -> String {
    let mut hash = Xxh3::new();
    for slice in file.slices() {
        hash.update(slice);
    }
    format!("xxh3:{:032x}", hash.digest128())
}

#[cfg(test)]
mod tests {
    use super::Written;

    #[test]
    fn records_round_trip() {
        let mut written = Written::default();
        let digest = |digest: &str| Some(digest.to_owned());
        assert!(written.add("a.yaml", digest("xxh3:1")));
        assert!(written.add("deep/\n\"b.yaml", digest("xxh3:2")));
        assert!(written.add("secret.yaml", digest("xxh3:5")));
        assert!(!written.add("a.yaml", digest("xxh3:3")));
        let mut later = Written::default();
        later.add("a.yaml", digest("xxh3:4"));
        later.add("secret.yaml", None);
        let both = later.union(&written);
        assert_eq!(Written::read(&both.to_bytes()), Some(both.clone()));
        assert_eq!(
            String::from_utf8(both.to_bytes()).unwrap(),
            "{\n  \"apiVersion\": \"landfall.dev/written/v1alpha1\",\n  \"files\": {\n    \"a.yaml\": \"xxh3:3 xxh3:4\",\n    \"deep/\\n\\\"b.yaml\": \"xxh3:2\",\n    \"secret.yaml\": \"\"\n  }\n}\n"
        );
        let missing: Vec<_> = later.missing(&both).map(|(path, _)| path).collect();
        assert_eq!(missing, ["deep/\n\"b.yaml"]);
    }

    #[test]
    fn rejects_records_with_paths_outside_the_folder() {
        for record in [
            "",
            "{}",
            r#"{"apiVersion": "landfall.dev/written/v2", "files": {}}"#,
            r#"{"apiVersion": "landfall.dev/written/v1alpha1", "files": {"../a": "x"}}"#,
            r#"{"apiVersion": "landfall.dev/written/v1alpha1", "files": {"/etc/a": "x"}}"#,
            r#"{"apiVersion": "landfall.dev/written/v1alpha1", "files": {"": "x"}}"#,
        ] {
            assert_eq!(Written::read(record.as_bytes()), None, "{record}");
        }
    }
}
