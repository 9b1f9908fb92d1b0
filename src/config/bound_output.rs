//! An item of `spec.outputs`: a name, and where its outputs document is.

use crate::collections::{OrderedMap, OrderedSet};
use crate::config::parameter_path::ParameterPath;
use crate::config::plain_value::plain_value;
use crate::config::reader::Reader;
use crate::config::{Location, Need, keys};
use crate::outputs::{Declaration, Value, is_name, is_plan_format};
use yaml::{NodeId, Span};

/// An outputs document that the Binding binds.
pub(crate) enum BoundOutput {
    /// A file, which the host opens.
    File(Need),
    /// Values that the module has already.
    Values(BoundValues),
}

/// An outputs document that is not a file.
#[derive(Clone, Debug)]
pub(crate) struct BoundValues {
    /// The name it is bound to.
    pub(crate) name: String,
    pub(crate) source: ValuesSource,
    /// A format's id.
    pub(crate) format: Option<String>,
    /// Who sets the parameter, in the author's words.
    pub(crate) published_by: Option<String>,
    /// It isn't an error if the parameter is not set: references to it are kept, or have
    /// their defaults.
    pub(crate) optional: bool,
    /// The parameter's name, or the inline values, in the Binding.
    pub(crate) span: Span,
}

/// Where the values of an outputs document are.
#[derive(Clone, Debug)]
pub(crate) enum ValuesSource {
    /// In the plugin parameter with this name.
    Parameter(String),
    /// In the Binding itself.
    Inline(Value),
    /// In a resource.
    Resource(ResourceName),
}

/// What identifies a resource; what is empty does not count.
#[derive(Clone, Debug)]
pub(crate) struct ResourceName {
    pub(crate) api_version: String,
    pub(crate) kind: String,
    pub(crate) name: String,
    pub(crate) namespace: String,
}

impl BoundOutput {
    /// Returns the name that the document is bound to.
    pub(crate) fn name(&self) -> &str {
        match self {
            Self::File(need) => &need.name,
            Self::Values(values) => &values.name,
        }
    }

    /// Returns whether the outputs are in the Binding itself.
    pub(crate) const fn is_inline(&self) -> bool {
        match self {
            Self::File(_) => false,
            Self::Values(values) => values.is_inline(),
        }
    }
}

impl BoundValues {
    /// Returns whether the outputs are in the Binding itself.
    pub(crate) const fn is_inline(&self) -> bool {
        matches!(self.source, ValuesSource::Inline(_))
    }

    /// Returns the entry and the resource, if the outputs are in one.
    pub(crate) const fn resource(&self) -> Option<(&Self, &ResourceName)> {
        match &self.source {
            ValuesSource::Resource(named) => Some((self, named)),
            _ => None,
        }
    }
}

impl ResourceName {
    /// Returns the path of the document in diagnostics.
    pub(crate) fn path(&self) -> String {
        format!("<{} {}>", self.kind, self.name)
    }
}

/// Reads an item of `spec.outputs`, and what the Binding declares about its outputs.
/// `optional`: whether it isn't an error if the document is missing.
pub(super) fn read(
    reader: &mut Reader<'_>,
    id: NodeId,
    optional: bool,
) -> Option<(BoundOutput, Declaration)> {
    let fields = reader.mapping(id, "an item of spec.outputs", &keys::OUTPUT);
    let name = match fields.get("name") {
        Some(name) => reader.text(*name, "name").filter(|text| {
            let valid = is_name(text);
            if !valid {
                let help =
                    "a name starts with a letter or `_`, followed by letters, digits, `_` or `-`";
                reader.error(*name, format!("invalid binding name `{text}`"), help);
            }
            valid
        }),
        None => {
            reader.error(
                id,
                "an item of `spec.outputs` has no `name`",
                "write `name: infra`: references start with it",
            );
            None
        }
    };
    let mut declaration = declaration(reader, &fields);
    if let Some(id) = fields.get("optional") {
        declaration.is_optional = reader.flag(*id, "optional").unwrap_or_default();
    }
    let optional = optional || declaration.is_optional;
    let Some(from) = fields.get("from") else {
        reader.error(
            id,
            "an item of `spec.outputs` has no `from`",
            "write `from: {file: outputs.json}`",
        );
        return None;
    };
    let source = source(reader, *from)?;
    let format = fields
        .get("format")
        .and_then(|id| {
            let format = reader.text(*id, "format")?;
            if is_plan_format(&format) {
                let message = format!("`format` cannot be `{format}`");
                let help = "a plan does not know its outputs: apply it, then bind the result of `terraform output -json > outputs.json`";
                reader.error(*id, message, help);
            }
            Some(format)
        });
    let published_by = fields
        .get("publishedBy")
        .and_then(|id| reader.text(*id, "publishedBy"));
    let name = name?;
    let (Source::File { span, .. } | Source::Values { span, .. }) = &source;
    declaration.start = span.start;
    let output = match source {
        Source::File {
            location,
            path,
            span,
        } => BoundOutput::File(Need {
            name,
            location,
            path,
            format,
            published_by,
            optional,
            may_be_absent: declaration.is_optional,
            declares_sensitive: declaration.is_sensitive || !declaration.sensitive.is_empty(),
            span,
        }),
        Source::Values { source, span } => BoundOutput::Values(BoundValues {
            name,
            source,
            format,
            published_by,
            optional,
            span,
        }),
    };
    Some((output, declaration))
}

/// What `from` names.
enum Source {
    File {
        location: Location,
        path: String,
        span: Span,
    },
    Values {
        source: ValuesSource,
        span: Span,
    },
}

fn source(reader: &mut Reader<'_>, from: NodeId) -> Option<Source> {
    let errors = reader.diagnostics.len();
    let sources = reader.mapping(from, "from", &keys::FROM);
    let mut named = sources.into_iter();
    let Some((key, id)) = named.next() else {
        if reader.diagnostics.len() == errors {
            reader.error(
                from,
                "`from` has no `file`",
                "write `from: {file: outputs.json}`",
            );
        }
        return None;
    };
    if let Some((other, id)) = named.next() {
        let message = format!("`from` has both `{key}` and `{other}`");
        reader.error(
            id,
            message,
            "keep one of them, and write another item for the other: items can share a name",
        );
        return None;
    }
    let span = reader.span(id);
    match key {
        "parameter" => {
            let name = reader.text(id, "parameter")?;
            check_parameter(reader, id, &name);
            Some(Source::Values {
                source: ValuesSource::Parameter(name),
                span,
            })
        }
        "inline" => Some(Source::Values {
            source: ValuesSource::Inline(inline(reader, id)?),
            span: reader.content_span(id),
        }),
        "resource" => Some(Source::Values {
            source: ValuesSource::Resource(resource(reader, id)?),
            span: reader.content_span(id),
        }),
        _ => {
            let location = match key {
                "mounted" => Location::Mounted,
                _ => Location::Root,
            };
            let path = path(reader, id, &location)?;
            Some(Source::File {
                location,
                path,
                span,
            })
        }
    }
}

/// Reads the path of a file, which may contain parameters.
fn path(reader: &mut Reader<'_>, id: NodeId, location: &Location) -> Option<String> {
    let (what, folder) = match location {
        Location::Mounted => ("mounted", "the operator's mounted folder"),
        _ => ("file", "the Binding's folder"),
    };
    let path = reader.text(id, what)?;
    if path.starts_with('/') || path.contains('\\') {
        let help = format!("write it relative to {folder}, with `/` between folders");
        reader.error(id, format!("`{path}` is not a relative path"), help);
        return None;
    }
    if *location == Location::Mounted && path.split('/').any(|segment| segment == "..") {
        let message = format!("`{path}` leads out of the operator's mounted folder");
        reader.error(id, message, "remove the `..`");
        return None;
    }
    let Some(parsed) = ParameterPath::parse(&path) else {
        let message = format!("invalid parameter in `{path}`");
        let help = "write the name of a parameter in braces, such as `{cluster}`; a name has letters, digits, `.`, `_` and `-`";
        reader.error(id, message, help);
        return None;
    };
    for name in parsed.names() {
        check_parameter(reader, id, name);
    }
    Some(path)
}

/// The parameter of `landfall stamp`, which changes with the mounted outputs.
const DIGEST: &str = "outputs-digest";

/// Reports a parameter that is not the author's to use.
fn check_parameter(reader: &mut Reader<'_>, id: NodeId, name: &str) {
    if name == DIGEST {
        let message =
            format!("the parameter `{name}` is reserved for the digest of the mounted outputs");
        reader.error(id, message, "use a parameter of another name");
    }
}

/// Reads values that are written in the Binding.
fn inline(reader: &mut Reader<'_>, id: NodeId) -> Option<Value> {
    let value = plain_value(reader, id, "inline")?;
    if matches!(value, Value::Object(_)) {
        return Some(value);
    }
    reader.error(
        id,
        "`inline` must be a mapping of outputs",
        "write `inline: {region: eu-west-1}`",
    );
    None
}

/// Reads what identifies a resource.
fn resource(reader: &mut Reader<'_>, id: NodeId) -> Option<ResourceName> {
    let fields = reader.mapping(id, "resource", &keys::RESOURCE);
    let mut text = |key: &str| match fields.get(key) {
        Some(id) => reader.text(*id, key),
        None => Some(String::new()),
    };
    let named = ResourceName {
        api_version: text("apiVersion")?,
        kind: text("kind")?,
        name: text("name")?,
        namespace: text("namespace")?,
    };
    if named.kind.is_empty() || named.name.is_empty() {
        let help = "write `resource: {kind: ConfigMap, name: infra}`";
        reader.error(id, "`resource` needs a `kind` and a `name`", help);
        return None;
    }
    Some(named)
}

fn declaration(reader: &mut Reader<'_>, fields: &OrderedMap<&str, NodeId>) -> Declaration {
    let mut declaration = Declaration::new(reader.origin());
    if let Some(id) = fields.get("sensitive") {
        sensitive(reader, *id, &mut declaration);
    }
    if let Some(id) = fields.get("notSensitive") {
        declaration.not_sensitive = names(reader, *id, "notSensitive");
    }
    let listed: OrderedSet<&str> = declaration
        .sensitive
        .iter()
        .map(|(name, _)| name.as_str())
        .collect();
    for (name, span) in &declaration.not_sensitive {
        if declaration.is_sensitive || listed.contains(name.as_str()) {
            let message = format!("`{name}` is declared both sensitive and not sensitive");
            reader.error_at(*span, message, "remove one of the declarations");
        }
    }
    declaration
}

/// Reads `true` or a list of names.
fn sensitive(reader: &mut Reader<'_>, id: NodeId, declaration: &mut Declaration) {
    match reader.scalar(id) {
        Some("true") => declaration.is_sensitive = true,
        Some(_) => reader.error(
            id,
            "`sensitive` must be `true` or a list of names",
            "to declare nothing sensitive, remove it: it adds to the marks of the document, and cannot remove one",
        ),
        None => declaration.sensitive = names(reader, id, "sensitive"),
    }
}

/// Reads a list of names of outputs, each with its location.
fn names(reader: &mut Reader<'_>, id: NodeId, what: &str) -> Vec<(String, Span)> {
    let names = reader.texts(id, what).into_iter();
    names.map(|(id, name)| (name, reader.span(id))).collect()
}
