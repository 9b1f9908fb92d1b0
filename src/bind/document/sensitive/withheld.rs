//! Evaluates sensitive values where their placement accepts them. Everywhere else they
//! are refused without being evaluated.

use std::ops::Range;

use crate::analysis::document::FoundReference;
use crate::bind::document::Renderer;
use crate::bind::document::assign::{Assignment, Assignments};
use crate::bind::document::scalars::DecodedScalar;
use crate::bind::document::values::{ResolvedDocument, ResolvedReferences, Resolving};
use crate::bind::missing_policy::evaluate;
use crate::bind::secret_data::is_base64_in_data;
use crate::functions::Evaluation;
use crate::kubernetes::resources::{Identity, Occurrences, Resources};
use crate::reference::{Dialect, Site};
use yaml::Span;
use yaml::{Kind, Node, NodeId, Style, Tree};

/// References, with the text that contains them.
pub(crate) struct ReferencesInText<'a> {
    pub(crate) references: &'a [FoundReference],
    pub(crate) tree: &'a Tree,
    pub(crate) node: &'a Node,
    /// Whether they are elsewhere, and set the node.
    pub(crate) is_assigned: bool,
    /// The text that contains them.
    pub(crate) text: &'a str,
    /// The parts of the current value that stay, by reference.
    pub(crate) derived: &'a [Option<String>],
    style: Style,
    dialect: &'static dyn Dialect,
    span_of: &'a dyn Fn(&Range<usize>) -> Span,
}

impl<'a> ReferencesInText<'a> {
    pub(crate) fn of_scalar(
        tree: &'a Tree,
        decoded_scalar: &'a DecodedScalar<'_, '_>,
        dialect: &'static dyn Dialect,
        span_of: &'a dyn Fn(&Range<usize>) -> Span,
    ) -> Self {
        let node = &tree[decoded_scalar.id];
        Self {
            references: decoded_scalar.references,
            tree,
            node,
            is_assigned: false,
            text: &decoded_scalar.decoded.text,
            derived: &[],
            style: match node.kind() {
                Kind::Scalar { style, .. } => style,
                _ => Style::Plain,
            },
            dialect,
            span_of,
        }
    }

    pub(crate) fn of_assignment(
        tree: &'a Tree,
        assignment: &'a Assignment<'_>,
        dialect: &'static dyn Dialect,
        span_of: &'a dyn Fn(&Range<usize>) -> Span,
    ) -> Self {
        let id = assignment.target.node();
        Self {
            references: assignment.references,
            tree,
            node: &tree[id],
            is_assigned: true,
            text: assignment.template.text(),
            derived: &assignment.derived,
            style: Style::Plain,
            dialect,
            span_of,
        }
    }

    pub(crate) fn site(&self, found: &FoundReference) -> Site<'a> {
        Site {
            dialect: self.dialect,
            manifest: found.origin,
            span_of: self.span_of,
            style: self.style,
        }
    }
}

impl<'c> Renderer<'_, 'c> {
    /// Evaluates the sensitive values of a document, or reports why they are not allowed
    /// where they would be written. Returns `false` if they exceed the budget.
    pub(crate) fn evaluate_withheld(
        &mut self,
        tree: &Tree,
        resources: &Resources<'_>,
        identity: &Identity<'_>,
        decoded_scalars: &[DecodedScalar<'_, '_>],
        assignments: &Assignments<'c>,
        resolved: &mut ResolvedDocument<'c>,
    ) -> bool {
        let ResolvedDocument {
            scalars,
            assigned,
            resolving,
        } = resolved;
        let source = self.source;
        let dialect = self.context.dialect();
        for (decoded_scalar, values) in decoded_scalars.iter().zip(scalars) {
            if values.withheld.is_empty() {
                continue;
            }
            let span_of =
                |range: &Range<usize>| source.span(&decoded_scalar.decoded.raw_range(range));
            let in_text = ReferencesInText::of_scalar(tree, decoded_scalar, dialect, &span_of);
            let Some(occurrences) = self.occurrences(tree, resources, decoded_scalar.id, None)
            else {
                values.failed = true;
                continue;
            };
            if !self.evaluate_at(&in_text, &occurrences, identity, values, resolving) {
                return false;
            }
            values.occurrences = Some(occurrences);
            self.record_anchored(tree, decoded_scalar.id, decoded_scalar.references);
        }
        for (assignment, values) in assignments.list.iter().zip(assigned) {
            if values.withheld.is_empty() {
                continue;
            }
            let span_of = |range: &Range<usize>| assignment.span_of(source, range);
            let in_text = ReferencesInText::of_assignment(tree, assignment, dialect, &span_of);
            let Some(occurrences) = self.assigned_occurrences(tree, resources, assignment) else {
                values.failed = true;
                continue;
            };
            if !self.evaluate_at(&in_text, &occurrences, identity, values, resolving) {
                return false;
            }
            self.record_anchored(tree, assignment.target.node(), &[]);
        }
        true
    }

    /// Records that a sensitive value is inside a node of the file with an anchor.
    fn record_anchored(&mut self, tree: &Tree, id: NodeId, references: &[FoundReference]) {
        let mut ancestors = std::iter::successors(Some(id), |at| tree[*at].parent());
        if self.source.container.is_none() && ancestors.any(|at| tree[at].has_anchor()) {
            let reference = references.first().map(|found| found.span);
            let span = reference.unwrap_or_else(|| self.span(&tree[id].range()));
            self.rendered.anchored.get_or_insert(span);
        }
    }

    fn evaluate_at(
        &mut self,
        in_text: &ReferencesInText<'_>,
        occurrences: &Occurrences,
        identity: &Identity<'_>,
        values: &mut ResolvedReferences<'c>,
        resolving: &mut Resolving,
    ) -> bool {
        for (nth, withheld) in std::mem::take(&mut values.withheld) {
            let found = &in_text.references[nth];
            let mark = &withheld.mark;
            if !self.accepts_sensitive(identity, occurrences, found, mark)
                || self.context.evaluation == Evaluation::Public
            {
                values.failed = true;
                continue;
            }
            let (node, text, site) = (in_text.node, in_text.text, in_text.site(found));
            let reference = &found.reference;
            let evaluated = match self.context.evaluation {
                Evaluation::StandIns(stand_in) => {
                    let written = text.get(reference.range.clone()).unwrap_or_default();
                    let is_base64 = is_base64_in_data(site.dialect, reference);
                    Ok(withheld.replaced_by(stand_in.text(written, is_base64)))
                }
                Evaluation::Public | Evaluation::All => {
                    evaluate(withheld, reference, node, text, self.context, &site)
                }
            };
            match evaluated {
                Ok(value) if value.unknown => {
                    values.values[nth] = Some(value);
                    values.failed = true;
                }
                Ok(mut value) => {
                    if !resolving.count(&mut value, &mut values.reported, self.context.budget) {
                        return false;
                    }
                    values.values[nth] = Some(value);
                }
                Err(error) => {
                    resolving.hold(*error, &mut values.reported);
                    values.failed = true;
                }
            }
        }
        true
    }
}
