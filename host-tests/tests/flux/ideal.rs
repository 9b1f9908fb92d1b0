//! What a manifest means before any YAML reader can misread a value: each string of the
//! decoded manifest, substituted by Flux's own function. It is between the two sides: what
//! either of them has instead is explained by a rule.

use serde::Deserialize as _;
use serde_json::Value as Json;

use crate::case::Case;
use crate::meant::Meant;
use crate::peer::Flux;

impl Scalar {
    /// Returns what landfall writes, wherever it is not one of Kubernetes' own types.
    pub(crate) fn written(&self) -> Option<&str> {
        match &self.meant {
            Some(meant) => Some(&meant.text),
            None => self.unfolded.as_deref().ok(),
        }
    }
}

/// A node of the decoded manifest.
#[derive(Debug)]
pub(crate) enum Ideal {
    /// Not a string.
    Same(Json),
    Text(Scalar),
    List(Vec<Ideal>),
    Map(Vec<(Scalar, Ideal)>),
}

/// Where a string is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Place {
    Key,
    /// The value of a key.
    Field,
    /// The item of a list.
    Item,
}

/// A string.
#[derive(Debug)]
pub(crate) struct Scalar {
    /// The keys and positions that lead to it; a key leads to itself.
    pub(crate) path: Vec<String>,
    pub(crate) place: Place,
    /// The string before the substitution.
    pub(crate) template: String,
    /// What Flux's function makes of it.
    pub(crate) text: Result<String, String>,
    /// The same, if the values kept their line breaks.
    pub(crate) unfolded: Result<String, String>,
    /// Where Flux's function fails or cuts a character in half: what it was meant to be.
    pub(crate) meant: Option<Meant>,
    /// The document in the string, if it is a mapping or a list.
    pub(crate) embedded: Option<Box<Ideal>>,
}

impl Ideal {
    /// Returns what `decoded`, the manifest of `case`, becomes.
    pub(crate) fn of(flux: &mut Flux, case: &Case, decoded: &Json) -> Self {
        let mut builder = Builder {
            flux,
            case,
            is_disabled: is_disabled(decoded),
            path: Vec::new(),
        };
        builder.node(decoded, Place::Field, true)
    }

    /// Calls `each` for every string that the substitution may change.
    pub(crate) fn for_each_scalar<'s>(&'s self, each: &mut dyn FnMut(&'s Scalar)) {
        match self {
            Self::Same(_) => {}
            Self::Text(scalar) if scalar.template.contains('$') => each(scalar),
            Self::Text(_) => {}
            Self::List(items) => items.iter().for_each(|item| item.for_each_scalar(each)),
            Self::Map(entries) => {
                for (key, value) in entries {
                    if key.template.contains('$') {
                        each(key);
                    }
                    value.for_each_scalar(each);
                }
            }
        }
    }

    /// Returns the decoded manifest with only one reference left: elsewhere each `$` is a `q`,
    /// so that kustomize breaks lines at the same places.
    pub(crate) fn with_only(&self, kept: &Scalar) -> Json {
        let template = |scalar: &Scalar| {
            if std::ptr::eq(scalar, kept) {
                scalar.template.clone()
            } else {
                scalar.template.replace('$', "q")
            }
        };
        match self {
            Self::Same(value) => value.clone(),
            Self::Text(scalar) => Json::from(template(scalar)),
            Self::List(items) => items.iter().map(|item| item.with_only(kept)).collect(),
            Self::Map(entries) => {
                let entries = entries.iter();
                entries
                    .map(|(key, value)| (template(key), value.with_only(kept)))
                    .collect()
            }
        }
    }

    /// Returns every string that the substitution may change.
    pub(crate) fn scalars(&self) -> Vec<&Scalar> {
        let mut scalars = Vec::new();
        self.for_each_scalar(&mut |scalar| scalars.push(scalar));
        scalars
    }
}

/// Whether a label or an annotation disables the substitution.
fn is_disabled(decoded: &Json) -> bool {
    ["labels", "annotations"].iter().any(|field| {
        decoded["metadata"][field]["kustomize.toolkit.fluxcd.io/substitute"] == "disabled"
    })
}

struct Builder<'a> {
    flux: &'a mut Flux,
    case: &'a Case,
    is_disabled: bool,
    path: Vec<String>,
}

impl Builder<'_> {
    fn node(&mut self, node: &Json, place: Place, may_embed: bool) -> Ideal {
        match node {
            Json::String(template) => Ideal::Text(self.scalar(template, place, may_embed)),
            Json::Array(items) => {
                let items = items
                    .iter()
                    .enumerate()
                    .map(|(nth, item)| self.below(nth.to_string(), item, Place::Item, may_embed));
                Ideal::List(items.collect())
            }
            Json::Object(entries) => {
                let entries = entries.iter().map(|(key, value)| {
                    let value = self.below(key.clone(), value, Place::Field, may_embed);
                    (self.scalar(key, Place::Key, may_embed), value)
                });
                Ideal::Map(entries.collect())
            }
            other => Ideal::Same(other.clone()),
        }
    }

    fn below(&mut self, step: String, node: &Json, place: Place, may_embed: bool) -> Ideal {
        self.path.push(step);
        let ideal = self.node(node, place, may_embed);
        self.path.pop();
        ideal
    }

    fn scalar(&mut self, template: &str, place: Place, may_embed: bool) -> Scalar {
        let mut text = |line_breaks| {
            if template.contains('$') && !self.is_disabled {
                self.flux.text(
                    template,
                    &self.case.variables,
                    self.case.strict,
                    line_breaks,
                )
            } else {
                Ok(template.to_owned())
            }
        };
        let (text, unfolded) = (text(false), text(true));
        let meant = Meant::of(self.flux, self.case, template, &unfolded);
        let embedded = if place == Place::Key || !may_embed || !template.contains('$') {
            None
        } else {
            embedded(template).map(|decoded| Box::new(self.node(&decoded, Place::Field, false)))
        };
        Scalar {
            path: self.path.clone(),
            place,
            template: template.to_owned(),
            text,
            unfolded,
            meant,
            embedded,
        }
    }
}

/// Returns the only document in a text, if it is a mapping or a list.
pub(crate) fn embedded(text: &str) -> Option<Json> {
    let mut documents = serde_yaml::Deserializer::from_str(text);
    let first = Json::deserialize(documents.next()?).ok()?;
    let is_only = documents.next().is_none();
    (is_only && (first.is_object() || first.is_array())).then_some(first)
}

/// Where an object differs from the ideal.
#[derive(Debug)]
pub(crate) enum Difference<'i> {
    /// A string is something else.
    Value(&'i Scalar, Json),
    /// A key is written differently.
    Key(&'i Scalar, String),
    /// Entries, items or a value without a reference differ at this path.
    Shape(String),
}

impl Difference<'_> {
    /// Returns what differs, and where.
    pub(crate) fn shown(&self) -> String {
        let at = |scalar: &Scalar| format!("{}: {:?}", scalar.path.join("."), scalar.template);
        let text = |scalar: &Scalar| match &scalar.text {
            Ok(text) => format!("{text:?}"),
            Err(error) => format!("an error: {error}"),
        };
        match self {
            Self::Value(scalar, actual) => {
                format!("{} is {actual} instead of {}", at(scalar), text(scalar))
            }
            Self::Key(scalar, actual) => {
                format!(
                    "the key {} is {actual:?} instead of {}",
                    at(scalar),
                    text(scalar)
                )
            }
            Self::Shape(path) => format!("{path}: other entries, items or values"),
        }
    }
}

/// Compares an object with the ideal. `key` returns how else a key may be written.
pub(crate) fn differences<'i>(
    ideal: &'i Ideal,
    actual: &Json,
    key: &mut dyn FnMut(&Scalar) -> Option<String>,
) -> Vec<Difference<'i>> {
    let mut compared = Compared {
        key,
        path: Vec::new(),
        found: Vec::new(),
    };
    compared.node(ideal, actual);
    compared.found
}

struct Compared<'i, 'k> {
    key: &'k mut dyn FnMut(&Scalar) -> Option<String>,
    path: Vec<String>,
    found: Vec<Difference<'i>>,
}

impl<'i> Compared<'i, '_> {
    fn node(&mut self, ideal: &'i Ideal, actual: &Json) {
        match (ideal, actual) {
            (Ideal::Text(scalar), _) => {
                let is_equal = matches!((&scalar.text, actual), (Ok(text), Json::String(actual)) if text == actual);
                if !is_equal {
                    self.found.push(Difference::Value(scalar, actual.clone()));
                }
            }
            (Ideal::List(items), Json::Array(actual)) if items.len() == actual.len() => {
                for (nth, (item, actual)) in items.iter().zip(actual).enumerate() {
                    self.below(nth.to_string(), item, actual);
                }
            }
            (Ideal::Map(entries), Json::Object(actual)) if entries.len() == actual.len() => {
                for (key, value) in entries {
                    let text = key.text.as_deref().ok();
                    if let Some((text, actual)) = text.and_then(|it| Some((it, actual.get(it)?))) {
                        self.below(text.to_owned(), value, actual);
                        continue;
                    }
                    let other = (self.key)(key);
                    match other.and_then(|other| Some((actual.get(&other)?, other))) {
                        Some((actual, other)) => {
                            self.found.push(Difference::Key(key, other.clone()));
                            self.below(other, value, actual);
                        }
                        None => self.shape(),
                    }
                }
            }
            (Ideal::Same(value), _) if value == actual => {}
            _ => self.shape(),
        }
    }

    fn below(&mut self, step: String, ideal: &'i Ideal, actual: &Json) {
        self.path.push(step);
        self.node(ideal, actual);
        self.path.pop();
    }

    fn shape(&mut self) {
        self.found.push(Difference::Shape(self.path.join(".")));
    }
}
