//! `templatePatch`: YAML with templates that is merged into each Application
//! (`applicationset/controllers/template/patch.go`).

use crate::collections::OrderedMap;
use crate::contract::expand::application_set::{API_VERSION, mismatch};
use crate::contract::expand::document::{Content, Document, Node, Reading};
use crate::contract::expand::parameters::Parameters;
use crate::contract::expand::problems::Problems;
use crate::contract::expand::templates::{Mode, Renderer, Unknown, subject};
use crate::kubernetes::types::resource_type;
use crate::outputs::Value;
use crate::report::{Diagnostics, Rule};

/// A patch is one document.
const READING: Reading = Reading {
    rule: Rule::InvalidApplicationSet,
    what: "the rendered `templatePatch`",
    wanted: None,
    conceals: false,
};

/// Returns the Application with the patch merged into it. Returns `None` after reporting a
/// problem.
pub(super) fn applied(
    mode: Mode,
    patch: &Node,
    application: Value,
    parameters: &Parameters,
    problems: &mut Problems<'_>,
) -> Option<Value> {
    let mut renderer = Renderer {
        mode,
        parameters,
        unknown: Unknown::Missing,
        problems: &mut *problems,
    };
    let text = renderer.text(patch, patch.text().unwrap_or_default())?;
    let mut found = Diagnostics::default();
    let documents = READING.documents(text.as_bytes(), problems.document.origin, &mut found);
    let who = subject(parameters);
    if let Some(error) = found.first() {
        // Its location is in the rendered text.
        let message = format!("{} for `{who}`", error.message);
        let help =
            "write YAML of which every reader reads the same, and quote values: `\"{{ .name }}\"`";
        problems.error(patch.id, message, help);
        return None;
    }
    let [rendered @ Document { root, .. }] = &documents[..] else {
        if documents.is_empty() {
            return Some(application);
        }
        problems.error(
            patch.id,
            "`templatePatch` has more than one document",
            "write one",
        );
        return None;
    };
    if !matches!(root.content, Content::Object(_)) {
        problems.error(
            patch.id,
            format!("`templatePatch` is {}, not an object", root.described()),
            "write the fields of an Application",
        );
        return None;
    }
    if let Some(name) = directive(root) {
        let message = format!("the directive `{name}` of patches is not evaluated");
        problems.error(
            patch.id,
            message,
            "write the whole list or object in the template",
        );
        return None;
    }
    if let Some(message) = mismatch(root, &resource_type(API_VERSION, "Application"), "") {
        problems.error(
            patch.id,
            format!("{message} in `templatePatch` for `{who}`"),
            "Argo CD refuses another type",
        );
        return None;
    }
    if root.at(&["spec", "project"]).is_some() {
        let help = "set it in the template: Argo CD ignores it in a patch";
        problems.warn(
            patch.id,
            "`spec.project` in `templatePatch` has no effect",
            help,
        );
    }
    warn_of_readings(patch, rendered, problems);
    Some(merged(application, root, &mut Vec::new()))
}

/// Warns about values of a patch without quotes that Argo CD reads differently than they look.
fn warn_of_readings(patch: &Node, rendered: &Document, problems: &mut Problems<'_>) {
    let mut nodes = vec![&rendered.root];
    while let Some(node) = nodes.pop() {
        match &node.content {
            Content::Object(entries) => nodes.extend(entries.iter().map(|(_, value)| value)),
            Content::List(items) => nodes.extend(items),
            Content::Bool(_) | Content::Number(_) if rendered.is_read_differently(node.id) => {
                let message = format!(
                    "Argo CD reads `{}` in `templatePatch` as {}, because its YAML is of version 1.1",
                    rendered.text(node.id),
                    node.described()
                );
                let help = "quote it if it is a text: `\"{{ .name }}\"`, or `{{ toJson .name }}`";
                problems.warn(patch.id, message, help);
            }
            _ => {}
        }
    }
}

/// Returns the first key that is a directive of strategic merge patches.
fn directive(node: &Node) -> Option<&str> {
    match &node.content {
        Content::Object(entries) => entries.iter().find_map(|(key, value)| {
            if key.name.starts_with('$') {
                Some(key.name.as_str())
            } else {
                directive(value)
            }
        }),
        Content::List(items) => items.iter().find_map(directive),
        _ => None,
    }
}

/// Merges a patch: objects are merged, null removes, and all else is replaced, except
/// finalizers, which are added.
fn merged<'n>(value: Value, patch: &'n Node, path: &mut Vec<&'n str>) -> Value {
    let (Value::Object(entries), Content::Object(changes)) = (value, &patch.content) else {
        return without_null(patch);
    };
    let mut by_name = OrderedMap::new();
    for (nth, (key, _)) in changes.iter().enumerate() {
        by_name.insert(key.name.as_str(), nth);
    }
    let mut is_used = vec![false; changes.len()];
    let mut result = Vec::with_capacity(entries.len());
    for (name, old) in entries {
        let nth = by_name.get(name.name.as_str()).copied();
        let Some((nth, (key, change))) = nth.and_then(|nth| Some((nth, changes.get(nth)?))) else {
            result.push((name, old));
            continue;
        };
        if let Some(is_used) = is_used.get_mut(nth) {
            *is_used = true;
        }
        path.push(&key.name);
        let new = match (&path[..], &change.content) {
            (["spec", "project"] | ["metadata", "namespace"], _) => Some(old),
            (_, Content::Null) => None,
            (["metadata", "finalizers"], _) => Some(added(old, change)),
            _ => Some(merged(old, change, path)),
        };
        path.pop();
        result.extend(new.map(|new| (name, new)));
    }
    for ((key, change), is_used) in changes.iter().zip(is_used) {
        path.push(&key.name);
        let is_kept = matches!(path[..], ["spec", "project"] | ["metadata", "namespace"]);
        path.pop();
        if is_used || is_kept || matches!(change.content, Content::Null) {
            continue;
        }
        let name = crate::outputs::Key {
            name: key.name.clone(),
            span: yaml::Span::point(0),
        };
        result.push((name, without_null(change)));
    }
    Value::Object(result)
}

/// Returns the items of a list after those of a patch, each once: `patchStrategy: merge` of
/// scalars.
fn added(list: Value, patch: &Node) -> Value {
    let (Value::List(items), Value::List(added)) = (list, patch.value()) else {
        return patch.value();
    };
    let mut all: Vec<Value> = Vec::with_capacity(items.len() + added.len());
    for item in added.into_iter().chain(items) {
        if !all.contains(&item) {
            all.push(item);
        }
    }
    Value::List(all)
}

/// Returns a value without the entries that are null: there is nothing that they remove.
fn without_null(node: &Node) -> Value {
    match node.value() {
        Value::Object(_) => {
            let entries = node
                .entries()
                .iter()
                .filter(|(_, value)| !matches!(value.content, Content::Null));
            Value::Object(
                entries
                    .map(|(key, value)| {
                        let key = crate::outputs::Key {
                            name: key.name.clone(),
                            span: yaml::Span::point(0),
                        };
                        (key, without_null(value))
                    })
                    .collect(),
            )
        }
        value => value,
    }
}
