//! The findings of one run: filtered, counted and drawn. They determine the exit code,
//! whether they are drawn or not.

mod causes;

use annotate_snippets::Level;
use landfall_sandbox::Stopped;
use landfall_sandbox::types::{self, Counts, Diagnostic, Severity, Topic};

use crate::draw::{Documents, Drawing, Located, OwnedDocuments};
use crate::engine::{Halted, errors};
use crate::exit::Exit;
use crate::problem::Problem;
use crate::report::{Findings, setting};
use crate::settings::{ReportSettings, Verbosity};

use causes::Causes;

/// The maximum number of errors to draw without `-v`. One wrong name in a large tree
/// causes a thousand errors.
const MAX_SHOWN_ERRORS: u64 = 50;

/// The findings of one run under its report settings. They determine the exit code, and
/// are drawn for standard error or collected for a report.
pub(crate) struct Reporter {
    settings: ReportSettings,
    drawing: Drawing,
    errors: u64,
    /// The number of findings that the module did not return.
    omitted: Counts,
    /// Findings for a report in another format.
    collected: Option<Findings>,
    /// Findings to draw by their cause.
    causes: Option<Causes>,
    /// Diagnostics that another reporter adds.
    recorded: Option<Vec<Recorded>>,
    conceals_manifests: bool,
}

/// Diagnostics with the documents that they are about.
#[derive(Debug)]
pub(crate) struct Recorded {
    pub(crate) documents: OwnedDocuments,
    pub(crate) diagnostics: Vec<Diagnostic>,
}

/// The proof that an error was reported, so that the run has no result.
#[derive(Debug)]
pub(crate) struct ErrorReported(());

/// Why a run has no result.
#[derive(Debug)]
pub(crate) enum Failed {
    /// An error in the input was reported.
    Reported(ErrorReported),
    /// The module was stopped, or its answer is invalid.
    Halted(Halted),
}

impl From<ErrorReported> for Failed {
    fn from(reported: ErrorReported) -> Self {
        Self::Reported(reported)
    }
}

impl From<Halted> for Failed {
    fn from(halted: Halted) -> Self {
        Self::Halted(halted)
    }
}

impl From<Stopped> for Failed {
    fn from(stopped: Stopped) -> Self {
        Self::Halted(stopped.into())
    }
}

impl Reporter {
    pub(crate) const fn new(settings: ReportSettings) -> Self {
        Self {
            drawing: Drawing::new(settings.color),
            settings,
            errors: 0,
            omitted: Counts {
                errors: 0,
                warnings: 0,
                notes: 0,
            },
            collected: None,
            causes: None,
            recorded: None,
            conceals_manifests: false,
        }
    }

    /// Returns a reporter with the same settings that only records and counts what is added.
    pub(crate) fn recorder(&self) -> Self {
        Self {
            recorded: Some(Vec::new()),
            ..Self::new(self.settings)
        }
    }

    /// As [`Self::recorder`], but warnings are never errors.
    pub(crate) fn lenient_recorder(&self) -> Self {
        let mut recorder = self.recorder();
        recorder.settings.strict = false;
        recorder
    }

    /// Returns what a recorder has recorded, and the number of other findings.
    pub(crate) fn into_recorded(self) -> (Vec<Recorded>, Counts) {
        (self.recorded.unwrap_or_default(), self.omitted)
    }

    /// Adds what a recorder has recorded.
    pub(crate) fn add_recorded(&mut self, recorded: &[Recorded]) {
        for one in recorded {
            self.add(&one.documents.get(), &one.diagnostics);
        }
    }

    /// Shows of the lines of manifests only the locations of findings from now on.
    pub(crate) const fn conceal_manifests(&mut self) {
        self.conceals_manifests = true;
    }

    /// Groups findings by their cause from now on, after their number, for Argo CD.
    /// `application` is the folder that is rendered.
    pub(crate) fn group(&mut self, application: &str) {
        let is_complete = self.settings.verbosity == Verbosity::Verbose;
        self.causes = Some(Causes::new(application, is_complete));
    }

    /// Collects findings from now on. They are drawn as well only with `-v`.
    pub(crate) fn collect(&mut self) {
        self.collected = Some(Findings::default());
    }

    /// Returns the findings collected since [`Self::collect`] or the last call.
    pub(crate) fn take_collected(&mut self) -> Findings {
        self.collected
            .as_mut()
            .map(std::mem::take)
            .unwrap_or_default()
    }

    /// Adds outputs documents that are checked without manifests.
    pub(crate) fn add_outputs(&mut self, documents: &Documents<'_>) {
        if let Some(collected) = &mut self.collected {
            collected.add_outputs(documents);
        }
    }

    /// Adds diagnostics about `documents`, in the given order.
    pub(crate) fn add(&mut self, documents: &Documents<'_>, diagnostics: &[Diagnostic]) {
        if let Some(recorded) = &mut self.recorded
            && !diagnostics.is_empty()
        {
            recorded.push(Recorded {
                documents: OwnedDocuments::new(documents),
                diagnostics: diagnostics.to_vec(),
            });
        }
        let is_quiet = self.settings.verbosity == Verbosity::Quiet;
        let unused_notes = self.settings.unused_notes;
        let is_reported = |found: &&Diagnostic| {
            unused_notes
                || found.severity != Severity::Note
                || found.topic != Some(Topic::UnusedOutput)
        };
        let diagnostics: Vec<_> = diagnostics
            .iter()
            .filter(is_reported)
            .map(|found| {
                let mut found = setting::reported(found);
                for label in &mut found.labels {
                    let is_manifest = matches!(label.span.origin, types::Origin::Manifest(_));
                    label.conceal |= self.conceals_manifests && is_manifest;
                }
                if found.severity == Severity::Warning && self.settings.strict {
                    found.severity = Severity::Error;
                }
                found
            })
            .collect();
        if let Some(collected) = &mut self.collected {
            let reported = diagnostics
                .iter()
                .filter(|found| !is_quiet || found.severity == Severity::Error);
            collected.add(documents, reported);
        }
        let documents = Located::new(documents);
        for diagnostic in &diagnostics {
            let is_shown = match diagnostic.severity {
                Severity::Error => {
                    self.errors += 1;
                    self.causes.is_some()
                        || self.errors <= MAX_SHOWN_ERRORS
                        || self.settings.verbosity == Verbosity::Verbose
                }
                Severity::Warning | Severity::Note => !is_quiet,
            };
            if !is_shown || !self.is_drawing() {
                continue;
            }
            if let Some(causes) = &mut self.causes {
                let drawing = Drawing::new(self.settings.color);
                causes.add(&documents, diagnostic, drawing);
            } else {
                self.drawing.diagnostic(&documents, diagnostic);
                self.drawing.blank_line();
            }
        }
    }

    /// Adds findings about `documents`, and the number of those that the module did not return.
    pub(crate) fn add_findings(&mut self, documents: &Documents<'_>, found: &types::Findings) {
        self.add(documents, &found.diagnostics);
        self.omit(found.omitted);
    }

    /// Adds the findings of a call of the module that failed.
    ///
    /// # Errors
    /// There is no error among them.
    pub(crate) fn fail(
        &mut self,
        documents: &Documents<'_>,
        found: types::Findings,
    ) -> Result<ErrorReported, Halted> {
        self.add_findings(documents, &errors(found)?);
        Ok(ErrorReported(()))
    }

    /// Adds the problem because of which a run has no result.
    pub(crate) fn refuse(&mut self, problem: Problem) -> ErrorReported {
        let found = problem.severity(Severity::Error).diagnostic();
        self.add(&Documents::default(), &[found]);
        ErrorReported(())
    }

    /// Adds the number of findings that the module did not return.
    pub(crate) fn omit(&mut self, mut omitted: Counts) {
        if self.settings.strict {
            omitted.errors = omitted.errors.saturating_add(omitted.warnings);
            omitted.warnings = 0;
        }
        let Counts {
            errors,
            warnings,
            notes,
        } = &mut self.omitted;
        *errors = errors.saturating_add(omitted.errors);
        if self.settings.verbosity != Verbosity::Quiet {
            *warnings = warnings.saturating_add(omitted.warnings);
            *notes = notes.saturating_add(omitted.notes);
        }
        if let Some(collected) = &mut self.collected {
            collected.omitted = self.omitted;
        }
    }

    fn is_drawing(&self) -> bool {
        let is_verbose = self.settings.verbosity == Verbosity::Verbose;
        self.recorded.is_none() && (self.collected.is_none() || is_verbose)
    }

    /// Ends a run without a result if there are errors.
    ///
    /// # Errors
    /// There are.
    pub(crate) const fn check(&self) -> Result<(), ErrorReported> {
        if self.has_errors() {
            Err(ErrorReported(()))
        } else {
            Ok(())
        }
    }

    const fn has_errors(&self) -> bool {
        self.errors > 0 || self.omitted.errors > 0
    }

    /// Returns how a run with these findings ends.
    pub(crate) const fn exit(&self) -> Exit {
        if self.has_errors() {
            Exit::InputErrors
        } else {
            Exit::Done
        }
    }

    /// Adds a remark that is shown with `-v`.
    pub(crate) fn remark(&mut self, text: &str) {
        if self.settings.verbosity == Verbosity::Verbose {
            self.drawing.line(&Level::INFO, text);
        }
    }

    /// Adds the error that ended the run.
    pub(crate) fn halted(&mut self, why: &str) {
        self.errors += 1;
        self.drawing.paragraph(&Level::ERROR, why);
    }

    /// Returns the text. If there are errors, its last line has their number and the
    /// `outcome`, such as `nothing was rendered`.
    pub(crate) fn finish(mut self, outcome: &str) -> String {
        if let Some(causes) = self.causes.take() {
            return self.finish_grouped(causes, outcome);
        }
        if self.is_drawing() {
            let Counts {
                warnings, notes, ..
            } = self.omitted;
            self.draw_omitted(&Level::WARNING, warnings, "warning");
            self.draw_omitted(&Level::NOTE, notes, "note");
        }
        if self.has_errors() && self.is_drawing() {
            let text = with_outcome(&self.counted_errors(), outcome);
            self.drawing.line(&Level::ERROR, &text);
        }
        self.drawing.into_text()
    }

    /// Returns the text that has the number of errors in its first line.
    fn finish_grouped(mut self, causes: Causes, outcome: &str) -> String {
        let others = std::mem::replace(&mut self.drawing, Drawing::new(self.settings.color));
        let Counts {
            errors,
            warnings,
            notes,
        } = self.omitted;
        if self.has_errors() {
            let all = self.errors.saturating_add(errors);
            let plural = if all == 1 { "" } else { "s" };
            let count = format!("{all} error{plural}{}", causes.in_files());
            let text = with_outcome(&count, outcome);
            self.drawing.paragraph(&Level::ERROR, &text);
        }
        self.drawing.append(&others);
        causes.draw(&mut self.drawing);
        self.draw_omitted(&Level::ERROR, errors, "error");
        self.draw_omitted(&Level::WARNING, warnings, "warning");
        self.draw_omitted(&Level::NOTE, notes, "note");
        self.drawing.into_text()
    }

    /// Formats `64000 errors, the first 50 are shown (-v shows 1000)`.
    fn counted_errors(&self) -> String {
        let all = self.errors.saturating_add(self.omitted.errors);
        let is_verbose = self.settings.verbosity == Verbosity::Verbose;
        let shown = if is_verbose {
            self.errors
        } else {
            self.errors.min(MAX_SHOWN_ERRORS)
        };
        match (all, is_verbose) {
            (1, _) => "1 error".to_owned(),
            _ if shown == all => format!("{all} errors"),
            (_, true) => format!("{all} errors, the first {shown} are shown"),
            (_, false) => {
                let more = match self.errors {
                    errors if errors == shown => String::new(),
                    errors if errors == all => " (-v shows all)".to_owned(),
                    errors => format!(" (-v shows {errors})"),
                };
                format!("{all} errors, the first {shown} are shown{more}")
            }
        }
    }

    /// Draws `3000 more warnings are not shown`.
    fn draw_omitted(&mut self, level: &Level<'_>, count: u64, what: &str) {
        let (plural, are) = match count {
            0 => return,
            1 => ("", "is"),
            _ => ("s", "are"),
        };
        let text = format!("{count} more {what}{plural} {are} not shown");
        self.drawing.paragraph(level, &text);
    }
}

/// Formats `1 error; nothing was rendered`.
fn with_outcome(count: &str, outcome: &str) -> String {
    let separator = if outcome.is_empty() { "" } else { "; " };
    format!("{count}{separator}{outcome}")
}

#[cfg(test)]
mod tests;
