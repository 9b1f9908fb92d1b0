//! Writes the outputs that Terraform code declares as a contract, and finds their places in
//! the code again.

use std::ops::Range;

use landfall_sandbox::types::{Config, Label, Origin, Span};

use super::{Declared, Output, at};

/// YAML readers accept longer keys only after `? `.
const MAX_SIMPLE_KEY: usize = 1024;

/// The contract of declared outputs.
#[derive(Debug)]
pub(crate) struct DeclaredContract {
    /// A document of the kind OutputsContract.
    pub(crate) document: Config,
    /// The bytes of each name in the document, with its place in the files.
    places: Vec<(Range<usize>, Span)>,
}

impl Declared {
    /// Returns the contract: the names of the outputs, their types if these are known, and
    /// which are sensitive. It does not depend on the order of the files.
    pub(crate) fn contract(&self) -> DeclaredContract {
        let bound_name = key(&self.name);
        let bound_name = if bound_name.len() > MAX_SIMPLE_KEY {
            format!("? {bound_name}\n  ")
        } else {
            bound_name
        };
        let mut text = format!(
            "apiVersion: landfall.dev/v1alpha1\nkind: OutputsContract\nspec:\n  {bound_name}:"
        );
        let mut places = Vec::new();
        if self.outputs.is_empty() {
            text.push_str(" {}");
        }
        for (name, output) in &self.outputs {
            let key = key(name);
            let (before, after) = if key.chars().count() > MAX_SIMPLE_KEY {
                ("\n    ? ", "\n    : ")
            } else {
                ("\n    ", ": ")
            };
            text.push_str(before);
            let start = text.len();
            text.push_str(&key);
            places.push((start..text.len(), at(output.file, &output.span)));
            text.push_str(&format!("{after}{{{}}}", output.entry()));
        }
        text.push('\n');
        DeclaredContract {
            document: Config {
                path: self.name.clone(),
                content: text.into_bytes(),
            },
            places,
        }
    }
}

impl Output {
    /// Returns the keys of its entry.
    fn entry(&self) -> String {
        let attributes = &self.attributes;
        let value_type = attributes.value_type.map(|name| format!("type: {name}"));
        let optional = attributes.is_null == Some(true);
        let optional = optional.then(|| "required: false".to_owned());
        let sensitive = attributes.sensitive == Some(true);
        let sensitive = sensitive.then(|| "sensitive: true".to_owned());
        let description = attributes
            .description
            .as_deref()
            .map(one_line)
            .filter(|text| !text.is_empty())
            .map(|text| format!("description: {}", quoted(&text)));
        let keys: Vec<_> = [value_type, optional, sensitive, description]
            .into_iter()
            .flatten()
            .collect();
        keys.join(", ")
    }
}

impl DeclaredContract {
    /// Moves a label about the contract to the files, of which the first has the position
    /// `first_file` among the outputs documents. A label about no output is moved to the
    /// start of that file.
    pub(crate) fn relocate(&self, label: &mut Label, first_file: usize) {
        let start = label.span.start as usize;
        let mut places = self.places.iter();
        let place = places.find(|(range, _)| range.contains(&start));
        label.span = place.map_or_else(|| at(0, &(0..0)), |(_, place)| *place);
        if let Origin::Outputs(file) = label.span.origin {
            let first = u32::try_from(first_file).unwrap_or(u32::MAX);
            label.span.origin = Origin::Outputs(first.saturating_add(file));
        }
    }
}

/// Returns the type of contracts for a type constraint of Terraform.
pub(super) fn type_of(constraint: &str) -> Option<&'static str> {
    match constraint {
        "string" => Some("string"),
        "number" => Some("number"),
        "bool" => Some("bool"),
        "list" | "set" | "tuple" => Some("list"),
        "map" | "object" => Some("object"),
        _ => None,
    }
}

/// Returns a name as a key that every YAML reader reads as this string.
fn key(name: &str) -> String {
    const WORDS: [&str; 9] = ["true", "false", "null", "yes", "no", "on", "off", "y", "n"];
    let is_word = WORDS.iter().any(|word| word.eq_ignore_ascii_case(name));
    let is_plain = name
        .bytes()
        .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-'));
    if is_plain && !is_word {
        name.to_owned()
    } else {
        quoted(name)
    }
}

fn quoted(text: &str) -> String {
    // Cannot fail.
    serde_json::to_string(text).unwrap_or_default()
}

/// Returns a text on one line, without characters that YAML readers treat differently.
fn one_line(text: &str) -> String {
    let words = text.split_whitespace().map(|word| {
        let is_plain =
            |c: &char| !c.is_control() && !matches!(c, '\u{feff}' | '\u{fffe}' | '\u{ffff}');
        word.chars().filter(is_plain).collect::<String>()
    });
    words.collect::<Vec<_>>().join(" ")
}
