//! The types that tools write next to the values of outputs, compared with the values: a
//! difference means that the document was edited or damaged.

use std::borrow::Cow;

use crate::outputs::json::{Member, Node, first_duplicate};
use crate::outputs::value::Type;
use yaml::Span;

/// The type that a document declares for a value. Every type includes null.
pub(super) enum DeclaredType<'j> {
    Any,
    /// A string, a number or a bool.
    Scalar(Type),
    /// A list or a set.
    List(Box<Self>),
    Tuple(Vec<Self>),
    Map(Box<Self>),
    Object {
        /// Sorted by name.
        attributes: Vec<Attribute<'j>>,
        /// The number of attributes that aren't optional.
        required: usize,
    },
}

/// An attribute of an object type.
pub(super) struct Attribute<'j> {
    name: Cow<'j, str>,
    of: DeclaredType<'j>,
    is_optional: bool,
}

/// The first part of a value that differs from its type.
pub(super) struct Mismatch {
    /// Where the part begins.
    pub(super) at: usize,
    /// Quotes nothing from the document.
    pub(super) label: String,
}

impl<'j> DeclaredType<'j> {
    /// Reads a type as Terraform writes it: `"string"`, `["list", "number"]`,
    /// `["object", {"id": "string"}]`, in OpenTofu with a list of optional attributes. The
    /// source is `MarshalJSON` and `UnmarshalJSON` in zclconf/go-cty, cty/json.go.
    ///
    /// Returns `None` for anything else.
    pub(super) fn of_terraform(node: Node<'j>) -> Option<Self> {
        if let Some(name) = node.string() {
            return Some(match &*name {
                "string" => Self::Scalar(Type::String),
                "number" => Self::Scalar(Type::Number),
                "bool" => Self::Scalar(Type::Bool),
                "dynamic" => Self::Any,
                _ => return None,
            });
        }
        let mut parts = node.items();
        let (kind, of, optional) = (parts.next()?.string()?, parts.next()?, parts.next());
        if parts.next().is_some() || optional.is_some() && kind != "object" {
            return None;
        }
        let element = || Self::of_terraform(of).map(Box::new);
        Some(match (&*kind, of.value_type()) {
            ("list" | "set", _) => Self::List(element()?),
            ("map", _) => Self::Map(element()?),
            ("tuple", Type::List) => {
                let types = of.items().map(Self::of_terraform);
                Self::Tuple(types.collect::<Option<_>>()?)
            }
            ("object", Type::Object) => Self::object(&of.members(), optional)?,
            _ => return None,
        })
    }

    fn object(members: &[Member<'j>], optional: Option<Node<'j>>) -> Option<Self> {
        if first_duplicate(members).is_some() {
            return None;
        }
        let mut attributes = Vec::with_capacity(members.len());
        for member in members {
            attributes.push(Attribute {
                name: member.name.clone(),
                of: Self::of_terraform(member.value)?,
                is_optional: false,
            });
        }
        attributes.sort_unstable_by(|a, b| a.name.cmp(&b.name));
        for name in optional.into_iter().flat_map(Node::items) {
            let at = position(&attributes, &name.string()?)?;
            attributes[at].is_optional = true;
        }
        let is_list = optional.is_none_or(|names| names.value_type() == Type::List);
        let required = attributes.iter().filter(|one| !one.is_optional).count();
        is_list.then_some(Self::Object {
            attributes,
            required,
        })
    }

    /// Returns the type of the values themselves, without that of their parts; `None` if
    /// any type is allowed.
    pub(super) const fn value_type(&self) -> Option<Type> {
        Some(match self {
            Self::Any => return None,
            Self::Scalar(scalar) => *scalar,
            Self::List(_) | Self::Tuple(_) => Type::List,
            Self::Map(_) | Self::Object { .. } => Type::Object,
        })
    }

    /// Compares a value without the values in it: nothing else about a sensitive value may
    /// be reported.
    pub(super) fn accepts_type_of(&self, value: Node<'_>) -> bool {
        let found = value.value_type();
        found == Type::Null || self.value_type().is_none_or(|expected| expected == found)
    }

    /// Compares a value in which no object has duplicate keys.
    ///
    /// # Errors
    /// The first difference.
    pub(super) fn check(&self, value: Node<'_>) -> Result<(), Mismatch> {
        let differs = |at: Span, label: &str| {
            let (at, label) = (at.start, label.to_owned());
            Err(Mismatch { at, label })
        };
        let found = value.value_type();
        if found == Type::Null {
            return Ok(());
        }
        if let Some(expected) = self.value_type().filter(|expected| *expected != found) {
            let label = format!("expected {}", expected.described());
            return differs(value.span(), &label);
        }
        match self {
            Self::Any | Self::Scalar(_) => Ok(()),
            Self::List(element) => value.items().try_for_each(|item| element.check(item)),
            Self::Map(element) => {
                let members = value.members();
                (members.iter()).try_for_each(|member| element.check(member.value))
            }
            Self::Tuple(types) => {
                let mut items = value.items();
                for expected in types {
                    match items.next() {
                        Some(item) => expected.check(item)?,
                        None => return differs(value.span(), "an item of its type is missing"),
                    }
                }
                match items.next() {
                    None => Ok(()),
                    Some(item) => differs(item.span(), "its type has no such item"),
                }
            }
            Self::Object {
                attributes,
                required,
            } => {
                let mut left = *required;
                for member in value.members() {
                    let Some(nth) = position(attributes, &member.name) else {
                        return differs(member.span, "its type has no such attribute");
                    };
                    let attribute = &attributes[nth];
                    attribute.of.check(member.value)?;
                    left -= usize::from(!attribute.is_optional);
                }
                match left {
                    0 => Ok(()),
                    _ => differs(value.span(), "an attribute of its type is missing"),
                }
            }
        }
    }
}

/// Returns the index of the attribute with this name.
fn position(attributes: &[Attribute<'_>], name: &str) -> Option<usize> {
    let found = attributes.binary_search_by(|attribute| (*attribute.name).cmp(name));
    found.ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outputs::json::Json;

    fn is_type(json: &str) -> bool {
        DeclaredType::of_terraform(Json::read(json, 0).unwrap().root()).is_some()
    }

    #[test]
    fn reads_the_types_of_terraform() {
        for json in [
            r#""string""#,
            r#""number""#,
            r#""bool""#,
            r#""dynamic""#,
            r#"["list", "string"]"#,
            r#"["set", ["map", "dynamic"]]"#,
            r#"["tuple", []]"#,
            r#"["tuple", ["string", ["list", "bool"]]]"#,
            r#"["object", {}]"#,
            r#"["object", {"a": "string", "b": "bool"}, ["b"]]"#,
        ] {
            assert!(is_type(json), "{json}");
        }
        for json in [
            r#""String""#,
            r#""list""#,
            "null",
            "{}",
            "[]",
            r#"["list"]"#,
            r#"["list", "string", "string"]"#,
            r#"["list", ["string"]]"#,
            r#"["tuple", {}]"#,
            r#"["tuple", ["text"]]"#,
            r#"["object", []]"#,
            r#"["object", {"a": "string", "\u0061": "bool"}]"#,
            r#"["object", {"a": "string"}, ["b"]]"#,
            r#"["object", {"a": "string"}, "a"]"#,
            r#"["object", {}, [], []]"#,
        ] {
            assert!(!is_type(json), "{json}");
        }
    }

    /// Checks where a value differs from a type: the text that begins there, up to the next
    /// comma or bracket, and the label.
    #[track_caller]
    fn check(declared: &str, value: &str, expected: &str) {
        let (declared, json) = (
            Json::read(declared, 0).unwrap(),
            Json::read(value, 0).unwrap(),
        );
        let declared = DeclaredType::of_terraform(declared.root()).unwrap();
        let found = match declared.check(json.root()) {
            Ok(()) => String::new(),
            Err(Mismatch { at, label }) => {
                let end = value[at + 1..].find([',', ']', '}', ':']);
                let end = end.map_or(value.len(), |end| at + 1 + end);
                format!("{}: {label}", &value[at..end])
            }
        };
        assert_eq!(found, expected);
    }

    #[test]
    fn accepts_the_values_that_terraform_writes() {
        for (declared, value) in [
            (r#""string""#, r#""a""#),
            (r#""number""#, "1.50"),
            (r#""bool""#, "false"),
            (r#""dynamic""#, r#"{"a": [1]}"#),
            (r#"["list", "dynamic"]"#, "[]"),
            (r#"["set", "string"]"#, r#"["a", null]"#),
            (r#"["tuple", ["string", "dynamic"]]"#, r#"["a", null]"#),
            (r#"["map", "number"]"#, r#"{"a": 1}"#),
            (
                r#"["object", {"b": "bool", "a": "string"}]"#,
                r#"{"a": "x", "b": true}"#,
            ),
            (
                r#"["object", {"a": "string", "b": "bool"}, ["b"]]"#,
                r#"{"a": null}"#,
            ),
        ] {
            check(declared, value, "");
            check(declared, "null", "");
        }
    }

    #[test]
    fn finds_the_first_part_of_a_value_that_differs() {
        check(r#""string""#, "1", "1: expected a string");
        check(r#""number""#, "\"1\"", "\"1\": expected a number");
        check(r#""bool""#, "[]", "[: expected a bool");
        check(r#"["set", "string"]"#, "{}", "{: expected a list");
        check(
            r#"["list", "string"]"#,
            "[\"a\",1,2]",
            "1: expected a string",
        );
        check(r#"["map", "bool"]"#, "{\"a\": 1}", "1: expected a bool");
        check(r#"["map", "bool"]"#, "[]", "[: expected an object");
        let tuple = r#"["tuple", ["string", "number"]]"#;
        check(tuple, "[\"a\"]", "[\"a\": an item of its type is missing");
        check(tuple, "[\"a\",1,2]", "2: its type has no such item");
        check(tuple, "[\"a\",\"b\"]", "\"b\": expected a number");
        let object = r#"["object", {"a": "string", "b": "bool"}, ["b"]]"#;
        check(object, "{\"a\":1}", "1: expected a string");
        check(
            object,
            "{\"b\":true}",
            "{\"b\": an attribute of its type is missing",
        );
        check(object, "{\"c\":1}", "\"c\": its type has no such attribute");
    }
}
