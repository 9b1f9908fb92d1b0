//! Renders the groups of a job twice, with old and with new outputs.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use landfall_sandbox::types::{
    Configuration, Counts, Diagnostic, Findings, Label, Origin, OutputsDocument, Severity, Topic,
};

use crate::engine::{Answer, Engine, Halted, Plugin, errors};
use crate::files::{Budget, FileId};
use crate::reporter::Reporter;
use crate::settings::BoundFile;

use super::flag_inputs::{FlagInputs, after_apply};
use super::load::load;
use super::problem::Problem;

use super::render::{Call, is_about_unwritten_file, report_flag_inputs, report_loaded};
use super::sensitive_marks::{OnlyHere, SensitiveMarks};
use super::{Application, ApplicationFolder, Group, Job};

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
    pub(crate) sensitive: SensitiveMarks,
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
    let ControlFlow::Continue(is_ready) = report_flag_inputs(problems, reporter) else {
        return Ok(None);
    };
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
        let call = Call {
            job,
            group,
            built_by: None,
            contracts: &[],
        };
        let of_binding = std::mem::take(&mut application.request.inputs.documents);
        let mut render = |documents: &[OutputsDocument]| {
            let outputs = &mut application.request.inputs.documents;
            *outputs = of_binding.iter().chain(documents).cloned().collect();
            let result = match call.generate(&mut plugin, &sources, &mut application)? {
                Ok(mut answer) => {
                    answer.check(&application.files)?;
                    answer
                        .findings
                        .diagnostics
                        .retain(|found| !is_about_unwritten_file(found, &application));
                    Ok(answer)
                }
                Err(found) => Err(errors(found)?),
            };
            let outputs = std::mem::take(&mut application.request.inputs.documents);
            Ok::<_, Halted>(Side {
                outputs,
                result,
                sensitive: SensitiveMarks::UNKNOWN,
            })
        };
        let mut old = render(&flag_inputs.outputs)?;
        let mut new = render(&new_documents)?;
        let of_old = old.unusable();
        let mut of_new = new.unusable();
        // A document that both sides have, such as a plan, is reported once.
        of_new.retain(|found| {
            !of_old.iter().any(|known| {
                (new.place(found), &found.message) == (old.place(known), &known.message)
            })
        });
        reporter.add(&application.documents_with(&old.outputs), &of_old);
        reporter.add(&application.documents_with(&new.outputs), &of_new);
        if of_old.is_empty() && of_new.is_empty() {
            for side in [&mut old, &mut new] {
                side.find_sensitive(&application.request.configuration, &mut plugin)?;
            }
            let known = [&old, &new].map(|side| side.diagnostics().0.to_vec());
            old.conceal(&known[1], &new.sensitive, "new");
            new.conceal(&known[0], &old.sensitive, "old");
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
        && found.topic != Some(Topic::ContractViolation)
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
    /// Returns the errors because of which an outputs document cannot be used.
    fn unusable(&self) -> Vec<Diagnostic> {
        match &self.result {
            Ok(_) => Vec::new(),
            Err(found) => found
                .diagnostics
                .iter()
                .filter(is_unusable)
                .cloned()
                .collect(),
        }
    }

    /// Returns the path and the span of the outputs document that a diagnostic is about.
    fn place(&self, found: &Diagnostic) -> Option<(&str, u32, u32)> {
        let span = found.labels.first()?.span;
        let Origin::Outputs(position) = span.origin else {
            return None;
        };
        let document = self.outputs.get(position as usize)?;
        Some((&document.path, span.start, span.end))
    }

    /// Finds out which outputs are sensitive.
    ///
    /// # Errors
    /// The module was stopped.
    fn find_sensitive(
        &mut self,
        configuration: &Configuration,
        plugin: &mut Plugin,
    ) -> Result<(), Halted> {
        let (found, omitted) = self.diagnostics();
        // The module doesn't list outputs without a value, and not every error.
        let is_unreadable = |found: &Diagnostic| found.topic == Some(Topic::UnreadableOutput);
        let is_incomplete = omitted.errors > 0 || found.iter().any(is_unreadable);
        self.sensitive = SensitiveMarks::of(&self.outputs, is_incomplete, configuration, plugin)?;
        Ok(())
    }

    /// Conceals the text of diagnostics that may contain the value of an output that is
    /// sensitive only on the other side: all but those that are `known` from there.
    fn conceal(&mut self, known: &[Diagnostic], other: &SensitiveMarks, other_name: &str) {
        let may_contain = match other.only_here(&self.sensitive) {
            OnlyHere::None => return,
            OnlyHere::Output(output) => {
                format!("the value of `{output}`, which is sensitive in the {other_name} outputs")
            }
            OnlyHere::Unknown => {
                format!("a value that is sensitive in the {other_name} outputs")
            }
        };
        let diagnostics = match &mut self.result {
            Ok(answer) => &mut answer.findings.diagnostics,
            Err(found) => &mut found.diagnostics,
        };
        for found in diagnostics {
            if !known.iter().any(|known| has_same_text(known, found)) {
                *found = concealed(found, &may_contain);
            }
        }
    }

    fn diagnostics(&self) -> (&[Diagnostic], Counts) {
        match &self.result {
            Ok(answer) => (&answer.findings.diagnostics, answer.findings.omitted),
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

/// Returns whether both diagnostics have the same text.
fn has_same_text(one: &Diagnostic, other: &Diagnostic) -> bool {
    let labels = |found: &Diagnostic| -> Vec<_> {
        let labels = found.labels.iter();
        labels.map(|label| label.message.clone()).collect()
    };
    is_same(one, other)
        && labels(one) == labels(other)
        && (&one.help, &one.fixes, &one.resource, &one.field)
            == (&other.help, &other.fixes, &other.resource, &other.field)
}

/// Returns a diagnostic with the rule and the locations of another one.
fn concealed(found: &Diagnostic, may_contain: &str) -> Diagnostic {
    let label = |label: &Label| Label {
        message: String::new(),
        conceal: label.conceal || !matches!(label.span.origin, Origin::Manifest(_)),
        ..label.clone()
    };
    Diagnostic {
        message: format!("the message is not shown, because it may contain {may_contain}"),
        labels: found.labels.iter().map(label).collect(),
        help: Some("to see it, use `landfall check` with only these outputs".to_owned()),
        fixes: Vec::new(),
        resource: None,
        field: None,
        ..found.clone()
    }
}
