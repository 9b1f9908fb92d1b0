//! Renders the groups of a job twice, with old and with new outputs.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use landfall_sandbox::types::{
    Answer, Counts, Diagnostic, Findings, Origin, OutputsDocument, Severity,
};

use crate::draw::Documents;
use crate::engine::{Engine, Halted, errors};
use crate::files::{Budget, FileId};
use crate::reporter::Reporter;
use crate::settings::BoundFile;

use super::flag_inputs::{FlagInputs, after_apply};
use super::load::load;
use super::problem::{self, Problem};
use super::render::{check, generate, has_errors, is_about_unwritten_file, report_loaded};
use super::{Application, ApplicationFolder, Group, Job};

/// The module's rule for outputs that violate a contract.
const CONTRACT_VIOLATION: &str = "contract-violation";

/// An application with the module's results for the old and the new outputs.
#[derive(Debug)]
pub(crate) struct RenderedTwice {
    /// Its request has the outputs documents of neither side.
    pub(crate) application: Application,
    /// The path of the folder in diagnostics. None for files that belong to no application.
    pub(crate) folder: Option<String>,
    pub(crate) old: Side,
    pub(crate) new: Side,
}

/// The module's result for the outputs of one side. An answer was checked against the
/// contract; findings have an error among them.
#[derive(Debug)]
pub(crate) struct Side {
    pub(crate) outputs: Vec<OutputsDocument>,
    pub(crate) result: Result<Answer, Findings>,
}

/// Renders all groups of `job` with its own outputs, and with the documents of `to` instead
/// of those that its flags bind to the same names; of a plan, with the outputs before and
/// after the apply. Adds to `reporter` what prevents the
/// comparison; otherwise the errors with the new outputs, and the warnings and notes that
/// there were not with the old outputs.
///
/// Returns None if the comparison is impossible: a file or a Binding has errors, or an
/// outputs document cannot be used.
///
/// # Errors
/// The module was stopped, or an answer is invalid.
pub(crate) fn render_twice(
    job: &Job<'_>,
    to: &[BoundFile],
    mut problems: Vec<Problem>,
    engine: &Engine,
    reporter: &mut Reporter,
) -> Result<Option<Vec<RenderedTwice>>, Halted> {
    let mut budget = Budget::new(job.limits.input);
    let mut read = |files: &[BoundFile], config| {
        let (stdin, policies) = (job.stdin_name, job.policies);
        FlagInputs::read(files, config, stdin, policies, &mut budget, &mut problems)
    };
    let mut flag_inputs = read(job.bound_files, job.config);
    let new_inputs = read(to, None);
    let new_documents = flag_inputs.take(new_inputs);
    let is_full = problems.iter().any(Problem::stops_reading);
    let found = problem::diagnostics(problems);
    let is_ready = !has_errors(&found);
    reporter.add(&Documents::default(), &found);
    if is_full {
        return Ok(None);
    }
    let on_both_sides = flag_inputs.outputs.iter();
    let on_both_sides = on_both_sides.filter(|document| !binds(to, &document.name));
    let new_documents: Vec<_> = on_both_sides
        .map(after_apply)
        .chain(new_documents)
        .collect();

    let _watch = engine.watch();
    let mut written = BTreeSet::<FileId>::new();
    let mut rendered = Vec::with_capacity(job.groups.len());
    for group in &job.groups {
        let mut plugin = engine.start()?;
        let inputs = &flag_inputs;
        let loaded = load(job, group, inputs, &mut budget, &mut written, &mut plugin)?;
        let mut application = match report_loaded(loaded, reporter) {
            ControlFlow::Break(()) => break,
            ControlFlow::Continue(Some(application)) if is_ready => application,
            ControlFlow::Continue(_) => continue,
        };
        let sources = plugin.sources(&application.files)?;
        let of_binding = std::mem::take(&mut application.request.outputs);
        let mut render = |documents: &[OutputsDocument]| {
            let outputs = &mut application.request.outputs;
            *outputs = of_binding.iter().chain(documents).cloned().collect();
            let result = match generate((job, group), &mut plugin, &sources, &mut application, &[])?
            {
                Ok(mut answer) => {
                    check(&application.files, &answer)?;
                    answer
                        .diagnostics
                        .retain(|found| !is_about_unwritten_file(found, &application));
                    Ok(answer)
                }
                Err(found) => Err(errors(found)?),
            };
            let outputs = std::mem::take(&mut application.request.outputs);
            Ok::<_, Halted>(Side { outputs, result })
        };
        let old = render(&flag_inputs.outputs)?;
        let new = render(&new_documents)?;
        for Side { outputs, result } in [&old, &new] {
            if let Err(Findings { diagnostics, .. }) = result {
                let unusable: Vec<_> = diagnostics.iter().filter(is_unusable).cloned().collect();
                reporter.add(&application.documents_with(outputs), &unusable);
            }
        }
        rendered.push(RenderedTwice {
            application,
            folder: match group {
                Group::Folder(ApplicationFolder { display_path, .. }) => Some(display_path.clone()),
                Group::Files(_) => None,
            },
            old,
            new,
        });
    }
    if reporter.has_errors() {
        return Ok(None);
    }
    for one in &rendered {
        report_new(one, reporter);
    }
    Ok(Some(rendered))
}

fn binds(files: &[BoundFile], name: &str) -> bool {
    files.iter().any(|bound| bound.name == name)
}

/// Returns whether an error says that an outputs document cannot be used, whatever the
/// manifests contain.
fn is_unusable(found: &&Diagnostic) -> bool {
    let origin = found.labels.first().map(|label| label.span.origin);
    found.severity == Severity::Error
        && found.rule != CONTRACT_VIOLATION
        && matches!(origin, Some(Origin::Outputs(_)))
}

/// Adds the errors of the new side, and the other diagnostics that only the new side has.
fn report_new(rendered: &RenderedTwice, reporter: &mut Reporter) {
    let RenderedTwice {
        application,
        old,
        new,
        ..
    } = rendered;
    let (known, known_omitted) = old.diagnostics();
    let (found, omitted) = new.diagnostics();
    let found: Vec<_> = found
        .iter()
        .filter(|found| {
            found.severity == Severity::Error || !known.iter().any(|known| is_same(known, found))
        })
        .cloned()
        .collect();
    reporter.add(&application.documents_with(&new.outputs), &found);
    reporter.omit(Counts {
        errors: omitted.errors,
        warnings: omitted.warnings.saturating_sub(known_omitted.warnings),
        notes: omitted.notes.saturating_sub(known_omitted.notes),
    });
}

impl Side {
    fn diagnostics(&self) -> (&[Diagnostic], Counts) {
        match &self.result {
            Ok(answer) => (&answer.diagnostics, answer.omitted),
            Err(found) => (&found.diagnostics, found.omitted),
        }
    }
}

/// Returns whether both sides have the same diagnostic. Spans in outputs documents differ
/// between the sides.
fn is_same(one: &Diagnostic, other: &Diagnostic) -> bool {
    let span = |found: &Diagnostic| {
        let span = found.labels.first().map(|label| label.span);
        span.filter(|span| !matches!(span.origin, Origin::Outputs(_)))
    };
    (&one.rule, one.severity, &one.message) == (&other.rule, other.severity, &other.message)
        && span(one) == span(other)
}
