//! The `data` of a Secret holds base64, and the API server refuses anything
//! else: references there say that they are base64, and what comes out is.

use crate::functions::{call_last, is_base64};
use crate::kubernetes::resources::Field;
use crate::outputs::Value;
use crate::reference::{Call, Dialect, Reference};
use crate::report::{Diagnostic, Origin, Rule};
use yaml::Span;

/// A reference in the data of a Secret.
pub(crate) struct Written<'a> {
    pub(crate) reference: &'a Reference,
    pub(crate) value: &'a Value,
    pub(crate) is_sensitive: bool,
    /// It is all that the scalar holds.
    pub(crate) is_whole: bool,
    /// Its bytes.
    pub(crate) span: Span,
    pub(crate) origin: Origin,
    /// A field binding encodes it.
    pub(crate) encoded: bool,
}

/// Everything that is wrong with one scalar of the data: `text` is what it will
/// be; none for a list or an object.
pub(crate) fn validate(
    dialect: &dyn Dialect,
    references: &[Written<'_>],
    text: Option<&str>,
    field: &Field,
) -> Vec<Diagnostic> {
    let plain: Vec<_> = references
        .iter()
        .filter(|written| !written.encoded && !says_base64(written.reference))
        .map(|written| not_encoded(dialect, written, text, field))
        .collect();
    let Some(first) = references.first().filter(|_| plain.is_empty()) else {
        return plain;
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
    written: &Written<'_>,
    text: Option<&str>,
    field: &Field,
) -> Diagnostic {
    let path = written.reference.path.spelled();
    let error = Diagnostic::error(
        Rule::SecretDataNotBase64,
        format!("`data` of a Secret must be base64, but `{path}` is not marked as base64"),
    )
    .at(written.origin, written.span, "")
    .help(dialect.worded("encode it with `| base64`, mark it as already encoded with `| verbatim`, or use `stringData`"));
    let calls = match written.value {
        // What would fit a sensitive value is not reported.
        _ if written.is_sensitive && !written.is_whole => return error,
        _ if written.is_sensitive => &["base64"][..],
        Value::List(_) | Value::Object(_) if field.steps.len() == 2 => &["json", "base64"],
        // Base64 of a part helps nothing.
        value if text.is_some_and(|text| Some(text.trim()) == value.text()) => &["base64"],
        _ => return error,
    };
    let title = format!("add `| {}`", calls.join(" | "));
    let calls: Vec<Call> = calls.iter().map(|name| Call::of(name, &[])).collect();
    match call_last(dialect, (written.reference, written.span), &calls, '"') {
        Some(edits) => error.fix(dialect.worded(&title), written.origin, edits),
        None => error,
    }
}

fn says_base64(reference: &Reference) -> bool {
    matches!(last_call(reference), Some("base64" | "verbatim"))
}

/// The last function that changes the value or says what it is.
fn last_call(reference: &Reference) -> Option<&str> {
    reference
        .calls
        .iter()
        .map(|call| call.function.as_str())
        .rfind(|name| !matches!(*name, "nonsensitive" | "required"))
}
