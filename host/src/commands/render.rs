//! `landfall render`: writes manifests to standard output, into a folder, or in place.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};

use landfall_sandbox::types::Detail;

use crate::discovery::first_of;
use crate::draw::Documents;
use crate::exit::Exit;
use crate::files::{FileId, InPlace, OutputFolder};
use crate::paths::display as display_path;
use crate::problem::{HostRule, Problem, diagnostics as problem_diagnostics};
use crate::rendered::{Application, Rendered, SourceFile};
use crate::sanitize;
use crate::settings::{Destination, Inputs, Programs};
use crate::splice::{BrokenEdits, Spliced};
use crate::stream::Stream;

use super::session::Session;
use super::{fleet, inputs};

/// The outcome of a render with errors.
pub(super) const NOTHING_RENDERED: &str = "nothing was rendered";

pub(super) fn run(
    mut session: Session,
    inputs: &Inputs,
    programs: &Programs,
    destination: &Destination,
    prune: bool,
    check: bool,
) -> Exit {
    if let (Some(each), Destination::Folder(folder)) = (&inputs.each, destination) {
        return fleet::render(session, inputs, each, programs, folder, prune);
    }
    let rendered = inputs::render(
        &mut session,
        inputs,
        Some(programs),
        Detail::Diagnostics,
        destination.clone(),
    );
    match rendered {
        Err(halted) => session.halt(&halted, NOTHING_RENDERED),
        Ok(_) if session.reporter.has_errors() => session.fail(NOTHING_RENDERED),
        Ok(rendered) => {
            let summary = format!("rendered {}", inputs::summary(&rendered));
            match destination {
                Destination::Stdout => {
                    if let Some(problem) = stdout_is_source(&rendered) {
                        return nothing_written(session, vec![problem]);
                    }
                    session.reporter.remark(&summary);
                    write_stream(session, &rendered)
                }
                Destination::Folder(folder) => {
                    session.reporter.remark(&summary);
                    write_folder(session, &rendered, folder, prune)
                }
                Destination::InPlace { .. } if check => list_changed(session, &rendered),
                Destination::InPlace { .. } => write_in_place(session, &rendered, &summary),
            }
        }
    }
}

/// Writes all files as one stream to standard output.
pub(super) fn write_stream(session: Session, rendered: &[Rendered]) -> Exit {
    let sources = rendered
        .iter()
        .flat_map(|rendered| &rendered.application.files);
    let size = sources
        .map(|file| file.content.len() + file.content.len() / 8 + 64)
        .sum();
    session.write(size, |out| {
        let mut stream = Stream::new(out);
        for (_, file) in rendered.iter().flat_map(Rendered::files) {
            stream.write(file.map_err(|BrokenEdits| io::ErrorKind::InvalidData)?)?;
        }
        stream.finish()
    })
}

/// Returns the problem of a redirection to one of the sources.
fn stdout_is_source(rendered: &[Rendered]) -> Option<Problem> {
    let stdout = FileId::of_stdout()?;
    let applications = rendered.iter().map(|rendered| &rendered.application);
    let mut files = applications.flat_map(|one| std::iter::zip(&one.file_ids, &one.display_paths));
    let (_, path) = files.find(|(id, _)| id.as_ref() == Some(&stdout))?;
    let message = format!("standard output is written to `{path}`, which is one of the sources");
    Some(Problem::new(HostRule::OutputAmongManifests, message)
        .help("choose a file outside the application's folder; if the shell has emptied a manifest, restore it; to replace the references in the manifests themselves, use `--in-place --replace-references`"))
}

fn write_folder(mut session: Session, rendered: &[Rendered], folder: &Path, prune: bool) -> Exit {
    let sources = rendered
        .iter()
        .flat_map(|rendered| &rendered.application.file_ids);
    let sources: BTreeSet<&FileId> = sources.flatten().collect();
    let files = || rendered.iter().flat_map(Rendered::files);
    let over_sources = over_sources(folder, files().map(|(path, _)| path), &sources);
    let of_applications = rendered.iter().flat_map(|one| {
        one.files()
            .map(|(path, file)| (&one.application, path, file))
    });
    let problems = over_sources.into_iter().collect();
    match write_files(folder, of_applications, problems, prune) {
        Ok(kept) => {
            session.add_problems(kept);
            session.done()
        }
        Err(problems) => nothing_written(session, problems),
    }
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

/// Writes files of applications into a folder unless there are problems, and returns warnings about files
/// that `--prune` keeps.
///
/// # Errors
/// All problems; nothing was written.
pub(super) fn write_files<'f>(
    folder: &Path,
    files: impl Iterator<Item = (&'f Application, &'f str, Result<Spliced<'f>, BrokenEdits>)>,
    mut problems: Vec<Problem>,
    prune: bool,
) -> Result<Vec<Problem>, Vec<Problem>> {
    let problem = |(path, error): (PathBuf, _)| Problem::output(&path, &error);
    let mut output = OutputFolder::open(folder).map_err(|error| vec![problem(error)])?;
    for (application, path, file) in files {
        let file =
            file.map_err(|BrokenEdits| (folder.join(path), io::ErrorKind::InvalidData.into()));
        let written = file.and_then(|file| {
            let is_sensitive = application.may_be_sensitive(file);
            output.write(path, file, is_sensitive)
        });
        if let Err(error) = written {
            problems.push(problem(error));
        }
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

/// Writes the changed files in place. `summary` is shown with `-v`.
fn write_in_place(mut session: Session, rendered: &[Rendered], summary: &str) -> Exit {
    let mut problems = Vec::new();
    let mut output = match InPlace::new() {
        Ok(output) => output,
        Err(error) => {
            problems.push(Problem::output(Path::new("."), &error));
            return nothing_written(session, problems);
        }
    };
    for SourceFile {
        display_path,
        real_path,
        original,
        edited,
    } in rendered.iter().flat_map(Rendered::source_files)
    {
        let written = edited
            .map_err(|BrokenEdits| io::ErrorKind::InvalidData.into())
            .and_then(|file| output.write(real_path, original, file));
        if let Err(error) = written {
            problems.push(Problem::output(Path::new(display_path), &error));
        }
    }
    if problems.is_empty() {
        let changed = inputs::counted(output.changed(), "file", "files");
        match output.publish() {
            Ok(()) => {
                session
                    .reporter
                    .remark(&format!("{summary}; {changed} changed"));
                return session.done();
            }
            Err((path, error)) => problems.push(Problem::output(&path, &error)),
        }
    }
    nothing_written(session, problems)
}

/// Lists the files that a render in place would change, and writes nothing.
fn list_changed(mut session: Session, rendered: &[Rendered]) -> Exit {
    let mut problems = Vec::new();
    let mut seen: BTreeMap<&Path, Spliced<'_>> = BTreeMap::new();
    let mut changed = String::new();
    for SourceFile {
        display_path,
        real_path,
        original,
        edited,
    } in rendered.iter().flat_map(Rendered::source_files)
    {
        let error = match edited {
            Err(BrokenEdits) => io::ErrorKind::InvalidData.into(),
            Ok(file) => match seen.insert(real_path, file) {
                Some(other) if file.equals(other) => continue,
                Some(_) => InPlace::two_results(),
                None => {
                    if !file.is(original) {
                        changed.push_str(&sanitize::line(display_path));
                        changed.push('\n');
                    }
                    continue;
                }
            },
        };
        problems.push(Problem::output(Path::new(display_path), &error));
    }
    if !problems.is_empty() {
        return nothing_written(session, problems);
    }
    let files = inputs::counted(changed.lines().count(), "file", "files");
    session.reporter.remark(&format!("{files} would change"));
    let exit = if changed.is_empty() {
        Exit::Done
    } else {
        Exit::Changed
    };
    session.write_text(exit, &sanitize::without_ci_commands(&changed))
}

fn nothing_written(mut session: Session, problems: Vec<Problem>) -> Exit {
    session
        .reporter
        .add(&Documents::default(), &problem_diagnostics(problems));
    session.fail("nothing was written")
}
