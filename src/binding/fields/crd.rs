//! The types of custom resources, from the CustomResourceDefinitions that stand
//! among the manifests. Nothing is looked at before a value lands in a kind that
//! is not Kubernetes' own, and then only what may define it is parsed.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::ops::Range;
use std::rc::Rc;

use super::{FieldType, Members};
use crate::manifest::{Granit, Kind, Locator, NodeId, Role, Tree, mask_others, masked, split};

const DEFINITION: &str = "CustomResourceDefinition";

/// An apiVersion and a kind.
type Name = (String, String);

/// A document: the position of its text, and its bytes there.
type Place = (usize, Range<usize>);

/// The kinds that the manifests of one render define.
pub(crate) struct CustomKinds<'m> {
    texts: Vec<&'m str>,
    indexed: Cell<bool>,
    /// By each word that stands behind `kind`, the documents that it stands in and
    /// that nobody has parsed yet.
    unread: RefCell<BTreeMap<String, Vec<Place>>>,
    known: RefCell<BTreeMap<Name, FieldType>>,
}

impl<'m> CustomKinds<'m> {
    /// Definitions are looked for in these texts.
    pub(crate) fn new(texts: Vec<&'m str>) -> Self {
        Self {
            texts,
            indexed: Cell::new(false),
            unread: RefCell::default(),
            known: RefCell::default(),
        }
    }

    /// The type of a resource of this kind.
    pub(super) fn kind(&self, api_version: &str, kind: &str) -> Option<FieldType> {
        if !self.indexed.replace(true) {
            let mut unread = self.unread.borrow_mut();
            for (nth, text) in self.texts.iter().enumerate() {
                if !defines(text) {
                    continue;
                }
                for document in split(text).iter().filter(|one| defines(one.text)) {
                    let bytes = document.offset..document.offset + document.text.len();
                    for word in kinds(document.text) {
                        let places = unread.entry(word.to_owned()).or_default();
                        if places.last() != Some(&(nth, bytes.clone())) {
                            places.push((nth, bytes.clone()));
                        }
                    }
                }
            }
        }
        let documents = self.unread.borrow_mut().remove(kind).unwrap_or_default();
        for (nth, bytes) in documents {
            self.read(&self.texts[nth][bytes]);
        }
        let known = self.known.borrow();
        // Without a definition of any kind there is nothing to compare.
        (!known.is_empty())
            .then(|| {
                known
                    .get(&(api_version.to_owned(), kind.to_owned()))
                    .cloned()
            })
            .flatten()
    }

    /// Takes in all definitions of a document. One that is no YAML defines nothing:
    /// whether that is an error is not asked here.
    fn read(&self, document: &str) {
        let scratch = masked(document, mask_others(document).iter());
        if let Ok(tree) = Granit.locate(&scratch) {
            let mut known = self.known.borrow_mut();
            for (name, found) in Definitions::new(&tree).all() {
                known.entry(name).or_insert(found);
            }
        }
    }
}

fn defines(text: &str) -> bool {
    memchr::memmem::find(text.as_bytes(), DEFINITION.as_bytes()).is_some()
}

/// Every word that stands behind `kind` in a document.
fn kinds(document: &str) -> impl Iterator<Item = &str> {
    memchr::memmem::find_iter(document.as_bytes(), "kind").map(|at| {
        let behind = document[at + 4..].trim_start_matches(['"', '\'', ':', ' ']);
        let end = behind.find(|c: char| !c.is_ascii_alphanumeric());
        &behind[..end.unwrap_or(behind.len())]
    })
}

/// The definitions in one tree: its root, or the items of a list.
struct Definitions<'t> {
    tree: &'t Tree<'t>,
    members: Vec<Vec<NodeId>>,
}

impl<'t> Definitions<'t> {
    fn new(tree: &'t Tree<'t>) -> Self {
        let mut members = vec![Vec::new(); tree.nodes.len()];
        for (id, node) in tree.nodes.iter().enumerate() {
            if let Some(parent) = node.parent {
                members[parent].push(id);
            }
        }
        Self { tree, members }
    }

    /// Every version of every kind that is defined.
    fn all(&self) -> Vec<(Name, FieldType)> {
        let mut found = Vec::new();
        for id in 0..self.tree.nodes.len() {
            if self.text(id, "kind") == Some(DEFINITION) {
                found.extend(self.versions(id));
            }
        }
        found
    }

    fn versions(&self, definition: NodeId) -> Vec<(Name, FieldType)> {
        let spec = self.get(definition, "spec");
        let kind = spec
            .and_then(|spec| self.get(spec, "names"))
            .and_then(|names| self.text(names, "kind"));
        let group = spec.and_then(|spec| self.text(spec, "group"));
        let versions = spec.and_then(|spec| self.get(spec, "versions"));
        let (Some(kind), Some(group), Some(versions)) = (kind, group, versions) else {
            return Vec::new();
        };
        let version = |version: &NodeId| {
            let name = self.text(*version, "name")?;
            let schema = self.get(*version, "schema")?;
            let schema = self.get(schema, "openAPIV3Schema")?;
            let name = (format!("{group}/{name}"), kind.to_owned());
            Some((name, self.resource(schema)))
        };
        self.members[versions].iter().filter_map(version).collect()
    }

    /// A resource's own type: whatever the schema says of its metadata, the API
    /// server takes ObjectMeta and nothing else.
    fn resource(&self, schema: NodeId) -> FieldType {
        let mut fields = self.properties(schema);
        let any = FieldType::any();
        for key in ["apiVersion", "kind", "metadata"] {
            fields.insert(key.to_owned(), any.field(key));
        }
        FieldType::object(fields, FieldType::Unknown)
    }

    fn schema(&self, schema: NodeId) -> FieldType {
        if self.text(schema, "x-kubernetes-int-or-string") == Some("true") {
            return FieldType::Either;
        }
        match self.text(schema, "type") {
            Some("string") => FieldType::String,
            Some("integer") => FieldType::Integer,
            Some("number") => FieldType::Number,
            Some("boolean") => FieldType::Boolean,
            Some("array") => {
                let items = self.get(schema, "items");
                FieldType::list(items.map_or(FieldType::Unknown, |items| self.schema(items)))
            }
            Some("object") => {
                let others = self.get(schema, "additionalProperties");
                let others = others.map_or(FieldType::Unknown, |others| self.schema(others));
                FieldType::object(self.properties(schema), others)
            }
            _ => FieldType::Unknown,
        }
    }

    fn properties(&self, schema: NodeId) -> BTreeMap<String, FieldType> {
        let Some(properties) = self.get(schema, "properties") else {
            return BTreeMap::new();
        };
        let property = |id: &NodeId| {
            let Role::Value(key) = self.tree.nodes[*id].role else {
                return None;
            };
            Some((self.tree.text(key)?.to_owned(), self.schema(*id)))
        };
        self.members[properties]
            .iter()
            .filter_map(property)
            .collect()
    }

    fn get(&self, mapping: NodeId, key: &str) -> Option<NodeId> {
        let is_it = |id: &&NodeId| matches!(self.tree.nodes[**id].role, Role::Value(at) if self.tree.text(at) == Some(key));
        self.members[mapping].iter().find(is_it).copied()
    }

    fn text(&self, mapping: NodeId, key: &str) -> Option<&'t str> {
        match &self.tree.nodes[self.get(mapping, key)?].kind {
            Kind::Scalar { text, .. } => Some(text),
            _ => None,
        }
    }
}

impl FieldType {
    fn list(item: Self) -> Self {
        Self::List(Members::Custom(Rc::new(Schema {
            fields: BTreeMap::new(),
            others: item,
        })))
    }

    fn object(fields: BTreeMap<String, Self>, others: Self) -> Self {
        Self::Object(Members::Custom(Rc::new(Schema { fields, others })))
    }
}

/// What a definition says of the members of an object or list.
#[derive(Debug)]
pub(crate) struct Schema {
    fields: BTreeMap<String, FieldType>,
    /// Of all other fields, or of a list's items.
    others: FieldType,
}

impl Schema {
    pub(super) fn field(&self, key: &str) -> &FieldType {
        self.fields.get(key).unwrap_or(&self.others)
    }

    pub(super) fn item(&self) -> &FieldType {
        &self.others
    }
}
