//! `landfall render`: writes manifests to standard output, into a folder, or in place.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use landfall_sandbox::types::Detail;

use crate::exit::Exit;
use crate::files::{FileId, InPlace};
use crate::problem::{HostRule, Problem};
use crate::rendered::Rendered;
use crate::sanitize;
use crate::settings::{Destination, Inputs, Programs};
use crate::splice::{BrokenEdits, Spliced};
use crate::stream::Stream;

use super::session::Session;
use super::write::{Changed, NOTHING_RENDERED, NOTHING_WRITTEN, Output, identities, over_sources};
use super::{fleet, inputs, write};

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
        programs,
        Detail::Diagnostics,
        destination.clone(),
    );
    match rendered {
        Err(failed) => session.end(&failed, NOTHING_RENDERED),
        Ok(rendered) => {
            let summary = format!("rendered {}", inputs::summary(&rendered));
            match destination {
                Destination::Stdout => {
                    if let Some(problem) = stdout_is_source(&rendered) {
                        return session.refuse(vec![problem], NOTHING_WRITTEN);
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
        .flat_map(|rendered| rendered.application.files());
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
    let mut sources = rendered
        .iter()
        .flat_map(|rendered| rendered.application.sources());
    let source = sources.find(|source| source.id.as_ref() == Some(&stdout))?;
    let path = &source.display_path;
    let message = format!("standard output is written to `{path}`, which is one of the sources");
    Some(Problem::new(HostRule::OutputAmongManifests, message)
        .help("choose a file outside the application's folder; if the shell has emptied a manifest, restore it; to replace the references in the manifests themselves, use `--in-place --replace-references`"))
}

fn write_folder(mut session: Session, rendered: &[Rendered], folder: &Path, prune: bool) -> Exit {
    let sources = identities(rendered.iter().map(|one| &one.application));
    let paths = rendered.iter().flat_map(Rendered::files);
    let over_sources = over_sources(folder, paths.map(|(path, _)| path), &sources);
    let outputs = rendered.iter().flat_map(|one| {
        let files = one.files();
        files.map(|(path, file)| Output::of(&one.application, path, file))
    });
    match write::into_folder(folder, outputs, over_sources.into_iter().collect(), prune) {
        Ok(kept) => {
            session.add_problems(kept);
            session.done()
        }
        Err(problems) => session.refuse(problems, NOTHING_WRITTEN),
    }
}

/// Writes the changed files in place. `summary` is shown with `-v`.
fn write_in_place(mut session: Session, rendered: &[Rendered], summary: &str) -> Exit {
    let files = rendered.iter().flat_map(Rendered::source_files);
    match write::in_place(files.map(Changed::of)) {
        Ok(changed) => {
            let changed = inputs::counted(changed, "file", "files");
            let remark = format!("{summary}; {changed} changed");
            session.reporter.remark(&remark);
            session.done()
        }
        Err(problems) => session.refuse(problems, NOTHING_WRITTEN),
    }
}

/// Lists the files that a render in place would change, and writes nothing.
fn list_changed(mut session: Session, rendered: &[Rendered]) -> Exit {
    let mut problems = Vec::new();
    let mut seen: BTreeMap<Option<&Path>, Spliced<'_>> = BTreeMap::new();
    let mut changed = String::new();
    for source_file in rendered.iter().flat_map(Rendered::source_files) {
        let Changed {
            display_path,
            real_path,
            original,
            edited,
        } = Changed::of(source_file);
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
        return session.refuse(problems, NOTHING_WRITTEN);
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
