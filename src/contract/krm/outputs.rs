//! The outputs documents of a function: files, values in its Binding, and resources of the list.

use crate::config::binding::Binding;
use crate::config::bound_output::{BoundValues, ResourceName, ValuesSource};
use crate::config::{Location, Need};
use crate::contract::krm::list::List;
use crate::contract::krm::{text_at, value_of};
use crate::contract::parameters::{held, holding, set_paths};
use crate::reference::{Heads, LANDFALL};
use crate::report::{Diagnostic, Diagnostics, Origin, Rule, suggest};
use yaml::{NodeId, Span, Tree, line_end};

/// Returns the outputs documents that a function's Binding requires, in its order.
///
/// # Errors
/// A resource is missing or there are several, or the function's host cannot have a document: it
/// has no parameters, and no folder of an operator.
pub(super) fn documents(list: &List<'_>, mut binding: Binding) -> Result<Vec<Need>, Diagnostics> {
    let mut errors = set_paths(&mut binding.outputs, &[], |_| true);
    for found in errors.iter_mut() {
        for label in &mut found.labels {
            label.origin = Origin::Manifest(0);
        }
        found.help = Some("a KRM function has no parameters: name the file".to_owned());
    }
    let refused = |key: &str, span: Span, help: &str| {
        let message = format!("`{key}` is not supported in a functionConfig");
        invalid(span, message).help(help)
    };
    let as_file = "write the outputs to a file, and name it: `from: {file: infra.json}`";
    for need in &binding.outputs {
        if need.location == Location::Mounted {
            errors.push(refused("mounted", need.span, as_file));
        }
    }
    if let Some((_, span)) = binding.schemas.first() {
        let help = "list the file with the CustomResourceDefinitions under `resources:`";
        errors.push(refused("schemas", *span, help));
    }
    let names = binding.bound_names().map(String::as_str);
    let heads = Heads::in_dialect(binding.dialect.unwrap_or(LANDFALL), names);
    let mut documents = std::mem::take(&mut binding.outputs);
    for bound in &binding.values {
        match &bound.source {
            ValuesSource::Parameter(_) => {
                errors.push(refused("parameter", bound.span, as_file));
            }
            ValuesSource::Inline(_) => documents.extend(held(bound, &[]).ok().flatten()),
            ValuesSource::Resource(named) => match resource(list, bound, named, &heads) {
                Ok(document) => documents.extend(document),
                Err(error) => errors.push(*error),
            },
        }
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    documents.sort_by_key(|need| need.span);
    Ok(documents)
}

fn invalid(span: Span, message: String) -> Diagnostic {
    let start = Span::point(span.start);
    Diagnostic::error(Rule::InvalidBinding, message).in_config(Origin::Manifest(0), start, "")
}

/// Returns the document that a resource of the list is. `None`: there is none, and need not be.
fn resource(
    list: &List<'_>,
    bound: &BoundValues,
    named: &ResourceName,
    heads: &Heads,
) -> Result<Option<Need>, Box<Diagnostic>> {
    let tree = &list.tree;
    let items = value_of(tree, 0, "items");
    let items = || items.into_iter().flat_map(|items| tree.members(items));
    let described = format!("{} `{}`", named.kind, named.name);
    let mut found = items().filter(|item| is_named(tree, *item, named));
    let item = match (found.next(), found.next()) {
        (Some(item), None) => item,
        (None, _) if bound.optional => return Ok(None),
        (None, _) => {
            let error = invalid(bound.span, format!("no item is the {described}"));
            let names = items()
                .filter(|item| text_at(tree, *item, &["kind"]) == Some(&named.kind))
                .filter_map(|item| text_at(tree, item, &["metadata", "name"]));
            let names: Vec<&str> = names.collect();
            return Err(Box::new(error.help(match names[..] {
                [] => format!("no item has the kind `{}`", named.kind),
                _ => format!("items of this kind: {}", suggest::listed(names.into_iter())),
            })));
        }
        (Some(_), Some(second)) => {
            let at = Span::point(tree[second].range().start);
            let error = invalid(bound.span, format!("several items are the {described}"));
            return Err(Box::new(
                error
                    .at_concealed(Origin::Manifest(0), at, "the second one")
                    .help("add `namespace` or `apiVersion` to select one of them"),
            ));
        }
    };
    let is_document = text_at(tree, item, &["apiVersion"]) == Some("v1")
        && ["ConfigMap", "Secret"].contains(&named.kind.as_str());
    let (node, format) = if is_document {
        (item, bound.format.clone())
    } else {
        let Some(status) = value_of(tree, item, "status") else {
            let error = invalid(bound.span, format!("the {described} has no `status`"));
            return Err(Box::new(error.help(
                "of resources that are no ConfigMaps or Secrets, the outputs are in `status`: bind one as the cluster has it",
            )));
        };
        let format = bound.format.clone().unwrap_or_else(|| "yaml".to_owned());
        (status, Some(format))
    };
    let extent = tree[item].extent();
    // With a setter comment after the last value.
    let end = line_end(list.text, extent.end);
    let text = list.text.get(extent.start..end).unwrap_or_default();
    if let Some(at) = heads.all(text).bound.first() {
        let at = Span::point(extent.start + at);
        let error = invalid(
            bound.span,
            format!("the {described} has references of its own"),
        );
        return Err(Box::new(
            error
                .at_concealed(Origin::Manifest(0), at, "a reference")
                .help("its outputs would be those before it is rendered: render it in a function before this one"),
        ));
    }
    let path = format!("<{} {}>", named.kind, named.name);
    let content = alone(list.text, tree, node);
    Ok(Some(holding(bound, path, content, format)))
}

/// Returns the text of a node as a document, with the indentation that its first line had.
fn alone(text: &str, tree: &Tree, node: NodeId) -> Vec<u8> {
    let extent = tree[node].extent();
    let before = text.get(..extent.start).unwrap_or_default();
    let column = before.len() - before.rfind('\n').map_or(0, |at| at + 1);
    // The end of a block scalar may be after the indentation of the next line.
    let own = text.get(extent).unwrap_or_default().trim_end_matches(' ');
    let mut content = " ".repeat(column);
    content.push_str(own);
    if !own.ends_with('\n') {
        content.push('\n');
    }
    content.into_bytes()
}

fn is_named(tree: &Tree, item: NodeId, named: &ResourceName) -> bool {
    let is = |path: &[&str], expected: &str| text_at(tree, item, path) == Some(expected);
    let is_any_or = |path: &[&str], expected: &str| expected.is_empty() || is(path, expected);
    is(&["kind"], &named.kind)
        && is(&["metadata", "name"], &named.name)
        && is_any_or(&["apiVersion"], &named.api_version)
        && is_any_or(&["metadata", "namespace"], &named.namespace)
}
