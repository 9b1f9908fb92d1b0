//! Plugin parameters: what they are for, and the outputs documents that they contain.

use crate::config::binding::Binding;
use crate::config::bound_output::{BoundValues, ValuesSource};
use crate::config::parameter_path::{ParameterPath, PathError};
use crate::config::{Location, Need};
use crate::contract::{Announcement, Parameter, ParameterValue, ValueKind};
use crate::outputs::{PLAIN_JSON, is_json_of_strings, json_of_strings};
use crate::report::{Diagnostic, Diagnostics, Origin, Rule, suggest};
use yaml::Span;

/// Returns the outputs documents that a Binding binds, in its order, and the parameters that are
/// missing or cannot be used. For the names in `bound_otherwise`, they need not be set. A
/// document that need not exist is left out if its parameter is not set.
pub(super) fn documents(
    binding: &Binding,
    parameters: &[Parameter],
    bound_otherwise: &[String],
) -> (Vec<Need>, Diagnostics) {
    let is_bound = |name: &String| bound_otherwise.contains(name);
    let mut documents = binding.outputs.clone();
    let mut errors = set_paths(&mut documents, parameters, |need| !is_bound(&need.name));
    for bound in &binding.values {
        match held(bound, parameters) {
            Ok(document) => documents.extend(document),
            Err(_) if is_bound(&bound.name) => {}
            Err(found) => errors.append(found),
        }
    }
    documents.sort_by_key(|need| need.span);
    (documents, errors)
}

/// Returns the document of an entry. `None`: its parameter is not set, and need not be.
pub(super) fn held(
    bound: &BoundValues,
    parameters: &[Parameter],
) -> Result<Option<Need>, Diagnostics> {
    // Strings and mappings of the Binding's author are never a document that has marks.
    let plain = || {
        Some(
            bound
                .format
                .clone()
                .unwrap_or_else(|| PLAIN_JSON.to_owned()),
        )
    };
    let (path, content, format) = match &bound.source {
        ValuesSource::Inline(value) => (
            format!("<inline {}>", bound.name),
            value.to_json().into_bytes(),
            plain(),
        ),
        // Found in the manifests.
        ValuesSource::Resource(named) => {
            let need = holding(bound, named.path(), Vec::new(), bound.format.clone());
            return Ok(Some(Need {
                location: Location::Resource,
                ..need
            }));
        }
        ValuesSource::Parameter(name) => {
            let path = format!("<parameter {name}>");
            match value_of(name, parameters) {
                Some(ParameterValue::Text(text)) if !text.trim().is_empty() => {
                    // A map, as it is written where all parameters are text.
                    let format = if is_json_of_strings(text) {
                        plain()
                    } else {
                        bound.format.clone()
                    };
                    (path, text.clone().into_bytes(), format)
                }
                Some(ParameterValue::Entries(entries)) if !entries.is_empty() => {
                    (path, json_of_strings(entries).into_bytes(), plain())
                }
                Some(ParameterValue::Items(_)) => return Err(is_array(name, bound).into()),
                _ if bound.optional => return Ok(None),
                _ => return Err(not_set(name, bound, parameters).into()),
            }
        }
    };
    Ok(Some(holding(bound, path, content, format)))
}

/// Returns the document of an entry that is no file.
pub(super) fn holding(
    bound: &BoundValues,
    path: String,
    content: Vec<u8>,
    format: Option<String>,
) -> Need {
    Need {
        name: bound.name.clone(),
        location: Location::Held(content),
        path,
        format,
        published_by: bound.published_by.clone(),
        optional: bound.optional,
        may_be_absent: false,
        // Of outputs that are no file, which no flag binds.
        declares_sensitive: false,
        span: bound.span,
    }
}

fn value_of<'p>(name: &str, parameters: &'p [Parameter]) -> Option<&'p ParameterValue> {
    let mut found = parameters.iter().filter(|parameter| parameter.name == name);
    found.next().map(|parameter| &parameter.value)
}

fn is_array(name: &str, bound: &BoundValues) -> Diagnostic {
    let message =
        format!("the parameter `{name}` is an array, but an outputs document was expected");
    Diagnostic::error(Rule::InvalidParameter, message)
        .at(Origin::Binding, bound.span, "needed here")
        .help("pass a map, or a string with an outputs document")
}

fn not_set(name: &str, bound: &BoundValues, parameters: &[Parameter]) -> Diagnostic {
    let message = format!(
        "`{}` has no outputs: the parameter `{name}` is not set",
        bound.name
    );
    let help = match &bound.published_by {
        Some(publisher) => format!("it is set by {publisher}"),
        None => set_parameter(name, parameters),
    };
    Diagnostic::error(Rule::ParameterNotSet, message)
        .at(Origin::Binding, bound.span, "needed here")
        .help(help)
}

/// Returns how to set a parameter, or the parameter that was probably meant.
fn set_parameter(name: &str, parameters: &[Parameter]) -> String {
    let names = parameters.iter().map(|parameter| parameter.name.as_str());
    match suggest::closest(name, names) {
        Some(near) => format!("`{near}` is set: rename it to `{name}`"),
        None => format!("set the plugin parameter `{name}`"),
    }
}

/// Replaces the parameters in the paths of outputs documents. Documents that may be missing
/// are removed if a parameter is not set. Returns an error for every other parameter that is
/// missing, and for those that are not one segment of a path, of the documents that are
/// `required`; these paths are left as they are.
pub(super) fn set_paths(
    needs: &mut Vec<Need>,
    parameters: &[Parameter],
    required: impl Fn(&Need) -> bool,
) -> Diagnostics {
    let value = |name: &str| match value_of(name, parameters) {
        Some(ParameterValue::Text(text)) if text.is_empty() => None,
        Some(ParameterValue::Text(text)) => Some(text.as_str()),
        // Not a segment.
        Some(_) => Some("/"),
        None => None,
    };
    let mut errors = Diagnostics::default();
    needs.retain_mut(|need| {
        // The Binding has been read without an error.
        let Some(path) = ParameterPath::parse(&need.path) else {
            return true;
        };
        let found = match path.with_values(value) {
            Ok(path) => {
                need.path = path;
                return true;
            }
            Err(found) => found,
        };
        let is_missing = |error: &PathError<'_>| matches!(error, PathError::NotSet(_));
        if need.optional && found.iter().all(is_missing) {
            return false;
        }
        if required(need) {
            errors.extend(
                found
                    .iter()
                    .map(|error| path_error(error, need, parameters)),
            );
        }
        true
    });
    errors
}

fn path_error(error: &PathError<'_>, need: &Need, parameters: &[Parameter]) -> Diagnostic {
    let (rule, message, help) = match error {
        PathError::NotSet(name) => (
            Rule::ParameterNotSet,
            format!("the parameter `{name}` is not set"),
            set_parameter(name, parameters),
        ),
        PathError::NotASegment(name) => (
            Rule::InvalidParameter,
            format!("the parameter `{name}` is not one segment of a path"),
            "use letters, digits, `.`, `_` and `-`, and not only `.`".to_owned(),
        ),
    };
    Diagnostic::error(rule, message)
        .at(Origin::Binding, need.span, "needed for this path")
        .help(help)
}

/// Returns what a Binding's parameters are, each once, in the order of the Binding.
pub(super) fn announcements(binding: &Binding, parameters: &[Parameter]) -> Vec<Announcement> {
    let mut found: Vec<(Span, Announcement)> = Vec::new();
    let mut add = |span, name: &str, announcement: &dyn Fn() -> Announcement| {
        if !found.iter().any(|(_, earlier)| earlier.name == name) {
            found.push((span, announcement()));
        }
    };
    let is_document = |name: &str| {
        let sources = binding.values.iter().map(|bound| &bound.source);
        sources
            .into_iter()
            .any(|source| matches!(source, ValuesSource::Parameter(parameter) if parameter == name))
    };
    for need in &binding.outputs {
        for name in ParameterPath::parse(&need.path)
            .iter()
            .flat_map(ParameterPath::names)
        {
            add(need.span, name, &|| Announcement {
                name: name.to_owned(),
                title: name.to_owned(),
                tooltip: format!("selects the outputs of `{}`: {}", need.name, need.path),
                required: !need.optional,
                value_kind: ValueKind::Text,
                current: match value_of(name, parameters) {
                    // A document may contain secrets.
                    Some(ParameterValue::Text(text)) if !is_document(name) => {
                        Some(ParameterValue::Text(text.clone()))
                    }
                    _ => None,
                },
            });
        }
    }
    for bound in &binding.values {
        let ValuesSource::Parameter(name) = &bound.source else {
            continue;
        };
        add(bound.span, name, &|| Announcement {
            name: name.clone(),
            title: name.clone(),
            tooltip: tooltip(bound, binding),
            required: !bound.optional,
            value_kind: match value_of(name, parameters) {
                Some(ParameterValue::Text(_)) => ValueKind::Text,
                _ => ValueKind::Entries,
            },
            current: match value_of(name, parameters) {
                // The values of a map are not marked, and a document in a string may have
                // sensitive outputs.
                Some(ParameterValue::Entries(entries))
                    if !binding.declarations.has_sensitive(&bound.name)
                        && !binding.contract.has_sensitive(&bound.name) =>
                {
                    Some(ParameterValue::Entries(entries.clone()))
                }
                _ => None,
            },
        });
    }
    found.sort_by_key(|(span, _)| *span);
    found
        .into_iter()
        .map(|(_, announcement)| announcement)
        .collect()
}

/// Describes the outputs of a parameter: what the contract requires of them.
fn tooltip(bound: &BoundValues, binding: &Binding) -> String {
    let mut tooltip = format!("the outputs of `{}`", bound.name);
    let required = binding.contract.described(&bound.name);
    if !required.is_empty() {
        tooltip.push_str(": ");
        tooltip.push_str(&required.join(", "));
    }
    if let Some(publisher) = &bound.published_by {
        tooltip.push_str(&format!("; set by {publisher}"));
    }
    tooltip
}
