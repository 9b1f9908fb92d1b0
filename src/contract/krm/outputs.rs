//! The outputs documents of a function: files, values in its Binding, and resources of the list.

use crate::config::binding::Binding;
use crate::config::bound_output::ValuesSource;
use crate::config::{Location, Need};
use crate::contract::krm::list::List;
use crate::contract::members::value_of;
use crate::contract::parameters::{held, set_paths};
use crate::contract::resource_outputs::{Candidate, Candidates};
use crate::reference::{Heads, LANDFALL};
use crate::report::{Diagnostic, Diagnostics, Origin, Rule};
use yaml::Span;

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
    let tree = &list.tree;
    let items = value_of(tree, 0, "items").into_iter();
    let items = items.flat_map(|items| tree.members(items));
    let item = |node| Candidate {
        file: 0,
        text: list.text,
        offset: 0,
        tree,
        node,
    };
    let candidates = Candidates {
        all: items.map(item).collect(),
        heads: &heads,
        is_function: true,
        unreadable: Vec::new(),
        substitutions: &binding.substitutions,
    };
    let mut documents = binding.outputs.clone();
    for bound in &binding.values {
        match &bound.source {
            ValuesSource::Parameter(_) => {
                errors.push(refused("parameter", bound.span, as_file));
            }
            ValuesSource::Inline(_) => documents.extend(held(bound, &[]).ok().flatten()),
            ValuesSource::Resource(named) => match candidates.document(bound, named) {
                Ok(document) => documents.extend(document.map(|document| document.need)),
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
