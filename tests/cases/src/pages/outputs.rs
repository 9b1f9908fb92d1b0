//! The outputs documents of an example: in short form, expanded to what
//! `terraform output -json` writes, or as they are.

use landfall::OutputsDocument;
use serde_json::Value;
use serde_json::value::RawValue;

use super::notation;
use super::page::Block;

/// An outputs document that maps back to the block that it was made from.
#[derive(Debug)]
pub struct Expanded {
    /// The document as it is bound.
    pub document: OutputsDocument,
    /// For each name, its byte offset in the document and in the block.
    names: Vec<(usize, usize)>,
    /// The values of sensitive outputs, as text.
    pub secrets: Secrets,
}

/// The texts that are long enough to be distinguished from other words.
#[derive(Debug, Default)]
pub struct Secrets {
    /// Strings.
    pub values: Vec<String>,
    /// The keys of objects.
    pub keys: Vec<String>,
}

impl Expanded {
    /// Expands `{"name": value, "sensitive name!": value}` in a block of JSON that isn't marked
    /// `as-is`. Any other block is the document itself: in the format that the block's language names, or
    /// without a format if that is `text`.
    ///
    /// # Errors
    /// The block should be a JSON object, and isn't.
    pub fn new(block: &Block) -> Result<Self, String> {
        if block.language != "json" || block.marks.as_is {
            return Ok(Self::unexpanded(block));
        }
        let describe = |error: serde_json::Error| format!("the block `{}`: {error}", block.role);
        let mut text = "{".to_owned();
        let mut names = Vec::new();
        let mut secrets = Secrets::default();
        for Entry { name, at, raw } in entries(&block.content).map_err(describe)? {
            let value: Value = serde_json::from_str(raw).map_err(describe)?;
            let (name, sensitive) = match name.strip_suffix('!') {
                Some(name) => (name, true),
                None => (name.as_str(), false),
            };
            if sensitive {
                secrets.push(&value);
            }
            if !names.is_empty() {
                text.push(',');
            }
            text.push_str("\n  ");
            names.push((text.len(), at));
            text.push_str(&format!(
                "{}: {{\n    \"sensitive\": {sensitive},\n    \"type\": {},\n    \"value\": {raw}\n  }}",
                Value::from(name),
                type_of(&value)
            ));
        }
        text.push_str("\n}\n");
        let document = OutputsDocument {
            name: block.role.clone(),
            path: format!("{}.json", block.role),
            content: text.into_bytes(),
            ..OutputsDocument::default()
        };
        Ok(Self {
            document,
            names,
            secrets,
        })
    }

    fn unexpanded(block: &Block) -> Self {
        let format = (block.language != "text").then(|| block.language.clone());
        let document = OutputsDocument {
            name: block.role.clone(),
            path: format!("{}.{}", block.role, block.language),
            content: notation::read(&block.content, block.marks).into_bytes(),
            format,
            ..OutputsDocument::default()
        };
        Self {
            document,
            names: Vec::new(),
            secrets: Secrets::default(),
        }
    }

    /// Returns the byte offset in the block of the name to which the byte `at` of the
    /// document belongs.
    pub fn in_block(&self, at: usize) -> usize {
        if self.names.is_empty() {
            return at;
        }
        let count = self.names.partition_point(|(name, _)| *name <= at);
        count.checked_sub(1).map_or(0, |nth| self.names[nth].1)
    }
}

struct Entry<'b> {
    name: String,
    /// The byte offset of its opening quote.
    at: usize,
    /// The value in source form, with its digits.
    raw: &'b str,
}

/// Returns the members of an object in their order.
fn entries(block: &str) -> Result<Vec<Entry<'_>>, serde_json::Error> {
    struct Members;
    impl<'de> serde::de::Visitor<'de> for Members {
        type Value = Vec<(String, &'de RawValue)>;

        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("an object")
        }

        fn visit_map<A: serde::de::MapAccess<'de>>(
            self,
            mut map: A,
        ) -> Result<Self::Value, A::Error> {
            std::iter::from_fn(|| map.next_entry().transpose()).collect()
        }
    }

    let mut reader = serde_json::Deserializer::from_str(block);
    let members = serde::Deserializer::deserialize_map(&mut reader, Members)?;
    reader.end()?;
    let mut previous_end = 0;
    let entries = members.into_iter().map(|(name, raw)| {
        // Only whitespace, a comma and the brace precede the name's quote.
        let at = previous_end + block[previous_end..].find('"').unwrap_or_default();
        previous_end = raw.get().as_ptr() as usize - block.as_ptr() as usize + raw.get().len();
        Entry {
            name,
            at,
            raw: raw.get(),
        }
    });
    Ok(entries.collect())
}

/// Returns the type in Terraform's notation.
fn type_of(value: &Value) -> Value {
    match value {
        Value::Null => "dynamic".into(),
        Value::Bool(_) => "bool".into(),
        Value::Number(_) => "number".into(),
        Value::String(_) => "string".into(),
        Value::Array(items) => {
            let types: Vec<_> = items.iter().map(type_of).collect();
            serde_json::json!(["tuple", types])
        }
        Value::Object(members) => {
            let types: serde_json::Map<_, _> = members
                .iter()
                .map(|(name, value)| (name.clone(), type_of(value)))
                .collect();
            serde_json::json!(["object", types])
        }
    }
}

impl Secrets {
    fn push(&mut self, value: &Value) {
        let is_revealing = |text: &str| text.len() > 3;
        match value {
            Value::String(text) if is_revealing(text) => self.values.push(text.clone()),
            Value::Array(items) => items.iter().for_each(|item| self.push(item)),
            Value::Object(members) => {
                for (key, item) in members {
                    self.keys.extend(is_revealing(key).then(|| key.clone()));
                    self.push(item);
                }
            }
            _ => {}
        }
    }
}
