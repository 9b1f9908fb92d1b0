//! The Applications of an ApplicationSet: templates merged, rendered and completed
//! (`applicationset/controllers/template`, `utils.RenderTemplateParams`).

use crate::collections::OrderedMap;
use crate::contract::expand::application_set::{API_VERSION, ApplicationSet};
use crate::contract::expand::document::{Content, Key, Node};
use crate::contract::expand::helm_numbers;
use crate::contract::expand::parameters::Parameters;
use crate::contract::expand::problems::{Place, Problems};
use crate::contract::expand::template_patch;
use crate::contract::expand::templates::{Renderer, Unknown, has_tag, subject};
use crate::outputs::Value;

/// The finalizer that removes the resources of an Application with it.
const RESOURCES_FINALIZER: &str = "resources-finalizer.argocd.argoproj.io";

/// An Application.
pub(super) struct Application {
    pub(super) name: String,
    pub(super) value: Value,
}

/// Returns the template of a generator, completed by that of the ApplicationSet: `mergo.Merge`
/// 1.0.2, which replaces what is empty.
pub(super) fn merged_template(own: Option<&Node>, base: &Node) -> Node {
    match own {
        Some(own) => merged(own, base, ""),
        None => base.clone(),
    }
}

fn merged(own: &Node, base: &Node, name: &str) -> Node {
    if own.is_empty() {
        return base.clone();
    }
    // To Argo CD it is bytes of JSON.
    let (Content::Object(entries), Content::Object(others)) = (&own.content, &base.content) else {
        return own.clone();
    };
    if name == "valuesObject" {
        return own.clone();
    }
    let mut bases = OrderedMap::new();
    for (nth, (key, _)) in others.iter().enumerate() {
        bases.insert(key.name.as_str(), nth);
    }
    let mut is_used = vec![false; others.len()];
    let mut result: Vec<(Key, Node)> = Vec::with_capacity(entries.len());
    for (key, value) in entries {
        let nth = bases.get(key.name.as_str()).copied();
        let base = nth.and_then(|nth| Some((is_used.get_mut(nth)?, others.get(nth)?)));
        let value = match base {
            Some((is_used, (_, base))) => {
                *is_used = true;
                merged(value, base, &key.name)
            }
            None => value.clone(),
        };
        result.push((key.clone(), value));
    }
    let rest = others.iter().zip(is_used).filter(|(_, is_used)| !is_used);
    result.extend(rest.map(|(entry, _)| entry.clone()));
    Node {
        content: Content::Object(result),
        id: own.id,
    }
}

/// Renders the Application for these parameters. Returns `None` after reporting a problem.
pub(super) fn render<'d>(
    set: &ApplicationSet<'d>,
    template: &Node,
    parameters: &Parameters,
    problems: &mut Problems<'d>,
) -> Option<Application> {
    // Argo CD renders nothing without parameters, and adds no finalizer.
    let is_rendered = !parameters.is_empty();
    let rendered = if is_rendered {
        let mut renderer = Renderer {
            mode: set.mode,
            parameters,
            unknown: Unknown::Missing,
            problems: &mut *problems,
        };
        renderer.node(template)
    } else {
        report_tags(template, problems);
        template.clone()
    };
    let value = application(set, &rendered, is_rendered);
    let value = match set.patch {
        Some(patch) => template_patch::applied(set.mode, patch, value, parameters, problems)?,
        None => value,
    };
    helm_numbers::report(template, &value, problems);
    let name = text_at(&value, &["metadata", "name"]).unwrap_or_default();
    if problems.has_errors() {
        return None;
    }
    if name.is_empty() {
        let at = template.at(&["metadata", "name"]).unwrap_or(template);
        let message = format!("the Application for `{}` has no name", subject(parameters));
        problems.error(
            at.id,
            message,
            "write a name with a parameter: `name: 'web-{{name}}'`",
        );
        return None;
    }
    Some(Application { name, value })
}

/// Returns the text at the end of these keys.
pub(super) fn text_at(value: &Value, keys: &[&str]) -> Option<String> {
    let found = keys.iter().try_fold(value, |at, key| at.entry(key))?;
    match found {
        Value::String(text) => Some(text.clone()),
        _ => None,
    }
}

/// Reports the tags of a template that is not rendered.
fn report_tags(node: &Node, problems: &mut Problems<'_>) {
    match &node.content {
        Content::String(text) if has_tag(text) => {
            let range = text.find("{{").unwrap_or_default()..text.len();
            let place = Place {
                id: node.id,
                text,
                range: &range,
            };
            let message = "the generator has an item without parameters, for which Argo CD leaves the template as it is";
            problems.error_at(place, message, "add a parameter to the item, or remove it");
        }
        Content::Object(entries) => {
            for (_, value) in entries {
                report_tags(value, problems);
            }
        }
        Content::List(items) => items.iter().for_each(|item| report_tags(item, problems)),
        _ => {}
    }
}

/// Returns the Application of a rendered template.
fn application(set: &ApplicationSet<'_>, rendered: &Node, is_rendered: bool) -> Value {
    let text = |text: &str| Value::String(text.to_owned());
    let metadata = rendered.field("metadata");
    let field = |name: &str| metadata.and_then(|metadata| metadata.field(name));
    let mut entries = Vec::new();
    if let Some(name) = field("name") {
        entries.push(("name", name.value()));
    }
    // That of the template does not count: an ApplicationSet makes none in other namespaces.
    if let Some(namespace) = set.namespace {
        entries.push(("namespace", text(namespace)));
    }
    for name in ["labels", "annotations"] {
        entries.extend(
            field(name)
                .filter(|node| !node.is_empty())
                .map(|node| (name, node.value())),
        );
    }
    match field("finalizers").filter(|node| !node.is_empty()) {
        Some(finalizers) => entries.push(("finalizers", finalizers.value())),
        None if is_rendered && !set.preserves_resources => {
            entries.push(("finalizers", Value::List(vec![text(RESOURCES_FINALIZER)])));
        }
        None => {}
    }
    let spec = rendered
        .field("spec")
        .map_or(Value::Object(Vec::new()), Node::value);
    object([
        ("apiVersion", text(API_VERSION)),
        ("kind", text("Application")),
        ("metadata", object(entries)),
        ("spec", spec),
    ])
}

fn object<'k>(entries: impl IntoIterator<Item = (&'k str, Value)>) -> Value {
    let entry = |(name, value): (&str, Value)| {
        let key = crate::outputs::Key {
            name: name.to_owned(),
            span: yaml::Span::point(0),
        };
        (key, value)
    };
    Value::Object(entries.into_iter().map(entry).collect())
}
