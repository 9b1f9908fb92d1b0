//! Kubernetes objects as outputs documents: what `kubectl get -o yaml` and `-o json` write,
//! and manifests. Only the fields that hold outputs must be written so that every YAML
//! reader reads them alike.

mod format;
mod reader;
mod redaction;

pub(super) use format::ObjectFormat;
pub(super) use reader::Reader;
use redaction::redaction;

use std::borrow::Cow;

use crate::outputs::document::Document;
use crate::outputs::formats::yaml;
use crate::outputs::json;
use crate::outputs::other_document::{self, OtherDocument};
use ::yaml::{BLANKS, Context, Kind, NodeId, Span, Style, Tree, plain_reads_back, split};

/// The fields that contain nothing secret.
const HEADER: [&str; 4] = ["apiVersion", "kind", "type", "immutable"];

/// What tofu-controller adds to the name of an output to write its type.
pub(super) const TYPE_SUFFIX: &str = "__type";

/// The label of the Secrets that are clusters of Argo CD.
pub(super) const SECRET_TYPE: &str = "argocd.argoproj.io/secret-type";

const EXTRACT: &str = "bind exactly one object: `kubectl get configmap NAME -o yaml > outputs.yaml`, or `kubectl get secret NAME -o yaml > outputs.yaml`";
const CREATED: &str =
    "bind the Secret that its controller creates: `kubectl get secret NAME -o yaml > outputs.yaml`";

/// What to do about an entry that cannot be read.
pub(super) const USE_THE_OBJECT: &str =
    "use the Kubernetes object itself where the value is needed, for example as a volume";

/// The objects that are outputs documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ObjectKind {
    ConfigMap,
    Secret,
    /// A Secret that is a cluster of Argo CD.
    Cluster,
}

/// A value in an object.
#[derive(Clone, Copy)]
pub(super) enum Node<'o> {
    Json(json::Node<'o>),
    Yaml(&'o Tree, NodeId),
}

/// An entry of a mapping in an object.
pub(super) struct Entry<'o> {
    pub(super) name: Cow<'o, str>,
    /// The bytes of the name.
    pub(super) span: Span,
    pub(super) value: Node<'o>,
    /// The bytes of the value: in YAML everything after the `:`.
    pub(super) written: Span,
    /// Whether every reader reads this name.
    pub(super) is_clear: bool,
}

impl<'o> Node<'o> {
    /// Returns the entries of a mapping; `None` for another value, and for a mapping that
    /// an anchor or a tag precedes.
    pub(super) fn entries(self, text: &str) -> Option<Vec<Entry<'o>>> {
        match self {
            Self::Json(node) => {
                let members = node.is_object().then(|| node.members())?.into_iter();
                let entry = |member: json::Member<'o>| Entry {
                    name: member.name,
                    span: member.span,
                    value: Self::Json(member.value),
                    written: member.value.span(),
                    is_clear: true,
                };
                Some(members.map(entry).collect())
            }
            Self::Yaml(tree, id) => {
                let is_mapping = matches!(tree.get(id)?.kind(), Kind::Mapping { .. });
                (is_mapping && !has_properties(tree, id)).then_some(())?;
                let entry = |(key, value): (NodeId, NodeId)| {
                    let range = tree[key].range();
                    let written = yaml::written(text, tree, key, value);
                    let name = tree.text(key).unwrap_or_default();
                    let is_string = Self::Yaml(tree, key).string().is_ok() && name != "<<";
                    let has_lines = text.get(range.clone()).unwrap_or_default().contains('\n');
                    Entry {
                        name: name.into(),
                        span: range.into(),
                        value: Self::Yaml(tree, value),
                        is_clear: is_string && !has_lines && written.is_some(),
                        written: written.unwrap_or(Span::point(tree[key].end())),
                    }
                };
                Some(tree.entries(id).map(entry).collect())
            }
        }
    }

    /// Returns the text of a string.
    ///
    /// # Errors
    /// Why not every reader reads a string.
    pub(super) fn string(self) -> Result<Cow<'o, str>, &'static str> {
        let not_a_string = "is not a string";
        match self {
            Self::Json(node) => node.string().ok_or(not_a_string),
            Self::Yaml(tree, id) => {
                if has_properties(tree, id) {
                    return Err("has a tag, an anchor or an alias");
                }
                let text = tree.text(id).ok_or(not_a_string)?;
                let flow = tree.in_flow(id);
                let is_plain = tree[id].style() == Some(Style::Plain);
                if is_plain && !plain_reads_back(text, Context { flow, json: false }) {
                    return Err("has an unquoted value that is not a string to every YAML reader");
                }
                Ok(text.into())
            }
        }
    }

    fn is_null(self) -> bool {
        match self {
            Self::Json(node) => node.raw() == "null",
            Self::Yaml(tree, id) => {
                let is_plain = tree[id].style() == Some(Style::Plain);
                let is_null = matches!(tree.text(id), Some("" | "null" | "~"));
                is_null && is_plain && !has_properties(tree, id)
            }
        }
    }
}

/// Returns whether a node has a tag or an anchor, or is an alias.
fn has_properties(tree: &Tree, id: NodeId) -> bool {
    let node = &tree[id];
    node.tag().is_some() || node.has_anchor() || matches!(node.kind(), Kind::Alias(_))
}

/// Returns the only value of a name.
pub(super) fn field<'o>(entries: &[Entry<'o>], name: &str) -> Option<Node<'o>> {
    let mut found = entries.iter().filter(|entry| entry.name == name);
    let first = found.next()?;
    (found.next().is_none() && first.is_clear).then_some(first.value)
}

/// Returns the root of an object, if the document may be one.
pub(super) fn root<'o>(document: &'o Document<'_>) -> Option<Node<'o>> {
    match document.json() {
        Ok(json) => Some(Node::Json(json.root())),
        Err(_) => {
            memchr::memmem::find(document.text.as_bytes(), b"apiVersion")?;
            document.tree().map(|tree| Node::Yaml(tree, 0))
        }
    }
}

/// Returns which object a document is. Encrypted ones aren't recognised.
pub(super) fn object_kind(document: &Document<'_>) -> Option<ObjectKind> {
    let Some(root) = root(document) else {
        return declared_kind(document);
    };
    let entries = root.entries(document.text)?;
    let is = |name: &str, wanted: &str| {
        let value = field(&entries, name).map(Node::string);
        value.is_some_and(|value| value.is_ok_and(|value| value == wanted))
    };
    if !is("apiVersion", "v1") || entries.iter().any(|entry| entry.name == "sops") {
        return None;
    }
    if is("kind", "ConfigMap") {
        return Some(ObjectKind::ConfigMap);
    }
    let labels = || {
        let metadata = field(&entries, "metadata")?.entries(document.text)?;
        field(&metadata, "labels")?.entries(document.text)
    };
    let is_cluster = || {
        let label = field(&labels()?, SECRET_TYPE)?.string().ok()?;
        (label == "cluster").then_some(())
    };
    is("kind", "Secret").then(|| match is_cluster() {
        Some(()) => ObjectKind::Cluster,
        None => ObjectKind::Secret,
    })
}

/// Returns the object that a document would be if it were valid YAML.
fn declared_kind(document: &Document<'_>) -> Option<ObjectKind> {
    let text = document.body();
    let has = |wanted: &str| text.lines().any(|line| line.trim_end() == wanted);
    if !has("apiVersion: v1") || other_document::identify_unusable(text).is_some() {
        return None;
    }
    match (has("kind: Secret"), has("kind: ConfigMap")) {
        (true, _) => Some(ObjectKind::Secret),
        (false, true) => Some(ObjectKind::ConfigMap),
        (false, false) => None,
    }
}

/// Identifies an object, or several, that have no outputs.
pub(super) fn identify(document: &Document<'_>) -> Option<OtherDocument> {
    let entries = root(document)?.entries(document.text)?;
    let has = |name: &str| entries.iter().any(|entry| entry.name == name);
    if !has("apiVersion") {
        return None;
    }
    let kind = field(&entries, "kind")?.string().ok()?;
    let declares = |line: &str| matches!(line.trim_end(), "kind: ConfigMap" | "kind: Secret");
    let (what, help) = match &*kind {
        _ if has("sops") => return other_document::identify_by_keys(&has),
        "SealedSecret" => ("is a SealedSecret, whose values are encrypted", CREATED),
        "ExternalSecret" | "ClusterExternalSecret" => (
            "is an ExternalSecret, which does not contain the values",
            CREATED,
        ),
        _ if kind.ends_with("List") => ("is a list of Kubernetes objects", EXTRACT),
        _ if other(document.text).is_some() && document.text.lines().any(declares) => {
            ("has more than one YAML document", EXTRACT)
        }
        _ => return other_document::identify_by_keys(&has),
    };
    Some(OtherDocument { what, help })
}

/// Returns the offset of the second document of a stream, unless it is blank.
fn other(text: &str) -> Option<usize> {
    let mut others = split(text).into_iter().skip(1);
    let other = others.find(|other| !other.text.trim_matches(BLANKS).is_empty())?;
    Some(other.offset)
}

#[cfg(test)]
mod tests {
    use super::super::tests::document;
    use crate::report::Origin;

    /// Checks the error of a document that is not one object with outputs, in no format and
    /// in each of these formats.
    #[track_caller]
    fn check(content: &str, what: &str, help: &str) {
        for format in ["", "yaml", "secret", "configmap"] {
            let read = crate::outputs::read(&document(format, content), Origin::Outputs(0));
            let messages: Vec<_> = read.diagnostics.iter().map(|it| &*it.message).collect();
            let message = format!("the outputs document {what}");
            assert_eq!(messages, [message], "{format} {content}");
            let reported = read.diagnostics[0].help.as_deref().unwrap_or_default();
            assert!(reported.contains(help), "{reported}");
            assert!(read.outputs.is_empty());
        }
    }

    #[test]
    fn identifies_objects_without_outputs() {
        let secret = "kubectl get secret NAME -o yaml";
        check(
            "apiVersion: bitnami.com/v1alpha1\nkind: SealedSecret\nspec: {}\n",
            "is a SealedSecret, whose values are encrypted",
            secret,
        );
        check(
            "{\"apiVersion\": \"external-secrets.io/v1\", \"kind\": \"ExternalSecret\"}",
            "is an ExternalSecret, which does not contain the values",
            secret,
        );
        for kind in ["List", "SecretList", "ConfigMapList"] {
            let content = format!("apiVersion: v1\nitems: []\nkind: {kind}\n");
            check(&content, "is a list of Kubernetes objects", secret);
        }
        check(
            "apiVersion: v1\nkind: Namespace\n---\napiVersion: v1\nkind: Secret\n",
            "has more than one YAML document",
            secret,
        );
        check(
            "apiVersion: v1\nkind: Secret\ndata: {a: 'ENC[x]'}\nsops: {}\n",
            "is encrypted with SOPS",
            "sops decrypt",
        );
        for content in [
            "apiVersion: v1\nkind: Pod\n",
            "apiVersion: v2\nkind: Secret\n",
            "apiVersion: v1\nkind: Pod\n---\napiVersion: v1\nkind: Pod\n",
            "apiVersion: v1\nkind: Secret\nkind: ConfigMap\n",
        ] {
            let read = crate::outputs::read(&document("", content), Origin::Outputs(0));
            let message = &read.diagnostics[0].message;
            assert_eq!(
                message, "the outputs document is a Kubernetes manifest",
                "{content}"
            );
        }
    }
}
