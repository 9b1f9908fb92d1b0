//! What a template was meant to become where Flux's own function fails, or cuts a character in
//! half; found by asking Flux about a template that avoids this.

use std::collections::BTreeMap;

use crate::case::Case;
use crate::peer::{Flux, Variables};
use crate::rules::Rule;

/// What a template was meant to become, and why it does not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Meant {
    pub(crate) rule: Rule,
    pub(crate) text: String,
}

/// The beginning of the message for a missing variable, before its name.
const NOT_SET: &str = "variable not set (strict mode): ";

/// The name of a variable whose value changes nothing.
const UNUSED: &str = "UNUSED";

impl Meant {
    /// Returns what the template of a case was meant to become, if Flux's result is not it.
    pub(crate) fn of(
        flux: &mut Flux,
        case: &Case,
        template: &str,
        result: &Result<String, String>,
    ) -> Option<Self> {
        match result {
            Err(error) if error.starts_with(NOT_SET) => Some(Self {
                rule: Rule::EvaluatesUnusedFallback,
                text: without_unused(flux, case, template)?,
            }),
            Err(error) if error == "the result is not UTF-8" => by_characters(flux, case, template),
            Ok(text) if text.contains('\u{fffd}') => by_characters(flux, case, template),
            _ => None,
        }
    }
}

/// Returns the text of a template in which every reference that fails is unused: with another
/// name, of a variable that is set, the text is the same.
fn without_unused(flux: &mut Flux, case: &Case, template: &str) -> Option<String> {
    let mut variables = Variables::clone(&case.variables);
    let mut text = |template: &str, strict| flux.text(template, &variables, strict, true);
    let loose = text(template, false).ok()?;
    variables.insert(UNUSED.to_owned(), "unused".to_owned());
    let mut text = |template: &str, strict| flux.text(template, &variables, strict, true);
    let mut renamed = template.to_owned();
    let mut from = 0;
    while let Some(at) = renamed.get(from..).and_then(|rest| rest.find("${")) {
        let start = from + at + 2;
        let start = start + usize::from(renamed[start..].starts_with('#'));
        let end = renamed[start..].find(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        let end = start + end?;
        let other = format!("{}{UNUSED}{}", &renamed[..start], &renamed[end..]);
        let is_missing = !case.variables.contains_key(&renamed[start..end]);
        if is_missing && text(&other, false).as_ref() == Ok(&loose) {
            renamed = other;
        }
        from = start;
    }
    (text(&renamed, true).as_ref() == Ok(&loose)).then_some(loose)
}

/// Returns the text of a template if each character were one byte: every other character is
/// written as a control character, and read back.
fn by_characters(flux: &mut Flux, case: &Case, template: &str) -> Option<Meant> {
    let mut bytes = (1..32_u8)
        .filter(|byte| !b"\t\n\r".contains(byte))
        .map(char::from);
    let mut written = BTreeMap::new();
    let all = case.variables.values().map(String::as_str);
    for character in all.chain([template]).flat_map(str::chars) {
        if !character.is_ascii() && !written.contains_key(&character) {
            written.insert(character, bytes.next()?);
        }
    }
    let short = |text: &str| -> String {
        let short = |c: char| written.get(&c).copied().unwrap_or(c);
        text.chars().map(short).collect()
    };
    let variables: Variables = case
        .variables
        .iter()
        .map(|(name, value)| (name.clone(), short(value)))
        .collect();
    let text = flux
        .text(&short(template), &variables, case.strict, true)
        .ok()?;
    let long = |c: char| {
        let found = written.iter().find(|(_, byte)| **byte == c);
        found.map_or(c, |(character, _)| *character)
    };
    Some(Meant {
        rule: Rule::CutsCharacters,
        text: text.chars().map(long).collect(),
    })
}
