//! Diagnostics for people: structured findings in, text as rustc draws it out.
//! The module knows nothing of colours or terminals; all of that is here.

mod document;
mod excerpt;
mod finding;
mod position;
mod printable;

pub(crate) use document::{Document, Documents};
pub(crate) use position::Positions;
pub(crate) use printable::printable;

use std::fmt::Write as _;

use annotate_snippets::{Level, Renderer};
use landfall_sandbox::types::{Diagnostic, Severity};

use crate::report::Findings;
use crate::settings::{ReportSettings, Verbosity};

/// The rule whose notes are advice: outputs that nothing uses.
const ADVICE: &str = "unused-output";

/// How many errors are drawn unless `-v` asks for all: a wrong name in a large
/// tree breaks in a thousand places.
const SHOWN_ERRORS: usize = 50;

/// Collects what is to be told on standard error.
pub(crate) struct Drawing {
    settings: ReportSettings,
    renderer: Renderer,
    text: String,
    errors: usize,
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
        if let Some(collected) = &mut self.collected {
            let told = diagnostics
                .iter()
                .filter(is_told)
                .filter(|found| !is_quiet || found.severity == Severity::Error);
            collected.add(documents, told);
        }
        for diagnostic in diagnostics.iter().filter(is_told) {
            let is_shown = match diagnostic.severity {
                Severity::Error => {
                    self.errors += 1;
                    self.errors <= SHOWN_ERRORS || self.settings.verbosity == Verbosity::Verbose
                }
                Severity::Warning | Severity::Note => !is_quiet,
            };
            if is_shown && self.is_drawing() {
                finding::draw(&self.renderer, documents, diagnostic, &mut self.text);
            }
        }
    }

    fn is_drawing(&self) -> bool {
        self.collected.is_none() || self.settings.verbosity == Verbosity::Verbose
    }

    pub(crate) const fn has_errors(&self) -> bool {
        self.errors > 0
    }

    /// The text that `-v` adds.
    pub(crate) fn remark(&mut self, text: &str) {
        if self.settings.verbosity == Verbosity::Verbose {
            let title = Level::INFO.primary_title(printable(text));
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
        let title = Level::ERROR.primary_title(printable(why));
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
        if self.errors > 0 && self.is_drawing() {
            let count = match self.errors {
                1 => "1 error".to_owned(),
                errors
                    if errors > SHOWN_ERRORS && self.settings.verbosity != Verbosity::Verbose =>
                {
                    format!(
                        "{errors} errors, of which the first {SHOWN_ERRORS} are shown (-v shows all)"
                    )
                }
                errors => format!("{errors} errors"),
            };
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

#[cfg(test)]
mod tests;
