//! Converts a scalar's value to the types of its fields: its own and those where an alias
//! repeats it.

use std::borrow::Cow;

use crate::kubernetes::is_in_patch;
use crate::kubernetes::resources::{Field, Occurrence, Occurrences};
use crate::kubernetes::types::conversion::{Mismatch, digits, fit};
use crate::kubernetes::types::existence::{unknown_member, unknown_step};
use crate::kubernetes::types::null_members::null_member;
use crate::kubernetes::types::{CustomKinds, FieldType, UnknownField, field_type};
use crate::outputs::Value;
use yaml::{NodeEditor, Part};
use yaml::{NodeId, Role, Tree};

/// The types of a document's fields.
pub(crate) struct FieldTypes<'a> {
    tree: &'a Tree,
    custom: &'a CustomKinds<'a>,
}

/// The conversion of a scalar to the type of its field.
pub(crate) enum Coercion {
    /// The author's quotes, a tag or the output's type decide, because the field's type is
    /// unknown.
    Free,
    /// The value fits unchanged.
    Fits,
    /// Replaces the value of the reference.
    Whole(Value),
    /// The scalar's text, with its values, becomes this number or bool.
    Joined(Value),
    /// The text in quotes becomes this number or bool without them: its field takes no string.
    Unquoted(Value),
}

/// A value that does not fit one of the fields that it is written to.
pub(crate) struct Refusal {
    pub(crate) mismatch: Mismatch,
    /// The field.
    pub(crate) field: Field,
    /// The alias that repeats the value there; `None` for its own field.
    pub(crate) alias: Option<NodeId>,
    /// The field that requires the value in another form, with its type, if both would
    /// accept it alone.
    pub(crate) conflict: Option<(Field, FieldType)>,
    /// Whether it is text composed of several parts.
    pub(crate) joined: bool,
    /// The member of the value that does not exist.
    pub(crate) unknown: Option<UnknownField>,
}

impl Refusal {
    /// Returns the help of the diagnostic.
    pub(crate) fn help(&self) -> Cow<'static, str> {
        match (&self.unknown, &self.conflict) {
            (Some(unknown), _) => unknown.help().into(),
            (None, Some(_)) => "repeat the reference instead of using an alias".into(),
            (None, None) => self.mismatch.help().into(),
        }
    }
}

/// A position whose type is known.
struct TypedField<'o> {
    takes: FieldType,
    occurrence: &'o Occurrence,
}

impl<'a> FieldTypes<'a> {
    pub(crate) const fn new(tree: &'a Tree, custom: &'a CustomKinds<'a>) -> Self {
        Self { tree, custom }
    }

    pub(crate) const fn tree(&self) -> &'a Tree {
        self.tree
    }

    pub(super) const fn custom(&self) -> &'a CustomKinds<'a> {
        self.custom
    }

    /// Converts a value for a field that does not exist yet.
    ///
    /// # Errors
    /// The field does not accept it, or requires another form where an alias repeats it.
    pub(crate) fn convert_new(
        &self,
        value: &Value,
        occurrences: &Occurrences,
    ) -> Result<Value, Box<Refusal>> {
        let typed_fields = self.typed_fields(occurrences);
        let fitted = fit_all(value, &typed_fields, false)?;
        Ok(fitted.unwrap_or_else(|| value.clone()))
    }

    /// Returns the first field that does not exist, if a path would create it. The last
    /// `steps` steps of the field are new.
    pub(crate) fn unknown_field(
        &self,
        occurrences: &Occurrences,
        steps: usize,
    ) -> Option<(Field, UnknownField)> {
        unknown_step(occurrences, steps, self.custom)
    }

    /// Returns the field that accepts only a single value, if a path would create
    /// something inside it. The last `steps` steps of the field are new.
    pub(crate) fn single_value_field(
        &self,
        occurrences: &Occurrences,
        steps: usize,
    ) -> Option<Field> {
        occurrences.all().find_map(|occurrence| {
            let field = &occurrence.field;
            let new = field.steps.len().saturating_sub(steps) + 1..field.steps.len();
            new.map(|length| field.upto(length)).find(|inner| {
                !matches!(
                    field_type(inner, self.custom),
                    FieldType::Unknown | FieldType::List(_) | FieldType::Object(_)
                )
            })
        })
    }

    /// Returns whether the type of any position of this scalar is known.
    pub(crate) fn has_known_type(
        &self,
        scalar: &NodeEditor<'_>,
        occurrences: &Occurrences,
    ) -> bool {
        scalar.is_untyped() && !self.typed_fields(occurrences).is_empty()
    }

    /// Converts the values of this scalar to the types of its fields.
    ///
    /// # Errors
    /// A field does not accept a value, or the fields require different ones.
    pub(crate) fn coerce(
        &self,
        scalar: &NodeEditor<'_>,
        parts: &[Part<'_, Value>],
        occurrences: &Occurrences,
    ) -> Result<Coercion, Box<Refusal>> {
        // The root of an embedded document has the type that the document gives it; the
        // field that contains the document accepts the text around it.
        if self.tree[scalar.id].role() == Role::Root {
            return Ok(Coercion::Free);
        }
        if scalar.is_quoted() || scalar.is_block() {
            return self.coerce_quoted(scalar, parts, occurrences);
        }
        if !scalar.is_untyped() {
            return Ok(Coercion::Free);
        }
        let typed_fields = self.typed_fields(occurrences);
        if typed_fields.is_empty() {
            return Ok(Coercion::Free);
        }
        if let Some(value) = scalar.whole_value(parts) {
            let fitted = fit_all(value, &typed_fields, false)?;
            return Ok(fitted.map_or(Coercion::Fits, Coercion::Whole));
        }
        let is_text =
            |part: &Part<'_, Value>| part.value.is_none_or(|value| value.text().is_some());
        let takes_text = |typed_field: &TypedField<'_>| typed_field.takes == FieldType::String;
        if typed_fields.iter().all(takes_text) || !parts.iter().all(is_text) {
            return Ok(Coercion::Fits);
        }
        let text = Value::String(scalar.text_with(parts));
        let fitted = fit_all(&text, &typed_fields, true)?;
        Ok(fitted.map_or(Coercion::Fits, Coercion::Joined))
    }

    /// Converts a whole value that is an integer, or its digits, for fields that take numbers as
    /// well as strings: as a program does that drops quotes before it inserts the value.
    pub(crate) fn digits_without_quotes(
        &self,
        scalar: &NodeEditor<'_>,
        parts: &[Part<'_, Value>],
        occurrences: &Occurrences,
    ) -> Option<Coercion> {
        let value = scalar.whole_value(parts)?;
        let typed_fields = self.typed_fields(occurrences);
        let takes_both = |typed: &TypedField<'_>| typed.takes == FieldType::Either;
        if typed_fields.is_empty() || !typed_fields.iter().all(takes_both) {
            return None;
        }
        let number = digits(value).into_owned();
        match (number, scalar.is_quoted()) {
            (number @ Value::Number(_), true) => Some(Coercion::Unquoted(number)),
            (number @ Value::Number(_), false) if scalar.is_untyped() => {
                Some(Coercion::Whole(number))
            }
            _ => None,
        }
    }

    /// Converts the values in quotes or in a block scalar if their field takes no string.
    fn coerce_quoted(
        &self,
        scalar: &NodeEditor<'_>,
        parts: &[Part<'_, Value>],
        occurrences: &Occurrences,
    ) -> Result<Coercion, Box<Refusal>> {
        let is_text =
            |part: &Part<'_, Value>| part.value.is_none_or(|value| value.text().is_some());
        // What is no text is not allowed in quotes at all, which is reported where it is
        // written.
        if !parts.iter().all(is_text) {
            return Ok(Coercion::Free);
        }
        let typed_fields = self.typed_fields(occurrences);
        if !typed_fields.iter().any(|typed| typed.takes.refuses_text()) {
            return Ok(Coercion::Free);
        }
        let fitted = match scalar.whole_value(parts) {
            // Its text is never that of a number or bool.
            _ if scalar.is_block() => Some(Value::String(scalar.text_with(parts))),
            Some(value) => fit_all(value, &typed_fields, false)?.or_else(|| Some(value.clone())),
            None => fit_all(&Value::String(scalar.text_with(parts)), &typed_fields, true)?,
        };
        Ok(fitted.map_or(Coercion::Free, Coercion::Unquoted))
    }

    /// Returns the first null inside a list or an object that a field does not accept. In a
    /// merge patch, null removes something; an operation of a JSON patch writes it.
    pub(crate) fn null_member(
        &self,
        value: &Value,
        occurrences: &Occurrences,
    ) -> Option<Box<Refusal>> {
        if !matches!(value, Value::List(_) | Value::Object(_) | Value::Null) {
            return None;
        }
        let mut typed_fields = self.typed_fields(occurrences).into_iter();
        typed_fields.find_map(|TypedField { takes, occurrence }| {
            let field = &occurrence.field;
            let is_merged = match &field.patch {
                Some(patch) => !patch.is_operation(&field.steps),
                None => is_in_patch(field),
            };
            if is_merged {
                return None;
            }
            Some(Box::new(Refusal {
                mismatch: null_member(value, &takes)?,
                field: occurrence.field.clone(),
                alias: occurrence.alias,
                unknown: None,
                conflict: None,
                joined: false,
            }))
        })
    }

    /// Returns the positions of known type: one for each type, its own first. A scalar may
    /// be repeated a thousand times.
    fn typed_fields<'o>(&self, occurrences: &'o Occurrences) -> Vec<TypedField<'o>> {
        let mut typed_fields: Vec<TypedField<'o>> = Vec::new();
        for occurrence in occurrences.all() {
            let takes = field_type(&occurrence.field, self.custom);
            let is_known = typed_fields
                .iter()
                .any(|typed_field| typed_field.takes == takes);
            if takes != FieldType::Unknown && !is_known {
                typed_fields.push(TypedField { takes, occurrence });
            }
        }
        typed_fields
    }
}

/// Returns the form of the value that all fields accept; `None` if it is the value itself.
fn fit_all(
    value: &Value,
    typed_fields: &[TypedField<'_>],
    joined: bool,
) -> Result<Option<Value>, Box<Refusal>> {
    // A field that accepts a number as well as a string decides nothing.
    let deciding = typed_fields
        .iter()
        .find(|typed_field| typed_field.takes != FieldType::Either);
    let refusal = |mismatch: Mismatch, typed_field: &TypedField<'_>| {
        let alias = typed_field.occurrence.alias;
        let fits_alone = alias.is_some() && fit(value, &typed_field.takes).is_ok();
        let other = if fits_alone { deciding } else { None };
        Box::new(Refusal {
            conflict: other.map(|other| (other.occurrence.field.clone(), other.takes.clone())),
            mismatch,
            field: typed_field.occurrence.field.clone(),
            alias,
            joined,
            unknown: None,
        })
    };
    for typed_field in typed_fields {
        if let Some(unknown) = unknown_member(value, &typed_field.takes) {
            let mismatch = Mismatch {
                inside: Vec::new(),
                takes: typed_field.takes.clone(),
                found: value.value_type(),
            };
            return Err(Box::new(Refusal {
                conflict: None,
                unknown: Some(unknown),
                ..*refusal(mismatch, typed_field)
            }));
        }
    }
    let fitted = match deciding {
        Some(typed_field) => {
            fit(value, &typed_field.takes).map_err(|error| refusal(error, typed_field))?
        }
        None if joined => digits(value),
        None => Cow::Borrowed(value),
    };
    for typed_field in typed_fields {
        match fit(&fitted, &typed_field.takes) {
            Ok(Cow::Borrowed(_)) => {}
            Ok(Cow::Owned(_)) => {
                let mismatch = Mismatch {
                    inside: Vec::new(),
                    takes: typed_field.takes.clone(),
                    found: fitted.value_type(),
                };
                return Err(refusal(mismatch, typed_field));
            }
            Err(error) => return Err(refusal(error, typed_field)),
        }
    }
    Ok(match fitted {
        Cow::Borrowed(_) => None,
        Cow::Owned(value) => Some(value),
    })
}
