//! The occurrences of values in a document: the only way from a node to all fields that
//! it is validated against.

use crate::bind::document::Renderer;
use crate::kubernetes::resources::{FieldStep, Occurrences, Resources};
use crate::steps::{self, RenderStep};
use yaml::{NodeId, Tree};

impl Renderer<'_, '_> {
    /// Returns all occurrences of a node; with `added_steps`, those of a field that is added to
    /// it. `None` if aliases repeat it too often, which is reported.
    pub(crate) fn occurrences(
        &mut self,
        tree: &Tree,
        resources: &Resources<'_>,
        node: NodeId,
        added_steps: Option<&[FieldStep]>,
    ) -> Option<Occurrences> {
        let _step = steps::enter(RenderStep::Place);
        let unbounded = match resources.occurrences(node, added_steps) {
            Ok(occurrences) => return Some(occurrences),
            Err(unbounded) => unbounded,
        };
        // One error for all values of a document.
        if std::mem::replace(&mut self.reported_unbounded, true) {
            return None;
        }
        let source = self.source;
        let span_of = |id: NodeId| source.span(&tree[id].range());
        let error = unbounded.diagnostic(self.origin(), node, &span_of);
        self.report(error, &resources.field(node));
        None
    }
}
