//! `landfall adopt`: replaces hard-coded values that equal outputs by references.

use std::collections::BTreeSet;
use std::io;
use std::path::Path;

use landfall_sandbox::types::{Content, Detail, HardCodedValue, Proposal};

use crate::engine::{Engine, Halted, errors};
use crate::exit::Exit;
use crate::files::InPlace;
use crate::loading::no_outputs;
use crate::problem::Problem;
use crate::rendered::Rendered;
use crate::report::{AdoptedFile, Adoption};
use crate::sanitize;
use crate::settings::{AdoptFormat, Destination, InputPath, Inputs};
use crate::splice::{BrokenEdits, Spliced};

use super::inputs;
use super::session::Session;

/// The outcome of a run with errors.
const NOTHING_ADOPTED: &str = "nothing was adopted";

/// An application with the proposal for its files.
struct Adopted {
    rendered: Rendered,
    /// One for each file.
    contents: Vec<Content>,
    proposal: Proposal,
}

pub(super) fn run(
    mut session: Session,
    inputs: &Inputs,
    format: AdoptFormat,
    writes: bool,
) -> Exit {
    let adopted = match adopt(&mut session, inputs) {
        Err(halted) => return session.halt(&halted, NOTHING_ADOPTED),
        Ok(_) if session.reporter.has_errors() => return session.fail(NOTHING_ADOPTED),
        Ok(adopted) => adopted,
    };
    let files: Vec<_> = adopted.iter().flat_map(files).collect();
    let report = match Adoption::of(&files, writes) {
        Ok(report) => report,
        Err(BrokenEdits) => return session.halt(&Halted::BrokenAnswer, NOTHING_ADOPTED),
    };
    if writes && let Err(problems) = write(&adopted) {
        session.add_problems(problems);
        return session.fail("nothing was written");
    }
    let text = match format {
        AdoptFormat::Json => report.to_json(),
        AdoptFormat::Text => sanitize::without_ci_commands(&report.to_text()).into_owned(),
    };
    session.write_text(Exit::Done, &text)
}

/// Renders the inputs, and finds what can be replaced in them. The result must not be used
/// when the session's reporter has errors.
fn adopt(session: &mut Session, inputs: &Inputs) -> Result<Vec<Adopted>, Halted> {
    let destination = if inputs.paths.contains(&InputPath::Stdin) {
        Destination::Stdout
    } else {
        Destination::InPlace {
            replace_references: true,
        }
    };
    let all = inputs::render(session, inputs, None, Detail::Diagnostics, destination)?;
    if session.reporter.has_errors() {
        return Ok(Vec::new());
    }
    if !all.is_empty() && !all.iter().any(binds_outputs) {
        let lacks_binding = false;
        session.add_problems(vec![no_outputs(lacks_binding)]);
        return Ok(Vec::new());
    }
    let engine = Engine::embedded(session.limits)?;
    let _watch = engine.watch();
    let mut adopted = Vec::with_capacity(all.len());
    for rendered in all {
        let application = &rendered.application;
        let mut plugin = engine.start()?;
        match plugin.adopt(&application.files, &application.request)? {
            Ok(mut proposal) if proposal.edits.len() == application.files.len() => {
                let edits = std::mem::take(&mut proposal.edits);
                let contents = edits.into_iter().map(Content::Edited).collect();
                adopted.push(Adopted {
                    contents,
                    proposal,
                    rendered,
                });
            }
            Ok(_) => return Err(Halted::BrokenAnswer),
            Err(found) => {
                let found = errors(found)?;
                let reporter = &mut session.reporter;
                reporter.add(&application.documents(), &found.diagnostics);
                reporter.omit(found.omitted);
            }
        }
    }
    Ok(adopted)
}

/// Returns whether an outputs document is bound, even one that is not published.
fn binds_outputs(rendered: &Rendered) -> bool {
    let request = &rendered.application.request;
    let mut known = request.inputs.known_names.iter();
    !request.inputs.documents.is_empty() || known.any(|name| name.bound_by.is_none())
}

/// Returns the files of an application that would be written, with what was found in each.
fn files(adopted: &Adopted) -> Vec<AdoptedFile<'_>> {
    let application = &adopted.rendered.application;
    let sources = std::iter::zip(&application.files, &application.display_paths);
    let contents = std::iter::zip(&adopted.contents, &application.targets);
    let all = std::iter::zip(sources, contents).enumerate();
    all.filter(|(_, (_, (_, target)))| target.is_some())
        .map(|(nth, ((file, path), (content, _)))| AdoptedFile {
            path,
            original: &file.content,
            content,
            values: values_of(&adopted.proposal, nth),
        })
        .collect()
}

/// Returns the values in a file. They are in the order of the files.
fn values_of(proposal: &Proposal, nth: usize) -> &[HardCodedValue] {
    let values = &proposal.values;
    let first = values.partition_point(|value| (value.file as usize) < nth);
    let next = values.partition_point(|value| value.file as usize <= nth);
    values.get(first..next).unwrap_or_default()
}

/// Writes all changed files in place, or none.
fn write(adopted: &[Adopted]) -> Result<(), Vec<Problem>> {
    let problem = |path: &Path, error| vec![Problem::output(path, &error)];
    let mut output = InPlace::new().map_err(|error| problem(Path::new("."), error))?;
    let mut problems = Vec::new();
    let mut seen = BTreeSet::new();
    for one in adopted {
        let application = &one.rendered.application;
        let paths = std::iter::zip(&application.real_paths, &application.display_paths);
        let sources = std::iter::zip(&application.files, &application.targets);
        let all = std::iter::zip(std::iter::zip(paths, sources), &one.contents);
        for (((real_path, path), (file, target)), content) in all {
            if target.is_none() || !seen.insert((real_path, path)) {
                continue;
            }
            let written = Spliced::new(&file.content, content)
                .map_err(|BrokenEdits| io::ErrorKind::InvalidData.into())
                .and_then(|edited| output.write(real_path, &file.content, edited));
            if let Err(error) = written {
                problems.extend(problem(Path::new(path), error));
            }
        }
    }
    if problems.is_empty() {
        output
            .publish()
            .map_err(|(path, error)| problem(&path, error))
    } else {
        Err(problems)
    }
}
