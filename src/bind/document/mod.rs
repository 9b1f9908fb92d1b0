//! Renders one document: its references are resolved, validated against their fields, and
//! turned into edits.

mod annotations;
mod assign;
mod consumers;
mod decided;
mod embedded;
mod members;
mod mismatch;
mod not_found;
mod occurrences;
mod plain_text;
mod pointers;
mod refused;
mod results;
mod scalars;
mod sensitive;
mod source;
mod targets;
mod typed;
mod validate;
mod values;

pub(crate) use assign::{current_text, names_output};

use std::ops::Range;

use crate::analysis::document::{DocumentAnalysis, InnerTarget, Scope};
use crate::analysis::targets::UnmatchedPaths;
use crate::bind::OrdinaryTexts;
use crate::bind::document::source::RenderSource;
use crate::bind::document::targets::PathOutcome;
use crate::config::policy::Policy;
use crate::functions::Evaluation;
use crate::kubernetes::resources::Field;
use crate::kubernetes::types::CustomKinds;
use crate::outputs::Bindings;
use crate::reference::Dialect;
use crate::report::{Diagnostic, Diagnostics, Origin, Rule, Substitution};
use yaml::{Edit, Span, Written};

/// What every document of a render shares.
pub(crate) struct Context<'c> {
    /// What the analyses depend on.
    pub(crate) scope: Scope<'c>,
    pub(crate) bindings: &'c Bindings,
    /// The outputs that are ordinary text. `None`: every value is written with its field
    /// known, for the substitutions report, or because it is in a ResourceList.
    pub(crate) ordinary: Option<&'c OrdinaryTexts<'c>>,
    pub(crate) policy: &'c Policy,
    /// The kinds that the manifests themselves define.
    pub(crate) custom: &'c CustomKinds<'c>,
    /// The field paths that match nothing.
    pub(crate) unmatched_paths: &'c UnmatchedPaths,
    /// Whether sensitive values are evaluated where they are allowed. If not, no
    /// diagnostic depends on them.
    pub(crate) evaluation: Evaluation,
    /// The position of the source file.
    pub(crate) file: usize,
    pub(crate) wants_substitutions: bool,
    /// Whether another tool may have dropped the author's quotes.
    pub(crate) quotes_lost: bool,
    pub(crate) budget: &'c Budget,
}

impl Context<'_> {
    /// Returns the dialect of the manifests.
    pub(crate) fn dialect(&self) -> &'static dyn Dialect {
        self.scope.heads.dialect()
    }
}

/// The number of bytes that a render may still write. Unlike the available memory, it is
/// the same on every machine.
#[derive(Debug)]
pub(crate) struct Budget {
    limit: u64,
    left: std::cell::Cell<u64>,
}

impl Budget {
    pub(crate) const fn new(limit: u64) -> Self {
        Self {
            limit,
            left: std::cell::Cell::new(limit),
        }
    }

    /// Returns how many bytes were taken.
    pub(crate) fn written(&self) -> u64 {
        self.limit.saturating_sub(self.left.get())
    }

    fn has(&self, bytes: usize) -> bool {
        u64::try_from(bytes).is_ok_and(|bytes| bytes <= self.left.get())
    }

    fn take(&self, bytes: usize) -> bool {
        let left = self
            .left
            .get()
            .checked_sub(u64::try_from(bytes).unwrap_or(u64::MAX));
        self.left.set(left.unwrap_or(0));
        left.is_some()
    }

    fn exceeded(&self) -> Diagnostic {
        Diagnostic::error(
            Rule::AnswerTooLarge,
            format!("the substituted values exceed {} bytes", self.limit),
        )
        .help("raise the limit on the answer's size if this is intended")
    }
}

/// The result of rendering one document. Spans point into its file.
#[derive(Debug, Default)]
pub(crate) struct Rendered {
    pub(crate) edits: Vec<Edit>,
    pub(crate) diagnostics: Diagnostics,
    /// Their result spans are bytes of the rendered text.
    pub(crate) substitutions: Vec<Substitution>,
    /// Where the results of the substitutions are, before all edits are known.
    result_locations: Vec<Written>,
    /// Where scalars became lists or objects.
    pub(crate) reshaped: Vec<usize>,
    /// The first sensitive reference inside a node with an anchor.
    pub(crate) anchored: Option<Span>,
    /// The outcomes of the field paths in this document, if it is embedded.
    path_outcomes: Vec<PathOutcome>,
}

/// Renders one document of a file.
pub(crate) fn render<'c>(analysis: &'c DocumentAnalysis<'_>, context: &'c Context<'c>) -> Rendered {
    let source = RenderSource::of_file(analysis.document(), Origin::Manifest(context.file));
    let mut rendered = render_text(&source, analysis, context, &[]);
    for edit in &mut rendered.edits {
        edit.span = edit.span.shifted(analysis.offset);
    }
    for start in &mut rendered.reshaped {
        *start += analysis.offset;
    }
    for substitution in &mut rendered.substitutions {
        substitution.shift_result(analysis.offset, 0);
    }
    rendered
}

/// Renders one text. Edits, `reshaped` and results count from its start, other spans from
/// that of the file. `targets` are the field paths that continue in it.
fn render_text<'c>(
    source: &RenderSource<'_>,
    analysis: &'c DocumentAnalysis<'_>,
    context: &'c Context<'c>,
    targets: &[InnerTarget],
) -> Rendered {
    match decided::analysis(source, analysis, context, targets) {
        Some(decided) => render_analysis(source, &decided, context),
        None => render_analysis(source, analysis, context),
    }
}

fn render_analysis<'c>(
    source: &RenderSource<'_>,
    analysis: &'c DocumentAnalysis<'_>,
    context: &'c Context<'c>,
) -> Rendered {
    context
        .unmatched_paths
        .add_selected(&analysis.selected_targets);
    let mut findings = analysis.findings.iter();
    let renderer = Renderer {
        reported_unbounded: findings.any(|(_, found)| found.rule == Rule::TooManyAliases),
        ..Renderer::new(source, context)
    };
    match &analysis.located {
        Some(located) => renderer.render_document(analysis, located),
        None => renderer.render_unparsed(analysis),
    }
}

/// A render in progress. `'d` is the lifetime of the text.
struct Renderer<'d, 'c> {
    source: &'d RenderSource<'d>,
    context: &'c Context<'c>,
    rendered: Rendered,
    /// Whether [`Rule::TooManyAliases`] has been reported.
    reported_unbounded: bool,
    /// The outcomes of the field paths that are followed in this text.
    path_outcomes: Vec<PathOutcome>,
}

impl<'d, 'c> Renderer<'d, 'c> {
    fn new(source: &'d RenderSource<'d>, context: &'c Context<'c>) -> Self {
        Self {
            source,
            context,
            rendered: Rendered::default(),
            reported_unbounded: false,
            path_outcomes: Vec::new(),
        }
    }

    fn origin(&self) -> Origin {
        self.source.origin
    }

    fn span(&self, raw: &Range<usize>) -> Span {
        self.source.span(raw)
    }

    /// Adds the field to a diagnostic, and conceals its labels in a Secret.
    fn with_field(&self, diagnostic: Diagnostic, field: &Field) -> Diagnostic {
        let diagnostic = diagnostic.in_field(Some(field));
        if field.is_of_secret() || self.source.in_secret() {
            concealed(diagnostic)
        } else {
            diagnostic
        }
    }

    /// Reports the problems of a document without a tree.
    fn render_unparsed(mut self, analysis: &DocumentAnalysis<'_>) -> Rendered {
        for (_, found) in analysis.findings.iter() {
            let found = if self.source.in_secret() {
                concealed(found.clone())
            } else {
                found.clone()
            };
            self.rendered.diagnostics.push(found);
        }
        self.add_path_outcomes(analysis, None);
        self.finish()
    }

    fn report(&mut self, diagnostic: Diagnostic, field: &Field) {
        if !self.rendered.diagnostics.keeps(diagnostic.severity) {
            self.rendered.diagnostics.omit(diagnostic.severity);
            return;
        }
        let diagnostic = self.with_field(diagnostic, field);
        self.rendered.diagnostics.push(diagnostic);
    }
}

fn concealed(mut diagnostic: Diagnostic) -> Diagnostic {
    for label in &mut diagnostic.labels {
        label.conceal = true;
    }
    diagnostic
}
