//! The outputs of a file in Terraform's JSON syntax.

use std::ops::Range;

use serde::de::{DeserializeSeed, Error, MapAccess, SeqAccess, Visitor};

use super::{Attributes, FileOutputs};

/// Reads the outputs of a file. The parser limits the depth of nesting.
pub(super) fn outputs(text: &str) -> FileOutputs {
    let mut outputs = FileOutputs::default();
    let content = text.trim_start_matches('\u{feff}');
    let mark = text.len() - content.len();
    let root = match read(content, mark) {
        Ok(root) => root,
        Err(error) => {
            let at = mark + offset(content, error.line(), error.column());
            let message = "the file is not valid JSON".to_owned();
            outputs.errors.push((message, at..at));
            return outputs;
        }
    };
    // Blocks may be written in several objects, and a key may be repeated for each.
    let files = objects(&root).into_iter().flatten();
    let all = files
        .filter(|member| member.name == "output")
        .flat_map(|member| objects(&member.value));
    for Member { name, span, value } in all.flatten().filter(|member| member.name != "//") {
        if !super::hcl::is_identifier(name) {
            let message = format!("`{name}` is not a valid name of an output");
            outputs.errors.push((message, span.clone()));
            continue;
        }
        for body in objects(value) {
            let attributes = attributes(body, name, span, &mut outputs.errors);
            outputs
                .blocks
                .push((name.clone(), span.clone(), attributes));
        }
    }
    outputs
}

fn attributes(
    body: &[Member],
    name: &str,
    at: &Range<usize>,
    errors: &mut Vec<(String, Range<usize>)>,
) -> Attributes {
    let mut get = |key: &str| {
        let mut members = body.iter().filter(|member| member.name == key);
        let first = members.next()?;
        if let Some(again) = members.next() {
            let message = format!("duplicate `{key}` in the output `{name}`");
            errors.push((message, again.span.clone()));
        }
        Some(&first.value)
    };
    let text = |value: Option<&'_ Json>| match value {
        Some(Json::String(text)) if !is_template(text) => Some(text.clone()),
        _ => None,
    };
    let value = get("value");
    let declared = text(get("type")).and_then(|constraint| {
        let name = constraint.split('(').next().unwrap_or_default();
        super::contract::type_of(name.trim())
    });
    let description = text(get("description"));
    let sensitive = match get("sensitive") {
        None | Some(Json::Null) => None,
        Some(Json::Bool(flag)) => Some(*flag),
        Some(Json::String(text)) if text == "true" => Some(true),
        Some(Json::String(text)) if text == "false" => Some(false),
        Some(_) => {
            let message = format!("`sensitive` of the output `{name}` must be `true` or `false`");
            errors.push((message, at.clone()));
            None
        }
    };
    Attributes {
        sensitive,
        description,
        value_type: declared.or_else(|| value.and_then(literal_type)),
        is_null: value.map(|value| matches!(value, Json::Null)),
    }
}

/// A JSON value. serde_json's own type keeps only the last member with a key.
enum Json {
    Null,
    Bool(bool),
    Number,
    String(String),
    List(Vec<Json>),
    Object(Vec<Member>),
}

/// A member of an object.
struct Member {
    name: String,
    /// The bytes of its name in the file, without quotes.
    span: Range<usize>,
    value: Json,
}

/// Returns the objects of a value: Terraform accepts a list of them in place of one.
fn objects(value: &Json) -> Vec<&[Member]> {
    let values = match value {
        Json::List(items) => items.as_slice(),
        value => std::slice::from_ref(value),
    };
    let objects = values.iter().filter_map(|value| match value {
        Json::Object(members) => Some(members.as_slice()),
        _ => None,
    });
    objects.collect()
}

fn is_template(text: &str) -> bool {
    text.contains("${") || text.contains("%{")
}

fn literal_type(value: &Json) -> Option<&'static str> {
    match value {
        Json::String(text) if is_template(text) => None,
        Json::String(_) => Some("string"),
        Json::Number => Some("number"),
        Json::Bool(_) => Some("bool"),
        Json::List(_) => Some("list"),
        Json::Object(_) => Some("object"),
        Json::Null => None,
    }
}

/// Reads a text whose first byte has the offset `start` in its file.
fn read(text: &str, start: usize) -> Result<Json, serde_json::Error> {
    let mut keys = Keys { text, at: 0, start };
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let root = Reader(&mut keys).deserialize(&mut deserializer)?;
    deserializer.end()?;
    Ok(root)
}

/// The places of an object's keys, in the order of the text, which the parser does not give.
struct Keys<'t> {
    text: &'t str,
    /// Everything before it is searched.
    at: usize,
    start: usize,
}

impl Keys<'_> {
    /// Returns the bytes of the next key, without quotes. The parser has read it.
    fn next(&mut self) -> Range<usize> {
        loop {
            let Some(open) = self.text[self.at..].find('"') else {
                return self.start..self.start;
            };
            let open = self.at + open + 1;
            let bytes = self.text.as_bytes();
            let mut close = open;
            while bytes.get(close).is_some_and(|byte| *byte != b'"') {
                close += if bytes[close] == b'\\' { 2 } else { 1 };
            }
            self.at = (close + 1).min(bytes.len());
            let rest = self.text[self.at..].trim_start();
            if rest.starts_with(':') {
                return self.start + open..self.start + close;
            }
        }
    }
}

/// Reads one value.
struct Reader<'k, 't>(&'k mut Keys<'t>);

impl<'de> DeserializeSeed<'de> for Reader<'_, '_> {
    type Value = Json;

    fn deserialize<D: serde::Deserializer<'de>>(self, deserializer: D) -> Result<Json, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Reader<'_, '_> {
    type Value = Json;

    fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("JSON")
    }

    fn visit_unit<E: Error>(self) -> Result<Json, E> {
        Ok(Json::Null)
    }

    fn visit_bool<E: Error>(self, flag: bool) -> Result<Json, E> {
        Ok(Json::Bool(flag))
    }

    fn visit_i64<E: Error>(self, _: i64) -> Result<Json, E> {
        Ok(Json::Number)
    }

    fn visit_u64<E: Error>(self, _: u64) -> Result<Json, E> {
        Ok(Json::Number)
    }

    fn visit_f64<E: Error>(self, _: f64) -> Result<Json, E> {
        Ok(Json::Number)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Json, E> {
        Ok(Json::String(text.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Json, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element_seed(Reader(self.0))? {
            list.push(item);
        }
        Ok(Json::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Json, A::Error> {
        let mut members = Vec::new();
        while let Some(name) = entries.next_key()? {
            let span = self.0.next();
            let value = entries.next_value_seed(Reader(self.0))?;
            members.push(Member { name, span, value });
        }
        Ok(Json::Object(members))
    }
}

/// Returns the offset of a line and a column, both from 1.
fn offset(text: &str, line: usize, column: usize) -> usize {
    let lines = text.split_inclusive('\n').take(line.saturating_sub(1));
    let start: usize = lines.map(str::len).sum();
    let mut at = (start + column.saturating_sub(1)).min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}
