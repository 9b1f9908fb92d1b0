//! Diagnostics as the `results` of a ResourceList.

use crate::contract::krm::ANNOTATIONS;
use crate::contract::members::{value_at, value_of};
use crate::outputs::{Key, Value};
use crate::report::{Diagnostic, Severity};
use yaml::{Context, Kind, NodeId, Tree, block, flow, line_end};
use yaml::{Edit, Span};

/// Returns an edit that adds the diagnostics as `results` at the end of the list.
pub(super) fn results(
    text: &str,
    tree: &Tree,
    root: NodeId,
    diagnostics: &[&Diagnostic],
) -> Option<Edit> {
    // Results of an earlier function are not ours to change.
    if value_of(tree, root, "results").is_some() {
        return None;
    }
    let results = Value::List(
        diagnostics
            .iter()
            .map(|diagnostic| result(text, tree, diagnostic))
            .collect(),
    );
    match tree.get(root)?.kind() {
        Kind::Mapping { flow: true, .. } => {
            let end = text.rfind('}')?;
            let json = flow(
                &results,
                Context {
                    flow: true,
                    json: true,
                },
            );
            Some(Edit {
                span: Span::point(end),
                text: format!(",\"results\":{json}").into_bytes(),
            })
        }
        Kind::Mapping { column, .. } => {
            let pad = " ".repeat(column);
            let before = if text.ends_with('\n') { "" } else { "\n" };
            let list = block(&results, column, "\n");
            Some(Edit {
                span: Span::point(text.len()),
                text: format!("{before}{pad}results:\n{pad}{list}\n").into_bytes(),
            })
        }
        _ => None,
    }
}

fn object(entries: Vec<(&str, Value)>) -> Value {
    let entries = entries.into_iter().map(|(name, value)| {
        let key = Key {
            name: name.to_owned(),
            span: Span::point(0),
        };
        (key, value)
    });
    Value::Object(entries.collect())
}

/// Returns the file that a resource of the list is from, by its annotations: its path and the
/// index of its document.
fn file(text: &str, tree: &Tree, diagnostic: &Diagnostic) -> Option<Value> {
    let at = diagnostic.labels.first()?.span.start;
    let items = value_of(tree, 0, "items")?;
    let before = tree.members(items);
    let item = before
        .take_while(|item| tree[*item].range().start <= at)
        .last()?;
    // A comment after its last value belongs to it.
    let end = line_end(text, tree[item].extent().end);
    if at >= end {
        return None;
    }
    let annotations = value_at(tree, item, &ANNOTATIONS)?;
    let annotation = |name: &str| {
        let groups = ["internal.config.kubernetes.io", "config.kubernetes.io"];
        let mut values = groups.iter().filter_map(|group| {
            let value = value_of(tree, annotations, &format!("{group}/{name}"))?;
            tree.text(value)
        });
        values.next()
    };
    let mut entries = vec![("path", Value::String(annotation("path")?.to_owned()))];
    if let Some(index) = annotation("index").filter(|index| index.parse::<u32>().is_ok()) {
        entries.push(("index", Value::Number(index.to_owned())));
    }
    Some(object(entries))
}

fn result(list: &str, tree: &Tree, diagnostic: &Diagnostic) -> Value {
    let text = |text: &str| Value::String(text.to_owned());
    let message = match &diagnostic.help {
        Some(help) => format!("{} [{}]; {help}", diagnostic.message, diagnostic.rule.id()),
        None => format!("{} [{}]", diagnostic.message, diagnostic.rule.id()),
    };
    let severity = match diagnostic.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "info",
    };
    let mut entries = vec![
        ("message", Value::String(message)),
        ("severity", text(severity)),
    ];
    if let Some(resource) = &diagnostic.resource {
        let mut reference = vec![
            ("apiVersion", text(&resource.api_version)),
            ("kind", text(&resource.kind)),
            ("name", text(&resource.name)),
        ];
        if !resource.namespace.is_empty() {
            reference.push(("namespace", text(&resource.namespace)));
        }
        entries.push(("resourceRef", object(reference)));
    }
    if let Some(field) = &diagnostic.field {
        entries.push(("field", object(vec![("path", text(field))])));
    }
    entries.extend(file(list, tree, diagnostic).map(|file| ("file", file)));
    entries.push(("tags", object(vec![("rule", text(diagnostic.rule.id()))])));
    object(entries)
}
