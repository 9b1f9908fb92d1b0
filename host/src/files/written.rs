//! The record of what `--output-dir` wrote: `.landfall/written` in the folder.
//! `--prune` removes by it what an earlier run wrote and this one does not. A file that
//! was changed since is not landfall's any more.
//!
//! The name has no ending that `kubectl apply -R` or Argo CD would read, and each file
//! is a line, which Git merges.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path};

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::Xxh3;

use crate::splice::Spliced;

const VERSION: &str = "landfall.dev/written/v1alpha1";

/// The files of a record, by their paths below the folder, with `/`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Written {
    /// More than one digest: a run was killed while it replaced the file.
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
    /// Reads a record. None: it is not one of this version.
    pub(super) fn read(record: &[u8]) -> Option<Self> {
        let record: Record = serde_json::from_slice(record).ok()?;
        if record.api_version != VERSION || !record.files.keys().all(|path| is_inside(path)) {
            return None;
        }
        let digests = |digests: String| digests.split(' ').map(str::to_owned).collect();
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
        // Its keys are strings: it cannot fail.
        let mut bytes = serde_json::to_vec_pretty(&record).unwrap_or_default();
        bytes.push(b'\n');
        bytes
    }

    /// Records one file. False: it is there already.
    pub(super) fn add(&mut self, path: &str, digest: String) -> bool {
        self.files
            .insert(path.to_owned(), [digest].into())
            .is_none()
    }

    /// This record with what `other` has beside it.
    pub(super) fn and(&self, other: &Self) -> Self {
        let mut both = self.clone();
        for (path, digests) in &other.files {
            both.files
                .entry(path.clone())
                .or_default()
                .extend(digests.iter().cloned());
        }
        both
    }

    /// Those of `earlier` that this record does not have.
    pub(super) fn missing<'e>(
        &self,
        earlier: &'e Self,
    ) -> impl Iterator<Item = (&'e str, &'e BTreeSet<String>)> {
        let files = earlier.files.iter();
        files
            .filter(|(path, _)| !self.files.contains_key(*path))
            .map(|(path, digests)| (path.as_str(), digests))
    }

    /// Takes the files of `earlier` over that this record does not have.
    pub(super) fn take_over(&mut self, path: &str, digests: &BTreeSet<String>) {
        self.files.insert(path.to_owned(), digests.clone());
    }
}

/// Whether a path leads to something inside a folder.
pub(super) fn is_inside(path: &str) -> bool {
    !path.is_empty()
        && Path::new(path)
            .components()
            .all(|part| matches!(part, Component::Normal(_)))
}

/// What tells one content from another. Nobody gains by two that have the same: who can
/// write the record can remove the file.
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
    fn a_record_is_read_as_it_was_written() {
        let mut written = Written::default();
        assert!(written.add("a.yaml", "xxh3:1".to_owned()));
        assert!(written.add("deep/\n\"b.yaml", "xxh3:2".to_owned()));
        assert!(!written.add("a.yaml", "xxh3:3".to_owned()));
        let mut later = Written::default();
        later.add("a.yaml", "xxh3:4".to_owned());
        let both = later.and(&written);
        assert_eq!(Written::read(&both.to_bytes()), Some(both.clone()));
        assert_eq!(
            String::from_utf8(both.to_bytes()).unwrap(),
            "{\n  \"apiVersion\": \"landfall.dev/written/v1alpha1\",\n  \"files\": {\n    \"a.yaml\": \"xxh3:3 xxh3:4\",\n    \"deep/\\n\\\"b.yaml\": \"xxh3:2\"\n  }\n}\n"
        );
        let missing: Vec<_> = later.missing(&both).map(|(path, _)| path).collect();
        assert_eq!(missing, ["deep/\n\"b.yaml"]);
    }

    #[test]
    fn a_record_leads_nowhere_else() {
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
