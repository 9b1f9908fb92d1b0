//! What field bindings make of decoded documents.

use serde::Deserialize as _;
use serde_json::{Map, Value as Json, json};

use super::case::{Case, Step, Target};

/// Why there is no document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// Nothing is there: an error unless the path leads elsewhere too.
    Absent,
    Refused,
    /// The page has no value.
    Open,
}

/// The key of what a string holds that is a document itself.
pub(super) const INSIDE: &str = "\u{1}inside";

/// The documents after all targets.
pub(super) fn expected(case: &Case) -> Result<Vec<Json>, End> {
    let mut documents = case.documents.clone();
    let mut refused = false;
    for document in &mut documents {
        let selected = case
            .targets
            .iter()
            .filter(|target| target.selects(document));
        let selected: Vec<_> = selected.collect();
        // What two targets do to one place is for other tests.
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
            return Err(End::Open);
        }
        for target in selected {
            let is_metadata = target.path.first() == Some(&Step::Key("metadata".to_owned()));
            if is_metadata && target.create && target.path.len() != 3 {
                return Err(End::Open);
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
                Err(End::Refused | End::Absent) => refused = true,
                Err(End::Open) => return Err(End::Open),
            }
        }
    }
    let selects_none = |target: &Target| {
        !case
            .documents
            .iter()
            .any(|document| target.selects(document))
    };
    match refused || case.targets.iter().any(selects_none) {
        true => Err(End::Refused),
        false => Ok(documents),
    }
}

/// Writes at the end of these steps.
fn put(at: &mut Json, steps: &[Step], target: &Target, value: &str) -> Result<(), End> {
    let Some((step, rest)) = steps.split_first() else {
        return write(at, target, value);
    };
    let create = target.create;
    let all = |items: Vec<&mut Json>| {
        if items.is_empty() {
            return Err(if create { End::Open } else { End::Absent });
        }
        // All of them are looked at, and one that the page leaves open wins.
        let ends: Vec<_> = items
            .into_iter()
            .map(|item| put(item, rest, target, value))
            .collect();
        let order = [Err(End::Open), Err(End::Refused), Ok(())];
        let end = order.into_iter().find(|end| ends.contains(end));
        end.unwrap_or(Err(End::Absent))
    };
    match (at, step) {
        (Json::Object(entries), Step::Key(_) | Step::Index(_)) => {
            let key = match step {
                Step::Index(index) => index.to_string(),
                Step::Key(key) => key.clone(),
                _ => return Err(End::Open),
            };
            match entries.get_mut(&key) {
                Some(inner) => put(inner, rest, target, value),
                None if create => {
                    let made = made(rest, value)?;
                    entries.insert(key, made);
                    Ok(())
                }
                None => Err(End::Absent),
            }
        }
        (Json::Object(entries), Step::Any) => all(entries.values_mut().collect()),
        (Json::Object(_), Step::Item(_) | Step::Text(_) | Step::Append) => Err(End::Refused),
        (Json::Array(items), Step::Index(index)) => {
            let length = items.len();
            match items.get_mut(*index) {
                Some(item) => put(item, rest, target, value),
                None if create && *index == length => {
                    items.push(made(rest, value)?);
                    Ok(())
                }
                None => Err(End::Refused),
            }
        }
        (Json::Array(items), Step::Append) => {
            items.push(made(rest, value)?);
            Ok(())
        }
        (Json::Array(items), Step::Any) => all(items.iter_mut().collect()),
        (Json::Array(items), Step::Item(pattern)) => {
            let is_meant = |item: &&mut Json| {
                let name = item.get("name").and_then(Json::as_str);
                name.is_some_and(|name| match pattern.strip_suffix(".*") {
                    Some(prefix) => name.starts_with(prefix),
                    None => name == *pattern,
                })
            };
            let meant: Vec<_> = items.iter_mut().filter(is_meant).collect();
            if meant.is_empty() && create {
                items.push(item(pattern, rest, value)?);
                return Ok(());
            }
            all(meant)
        }
        (Json::Array(items), Step::Text(text)) => {
            let meant = |item: &&mut Json| item.as_str() == Some(text);
            all(items.iter_mut().filter(meant).collect())
        }
        (Json::Array(_), Step::Key(_)) => Err(End::Refused),
        (nothing @ Json::Null, _) if create => {
            *nothing = made(steps, value)?;
            Ok(())
        }
        (Json::Null, _) => Err(End::Absent),
        (Json::Bool(_) | Json::Number(_), _) => Err(End::Refused),
        (at @ Json::String(_), _) => {
            let mut inner = inside(at.as_str().unwrap_or_default()).ok_or(End::Refused)?;
            put(&mut inner, steps, target, value)?;
            *at = json!({INSIDE: inner});
            Ok(())
        }
    }
}

/// The one list or map that a string holds.
pub(super) fn inside(text: &str) -> Option<Json> {
    let documents: Vec<_> = serde_yaml::Deserializer::from_str(text)
        .map(|document| Json::deserialize(document).ok())
        .collect::<Option<_>>()?;
    let [document] = <[Json; 1]>::try_from(documents).ok()?;
    (document.is_object() || document.is_array()).then_some(document)
}

/// What is new at the end of these steps.
fn made(steps: &[Step], value: &str) -> Result<Json, End> {
    let Some((step, rest)) = steps.split_first() else {
        return Ok(json!(value));
    };
    match step {
        Step::Key(key) => {
            let entry = (key.clone(), made(rest, value)?);
            Ok(Json::Object(Map::from_iter([entry])))
        }
        Step::Index(0) | Step::Append => Ok(json!([made(rest, value)?])),
        Step::Index(_) => Err(End::Refused),
        Step::Item(pattern) => Ok(json!([item(pattern, rest, value)?])),
        Step::Text(_) | Step::Any => Err(End::Open),
    }
}

/// A new item of this name.
fn item(name: &str, rest: &[Step], value: &str) -> Result<Json, End> {
    match rest.first() {
        Some(Step::Key(key)) if key != "name" && !name.contains('*') => {
            let mut item = made(rest, value)?;
            item["name"] = json!(name);
            Ok(item)
        }
        _ => Err(End::Open),
    }
}

/// Writes the value, or a part.
fn write(at: &mut Json, target: &Target, value: &str) -> Result<(), End> {
    let new = match (&*at, target.delimiter) {
        // What becomes of line breaks is for the law's other tests.
        (Json::String(old), _) if old.contains('\n') => return Err(End::Open),
        (Json::Null | Json::Object(_) | Json::Array(_), Some(_)) => return Err(End::Refused),
        (Json::Object(_) | Json::Array(_), None) => return Err(End::Open),
        (Json::Number(_) | Json::Bool(_), Some(_)) => return Err(End::Open),
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
