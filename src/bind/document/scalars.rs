//! The scalars and nodes of a document that receive values.

use std::borrow::Cow;
use std::ops::Range;

use crate::analysis::document::{
    DocumentAnalysis, Embedded, FoundReference, Located, ScalarWithReferences,
};
use crate::bind::document::assign::{Assignment, Assignments};
use crate::bind::document::source::RenderSource;
use crate::bind::document::{Rendered, Renderer};
use crate::kubernetes::Format;
use crate::kubernetes::resources::Resources;
use crate::report::{Diagnostic, Origin, Rule};
use crate::steps::{self, RenderStep};
use yaml::{Decoded, NodeId, Span, Tree, decode};

/// A scalar that contains references or escapes.
pub(crate) struct DecodedScalar<'d, 'c> {
    pub(crate) id: NodeId,
    pub(crate) decoded: Decoded<'d>,
    pub(crate) references: &'c [FoundReference],
    /// The decoded bytes of each `$` that is removed from an escape.
    pub(crate) escapes: &'c [Range<usize>],
    /// The documents embedded in the scalar, which then has neither references nor
    /// escapes of its own.
    pub(crate) embedded: Option<&'c Embedded>,
    /// What the Binding lists it as.
    pub(crate) listed: Option<Format>,
}

impl<'d, 'c> DecodedScalar<'d, 'c> {
    /// Decodes the text of a scalar.
    pub(crate) fn of(
        scalar: &'c ScalarWithReferences,
        tree: &Tree,
        source: &RenderSource<'d>,
    ) -> Option<Self> {
        Some(Self {
            id: scalar.id,
            decoded: decode(source.text, tree, scalar.id)?,
            references: &scalar.references,
            escapes: &scalar.escapes,
            embedded: scalar.embedded.as_ref(),
            listed: scalar.listed,
        })
    }
}

impl<'c> Renderer<'_, 'c> {
    pub(crate) fn render_document(
        mut self,
        analysis: &'c DocumentAnalysis<'_>,
        located: &'c Located,
    ) -> Rendered {
        let tree = &located.tree;
        let index = Cow::Borrowed(&located.index);
        let patch_target = match &self.source.container {
            Some(container) => container.patch_target.clone(),
            None => self.context.custom.patch_target(self.context.file),
        };
        let resources = Resources::indexed(tree, index)
            .within(self.source.field())
            .patching(patch_target);
        for (node, found) in analysis.findings.iter() {
            match node {
                Some(node) => self.report(found.clone(), &resources.field(*node)),
                None => self.rendered.diagnostics.push(found.clone()),
            }
        }
        let omitted = analysis.findings.omitted();
        self.rendered.diagnostics.add_omitted(omitted);
        self.add_path_outcomes(analysis, Some((tree, &resources)));
        let source = self.source;
        let others = self.write_ordinary_texts(&located.scalars);
        let step = steps::enter(RenderStep::Read);
        let decoded_scalars: Vec<DecodedScalar<'_, 'c>> = others
            .into_iter()
            .filter_map(|scalar| DecodedScalar::of(scalar, tree, source))
            .collect();
        drop(step);
        let mut list = Vec::with_capacity(located.assignments.len());
        for assigned in &located.assignments {
            let (assignment, found) = Assignment::of(assigned, tree, self.context, source.origin);
            for found in found {
                self.report(found, &resources.field(assigned.node()));
            }
            list.extend(assignment);
        }
        let assignments = Assignments {
            list,
            inner_targets: &located.inner_targets,
            kept_scalars: &located.kept_scalars,
        };
        if decoded_scalars.is_empty() && assignments.is_empty() {
            self.take_written();
            self.resolve_results();
            self.conceal(tree, &resources, &assignments, &located.masks);
            return self.finish();
        }
        if located.encrypted {
            let references = decoded_scalars
                .iter()
                .flat_map(|decoded_scalar| decoded_scalar.references);
            let reference = references.chain(assignments.references()).next();
            let first = reference.map(|found| (found.origin, found.span));
            if let Some((origin, span)) = first.or_else(|| self.first_inner_target(&assignments)) {
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
            // Escapes stay too: no byte of the document may change.
            self.conceal(tree, &resources, &assignments, &located.masks);
            return self.rendered;
        }
        let resources = self.substitute(tree, &decoded_scalars, &assignments, resources);
        self.conceal(tree, &resources, &assignments, &located.masks);
        self.finish()
    }

    /// Writes the values that are ordinary text, and returns the scalars with other values.
    fn write_ordinary_texts(
        &mut self,
        scalars: &'c [ScalarWithReferences],
    ) -> Vec<&'c ScalarWithReferences> {
        let Some(ordinary) = self.context.ordinary else {
            return scalars.iter().collect();
        };
        let _step = steps::enter(RenderStep::Write);
        let edits = &mut self.rendered.edits;
        edits.reserve(scalars.iter().map(|scalar| scalar.references.len()).sum());
        let mut written: usize = 0;
        let mut others = Vec::new();
        for scalar in scalars {
            let may_write = |bytes: usize| self.context.budget.has(written.saturating_add(bytes));
            match ordinary.write(scalar, may_write, edits) {
                Some(bytes) => written = written.saturating_add(bytes),
                None => others.push(scalar),
            }
        }
        others
    }

    /// Takes the bytes that the edits so far write from the budget. Returns `false`, and
    /// reports that the budget is exceeded, if there are not as many left.
    pub(crate) fn take_written(&mut self) -> bool {
        let edits = &self.rendered.edits;
        let bytes = edits.iter().map(|edit| edit.text.len()).sum();
        let has_them = self.context.budget.take(bytes);
        if !has_them {
            self.report_exceeded();
        }
        has_them
    }

    /// Returns the location of the value for the first field path that continues in a
    /// scalar.
    fn first_inner_target(&self, assignments: &Assignments<'_>) -> Option<(Origin, Span)> {
        let inner = assignments.inner_targets.values().flatten().next()?;
        let bindings = self.context.scope.field_bindings;
        let (binding, ..) = bindings.path(inner.id);
        Some((bindings.origin, binding.value.span))
    }
}
