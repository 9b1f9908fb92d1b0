//! An ApplicationSet, read and checked as the API server and Argo CD check it.

use crate::contract::expand::document::{Content, Document, Node};
use crate::contract::expand::problems::Problems;
use crate::contract::expand::templates::{MissingKey, Mode};
use crate::kubernetes::types::{FieldType, resource_type};
use crate::report::{Diagnostic, Rule};

/// The version of the kinds of Argo CD.
pub(super) const API_VERSION: &str = "argoproj.io/v1alpha1";

/// The kind of ApplicationSets.
pub(super) const KIND: &str = "ApplicationSet";

const SPEC: [&str; 10] = [
    "goTemplate",
    "goTemplateOptions",
    "generators",
    "template",
    "syncPolicy",
    "strategy",
    "preservedFields",
    "applyNestedSelectors",
    "ignoreApplicationDifferences",
    "templatePatch",
];

const TEMPLATE: [&str; 2] = ["metadata", "spec"];
const TEMPLATE_METADATA: [&str; 5] = ["name", "namespace", "labels", "annotations", "finalizers"];

/// An ApplicationSet.
pub(super) struct ApplicationSet<'d> {
    pub(super) name: &'d str,
    pub(super) namespace: Option<&'d str>,
    pub(super) mode: Mode,
    pub(super) generators: &'d [Node],
    pub(super) template: &'d Node,
    /// Whether Applications without finalizers stay without.
    pub(super) preserves_resources: bool,
    pub(super) patch: Option<&'d Node>,
}

/// Returns whether a document is an ApplicationSet.
pub(super) fn is_application_set(root: &Node) -> bool {
    root.text_of("kind") == KIND && root.text_of("apiVersion").starts_with("argoproj.io/")
}

impl<'d> ApplicationSet<'d> {
    /// Reads an ApplicationSet. Returns `None` after reporting what is missing.
    pub(super) fn read(document: &'d Document, problems: &mut Problems<'d>) -> Option<Self> {
        let root = &document.root;
        if root.text_of("apiVersion") != API_VERSION {
            let at = root.field("apiVersion").unwrap_or(root);
            problems.error(
                at.id,
                "unknown version of ApplicationSet",
                format!("write `apiVersion: {API_VERSION}`"),
            );
            return None;
        }
        check_types(root, &resource_type(API_VERSION, KIND), "", problems);
        let Some(spec) = root.field("spec") else {
            problems.error(root.id, "the ApplicationSet has no `spec`", "add it");
            return None;
        };
        problems.check_fields(spec, &SPEC, "the spec of an ApplicationSet");
        let generators = spec
            .field("generators")
            .map(Node::items)
            .unwrap_or_default();
        if generators.is_empty() {
            problems.error(
                spec.id,
                "the ApplicationSet has no `generators`",
                "add one, such as `- clusters: {}`",
            );
        }
        let Some(template) = spec.field("template") else {
            problems.error(
                spec.id,
                "the ApplicationSet has no `template`",
                "add the template of its Applications",
            );
            return None;
        };
        let mode = mode(spec, problems);
        for template in templates(spec) {
            problems.check_fields(template, &TEMPLATE, "a template");
            if let Some(metadata) = template.field("metadata") {
                problems.check_fields(metadata, &TEMPLATE_METADATA, "the metadata of a template");
            }
        }
        let metadata = root.field("metadata");
        Some(Self {
            name: metadata
                .map(|node| node.text_of("name"))
                .unwrap_or_default(),
            namespace: metadata.and_then(|node| node.field("namespace")?.text()),
            mode,
            generators,
            template,
            preserves_resources: spec
                .at(&["syncPolicy", "preserveResourcesOnDeletion"])
                .is_some_and(Node::is_true),
            patch: spec.field("templatePatch"),
        })
    }
}

/// Returns the template of a spec, and those of its generators.
fn templates(spec: &Node) -> Vec<&Node> {
    let generators = spec
        .field("generators")
        .map(Node::items)
        .unwrap_or_default()
        .iter()
        .flat_map(Node::entries);
    let own = generators.filter_map(|(_, generator)| generator.field("template"));
    spec.field("template").into_iter().chain(own).collect()
}

fn mode(spec: &Node, problems: &mut Problems<'_>) -> Mode {
    let options = spec.field("goTemplateOptions");
    if !spec.field("goTemplate").is_some_and(Node::is_true) {
        if let Some(options) = options.filter(|options| !options.is_empty()) {
            let message = "`goTemplateOptions` has no effect without `goTemplate: true`";
            problems.warn(
                options.id,
                message,
                "set `goTemplate: true`, or remove the options",
            );
        }
        return Mode::Plain;
    }
    let mut missing_key = MissingKey::default();
    for option in options.map(Node::items).unwrap_or_default() {
        missing_key = match option.text().unwrap_or_default() {
            "missingkey=default" | "missingkey=invalid" => MissingKey::Nothing,
            "missingkey=zero" => MissingKey::Zero,
            "missingkey=error" => MissingKey::Error,
            other => {
                let message = format!("`{other}` is not an option of Go templates");
                problems.error(option.id, message, "write `missingkey=error`");
                continue;
            }
        };
    }
    Mode::Go(missing_key)
}

/// Reports values of other types than their fields have, and those that readers read
/// differently.
fn check_types(node: &Node, field: &FieldType, path: &str, problems: &mut Problems<'_>) {
    match (&node.content, field) {
        (Content::Null, _) if path.contains(".valuesObject.") && !path.ends_with(']') => {
            let message = format!("Argo CD removes `{path}`, because it is null");
            let help = "write the values as text in `helm.values`: a null there reaches Helm";
            problems.warn(node.id, message, help);
        }
        (Content::Null, _) | (_, FieldType::Either) => {}
        (Content::Object(entries), FieldType::Object(_) | FieldType::Unknown) => {
            for (key, value) in entries {
                let inside = match path {
                    "" => key.name.clone(),
                    _ => format!("{path}.{}", key.name),
                };
                check_types(value, &field.field(&key.name), &inside, problems);
            }
        }
        (Content::List(items), FieldType::List(_) | FieldType::Unknown) => {
            for (nth, item) in items.iter().enumerate() {
                check_types(item, &field.item(), &format!("{path}[{nth}]"), problems);
            }
        }
        (Content::String(_), FieldType::String)
        | (Content::Bool(_), FieldType::Boolean)
        | (Content::Number(_), FieldType::Number) => {}
        (Content::Number(digits), FieldType::Integer) if digits.parse::<i64>().is_ok() => {}
        (content, FieldType::Unknown) => {
            let is_scalar = matches!(content, Content::Bool(_) | Content::Number(_));
            if is_scalar && problems.document.is_read_differently(node.id) {
                warn_of_reading(node, path, problems);
            }
        }
        (Content::Bool(_) | Content::Number(_), FieldType::String) => {
            let text = problems.document.text(node.id).to_owned();
            let because = if problems.document.is_read_differently(node.id) {
                format!(
                    "`{text}` is {} in the YAML 1.1 that Argo CD reads",
                    node.described()
                )
            } else {
                format!("`{text}` is {}", node.described())
            };
            let message = format!("`{path}` must be a string, and {because}");
            let error = Diagnostic::error(Rule::InvalidApplicationSet, message)
                .at(
                    problems.document.origin,
                    problems.document.span(node.id),
                    "",
                )
                .help("quote it")
                .fix(
                    "quote it",
                    problems.document.origin,
                    vec![problems.document.quoted(node.id)],
                );
            problems.push(node.id, 0, error);
        }
        (content, _) => {
            let message = format!(
                "`{path}` must be {}, and is {}",
                field.described(),
                node.described()
            );
            let help = match content {
                Content::String(text) if text.contains("{{") => {
                    "a template is a string: only fields that are strings can have one; set the others with `templatePatch`"
                }
                _ => "the API server refuses another type",
            };
            problems.error(node.id, message, help);
        }
    }
}

/// Describes the first value of another type than its field has.
pub(super) fn mismatch(node: &Node, field: &FieldType, path: &str) -> Option<String> {
    let fits = match (&node.content, field) {
        (Content::Null, _) | (_, FieldType::Either | FieldType::Unknown) => true,
        (Content::Object(entries), FieldType::Object(_)) => {
            return entries.iter().find_map(|(key, value)| {
                let inside = match path {
                    "" => key.name.clone(),
                    _ => format!("{path}.{}", key.name),
                };
                mismatch(value, &field.field(&key.name), &inside)
            });
        }
        (Content::List(items), FieldType::List(_)) => {
            let mut items = items.iter().enumerate();
            return items
                .find_map(|(nth, item)| mismatch(item, &field.item(), &format!("{path}[{nth}]")));
        }
        (Content::Number(digits), FieldType::Integer) => digits.parse::<i64>().is_ok(),
        (Content::String(_), FieldType::String)
        | (Content::Bool(_), FieldType::Boolean)
        | (Content::Number(_), FieldType::Number) => true,
        _ => false,
    };
    let (expected, found) = (field.described(), node.described());
    (!fits).then(|| format!("`{path}` must be {expected}, and is {found}"))
}

/// Warns about a value without a type that Argo CD reads differently than YAML 1.2 does.
fn warn_of_reading(node: &Node, path: &str, problems: &mut Problems<'_>) {
    let text = problems.document.text(node.id).to_owned();
    let message = format!(
        "Argo CD reads `{text}` in `{path}` as {}, because its YAML is of version 1.1",
        node.described()
    );
    let help = match node.content {
        Content::Bool(value) => format!("quote it if it is a text; otherwise write `{value}`"),
        _ => "quote it if it is a text; otherwise write it in decimal digits".to_owned(),
    };
    let warning = Diagnostic::warning(Rule::MisreadApplicationSet, message)
        .at(
            problems.document.origin,
            problems.document.span(node.id),
            "",
        )
        .help(help)
        .fix(
            "quote it",
            problems.document.origin,
            vec![problems.document.quoted(node.id)],
        );
    problems.push(node.id, 0, warning);
}
