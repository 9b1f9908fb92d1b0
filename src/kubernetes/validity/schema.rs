//! What a schema says about a value besides its type, as far as the API server enforces it
//! (apiextensions-apiserver: structural schemas, OpenAPI 3).

use std::sync::OnceLock;

use regex_lite::Regex;

use super::{Refusal, number, text};
use crate::outputs::Value;

/// The longest text that a pattern is matched with: matching takes time for each character of
/// both.
const MAX_MATCHED: usize = 64 * 1024;

/// The most values of an enum that a message lists.
const MAX_LISTED: usize = 12;

/// The limits of one schema.
#[derive(Debug, Default)]
pub(crate) struct Limits {
    /// The only texts, numbers and bools; empty if there are others.
    pub(crate) one_of: Vec<String>,
    pattern: Option<String>,
    /// `None` if the pattern cannot be compiled: it is not judged then.
    compiled: OnceLock<Option<Regex>>,
    /// Of the characters of a text.
    length: Bounds,
    /// Of the items of a list.
    items: Bounds,
    /// Of the members of an object.
    properties: Bounds,
    number: Bounds,
    format: Option<&'static FormatRow>,
    /// Whether null is a value.
    pub(crate) nullable: bool,
}

/// Bounds that are part of what they allow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Bounds {
    min: Option<i64>,
    max: Option<i64>,
}

#[derive(Debug)]
struct FormatRow {
    name: &'static str,
    accepts: fn(&str) -> bool,
}

/// The formats that are judged; the server knows others.
const FORMATS: &[FormatRow] = &[
    FormatRow {
        name: "byte",
        accepts: |text| text::base64(text).is_ok(),
    },
    FormatRow {
        name: "ipv4",
        accepts: |text| text.parse::<std::net::Ipv4Addr>().is_ok(),
    },
    FormatRow {
        name: "ipv6",
        accepts: |text| text.parse::<std::net::Ipv6Addr>().is_ok(),
    },
    FormatRow {
        name: "cidr",
        accepts: |text| number::cidr(text).is_ok(),
    },
    FormatRow {
        name: "int32",
        accepts: |text| text.parse::<i32>().is_ok(),
    },
];

impl Limits {
    /// Reads the limits of a schema, by the texts of its keys. `None` if it has none.
    pub(crate) fn read<'s>(
        get: impl Fn(&str) -> Option<&'s str>,
        one_of: Vec<String>,
    ) -> Option<Self> {
        let bounds = |min: &str, max: &str| Bounds {
            min: get(min).and_then(|text| text.parse().ok()),
            max: get(max).and_then(|text| text.parse().ok()),
        };
        let mut number = bounds("minimum", "maximum");
        // Fractions lie between an exclusive bound and the next integer.
        if get("type") == Some("integer") {
            if get("exclusiveMinimum") == Some("true") {
                number.min = number.min.and_then(|min| min.checked_add(1));
            }
            if get("exclusiveMaximum") == Some("true") {
                number.max = number.max.and_then(|max| max.checked_sub(1));
            }
        }
        let format = get("format");
        let limits = Self {
            one_of,
            pattern: get("pattern").map(str::to_owned),
            compiled: OnceLock::new(),
            length: bounds("minLength", "maxLength"),
            items: bounds("minItems", "maxItems"),
            properties: bounds("minProperties", "maxProperties"),
            number,
            format: FORMATS.iter().find(|row| format == Some(row.name)),
            nullable: get("nullable") == Some("true"),
        };
        (!limits.is_empty()).then_some(limits)
    }

    fn is_empty(&self) -> bool {
        let all = [self.length, self.items, self.properties, self.number];
        self.one_of.is_empty()
            && self.pattern.is_none()
            && self.format.is_none()
            && !self.nullable
            && all.iter().all(|bounds| *bounds == Bounds::default())
    }

    /// Checks a value.
    ///
    /// # Errors
    /// The schema does not allow it.
    pub(crate) fn check(&self, value: &Value) -> Result<(), Refusal> {
        match value {
            Value::Null => Ok(()),
            Value::List(items) => self.items.check(items.len(), "item", ""),
            Value::Object(entries) => self.properties.check(entries.len(), "member", ""),
            Value::Bool(_) => Ok(()),
            Value::Number(text) => {
                self.check_enum(text)?;
                self.check_format(text)?;
                number::between(text, self.number.min, self.number.max)
            }
            Value::String(text) => {
                self.check_enum(text)?;
                self.length.check(text.chars().count(), "character", text)?;
                self.check_format(text)?;
                self.check_pattern(text)
            }
        }
    }

    fn check_enum(&self, text: &str) -> Result<(), Refusal> {
        if self.one_of.is_empty() {
            return Ok(());
        }
        one_of(text, &self.one_of)
    }

    fn check_format(&self, text: &str) -> Result<(), Refusal> {
        match self.format {
            Some(row) if !(row.accepts)(text) => {
                let why = format!("it does not have the format `{}`", row.name);
                Err(Refusal::because(text, why))
            }
            _ => Ok(()),
        }
    }

    fn check_pattern(&self, text: &str) -> Result<(), Refusal> {
        let Some(pattern) = self.pattern.as_deref() else {
            return Ok(());
        };
        if text.len() > MAX_MATCHED {
            return Ok(());
        }
        let compiled = self.compiled.get_or_init(|| Regex::new(pattern).ok());
        match compiled {
            Some(regex) if !regex.is_match(text) => {
                let why = format!("it does not match the pattern `{pattern}`");
                Err(Refusal::because(text, why))
            }
            _ => Ok(()),
        }
    }
}

/// Checks that a text is one of these.
pub(super) fn one_of(text: &str, choices: &[impl AsRef<str>]) -> Result<(), Refusal> {
    if choices.iter().any(|one| one.as_ref() == text) {
        return Ok(());
    }
    let mut listed: Vec<String> = choices
        .iter()
        .take(MAX_LISTED)
        .map(|one| format!("`{}`", one.as_ref()))
        .collect();
    if let Some(more) = choices.len().checked_sub(MAX_LISTED).filter(|n| *n > 0) {
        listed.push(format!("{more} more"));
    }
    let listed = listed.join(", ");
    Err(Refusal::because(text, format!("it is none of {listed}")))
}

impl Bounds {
    /// Checks how many there are of something.
    fn check(self, count: usize, what: &str, text: &str) -> Result<(), Refusal> {
        let has = |count: usize| match count {
            1 => format!("it has 1 {what}"),
            _ => format!("it has {count} {what}s"),
        };
        let number = i64::try_from(count).unwrap_or(i64::MAX);
        let bound = match (self.min, self.max) {
            (Some(min), _) if number < min => format!("at least {min}"),
            (_, Some(max)) if number > max => format!("at most {max}"),
            _ => return Ok(()),
        };
        let why = format!("{}, but the schema allows {bound}", has(count));
        Err(Refusal::because(text, why))
    }
}
