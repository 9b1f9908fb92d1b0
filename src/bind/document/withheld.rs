//! Sensitive values: evaluated where their placement takes them, and refused without
//! being evaluated everywhere else.

use std::ops::Range;

use crate::analysis::document::FoundReference;
use crate::bind::document::Renderer;
use crate::bind::document::assignment::{Assignment, Assignments};
use crate::bind::document::scalars::DecodedScalar;
use crate::bind::document::values::{Resolving, Values};
use crate::bind::missing_policy::evaluate;
use crate::functions::Evaluation;
use crate::kubernetes::resources::{Identity, Occurrences, Resources};
use crate::reference::{Dialect, Site};
use yaml::Span;
use yaml::{Kind, Node, NodeId, Style, Tree};

/// References, with the text that contains them.
pub(crate) struct ReferencesInText<'a> {
    pub(crate) references: &'a [FoundReference],
    pub(crate) node: &'a Node,
    /// The text that holds them.
    pub(crate) text: &'a str,
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
            node,
            text: &decoded_scalar.decoded.text,
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
        let id = assignment.place.node();
        Self {
            references: assignment.references,
            node: &tree[id],
            text: assignment.template.text(),
            style: Style::Plain,
            dialect,
            span_of,
        }
    }

    pub(crate) fn site(&self, read: &FoundReference) -> Site<'a> {
        Site {
            dialect: self.dialect,
            manifest: read.origin,
            span_of: self.span_of,
            style: self.style,
        }
    }
}

impl<'c> Renderer<'_, 'c> {
    /// Evaluates the sensitive values of a document, or says why they are not allowed
    /// where they would be written. False: they would make more than may be written.
    pub(crate) fn evaluate_withheld(
        &mut self,
        tree: &Tree,
        (resources, identity): (&Resources<'_>, &Identity<'_>),
        (decoded_scalars, assignments): (&[DecodedScalar<'_, '_>], &Assignments<'c>),
        (resolved, assigned): (&mut [Values<'c>], &mut [Values<'c>]),
        resolving: &mut Resolving,
    ) -> bool {
        let source = self.source;
        let dialect = self.context.dialect();
        for (decoded_scalar, values) in decoded_scalars.iter().zip(resolved) {
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
            self.note_anchors(tree, decoded_scalar.id, decoded_scalar.references);
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
            self.note_anchors(tree, assignment.place.node(), &[]);
        }
        true
    }

    /// Remembers that a sensitive value is in what an anchor of the file names.
    fn note_anchors(&mut self, tree: &Tree, id: NodeId, references: &[FoundReference]) {
        let mut around = std::iter::successors(Some(id), |at| tree[*at].parent());
        if self.source.inside.is_none() && around.any(|at| tree[at].has_anchor()) {
            let read = references.first().map(|read| read.span);
            let span = read.unwrap_or_else(|| self.span(&tree[id].range()));
            self.rendered.anchored.get_or_insert(span);
        }
    }

    fn evaluate_at(
        &mut self,
        in_text: &ReferencesInText<'_>,
        occurrences: &Occurrences,
        identity: &Identity<'_>,
        values: &mut Values<'c>,
        resolving: &mut Resolving,
    ) -> bool {
        for (nth, withheld) in std::mem::take(&mut values.withheld) {
            let read = &in_text.references[nth];
            let mark = &withheld.mark;
            if !self.takes_sensitive(identity, occurrences, read, mark)
                || self.context.evaluation == Evaluation::Public
            {
                values.failed = true;
                continue;
            }
            let (node, text, site) = (in_text.node, in_text.text, in_text.site(read));
            match evaluate(withheld, &read.reference, node, text, self.context, &site) {
                Ok(mut value) => {
                    if !resolving.makes(&mut value, &mut values.reported, self.context.budget) {
                        return false;
                    }
                    values.values[nth] = Some(value);
                }
                Err(error) => {
                    resolving.wait(*error, &mut values.reported);
                    values.failed = true;
                }
            }
        }
        true
    }
}
