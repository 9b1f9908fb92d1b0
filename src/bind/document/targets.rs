//! Reports field paths that match nothing, with the fields of a document.

use crate::analysis::document::{DocumentAnalysis, InnerTarget};
use crate::analysis::targets::{Members, PathId};
use crate::bind::document::{Rendered, Renderer};
use crate::kubernetes::resources::Resources;
use crate::report::Diagnostic;
use yaml::{Span, Tree};

/// What became of one path in one resource, or in one embedded document.
#[derive(Debug)]
pub(crate) struct PathOutcome {
    id: PathId,
    /// Whether it matched.
    matched: bool,
    /// Where it ended without a match.
    failure: Option<PathFailure>,
}

/// A path that ended without a match.
#[derive(Debug)]
struct PathFailure {
    /// `None` if it would not be shown.
    diagnostic: Option<Diagnostic>,
    /// Whether it is an error even if the path matches elsewhere.
    is_unfit: bool,
}

impl PathOutcome {
    /// Returns the diagnostic that is reported if the path matches nowhere else.
    pub(crate) fn diagnostic(&mut self) -> Option<&mut Diagnostic> {
        self.failure.as_mut()?.diagnostic.as_mut()
    }

    const fn new(id: PathId) -> Self {
        Self {
            id,
            matched: false,
            failure: None,
        }
    }

    /// Adds where the path ended. An end that is an error in any case takes precedence.
    fn record_failure(&mut self, failure: PathFailure) {
        let known = self.failure.as_ref();
        if known.is_none_or(|known| failure.is_unfit && !known.is_unfit) {
            self.failure = Some(failure);
        }
    }
}

impl Renderer<'_, '_> {
    /// Adds where the field paths of a document ended in its analysis.
    pub(crate) fn add_path_outcomes(
        &mut self,
        analysis: &DocumentAnalysis<'_>,
        located: Option<(&Tree, &Resources<'_>)>,
    ) {
        if analysis.followed_paths.is_empty() {
            return;
        }
        let members = located.map(|(tree, resources)| (Members::new(tree), resources));
        for path in &analysis.followed_paths {
            let mut outcome = PathOutcome::new(path.id);
            outcome.matched = path.matched;
            if let (Some(unmatched), Some((members, resources))) = (path.unmatched, &members) {
                let (end, is_unfit) = (unmatched.end(), unmatched.is_unfit());
                let is_reported = is_unfit || !outcome.matched;
                let shown = is_reported && self.context.unmatched_paths.needs_diagnostic(path.id);
                outcome.record_failure(PathFailure {
                    diagnostic: shown.then(|| self.not_found(path.id, end, members, resources)),
                    is_unfit,
                });
            }
            self.path_outcomes.push(outcome);
        }
        for end in &analysis.text_ends {
            let id = self.path_outcomes[end.followed].id;
            let failure = self.failure_in_text(id, &end.message, end.span, end.help);
            self.path_outcomes[end.followed].record_failure(failure);
        }
    }

    fn failure_in_text(&self, id: PathId, message: &str, span: Span, help: &str) -> PathFailure {
        let (_, _, path) = self.context.scope.field_bindings.path(id);
        let shown = self.context.unmatched_paths.needs_diagnostic(id);
        PathFailure {
            diagnostic: shown.then(|| self.not_found_in_text(path, message, span, help)),
            is_unfit: true,
        }
    }

    /// Adds the results of paths that continue in a document embedded in a scalar.
    pub(crate) fn merge_inner_outcomes(
        &mut self,
        targets: &[InnerTarget],
        outcomes: Vec<PathOutcome>,
    ) {
        for (inner, outcome) in targets.iter().zip(outcomes) {
            let outer = &mut self.path_outcomes[inner.outer];
            outer.matched |= outcome.matched;
            if let Some(failure) = outcome.failure {
                outer.record_failure(failure);
            }
        }
    }

    /// Returns the result for this document. Where paths ended is passed on to the
    /// containing text, or added for the whole render.
    pub(crate) fn finish(mut self) -> Rendered {
        if self.source.container.is_some() {
            self.rendered.path_outcomes = self.path_outcomes;
            return self.rendered;
        }
        for outcome in self.path_outcomes {
            let is_reported = |failure: &PathFailure| failure.is_unfit || !outcome.matched;
            if let Some(failure) = outcome.failure.filter(is_reported) {
                let unmatched_paths = &self.context.unmatched_paths;
                unmatched_paths.add(outcome.id, failure.diagnostic);
            }
        }
        self.rendered
    }
}
