//! The annotation by which a resource says that nothing in it is a reference.

use std::collections::BTreeSet;

use super::Renderer;
use crate::binding::place::Places;
use crate::manifest::{NodeId, Role, Tree};
use crate::report::{Diagnostic, Rule};

const ANNOTATION: &str = "landfall.dev/substitute";

/// The resources of a document that are left as they are.
#[derive(Debug, Default)]
pub(super) struct Disabled(BTreeSet<NodeId>);

impl Disabled {
    /// Finds them; what the annotation cannot say is told.
    pub(super) fn find(
        tree: &Tree<'_>,
        places: &Places<'_>,
        renderer: &mut Renderer<'_, '_>,
    ) -> Self {
        let mut disabled = BTreeSet::new();
        let bytes = renderer.ground.text.as_bytes();
        if memchr::memmem::find(bytes, ANNOTATION.as_bytes()).is_none() {
            return Self::default();
        }
        let under = |id: NodeId, wanted: &str| match tree.nodes[id].role {
            Role::Value(key) => places.text(key) == Some(wanted),
            _ => false,
        };
        for (id, node) in tree.nodes.iter().enumerate() {
            let annotations = node.parent.filter(|_| under(id, ANNOTATION));
            let metadata = annotations
                .filter(|id| under(*id, "annotations"))
                .and_then(|id| tree.nodes[id].parent);
            let resource = metadata
                .filter(|id| under(*id, "metadata"))
                .and_then(|id| tree.nodes[id].parent);
            let Some(resource) = resource else { continue };
            match places.text(id) {
                Some("disabled") => {
                    disabled.insert(resource);
                }
                Some("enabled") => {}
                _ => {
                    let message = format!("`{ANNOTATION}` is neither `disabled` nor `enabled`");
                    let error = Diagnostic::error(Rule::InvalidAnnotation, message)
                        .at(renderer.origin(), renderer.span(&node.range), "")
                        .help("`disabled` leaves the whole resource as it is; without the annotation it is rendered");
                    renderer.tell(error, &places.field(id));
                }
            }
        }
        Self(disabled)
    }

    /// Whether a node belongs to such a resource.
    pub(super) fn covers(&self, tree: &Tree<'_>, id: NodeId) -> bool {
        let mut at = (!self.0.is_empty()).then_some(id);
        while let Some(id) = at {
            if self.0.contains(&id) {
                return true;
            }
            at = tree.nodes[id].parent;
        }
        false
    }
}
