//! JSON with the location and the digits of every value: one pass over the text into a flat
//! tree. serde_json keeps neither, except for raw values, which are scanned again at every
//! level.

use std::borrow::Cow;

use crate::outputs::value::{Key, Type, Value};
use yaml::{Span, number_length};

/// The maximum nesting of lists and objects. Terraform's own values have a handful of
/// levels.
pub(crate) const MAX_DEPTH: usize = 128;

/// A parsed JSON text.
pub(super) struct Json<'a> {
    text: &'a str,
    /// In the order of their first bytes: an object's keys before their values, a
    /// collection before its members.
    nodes: Vec<Located>,
}

/// The bytes of a value, and the index of the node after it and its descendants.
struct Located {
    start: usize,
    end: usize,
    next: usize,
}

/// A value of a [`Json`].
#[derive(Clone, Copy)]
pub(super) struct Node<'j> {
    json: &'j Json<'j>,
    id: usize,
}

/// A member of an object.
pub(super) struct Member<'j> {
    pub(super) name: Cow<'j, str>,
    /// The name's bytes, quotes included.
    pub(super) span: Span,
    pub(super) value: Node<'j>,
}

/// Why a text is not JSON.
#[derive(Clone, Copy, Debug)]
pub(super) struct Error {
    /// Quotes nothing from the text.
    pub(super) message: &'static str,
    /// The offset of the error.
    pub(super) at: usize,
}

impl<'a> Json<'a> {
    /// Parses `text` from byte `start` to the end.
    pub(super) fn read(text: &'a str, start: usize) -> Result<Self, Error> {
        let mut reader = Reader::new(text, start);
        reader.value(0)?;
        match reader.peek() {
            None => Ok(reader.json),
            Some(_) => reader.fail("trailing characters"),
        }
    }

    /// Parses the value at byte `start` of `text`, whatever follows it.
    pub(super) fn read_first(text: &'a str, start: usize) -> Option<Self> {
        let mut reader = Reader::new(text, start);
        reader.value(0).ok()?;
        Some(reader.json)
    }

    /// Returns the number of values and keys.
    pub(super) const fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Returns the value that contains all others.
    pub(super) const fn root(&self) -> Node<'_> {
        Node { json: self, id: 0 }
    }
}

impl<'j> Node<'j> {
    /// Returns the bytes of the value, quotes and brackets included.
    pub(super) fn span(self) -> Span {
        let node = &self.json.nodes[self.id];
        Span::new(node.start, node.end)
    }

    /// Returns the value as written in the text.
    pub(super) fn raw(self) -> &'j str {
        &self.json.text[self.span().range()]
    }

    pub(super) fn is_object(self) -> bool {
        self.raw().starts_with('{')
    }

    pub(super) fn value_type(self) -> Type {
        match self.raw().as_bytes().first() {
            Some(b'{') => Type::Object,
            Some(b'[') => Type::List,
            Some(b'"') => Type::String,
            Some(b't' | b'f') => Type::Bool,
            Some(b'n') => Type::Null,
            _ => Type::Number,
        }
    }

    /// Returns the text of a string; `None` for any other value.
    pub(super) fn string(self) -> Option<Cow<'j, str>> {
        (self.value_type() == Type::String).then(|| self.text())
    }

    /// Returns the items of a list in order; none for any other value.
    pub(super) fn items(self) -> impl Iterator<Item = Node<'j>> {
        let is_list = self.value_type() == Type::List;
        self.children().filter(move |_| is_list)
    }

    /// Returns the members of an object in order; an empty list for any other value.
    pub(super) fn members(self) -> Vec<Member<'j>> {
        let mut members = Vec::new();
        if self.is_object() {
            let mut children = self.children();
            while let (Some(name), Some(value)) = (children.next(), children.next()) {
                members.push(Member {
                    name: name.text(),
                    span: name.span(),
                    value,
                });
            }
        }
        members
    }

    /// Returns the value of an object's first member with a name; `None` for any other value.
    pub(super) fn get(self, name: &str) -> Option<Node<'j>> {
        let mut members = self.members().into_iter();
        members.find_map(|member| (member.name == name).then_some(member.value))
    }

    /// Converts the value and its descendants.
    ///
    /// # Errors
    /// The first key that an object has twice: the locations of both.
    pub(super) fn value(self) -> Result<Value, [Span; 2]> {
        let raw = self.raw();
        Ok(match self.value_type() {
            Type::Object => {
                let members = self.members();
                if let Some(same) = first_duplicate(&members) {
                    return Err(same.map(|member| member.span));
                }
                let mut entries = Vec::with_capacity(members.len());
                for Member { name, span, value } in members {
                    let name = name.into_owned();
                    entries.push((Key { name, span }, value.value()?));
                }
                Value::Object(entries)
            }
            Type::List => {
                let mut items = Vec::new();
                for item in self.children() {
                    items.push(item.value()?);
                }
                Value::List(items)
            }
            Type::String => Value::String(self.text().into_owned()),
            Type::Bool => Value::Bool(raw == "true"),
            Type::Null => Value::Null,
            Type::Number => Value::Number(raw.to_owned()),
        })
    }

    /// Returns the direct children: an object's keys and values in turn.
    fn children(self) -> impl Iterator<Item = Node<'j>> {
        let Node { json, id } = self;
        let end = json.nodes[id].next;
        let at = move |id: usize| (id < end).then_some(Node { json, id });
        std::iter::successors(at(id + 1), move |node| at(json.nodes[node.id].next))
    }

    /// Decodes a string.
    fn text(self) -> Cow<'j, str> {
        let raw = self.raw();
        let mut rest = raw.get(1..raw.len() - 1).unwrap_or_default();
        if !rest.contains('\\') {
            return rest.into();
        }
        let mut text = String::with_capacity(rest.len());
        while let Some(at) = rest.find('\\') {
            text.push_str(&rest[..at]);
            // The reader has already checked that it is one.
            let (decoded, length) = escape(&rest.as_bytes()[at..]).unwrap_or(('\\', 1));
            text.push(decoded);
            rest = &rest[at + length..];
        }
        text.push_str(rest);
        text.into()
    }
}

/// Returns for each name the index of its previous occurrence, if any.
pub(super) fn previous_occurrences(names: &[&str]) -> Vec<Option<usize>> {
    let mut sorted: Vec<usize> = (0..names.len()).collect();
    sorted.sort_unstable_by_key(|at| (names[*at], *at));
    let mut earlier = vec![None; names.len()];
    for pair in sorted.windows(2) {
        if names[pair[0]] == names[pair[1]] {
            earlier[pair[1]] = Some(pair[0]);
        }
    }
    earlier
}

/// Returns the names of members.
pub(super) fn names<'m>(members: &'m [Member<'_>]) -> Vec<&'m str> {
    members.iter().map(|member| &*member.name).collect()
}

/// Returns the first two members with the same name.
pub(super) fn first_duplicate<'m, 'j>(members: &'m [Member<'j>]) -> Option<[&'m Member<'j>; 2]> {
    let earlier = previous_occurrences(&names(members));
    let again = earlier.iter().position(Option::is_some)?;
    Some([&members[earlier[again]?], &members[again]])
}

struct Reader<'a> {
    json: Json<'a>,
    at: usize,
}

impl<'a> Reader<'a> {
    const fn new(text: &'a str, at: usize) -> Self {
        let nodes = Vec::new();
        Self {
            json: Json { text, nodes },
            at,
        }
    }

    fn fail<T>(&self, message: &'static str) -> Result<T, Error> {
        let at = self.json.text.floor_char_boundary(self.at);
        Err(Error { message, at })
    }

    fn byte(&self) -> Option<u8> {
        self.json.text.as_bytes().get(self.at).copied()
    }

    /// Skips blanks and returns the next byte.
    fn peek(&mut self) -> Option<u8> {
        while let Some(b' ' | b'\t' | b'\n' | b'\r') = self.byte() {
            self.at += 1;
        }
        self.byte()
    }

    fn value(&mut self, depth: usize) -> Result<(), Error> {
        let first = self.peek();
        let id = self.begin();
        match first {
            Some(b'{') => self.members(depth, b'}')?,
            Some(b'[') => self.members(depth, b']')?,
            Some(b'"') => self.string()?,
            Some(b't') => self.literal("true")?,
            Some(b'f') => self.literal("false")?,
            Some(b'n') => self.literal("null")?,
            Some(b'-' | b'0'..=b'9') => self.number()?,
            Some(_) => return self.fail("expected a value"),
            None => return self.fail("expected a value, found end of text"),
        }
        self.end(id);
        Ok(())
    }

    fn begin(&mut self) -> usize {
        self.json.nodes.push(Located {
            start: self.at,
            end: self.at,
            next: 0,
        });
        self.json.nodes.len() - 1
    }

    fn end(&mut self, id: usize) {
        let next = self.json.nodes.len();
        let node = &mut self.json.nodes[id];
        (node.end, node.next) = (self.at, next);
    }

    fn members(&mut self, depth: usize, closing: u8) -> Result<(), Error> {
        if depth == MAX_DEPTH {
            return self.fail("lists and objects are nested more than 128 levels deep");
        }
        self.at += 1;
        if self.peek() == Some(closing) {
            self.at += 1;
            return Ok(());
        }
        loop {
            if closing == b'}' {
                if self.peek() != Some(b'"') {
                    return self.fail("key must be a string");
                }
                let id = self.begin();
                self.string()?;
                self.end(id);
                if self.peek() != Some(b':') {
                    return self.fail("expected `:`");
                }
                self.at += 1;
            }
            self.value(depth + 1)?;
            let found = self.peek();
            if found != Some(b',') && found != Some(closing) {
                return self.fail(match closing {
                    b'}' => "expected `,` or `}`",
                    _ => "expected `,` or `]`",
                });
            }
            self.at += 1;
            if found == Some(closing) {
                return Ok(());
            }
        }
    }

    fn string(&mut self) -> Result<(), Error> {
        self.at += 1;
        loop {
            match self.byte() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(());
                }
                Some(b'\\') => match escape(&self.json.text.as_bytes()[self.at..]) {
                    Some((_, length)) => self.at += length,
                    None => return self.fail("invalid escape"),
                },
                Some(0..0x20) => return self.fail("unescaped control character in a string"),
                Some(_) => self.at += 1,
                None => return self.fail("unterminated string"),
            }
        }
    }

    fn literal(&mut self, literal: &str) -> Result<(), Error> {
        if !self.json.text[self.at..].starts_with(literal) {
            return self.fail("expected a value");
        }
        self.at += literal.len();
        Ok(())
    }

    fn number(&mut self) -> Result<(), Error> {
        let Some(length) = number_length(&self.json.text[self.at..]) else {
            return self.fail("invalid number");
        };
        self.at += length;
        Ok(())
    }
}

/// Decodes the escape that begins with the first byte: returns the character and the length
/// of the escape in bytes.
fn escape(bytes: &[u8]) -> Option<(char, usize)> {
    let decoded = match bytes.get(1)? {
        byte @ (b'"' | b'\\' | b'/') => char::from(*byte),
        b'b' => '\u{8}',
        b'f' => '\u{c}',
        b'n' => '\n',
        b'r' => '\r',
        b't' => '\t',
        b'u' => {
            let first = unit(bytes)?;
            if !(0xd800..0xdc00).contains(&first) {
                return Some((char::from_u32(first)?, 6));
            }
            let second = unit(bytes.get(6..)?)?;
            let low = second.checked_sub(0xdc00).filter(|low| *low < 0x400)?;
            let code = 0x10000 + ((first - 0xd800) << 10) + low;
            return Some((char::from_u32(code)?, 12));
        }
        _ => return None,
    };
    Some((decoded, 2))
}

/// Decodes `\uXXXX` to its UTF-16 code unit.
fn unit(bytes: &[u8]) -> Option<u32> {
    let digits = bytes.strip_prefix(b"\\u")?.get(..4)?;
    digits.iter().try_fold(0, |unit, digit| {
        Some(unit << 4 | char::from(*digit).to_digit(16)?)
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn value(text: &str) -> Result<Value, Error> {
        Json::read(text, 0).map(|json| json.root().value().unwrap())
    }

    #[test]
    fn every_member_has_its_bytes() {
        let text = "\u{feff} {\"a\": 1.50,\n \"b\\u0063\": [true, null, {}]} ";
        let json = Json::read(text, 3).unwrap();
        let found = json.root().members();
        let found: Vec<_> = found
            .iter()
            .map(|member| {
                (
                    &*member.name,
                    &text[member.span.range()],
                    member.value.raw(),
                )
            })
            .collect();
        assert_eq!(
            found,
            [
                ("a", "\"a\"", "1.50"),
                ("bc", "\"b\\u0063\"", "[true, null, {}]")
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
            assert_eq!(value(digits).unwrap(), Value::Number(digits.into()));
        }
    }

    #[test]
    fn strings_are_decoded() {
        let text = r#""a\"\\\/\b\f\n\r\té\u00e9\ud83d\ude00""#;
        let decoded = "a\"\\/\u{8}\u{c}\n\r\téé😀";
        assert_eq!(value(text).unwrap(), Value::String(decoded.into()));
    }

    #[test]
    fn an_error_has_an_offset_and_quotes_nothing() {
        for (text, at, message) in [
            ("{\"a\": }", 6, "expected a value"),
            ("{\n  \"a\": tru\n}", 9, "expected a value"),
            ("", 0, "expected a value, found end of text"),
            ("{\"é\": 01}", 8, "expected `,` or `}`"),
            ("{} x", 3, "trailing characters"),
            ("{\"a\": 1,}", 8, "key must be a string"),
            ("{\"a\" 1}", 5, "expected `:`"),
            ("{\"a\": 1 2}", 8, "expected `,` or `}`"),
            ("[1 2]", 3, "expected `,` or `]`"),
            ("[1,]", 3, "expected a value"),
            ("\"é", 3, "unterminated string"),
            ("\"é\n\"", 3, "unescaped control character in a string"),
            ("\"\\x\"", 1, "invalid escape"),
            ("\"\\ud800\"", 1, "invalid escape"),
            ("\"\\ud800\\u0041\"", 1, "invalid escape"),
            ("\"\\udc00\"", 1, "invalid escape"),
            ("-", 0, "invalid number"),
        ] {
            let error = Json::read(text, 0).err().unwrap();
            assert_eq!((error.message, error.at), (message, at), "{text:?}");
        }
    }

    #[test]
    fn limits_nesting() {
        let nested = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
        assert!(value(&nested(128)).is_ok());
        for depth in [129, 20_000] {
            let error = value(&nested(depth)).unwrap_err();
            assert_eq!(error.at, 128);
            assert!(error.message.contains("128 levels"), "{error:?}");
        }
    }

    #[test]
    fn rejects_a_duplicate_key_in_an_object() {
        let json = Json::read("{\"a\": {\"b\": 1, \"c\": 2, \"\\u0062\": 3}}", 0).unwrap();
        let keys = json.root().value().unwrap_err();
        assert_eq!(keys, [Span::new(7, 10), Span::new(23, 31)]);
    }

    #[test]
    fn finds_the_previous_occurrence_of_a_name() {
        let found = previous_occurrences(&["b", "a", "c", "b", "a", "b"]);
        assert_eq!(found, [None, None, None, Some(0), Some(1), Some(3)]);
    }

    /// Text that is JSON, or nearly.
    fn texts() -> impl Strategy<Value = String> {
        const PARTS: &[&str] = &[
            "{",
            "}",
            "[",
            "]",
            ",",
            ":",
            "\"a\"",
            "\"",
            "\\u00e9",
            "\\ud83d\\ude00",
            "\\ud83d",
            "\\n",
            "\\x",
            "\\",
            "é",
            "\u{1}",
            " ",
            "\n",
            "0",
            "1.5",
            "-1",
            "e9",
            "1e-7",
            ".",
            "true",
            "false",
            "null",
            "nul",
            "{\"a\":",
            "[1,",
            "[]",
        ];
        let parts = prop::collection::vec(prop::sample::select(PARTS), 0..12);
        let valid = any::<Vec<String>>().prop_map(|texts| serde_json::json!(texts).to_string());
        prop_oneof![4 => parts.prop_map(|parts| parts.concat()), 1 => valid]
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(4_000) })]

        #[test]
        fn reads_what_serde_json_reads(text in texts()) {
            let theirs = serde_json::from_str::<serde_json::Value>(&text);
            match (Json::read(&text, 0), theirs) {
                (Ok(ours), Ok(theirs)) => {
                    if let Ok(value) = ours.root().value() {
                        let again: serde_json::Value = serde_json::from_str(&value.to_json()).unwrap();
                        prop_assert_eq!(again, theirs);
                    }
                }
                (Err(error), Err(_)) => prop_assert!(text.is_char_boundary(error.at)),
                // Numbers are kept as they are written, also those beyond a float's range.
                (Ok(_), Err(error)) if error.to_string().contains("number out of range") => {}
                (ours, theirs) => prop_assert!(false, "{:?} {:?}", ours.err(), theirs.err()),
            }
        }
    }
}
