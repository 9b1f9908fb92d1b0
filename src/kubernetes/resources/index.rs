//! The headers of the resources in a document, and the aliases of its nodes: found in one
//! pass, and the same for every render that changes no key.

use std::cmp::Reverse;

use crate::collections::OrderedMap;
use yaml::{Kind, NodeId, Role, Tree};

/// The headers and aliases of one document.
#[derive(Clone, Debug, Default)]
pub(crate) struct ResourceIndex {
    /// By mapping, ascending.
    headers: Vec<(NodeId, Header)>,
    /// The nodes that aliases repeat, each with its alias, ascending.
    aliases: Vec<NodeId>,
    /// The targets of `aliases`, at the same positions.
    targets: Vec<NodeId>,
    /// Whether the document is a kustomization, which need not say so.
    is_kustomization: bool,
}

/// What kustomize takes a kustomization for that does not say it.
const KUSTOMIZATION: (&str, &str) = ("kustomize.config.k8s.io/v1beta1", "Kustomization");

/// The keys that identify a mapping as a resource.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Header {
    pub(super) api_version: Option<NodeId>,
    pub(super) kind: Option<NodeId>,
    pub(super) metadata: Option<NodeId>,
    pub(super) name: Option<NodeId>,
    pub(super) namespace: Option<NodeId>,
    pub(super) items: Option<NodeId>,
}

impl Header {
    /// Adds the keys of a merged mapping.
    fn or(self, merged: Self) -> Self {
        Self {
            api_version: self.api_version.or(merged.api_version),
            kind: self.kind.or(merged.kind),
            metadata: self.metadata.or(merged.metadata),
            name: self.name.or(merged.name),
            namespace: self.namespace.or(merged.namespace),
            items: self.items.or(merged.items),
        }
    }

    pub(super) fn has_slot(key: &str) -> bool {
        matches!(
            key,
            "apiVersion" | "kind" | "metadata" | "name" | "namespace" | "items"
        )
    }

    fn slot(&mut self, key: &str) -> Option<&mut Option<NodeId>> {
        Some(match key {
            "apiVersion" => &mut self.api_version,
            "kind" => &mut self.kind,
            "metadata" => &mut self.metadata,
            "name" => &mut self.name,
            "namespace" => &mut self.namespace,
            "items" => &mut self.items,
            _ => return None,
        })
    }
}

impl ResourceIndex {
    /// Finds the headers and aliases of a document. `changed` holds the new texts of
    /// scalars with references in them.
    pub(super) fn new(tree: &Tree, changed: &OrderedMap<NodeId, String>) -> Self {
        let text = |id: NodeId| {
            let id = tree.target(id);
            let text = changed.get(&id).map(String::as_str);
            text.or_else(|| tree.text(id))
        };
        let mut aliases: Vec<(NodeId, NodeId)> = Vec::new();
        let mut found: Vec<(NodeId, &str, NodeId)> = Vec::with_capacity(16);
        // The mappings with merge keys, and the nodes they merge.
        let mut merging: Vec<(NodeId, NodeId)> = Vec::new();
        for (value, node) in tree.nodes() {
            if let Some(target) = node.alias_target() {
                aliases.push((target, value));
            }
            let (Role::Value(key), Some(mapping)) = (node.role(), node.parent()) else {
                continue;
            };
            match text(key) {
                Some("<<") => merging.push((mapping, value)),
                Some(key) if Header::has_slot(key) => {
                    found.push((mapping, key, value));
                }
                _ => {}
            }
        }
        // The last of duplicate keys wins, as in Kubernetes' own readers.
        found.sort_by_key(|(mapping, ..)| *mapping);
        let mut headers: Vec<(NodeId, Header)> = Vec::with_capacity(8);
        for (mapping, key, value) in found {
            if headers.last().is_none_or(|(last, _)| *last != mapping) {
                headers.push((mapping, Header::default()));
            }
            let header = headers.last_mut().and_then(|(_, header)| header.slot(key));
            if let Some(slot) = header {
                *slot = Some(value);
            }
        }
        if !merging.is_empty() {
            headers = merged(tree, headers, merging);
        }
        aliases.sort();
        let (targets, aliases) = aliases.into_iter().unzip();
        Self {
            headers,
            aliases,
            targets,
            is_kustomization: false,
        }
    }

    /// Sets whether the document is a kustomization by the name of its file.
    pub(super) const fn set_kustomization(&mut self, is_kustomization: bool) {
        self.is_kustomization = is_kustomization;
    }

    pub(super) const fn is_kustomization(&self) -> bool {
        self.is_kustomization
    }

    /// Returns the apiVersion and kind of a mapping that lacks one of them, if it is known what
    /// it is.
    pub(super) fn implied<'t>(
        &self,
        mapping: NodeId,
        api_version: Option<&'t str>,
        kind: Option<&'t str>,
    ) -> Option<(&'t str, &'t str)> {
        let is_root = self.is_kustomization && mapping == 0;
        let (of_any, any) = KUSTOMIZATION;
        is_root.then(|| (api_version.unwrap_or(of_any), kind.unwrap_or(any)))
    }

    /// Returns the approximate size of the index in bytes.
    pub(crate) const fn weight(&self) -> usize {
        size_of::<(NodeId, Header)>() * self.headers.len()
            + 2 * size_of::<NodeId>() * self.aliases.len()
    }

    pub(super) fn header(&self, mapping: NodeId) -> Option<&Header> {
        self.header_at(mapping).map(|(_, header)| header)
    }

    /// Returns the header of a mapping with its position among all headers.
    pub(super) fn header_at(&self, mapping: NodeId) -> Option<(usize, &Header)> {
        let at = self.headers.binary_search_by_key(&mapping, |(id, _)| *id);
        at.ok().map(|at| (at, &self.headers[at].1))
    }

    pub(super) fn headers(&self) -> impl Iterator<Item = &Header> {
        self.headers.iter().map(|(_, header)| header)
    }

    pub(super) const fn has_aliases(&self) -> bool {
        !self.aliases.is_empty()
    }

    /// Returns the aliases of a node, in the document's order.
    pub(super) fn aliases(&self, node: NodeId) -> &[NodeId] {
        let first = self.targets.partition_point(|target| *target < node);
        let end = self.targets.partition_point(|target| *target <= node);
        &self.aliases[first..end]
    }
}

/// Adds the headers that mappings inherit through merge keys. A merged mapping is already
/// complete when it is needed: it ends before the mapping that merges it, or together with
/// it.
fn merged(
    tree: &Tree,
    headers: Vec<(NodeId, Header)>,
    mut merging: Vec<(NodeId, NodeId)>,
) -> Vec<(NodeId, Header)> {
    let mut headers: OrderedMap<NodeId, Header> = headers.into_iter().collect();
    merging.sort_by_key(|(mapping, _)| (tree[*mapping].end(), Reverse(*mapping)));
    for (mapping, value) in merging {
        let value = tree.target(value);
        let is_list = matches!(tree[value].kind(), Kind::Sequence { .. });
        if is_list && !headers.contains_key(&value) {
            // Many mappings may merge one list, so its result is cached.
            let merged = tree
                .children(value)
                .fold(Header::default(), |merged, item| {
                    let item = headers.get(&tree.target(item)).copied();
                    merged.or(item.unwrap_or_default())
                });
            headers.insert(value, merged);
        }
        if let Some(merged) = headers.get(&value).copied() {
            let own = headers.entry(mapping).or_default();
            *own = own.or(merged);
        }
    }
    headers.into_iter().collect()
}
