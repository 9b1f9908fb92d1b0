//! `spec.generate`: the ConfigMaps and Secrets that a KRM function adds to the resources.

use crate::collections::OrderedSet;
use crate::config::chart::is_dns_name;
use crate::config::keys;
use crate::config::reader::Reader;
use crate::report::{Diagnostics, Origin, Rule};
use yaml::{Context, NodeId, Span, Tree, plain_reads_back};

/// The longest name of a resource, and the longest key of its data.
const MAX_NAME: usize = 253;
const MAX_NAMESPACE: usize = 63;

/// A ConfigMap or a Secret that is added.
#[derive(Clone, Debug)]
pub(crate) struct Generated {
    /// `ConfigMap` or `Secret`
    pub(crate) kind: String,
    pub(crate) name: String,
    /// Empty: none.
    pub(crate) namespace: String,
    /// The type of a Secret. Empty: the default.
    pub(crate) secret_type: String,
    pub(crate) labels: Vec<Template>,
    pub(crate) annotations: Vec<Template>,
    pub(crate) data: Vec<Template>,
    /// The bound name whose outputs are entries, with its location.
    pub(crate) outputs: Option<(String, Span)>,
    /// Where it says that kustomize adds a hash of the content to the name.
    pub(crate) needs_hash: Option<Span>,
}

impl Generated {
    /// Returns the kind, the name and the namespace.
    pub(crate) fn identity(&self) -> [&str; 3] {
        [&self.kind, &self.name, &self.namespace]
    }
}

/// An entry whose value may contain references.
#[derive(Clone, Debug)]
pub(crate) struct Template {
    pub(crate) key: String,
    pub(crate) value: TemplateValue,
}

/// The value of an entry.
#[derive(Clone, Debug)]
pub(crate) enum TemplateValue {
    /// A scalar, in the tree of the Binding.
    Scalar(NodeId),
    /// A reference, which the Binding asks for at a location.
    Reference(String, Span),
}

/// The end of the message about a key that is not valid, and its help.
pub(crate) const NO_DATA_KEY: &str = "cannot be a key of a ConfigMap or a Secret";
pub(crate) const DATA_KEYS: &str =
    "a key has at most 253 characters: letters, digits, `-`, `_` and `.`";

/// Returns whether `key` can be a key of a ConfigMap or a Secret.
pub(crate) fn is_data_key(key: &str) -> bool {
    let accepts = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    !key.is_empty()
        && key.len() <= MAX_NAME
        && key.bytes().all(accepts)
        && !key.starts_with("..")
        && key != "."
}

/// Reads `spec.generate` of a function's Binding, at node `id`.
///
/// # Errors
/// All mistakes in it.
pub(crate) fn read(tree: &Tree, id: NodeId, origin: Origin) -> Result<Vec<Generated>, Diagnostics> {
    let mut reader = Reader::new(tree, id, origin, Rule::InvalidBinding);
    let mut resources: Vec<Generated> = Vec::new();
    let mut known = OrderedSet::new();
    for id in reader.items(id, "spec.generate") {
        let resource = resource(&mut reader, id);
        if !known.insert(resource.identity().map(str::to_owned)) {
            let message = format!(
                "the {} `{}` is generated twice",
                resource.kind, resource.name
            );
            reader.error(id, message, "write all entries in one of the two items");
        }
        resources.push(resource);
    }
    reader.finish(resources)
}

fn resource(reader: &mut Reader<'_>, id: NodeId) -> Generated {
    let what = "an item of spec.generate";
    let fields = reader.mapping(id, what, &keys::GENERATE);
    for key in ["kind", "name", "data"] {
        let has_entries = key == "data" && fields.contains_key("outputs");
        if !fields.contains_key(key) && !has_entries {
            let or_outputs = if key == "data" {
                " and no `outputs`"
            } else {
                ""
            };
            let message = format!("an item of `spec.generate` has no `{key}`{or_outputs}");
            let help =
                "write `{kind: ConfigMap, name: settings, data: {vpc: \"${infra.vpc_id}\"}}`";
            reader.error(id, message, help);
        }
    }
    let mut text = |key: &str, is_valid: &dyn Fn(&str) -> bool, help: &str| {
        let id = *fields.get(key)?;
        let text = reader.text(id, key)?;
        if !is_valid(&text) {
            reader.error(id, format!("invalid value `{text}` for `{key}`"), help);
        }
        Some(text)
    };
    let is_kind = |kind: &str| ["ConfigMap", "Secret"].contains(&kind);
    let kind = text(
        "kind",
        &is_kind,
        "only ConfigMaps and Secrets are generated",
    );
    let is_name = |name: &str| is_dns_name(name, MAX_NAME, true);
    let help = "use lower case letters, digits, `-` and `.`, without a reference: kustomize and kpt recognize a resource by its name";
    let name = text("name", &is_name, help);
    let is_namespace = |name: &str| is_dns_name(name, MAX_NAMESPACE, false);
    let namespace = text("namespace", &is_namespace, help);
    let is_type = |text: &str| !text.contains(['$', '{']);
    let secret_type = text("type", &is_type, "write it without a reference");
    let outputs = fields
        .get("outputs")
        .and_then(|id| Some((reader.text(*id, "outputs")?, reader.span(*id))));
    let needs_hash = fields.get("nameSuffixHash");
    let needs_hash = needs_hash
        .filter(|id| reader.flag(**id, "nameSuffixHash") == Some(true))
        .map(|id| reader.span(*id));
    let mut templates = |key: &str| match fields.get(key) {
        Some(id) => templates(reader, *id, key),
        None => Vec::new(),
    };
    let (labels, annotations, data) = (
        templates("labels"),
        templates("annotations"),
        templates("data"),
    );
    for Template { key, value } in &data {
        if let TemplateValue::Scalar(id) = value
            && !is_data_key(key)
        {
            reader.error(*id, format!("`{key}` {NO_DATA_KEY}"), DATA_KEYS);
        }
    }
    if kind.as_deref() == Some("ConfigMap")
        && let Some(id) = fields.get("type")
    {
        reader.error(*id, "a ConfigMap has no `type`", "remove it");
    }
    Generated {
        kind: kind.unwrap_or_default(),
        name: name.unwrap_or_default(),
        namespace: namespace.unwrap_or_default(),
        secret_type: secret_type.unwrap_or_default(),
        labels,
        annotations,
        data,
        outputs,
        needs_hash,
    }
}

/// Reads a mapping of texts.
fn templates(reader: &mut Reader<'_>, id: NodeId, what: &str) -> Vec<Template> {
    let help = "write each entry as `key: text`";
    let mut templates = Vec::new();
    for (key, _, value) in reader.entries(id, what, help) {
        let block = Context {
            flow: false,
            json: false,
        };
        match reader.scalar(value) {
            Some(text) if reader.is_plain(value) && !plain_reads_back(text, block) => {
                let message = format!("the value of `{key}` is not a string");
                reader.error(value, message, "quote it");
            }
            Some(_) => templates.push(Template {
                key: key.to_owned(),
                value: TemplateValue::Scalar(value),
            }),
            None => {
                let help = "a ConfigMap and a Secret contain text: `| json` writes an output that is a list or an object";
                reader.error(value, format!("`{key}` must be a string"), help);
            }
        }
    }
    templates
}
