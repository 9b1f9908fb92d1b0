//! Where the values of a document end up: the one way from a node to all the fields
//! that it is judged by.

use crate::bind::document::Renderer;
use crate::kubernetes::resources::{FieldStep, Occurrences, Places, Unbounded};
use crate::report::{Diagnostic, Rule};
use yaml::{NodeId, Tree};

impl Renderer<'_, '_> {
    /// All places where a node appears. With `made`, those of a field that is added
    /// inside of it. None: aliases repeat it without end, which is an error.
    pub(crate) fn occurrences(
        &mut self,
        tree: &Tree,
        places: &Places<'_>,
        node: NodeId,
        made: Option<&[FieldStep]>,
    ) -> Option<Occurrences> {
        let unbounded = match places.occurrences(node, made) {
            Ok(occurrences) => return Some(occurrences),
            Err(unbounded) => unbounded,
        };
        // One error for all values of a document.
        if std::mem::replace(&mut self.unbounded, true) {
            return None;
        }
        let (alias, message, help) = match unbounded {
            Unbounded::Cycle(alias) => (
                alias,
                "an alias repeats the collection that it is inside of",
                "a manifest cannot contain itself: move the anchor to the part that is meant",
            ),
            Unbounded::TooMany(alias) => (
                alias,
                "the aliases of this document repeat its values too often",
                "write the values where they are needed instead of aliases of aliases",
            ),
        };
        let error = Diagnostic::error(Rule::TooManyAliases, message)
            .at(self.origin(), self.span(&tree[alias].range()), "this alias")
            .at(
                self.origin(),
                self.span(&tree[node].range()),
                "a value that it repeats",
            )
            .help(help);
        self.tell(error, &places.field(node));
        None
    }
}
