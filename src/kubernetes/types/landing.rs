//! Where a scalar's value lands, at its own place and wherever an alias repeats
//! it, and the one form of the value that all these places take.

use std::borrow::Cow;

use crate::kubernetes::resources::{Field, Occurrence, Occurrences};
use crate::kubernetes::types::conversion::{Mismatch, digits, fit};
use crate::kubernetes::types::{CustomKinds, FieldType, field_type};
use crate::outputs::Value;
use yaml::{NodeEditor, Part};
use yaml::{NodeId, Role, Tree};

/// The types of a document's fields.
pub(crate) struct Landings<'a> {
    tree: &'a Tree,
    custom: &'a CustomKinds<'a>,
}

/// What becomes of a scalar by the type of its field.
pub(crate) enum Landed {
    /// The author's quotes, a tag or the output's type decide: of the field nothing
    /// is known.
    Free,
    /// It fits as it is.
    Fits,
    /// This takes the place of its reference's value.
    Whole(Value),
    /// Its text, values in it, is this number or bool.
    Joined(Value),
}

/// A value that cannot stand at one of its places.
pub(crate) struct Refusal {
    pub(crate) mismatch: Mismatch,
    /// The place.
    pub(crate) field: Field,
    /// The alias that repeats the value there; none: its own place.
    pub(crate) alias: Option<NodeId>,
    /// That place alone would take it, but not together with the others.
    conflict: bool,
    /// It is the text that several parts make.
    pub(crate) joined: bool,
}

impl Refusal {
    /// What to do about it.
    pub(crate) const fn help(&self) -> &'static str {
        match self.conflict {
            true => "repeat the reference instead of using an alias",
            false => self.mismatch.help(),
        }
    }
}

/// A place whose type is known.
struct Landing<'o> {
    takes: FieldType,
    place: &'o Occurrence,
}

impl<'a> Landings<'a> {
    pub(crate) const fn new(tree: &'a Tree, custom: &'a CustomKinds<'a>) -> Self {
        Self { tree, custom }
    }

    pub(crate) const fn tree(&self) -> &'a Tree {
        self.tree
    }

    /// The form of a value that a field which is not there yet takes.
    ///
    /// # Errors
    /// It takes no such value, or takes another form where an alias repeats it.
    pub(crate) fn fitted(
        &self,
        value: &Value,
        occurrences: &Occurrences,
    ) -> Result<Value, Box<Refusal>> {
        let landings = self.of(occurrences);
        let fitted = fit_all(value, &landings, false)?;
        Ok(fitted.unwrap_or_else(|| value.clone()))
    }

    /// The field that takes one value only, where something is to be made inside of it:
    /// `steps` of the field are new.
    pub(crate) fn single(&self, occurrences: &Occurrences, steps: usize) -> Option<Field> {
        occurrences.all().find_map(|place| {
            let field = &place.field;
            let made = field.steps.len().saturating_sub(steps) + 1..field.steps.len();
            made.map(|length| &field.steps[..length])
                .find(|inner| {
                    let takes = field_type(field.resource.as_deref(), inner, self.custom);
                    !matches!(
                        takes,
                        FieldType::Unknown | FieldType::List(_) | FieldType::Object(_)
                    )
                })
                .map(|inner| Field {
                    resource: field.resource.clone(),
                    steps: inner.to_vec(),
                })
        })
    }

    /// Whether the type of a place of this scalar is known.
    pub(crate) fn decide(&self, scalar: &NodeEditor<'_>, occurrences: &Occurrences) -> bool {
        scalar.is_untyped() && !self.of(occurrences).is_empty()
    }

    /// What the places of this scalar make of its values.
    ///
    /// # Errors
    /// One of them takes no such value, or they want different ones.
    pub(crate) fn land(
        &self,
        scalar: &NodeEditor<'_>,
        parts: &[Part<'_, Value>],
        occurrences: &Occurrences,
    ) -> Result<Landed, Box<Refusal>> {
        // The root of an embedded document has the type that the document gives it; the
        // field that holds the document takes the text around it.
        if !scalar.is_untyped() || self.tree[scalar.id].role() == Role::Root {
            return Ok(Landed::Free);
        }
        let landings = self.of(occurrences);
        if landings.is_empty() {
            return Ok(Landed::Free);
        }
        if let Some(value) = scalar.whole_value(parts) {
            let fitted = fit_all(value, &landings, false)?;
            return Ok(fitted.map_or(Landed::Fits, Landed::Whole));
        }
        let is_text =
            |part: &Part<'_, Value>| part.value.is_none_or(|value| value.text().is_some());
        let takes_text = |landing: &Landing<'_>| landing.takes == FieldType::String;
        if landings.iter().all(takes_text) || !parts.iter().all(is_text) {
            return Ok(Landed::Fits);
        }
        let text = Value::String(scalar.text_with(parts));
        let fitted = fit_all(&text, &landings, true)?;
        Ok(fitted.map_or(Landed::Fits, Landed::Joined))
    }

    /// The places of known type: one for each type, the own one first. A scalar may be
    /// repeated a thousand times.
    fn of<'o>(&self, occurrences: &'o Occurrences) -> Vec<Landing<'o>> {
        let mut landings: Vec<Landing<'o>> = Vec::new();
        for place in occurrences.all() {
            let field = &place.field;
            let takes = field_type(field.resource.as_deref(), &field.steps, self.custom);
            let is_known = landings.iter().any(|landing| landing.takes == takes);
            if takes != FieldType::Unknown && !is_known {
                landings.push(Landing { takes, place });
            }
        }
        landings
    }
}

/// The form of the value that all landings take: none when it is the value itself.
fn fit_all(
    value: &Value,
    landings: &[Landing<'_>],
    joined: bool,
) -> Result<Option<Value>, Box<Refusal>> {
    let refusal = |mismatch: Mismatch, landing: &Landing<'_>| {
        let alias = landing.place.alias;
        Box::new(Refusal {
            conflict: alias.is_some() && fit(value, &landing.takes).is_ok(),
            mismatch,
            field: landing.place.field.clone(),
            alias,
            joined,
        })
    };
    // A place that takes a number as well as a string decides nothing.
    let deciding = landings
        .iter()
        .find(|landing| landing.takes != FieldType::Either);
    let fitted = match deciding {
        Some(landing) => fit(value, &landing.takes).map_err(|error| refusal(error, landing))?,
        None if joined => digits(value),
        None => Cow::Borrowed(value),
    };
    for landing in landings {
        match fit(&fitted, &landing.takes) {
            Ok(Cow::Borrowed(_)) => {}
            Ok(Cow::Owned(_)) => {
                let mismatch = Mismatch {
                    inside: Vec::new(),
                    takes: landing.takes.clone(),
                    found: fitted.value_type(),
                };
                return Err(refusal(mismatch, landing));
            }
            Err(error) => return Err(refusal(error, landing)),
        }
    }
    Ok(match fitted {
        Cow::Borrowed(_) => None,
        Cow::Owned(value) => Some(value),
    })
}
