//! Streams as serde_yaml reads them, and where in a document a text is not allowed,
//! without any other program.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value as Json, json};

/// Returns what serde_yaml reads, with or without resolving merge keys.
pub fn documents(text: &str, merges: bool) -> Option<Vec<Json>> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut documents = Vec::new();
    for document in serde_yaml::Deserializer::from_str(text) {
        let mut value = serde_yaml::Value::deserialize(document).ok()?;
        if merges {
            // A merged mapping may have a merge key itself, which one pass leaves.
            let mut before = serde_yaml::Value::Null;
            while before != value {
                before = value.clone();
                value.apply_merge().ok()?;
            }
        }
        documents.push(plain(&value));
    }
    Some(documents)
}

/// Returns what older readers read, such as go-yaml v2: YAML 1.1 has more line breaks,
/// and the last of two equal keys wins.
pub fn documents_of_older_readers(text: &str) -> Option<Vec<Json>> {
    let unmarked = text.strip_prefix('\u{feff}').unwrap_or(text);
    let text = unmarked.replace(['\u{85}', '\u{2028}', '\u{2029}'], "\n");
    serde_yaml::Deserializer::from_str(&text)
        .map(|document| Some(LastWins::deserialize(document).ok()?.0))
        .collect()
}

/// A document that may have duplicate keys.
struct LastWins(Json);

impl<'de> Deserialize<'de> for LastWins {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AnyNode).map(Self)
    }
}

struct AnyNode;

impl<'de> Visitor<'de> for AnyNode {
    type Value = Json;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("any node without a tag of its own")
    }

    fn visit_unit<E>(self) -> Result<Json, E> {
        Ok(Json::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Json, E> {
        Ok(json!(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Json, E> {
        Ok(json!(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Json, E> {
        Ok(json!(value))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Json, E> {
        Ok(json!(value.to_string()))
    }

    fn visit_str<E>(self, value: &str) -> Result<Json, E> {
        Ok(json!(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Json, A::Error> {
        let mut list = Vec::new();
        while let Some(LastWins(item)) = items.next_element()? {
            list.push(item);
        }
        Ok(Json::Array(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Json, A::Error> {
        let mut map = Map::new();
        while let Some((LastWins(key), LastWins(value))) = entries.next_entry()? {
            let key = key.as_str().map_or_else(|| key.to_string(), str::to_owned);
            map.insert(key, value);
        }
        Ok(Json::Object(map))
    }
}

fn plain(value: &serde_yaml::Value) -> Json {
    use serde_yaml::Value;
    match value {
        Value::Null => Json::Null,
        Value::Bool(value) => json!(value),
        Value::Number(number) => match number.as_i64() {
            Some(int) => json!(int),
            None => json!(number.to_string()),
        },
        Value::String(text) => json!(text),
        Value::Sequence(items) => items.iter().map(plain).collect(),
        Value::Mapping(entries) => {
            let key = |key: &Value| match key {
                Value::String(text) => text.clone(),
                other => plain(other).to_string(),
            };
            let entries = entries.iter().map(|(k, v)| (key(k), plain(v)));
            Json::Object(entries.collect::<Map<_, _>>())
        }
        Value::Tagged(tagged) => plain(&tagged.value),
    }
}

/// Returns every occurrence of a text outside the data of a core Secret, in keys or
/// values; only lists may surround the Secret. Field names are compared as Go's JSON
/// decoder does.
pub fn leaks(document: &Json, is_secret: &dyn Fn(&str) -> bool) -> Vec<String> {
    let mut found = Vec::new();
    walk(document, is_secret, "", &mut found);
    found
}

fn walk(value: &Json, is_secret: &dyn Fn(&str) -> bool, path: &str, found: &mut Vec<String>) {
    match value {
        Json::String(text) if is_secret(text) => found.push(format!("{path}: {text}")),
        Json::Array(items) => {
            for (nth, item) in items.iter().enumerate() {
                walk(item, is_secret, &format!("{path}[{nth}]"), found);
            }
        }
        Json::Object(entries) => {
            let of = |name: &'static str| {
                let same = move |key: &str| key.eq_ignore_ascii_case(name);
                entries
                    .iter()
                    .filter(move |(key, _)| same(key))
                    .map(|(_, value)| value)
            };
            let all = |name, wanted: &[&str]| {
                let mut values = of(name);
                of(name).next().is_some()
                    && values.all(|value| value.as_str().is_some_and(|v| wanted.contains(&v)))
            };
            let keeps = all("apiVersion", &["v1"]) && all("kind", &["Secret"]);
            let is_list = all("kind", &["List", "SecretList", "ResourceList"]);
            let is_own = path.is_empty() || path.ends_with("items*");
            for (key, value) in entries {
                if is_secret(key) {
                    found.push(format!("{path}.{key}"));
                }
                match value {
                    Json::Object(data)
                        if keeps && is_own && matches!(key.as_str(), "data" | "stringData") =>
                    {
                        for key in data.keys().filter(|key| is_secret(key)) {
                            found.push(format!("{path}.{key}"));
                        }
                    }
                    Json::Array(items) if is_list && is_own && key == "items" => {
                        for item in items {
                            let item = with_kind(item, entries);
                            walk(&item, is_secret, &format!("{path}.items*"), found);
                        }
                    }
                    _ => walk(value, is_secret, &format!("{path}.{key}"), found),
                }
            }
        }
        _ => {}
    }
}

/// Adds the kind that items of a SecretList may omit.
fn with_kind(item: &Json, list: &Map<String, Json>) -> Json {
    let mut item = item.clone();
    if let (Json::Object(entries), Some("SecretList")) = (&mut item, list["kind"].as_str())
        && !entries.keys().any(|key| key.eq_ignore_ascii_case("kind"))
    {
        entries.insert("kind".to_owned(), json!("Secret"));
        entries.insert("apiVersion".to_owned(), json!("v1"));
    }
    item
}
