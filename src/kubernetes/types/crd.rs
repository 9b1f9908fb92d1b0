//! The types of custom resources, from the CustomResourceDefinitions among the manifests.
//! Nothing is parsed until a value is written to a kind that isn't built in, and then only
//! the documents that may define it.

use std::cell::RefCell;
use std::ops::Range;
use std::sync::Arc;

use crate::collections::OrderedMap;
use crate::kubernetes::types::{FieldType, Members};
use crate::reference::locate;
use yaml::{NodeId, Role, Tree, split};

const DEFINITION: &str = "CustomResourceDefinition";

/// The maximum number of kinds that are searched for by name. A render that needs more
/// parses everything once: the work grows linearly with the text, not with its square.
const MAX_SEARCHES: usize = 64;

/// A document: the index of its text, and its bytes there.
type Place = (usize, Range<usize>);

/// The kinds that the manifests of one render define.
pub(crate) struct CustomKinds<'m> {
    texts: Vec<&'m str>,
    defined: RefCell<DefinedKinds>,
}

/// What is known about the kinds that some manifests define.
#[derive(Clone, Debug, Default)]
pub(crate) struct DefinedKinds {
    /// The documents with definitions that have not been parsed yet. `None`: they have not
    /// been searched for.
    unread: Option<Vec<Place>>,
    searches: usize,
    /// By apiVersion and kind, `example.com/v1 Widget`; includes every kind that was looked
    /// up.
    known: OrderedMap<String, FieldType>,
}

impl<'m> CustomKinds<'m> {
    /// Creates the kinds that these texts define, of which `defined` are known already.
    pub(crate) const fn new(texts: Vec<&'m str>, defined: DefinedKinds) -> Self {
        Self {
            texts,
            defined: RefCell::new(defined),
        }
    }

    /// Returns everything known so far.
    pub(crate) fn into_defined(self) -> DefinedKinds {
        self.defined.into_inner()
    }

    /// Returns the type of a resource of this kind: that of an arbitrary resource if the
    /// kind isn't defined.
    pub(crate) fn kind(&self, api_version: &str, kind: &str) -> FieldType {
        let mut defined = self.defined.borrow_mut();
        let DefinedKinds {
            unread,
            searches,
            known,
        } = &mut *defined;
        let unread = unread.get_or_insert_with(|| documents(&self.texts));
        if unread.is_empty() && known.is_empty() {
            return FieldType::any();
        }
        let name = format!("{api_version} {kind}");
        if let Some(found) = known.get(&name) {
            return found.clone();
        }
        *searches += 1;
        unread.retain(|(nth, bytes)| {
            let document = &self.texts[*nth][bytes.clone()];
            let is_wanted = *searches > MAX_SEARCHES || names(document, kind);
            if is_wanted {
                read(document, known);
            }
            !is_wanted
        });
        known.entry(name).or_insert_with(FieldType::any).clone()
    }
}

impl DefinedKinds {
    /// Returns the kinds that a text defines, which is one document with this tree.
    pub(crate) fn of_tree(text: &str, tree: &Tree) -> Self {
        let mut kinds = Self {
            unread: Some(Vec::new()),
            ..Self::default()
        };
        if defines(text) {
            take(tree, &mut kinds.known);
        }
        kinds
    }
}

/// Returns the documents with definitions.
fn documents(texts: &[&str]) -> Vec<Place> {
    let mut found = Vec::new();
    for (nth, text) in texts.iter().enumerate().filter(|(_, text)| defines(text)) {
        for document in split(text).iter().filter(|one| defines(one.text)) {
            let end = document.offset + document.text.len();
            found.push((nth, document.offset..end));
        }
    }
    found
}

fn defines(text: &str) -> bool {
    memchr::memmem::find(text.as_bytes(), DEFINITION.as_bytes()).is_some()
}

/// Returns whether a document contains `kind: Widget`, with any quotes.
fn names(document: &str, kind: &str) -> bool {
    memchr::memmem::find_iter(document.as_bytes(), "kind").any(|at| {
        let after = document[at + 4..].trim_start_matches(['"', '\'', ':', ' ']);
        after
            .strip_prefix(kind)
            .is_some_and(|rest| !rest.starts_with(|c: char| c.is_ascii_alphanumeric()))
    })
}

/// Adds all definitions of a document. A document that isn't valid YAML defines nothing;
/// whether that is an error is decided elsewhere.
fn read(document: &str, known: &mut OrderedMap<String, FieldType>) {
    if let Ok(tree) = locate(document.to_owned()) {
        take(&tree, known);
    }
}

fn take(tree: &Tree, known: &mut OrderedMap<String, FieldType>) {
    for (name, found) in Definitions::new(tree).all() {
        known.entry(name).or_insert(found);
    }
}

/// Returns the definitions in one tree: its root, or the items of a list.
struct Definitions<'t> {
    tree: &'t Tree,
    members: Vec<Vec<NodeId>>,
}

impl<'t> Definitions<'t> {
    fn new(tree: &'t Tree) -> Self {
        let mut members = vec![Vec::new(); tree.len()];
        for (id, node) in tree.nodes() {
            if let Some(parent) = node.parent() {
                members[parent].push(id);
            }
        }
        Self { tree, members }
    }

    /// Returns every version of every kind that is defined.
    fn all(&self) -> Vec<(String, FieldType)> {
        let mut found = Vec::new();
        for id in 0..self.tree.len() {
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

    /// Returns a resource's own type: whatever the schema says about its metadata, the API
    /// server accepts only ObjectMeta.
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

    fn properties(&self, schema: NodeId) -> OrderedMap<String, FieldType> {
        let mut fields = OrderedMap::new();
        let Some(properties) = self.get(schema, "properties") else {
            return fields;
        };
        // Collecting would sort them first, with code of its own.
        for id in &self.members[properties] {
            if let Role::Value(key) = self.tree[*id].role()
                && let Some(key) = self.tree.text(key)
            {
                fields.insert(key.to_owned(), self.schema(*id));
            }
        }
        fields
    }

    fn get(&self, mapping: NodeId, key: &str) -> Option<NodeId> {
        let is_it = |id: &&NodeId| matches!(self.tree[**id].role(), Role::Value(at) if self.tree.text(at) == Some(key));
        self.members[mapping].iter().find(is_it).copied()
    }

    fn text(&self, mapping: NodeId, key: &str) -> Option<&'t str> {
        self.tree.text(self.get(mapping, key)?)
    }
}

impl FieldType {
    fn list(item: Self) -> Self {
        Self::List(Members::Custom(Arc::new(Schema {
            fields: OrderedMap::new(),
            others: item,
        })))
    }

    fn object(fields: OrderedMap<String, Self>, others: Self) -> Self {
        Self::Object(Members::Custom(Arc::new(Schema { fields, others })))
    }
}

/// The schema of the members of an object or list.
#[derive(Debug)]
pub(crate) struct Schema {
    fields: OrderedMap<String, FieldType>,
    /// The schema of all other fields, or of a list's items.
    others: FieldType,
}

impl Schema {
    pub(crate) fn field(&self, key: &str) -> &FieldType {
        self.fields.get(key).unwrap_or(&self.others)
    }

    pub(crate) fn item(&self) -> &FieldType {
        &self.others
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_a_kind_is_named() {
        for text in [
            "kind: Widget",
            "\"kind\":\"Widget\",",
            "{kind : 'Widget'}",
            "kind: Gadget\nkind:  Widget\n",
        ] {
            assert!(names(text, "Widget"), "{text}");
        }
        for text in [
            "kind: Widgets",
            "a Widget",
            "kind: MyWidget",
            "Widget",
            "kind:\n",
        ] {
            assert!(!names(text, "Widget"), "{text}");
        }
    }

    fn definition(kind: &str) -> String {
        format!(
            "apiVersion: apiextensions.k8s.io/v1\nkind: {DEFINITION}\nspec:\n  group: example.com\n  names: {{kind: {kind}}}\n  versions: [{{name: v1, schema: {{openAPIV3Schema: {{properties: {{size: {{type: integer}}}}}}}}}}]\n"
        )
    }

    #[test]
    fn documents_are_parsed_only_when_a_kind_asks_for_them() {
        let both = format!("{}---\n{}", definition("Widget"), definition("Gadget"));
        let kinds = CustomKinds::new(vec!["kind: Widget\n", &both], DefinedKinds::default());
        let unread = || kinds.defined.borrow().unread.as_ref().map(Vec::len);
        assert_eq!(unread(), None);
        assert_eq!(kinds.kind("example.com/v1", "Nothing"), FieldType::any());
        assert_eq!(unread(), Some(2));
        let widget = kinds.kind("example.com/v1", "Widget");
        assert_eq!(widget.field("size"), FieldType::Integer);
        assert_eq!(widget.field("metadata").field("name"), FieldType::String);
        assert_eq!(unread(), Some(1));
        assert_eq!(kinds.kind("example.com/v2", "Widget"), FieldType::any());
        assert_eq!(kinds.kind("example.com/v1", "Widget"), widget);
        assert_eq!(unread(), Some(1));
    }

    #[test]
    fn many_kinds_are_all_found() {
        let all: String = (0..100)
            .map(|nth| format!("---\n{}", definition(&format!("Widget{nth}"))))
            .collect();
        let kinds = CustomKinds::new(vec![&all], DefinedKinds::default());
        for nth in 0..100 {
            let found = kinds.kind("example.com/v1", &format!("Widget{nth}"));
            assert_eq!(found.field("size"), FieldType::Integer, "{nth}");
        }
    }
}
