//! Binds values to the analysis of one source with all of its files.

use crate::analysis::source::{Finding, SourceScope};
use crate::analysis::targets::{Steps, UnmatchedPaths};
use crate::bind::OrdinaryTexts;
use crate::bind::document::{Budget, Context, render};
use crate::config::policy::Policy;
use crate::functions::Evaluation;
use crate::kubernetes::CustomKinds;
use crate::outputs::Bindings;
use crate::report::{Diagnostics, Substitution};
use crate::steps::{self, RenderStep};
use yaml::{Edit, Span};

/// What a render depends on besides the analysis.
pub(crate) struct Values<'c> {
    pub(crate) bindings: &'c Bindings,
    pub(crate) policy: &'c Policy,
    pub(crate) evaluation: Evaluation,
    pub(crate) wants_substitutions: bool,
    /// The position of a file that another tool may have written, without the author's
    /// quotes.
    pub(crate) piped: Option<usize>,
}

/// A render in progress, one finding at a time.
pub(crate) struct SourceBinder<'c> {
    scope: &'c SourceScope,
    values: Values<'c>,
    /// `None` if substitutions are reported, each with its field.
    ordinary: Option<OrdinaryTexts<'c>>,
    custom: CustomKinds<'c>,
    budget: Budget,
    unmatched_paths: UnmatchedPaths,
    /// The cost of documents that are analysed again once their values are known.
    steps: Steps,
    listed_steps: Steps,
    pub(crate) diagnostics: Diagnostics,
    pub(crate) substitutions: Vec<Substitution>,
    /// How many bytes the edits of the file have inserted so far.
    inserted: usize,
    /// How many bytes they have removed.
    removed: usize,
    /// The first sensitive reference inside a node with an anchor, with its file.
    pub(crate) anchored: Option<(usize, Span)>,
}

impl<'c> SourceBinder<'c> {
    /// `answer_limit` is the number of bytes that all edits together may write.
    pub(crate) fn new(
        scope: &'c SourceScope,
        values: Values<'c>,
        custom: CustomKinds<'c>,
        answer_limit: u64,
    ) -> Self {
        Self {
            scope,
            ordinary: (!values.wants_substitutions).then(|| OrdinaryTexts::new(values.bindings)),
            values,
            custom,
            budget: Budget::new(answer_limit),
            unmatched_paths: UnmatchedPaths::default(),
            steps: Steps::default(),
            listed_steps: Steps::default(),
            diagnostics: Diagnostics::default(),
            substitutions: Vec::new(),
            inserted: 0,
            removed: 0,
            anchored: None,
        }
    }

    /// Binds one finding of the file at `position`, whose edits so far are `edits`.
    pub(crate) fn bind(&mut self, position: usize, finding: &Finding<'_>, edits: &mut Vec<Edit>) {
        let _step = steps::enter(RenderStep::Bind);
        if edits.is_empty() {
            (self.inserted, self.removed) = (0, 0);
        }
        let analysis = match finding {
            Finding::Diagnostic(diagnostic) => return self.diagnostics.push(diagnostic.clone()),
            Finding::Edit(edit) => {
                self.count_edits(std::slice::from_ref(edit));
                return edits.push(edit.clone());
            }
            Finding::Document(analysis) => analysis,
        };
        let context = Context {
            scope: self.scope.of_documents(&self.steps, &self.listed_steps),
            bindings: self.values.bindings,
            ordinary: self.ordinary.as_ref(),
            policy: self.values.policy,
            custom: &self.custom,
            unmatched_paths: &self.unmatched_paths,
            evaluation: self.values.evaluation,
            file: position,
            wants_substitutions: self.values.wants_substitutions,
            quotes_lost: self.values.piped == Some(position),
            budget: &self.budget,
        };
        let mut rendered = render(analysis, &context);
        for substitution in &mut rendered.substitutions {
            substitution.shift_result(self.inserted, self.removed);
        }
        self.count_edits(&rendered.edits);
        edits.append(&mut rendered.edits);
        rendered
            .diagnostics
            .sort_by_key(|diagnostic| diagnostic.labels.first().map(|label| label.span));
        self.diagnostics.append(rendered.diagnostics);
        let anchored = rendered.anchored.map(|span| (position, span));
        self.anchored = self.anchored.or(anchored);
        // References, setter comments and field bindings are written one kind after the
        // other.
        rendered
            .substitutions
            .sort_by_key(|substitution| substitution.start);
        self.substitutions.append(&mut rendered.substitutions);
    }

    fn count_edits(&mut self, edits: &[Edit]) {
        for edit in edits {
            self.inserted += edit.text.len();
            self.removed += edit.span.range().len();
        }
    }

    /// Returns the problems with the targets of field bindings.
    pub(crate) fn unmatched(&self, too_many_steps: bool) -> Diagnostics {
        let exceeded = too_many_steps || self.steps.exceeded();
        (self.scope.field_bindings).unmatched(&self.unmatched_paths, exceeded)
    }

    /// Returns how many bytes of the limit on the answer are used.
    pub(crate) fn written(&self) -> u64 {
        self.budget.written()
    }

    /// Returns the kinds that have become known.
    pub(crate) fn into_kinds(self) -> CustomKinds<'c> {
        self.custom
    }
}
