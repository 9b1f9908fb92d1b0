//! JSON with the place and the digits of every value. serde_json reads the
//! grammar; its raw values borrow from the text, so that each one's address
//! tells where it stands.

use std::collections::BTreeMap;
use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use crate::outputs::value::{Key, Value};
use yaml::Span;

/// Lists and objects inside each other, at most. Terraform's own values are a
/// handful deep; serde_json guards its recursion at the same depth.
const MAX_DEPTH: usize = 128;

/// A JSON value and where it stands. Its members are read when they are asked
/// for.
#[derive(Clone, Copy)]
pub(super) struct Node<'a> {
    raw: &'a str,
    pub(super) span: Span,
    depth: usize,
}

/// What is wrong with a text that should be JSON.
#[derive(Debug)]
pub(super) struct Error {
    /// Without any text of the document.
    pub(super) message: String,
    /// The byte where it was seen.
    pub(super) at: usize,
    /// The two keys of an object that are equal, if that is what is wrong.
    pub(super) twice: Option<[Span; 2]>,
}

/// A member of an object.
pub(super) struct Member<'a> {
    pub(super) name: String,
    /// The name's bytes, quotes included.
    pub(super) span: Span,
    pub(super) value: Node<'a>,
}

/// Reads `text`, which begins at byte `offset` of its document.
pub(super) fn parse(text: &str, offset: usize) -> Result<Node<'_>, Error> {
    let raw: &RawValue =
        serde_json::from_str(text).map_err(|error| locate(&error, text, offset))?;
    let start = offset_in(text, raw.get());
    Ok(Node {
        raw: raw.get(),
        span: Span::new(start, start + raw.get().len()).shifted(offset),
        depth: 0,
    })
}

/// Reads the value that `text` begins with, whatever follows.
pub(super) fn first(text: &str) -> Option<Node<'_>> {
    let values = serde_json::Deserializer::from_str(text);
    let raw: &RawValue = values.into_iter().next()?.ok()?;
    let start = offset_in(text, raw.get());
    Some(Node {
        raw: raw.get(),
        span: Span::new(start, start + raw.get().len()),
        depth: 0,
    })
}

impl<'a> Node<'a> {
    pub(super) fn is_object(&self) -> bool {
        self.raw.starts_with('{')
    }

    /// The members of an object in order; none when it is no object.
    pub(super) fn members(&self) -> Result<Vec<Member<'a>>, Error> {
        if !self.is_object() {
            return Ok(Vec::new());
        }
        let Members(pairs) = serde_json::from_str(self.raw).map_err(|error| self.locate(&error))?;
        let mut members = Vec::with_capacity(pairs.len());
        for (name, raw_name, value) in pairs {
            let start = offset_in(self.raw, raw_name);
            let span = Span::new(start, start + raw_name.len()).shifted(self.span.start);
            members.push(Member {
                name,
                span,
                value: self.child(value)?,
            });
        }
        Ok(members)
    }

    /// The value with everything in it.
    pub(super) fn value(&self) -> Result<Value, Error> {
        Ok(match self.raw.as_bytes().first() {
            Some(b'{') => {
                let members = self.members()?;
                let mut entries: Vec<(Key, Value)> = Vec::with_capacity(members.len());
                if let Some(twice) = twice(&members) {
                    return Err(Error {
                        message: "an object has a key twice".into(),
                        at: twice[1].start,
                        twice: Some(twice),
                    });
                }
                for member in &members {
                    entries.push((
                        Key {
                            name: member.name.clone(),
                            span: member.span,
                        },
                        member.value.value()?,
                    ));
                }
                Value::Object(entries)
            }
            Some(b'[') => {
                let items: Vec<&RawValue> =
                    serde_json::from_str(self.raw).map_err(|error| self.locate(&error))?;
                let items: Result<Vec<_>, _> = items
                    .into_iter()
                    .map(|item| self.child(item.get())?.value())
                    .collect();
                Value::List(items?)
            }
            Some(b'"') => {
                Value::String(serde_json::from_str(self.raw).map_err(|error| self.locate(&error))?)
            }
            Some(b't') => Value::Bool(true),
            Some(b'f') => Value::Bool(false),
            Some(b'n') => Value::Null,
            _ => Value::Number(self.raw.to_owned()),
        })
    }

    fn child(&self, raw: &'a str) -> Result<Node<'a>, Error> {
        let start = offset_in(self.raw, raw) + self.span.start;
        if self.depth + 1 >= MAX_DEPTH {
            let message =
                format!("lists and objects stand more than {MAX_DEPTH} deep inside each other");
            return Err(Error {
                message,
                at: start,
                twice: None,
            });
        }
        Ok(Node {
            raw,
            span: Span::new(start, start + raw.len()),
            depth: self.depth + 1,
        })
    }

    fn locate(&self, error: &serde_json::Error) -> Error {
        locate(error, self.raw, self.span.start)
    }
}

/// Where `part`, a slice of `whole`, begins in it.
fn offset_in(whole: &str, part: &str) -> usize {
    (part.as_ptr() as usize).saturating_sub(whole.as_ptr() as usize)
}

/// serde_json counts lines and the columns' bytes from 1; its message ends with
/// them, and may quote nothing of the document.
fn locate(error: &serde_json::Error, text: &str, offset: usize) -> Error {
    let line_start = match error.line().checked_sub(2) {
        None => 0,
        Some(nth) => memchr::memchr_iter(b'\n', text.as_bytes())
            .nth(nth)
            .map_or(text.len(), |at| at + 1),
    };
    let at = (line_start + error.column().saturating_sub(1)).min(text.len());
    // Columns count bytes, and the one before may belong to a longer character.
    let at = text.floor_char_boundary(at);
    let message = error.to_string();
    let message = message
        .split(" at line ")
        .next()
        .unwrap_or_default()
        .to_owned();
    Error {
        message,
        at: at + offset,
        twice: None,
    }
}

/// The first two members of an object that have the same name.
pub(super) fn twice(members: &[Member<'_>]) -> Option<[Span; 2]> {
    let mut seen = BTreeMap::new();
    members.iter().find_map(|member| {
        let first = seen.insert(member.name.as_str(), member.span)?;
        Some([first, member.span])
    })
}

/// The members of one object: name, the name as it is written, value.
struct Members<'a>(Vec<(String, &'a str, &'a str)>);

impl<'de> Deserialize<'de> for Members<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct InOrder;

        impl<'de> Visitor<'de> for InOrder {
            type Value = Members<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut pairs = Vec::new();
                while let Some(raw_name) = map.next_key::<&RawValue>()? {
                    let name =
                        serde_json::from_str(raw_name.get()).map_err(serde::de::Error::custom)?;
                    let value: &RawValue = map.next_value()?;
                    pairs.push((name, raw_name.get(), value.get()));
                }
                Ok(Members(pairs))
            }
        }

        deserializer.deserialize_map(InOrder)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_member_knows_its_bytes() {
        let text = " {\"a\": 1.50,\n \"b\\u0063\": [true, null]} ";
        let members = parse(text, 0).unwrap().members().unwrap();
        let told: Vec<_> = members
            .iter()
            .map(|m| {
                (
                    m.name.as_str(),
                    &text[m.span.range()],
                    &text[m.value.span.range()],
                )
            })
            .collect();
        assert_eq!(
            told,
            [
                ("a", "\"a\"", "1.50"),
                ("bc", "\"b\\u0063\"", "[true, null]")
            ]
        );
    }

    #[test]
    fn numbers_keep_their_digits() {
        for digits in [
            "0",
            "-0",
            "1.50",
            "1e-07",
            "123456789012345678901234567890",
            "1E5",
        ] {
            assert_eq!(
                parse(digits, 0).unwrap().value().unwrap(),
                Value::Number(digits.into())
            );
        }
    }

    #[test]
    fn an_error_tells_its_byte_and_quotes_nothing() {
        for (text, at, message) in [
            ("{\"a\": }", 6, "expected value"),
            ("{\n  \"a\": tru\n}", 13, "expected ident"),
            ("", 0, "EOF while parsing a value"),
            ("{\"é\": 01}", 8, "invalid number"),
            ("{} x", 3, "trailing characters"),
        ] {
            let error = parse(text, 0).err().unwrap();
            assert_eq!(
                (error.message.as_str(), error.at),
                (message, at),
                "{text:?}"
            );
        }
    }

    #[test]
    fn a_lone_surrogate_is_told_where_it_stands() {
        let text = "{\"a\": \"x\\ud800\"}";
        let members = parse(text, 0).unwrap().members().unwrap();
        let error = members[0].value.value().unwrap_err();
        assert!(
            text.is_char_boundary(error.at) && error.at >= 6,
            "{error:?}"
        );
    }

    #[test]
    fn an_error_behind_a_long_character_lies_on_its_boundary() {
        let text = "{\"a\": \"é\u{0}\"}";
        let error = parse(text, 0).err().unwrap();
        assert!(text.is_char_boundary(error.at), "{error:?}");
    }

    #[test]
    fn twenty_thousand_brackets_are_an_error() {
        let deep = "[".repeat(20_000) + &"]".repeat(20_000);
        assert!(parse(&deep, 0).and_then(|node| node.value()).is_err());
    }

    #[test]
    fn a_key_twice_in_an_object_is_an_error() {
        let error = parse("{\"a\": {\"b\": 1, \"b\": 2}}", 0)
            .unwrap()
            .value()
            .unwrap_err();
        assert_eq!(error.at, 15);
    }
}
