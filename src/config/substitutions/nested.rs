//! Paths of `spec.embedded` that continue in a text: a document in a document cannot be listed.

use std::fmt::Write;
use std::rc::Rc;

use crate::collections::OrderedSet;
use crate::config::substitutions::pattern::Pattern;
use crate::config::substitutions::{EmbeddedFields, FieldPath, Fields, PathStep, Selector};
use crate::kubernetes::embedded_by_field;
use crate::kubernetes::resources::{Field, FieldStep, resource_of_kind};
use crate::kubernetes::types::{FieldType, resource_type};
use crate::report::ResourceRef;

/// A path that continues in the text of a field.
pub(super) struct Nested<'l> {
    pub(super) path: &'l FieldPath,
    /// The field, as in [`Field`]'s `Display`.
    pub(super) text: String,
    /// The path with its last keys as one with dots, if the text is an entry of a map.
    dotted: Option<String>,
}

impl Nested<'_> {
    /// Returns what to do.
    pub(super) fn help(&self) -> String {
        match &self.dotted {
            Some(dotted) => format!("put a key with dots in brackets: `{dotted}`"),
            None => {
                "end the path at that field: a document in a document cannot be listed".to_owned()
            }
        }
    }
}

/// Returns the paths of the list that continue in a field which is a text as far as is known: one
/// that embeds a document, that another path of the list ends at, or whose type is a string.
pub(super) fn find(list: &[EmbeddedFields]) -> Vec<Nested<'_>> {
    let all = || {
        list.iter().flat_map(|item| {
            let paths = item.fields.paths.iter();
            paths.map(move |path| (&item.fields, path))
        })
    };
    let own = |fields: &Fields| selected(&fields.select, &fields.reject);
    let mut listed = OrderedSet::new();
    for (fields, path) in all() {
        listed.extend(prefixes(own(fields), path).last());
    }
    let mut found = Vec::new();
    for (fields, path) in all() {
        let known = text_in(&fields.select, path);
        let also_listed = || {
            let all = [own(fields), selected(&all_of_kind(&fields.select), &[])];
            let ends = all.into_iter().filter_map(|selected| {
                prefixes(selected, path).position(|prefix| listed.contains(&prefix))
            });
            let length = ends.min()? + 1;
            (length < path.steps.len()).then_some(length)
        };
        if let Some(length) = known.map(|known| known.length).or_else(also_listed) {
            let steps = path
                .steps
                .iter()
                .take(length)
                .map(|step| field_step(step, &FieldType::Unknown));
            let field = Field {
                steps: steps.collect(),
                ..Field::default()
            };
            let text = field.to_string();
            let dotted = match known {
                Some(known) if known.is_entry => dotted(path, length),
                _ => None,
            };
            found.push(Nested { path, text, dotted });
        }
    }
    found
}

/// Returns a text that only fields of the same selection have.
fn selected(select: &Selector, reject: &[Selector]) -> String {
    format!("{select:?} {reject:?}")
}

/// Returns the selector of all resources of the kind that this one selects.
fn all_of_kind(select: &Selector) -> Selector {
    Selector {
        kind: select.kind.clone(),
        ..Selector::default()
    }
}

/// Returns a text for each beginning of a path, which only the same one of the same selection has.
fn prefixes(selected: String, path: &FieldPath) -> impl Iterator<Item = String> {
    let mut text = selected;
    path.steps.iter().map(move |step| {
        // Writing to a string does not fail.
        let _ = write!(text, " {step:?}");
        text.clone()
    })
}

/// Returns a path whose keys after the first `length - 1` steps are one key with dots.
fn dotted(path: &FieldPath, length: usize) -> Option<String> {
    let key = |step: &PathStep| match step {
        PathStep::Key(key) => Some(key.clone()),
        _ => None,
    };
    let keys: Vec<String> = path.steps.iter().map(key).collect::<Option<_>>()?;
    let (before, entry) = keys.split_at_checked(length.checked_sub(1)?)?;
    Some(format!("{}.[{}]", before.join("."), entry.join(".")))
}

/// A field in a path that is a text.
#[derive(Clone, Copy)]
struct KnownText {
    /// How many steps lead to it.
    length: usize,
    /// Whether it is an entry of a map, and no document.
    is_entry: bool,
}

/// Returns the first field of a path that is a text, if the path has more steps.
fn text_in(select: &Selector, path: &FieldPath) -> Option<KnownText> {
    let resource = resource_of(select)?;
    let mut at = resource_type(&resource.api_version, &resource.kind);
    let mut field = Field {
        resource: Some(Rc::new(resource)),
        ..Field::default()
    };
    let (_, others) = path.steps.split_last()?;
    for (nth, step) in others.iter().enumerate() {
        let step = field_step(step, &at);
        let has_entries = at.only_fields().is_none();
        at = match &step {
            FieldStep::Key(key) => at.field(key),
            FieldStep::Index(_) => at.item(),
        };
        field.steps.push(step);
        let is_document = embedded_by_field(&field).is_some();
        if at == FieldType::String || is_document {
            return Some(KnownText {
                length: nth + 1,
                is_entry: has_entries && !is_document,
            });
        }
    }
    None
}

/// Returns a resource that a selector selects, if it names the kind.
fn resource_of(select: &Selector) -> Option<ResourceRef> {
    let literal = |pattern: &Option<Pattern>| match pattern {
        None => Some(None),
        Some(pattern) => pattern.literal().map(|text| Some(text.to_owned())),
    };
    let (group, version) = (literal(&select.group)?, literal(&select.version)?);
    let resource = resource_of_kind(select.kind()?, group.as_deref(), version.as_deref());
    Some(resource)
}

/// Returns the step of a field for one of a path into a value of this type.
fn field_step(step: &PathStep, at: &FieldType) -> FieldStep {
    match step {
        PathStep::Key(key) => FieldStep::Key(key.as_str().into()),
        PathStep::Index { index, key } => match at {
            FieldType::Object(_) => FieldStep::Key(key.as_str().into()),
            _ => FieldStep::Index(*index),
        },
        PathStep::Any => match at {
            FieldType::Object(_) => FieldStep::Key("*".into()),
            _ => FieldStep::Index(0),
        },
        PathStep::Match { .. } | PathStep::Append => FieldStep::Index(0),
    }
}
