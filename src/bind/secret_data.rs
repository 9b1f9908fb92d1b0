//! Validates the `data` of a Secret, for which the API server accepts only base64:
//! references there must declare that they are base64, and the result must be base64.

use crate::functions::{call_last, is_base64};
use crate::kubernetes::resources::Field;
use crate::outputs::Value;
use crate::reference::{Call, Dialect, Reference};
use crate::report::{Diagnostic, Origin, Rule};
use yaml::Span;

/// A reference in the data of a Secret.
pub(crate) struct PlacedReference<'a> {
    pub(crate) reference: &'a Reference,
    pub(crate) value: &'a Value,
    pub(crate) is_sensitive: bool,
    /// Whether it is the whole scalar.
    pub(crate) is_whole: bool,
    /// Its bytes.
    pub(crate) span: Span,
    pub(crate) origin: Origin,
    /// Whether a field binding encodes it.
    pub(crate) encoded: bool,
}

/// Returns all problems of one scalar in the data. `text` is its result, `None` for a
/// list or an object.
pub(crate) fn validate(
    dialect: &dyn Dialect,
    references: &[PlacedReference<'_>],
    text: Option<&str>,
    field: &Field,
) -> Vec<Diagnostic> {
    let declares_none = dialect.notation().data_is_encoded;
    let is_declared =
        |placed: &&PlacedReference<'_>| placed.encoded || declares_base64(placed.reference);
    let not_encoded_errors: Vec<_> = references
        .iter()
        .filter(|placed| !declares_none && !is_declared(placed))
        .map(|placed| not_encoded(dialect, placed, text, field))
        .collect();
    if !not_encoded_errors.is_empty() {
        return not_encoded_errors;
    }
    let Some(first) = references.first() else {
        return Vec::new();
    };
    let fits = match (text, first.value) {
        (Some(text), _) => is_base64(text),
        (None, Value::Object(entries)) if field.steps.len() == 1 => entries
            .iter()
            .all(|(_, value)| matches!(value, Value::String(text) if is_base64(text))),
        (None, _) => false,
    };
    if fits {
        return Vec::new();
    }
    let help = match references {
        _ if declares_none => {
            "the dialect has no function for base64: move the key to `stringData`, or publish the output encoded"
        }
        [one] if last_call(one.reference) == Some("verbatim") => {
            "`verbatim` is for values that are already base64: encode others with `base64`"
        }
        _ => {
            "concatenated base64 is rarely valid base64: use one reference for the whole value, or `stringData`"
        }
    };
    let error = Diagnostic::error(
        Rule::SecretDataNotBase64,
        "`data` of a Secret must be base64, but the result is not valid base64",
    );
    vec![error.at(first.origin, first.span, "").help(help)]
}

fn not_encoded(
    dialect: &dyn Dialect,
    placed: &PlacedReference<'_>,
    text: Option<&str>,
    field: &Field,
) -> Diagnostic {
    let path = placed.reference.path.display();
    let error = Diagnostic::error(
        Rule::SecretDataNotBase64,
        format!("`data` of a Secret must be base64, but `{path}` is not marked as base64"),
    )
    .at(placed.origin, placed.span, "")
    .help(dialect.translate_calls("encode it with `| base64`, mark it as already encoded with `| verbatim`, or use `stringData`"));
    let calls = match placed.value {
        // What would fit a sensitive value is not reported.
        _ if placed.is_sensitive && !placed.is_whole => return error,
        _ if placed.is_sensitive => &["base64"][..],
        Value::List(_) | Value::Object(_) if field.steps.len() == 2 => &["json", "base64"],
        // Encoding only a part would not help.
        value if text.is_some_and(|text| Some(text.trim()) == value.text()) => &["base64"],
        _ => return error,
    };
    let title = format!("add `| {}`", calls.join(" | "));
    let calls: Vec<Call> = calls.iter().map(|name| Call::new(name, &[])).collect();
    match call_last(dialect, placed.reference, placed.span, &calls, '"') {
        Some(edits) => error.fix(dialect.translate_calls(&title), placed.origin, edits),
        None => error,
    }
}

/// Returns whether a reference must be base64 where it is in the data of a Secret.
pub(crate) fn is_base64_in_data(dialect: &dyn Dialect, reference: &Reference) -> bool {
    dialect.notation().data_is_encoded || declares_base64(reference)
}

fn declares_base64(reference: &Reference) -> bool {
    matches!(last_call(reference), Some("base64" | "verbatim"))
}

/// Returns the last function that changes the value or declares its encoding.
fn last_call(reference: &Reference) -> Option<&str> {
    reference
        .calls
        .iter()
        .map(|call| call.function.as_str())
        .rfind(|name| !matches!(*name, "nonsensitive" | "required"))
}
