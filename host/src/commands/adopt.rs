//! `landfall adopt`: replaces hard-coded values that equal outputs by references.

use std::collections::BTreeMap;

use landfall_sandbox::types::{Content, Detail, HardCodedValue, Proposal};

use crate::application::RenderedSources;
use crate::engine::{Engine, Halted};
use crate::exit::Exit;
use crate::loading::no_outputs;
use crate::rendered::{Rendered, SourceFile};
use crate::report::{AdoptedFile, Adoption};
use crate::reporter::Failed;
use crate::sanitize;
use crate::settings::{AdoptFormat, Inputs};
use crate::splice::BrokenEdits;

use super::inputs;
use super::session::Session;
use super::write::{Changed, NOTHING_WRITTEN, in_place, is_first};

/// The outcome of a run with errors.
const NOTHING_ADOPTED: &str = "nothing was adopted";

/// An application with the proposal for its files.
struct Adopted {
    rendered: Rendered,
    /// One for each file.
    contents: Vec<Content>,
    proposal: Proposal,
}

impl Adopted {
    /// Returns the files that would be written, with their positions.
    fn files(&self) -> impl Iterator<Item = (usize, SourceFile<'_>)> {
        let all = self.rendered.application.edited(&self.contents);
        all.enumerate()
            .filter(|(_, file)| file.source.target.is_some())
    }
}

pub(super) fn run(
    mut session: Session,
    inputs: &Inputs,
    format: AdoptFormat,
    writes: bool,
) -> Exit {
    // The values of sensitive outputs may be in any line.
    session.reporter.conceal_manifests();
    let adopted = match adopt(&mut session, inputs) {
        Err(failed) => return session.end(&failed, NOTHING_ADOPTED),
        Ok(adopted) => adopted,
    };
    let mut seen = BTreeMap::new();
    let files = adopted.iter().flat_map(|one| {
        let files: Vec<_> = (one.files())
            .filter(|(_, file)| is_first(&mut seen, file.source.real_path.as_deref(), file.content))
            .collect();
        files.into_iter().map(|(nth, file)| AdoptedFile {
            path: &file.source.display_path,
            original: file.original,
            content: file.content,
            values: values_of(&one.proposal, nth),
        })
    });
    let report = match Adoption::of(&files.collect::<Vec<_>>(), writes) {
        Ok(report) => report,
        Err(BrokenEdits) => return session.halt(&Halted::BrokenAnswer, NOTHING_ADOPTED),
    };
    if writes {
        let files = adopted.iter().flat_map(Adopted::files);
        if let Err(problems) = in_place(files.map(|(_, file)| Changed::of(file))) {
            return session.refuse(problems, NOTHING_WRITTEN);
        }
    }
    let text = match format {
        AdoptFormat::Json => report.to_json(),
        AdoptFormat::Text => sanitize::without_ci_commands(&report.to_text()).into_owned(),
    };
    session.write_text(Exit::Done, &text)
}

/// Renders the inputs, and finds what can be replaced in them.
fn adopt(session: &mut Session, inputs: &Inputs) -> Result<Vec<Adopted>, Failed> {
    let (detail, destination) = (Detail::Diagnostics, inputs::in_place(inputs));
    let all = inputs::render_sources(session, inputs, detail, destination)?;
    if !all.is_empty() && !all.iter().any(|one| binds_outputs(&one.rendered)) {
        let lacks_binding = false;
        return Err(session.reporter.refuse(no_outputs(lacks_binding)).into());
    }
    let engine = Engine::embedded(session.limits)?;
    let _watch = engine.watch();
    let mut adopted = Vec::with_capacity(all.len());
    for RenderedSources { rendered, built_by } in all {
        let application = &rendered.application;
        let files = application.files();
        let sources = built_by.as_ref().map_or(files, |it| it.sources(files));
        let mut plugin = engine.start()?;
        match plugin.adopt(sources, &application.request)? {
            Ok(mut proposal) if proposal.edits.len() == sources.len() => {
                if let Some(built_by) = &built_by {
                    built_by.adopt(application, &mut proposal)?;
                }
                let edits = std::mem::take(&mut proposal.edits);
                let contents = edits.into_iter().map(Content::Edited).collect();
                adopted.push(Adopted {
                    contents,
                    proposal,
                    rendered,
                });
            }
            Ok(_) => return Err(Halted::BrokenAnswer.into()),
            Err(mut found) => {
                if let Some(built_by) = &built_by {
                    built_by.relocate(&mut found.diagnostics);
                }
                session.reporter.fail(&application.documents(), found)?;
            }
        }
    }
    session.reporter.check()?;
    Ok(adopted)
}

/// Returns whether an outputs document is bound, even one that is not published.
fn binds_outputs(rendered: &Rendered) -> bool {
    let request = &rendered.application.request;
    let mut known = request.inputs.known_names.iter();
    !request.inputs.documents.is_empty() || known.any(|name| name.bound_by.is_none())
}

/// Returns the values in a file. They are in the order of the files.
fn values_of(proposal: &Proposal, nth: usize) -> &[HardCodedValue] {
    let values = &proposal.values;
    let first = values.partition_point(|value| (value.file as usize) < nth);
    let next = values.partition_point(|value| value.file as usize <= nth);
    values.get(first..next).unwrap_or_default()
}
