//! Draws diagnostics as text in the style of rustc. Colours and terminals are handled
//! here, not in the module.

mod document;
mod excerpt;
mod finding;
mod place;
mod position;

pub(crate) use document::{Document, Documents, Located, OwnedDocuments};
pub(crate) use place::Place;
pub(crate) use position::Positions;

use std::fmt::Write as _;

use annotate_snippets::{Group, Level, Renderer};
use landfall_sandbox::types::Diagnostic;

use crate::sanitize;

/// Text for standard error. The caller decides what to add.
pub(crate) struct Drawing {
    renderer: Renderer,
    text: String,
}

impl Drawing {
    pub(crate) const fn new(color: bool) -> Self {
        let renderer = if color {
            Renderer::styled()
        } else {
            Renderer::plain()
        };
        Self {
            renderer,
            text: String::new(),
        }
    }

    /// Adds a diagnostic with excerpts of its documents.
    pub(crate) fn diagnostic(&mut self, documents: &Located<'_>, diagnostic: &Diagnostic) {
        finding::draw(&self.renderer, documents, diagnostic, &mut self.text);
    }

    pub(crate) fn blank_line(&mut self) {
        self.text.push('\n');
    }

    /// Adds all of another drawing.
    pub(crate) fn append(&mut self, other: &Self) {
        self.text.push_str(&other.text);
    }

    /// Adds a line.
    pub(crate) fn line(&mut self, level: &Level<'_>, text: &str) {
        let title = level.clone().primary_title(sanitize::line(text));
        let line = self.renderer.render(&[Group::with_title(title)]);
        let _ = writeln!(self.text, "{line}");
    }

    /// Adds a line and a blank line.
    pub(crate) fn paragraph(&mut self, level: &Level<'_>, text: &str) {
        self.line(level, text);
        self.blank_line();
    }

    pub(crate) fn into_text(self) -> String {
        self.text
    }
}
