//! Checks real manifests against the types of their fields: clusters accepted them, so
//! every scalar in them fits its field.

#![allow(clippy::disallowed_methods, reason = "the test reads real manifests")]

use std::path::{Path, PathBuf};

use crate::kubernetes::resources::{Field, FieldStep, Resources};
use crate::kubernetes::types::conversion::fit;
use crate::kubernetes::types::{
    Constraint, CustomKinds, DefinedKinds, FieldType, field_type, unknown_field,
};
use crate::outputs::Value;
use crate::report::ResourceRef;
use yaml::{Role, Style, Tree, split};

#[test]
fn values_of_real_manifests_fit_their_fields() {
    let Some(folder) = landfall_test_support::skip::corpora() else {
        return;
    };
    let mut files = Vec::new();
    list(&folder, &mut files);
    let texts: Vec<String> = files
        .iter()
        .filter_map(|file| std::fs::read_to_string(file).ok())
        .collect();
    let custom = CustomKinds::new(
        texts.iter().map(String::as_str).collect(),
        DefinedKinds::default(),
    );
    let mut wrong = Vec::new();
    let mut unknown = Vec::new();
    let mut known = 0;
    for text in &texts {
        for document in split(text) {
            let Ok(tree) = yaml::locate(document.text) else {
                continue;
            };
            let resources = Resources::new(&tree);
            for id in 0..tree.len() {
                let Some(value) = scalar(&tree, id) else {
                    continue;
                };
                let field = resources.field(id);
                if let Some(FieldStep::Key(key)) = field.steps.last() {
                    let around = field.upto(field.steps.len() - 1);
                    if unknown_field(&around, key, &custom).is_some() {
                        unknown.push(format!("{:?} {field}", field.resource));
                    }
                }
                let takes = field_type(&field, &custom);
                let constraint = constraint(&field, &custom);
                // Patches for kustomize have names that nobody reads.
                if let Some(constraint) = constraint
                    && tree.text(id) != Some("_")
                    && let Err(refusal) = constraint.check(&value)
                {
                    wrong.push(format!("{field} {} {refusal:?}", value.to_json()));
                }
                if takes == FieldType::Unknown {
                    continue;
                }
                known += 1;
                if !matches!(fit(&value, &takes), Ok(std::borrow::Cow::Borrowed(_))) {
                    let kind = field
                        .resource
                        .as_ref()
                        .map(|resource| resource.kind.clone());
                    wrong.push(format!(
                        "{} {field} takes {} and holds {}",
                        kind.unwrap_or_default(),
                        takes.described(),
                        value.to_json()
                    ));
                }
            }
        }
    }
    println!("{known} scalars are in fields of known types");
    assert!(unknown.is_empty(), "{}", unknown.join("\n"));
    assert!(known > 10_000, "{known}");
    assert!(
        wrong.is_empty(),
        "{} are wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

/// Returns what the API server enforces for a field beyond its type.
fn constraint(field: &Field, custom: &CustomKinds<'_>) -> Option<Constraint> {
    let (last, parents) = field.steps.split_last()?;
    let kind = (field.resource.as_deref()).map(ResourceRef::api_version_and_kind);
    let parent = field_type(&field.upto(parents.len()), custom);
    let constraint = match last {
        FieldStep::Key(key) => parent.field_constraint(key),
        FieldStep::Index(_) => parent.item_constraint(),
    };
    let is_own = matches!(parents, [metadata] if metadata.is_key("metadata"));
    constraint?.of_kind(kind, is_own)
}

fn list(folder: &Path, files: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return;
    };
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            list(&path, files);
        } else if path.extension().is_some_and(|e| e == "yaml" || e == "yml") {
            files.push(path);
        }
    }
}

/// Returns a scalar's value as Kubernetes reads it; `None` for a key or a placeholder.
fn scalar(tree: &Tree, id: usize) -> Option<Value> {
    let node = &tree[id];
    let text = tree.text(id)?;
    if node.role() == Role::Key
        || ["${", "{{", "<<"]
            .iter()
            .any(|opener| text.contains(opener))
    {
        return None;
    }
    let text = text.to_string();
    if node.style() != Some(Style::Plain) || node.tag().is_some() {
        return Some(Value::String(text));
    }
    Some(match text.as_str() {
        "" | "~" | "null" => Value::Null,
        "true" => Value::Bool(true),
        "false" => Value::Bool(false),
        // File modes: YAML 1.1 has octal numbers.
        octal if octal.len() > 1 && octal.bytes().all(|b| matches!(b, b'0'..=b'7')) => {
            Value::Number(octal.trim_start_matches('0').to_owned())
        }
        _ if text.parse::<f64>().is_ok() && text.ends_with(|c: char| c.is_ascii_digit()) => {
            Value::Number(text)
        }
        _ => Value::String(text),
    })
}
