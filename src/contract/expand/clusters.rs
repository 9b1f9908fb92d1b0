//! The Secrets by which clusters are registered in Argo CD. Of their data only the name, the
//! address and the project are read: `config` has the credentials.

use crate::collections::OrderedMap;
use crate::contract::expand::document::{Content, Document, Node, Reading, Wanted};
use crate::contract::request::File;
use crate::outputs::{base64_bytes, repeats_the_object};
use crate::report::{Diagnostic, Diagnostics, Origin, Rule};

/// The label of the Secrets that are clusters.
pub(super) const SECRET_TYPE: &str = "argocd.argoproj.io/secret-type";

/// The value of that label.
const CLUSTER: &str = "cluster";

/// The address of the cluster that Argo CD runs in.
const IN_CLUSTER_SERVER: &str = "https://kubernetes.default.svc";

/// The name of that cluster if no Secret registers it.
pub(super) const IN_CLUSTER: &str = "in-cluster";

const READING: Reading = Reading {
    rule: Rule::InvalidOutputs,
    what: "the file with clusters",
    wanted: Some(Wanted {
        // Some programs write the `/` before it as `\/` in JSON.
        text: "secret-type",
        kinds: &["Secret", "SecretList", "List", ""],
    }),
    conceals: true,
};

/// A registered cluster.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Cluster {
    /// The namespace of its Secret; empty if it is not written.
    namespace: String,
    pub(super) name: String,
    pub(super) server: String,
    pub(super) project: String,
    pub(super) labels: OrderedMap<String, String>,
    pub(super) annotations: OrderedMap<String, String>,
    /// Whether it has a Secret. Only the cluster that Argo CD runs in may have none.
    pub(super) has_secret: bool,
}

impl Cluster {
    /// Returns the cluster that Argo CD adds if no Secret has its address.
    pub(super) fn in_cluster() -> Self {
        Self {
            namespace: String::new(),
            name: IN_CLUSTER.to_owned(),
            server: IN_CLUSTER_SERVER.to_owned(),
            project: String::new(),
            labels: OrderedMap::new(),
            annotations: OrderedMap::new(),
            has_secret: false,
        }
    }

    fn is_in_cluster(&self) -> bool {
        self.server.trim_end_matches('/') == IN_CLUSTER_SERVER
    }
}

/// Returns the namespace in which these clusters are registered, if it is written.
pub(super) fn namespace(clusters: &[Cluster]) -> Option<&str> {
    let mut namespaces = clusters.iter().map(|cluster| cluster.namespace.as_str());
    namespaces.find(|namespace| !namespace.is_empty())
}

fn metadata_text(object: &Node, name: &str) -> String {
    let metadata = object.field("metadata");
    metadata
        .map_or("", |metadata| metadata.text_of(name))
        .to_owned()
}

/// Reads the clusters in these files, sorted by name. The last one may be the cluster that
/// Argo CD runs in, without a Secret.
pub(super) fn read(files: &[File], diagnostics: &mut Diagnostics) -> Vec<Cluster> {
    let mut clusters: Vec<Cluster> = Vec::new();
    let mut namespace = String::new();
    for (nth, file) in files.iter().enumerate() {
        let origin = Origin::Outputs(nth);
        let before = clusters.len();
        let documents = READING.documents(&file.content, origin, diagnostics);
        for document in &documents {
            let mut reader = SecretReader {
                document,
                namespace: &mut namespace,
                diagnostics: &mut *diagnostics,
            };
            reader.objects(&document.root, 0, &mut clusters);
        }
        if clusters.len() == before && !diagnostics.has_errors() {
            let message = format!("`{}` has no cluster Secret", file.path);
            let found = Diagnostic::error(Rule::InvalidOutputs, message);
            diagnostics.push(found.help(format!(
                "Argo CD finds clusters by a label of their Secrets: `kubectl get secret -n argocd -l {SECRET_TYPE}={CLUSTER} -o yaml`"
            )));
        }
    }
    clusters.sort_by(|a, b| a.name.cmp(&b.name));
    for (one, next) in clusters.iter().zip(clusters.iter().skip(1)) {
        if one.name == next.name {
            let message = format!("two Secrets register the cluster `{}`", one.name);
            let error = Diagnostic::error(Rule::InvalidOutputs, message);
            diagnostics.push(error.help("give each cluster its own `name`"));
        }
    }
    if !clusters.iter().any(Cluster::is_in_cluster) {
        clusters.push(Cluster::in_cluster());
    }
    clusters
}

struct SecretReader<'r> {
    document: &'r Document,
    /// That of the first Secret in which it is written.
    namespace: &'r mut String,
    diagnostics: &'r mut Diagnostics,
}

impl SecretReader<'_> {
    /// Reads an object, or the items of a list of objects as `kubectl get` writes it.
    fn objects(&mut self, node: &Node, depth: usize, clusters: &mut Vec<Cluster>) {
        let kind = node.text_of("kind");
        if depth == 0 && matches!(kind, "List" | "SecretList") {
            for item in node.field("items").map(Node::items).unwrap_or_default() {
                self.objects(item, depth + 1, clusters);
            }
        }
        let label = node
            .at(&["metadata", "labels", SECRET_TYPE])
            .and_then(Node::text);
        if matches!(kind, "Secret" | "") && label == Some(CLUSTER) {
            self.check_namespace(node);
            clusters.extend(self.cluster(node));
        }
    }

    /// Reports a Secret in another namespace than those before it.
    fn check_namespace(&mut self, secret: &Node) {
        let own = metadata_text(secret, "namespace");
        let first = &mut *self.namespace;
        if first.is_empty() {
            *first = own;
            return;
        }
        if own.is_empty() || own == *first {
            return;
        }
        let message = format!(
            "cluster Secrets in the namespaces `{first}` and `{own}`: Argo CD reads only those in its own namespace"
        );
        let span = self.document.span(secret.id);
        let error = READING.error(self.document.origin, message, span, "");
        self.diagnostics.push(error.help(format!(
            "pass the Secrets of one namespace: `kubectl get secret -n argocd -l {SECRET_TYPE}={CLUSTER} -o yaml`"
        )));
    }

    fn cluster(&mut self, secret: &Node) -> Option<Cluster> {
        Some(Cluster {
            namespace: metadata_text(secret, "namespace"),
            name: self.data(secret, "name")?,
            server: self.data(secret, "server")?,
            project: self.data(secret, "project")?,
            labels: self.strings(secret, "labels")?,
            annotations: self.strings(secret, "annotations")?,
            has_secret: true,
        })
    }

    /// Returns an entry of the data; empty if there is none.
    fn data(&mut self, secret: &Node, name: &str) -> Option<String> {
        if let Some(node) = secret.at(&["stringData", name]) {
            return match node.text() {
                Some(text) => Some(text.to_owned()),
                None => self.refuse(
                    node,
                    format!("`{name}` in `stringData` of a Secret is not a string"),
                ),
            };
        }
        let Some(node) = secret.at(&["data", name]) else {
            return Some(String::new());
        };
        let decoded = node.text().and_then(base64_bytes);
        match decoded.map(String::from_utf8) {
            Some(Ok(text)) => Some(text),
            Some(Err(_)) => {
                self.refuse(node, format!("`{name}` in `data` of a Secret is not UTF-8"))
            }
            None => self.refuse(
                node,
                format!("`{name}` in `data` of a Secret is not base64"),
            ),
        }
    }

    /// Returns the labels or the annotations, except those that repeat the Secret.
    fn strings(&mut self, secret: &Node, field: &str) -> Option<OrderedMap<String, String>> {
        let mut strings = OrderedMap::new();
        let node = secret.at(&["metadata", field]);
        for (key, value) in node.map(Node::entries).unwrap_or_default() {
            match (&value.content, repeats_the_object(&key.name)) {
                (_, true) => {}
                (Content::String(text), _) => {
                    strings.insert(key.name.clone(), text.clone());
                }
                _ => {
                    let message = format!(
                        "`{}` in `{field}` of a Secret is {}, not a string",
                        key.name,
                        value.described()
                    );
                    return self.refuse(value, message);
                }
            }
        }
        Some(strings)
    }

    fn refuse<T>(&mut self, node: &Node, message: String) -> Option<T> {
        let span = self.document.span(node.id);
        let error = READING.error(self.document.origin, message, span, "");
        self.diagnostics
            .push(error.help("write a string; quote numbers, `true`, `yes` and `on`"));
        None
    }
}
