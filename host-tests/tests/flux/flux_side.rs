//! Why Flux applies something else than the ideal.
//!
//! Flux substitutes in the text that kustomize writes for the whole resource, and reads the
//! result as YAML. The evidence for a rule is an experiment: the same string alone in a
//! resource of its own (`value: STRING`, or an item, or a key) goes wrong in the same way, or
//! it fails where it is when nothing else in the resource is substituted.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value as Json, json};

use crate::case::Case;
use crate::ideal::{Difference, Ideal, Place, Scalar, differences};
use crate::peer::{self, Answer, Flux};
use crate::rules::Rule;

/// The beginning of the message for a text that Flux's substitution refuses.
pub(crate) const REFUSED_TEXT: &str = "envsubst error: variable substitution failed";

/// What Flux makes of a string that is alone in a resource.
#[derive(Clone, Debug)]
enum Alone {
    Value(Json),
    /// The resource has other fields than before.
    BreaksOut,
    Fails(String),
}

/// Returns the rules that explain why Flux applies `applied`, but for the strings in `shared`,
/// which are the same in landfall.
///
/// # Errors
/// What no rule explains.
pub(crate) fn explain(
    flux: &mut Flux,
    case: &Case,
    ideal: &Ideal,
    applied: &Answer,
    shared: &[&Scalar],
) -> Result<BTreeSet<Rule>, String> {
    let mut side = Side {
        flux,
        case,
        alone: BTreeMap::new(),
    };
    match applied {
        Err(message) => side.failure(ideal, message),
        Ok(actual) => {
            let found = differences(ideal, actual, &mut |key| match side.alone(key) {
                Alone::Value(Json::String(key)) => Some(key),
                _ => None,
            });
            let mut rules = BTreeSet::new();
            for difference in found {
                if let Difference::Value(scalar, _) = &difference
                    && shared.iter().any(|it| std::ptr::eq(*it, *scalar))
                {
                    continue;
                }
                rules.insert(side.difference(ideal, &difference)?);
            }
            Ok(rules)
        }
    }
}

struct Side<'a> {
    flux: &'a mut Flux,
    case: &'a Case,
    alone: BTreeMap<(Place, String), Alone>,
}

/// Whether two values are the same; kustomize reads large numbers as floating-point numbers.
fn is_same(one: &Json, other: &Json) -> bool {
    match (one, other) {
        (Json::Number(one), Json::Number(other)) => one.as_f64() == other.as_f64(),
        _ => one == other,
    }
}

impl Side<'_> {
    /// Explains an error.
    fn failure(&mut self, ideal: &Ideal, message: &str) -> Result<BTreeSet<Rule>, String> {
        let scalars = ideal.scalars();
        let refuses_text = message.starts_with(REFUSED_TEXT);
        let is_unused = |scalar: &&Scalar| {
            let meant = scalar.meant.as_ref();
            meant.is_some_and(|meant| meant.rule == Rule::EvaluatesUnusedFallback)
        };
        if refuses_text && scalars.iter().any(is_unused) {
            return Ok(BTreeSet::from([Rule::EvaluatesUnusedFallback]));
        }
        for scalar in &scalars {
            if let Alone::Fails(alone) = self.alone(scalar)
                && alone.starts_with(REFUSED_TEXT) == refuses_text
            {
                return Ok(BTreeSet::from([if refuses_text {
                    Rule::SubstitutesInQuotes
                } else {
                    Rule::FailsToParse
                }]));
            }
        }
        for scalar in &scalars {
            let is_identity = scalar
                .path
                .first()
                .is_some_and(|first| ["metadata", "kind", "apiVersion"].contains(&first.as_str()));
            if is_identity
                && let Alone::Value(value) = self.alone(scalar)
                && !value.is_string()
            {
                return Ok(BTreeSet::from([Rule::RetypesMetadata]));
            }
        }
        for scalar in &scalars {
            if matches!(self.alone(scalar), Alone::BreaksOut) {
                return Ok(BTreeSet::from([Rule::FailsToParse]));
            }
        }
        let (variables, strict) = (&self.case.variables, self.case.strict);
        for scalar in &scalars {
            let manifest = ideal.with_only(scalar).to_string();
            let applied = self.flux.applied(&manifest, variables, strict);
            if !refuses_text && applied.is_err_and(|error| !error.starts_with(REFUSED_TEXT)) {
                return Ok(BTreeSet::from([Rule::FailsToParse]));
            }
        }
        Err(format!("Flux fails: {message}"))
    }

    fn difference(&mut self, ideal: &Ideal, difference: &Difference<'_>) -> Result<Rule, String> {
        let explained = match difference {
            Difference::Value(scalar, actual) => self.value(scalar, actual)?,
            Difference::Key(scalar, key) => self.value(scalar, &Json::from(key.as_str()))?,
            Difference::Shape(_) => None,
        };
        if let Some(rule) = explained {
            return Ok(rule);
        }
        // Another string reaches this place, or changed what is around it.
        for scalar in ideal.scalars() {
            match self.alone(scalar) {
                Alone::BreaksOut | Alone::Fails(_) => return Ok(Rule::InjectsStructure),
                Alone::Value(_) => {}
            }
        }
        Err(format!("Flux: {}", difference.shown()))
    }

    /// Explains a string that became `actual`, if it does the same when it is alone.
    fn value(&mut self, scalar: &Scalar, actual: &Json) -> Result<Option<Rule>, String> {
        match self.alone(scalar) {
            Alone::Value(alone) if alone == *actual => {}
            _ => return Ok(None),
        }
        let text = scalar.text.as_deref().map_err(|error| {
            format!(
                "Flux writes {actual} for {:?}, which alone is an error: {error}",
                scalar.template
            )
        })?;
        let read = self.flux.read_at(scalar.place, text);
        let is_plain = read.as_ref().is_ok_and(|read| is_same(read, actual))
            // A key is a string, whatever YAML reads it as.
            || scalar.place == Place::Key && read.is_ok_and(|read| !read.is_string());
        let rule = match actual {
            Json::Null if text.trim_matches([' ', '\t']).is_empty() => Rule::EmptyBecomesNull,
            Json::Array(_) | Json::Object(_) if is_plain => Rule::InjectsStructure,
            Json::String(_) if scalar.place == Place::Key && is_plain => Rule::RetypesString,
            Json::String(_) if is_plain => Rule::CutsString,
            Json::String(_) if self.is_quoted(scalar) => Rule::SubstitutesInQuotes,
            Json::Null | Json::Bool(_) | Json::Number(_) if is_plain => Rule::RetypesString,
            _ => {
                return Err(format!(
                    "Flux writes {actual} for the text {text:?} of {:?}",
                    scalar.template
                ));
            }
        };
        Ok(Some(rule))
    }

    /// Whether kustomize cannot write a string without quotes, or as anything but a block.
    fn is_quoted(&mut self, scalar: &Scalar) -> bool {
        let template = scalar.template.as_str();
        self.flux.read_at(scalar.place, template) != Ok(Json::from(template))
    }

    fn alone(&mut self, scalar: &Scalar) -> Alone {
        let key = (scalar.place, scalar.template.clone());
        if let Some(known) = self.alone.get(&key) {
            return known.clone();
        }
        let value = match scalar.place {
            Place::Key => json!({&scalar.template: "value"}),
            Place::Field => json!(scalar.template),
            Place::Item => json!([scalar.template]),
        };
        let manifest = peer::alone(&value);
        let (variables, strict) = (&self.case.variables, self.case.strict);
        let alone = match self.flux.applied(&manifest.to_string(), variables, strict) {
            Err(error) => Alone::Fails(error),
            Ok(applied) => {
                inside(manifest, applied, scalar.place).map_or(Alone::BreaksOut, Alone::Value)
            }
        };
        self.alone.insert(key, alone.clone());
        alone
    }
}

/// Returns what the string of a resource with nothing but it became, if the rest of the
/// resource is as before.
fn inside(mut before: Json, mut applied: Json, place: Place) -> Option<Json> {
    let value = applied.as_object_mut()?.remove("value")?;
    before.as_object_mut()?.remove("value")?;
    if applied != before {
        return None;
    }
    match (value, place) {
        (value, Place::Field) => Some(value),
        (Json::Array(mut items), Place::Item) if items.len() == 1 => items.pop(),
        (Json::Object(entries), Place::Key) if entries.len() == 1 => {
            let (key, value) = entries.into_iter().next()?;
            (value == "value").then_some(Json::from(key))
        }
        _ => None,
    }
}
