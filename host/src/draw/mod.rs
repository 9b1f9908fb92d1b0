//! Diagnostics for people: structured findings in, text as rustc draws it out.
//! The module knows nothing of colours or terminals; all of that is here.

mod document;
mod excerpt;
mod finding;
mod position;

pub(crate) use document::{Document, Documents, Located};

use std::fmt::Write as _;

use annotate_snippets::{Level, Renderer};
use landfall_sandbox::types::{Counts, Diagnostic, Severity};

use crate::foreign;
use crate::report::Findings;
use crate::settings::{ReportSettings, Verbosity};

/// The rule whose notes are advice: outputs that nothing uses.
const ADVICE: &str = "unused-output";

/// How many errors are drawn unless `-v` asks for all: a wrong name in a large
/// tree breaks in a thousand places.
const SHOWN_ERRORS: u64 = 50;

/// Collects what is to be told on standard error.
pub(crate) struct Drawing {
    settings: ReportSettings,
    renderer: Renderer,
    text: String,
    errors: u64,
    /// What the module found and did not give.
    omitted: Counts,
    /// Findings that another form than this text will tell.
    collected: Option<Findings>,
}

impl Drawing {
    pub(crate) const fn new(settings: ReportSettings) -> Self {
        let renderer = if settings.color {
            Renderer::styled()
        } else {
            Renderer::plain()
        };
        Self {
            settings,
            renderer,
            text: String::new(),
            errors: 0,
            omitted: Counts {
                errors: 0,
                warnings: 0,
                notes: 0,
            },
            collected: None,
        }
    }

    /// From now on findings are kept as data; they are drawn only where `-v` asks
    /// for both.
    pub(crate) fn collect(&mut self) {
        self.collected = Some(Findings::default());
    }

    /// What was kept since [`Self::collect`] or the last call.
    pub(crate) fn take_collected(&mut self) -> Findings {
        self.collected
            .as_mut()
            .map(std::mem::take)
            .unwrap_or_default()
    }

    /// Draws findings about `documents`, in their order.
    pub(crate) fn add(&mut self, documents: &Documents<'_>, diagnostics: &[Diagnostic]) {
        let is_quiet = self.settings.verbosity == Verbosity::Quiet;
        let advice = self.settings.advice;
        let is_told = |found: &&Diagnostic| {
            advice || found.severity != Severity::Note || found.rule != ADVICE
        };
        let diagnostics: Vec<_> = diagnostics
            .iter()
            .filter(is_told)
            .map(foreign::diagnostic)
            .map(|found| match found.severity {
                Severity::Warning if self.settings.strict => Diagnostic {
                    severity: Severity::Error,
                    ..found
                },
                _ => found,
            })
            .collect();
        if let Some(collected) = &mut self.collected {
            let told = diagnostics
                .iter()
                .filter(|found| !is_quiet || found.severity == Severity::Error);
            collected.add(documents, told);
        }
        let documents = Located::new(documents);
        for diagnostic in &diagnostics {
            let is_shown = match diagnostic.severity {
                Severity::Error => {
                    self.errors += 1;
                    self.errors <= SHOWN_ERRORS || self.settings.verbosity == Verbosity::Verbose
                }
                Severity::Warning | Severity::Note => !is_quiet,
            };
            if is_shown && self.is_drawing() {
                finding::draw(&self.renderer, &documents, diagnostic, &mut self.text);
            }
        }
    }

    /// Counts what was found beside the diagnostics that were added.
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
        self.collected.is_none() || self.settings.verbosity == Verbosity::Verbose
    }

    pub(crate) const fn has_errors(&self) -> bool {
        self.errors > 0 || self.omitted.errors > 0
    }

    /// The text that `-v` adds.
    pub(crate) fn remark(&mut self, text: &str) {
        if self.settings.verbosity == Verbosity::Verbose {
            let title = Level::INFO.primary_title(foreign::line(text));
            let _ = writeln!(
                self.text,
                "{}",
                self.renderer
                    .render(&[annotate_snippets::Group::with_title(title)])
            );
        }
    }

    /// Why there is no answer at all.
    pub(crate) fn halted(&mut self, why: &str) {
        self.errors += 1;
        let title = Level::ERROR.primary_title(foreign::line(why));
        let _ = writeln!(
            self.text,
            "{}\n",
            self.renderer
                .render(&[annotate_snippets::Group::with_title(title)])
        );
    }

    /// All of it. When there are errors, the last line counts them and says what
    /// became of the work: `outcome`, such as `nothing was rendered`.
    pub(crate) fn finish(mut self, outcome: &str) -> String {
        if self.is_drawing() {
            let Counts {
                warnings, notes, ..
            } = self.omitted;
            self.draw_omitted(&Level::WARNING, warnings, "warning");
            self.draw_omitted(&Level::NOTE, notes, "note");
        }
        if self.has_errors() && self.is_drawing() {
            let count = self.counted_errors();
            let separator = if outcome.is_empty() { "" } else { "; " };
            let title = Level::ERROR.primary_title(format!("{count}{separator}{outcome}"));
            let _ = writeln!(
                self.text,
                "{}",
                self.renderer
                    .render(&[annotate_snippets::Group::with_title(title)])
            );
        }
        self.text
    }
}

impl Drawing {
    /// `64000 errors, of which the first 50 are shown (-v shows 1000)`
    fn counted_errors(&self) -> String {
        let all = self.errors.saturating_add(self.omitted.errors);
        let is_verbose = self.settings.verbosity == Verbosity::Verbose;
        let shown = match is_verbose {
            true => self.errors,
            false => self.errors.min(SHOWN_ERRORS),
        };
        match (all, is_verbose) {
            (1, _) => "1 error".to_owned(),
            _ if shown == all => format!("{all} errors"),
            (_, true) => format!("{all} errors, of which the first {shown} are shown"),
            (_, false) => {
                let more = match self.errors {
                    errors if errors == shown => String::new(),
                    errors if errors == all => " (-v shows all)".to_owned(),
                    errors => format!(" (-v shows {errors})"),
                };
                format!("{all} errors, of which the first {shown} are shown{more}")
            }
        }
    }

    /// `3000 more warnings are not shown`
    fn draw_omitted(&mut self, level: &Level<'_>, count: u64, what: &str) {
        let (plural, are) = match count {
            0 => return,
            1 => ("", "is"),
            _ => ("s", "are"),
        };
        let title = level
            .clone()
            .primary_title(format!("{count} more {what}{plural} {are} not shown"));
        let group = annotate_snippets::Group::with_title(title);
        let _ = writeln!(self.text, "{}\n", self.renderer.render(&[group]));
    }
}

#[cfg(test)]
mod tests;
