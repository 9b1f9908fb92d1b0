//! From a job to its answers.

use std::collections::BTreeSet;
use std::path::{Component, Path};

use landfall_sandbox::types::{
    Answer, BuiltInCeiling, Content, Diagnostic, Findings, Origin, Severity,
};

use crate::draw::{Documents, Drawing};
use crate::engine::{Engine, Halted, errors};
use crate::files::{Budget, FileId};
use crate::splice::{BrokenEdits, Spliced};

use super::bound::Bound;
use super::load::{Loaded, load};
use super::refusal::{self, Refusal};
use super::{Application, Job, advice, elsewhere};

/// The module's rule for outputs that nothing uses.
const UNUSED_OUTPUT: &str = "unused-output";

/// An application with the module's answer, which keeps the contract.
#[derive(Debug)]
pub(crate) struct Rendered {
    pub(crate) application: Application,
    pub(crate) answer: Answer,
}

impl Rendered {
    /// # Errors
    /// The answer has edits that cannot be made, another number of files, or
    /// files with paths that lead elsewhere.
    fn new(application: Application, answer: Answer) -> Result<Self, Halted> {
        let has_all = application.files.len() == answer.sources.len();
        let stays = answer.generated.iter().all(|file| {
            !file.path.is_empty()
                && Path::new(&file.path)
                    .components()
                    .all(|part| matches!(part, Component::Normal(_)))
        });
        let rendered = Self {
            application,
            answer,
        };
        let contents = std::iter::zip(&rendered.application.files, &rendered.answer.sources);
        let mut spliced = contents.map(|(file, content)| Spliced::new(&file.content, content));
        if has_all && stays && spliced.all(|file| file.is_ok()) {
            Ok(rendered)
        } else {
            Err(Halted::BrokenAnswer)
        }
    }

    /// Every file that is written, with its path below an output folder; those
    /// without a source come last.
    pub(crate) fn files(&self) -> impl Iterator<Item = (&str, Result<Spliced<'_>, BrokenEdits>)> {
        let Application { files, targets, .. } = &self.application;
        let contents = std::iter::zip(files, &self.answer.sources);
        let sources = std::iter::zip(targets, contents).filter_map(|(target, (file, content))| {
            Some((target.as_deref()?, Spliced::new(&file.content, content)))
        });
        let generated = self
            .answer
            .generated
            .iter()
            .map(|file| (file.path.as_str(), Spliced::with_edits(&file.content, &[])));
        sources.chain(generated)
    }

    /// How many edits the files that are written hold.
    pub(crate) fn edits(&self) -> usize {
        let contents = std::iter::zip(&self.application.targets, &self.answer.sources);
        let edits = contents.map(|(target, content)| match content {
            Content::Edited(edits) if target.is_some() => edits.len(),
            _ => 0,
        });
        edits.sum()
    }
}

/// Renders all groups of `job`, and draws what is found. Whether anything may be
/// used, `drawing` knows: an error in one group is an error of all.
///
/// # Errors
/// There is no answer to be had from the module.
pub(crate) fn render_all(
    job: &Job<'_>,
    mut refusals: Vec<Refusal>,
    engine: &Engine,
    drawing: &mut Drawing,
) -> Result<Vec<Rendered>, Halted> {
    let mut budget = Budget::new(job.limits.input);
    let mut bound = Bound::read(
        job.bound,
        job.config,
        job.stdin_name,
        job.policies,
        &mut budget,
        &mut refusals,
    );
    let is_full = refusals.iter().any(Refusal::is_final);
    let refused = refusal::diagnostics(refusals);
    let is_ready = !has_errors(&refused);
    drawing.add(&Documents::default(), &refused);
    if is_full {
        return Ok(Vec::new());
    }

    let _watch = engine.watch();
    let mut written = BTreeSet::<FileId>::new();
    let mut rendered = Vec::with_capacity(job.groups.len());
    for (position, group) in job.groups.iter().enumerate() {
        let mut plugin = engine.start()?;
        let Loaded {
            mut application,
            refusals,
            findings:
                Findings {
                    diagnostics: mut found,
                    omitted,
                },
            has_known_files,
        } = load(job, group, &bound, &mut budget, &mut written, &mut plugin)?;
        let is_full = refusals.iter().any(Refusal::is_final);
        found.extend(refusal::diagnostics(refusals));
        drawing.add(&application.documents(), &found);
        drawing.omit(omitted);
        if is_full {
            break;
        }
        if !is_ready || has_errors(&found) {
            continue;
        }
        if has_known_files && application.targets.iter().all(Option::is_none) {
            continue;
        }
        let outputs = &mut application.request.outputs;
        let of_binding = outputs.len();
        if position + 1 == job.groups.len() {
            outputs.append(&mut bound.outputs);
        } else {
            outputs.extend(bound.outputs.iter().cloned());
        }
        let sources = plugin.sources(&application.files)?;
        let mut outcome = plugin.generate(&sources, &application.request)?;
        if elsewhere::is_worth_a_look(&outcome) {
            let names = elsewhere::known_names(job, group, &mut plugin)?;
            if !names.is_empty() {
                application.request.known_names.extend(names);
                outcome = plugin.generate(&sources, &application.request)?;
            }
        }
        if job.ceiling.built_in == BuiltInCeiling::None {
            advice::add(&mut outcome, &application);
        }
        match outcome {
            Ok(mut answer) => {
                if job.groups.len() > 1 {
                    // Other applications may use what flags bind for all of them.
                    answer
                        .diagnostics
                        .retain(|found| !is_note_of_shared(found, of_binding));
                }
                answer
                    .diagnostics
                    .retain(|found| !is_of_unwritten(found, &application));
                drawing.add(&application.documents(), &answer.diagnostics);
                drawing.omit(answer.omitted);
                rendered.push(Rendered::new(application, answer)?);
            }
            Err(found) => {
                let found = errors(found)?;
                drawing.add(&application.documents(), &found.diagnostics);
                drawing.omit(found.omitted);
            }
        }
    }
    Ok(rendered)
}

/// Whether this tells only that something is unused of a document that a flag
/// binds: those stand behind the first `of_binding` documents of a request.
fn is_note_of_shared(found: &Diagnostic, of_binding: usize) -> bool {
    found.rule == UNUSED_OUTPUT
        && found.severity == Severity::Note
        && found.labels.iter().all(|label| match label.span.origin {
            Origin::Outputs(position) => position as usize >= of_binding,
            _ => false,
        })
}

/// Whether this is about a file that nobody asked for.
fn is_of_unwritten(found: &Diagnostic, application: &Application) -> bool {
    let place = found.labels.first().map(|label| label.span.origin);
    match place {
        Some(Origin::Manifest(position)) if found.severity != Severity::Error => {
            let target = application.targets.get(position as usize);
            target.is_some_and(Option::is_none)
        }
        _ => false,
    }
}

fn has_errors(found: &[Diagnostic]) -> bool {
    found.iter().any(|found| found.severity == Severity::Error)
}
