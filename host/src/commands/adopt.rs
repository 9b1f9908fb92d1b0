//! `landfall adopt`: replaces hard-coded values that equal outputs by references.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use landfall_sandbox::types::{AdoptionOutcome, Content, Detail, HardCodedValue, Proposal};

use crate::application::RenderedSources;
use crate::engine::{Engine, Halted};
use crate::exit::Exit;
use crate::loading::no_outputs;
use crate::rendered::{Rendered, SourceFile};
use crate::report::{AdoptedFile, Adoption};
use crate::reporter::Failed;
use crate::sanitize;
use crate::settings::{AdoptFormat, Inputs};
use crate::splice::{BrokenEdits, Spliced};
use crate::tools::SourcesOf;

use super::inputs;
use super::session::Session;
use super::write::{Changed, NOTHING_WRITTEN, check_readers, disagreements, in_place, shared_path};

/// The outcome of a run with errors.
const NOTHING_ADOPTED: &str = "nothing was adopted";

/// An application with the proposal for its files.
struct Adopted {
    rendered: Rendered,
    /// One for each file.
    contents: Vec<Content>,
    proposal: Proposal,
    sources: SourcesOf,
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
    let mut adopted = match adopt(&mut session, inputs) {
        Err(failed) => return session.end(&failed, NOTHING_ADOPTED),
        Ok(adopted) => adopted,
    };
    let shared = match share(&mut adopted) {
        Err(BrokenEdits) => return session.halt(&Halted::BrokenAnswer, NOTHING_ADOPTED),
        Ok(shared) => shared,
    };
    let written = adopted.iter().flat_map(Adopted::files);
    let problems = disagreements(written.map(|(_, file)| Changed::of(file)));
    if !problems.is_empty() {
        return session.refuse(problems, NOTHING_WRITTEN);
    }
    let changed = adopted.iter().map(|one| {
        let files = one.files().map(|(_, file)| Changed::of(file));
        (&one.sources, files.collect())
    });
    if let Err(failed) = check_readers(&mut session, changed, writes) {
        return session.end(&failed, NOTHING_WRITTEN);
    }
    let mut seen = BTreeSet::new();
    let files = adopted.iter().flat_map(|one| {
        let files: Vec<_> = (one.files())
            .filter(|(_, file)| seen.insert(shared_path(file.source)))
            .collect();
        files.into_iter().map(|(nth, file)| AdoptedFile {
            path: &file.source.display_path,
            original: file.original,
            content: file.content,
            applications: shared
                .get(shared_path(file.source))
                .map_or(1, |it| it.applications),
            values: match shared.get(shared_path(file.source)) {
                Some(found) if found.applications > 1 => &found.values,
                _ => values_of(&one.proposal, nth),
            },
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
    for RenderedSources {
        rendered,
        sources: sources_of,
    } in all
    {
        let built_by = sources_of.built_by.as_ref();
        let application = &rendered.application;
        let files = application.files();
        let sources = built_by.map_or(files, |it| it.sources(files));
        let mut plugin = engine.start()?;
        match plugin.adopt(sources, &application.request)? {
            Ok(mut proposal) if proposal.edits.len() == sources.len() => {
                if let Some(built_by) = built_by {
                    built_by.adopt(application, &mut proposal)?;
                }
                let edits = std::mem::take(&mut proposal.edits);
                let contents = edits.into_iter().map(Content::Edited).collect();
                adopted.push(Adopted {
                    contents,
                    proposal,
                    rendered,
                    sources: sources_of,
                });
            }
            Ok(_) => return Err(Halted::BrokenAnswer.into()),
            Err(mut found) => {
                if let Some(built_by) = built_by {
                    built_by.relocate(&mut found.diagnostics);
                }
                session.reporter.fail(&application.documents(), found)?;
            }
        }
    }
    session.reporter.check()?;
    Ok(adopted)
}

/// What the applications that read a file have found in it.
#[derive(Default)]
struct Found {
    applications: usize,
    /// The starts of the lines that contain the value of a sensitive output of any of them.
    sensitive: BTreeSet<usize>,
    /// Those of the lines that any of them conceals.
    concealed: BTreeSet<usize>,
    /// How many of them make each edit.
    edits: BTreeMap<(usize, usize, Vec<u8>), usize>,
    /// The values of all of them, if there are several.
    values: Vec<HardCodedValue>,
}

/// Withdraws what not all applications that read a file would replace by the same, and what is in a
/// line that contains the value of a sensitive output of another application. Returns what is
/// known of each file.
///
/// # Errors
/// The edits of a file are not in it.
fn share(adopted: &mut [Adopted]) -> Result<BTreeMap<PathBuf, Found>, BrokenEdits> {
    let mut all: BTreeMap<PathBuf, Found> = BTreeMap::new();
    for one in &*adopted {
        let files = one.rendered.application.each().enumerate();
        for ((nth, (source, file)), content) in files.zip(&one.contents) {
            let found = all.entry(shared_path(source).to_path_buf()).or_default();
            found.applications += 1;
            for edit in Spliced::new(&file.content, content)?.edits().iter() {
                let edit = (edit.start, edit.end, edit.text.to_vec());
                *found.edits.entry(edit).or_default() += 1;
            }
            for value in values_of(&one.proposal, nth) {
                let line = line_start(&file.content, value.start as usize);
                if value.outcome == AdoptionOutcome::Sensitive {
                    found.sensitive.insert(line);
                }
                if value.conceal {
                    found.concealed.insert(line);
                }
            }
        }
    }
    for one in adopted {
        let files = one.rendered.application.each().enumerate();
        for ((nth, (source, file)), content) in files.zip(&mut one.contents) {
            let Some(found) = all.get_mut(shared_path(source)) else {
                continue;
            };
            if found.applications == 1 {
                continue;
            }
            let is_in = |lines: &BTreeSet<usize>, start: usize, end: usize| {
                let line = line_start(&file.content, start);
                lines.range(line..end.max(line + 1)).next().is_some()
            };
            let edits = Spliced::new(&file.content, content)?.edits().iter();
            let kept = edits.filter(|edit| {
                let same = found.edits.get(&(edit.start, edit.end, edit.text.to_vec()));
                same == Some(&found.applications) && !is_in(&found.sensitive, edit.start, edit.end)
            });
            let kept = Content::Edited(kept.collect());
            *content = kept;
            for value in values_of(&one.proposal, nth) {
                let (start, end) = (value.start as usize, value.end as usize);
                let is_adopted = value.outcome == AdoptionOutcome::Adopted;
                if is_adopted && is_in(&found.sensitive, start, end) {
                    continue;
                }
                let mut value = value.clone();
                value.conceal |= is_in(&found.concealed, start, end);
                found.values.push(value);
            }
        }
    }
    for found in all.values_mut() {
        (found.values).sort_by(|a, b| (a.start, &a.outputs).cmp(&(b.start, &b.outputs)));
        found
            .values
            .dedup_by(|a, b| (a.start, &a.outputs, a.outcome) == (b.start, &b.outputs, b.outcome));
    }
    Ok(all)
}

/// Returns the start of the line of a byte.
fn line_start(content: &[u8], at: usize) -> usize {
    let before = content.get(..at).unwrap_or_default();
    memchr::memrchr(b'\n', before).map_or(0, |line_break| line_break + 1)
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
