//! Files from which several tools build: a change for one application is one for all of them.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::discovery::{ApplicationFolder, Group, Part, first_of};
use crate::files::{Budget, Root};
use crate::loading::Job;
use crate::paths::{self, relative_to};
use crate::problem::{HostRule, Problem};

use super::BuiltBy;
use super::kustomize::{Unknown, other_readers};

/// How many readers of a file are named in a help text.
const MAX_SHOWN_READERS: usize = 10;

/// What the sources of an application are to others.
#[derive(Debug)]
pub(crate) struct SourcesOf {
    /// What builds from them, if it was not run: they are not changed then.
    pub(crate) built_by: Option<BuiltBy>,
    /// None: only parts of it are named, or files of no application.
    pub(crate) place: Option<Place>,
}

impl SourcesOf {
    pub(crate) fn new(job: &Job<'_>, group: &Group, built_by: Option<BuiltBy>) -> Self {
        let place = match group {
            Group::Folder(ApplicationFolder {
                path,
                part: Part::Whole,
                ..
            }) if job.is_about_sources => {
                let root = job.root.open(path).ok();
                root.and_then(|root| {
                    Some(Place {
                        folder: root.path().join(root.relative(path).ok()?),
                        root: root.path().to_path_buf(),
                    })
                })
            }
            _ => None,
        };
        Self { built_by, place }
    }
}

/// The files that change in an application.
pub(crate) struct Changes<'a> {
    /// None: only parts of it are named, or files of no application.
    pub(crate) place: Option<&'a Place>,
    /// Their canonical paths.
    pub(crate) files: Vec<&'a Path>,
}

/// Where a folder is that is named as a whole: canonical paths.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    pub(crate) root: PathBuf,
    pub(crate) folder: PathBuf,
}

/// Returns the problem of changed files from which kustomizations build that are in none of these
/// applications, or of a root that cannot be read.
pub(crate) fn unnamed_readers<'a>(
    all: impl Iterator<Item = Changes<'a>>,
    max_input: u64,
) -> Option<Problem> {
    let (mut named, mut changed) = (BTreeSet::new(), BTreeSet::new());
    let mut roots = BTreeSet::new();
    // What is named by itself is meant, whoever reads it.
    for change in all {
        if let Some(Place { root, folder }) = change.place {
            named.insert(folder.as_path());
            changed.extend(change.files);
            roots.insert(root);
        }
    }
    if changed.is_empty() {
        return None;
    }
    let mut budget = Budget::new(max_input);
    let mut others = Vec::new();
    for path in roots {
        match readers_below(path, &changed, &named, &mut budget) {
            Ok(mut found) => others.append(&mut found),
            Err(problem) => return Some(problem),
        }
    }
    let (folder, file) = others.first()?;
    let message = format!(
        "`{file}` changes for {}, too, which no argument names as a whole",
        first_of(folder, others.len() - 1, "kustomization", "kustomizations")
    );
    let shown = others.iter().take(MAX_SHOWN_READERS);
    let mut folders = shown
        .map(|(folder, _)| format!("`{folder}`"))
        .collect::<Vec<_>>();
    if others.len() > MAX_SHOWN_READERS {
        folders.push(format!("{} more", others.len() - MAX_SHOWN_READERS));
    }
    let help = format!(
        "give each a Binding and name it, too, so that what it builds is checked: {}",
        folders.join(", ")
    );
    Some(Problem::new(HostRule::SharedFile, message).help(help))
}

/// Returns the folders of kustomizations below a root that read a changed file, each with that
/// file, as a user writes them.
fn readers_below(
    path: &Path,
    changed: &BTreeSet<&Path>,
    named: &BTreeSet<&Path>,
    budget: &mut Budget,
) -> Result<Vec<(String, String)>, Problem> {
    let unread = |error| Problem::manifest(&paths::display(path), &error);
    let root = Root::work_tree(path).map_err(unread)?;
    let changed = changed.iter();
    let changed = changed.filter_map(|file| file.strip_prefix(root.path()).ok());
    let changed = changed.map(paths::for_module).collect();
    let is_named = |folder: &str| {
        let folder = root.path().join(folder);
        folder.ancestors().any(|above| named.contains(above))
    };
    let current_folder = root.relative(Path::new(".")).ok();
    let shown = |path: &str| match &current_folder {
        Some(current) => match relative_to(current, path) {
            relative if relative.is_empty() => ".".to_owned(),
            relative => relative,
        },
        None => paths::display(&root.path().join(path)),
    };
    match other_readers(&root, &changed, is_named, budget) {
        Ok(readers) => Ok(readers
            .iter()
            .map(|(folder, file)| (shown(folder), shown(file)))
            .collect()),
        Err(Unknown::Unread(path, error)) => Err(Problem::manifest(&shown(&path), &error)),
        Err(Unknown::Unlisted(path, error)) => Err(Problem::listing(&shown(&path), &error)),
    }
}
