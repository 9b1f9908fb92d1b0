//! The scalars and nodes of a document that get values.

use std::borrow::Cow;
use std::ops::Range;

use crate::analysis::document::{
    DocumentAnalysis, Embedded, FoundReference, Located, ScalarWithReferences,
};
use crate::bind::document::assignment::{Assignment, Assignments};
use crate::bind::document::ground::Ground;
use crate::bind::document::{Rendered, Renderer};
use crate::kubernetes::resources::Places;
use crate::report::{Diagnostic, Origin, Rule};
use yaml::{Decoded, NodeId, Span, Tree, decode};

/// A scalar that holds references or escapes.
pub(crate) struct Holder<'d, 'c> {
    pub(crate) id: NodeId,
    pub(crate) decoded: Decoded<'d>,
    pub(crate) reads: &'c [FoundReference],
    /// Decoded bytes of the `$` that escapes lose.
    pub(crate) escapes: &'c [Range<usize>],
    /// The documents that the scalar holds; then it has neither references nor escapes of
    /// its own.
    pub(crate) embedded: Option<&'c Embedded>,
}

impl<'d, 'c> Holder<'d, 'c> {
    /// Decodes the text of a scalar.
    pub(crate) fn of(
        scalar: &'c ScalarWithReferences,
        tree: &Tree,
        ground: &Ground<'d>,
    ) -> Option<Self> {
        Some(Self {
            id: scalar.id,
            decoded: decode(ground.text, tree, scalar.id)?,
            reads: &scalar.references,
            escapes: &scalar.escapes,
            embedded: scalar.embedded.as_ref(),
        })
    }
}

impl<'c> Renderer<'_, 'c> {
    pub(crate) fn document(
        mut self,
        analysis: &'c DocumentAnalysis<'_>,
        located: &'c Located,
    ) -> Rendered {
        let tree = &located.tree;
        let index = Cow::Borrowed(&located.index);
        let places = Places::indexed(tree, index).within(self.ground.field());
        for (node, found) in analysis.findings.iter() {
            match node {
                Some(node) => self.tell(found.clone(), &places.field(*node)),
                None => self.rendered.diagnostics.push(found.clone()),
            }
        }
        let omitted = analysis.findings.omitted();
        self.rendered.diagnostics.add_omitted(omitted);
        self.follow(analysis, Some((tree, &places)));
        let ground = self.ground;
        let holders: Vec<Holder<'_, 'c>> = located
            .scalars
            .iter()
            .filter_map(|scalar| Holder::of(scalar, tree, ground))
            .collect();
        let bindings = self.context.scope.field_bindings;
        let list = located.assignments.iter();
        let list = list.map(|assigned| Assignment::new(assigned, bindings, ground.origin));
        let assignments = Assignments {
            list: list.collect(),
            inside: &located.inside,
            kept: &located.kept,
        };
        if holders.is_empty() && assignments.is_empty() {
            self.conceal(tree, &places, &assignments, &located.masks);
            return self.finish();
        }
        if located.encrypted {
            let reads = holders.iter().flat_map(|holder| holder.reads);
            let first = reads.chain(assignments.reads()).next();
            let first = first.map(|read| (read.origin, read.span));
            if let Some((origin, span)) = first.or_else(|| self.first_inside(&assignments)) {
                let error = Diagnostic::error(
                    Rule::EncryptedDocument,
                    "reference in a SOPS-encrypted document",
                );
                self.rendered.diagnostics.push(
                    error
                        .at_concealed(origin, span, "")
                        .help("an edit would invalidate its MAC: render before encrypting, or move the reference to another manifest"),
                );
            }
            // Escapes stay too: not one byte of it may change.
            self.conceal(tree, &places, &assignments, &located.masks);
            return self.rendered;
        }
        let places = self.substitute(tree, &holders, &assignments, places);
        self.conceal(tree, &places, &assignments, &located.masks);
        self.finish()
    }

    /// The value of the first field path that goes on in a scalar.
    fn first_inside(&self, assignments: &Assignments<'_>) -> Option<(Origin, Span)> {
        let inner = assignments.inside.values().flatten().next()?;
        let bindings = self.context.scope.field_bindings;
        let (binding, ..) = bindings.path(inner.id);
        Some((bindings.origin, binding.value.span))
    }
}
