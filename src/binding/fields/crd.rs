//! The types of custom resources, from the CustomResourceDefinitions that stand
//! among the manifests. Nothing is looked at before a value lands in a kind that
//! is not Kubernetes' own, and then only what may define it is parsed.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ops::Range;
use std::rc::Rc;

use super::{FieldType, Members};
use crate::manifest::{Granit, Kind, Locator, NodeId, Role, Tree, mask_others, masked, split};

const DEFINITION: &str = "CustomResourceDefinition";

/// The most characters that a kind's name may have: it is a DNS label.
const LONGEST_KIND: usize = 63;

/// A document: the position of its text, and its bytes there.
type Place = (usize, Range<usize>);

/// The kinds that the manifests of one render define.
pub(crate) struct CustomKinds<'m> {
    texts: Vec<&'m str>,
    /// None: not yet looked through.
    index: RefCell<Option<Index>>,
    /// By apiVersion and kind: `example.com/v1 Widget`.
    known: RefCell<BTreeMap<String, FieldType>>,
}

/// The documents that may define kinds.
#[derive(Debug, Default)]
struct Index {
    /// None: it has been parsed.
    documents: Vec<Option<Place>>,
    /// Each word that stands behind `kind`, and the position of the document that it
    /// stands in; sorted.
    words: Vec<(String, usize)>,
}

impl<'m> CustomKinds<'m> {
    /// Definitions are looked for in these texts.
    pub(crate) fn new(texts: Vec<&'m str>) -> Self {
        Self {
            texts,
            index: RefCell::default(),
            known: RefCell::default(),
        }
    }

    /// The type of a resource of this kind.
    pub(super) fn kind(&self, api_version: &str, kind: &str) -> Option<FieldType> {
        let mut index = self.index.borrow_mut();
        let index = index.get_or_insert_with(|| Index::new(&self.texts));
        if index.words.is_empty() {
            return None;
        }
        let first = index
            .words
            .partition_point(|(word, _)| word.as_str() < kind);
        let theirs = index.words[first..].iter();
        for (_, document) in theirs.take_while(|(word, _)| word == kind) {
            if let Some((nth, bytes)) = index.documents[*document].take() {
                self.read(&self.texts[nth][bytes]);
            }
        }
        let known = self.known.borrow();
        known.get(&format!("{api_version} {kind}")).cloned()
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

impl Index {
    fn new(texts: &[&str]) -> Self {
        let mut index = Self::default();
        for (nth, text) in texts.iter().enumerate().filter(|(_, text)| defines(text)) {
            for document in split(text).iter().filter(|one| defines(one.text)) {
                let position = index.documents.len();
                let words = kinds(document.text).map(|word| (word.to_owned(), position));
                index.words.extend(words);
                let end = document.offset + document.text.len();
                index.documents.push(Some((nth, document.offset..end)));
            }
        }
        index.words.sort_unstable();
        index.words.dedup();
        index
    }
}

fn defines(text: &str) -> bool {
    memchr::memmem::find(text.as_bytes(), DEFINITION.as_bytes()).is_some()
}

/// Every word that stands behind `kind` in a document, as far as it may name one.
fn kinds(document: &str) -> impl Iterator<Item = &str> {
    memchr::memmem::find_iter(document.as_bytes(), "kind").filter_map(|at| {
        let behind = document[at + 4..].trim_start_matches(['"', '\'', ':', ' ']);
        let mut letters = behind.bytes().take(LONGEST_KIND + 1);
        let end = letters.position(|b| !b.is_ascii_alphanumeric());
        end.map_or_else(
            || (behind.len() <= LONGEST_KIND).then_some(behind),
            |end| behind.get(..end),
        )
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
    fn all(&self) -> Vec<(String, FieldType)> {
        let mut found = Vec::new();
        for id in 0..self.tree.nodes.len() {
            if self.text(id, "kind") == Some(DEFINITION) {
                found.extend(self.versions(id));
            }
        }
        found
    }

    fn versions(&self, definition: NodeId) -> Vec<(String, FieldType)> {
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
            Some((format!("{group}/{name} {kind}"), self.resource(schema)))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_may_name_a_kind() {
        let found = |text: &'static str| kinds(text).collect::<Vec<_>>();
        assert_eq!(
            found("kind: Widget\n  \"kind\":\"Gadget\", kind : 'Thing'\nkind:"),
            ["Widget", "Gadget", "Thing", ""]
        );
        // Words without an end would add up to the square of the text.
        let endless = "kind".repeat(1000);
        assert!(kinds(&endless).all(|word| word.len() <= LONGEST_KIND));
    }

    #[test]
    fn documents_are_parsed_only_when_a_kind_asks_for_them() {
        let definition = |kind: &str| {
            format!(
                "apiVersion: apiextensions.k8s.io/v1\nkind: {DEFINITION}\nspec:\n  group: example.com\n  names: {{kind: {kind}}}\n  versions: [{{name: v1, schema: {{openAPIV3Schema: {{properties: {{size: {{type: integer}}}}}}}}}}]\n"
            )
        };
        let both = format!("{}---\n{}", definition("Widget"), definition("Gadget"));
        let kinds = CustomKinds::new(vec!["kind: Widget\n", &both]);
        let read = || {
            let index = kinds.index.borrow();
            index.as_ref().map(|index| {
                let parsed = index.documents.iter().filter(|one| one.is_none());
                parsed.count()
            })
        };
        assert_eq!(read(), None);
        assert_eq!(kinds.kind("example.com/v1", "Nothing"), None);
        assert_eq!(read(), Some(0));
        let widget = kinds.kind("example.com/v1", "Widget").unwrap();
        assert_eq!(widget.field("size"), FieldType::Integer);
        assert_eq!(widget.field("metadata").field("name"), FieldType::String);
        assert_eq!(read(), Some(1));
        assert_eq!(kinds.kind("example.com/v2", "Widget"), None);
        assert_eq!(kinds.kind("example.com/v1", "Widget"), Some(widget));
        assert_eq!(read(), Some(1));
    }
}
