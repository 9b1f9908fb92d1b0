//! The types of custom resources, from the CustomResourceDefinitions among the manifests.
//! Nothing is parsed until a value is written to a kind that isn't built in, and then only
//! the documents that may define it.

use std::cell::RefCell;
use std::ops::Range;
use std::sync::Arc;

use crate::collections::{OrderedMap, OrderedSet};
use crate::kubernetes::resources::PatchTarget;
use crate::kubernetes::types::{FieldType, Members, PatchFiles, table};
use crate::kubernetes::validity::Limits;
use crate::outputs::Value;
use crate::reference::locate;
use crate::report::Rule;
use yaml::{NodeId, Role, Span, Tree, split};

const DEFINITION: &str = "CustomResourceDefinition";

/// The maximum number of kinds that are searched for by name. A render that needs more
/// parses everything once: the work grows linearly with the text, not with its square.
const MAX_SEARCHES: usize = 64;

/// A document of one of the texts.
#[derive(Clone, Debug)]
struct DocumentRange {
    /// The index of the text.
    text: usize,
    /// The bytes of the document in it.
    bytes: Range<usize>,
}

/// What the manifests of one render say about the types of fields.
pub(crate) struct CustomKinds<'m> {
    texts: Vec<&'m str>,
    defined: RefCell<DefinedKinds>,
    /// The targets of the patches among the files, if there are any.
    patch_files: Option<&'m PatchFiles>,
    /// What has been reported about versions of kinds.
    reported: RefCell<OrderedSet<(Rule, String)>>,
}

/// What is known about the kinds that some manifests define.
#[derive(Clone, Debug, Default)]
pub(crate) struct DefinedKinds {
    /// The documents with definitions that have not been parsed yet. `None`: they have not
    /// been searched for.
    unparsed: Option<Vec<DocumentRange>>,
    /// The kinds whose definitions have been searched for.
    searched: OrderedSet<String>,
    /// By kind, each version, in the order of the manifests.
    known: KnownKinds,
}

type KnownKinds = OrderedMap<String, Vec<KnownVersion>>;

/// A version of a kind that some manifests define.
#[derive(Clone, Debug)]
struct KnownVersion {
    api_version: String,
    /// The first definition: its types are used.
    used: Definition,
    /// The first one that has other types.
    other: Option<Definition>,
}

/// How a CustomResourceDefinition defines a version of a kind.
#[derive(Clone, Debug)]
pub(crate) struct Definition {
    pub(crate) fields: FieldType,
    /// The index of the text.
    pub(crate) text: usize,
    /// The name of the version in it.
    pub(crate) name: Span,
}

impl<'m> CustomKinds<'m> {
    /// Creates the kinds that these texts define, of which `defined` are known already.
    pub(crate) const fn new(texts: Vec<&'m str>, defined: DefinedKinds) -> Self {
        Self {
            texts,
            defined: RefCell::new(defined),
            patch_files: None,
            reported: RefCell::new(OrderedSet::new()),
        }
    }

    /// Sets the targets of the patches among the files.
    pub(crate) const fn patching(mut self, files: &'m PatchFiles) -> Self {
        self.patch_files = Some(files);
        self
    }

    /// Returns what the patch in the file at this position applies to, if it is one.
    pub(crate) fn patch_target(&self, file: usize) -> Option<Arc<PatchTarget>> {
        self.patch_files?.target(file)
    }

    /// Returns whether the file at this position is a patch.
    pub(crate) fn is_patch(&self, file: usize) -> bool {
        self.patch_files.is_some_and(|files| files.contains(file))
    }

    /// Returns whether this is reported of a version of a kind for the first time.
    pub(crate) fn reports_first(&self, rule: Rule, api_version: &str, kind: &str) -> bool {
        let name = format!("{api_version} {kind}");
        self.reported.borrow_mut().insert((rule, name))
    }

    /// Returns everything known so far.
    pub(crate) fn into_defined(self) -> DefinedKinds {
        self.defined.into_inner()
    }

    /// Returns the type of a resource of this kind, which isn't built in: as the manifests
    /// define it, else as the table does.
    pub(crate) fn kind(&self, api_version: &str, kind: &str) -> Option<FieldType> {
        let defined = self
            .with_versions(kind, |versions| {
                let mut versions = versions.iter();
                let version = versions.find(|version| version.api_version == api_version);
                version.map(|version| version.used.fields.clone())
            })
            .flatten();
        defined.or_else(|| table::custom(api_version, kind).map(FieldType::of))
    }

    /// Returns the definition that is used of a kind that isn't built in, and the first one that
    /// has other types.
    pub(super) fn differing(&self, api_version: &str, kind: &str) -> Option<[Definition; 2]> {
        self.with_versions(kind, |versions| {
            let mut versions = versions.iter();
            let version = versions.find(|version| version.api_version == api_version)?;
            Some([version.used.clone(), version.other.clone()?])
        })?
    }

    /// Returns the versions of a kind that the manifests define, in any group.
    pub(crate) fn versions(&self, kind: &str) -> Vec<(String, FieldType)> {
        self.with_versions(kind, |versions| {
            let versions = versions.iter();
            let fields =
                |known: &KnownVersion| (known.api_version.clone(), known.used.fields.clone());
            versions.map(fields).collect()
        })
        .unwrap_or_default()
    }

    /// Returns a property of the versions of a kind that the manifests define, if any.
    fn with_versions<T>(
        &self,
        kind: &str,
        property: impl FnOnce(&[KnownVersion]) -> T,
    ) -> Option<T> {
        let mut defined = self.defined.borrow_mut();
        let DefinedKinds {
            unparsed,
            searched,
            known,
        } = &mut *defined;
        let unparsed = unparsed.get_or_insert_with(|| documents(&self.texts));
        if !unparsed.is_empty() && !searched.contains(kind) {
            searched.insert(kind.to_owned());
            unparsed.retain(|DocumentRange { text, bytes }| {
                let document = &self.texts[*text][bytes.clone()];
                let is_wanted = searched.len() > MAX_SEARCHES || mentions_kind(document, kind);
                // A document that isn't valid YAML defines nothing; whether that is an error is
                // decided elsewhere.
                if is_wanted && let Ok(tree) = locate(document.to_owned()) {
                    add_definitions(&tree, *text, bytes.start, known);
                }
                !is_wanted
            });
        }
        known.get(kind).map(|versions| property(versions))
    }
}

impl DefinedKinds {
    /// Returns the kinds that `text`, one document with this tree, defines.
    pub(crate) fn of_tree(text: &str, tree: &Tree) -> Self {
        let mut kinds = Self {
            unparsed: Some(Vec::new()),
            ..Self::default()
        };
        if may_define_kinds(text) {
            add_definitions(tree, 0, 0, &mut kinds.known);
        }
        kinds
    }
}

/// Returns the documents with definitions.
fn documents(texts: &[&str]) -> Vec<DocumentRange> {
    let mut found = Vec::new();
    for (nth, text) in texts
        .iter()
        .enumerate()
        .filter(|(_, text)| may_define_kinds(text))
    {
        for document in split(text).iter().filter(|one| may_define_kinds(one.text)) {
            let end = document.offset + document.text.len();
            found.push(DocumentRange {
                text: nth,
                bytes: document.offset..end,
            });
        }
    }
    found
}

/// Whether a text may contain a CustomResourceDefinition. Kinds in other texts do not depend on
/// a text without one.
pub(crate) fn may_define_kinds(text: &str) -> bool {
    memchr::memmem::find(text.as_bytes(), DEFINITION.as_bytes()).is_some()
}

/// Returns whether a document may contain the scalar `kind`, however it is written: `Widget`
/// at its end, or an escape that may spell it.
fn mentions_kind(document: &str, kind: &str) -> bool {
    let bytes = document.as_bytes();
    let mut mentions = memchr::memmem::find_iter(bytes, kind.as_bytes());
    let is_scalar = |at: usize| {
        let is_part = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_alphanumeric);
        let after = document.get(at + kind.len()..).unwrap_or_default();
        let end = after
            .trim_start_matches(['"', '\''])
            .trim_start_matches([' ', '\t']);
        let ends = end.is_empty() || end.starts_with(['\n', '\r', ',', '}', ']', '#', ':']);
        ends && !is_part(bytes.get(at.wrapping_sub(1)))
    };
    let mut escapes = memchr::memchr_iter(b'\\', bytes);
    let spells = |at: usize| {
        let next = bytes.get(at + 1);
        matches!(next, Some(b'x' | b'u' | b'U' | b'\n' | b'\r'))
    };
    mentions.any(is_scalar) || escapes.any(spells)
}

/// Adds all definitions of a document that begins at `offset` in the text at this index.
fn add_definitions(tree: &Tree, text: usize, offset: usize, known: &mut KnownKinds) {
    for defined in Definitions::new(tree).all() {
        let definition = Definition {
            fields: defined.fields,
            text,
            name: defined.name.shifted(offset),
        };
        let versions = known.entry(defined.kind).or_default();
        let mut same = versions.iter_mut();
        match same.find(|version| version.api_version == defined.api_version) {
            Some(KnownVersion { used, other, .. }) => {
                if other.is_none() && !used.fields.has_types_of(&definition.fields) {
                    *other = Some(definition);
                }
            }
            None => versions.push(KnownVersion {
                api_version: defined.api_version,
                used: definition,
                other: None,
            }),
        }
    }
}

/// One version of a kind that a definition defines.
struct DefinedKind {
    kind: String,
    api_version: String,
    /// Its name.
    name: Span,
    fields: FieldType,
}

/// The definitions in one tree: its root, or the items of a list.
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
    fn all(&self) -> Vec<DefinedKind> {
        let mut found = Vec::new();
        for id in 0..self.tree.len() {
            if self.text(id, "kind") == Some(DEFINITION) {
                found.extend(self.versions(id));
            }
        }
        found
    }

    fn versions(&self, definition: NodeId) -> Vec<DefinedKind> {
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
            let name = self.get(*version, "name")?;
            let schema = self.get(*version, "schema")?;
            let schema = self.get(schema, "openAPIV3Schema")?;
            let range = self.tree[name].range();
            Some(DefinedKind {
                kind: kind.to_owned(),
                api_version: format!("{group}/{}", self.tree.text(name)?),
                name: Span::new(range.start, range.end),
                fields: self.resource(schema),
            })
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
        let limits = self.member_limits(schema);
        FieldType::object(fields, self.others(schema), limits)
    }

    /// Returns what a schema says about a value besides its type.
    fn limits(&self, schema: NodeId) -> Option<Arc<Limits>> {
        let one_of = self.get(schema, "enum").map(|values| {
            let texts = self.members[values]
                .iter()
                .filter_map(|id| self.tree.text(*id));
            texts.map(str::to_owned).collect()
        });
        let limits = Limits::read(|key| self.text(schema, key), one_of.unwrap_or_default());
        limits.map(Arc::new)
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
                let limits = MemberLimits {
                    others: items.and_then(|items| self.limits(items)),
                    ..MemberLimits::default()
                };
                let items = items.map_or(FieldType::Unknown, |items| self.schema(items));
                FieldType::list(items, limits)
            }
            Some("object") => {
                let limits = self.member_limits(schema);
                FieldType::object(self.properties(schema), self.others(schema), limits)
            }
            _ => FieldType::Unknown,
        }
    }

    /// Returns the type of the fields that the schema of an object does not name, if it may have
    /// some.
    fn others(&self, schema: NodeId) -> Option<FieldType> {
        let others = self.get(schema, "additionalProperties");
        let is_open = self.text(schema, "x-kubernetes-preserve-unknown-fields") == Some("true");
        match others {
            Some(others) if self.tree.text(others) != Some("false") => Some(self.schema(others)),
            _ if is_open || self.get(schema, "properties").is_none() => Some(FieldType::Unknown),
            _ => None,
        }
    }

    fn properties(&self, schema: NodeId) -> OrderedMap<String, FieldType> {
        let mut fields = OrderedMap::new();
        let Some(properties) = self.get(schema, "properties") else {
            return fields;
        };
        for id in &self.members[properties] {
            if let Role::Value(key) = self.tree[*id].role()
                && let Some(key) = self.tree.text(key)
            {
                fields.insert(key.to_owned(), self.schema(*id));
            }
        }
        fields
    }

    fn member_limits(&self, schema: NodeId) -> MemberLimits {
        let mut found = MemberLimits::default();
        for id in self
            .get(schema, "properties")
            .map_or(&[][..], |id| &self.members[id])
        {
            if let Role::Value(key) = self.tree[*id].role()
                && let Some(key) = self.tree.text(key)
                && let Some(limits) = self.limits(*id)
            {
                found.fields.insert(key.to_owned(), limits);
            }
        }
        let others = self.get(schema, "additionalProperties");
        found.others = others.and_then(|others| self.limits(others));
        found
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
    /// Returns whether another type is the same, and those of all of its fields.
    fn has_types_of(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::List(Members::Custom(schema)), Self::List(Members::Custom(other)))
            | (Self::Object(Members::Custom(schema)), Self::Object(Members::Custom(other))) => {
                schema.has_types_of(other)
            }
            _ => self == other,
        }
    }

    /// Returns whether another type is the same for this value, and for what is inside it.
    pub(super) fn is_same_for(&self, other: &Self, value: Option<&Value>) -> bool {
        match (self, other, value) {
            (Self::List(_), Self::List(_), Some(Value::List(items))) => {
                let (item, other) = (self.item(), other.item());
                items
                    .iter()
                    .all(|value| item.is_same_for(&other, Some(value)))
            }
            (Self::Object(_), Self::Object(_), Some(Value::Object(entries))) => {
                entries.iter().all(|(key, value)| {
                    let (field, other) = (self.field(&key.name), other.field(&key.name));
                    field.is_same_for(&other, Some(value))
                })
            }
            _ => std::mem::discriminant(self) == std::mem::discriminant(other),
        }
    }

    fn list(item: Self, limits: MemberLimits) -> Self {
        Self::List(Members::Custom(Arc::new(Schema {
            fields: OrderedMap::new(),
            others: Some(item),
            limits,
        })))
    }

    fn object(
        fields: OrderedMap<String, Self>,
        others: Option<Self>,
        limits: MemberLimits,
    ) -> Self {
        Self::Object(Members::Custom(Arc::new(Schema {
            fields,
            others,
            limits,
        })))
    }
}

/// The schema of the members of an object or list.
#[derive(Debug)]
pub(crate) struct Schema {
    fields: OrderedMap<String, FieldType>,
    /// The schema of all other fields, or of a list's items. `None` if there are no others.
    others: Option<FieldType>,
    limits: MemberLimits,
}

/// What a schema says about the values of members besides their types.
#[derive(Debug, Default)]
struct MemberLimits {
    fields: OrderedMap<String, Arc<Limits>>,
    /// Of all other fields, or of a list's items.
    others: Option<Arc<Limits>>,
}

impl Schema {
    fn has_types_of(&self, other: &Self) -> bool {
        let has_same_others = match (&self.others, &other.others) {
            (Some(others), Some(other)) => others.has_types_of(other),
            (others, other) => others.is_none() && other.is_none(),
        };
        let mut fields = std::iter::zip(self.fields.iter(), other.fields.iter());
        has_same_others
            && self.fields.len() == other.fields.len()
            && fields.all(|((key, field), (other_key, other))| {
                key == other_key && field.has_types_of(other)
            })
    }

    pub(crate) fn field(&self, key: &str) -> &FieldType {
        self.fields.get(key).unwrap_or_else(|| self.item())
    }

    pub(crate) fn item(&self) -> &FieldType {
        self.others.as_ref().unwrap_or(&FieldType::Unknown)
    }

    /// Returns the names of the fields, if there are no others.
    pub(super) fn only_fields(&self) -> Option<Vec<&str>> {
        let fields = self.fields.keys().map(String::as_str);
        self.others.is_none().then(|| fields.collect())
    }

    pub(crate) fn limits_of(&self, key: &str) -> Option<&Arc<Limits>> {
        if self.fields.contains_key(key) {
            self.limits.fields.get(key)
        } else {
            self.limits_of_others()
        }
    }

    pub(crate) const fn limits_of_others(&self) -> Option<&Arc<Limits>> {
        self.limits.others.as_ref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_where_a_document_mentions_a_kind() {
        for text in [
            "kind: Widget",
            "\"kind\":\"Widget\",",
            "{kind : 'Widget'}",
            "kind: Gadget\nkind:  Widget\n",
            "kind: &k Widget # c\n",
            "kind: !!str Widget\r\n",
            "kind:\n  # c\n  Widget\n",
            "kind:\tWidget\n",
            "\"k\\x69nd\": \"W\\x69dget\"\n",
        ] {
            assert!(mentions_kind(text, "Widget"), "{text}");
        }
        for text in [
            "kind: Widgets",
            "a Widget that is described",
            "kind: MyWidget",
            "pattern: \"^\\\\d+$\"",
            "kind:\n",
        ] {
            assert!(!mentions_kind(text, "Widget"), "{text}");
        }
    }

    fn definition(kind: &str) -> String {
        format!(
            "apiVersion: apiextensions.k8s.io/v1\nkind: {DEFINITION}\nspec:\n  group: example.com\n  names: {{kind: {kind}}}\n  versions: [{{name: v1, schema: {{openAPIV3Schema: {{properties: {{size: {{type: integer}}}}}}}}}}]\n"
        )
    }

    #[test]
    fn parses_documents_only_when_a_kind_is_looked_up() {
        let both = format!("{}---\n{}", definition("Widget"), definition("Gadget"));
        let kinds = CustomKinds::new(vec!["kind: Widget\n", &both], DefinedKinds::default());
        let unparsed = || kinds.defined.borrow().unparsed.as_ref().map(Vec::len);
        assert_eq!(unparsed(), None);
        assert_eq!(kinds.kind("example.com/v1", "Nothing"), None);
        assert_eq!(unparsed(), Some(2));
        let widget = kinds.kind("example.com/v1", "Widget").unwrap();
        assert_eq!(widget.field("size"), FieldType::Integer);
        assert_eq!(widget.field("metadata").field("name"), FieldType::String);
        assert_eq!(unparsed(), Some(1));
        assert_eq!(kinds.kind("example.com/v2", "Widget"), None);
        assert_eq!(kinds.kind("example.com/v1", "Widget"), Some(widget));
        assert_eq!(unparsed(), Some(1));
    }

    #[test]
    fn a_definition_among_the_manifests_replaces_the_type_of_the_table() {
        let own = definition("NodePool").replace("example.com", "karpenter.sh");
        let spec = |texts: Vec<&str>, api_version: &str| {
            let kinds = CustomKinds::new(texts, DefinedKinds::default());
            let kind = kinds.kind(api_version, "NodePool").unwrap();
            (kind.field("size"), kind.field("spec").field("weight"))
        };
        let table = (FieldType::Unknown, FieldType::Integer);
        assert_eq!(spec(vec![], "karpenter.sh/v1"), table);
        assert_eq!(
            spec(vec![&definition("NodePool")], "karpenter.sh/v1"),
            table
        );
        assert_eq!(
            spec(vec![&own], "karpenter.sh/v1"),
            (FieldType::Integer, FieldType::Unknown)
        );
    }

    #[test]
    fn finds_more_kinds_than_it_searches_for() {
        let all: String = (0..100)
            .map(|nth| format!("---\n{}", definition(&format!("Widget{nth}"))))
            .collect();
        let kinds = CustomKinds::new(vec![&all], DefinedKinds::default());
        for nth in 0..100 {
            let found = kinds
                .kind("example.com/v1", &format!("Widget{nth}"))
                .unwrap();
            assert_eq!(found.field("size"), FieldType::Integer, "{nth}");
        }
    }
}
