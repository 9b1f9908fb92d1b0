//! A model of field bindings on decoded documents.

use serde::Deserialize as _;
use serde_json::{Map, Value as Json, json};

use super::case::{Case, Step, Target};

/// Why there is no result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NoResult {
    /// Nothing matches: an error unless the path matches elsewhere.
    Absent,
    Refused,
    /// The page does not specify it.
    Open,
}

/// The key that marks a document embedded in a string.
pub(super) const EMBEDDED: &str = "\u{1}inside";

/// Returns the documents after all targets are applied.
pub(super) fn expected(case: &Case) -> Result<Vec<Json>, NoResult> {
    let mut documents = case.documents.clone();
    let mut refused = false;
    for document in &mut documents {
        let selected: Vec<_> = case
            .targets
            .iter()
            .filter(|target| target.selects(document))
            .collect();
        // Two targets on one field are covered by other tests.
        if let [one, other] = selected[..]
            && one
                .path
                .iter()
                .zip(&other.path)
                .take(2)
                .all(|(one, other)| {
                    one == other || !matches!((one, other), (Step::Key(_), Step::Key(_)))
                })
        {
            return Err(NoResult::Open);
        }
        for target in selected {
            let is_metadata = target.path.first() == Some(&Step::Key("metadata".to_owned()));
            if is_metadata && target.create && target.path.len() != 3 {
                return Err(NoResult::Open);
            }
            // An entry of `data` takes one value.
            if let [Step::Key(data), Step::Key(name), _, ..] = &target.path[..]
                && data == "data"
                && document["kind"] == "ConfigMap"
                && target.create
                && document[data].get(name).is_none()
            {
                refused = true;
                continue;
            }
            match put(document, &target.path, target, case.value) {
                Ok(()) => {}
                Err(NoResult::Refused | NoResult::Absent) => refused = true,
                Err(NoResult::Open) => return Err(NoResult::Open),
            }
        }
    }
    let selects_none = |target: &Target| {
        !case
            .documents
            .iter()
            .any(|document| target.selects(document))
    };
    if refused || case.targets.iter().any(selects_none) {
        Err(NoResult::Refused)
    } else {
        Ok(documents)
    }
}

/// Writes the value at the end of these steps.
fn put(at: &mut Json, steps: &[Step], target: &Target, value: &str) -> Result<(), NoResult> {
    let Some((step, rest)) = steps.split_first() else {
        return write(at, target, value);
    };
    let create = target.create;
    let all = |items: Vec<&mut Json>| {
        if items.is_empty() {
            return Err(if create {
                NoResult::Open
            } else {
                NoResult::Absent
            });
        }
        // All items are visited, and an unspecified one takes precedence.
        let ends: Vec<_> = items
            .into_iter()
            .map(|item| put(item, rest, target, value))
            .collect();
        let order = [Err(NoResult::Open), Err(NoResult::Refused), Ok(())];
        let end = order.into_iter().find(|end| ends.contains(end));
        end.unwrap_or(Err(NoResult::Absent))
    };
    match (at, step) {
        (Json::Object(entries), Step::Key(_) | Step::Index(_)) => {
            let key = match step {
                Step::Index(index) => index.to_string(),
                Step::Key(key) => key.clone(),
                _ => return Err(NoResult::Open),
            };
            match entries.get_mut(&key) {
                Some(inner) => put(inner, rest, target, value),
                None if create => {
                    let created = created(rest, value)?;
                    entries.insert(key, created);
                    Ok(())
                }
                None => Err(NoResult::Absent),
            }
        }
        (Json::Object(entries), Step::Any) => all(entries.values_mut().collect()),
        (Json::Object(_), Step::Item(_) | Step::Text(_) | Step::Append) => Err(NoResult::Refused),
        (Json::Array(items), Step::Index(index)) => {
            let length = items.len();
            match items.get_mut(*index) {
                Some(item) => put(item, rest, target, value),
                None if create && *index == length => {
                    items.push(created(rest, value)?);
                    Ok(())
                }
                None => Err(NoResult::Refused),
            }
        }
        (Json::Array(items), Step::Append) => {
            items.push(created(rest, value)?);
            Ok(())
        }
        (Json::Array(items), Step::Any) => all(items.iter_mut().collect()),
        (Json::Array(items), Step::Item(pattern)) => {
            let is_match = |item: &&mut Json| {
                let name = item.get("name").and_then(Json::as_str);
                name.is_some_and(|name| match pattern.strip_suffix(".*") {
                    Some(prefix) => name.starts_with(prefix),
                    None => name == *pattern,
                })
            };
            let matching: Vec<_> = items.iter_mut().filter(is_match).collect();
            if matching.is_empty() && create {
                items.push(item(pattern, rest, value)?);
                return Ok(());
            }
            all(matching)
        }
        (Json::Array(items), Step::Text(text)) => {
            let matching = |item: &&mut Json| item.as_str() == Some(text);
            all(items.iter_mut().filter(matching).collect())
        }
        (Json::Array(_), Step::Key(_)) => Err(NoResult::Refused),
        (nothing @ Json::Null, _) if create => {
            *nothing = created(steps, value)?;
            Ok(())
        }
        (Json::Null, _) => Err(NoResult::Absent),
        (Json::Bool(_) | Json::Number(_), _) => Err(NoResult::Refused),
        (at @ Json::String(_), _) => {
            let mut inner = embedded(at.as_str().unwrap_or_default()).ok_or(NoResult::Refused)?;
            put(&mut inner, steps, target, value)?;
            *at = json!({EMBEDDED: inner});
            Ok(())
        }
    }
}

/// Parses the only list or map inside a string.
pub(super) fn embedded(text: &str) -> Option<Json> {
    let documents: Vec<_> = serde_yaml::Deserializer::from_str(text)
        .map(|document| Json::deserialize(document).ok())
        .collect::<Option<_>>()?;
    let [document] = <[Json; 1]>::try_from(documents).ok()?;
    (document.is_object() || document.is_array()).then_some(document)
}

/// Returns the new value at the end of these steps.
fn created(steps: &[Step], value: &str) -> Result<Json, NoResult> {
    let Some((step, rest)) = steps.split_first() else {
        return Ok(json!(value));
    };
    match step {
        Step::Key(key) => {
            let entry = (key.clone(), created(rest, value)?);
            Ok(Json::Object(Map::from_iter([entry])))
        }
        Step::Index(0) | Step::Append => Ok(json!([created(rest, value)?])),
        Step::Index(_) => Err(NoResult::Refused),
        Step::Item(pattern) => Ok(json!([item(pattern, rest, value)?])),
        Step::Text(_) | Step::Any => Err(NoResult::Open),
    }
}

/// Returns a new item with this name.
fn item(name: &str, rest: &[Step], value: &str) -> Result<Json, NoResult> {
    match rest.first() {
        Some(Step::Key(key)) if key != "name" && !name.contains('*') => {
            let mut item = created(rest, value)?;
            item["name"] = json!(name);
            Ok(item)
        }
        _ => Err(NoResult::Open),
    }
}

/// Writes the value, or a part of it.
fn write(at: &mut Json, target: &Target, value: &str) -> Result<(), NoResult> {
    let new = match (&*at, target.delimiter) {
        // Line breaks are covered by the law's other tests.
        (Json::String(old), _) if old.contains('\n') => return Err(NoResult::Open),
        (Json::Null | Json::Object(_) | Json::Array(_), Some(_)) => return Err(NoResult::Refused),
        (Json::Object(_) | Json::Array(_), None) => return Err(NoResult::Open),
        (Json::Number(_) | Json::Bool(_), Some(_)) => return Err(NoResult::Open),
        (Json::String(old), Some((delimiter, index))) => {
            let mut parts: Vec<&str> = old.split(delimiter).collect();
            match usize::try_from(index) {
                Err(_) => parts.insert(0, value),
                Ok(index) if index < parts.len() => parts[index] = value,
                Ok(_) => parts.push(value),
            }
            json!(parts.join(delimiter))
        }
        (Json::String(_) | Json::Null, None) => json!(value),
        (Json::Bool(_), None) => match value {
            "true" => json!(true),
            _ => json!(value),
        },
        (Json::Number(old), None) => {
            let is_float = old.as_f64().is_some_and(|old| old.fract() != 0.0);
            match (value, is_float) {
                ("4", _) => json!(4),
                ("-7", _) => json!(-7),
                ("2.5", true) => json!(2.5),
                _ => json!(value),
            }
        }
    };
    *at = new;
    Ok(())
}
