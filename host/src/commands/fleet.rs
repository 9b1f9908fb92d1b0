//! `landfall render --each` and `landfall check --each`: all clusters of a fleet.

use std::io;
use std::path::{Component, Path, PathBuf};

use crate::exit::Exit;
use crate::problem::Problem;
use crate::reporter::Failed;
use crate::settings::{Each, Inputs, Programs};

use super::inputs::{self, Fleet, clusters};
use super::session::Session;
use super::write::{
    NOTHING_RENDERED, NOTHING_WRITTEN, Output, identities, into_folder, over_sources,
};

/// Renders a fleet into folders: `output_dir`, with the name of each cluster for `{name}`.
pub(super) fn render(
    mut session: Session,
    inputs: &Inputs,
    each: &Each,
    programs: &Programs,
    output_dir: &Path,
    prune: bool,
) -> Exit {
    let fleet = inputs::render_fleet(&mut session, inputs, each, programs, Some(output_dir));
    let fleet = match fleet {
        Err(failed) => return session.end(&failed, NOTHING_RENDERED),
        Ok(fleet) => fleet,
    };
    let refused = refused(&fleet, output_dir);
    if !refused.is_empty() {
        return session.refuse(refused, NOTHING_WRITTEN);
    }
    let mut kept = Vec::new();
    for (nth, folder) in fleet.folders.iter().enumerate() {
        let files = fleet.rendered.iter().flat_map(|group| {
            let files = group.files(nth);
            files.map(|(path, file)| Output::of(&group.application, path, file))
        });
        match into_folder(folder, files, Vec::new(), prune) {
            Ok(more) => kept.extend(more),
            Err(problems) => {
                session.add_problems(kept);
                let all = clusters(fleet.clusters.len());
                return match nth {
                    0 => session.refuse(problems, NOTHING_WRITTEN),
                    _ => session.refuse(
                        problems,
                        &format!("only the first {nth} of {all} were written"),
                    ),
                };
            }
        }
    }
    let summary = format!("rendered {}", fleet.summary());
    session.reporter.remark(&summary);
    session.add_problems(kept);
    session.done()
}

/// Checks a fleet.
pub(super) fn check(
    session: &mut Session,
    inputs: &Inputs,
    each: &Each,
    programs: &Programs,
) -> Result<(), Failed> {
    let fleet = inputs::render_fleet(session, inputs, each, programs, None)?;
    let summary = format!("no errors: {}", fleet.summary());
    session.reporter.remark(&summary);
    Ok(())
}

/// Returns the problems because of which no folder is written: known before the first one is.
fn refused(fleet: &Fleet, output_dir: &Path) -> Vec<Problem> {
    let sources = identities(fleet.rendered.iter().map(|group| &group.application));
    let named = first_named(output_dir);
    let mut problems = Vec::new();
    for (nth, folder) in fleet.folders.iter().enumerate() {
        let files = fleet.rendered.iter().flat_map(|group| group.files(nth));
        problems.extend(over_sources(folder, files.map(|(path, _)| path), &sources));
        problems.extend(link(folder, named));
    }
    problems
}

/// Returns how many components of the path come before the first with `{name}`.
fn first_named(output_dir: &Path) -> usize {
    let is_named = |part: Component<'_>| {
        part.as_os_str()
            .to_string_lossy()
            .contains(Each::PLACEHOLDER)
    };
    output_dir.components().position(is_named).unwrap_or(0)
}

/// Returns the problem of a folder that is a link, or is reached through one after the
/// `named` first components. The user has not seen this path: whoever adds an outputs
/// document chooses its name.
fn link(folder: &Path, named: usize) -> Option<Problem> {
    let mut path = PathBuf::new();
    for (position, part) in folder.components().enumerate() {
        path.push(part);
        let is_link = || {
            path.symlink_metadata()
                .is_ok_and(|found| found.is_symlink())
        };
        if position >= named && is_link() {
            let error = "it is a link, and landfall does not write through links";
            return Some(Problem::output(&path, &io::Error::other(error)));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::first_named;

    #[test]
    fn finds_the_first_component_with_the_name() {
        for (path, expected) in [
            ("{name}", 0),
            ("out/{name}", 1),
            ("/out/x-{name}.d/{name}", 2),
            ("./out/{name}", 2),
        ] {
            assert_eq!(first_named(Path::new(path)), expected, "{path}");
        }
    }
}
