//! One source, all of its files: outputs folded over its analysis.

use crate::analysis::source::{Finding, SourceScope};
use crate::analysis::targets::{Missing, Steps};
use crate::bind::document::{Budget, Context, render};
use crate::config::policy::Policy;
use crate::functions::Evaluation;
use crate::kubernetes::CustomKinds;
use crate::outputs::Bindings;
use crate::report::{Diagnostics, Substitution};
use yaml::{Edit, Span};

/// What a render depends on beside the analysis.
pub(crate) struct Values<'c> {
    pub(crate) bindings: &'c Bindings,
    pub(crate) policy: &'c Policy,
    pub(crate) evaluation: Evaluation,
    pub(crate) wants_substitutions: bool,
}

/// A render under way, finding after finding.
pub(crate) struct SourceBinder<'c> {
    scope: &'c SourceScope,
    values: Values<'c>,
    custom: CustomKinds<'c>,
    budget: Budget,
    missing: Missing,
    /// What documents cost that are analysed once their values are known.
    steps: Steps,
    listed_steps: Steps,
    pub(crate) diagnostics: Diagnostics,
    pub(crate) substitutions: Vec<Substitution>,
    /// How many bytes of the file are written and gone so far.
    changed: (usize, usize),
    /// The first sensitive reference in what an anchor names, with its file.
    pub(crate) anchored: Option<(usize, Span)>,
}

impl<'c> SourceBinder<'c> {
    /// `answer_limit`: the bytes that all edits together may write.
    pub(crate) fn new(
        scope: &'c SourceScope,
        values: Values<'c>,
        custom: CustomKinds<'c>,
        answer_limit: u64,
    ) -> Self {
        Self {
            scope,
            values,
            custom,
            budget: Budget::new(answer_limit),
            missing: Missing::default(),
            steps: Steps::default(),
            listed_steps: Steps::default(),
            diagnostics: Diagnostics::default(),
            substitutions: Vec::new(),
            changed: (0, 0),
            anchored: None,
        }
    }

    /// Binds one finding of the file at `position`, whose edits so far are `edits`.
    pub(crate) fn bind(&mut self, position: usize, finding: &Finding<'_>, edits: &mut Vec<Edit>) {
        if edits.is_empty() {
            self.changed = (0, 0);
        }
        let analysis = match finding {
            Finding::Diagnostic(diagnostic) => return self.diagnostics.push(diagnostic.clone()),
            Finding::Edit(edit) => {
                self.count(std::slice::from_ref(edit));
                return edits.push(edit.clone());
            }
            Finding::Document(analysis) => analysis,
        };
        let context = Context {
            scope: self.scope.of_documents(&self.steps, &self.listed_steps),
            bindings: self.values.bindings,
            policy: self.values.policy,
            custom: &self.custom,
            missing: &self.missing,
            evaluation: self.values.evaluation,
            file: position,
            wants_substitutions: self.values.wants_substitutions,
            budget: &self.budget,
        };
        let mut rendered = render(analysis, &context);
        let (grown, gone) = self.changed;
        for substitution in &mut rendered.substitutions {
            substitution.shift_result(grown, gone);
        }
        self.count(&rendered.edits);
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

    fn count(&mut self, edits: &[Edit]) {
        for edit in edits {
            self.changed.0 += edit.text.len();
            self.changed.1 += edit.span.range().len();
        }
    }

    /// Returns what is wrong with the targets of field bindings.
    pub(crate) fn unmatched(&self, too_many_steps: bool) -> Diagnostics {
        let exceeded = too_many_steps || self.steps.exceeded();
        (self.scope.field_bindings).unmatched(&self.missing, exceeded)
    }

    /// Returns the kinds that have become known.
    pub(crate) fn into_kinds(self) -> CustomKinds<'c> {
        self.custom
    }
}
