//! Which resource and which field a place of a manifest belongs to.

use std::collections::BTreeMap;

use crate::manifest::{Kind, NodeId, Role, Tree};
use crate::report::ResourceRef;

/// The places of one document, once the texts of its scalars are known.
pub(crate) struct Places<'a> {
    tree: &'a Tree<'a>,
    /// Scalars whose text a reference has changed.
    changed: BTreeMap<NodeId, String>,
    headers: BTreeMap<NodeId, Header>,
    /// The field that the document is the value of: it is embedded there.
    outer: Option<Field>,
    aliases: Vec<NodeId>,
}

/// What makes a mapping a resource.
#[derive(Clone, Copy, Debug, Default)]
struct Header {
    api_version: Option<NodeId>,
    kind: Option<NodeId>,
    metadata: Option<NodeId>,
    name: Option<NodeId>,
    namespace: Option<NodeId>,
}

/// A field of a resource.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Field {
    pub(crate) resource: Option<ResourceRef>,
    /// From the resource (or the document) inwards.
    pub(crate) steps: Vec<FieldStep>,
}

/// One step of a field path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum FieldStep {
    Key(String),
    Index(usize),
}

impl<'a> Places<'a> {
    /// `changed` holds the new texts of scalars with references in them.
    pub(crate) fn new(tree: &'a Tree<'a>, changed: BTreeMap<NodeId, String>) -> Self {
        let mut places = Self {
            tree,
            changed,
            headers: BTreeMap::new(),
            outer: None,
            aliases: Vec::new(),
        };
        for (value, node) in tree.nodes.iter().enumerate() {
            if matches!(node.kind, Kind::Alias(_)) {
                places.aliases.push(value);
            }
            let (Role::Value(key), Some(mapping)) = (node.role, node.parent) else {
                continue;
            };
            let Some(text) = places.text(key) else {
                continue;
            };
            let slot: fn(&mut Header) -> &mut Option<NodeId> = match text {
                "apiVersion" => |header| &mut header.api_version,
                "kind" => |header| &mut header.kind,
                "metadata" => |header| &mut header.metadata,
                "name" => |header| &mut header.name,
                "namespace" => |header| &mut header.namespace,
                _ => continue,
            };
            // Of equal keys the last one counts, as for Kubernetes' own readers.
            *slot(places.headers.entry(mapping).or_default()) = Some(value);
        }
        places
    }

    /// The same places in a document that is the value of this field.
    pub(crate) fn within(mut self, outer: Option<&Field>) -> Self {
        self.outer = outer.cloned();
        self
    }

    /// The same places once these scalars have new texts.
    pub(crate) fn with(self, changed: BTreeMap<NodeId, String>) -> Self {
        if changed
            .keys()
            .any(|id| self.tree.nodes[*id].role == Role::Key)
        {
            return Self::new(self.tree, changed).within(self.outer.as_ref());
        }
        Self { changed, ..self }
    }

    /// The text of a scalar after substitution.
    pub(crate) fn text(&self, id: NodeId) -> Option<&str> {
        self.changed
            .get(&id)
            .map(String::as_str)
            .or_else(|| self.tree.text(id))
    }

    /// Where `node` stands: the innermost resource around it, and the path from
    /// there. A key stands at the path of its value.
    pub(crate) fn field(&self, node: NodeId) -> Field {
        let mut steps = Vec::new();
        let mut at = node;
        let mut resource = None;
        loop {
            match self.tree.nodes[at].role {
                Role::Root => break,
                Role::Item(index) => steps.push(FieldStep::Index(index)),
                Role::Key => {
                    steps.push(FieldStep::Key(self.text(at).unwrap_or_default().to_owned()));
                }
                Role::Value(key) => steps.push(FieldStep::Key(
                    self.text(key).unwrap_or_default().to_owned(),
                )),
            }
            let Some(parent) = self.tree.nodes[at].parent else {
                break;
            };
            at = parent;
            resource = self.resource(at);
            if resource.is_some() {
                break;
            }
        }
        steps.reverse();
        match (resource, &self.outer) {
            (None, Some(outer)) => {
                let mut field = outer.clone();
                field.steps.append(&mut steps);
                field
            }
            (resource, _) => Field { resource, steps },
        }
    }

    /// The aliases of the document.
    pub(crate) fn aliases(&self) -> impl Iterator<Item = NodeId> + '_ {
        self.aliases.iter().copied()
    }

    /// What a node is to its parent.
    pub(crate) fn role(&self, node: NodeId) -> Role {
        self.tree.nodes[node].role
    }

    /// Every resource of the document.
    pub(crate) fn resources(&self) -> impl Iterator<Item = (NodeId, ResourceRef)> + '_ {
        (0..self.tree.nodes.len()).filter_map(|id| Some((id, self.resource(id)?)))
    }

    /// The resource that the mapping `id` is, if it is one: it has an apiVersion
    /// and a kind, or is an item of a list of its kind.
    pub(crate) fn resource(&self, id: NodeId) -> Option<ResourceRef> {
        if !matches!(self.tree.nodes[id].kind, Kind::Mapping { .. }) {
            return None;
        }
        let header = self.headers.get(&id).copied().unwrap_or_default();
        let text = |node: Option<NodeId>| node.and_then(|node| self.text(node)).map(str::to_owned);
        let (api_version, kind) = match (text(header.api_version), text(header.kind)) {
            (Some(api_version), Some(kind)) => (api_version, kind),
            (_, None) => self.item_of_list(id)?,
            _ => return None,
        };
        let metadata = header
            .metadata
            .and_then(|metadata| self.headers.get(&metadata))
            .copied()
            .unwrap_or_default();
        Some(ResourceRef {
            api_version,
            kind,
            name: text(metadata.name).unwrap_or_default(),
            namespace: text(metadata.namespace).unwrap_or_default(),
        })
    }

    /// Whether a resource is one, and not what names another one: the
    /// `scaleTargetRef` of an autoscaler and an owner reference have an apiVersion
    /// and a kind too, and no metadata.
    pub(crate) fn is_whole_resource(&self, id: NodeId) -> bool {
        let has_metadata = self
            .headers
            .get(&id)
            .is_some_and(|header| header.metadata.is_some());
        has_metadata || self.tree.nodes[id].parent.is_none() || self.is_listed(id)
    }

    /// Whether a resource is a list of others.
    pub(crate) fn is_list(&self, id: NodeId) -> bool {
        let header = self.headers.get(&id);
        let kind = header.and_then(|header| header.kind);
        let kind = kind.and_then(|kind| self.text(kind));
        kind.is_some_and(|kind| kind.ends_with("List"))
            && self.tree.nodes[id..].iter().any(|node| {
                let Role::Value(key) = node.role else {
                    return false;
                };
                node.parent == Some(id)
                    && self.text(key) == Some("items")
                    && matches!(node.kind, Kind::Sequence { .. })
            })
    }

    /// Whether a node is one of a resource's `items`.
    fn is_listed(&self, id: NodeId) -> bool {
        let Role::Item(_) = self.tree.nodes[id].role else {
            return false;
        };
        let sequence = self.tree.nodes[id].parent;
        let is_items = sequence.is_some_and(|sequence| {
            matches!(self.tree.nodes[sequence].role, Role::Value(key) if self.text(key) == Some("items"))
        });
        let list = sequence.and_then(|sequence| self.tree.nodes[sequence].parent);
        is_items && list.is_some_and(|list| self.is_list(list))
    }

    /// Items of a `ConfigMapList` are ConfigMaps and need not say so.
    fn item_of_list(&self, id: NodeId) -> Option<(String, String)> {
        let Role::Item(_) = self.tree.nodes[id].role else {
            return None;
        };
        let sequence = self.tree.nodes[id].parent?;
        let Role::Value(key) = self.tree.nodes[sequence].role else {
            return None;
        };
        let list = self.tree.nodes[sequence]
            .parent
            .filter(|_| self.text(key) == Some("items"))?;
        let header = self.headers.get(&list)?;
        let kind = header
            .kind
            .and_then(|node| self.text(node))?
            .strip_suffix("List")
            .filter(|kind| !kind.is_empty())?;
        let api_version = header.api_version.and_then(|node| self.text(node))?;
        // A ResourceList's items are resources of any kind.
        (kind != "Resource").then(|| (api_version.to_owned(), kind.to_owned()))
    }

    /// Whether any mapping is a resource of this kind, or a list of such.
    pub(crate) fn has_kind(&self, wanted: &str) -> bool {
        self.headers.values().any(|header| {
            let kind = header.kind.and_then(|node| self.text(node));
            kind.is_some_and(|kind| kind.strip_suffix("List").unwrap_or(kind) == wanted)
        })
    }

    /// The key of the root mapping that `node` stands under.
    pub(crate) fn root_key(&self, node: NodeId) -> Option<&str> {
        let mut at = node;
        loop {
            let parent = self.tree.nodes[at].parent?;
            if self.tree.nodes[parent].parent.is_none() {
                return match self.tree.nodes[at].role {
                    Role::Value(key) => self.text(key),
                    Role::Key => self.text(at),
                    _ => None,
                };
            }
            at = parent;
        }
    }

    /// Whether the root mapping has this key.
    pub(crate) fn root_has(&self, wanted: &str) -> bool {
        self.tree.nodes.iter().enumerate().any(|(id, node)| {
            node.role == Role::Key && node.parent == Some(0) && self.text(id) == Some(wanted)
        })
    }
}

impl Field {
    /// Whether it is a field of a Secret.
    pub(crate) fn is_of_secret(&self) -> bool {
        let resource = self.resource.as_ref();
        resource.is_some_and(|resource| resource.kind == "Secret")
    }

    /// The names of the first keys, as far as they are keys.
    pub(crate) fn key(&self, nth: usize) -> Option<&str> {
        match self.steps.get(nth) {
            Some(FieldStep::Key(key)) => Some(key),
            _ => None,
        }
    }
}

/// As the API server writes it, with quotes where a key has dots:
/// `spec.containers[0].args`, `metadata.annotations["a.b/c"]`.
impl std::fmt::Display for Field {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (nth, step) in self.steps.iter().enumerate() {
            match step {
                FieldStep::Index(index) => write!(f, "[{index}]")?,
                FieldStep::Key(key)
                    if key.is_empty() || key.contains(['.', '[', ']', '"', ' ']) =>
                {
                    let quoted = crate::outputs::Value::String(key.clone()).to_json();
                    write!(f, "[{quoted}]")?;
                }
                FieldStep::Key(key) if nth == 0 => f.write_str(key)?,
                FieldStep::Key(key) => write!(f, ".{key}")?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manifest::{Granit, Locator};

    fn check(source: &str, expected: &[&str]) {
        let tree = Granit.locate(source).unwrap();
        let places = Places::new(&tree, BTreeMap::new());
        let told: Vec<_> = (0..tree.nodes.len())
            .filter(|id| tree.text(*id) == Some("HERE"))
            .map(|id| {
                let field = places.field(id);
                let resource = field
                    .resource
                    .as_ref()
                    .map(|r| format!("{}/{} {}", r.api_version, r.kind, r.name));
                format!("{} {field}", resource.unwrap_or_default())
            })
            .collect();
        assert_eq!(told, expected);
    }

    #[test]
    fn fields_count_from_the_innermost_resource() {
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
    fn a_document_that_is_no_resource_has_fields_too() {
        check("a: {b: HERE}\n", &[" a.b"]);
    }
}
