//! Where the values of a document end up: the one way from a node to all the fields
//! that it is judged by.

use crate::bind::document::Renderer;
use crate::kubernetes::resources::{FieldStep, Occurrences, Resources};
use yaml::{NodeId, Tree};

impl Renderer<'_, '_> {
    /// All places where a node appears. With `made`, those of a field that is added
    /// inside of it. None: aliases repeat it without end, which is an error.
    pub(crate) fn occurrences(
        &mut self,
        tree: &Tree,
        resources: &Resources<'_>,
        node: NodeId,
        made: Option<&[FieldStep]>,
    ) -> Option<Occurrences> {
        let unbounded = match resources.occurrences(node, made) {
            Ok(occurrences) => return Some(occurrences),
            Err(unbounded) => unbounded,
        };
        // One error for all values of a document.
        if std::mem::replace(&mut self.unbounded, true) {
            return None;
        }
        let source = self.source;
        let span_of = |id: NodeId| source.span(&tree[id].range());
        let error = unbounded.diagnostic(self.origin(), node, &span_of);
        self.report(error, &resources.field(node));
        None
    }
}
