//! The clusters of a fleet: the files that match the patterns of `--each`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};

use glob::MatchOptions;
use landfall_sandbox::types::OutputsDocument;

use crate::discovery::RootChoice;
use crate::files::{Budget, FileError, Root};
use crate::loading::unread;
use crate::paths;
use crate::problem::Problem;
use crate::settings::{BindingFlag, BoundFile, Each, EachPattern, InputPath};

use super::cluster_problems::ClustersProblem;

/// As a shell matches.
const OPTIONS: MatchOptions = MatchOptions {
    case_sensitive: true,
    require_literal_separator: true,
    require_literal_leading_dot: true,
};

/// A cluster with its outputs documents.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Cluster {
    /// One segment of a path: letters, digits, `.`, `_` and `-`, not starting with `.`.
    pub(crate) name: String,
    /// The files, each with the name that it is bound to, in the order of the patterns.
    pub(super) files: Vec<(String, ClusterFile)>,
}

impl Cluster {
    /// Returns its files as those that flags bind.
    pub(crate) fn bound(&self) -> impl Iterator<Item = BoundFile> {
        self.files.iter().map(|(name, file)| BoundFile {
            flag: BindingFlag::Each,
            name: name.clone(),
            file: InputPath::Path(file.path.clone()),
            suggestion: None,
        })
    }

    /// Reads its outputs documents. Adds a problem for each that cannot be read.
    pub(super) fn documents(
        &self,
        root: &RootChoice,
        budget: &mut Budget,
        problems: &mut Vec<Problem>,
    ) -> Vec<OutputsDocument> {
        let mut documents = Vec::new();
        for (bound, (name, file)) in std::iter::zip(self.bound(), &self.files) {
            let path = paths::display(&file.path);
            match file.read(root, budget) {
                Ok(content) => documents.push(OutputsDocument {
                    name: name.clone(),
                    path,
                    content,
                    format: None,
                    sensitive: false,
                    declared_at: None,
                }),
                Err(error) => problems.push(unread(&bound, &path, &error)),
            }
        }
        documents
    }
}

impl ClusterFile {
    /// Reads the file. A pattern names files and folders that the user has not seen, so that a
    /// link must not lead out of the Git work tree of the folder that it names, or without one
    /// out of that folder.
    fn read(&self, root: &RootChoice, budget: &mut Budget) -> Result<Vec<u8>, FileError> {
        let Self { path, base } = self;
        let root = match root.open(base) {
            Ok(root) if root.relative(base).is_ok() => root,
            _ => Root::open(base)?,
        };
        let name = path.file_name().unwrap_or_default();
        let folder = root.relative(&paths::folder_of(path))?;
        root.read(&folder.join(name), budget)
    }
}

/// A file that matches a pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ClusterFile {
    pub(super) path: PathBuf,
    /// The part of the pattern before its first wildcard, without the name of the file: the
    /// folder that the user named.
    pub(super) base: PathBuf,
}

/// Returns the clusters of a fleet, sorted by name; there is at least one.
///
/// # Errors
/// All problems with the patterns and the names.
pub(crate) fn find(each: &Each) -> Result<Vec<Cluster>, Vec<Problem>> {
    let mut problems = Vec::new();
    // The file of each cluster for each bound name.
    let mut found: BTreeMap<String, Files<'_>> = BTreeMap::new();
    for EachPattern {
        name: bound,
        pattern,
    } in &each.patterns
    {
        let before = problems.len();
        let files = matched(pattern, &mut problems);
        if files.is_empty() && problems.len() == before {
            problems.push(Problem::from(ClustersProblem::NoMatch {
                pattern: pattern.clone(),
                is_folder: Path::new(pattern).is_dir(),
            }));
        }
        for file in files {
            let Some(name) = cluster_name(&file) else {
                let path = paths::display(&file);
                problems.push(Problem::from(ClustersProblem::InvalidName { path }));
                continue;
            };
            let of_cluster = found.entry(name.to_owned()).or_default();
            let first = of_cluster.entry(bound).or_insert_with(|| ClusterFile {
                path: file.clone(),
                base: base(pattern),
            });
            if first.path != file {
                problems.push(same_name(name, &first.path, &file, false));
            }
        }
    }
    check_case(&found, &mut problems);
    // Without the others, this would only repeat that a pattern matches nothing.
    if problems.is_empty() {
        check_documents(each, &found, &mut problems);
    }
    if !problems.is_empty() {
        return Err(problems);
    }
    let bound_names: BTreeSet<_> = each.patterns.iter().map(|each| &each.name).collect();
    let cluster = |(name, mut files): (String, Files<'_>)| Cluster {
        name,
        files: bound_names
            .iter()
            .filter_map(|bound| Some(((*bound).clone(), files.remove(bound.as_str())?)))
            .collect(),
    };
    Ok(found.into_iter().map(cluster).collect())
}

/// The file of a cluster for each bound name.
type Files<'p> = BTreeMap<&'p str, ClusterFile>;

/// Returns the folder of a pattern that has no wildcards in it.
fn base(pattern: &str) -> PathBuf {
    let folder = Path::new(pattern).parent().unwrap_or(Path::new(""));
    let is_named =
        |part: &Component<'_>| !EachPattern::has_wildcards(&part.as_os_str().to_string_lossy());
    let base: PathBuf = folder.components().take_while(is_named).collect();
    if base.as_os_str().is_empty() {
        PathBuf::from(".")
    } else {
        base
    }
}

/// Returns the files that match a pattern, sorted by path. The library's own search is not
/// used, because it panics at names that are not UTF-8 (glob 0.3.4).
fn matched(pattern: &str, problems: &mut Vec<Problem>) -> Vec<PathBuf> {
    let mut found = vec![PathBuf::new()];
    let mut segments = Path::new(pattern).components().peekable();
    while let Some(segment) = segments.next() {
        let text = segment.as_os_str().to_string_lossy();
        found = match glob::Pattern::new(&text) {
            Ok(wildcards) if EachPattern::has_wildcards(&text) => {
                let within = |folder: PathBuf| matched_in(&folder, &wildcards, problems);
                found.into_iter().flat_map(within).collect()
            }
            _ => found.into_iter().map(|path| path.join(segment)).collect(),
        };
        match segments.peek() {
            Some(_) => found.retain(|path| path.is_dir()),
            // A broken link is an error when it is read.
            None => found.retain(|path| path.symlink_metadata().is_ok() && !path.is_dir()),
        }
    }
    found
}

/// Returns the entries of a folder that match one segment of a pattern, sorted.
fn matched_in(
    folder: &Path,
    wildcards: &glob::Pattern,
    problems: &mut Vec<Problem>,
) -> Vec<PathBuf> {
    let shown = if folder.as_os_str().is_empty() {
        Path::new(".")
    } else {
        folder
    };
    let mut names = Vec::new();
    let listed = std::fs::read_dir(shown).and_then(|entries| {
        for entry in entries {
            let name = entry?.file_name();
            // Names that are not UTF-8 match too, and are then reported.
            if wildcards.matches_with(&name.to_string_lossy(), OPTIONS) {
                names.push(name);
            }
        }
        Ok(())
    });
    if let Err(error) = listed {
        problems.push(Problem::flag(
            "--each",
            &paths::display(shown),
            &FileError::Unreadable(error),
        ));
    }
    names.sort();
    names.into_iter().map(|name| folder.join(name)).collect()
}

/// Returns the name of a file without its extension, if a cluster can have it.
fn cluster_name(file: &Path) -> Option<&str> {
    let name = file.file_stem()?.to_str()?;
    let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-');
    // A folder whose name starts with a dot may be one of another tool, such as `.git`.
    (!name.starts_with('.') && name.bytes().all(is_allowed)).then_some(name)
}

/// Reports names that are one folder where file names ignore case.
fn check_case(found: &BTreeMap<String, Files<'_>>, problems: &mut Vec<Problem>) {
    let mut lower: BTreeMap<String, &Files<'_>> = BTreeMap::new();
    for (name, files) in found {
        let Some(other) = lower.insert(name.to_ascii_lowercase(), files) else {
            continue;
        };
        if let (Some(first), Some(second)) = (other.values().next(), files.values().next()) {
            problems.push(same_name(name, &first.path, &second.path, true));
        }
    }
}

fn same_name(name: &str, first: &Path, second: &Path, differs_in_case: bool) -> Problem {
    Problem::from(ClustersProblem::SameName {
        name: name.to_owned(),
        paths: [first, second].map(paths::display),
        differs_in_case,
    })
}

/// Reports clusters that lack the document of a bound name.
fn check_documents(each: &Each, found: &BTreeMap<String, Files<'_>>, problems: &mut Vec<Problem>) {
    let mut patterns: BTreeMap<&str, &str> = BTreeMap::new();
    for EachPattern { name, pattern } in &each.patterns {
        patterns.entry(name).or_insert(pattern);
    }
    for (cluster, files) in found {
        for (bound, pattern) in &patterns {
            if !files.contains_key(bound) {
                problems.push(Problem::from(ClustersProblem::NoDocument {
                    cluster: cluster.clone(),
                    bound: (*bound).to_owned(),
                    pattern: (*pattern).to_owned(),
                }));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{base, cluster_name};

    #[test]
    fn the_base_of_a_pattern_is_the_folder_that_it_names() {
        for (pattern, expected) in [
            ("clusters/*.json", "clusters"),
            ("a/b/*/c/*.json", "a/b"),
            ("*/c.json", "."),
            ("*.json", "."),
            ("a.json", "."),
            ("/etc/x/*.json", "/etc/x"),
            ("../c[0-9]/x.json", ".."),
        ] {
            assert_eq!(base(pattern), Path::new(expected), "{pattern}");
        }
    }

    #[test]
    fn names_are_safe_segments_of_paths() {
        for (path, expected) in [
            ("clusters/prod-eu.json", Some("prod-eu")),
            ("prod.eu_1.json", Some("prod.eu_1")),
            ("prod", Some("prod")),
            ("a/..json", None),
            ("a/...json", None),
            ("a/.git.json", None),
            ("a/..", None),
            ("a b.json", None),
            ("a\nb.json", None),
            ("straße.json", None),
            ("a{name}.json", None),
            ("", None),
        ] {
            assert_eq!(cluster_name(Path::new(path)), expected, "{path:?}");
        }
    }
}
