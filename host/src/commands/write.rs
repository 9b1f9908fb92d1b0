//! Writes rendered files in place or into a folder: all of them, or none.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};

use landfall_sandbox::types::{Content, Severity};

use crate::discovery::first_of;
use crate::engine::Engine;
use crate::files::{FileId, InPlace, OutputFolder};
use crate::paths::display as display_path;
use crate::problem::{HostRule, Problem};
use crate::rendered::{Application, Source, SourceFile};
use crate::reporter::Failed;
use crate::splice::{BrokenEdits, Spliced};
use crate::tools::{Changes, SourcesOf, unnamed_readers};

use super::session::Session;

/// The outcome of a render with errors.
pub(super) const NOTHING_RENDERED: &str = "nothing was rendered";

/// The outcome of a run that could not write its files.
pub(super) const NOTHING_WRITTEN: &str = "nothing was written";

/// A file that is written in place.
pub(super) struct Changed<'a> {
    pub(super) display_path: &'a str,
    /// Its canonical path. None: it cannot be written.
    pub(super) real_path: Option<&'a Path>,
    pub(super) original: &'a [u8],
    pub(super) edited: Result<Spliced<'a>, BrokenEdits>,
}

impl<'a> Changed<'a> {
    pub(super) fn of(file: SourceFile<'a>) -> Self {
        Self {
            display_path: &file.source.display_path,
            real_path: file.source.real_path.as_deref(),
            original: file.original,
            edited: file.edited(),
        }
    }

    fn is_changed(&self) -> bool {
        let edited = self.edited.as_ref().ok();
        edited.is_some_and(|edited| edited.edits().iter().next().is_some())
    }
}

/// Writes files in place, and returns how many of them changed.
///
/// # Errors
/// All problems; nothing was written.
pub(super) fn in_place<'a>(
    files: impl Iterator<Item = Changed<'a>>,
) -> Result<usize, Vec<Problem>> {
    let problem = |path: &Path, error| vec![Problem::output(path, &error)];
    let mut output = InPlace::new().map_err(|error| problem(Path::new("."), error))?;
    let mut problems = Vec::new();
    for file in files {
        let written = file
            .edited
            .map_err(|BrokenEdits| io::ErrorKind::InvalidData.into())
            .and_then(|edited| {
                let real_path = file.real_path.ok_or(io::ErrorKind::NotFound)?;
                output.write(real_path, file.original, edited)
            });
        if let Err(error) = written {
            problems.extend(problem(Path::new(file.display_path), error));
        }
    }
    if !problems.is_empty() {
        return Err(problems);
    }
    let changed = output.changed();
    output
        .publish()
        .map_err(|(path, error)| problem(&path, error))?;
    Ok(changed)
}

/// Returns the problems of files that several applications would write with different results.
pub(super) fn disagreements<'a>(files: impl Iterator<Item = Changed<'a>>) -> Vec<Problem> {
    let mut seen = BTreeMap::new();
    let differs = |file: &Changed<'a>| {
        let (Some(path), Ok(edited)) = (file.real_path, &file.edited) else {
            return false;
        };
        let before: Option<Spliced<'_>> = seen.insert(path, *edited);
        before.is_some_and(|before| !edited.equals(before))
    };
    files
        .filter(differs)
        .map(|file| Problem::output(Path::new(file.display_path), &InPlace::two_results()))
        .collect()
}

/// Reports changed files from which kustomizations build that no argument names: as a warning,
/// and as an error if the changes are written.
///
/// # Errors
/// The error was reported, or the time limit cannot be watched.
pub(super) fn check_readers<'a>(
    session: &mut Session,
    changed: impl Iterator<Item = (&'a SourcesOf, Vec<Changed<'a>>)>,
    writes: bool,
) -> Result<(), Failed> {
    let changed = changed.map(|(sources, files)| {
        let files = files.iter().filter(|file| file.is_changed());
        Changes {
            place: sources.place.as_ref(),
            files: files.filter_map(|file| file.real_path).collect(),
        }
    });
    let engine = Engine::embedded(session.limits)?;
    let watch = engine.watch();
    let found = unnamed_readers(changed, session.limits.input);
    drop(watch);
    let Some(problem) = found else {
        return Ok(());
    };
    if writes {
        return Err(session.reporter.refuse(problem).into());
    }
    session.add_problems(vec![problem.severity(Severity::Warning)]);
    Ok(())
}

/// Returns the path by which several applications read the same file.
pub(super) fn shared_path(source: &Source) -> &Path {
    let real_path = source.real_path.as_deref();
    real_path.unwrap_or(Path::new(&source.display_path))
}

/// Returns whether a file was not seen with the same changes: several applications can be built
/// from one base.
pub(super) fn is_first<'c, P: Ord>(
    seen: &mut BTreeMap<P, &'c Content>,
    real_path: Option<P>,
    content: &'c Content,
) -> bool {
    let before = real_path.and_then(|path| seen.insert(path, content));
    before.is_none_or(|before| before != content)
}

/// A file that is written into a folder.
pub(super) struct Output<'a> {
    /// Relative to the folder.
    pub(super) path: Cow<'a, str>,
    pub(super) content: io::Result<Spliced<'a>>,
    /// Whether it may contain sensitive values.
    pub(super) is_sensitive: bool,
}

impl<'a> Output<'a> {
    /// Returns a file of an application.
    pub(super) fn of(
        application: &Application,
        path: &'a str,
        file: Result<Spliced<'a>, BrokenEdits>,
    ) -> Self {
        Self {
            path: path.into(),
            is_sensitive: file.is_ok_and(|file| application.may_be_sensitive(file)),
            content: file.map_err(|BrokenEdits| io::ErrorKind::InvalidData.into()),
        }
    }
}

/// Writes files into a folder unless there are `problems`, and returns warnings about those that
/// `--prune` keeps.
///
/// # Errors
/// All problems; nothing was written.
pub(super) fn into_folder<'a>(
    folder: &Path,
    files: impl Iterator<Item = Output<'a>>,
    mut problems: Vec<Problem>,
    prune: bool,
) -> Result<Vec<Problem>, Vec<Problem>> {
    let problem = |(path, error): (PathBuf, _)| Problem::output(&path, &error);
    let mut output = OutputFolder::open(folder).map_err(|error| vec![problem(error)])?;
    for Output {
        path,
        content,
        is_sensitive,
    } in files
    {
        let written = content
            .map_err(|error| (folder.join(&*path), error))
            .and_then(|content| output.write(&path, content, is_sensitive));
        problems.extend(written.err().map(problem));
    }
    if !problems.is_empty() {
        return Err(problems);
    }
    let kept = output
        .publish(prune)
        .map_err(|error| vec![problem(error)])?;
    let kept = kept
        .into_iter()
        .map(|file| Problem::kept(&file, &folder.join(".landfall/written").to_string_lossy()));
    Ok(kept.collect())
}

/// Returns the identities of the sources of applications.
pub(super) fn identities<'a>(
    applications: impl Iterator<Item = &'a Application>,
) -> BTreeSet<&'a FileId> {
    let sources = applications.flat_map(Application::sources);
    sources.filter_map(|source| source.id.as_ref()).collect()
}

/// Returns the problem of output files that are sources, if there are any.
pub(super) fn over_sources<'f>(
    folder: &Path,
    files: impl Iterator<Item = &'f str>,
    sources: &BTreeSet<&FileId>,
) -> Option<Problem> {
    let is_source =
        |path: &&str| FileId::of(&folder.join(path)).is_some_and(|id| sources.contains(&id));
    let mut over_sources = files.filter(is_source);
    let first = over_sources.next()?;
    let first = display_path(&folder.join(first));
    let more = over_sources.count();
    let message = format!(
        "the output would overwrite its own sources: {}",
        first_of(&first, more, "file", "files")
    );
    Some(Problem::new(HostRule::OutputAmongManifests, message)
        .help("choose another --output-dir; to replace the references in the manifests themselves, use `--in-place --replace-references`"))
}
