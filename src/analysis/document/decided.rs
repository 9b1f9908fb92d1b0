//! Scalars whose references decide what a document means: a key, a kind, the operation of a JSON
//! patch and its path, a name that a selector compares. Once a render knows their texts, the
//! document is analysed again.

use std::sync::Arc;

use super::scalars::PendingScalar;
use super::{Analyser, AssignedNode, DocumentAnalysis, InnerTarget, Scope, SourceText};
use crate::collections::OrderedMap;
use crate::kubernetes::Format;
use crate::kubernetes::resources::{Field, PatchTarget, Resources};
use yaml::{NodeId, Role, Tree};

impl<'s> DocumentAnalysis<'s> {
    /// Analyses the document again with the new texts of its deciding scalars, to find
    /// which resources it contains, what they embed and which targets select them. Only
    /// embedded documents are parsed for this. Returns `None` if there are no such texts.
    pub(crate) fn decided(
        &self,
        texts: &OrderedMap<NodeId, String>,
        source: &SourceText<'_>,
        scope: Scope<'_>,
        outer: Option<&Field>,
        patch_target: Option<Arc<PatchTarget>>,
        targets: &[InnerTarget],
    ) -> Option<Self> {
        if texts.is_empty() {
            return None;
        }
        let located = self.located.as_ref()?;
        let texts = texts.iter().map(|(id, text)| (*id, text.as_str()));
        let tree = located.tree.with_texts(texts);
        let mut analyser = Analyser::new(source, scope, outer, targets);
        analyser.is_json = self.format == Format::Json;
        analyser.patch_target = patch_target;
        let (source_tree, masks) = (Arc::clone(&located.tree), located.masks.clone());
        let located = analyser
            .locate_values(&tree, &source_tree, masks, &mut OrderedMap::new())
            .ok()?;
        analyser.report_duplicate_keys(&located, self.format);
        let analysis = DocumentAnalysis::new(self.text.clone(), self.offset, self.format);
        Some(analyser.finish(analysis, Some(located)))
    }
}

impl Analyser<'_> {
    /// Returns the deciding scalars with a reference or a setter comment.
    pub(super) fn deciding(
        &self,
        tree: &Tree,
        resources: &Resources<'_>,
        scalars: &[PendingScalar<'_>],
        assignments: &[AssignedNode],
    ) -> Vec<NodeId> {
        let with_references = scalars
            .iter()
            .filter(|scalar| !scalar.references.is_empty())
            .map(|scalar| scalar.id);
        let with_setters = assignments.iter().filter_map(|assigned| match assigned {
            AssignedNode::Comment { node, .. } if tree[*node].style().is_some() => Some(*node),
            _ => None,
        });
        let decides = |id: &NodeId| {
            let mut appearances = resources.appearances(*id);
            appearances.any(|id| self.decides(tree, resources, id))
        };
        let all = with_references.chain(with_setters);
        let mut deciding: Vec<NodeId> = all.filter(decides).collect();
        deciding.sort_unstable();
        deciding
    }

    fn decides(&self, tree: &Tree, resources: &Resources<'_>, id: NodeId) -> bool {
        let compares =
            |key: &str| self.scope.field_bindings.compares(key) || self.scope.listed.compares(key);
        match tree[id].role() {
            Role::Key => true,
            Role::Value(key) => {
                let key = resources.text(key).unwrap_or_default();
                matches!(key, "apiVersion" | "kind")
                    || compares(key)
                    || resources.is_operation_header(id)
            }
            Role::Item(_) => compares(""),
            Role::Root => false,
        }
    }
}
