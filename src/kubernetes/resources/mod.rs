//! Finds the resource and the field that a node of a manifest belongs to.

mod field;
mod identity;
mod index;
mod names;
mod occurrence;
mod patch;

pub(crate) use field::{Field, FieldStep};
pub(crate) use identity::Identity;
pub(crate) use index::ResourceIndex;
pub(crate) use occurrence::{Container, Occurrence, Occurrences};
pub(crate) use patch::{
    PatchTarget, PatchedField, escaped, in_template_patch, resource_of_kind, unescaped,
};

use std::borrow::Cow;
use std::cell::OnceCell;
use std::sync::Arc;

use crate::collections::{OrderedMap, OrderedSet};
use crate::kubernetes::go_template;
use crate::kubernetes::resources::index::Header;
use crate::kubernetes::resources::names::Names;
use crate::kubernetes::resources::occurrence::Steps;
use crate::report::ResourceRef;
use yaml::{Kind, NodeId, Role, Tree};

/// The resources of one document and the fields of its nodes, once the texts of its scalars
/// are known.
#[derive(Clone)]
pub(crate) struct Resources<'a> {
    tree: &'a Tree,
    index: Cow<'a, ResourceIndex>,
    /// The new texts of the scalars that references have changed, ascending.
    changed: Vec<(NodeId, String)>,
    /// The field whose value the document is, if it is embedded.
    outer: Option<Field>,
    /// What the document applies to, if it is a patch.
    patch_target: Option<Arc<PatchTarget>>,
    /// How many more steps may be taken to follow aliases.
    steps: Steps,
    names: Names,
    /// See [`Self::have_types`].
    have_types: OnceCell<bool>,
    /// The kinds of all mappings, without `List`: see [`Self::has_kind`].
    kinds: OnceCell<OrderedSet<String>>,
}

impl<'a> Resources<'a> {
    /// Creates the resources of a document as written.
    pub(crate) fn new(tree: &'a Tree) -> Self {
        let index = ResourceIndex::new(tree, &OrderedMap::new());
        Self::indexed(tree, Cow::Owned(index))
    }

    /// Creates the resources of a document as written from an existing index.
    pub(crate) fn indexed(tree: &'a Tree, index: Cow<'a, ResourceIndex>) -> Self {
        Self {
            tree,
            index,
            changed: Vec::new(),
            outer: None,
            patch_target: None,
            steps: Steps::for_nodes(tree.len()),
            names: Names::default(),
            have_types: OnceCell::new(),
            kinds: OnceCell::new(),
        }
    }

    /// Returns the index, for other renders of the document.
    pub(crate) fn into_index(self) -> ResourceIndex {
        self.index.into_owned()
    }

    /// Sets the field whose value the document is.
    pub(crate) fn within(mut self, outer: Option<&Field>) -> Self {
        self.outer = outer.cloned();
        self
    }

    /// Sets whether the document is a kustomization by the name of its file.
    pub(crate) fn of_kustomization(mut self, is_kustomization: bool) -> Self {
        if is_kustomization {
            self.index.to_mut().set_kustomization(true);
        }
        self
    }

    /// Sets the new texts of these scalars.
    pub(crate) fn with(self, changed: OrderedMap<NodeId, String>) -> Self {
        let is_key = |id: &NodeId| {
            let mut appearances = self.appearances(*id);
            appearances.any(|id| self.role(id) == Role::Key)
        };
        let (index, steps) = if changed.keys().any(is_key) {
            let mut index = ResourceIndex::new(self.tree, &changed);
            index.set_kustomization(self.index.is_kustomization());
            (Cow::Owned(index), Steps::for_nodes(self.tree.len()))
        } else {
            (self.index, self.steps)
        };
        Self {
            tree: self.tree,
            index,
            changed: changed.into_iter().collect(),
            outer: self.outer,
            patch_target: self.patch_target,
            steps,
            names: Names::default(),
            have_types: OnceCell::new(),
            kinds: OnceCell::new(),
        }
    }

    /// Returns whether the text of a scalar may be read here or by [`Self::text`]'s callers:
    /// it is a key, repeated by an alias, identifies a resource, or is part of a JSON patch.
    /// Any other value is only a value. `changed` are the nodes whose texts change,
    /// ascending.
    pub(crate) fn may_read_text(&self, id: NodeId, changed: &[NodeId]) -> bool {
        let node = &self.tree[id];
        if node.has_anchor() {
            return true;
        }
        match node.role() {
            Role::Key => true,
            Role::Root | Role::Item(_) => false,
            Role::Value(key) => {
                let is_read = |key: &str| Header::has_slot(key) || matches!(key, "path" | "op");
                changed.binary_search(&self.target(key)).is_ok()
                    || self.text(key).is_none_or(is_read)
            }
        }
    }

    /// Returns the node that an alias repeats; any other node itself.
    pub(crate) fn target(&self, id: NodeId) -> NodeId {
        self.tree.target(id)
    }

    /// Returns the text of a scalar after substitution, also through an alias.
    pub(crate) fn text(&self, id: NodeId) -> Option<&str> {
        let id = self.target(id);
        match self.changed.binary_search_by_key(&id, |(id, _)| *id) {
            Ok(at) => Some(&self.changed[at].1),
            Err(_) => self.tree.text(id),
        }
    }

    /// Returns the text of a node that may be missing.
    fn value(&self, id: Option<NodeId>) -> Option<&str> {
        id.and_then(|id| self.text(id))
    }

    /// Returns the mappings in which a node is the value of this key: directly, through an
    /// alias, or through the merge keys of a mapping that contains it.
    pub(crate) fn owners(&self, node: NodeId, key: &str) -> OrderedSet<NodeId> {
        let mut found = OrderedSet::new();
        let mut seen = OrderedSet::from([node]);
        let mut open = vec![node];
        while let Some(node) = open.pop() {
            for at in self.appearances(node) {
                let (Some(parent), role) = (self.tree[at].parent(), self.role(at)) else {
                    continue;
                };
                let mappings = match role {
                    Role::Value(name) if self.text(name) == Some(key) => {
                        found.insert(parent);
                        continue;
                    }
                    _ if self.is_merged(at) && matches!(role, Role::Value(_)) => vec![parent],
                    Role::Item(_) => {
                        let lists = self
                            .appearances(parent)
                            .filter(|list| self.is_merged(*list));
                        lists.filter_map(|list| self.tree[list].parent()).collect()
                    }
                    _ => continue,
                };
                open.extend(mappings.into_iter().filter(|mapping| seen.insert(*mapping)));
            }
        }
        found
    }

    /// Returns a node and its aliases.
    pub(crate) fn appearances(&self, node: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        std::iter::once(node).chain(self.index.aliases(node).iter().copied())
    }

    /// Returns whether an alias repeats anything in this document.
    pub(crate) fn has_aliases(&self) -> bool {
        self.index.has_aliases()
    }

    /// Returns a node's role in its parent.
    pub(crate) fn role(&self, node: NodeId) -> Role {
        self.tree[node].role()
    }

    /// Returns the node that contains a node.
    pub(crate) fn parent(&self, node: NodeId) -> Option<NodeId> {
        self.tree[node].parent()
    }

    /// Returns every resource of the document.
    pub(crate) fn resources(&self) -> impl Iterator<Item = (NodeId, ResourceRef)> + '_ {
        (0..self.tree.len()).filter_map(|id| Some((id, self.resource(id)?)))
    }

    /// Returns the resource that the mapping `id` is at its own position, if any: it has an
    /// apiVersion and a kind, or is an item of a list of its kind.
    pub(crate) fn resource(&self, id: NodeId) -> Option<ResourceRef> {
        if !matches!(self.tree[id].kind(), Kind::Mapping { .. }) || self.is_merged(id) {
            return None;
        }
        let header = self.index.header(id).copied().unwrap_or_default();
        let written = (self.value(header.api_version), self.value(header.kind));
        let (api_version, kind) = match (written, self.index.implied(id, written.0, written.1)) {
            ((Some(api_version), Some(kind)), _) | (_, Some((api_version, kind))) => {
                (api_version, kind)
            }
            ((_, None), _) => self.item_of_list(id)?,
            _ => return None,
        };
        Some(self.named(&header, api_version, kind))
    }

    fn named(&self, header: &Header, api_version: &str, kind: &str) -> ResourceRef {
        let metadata = header
            .metadata
            .and_then(|metadata| self.index.header(self.target(metadata)))
            .copied()
            .unwrap_or_default();
        let text = |id| self.value(id).unwrap_or_default().to_owned();
        ResourceRef {
            api_version: api_version.to_owned(),
            kind: kind.to_owned(),
            name: text(metadata.name),
            namespace: text(metadata.namespace),
        }
    }

    /// Returns whether a merge key adds the members of this mapping to its parent.
    fn is_merged(&self, id: NodeId) -> bool {
        let is_merge_value = |id: NodeId| matches!(self.tree[id].role(), Role::Value(key) if self.text(key) == Some("<<"));
        let node = &self.tree[id];
        let in_list = matches!(node.role(), Role::Item(_));
        is_merge_value(id) || in_list && node.parent().is_some_and(is_merge_value)
    }

    /// Returns whether a resource is a top-level one, of the document or of a list in it:
    /// the `scaleTargetRef` of an autoscaler and an owner reference have an apiVersion and
    /// a kind too, and a resource in a field of another is its template.
    pub(crate) fn is_whole_resource(&self, id: NodeId) -> bool {
        self.tree[id].parent().is_none() || self.is_listed(id)
    }

    /// Returns whether a resource is a list of others.
    pub(crate) fn is_list(&self, id: NodeId) -> bool {
        let Some(header) = self.index.header(id) else {
            return false;
        };
        let kind = header.kind.and_then(|kind| self.text(kind));
        let is_sequence = |items: NodeId| matches!(self.tree[items].kind(), Kind::Sequence { .. });
        kind.is_some_and(|kind| kind.ends_with("List")) && header.items.is_some_and(is_sequence)
    }

    /// Returns whether a node is one of a resource's `items`.
    fn is_listed(&self, id: NodeId) -> bool {
        let Role::Item(_) = self.tree[id].role() else {
            return false;
        };
        let sequence = self.tree[id].parent();
        let is_items = sequence.is_some_and(|sequence| {
            matches!(self.tree[sequence].role(), Role::Value(key) if self.text(key) == Some("items"))
        });
        let list = sequence.and_then(|sequence| self.tree[sequence].parent());
        is_items && list.is_some_and(|list| self.is_list(list) && self.is_whole_resource(list))
    }

    /// Returns the apiVersion and kind of an item of a list. The items of a
    /// `ConfigMapList` are ConfigMaps even if they don't state it.
    fn item_of_list(&self, id: NodeId) -> Option<(&str, &str)> {
        let Role::Item(_) = self.tree[id].role() else {
            return None;
        };
        let sequence = self.tree[id].parent()?;
        let Role::Value(key) = self.tree[sequence].role() else {
            return None;
        };
        if self.text(key) != Some("items") {
            return None;
        }
        let header = self.index.header(self.tree[sequence].parent()?)?;
        item_kind(self.value(header.api_version)?, self.value(header.kind)?)
    }

    /// Returns whether any mapping is a resource of this kind, or a list of them.
    pub(crate) fn has_kind(&self, wanted: &str) -> bool {
        let kinds = self.kinds.get_or_init(|| {
            let kinds = self.kinds_as_written();
            kinds.map(str::to_owned).collect()
        });
        kinds.contains(wanted)
    }

    /// Returns the kinds of all mappings, without `List`.
    fn kinds_as_written(&self) -> impl Iterator<Item = &str> {
        let headers = self.index.headers();
        let kinds = headers.filter_map(|header| self.text(header.kind?));
        kinds.map(|kind| kind.strip_suffix("List").unwrap_or(kind))
    }

    /// Returns whether only the types of fields matter for text in this document: no alias
    /// repeats it, no kind is sensitive, and none has templates in its fields.
    pub(crate) fn has_plain_fields(&self) -> bool {
        // Asked once for each document, so the kinds are not collected for this.
        let mut kinds = self.kinds_as_written();
        self.patch_target.is_none()
            && !self.has_aliases()
            && kinds.all(|kind| kind != "Secret" && go_template::kinds().all(|other| other != kind))
    }

    /// Returns whether the type of any field of this document may be known: it has a resource,
    /// or is a patch.
    pub(crate) fn have_types(&self) -> bool {
        *self.have_types.get_or_init(|| {
            let root = self.tree.get(0);
            self.patch_target.is_some()
                || root.is_some_and(|root| matches!(root.kind(), Kind::Sequence { .. }))
                || self.index.headers().any(|header| header.kind.is_some())
        })
    }

    /// Returns the key of the root mapping that contains `node`.
    pub(crate) fn root_key(&self, node: NodeId) -> Option<&str> {
        let mut at = node;
        loop {
            let parent = self.tree[at].parent()?;
            if self.tree[parent].parent().is_none() {
                return match self.tree[at].role() {
                    Role::Value(key) => self.text(key),
                    Role::Key => self.text(at),
                    _ => None,
                };
            }
            at = parent;
        }
    }

    /// Returns the apiVersion and kind of the root, if it has both.
    pub(crate) fn root_kind(&self) -> Option<(&str, &str)> {
        let header = self.index.header(0)?;
        Some((self.value(header.api_version)?, self.value(header.kind)?))
    }

    /// Returns whether a mapping has an apiVersion and a kind.
    pub(crate) fn is_identified(&self, id: NodeId) -> bool {
        let is_mapping = matches!(self.tree[id].kind(), Kind::Mapping { .. });
        let has_both = |header: &Header| header.api_version.is_some() && header.kind.is_some();
        is_mapping && self.index.header(id).is_some_and(has_both)
    }

    /// Returns whether the root mapping has this key.
    pub(crate) fn root_has(&self, wanted: &str) -> bool {
        let is_wanted = |id| self.role(id) == Role::Key && self.text(id) == Some(wanted);
        !self.tree.is_empty() && self.tree.children(0).any(is_wanted)
    }
}

/// Returns the apiVersion and kind of the items of a list: those of a `ConfigMapList` are
/// ConfigMaps.
fn item_kind<'r>(api_version: &'r str, kind: &'r str) -> Option<(&'r str, &'r str)> {
    let kind = kind.strip_suffix("List")?;
    // The items of a List and of a ResourceList are resources of any kind.
    (!kind.is_empty() && kind != "Resource").then_some((api_version, kind))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(source: &str, expected: &[&str]) {
        let tree = yaml::locate(source).unwrap();
        let resources = Resources::new(&tree);
        let reported: Vec<_> = (0..tree.len())
            .filter(|id| tree.text(*id) == Some("HERE"))
            .map(|id| {
                let field = resources.field(id);
                let resource = field
                    .resource
                    .as_ref()
                    .map(|r| format!("{}/{} {}", r.api_version, r.kind, r.name));
                format!("{} {field}", resource.unwrap_or_default())
            })
            .collect();
        assert_eq!(reported, expected);
    }

    #[test]
    fn fields_are_relative_to_the_innermost_resource() {
        check(
            "spec: {containers: [{args: [a, HERE]}]}\nmetadata: {name: web, annotations: {a.b/c: HERE, HERE: x}}\nkind: Pod\napiVersion: v1\n",
            &[
                "v1/Pod web spec.containers[0].args[1]",
                "v1/Pod web metadata.annotations[\"a.b/c\"]",
                "v1/Pod web metadata.annotations.HERE",
            ],
        );
        check(
            "apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: Secret\n  metadata: {name: s}\n  data: {a: HERE}\n- HERE\n",
            &["v1/Secret s data.a", "v1/List  items[1]"],
        );
    }

    #[test]
    fn items_of_a_typed_list_have_its_kind() {
        check(
            "apiVersion: v1\nkind: SecretList\nitems:\n- data: {a: HERE}\n",
            &["v1/Secret  data.a"],
        );
    }

    #[test]
    fn a_document_that_is_not_a_resource_has_fields() {
        check("a: {b: HERE}\n", &[" a.b"]);
    }

    /// Checks the occurrences of the scalar `HERE`.
    #[track_caller]
    fn check_occurrences(source: &str, expected: &[&str]) {
        let tree = yaml::locate(source).unwrap();
        let resources = Resources::new(&tree);
        let here = (0..tree.len())
            .find(|id| tree.text(*id) == Some("HERE") && tree[*id].parent().is_some());
        let found: Vec<String> = match resources.occurrences(here.unwrap(), None) {
            Ok(occurrences) => occurrences
                .all()
                .map(|occurrence| {
                    let resource = occurrence.field.resource.as_ref();
                    let kind = resource.map_or("-", |resource| &resource.kind);
                    let containers = occurrence.containers.iter().rev().map(|container| {
                        let kind = container.field.resource.as_ref().map_or("-", |r| &r.kind);
                        format!(" < {kind} {}", container.field)
                    });
                    let key = if occurrence.is_key { " (key)" } else { "" };
                    let alias = occurrence.alias.map_or(String::new(), |alias| {
                        format!(" by {}", &source[tree[alias].range()])
                    });
                    format!(
                        "{kind} {}{key}{alias}{}",
                        occurrence.field,
                        containers.collect::<String>()
                    )
                })
                .collect(),
            Err(unbounded) => vec![match unbounded {
                occurrence::Unbounded::Cycle(_) => "cycle".to_owned(),
                occurrence::Unbounded::TooMany(_) => "too many".to_owned(),
            }],
        };
        assert_eq!(found, expected, "{source}");
    }

    #[test]
    fn aliases_of_aliases_are_followed() {
        check_occurrences(
            "kind: List\napiVersion: v1\nitems:\n- {apiVersion: v1, kind: Secret, stringData: {p: &p HERE}}\n- {apiVersion: v1, kind: Secret, stringData: &d {copy: *p}}\n- {apiVersion: v1, kind: ConfigMap, data: *d}\n",
            &[
                "Secret stringData.p < List items[0]",
                "Secret stringData.copy by *p < List items[1]",
                "ConfigMap data.copy by *d < List items[2]",
            ],
        );
    }

    #[test]
    fn merged_members_are_those_of_the_merging_mapping() {
        check_occurrences(
            "apiVersion: v1\nkind: ConfigMap\nx: &x {a: HERE}\ndata: {<<: *x}\nlist: [{<<: [*x, {b: c}]}]\ninline: {<<: {<<: *x}}\n",
            &[
                "ConfigMap x.a",
                "ConfigMap data.a by *x",
                "ConfigMap list[0].a by *x",
                "ConfigMap inline.a by *x",
            ],
        );
        check_occurrences(
            "apiVersion: v1\nkind: ConfigMap\ndata: {<<: {a: HERE}}\n",
            &["ConfigMap data.a"],
        );
        check_occurrences(
            "apiVersion: v1\nkind: ConfigMap\n<<: [{data: {a: HERE}}]\n",
            &["ConfigMap data.a"],
        );
    }

    #[test]
    fn a_merge_key_can_change_the_resource() {
        check_occurrences(
            "apiVersion: v1\nkind: List\nitems:\n- &s {apiVersion: v1, kind: Secret, stringData: {p: HERE}}\n- {<<: *s, kind: ConfigMap}\n- *s\n",
            &[
                "Secret stringData.p < List items[0]",
                "ConfigMap stringData.p by *s < List items[1]",
                "Secret stringData.p by *s < List items[2]",
            ],
        );
        check_occurrences(
            "apiVersion: v1\nkind: List\nx: &x {apiVersion: v1, kind: Secret}\ny: [&y {<<: *x}]\nitems:\n- {<<: [{a: b}, *y], stringData: {p: HERE}}\n",
            &["Secret stringData.p < List items[0]"],
        );
        check_occurrences(
            "apiVersion: v1\nkind: SecretList\nitems: &i [{data: {p: HERE}}]\nx: {apiVersion: v1, kind: ConfigMapList, items: *i}\n",
            &[
                "Secret data.p < SecretList items[0]",
                "ConfigMap data.p by *i < ConfigMapList items[0] < SecretList x",
            ],
        );
    }

    #[test]
    fn keys_and_headers_can_be_aliases() {
        check_occurrences(
            "x: [&k kind, &s Secret, &v HERE]\n*k : *s\napiVersion: v1\nstringData: {*v : 1, ? [*v] : 2}\n",
            &[
                "Secret x[2]",
                "Secret stringData.HERE (key) by *v",
                "Secret stringData[\"\"][0] (key) by *v",
            ],
        );
    }

    #[test]
    fn an_alias_refers_to_the_latest_anchor_before_it() {
        check_occurrences(
            "a: &x HERE\nb: *x\nc: &x other\nd: *x\n",
            &["- a", "- b by *x"],
        );
    }

    #[test]
    fn rejects_cyclic_and_exponential_aliases() {
        check_occurrences("a: &a {b: HERE, c: *a}\n", &["cycle"]);
        check_occurrences("a: &a\n  b: [HERE, [*a]]\nc: *a\n", &["cycle"]);
        let mut laughs = "a0: &a0 HERE\n".to_owned();
        for n in 1..40 {
            laughs.push_str(&format!("a{n}: &a{n} [*a{}, *a{}]\n", n - 1, n - 1));
        }
        check_occurrences(&laughs, &["too many"]);
    }
}
