//! Why landfall reports an error.

use std::collections::BTreeSet;

use landfall::{Diagnostic, Rule as Broken};

use crate::ideal::{Ideal, Scalar};
use crate::rules::Rule;

/// Checks that landfall had a reason for each of its errors: Flux's own function fails on a
/// text as well, or the reason is one that only landfall has. Returns the rules of the errors.
///
/// # Errors
/// An error without a known reason.
pub(crate) fn explain(ideal: &Ideal, errors: &[Diagnostic]) -> Result<BTreeSet<Rule>, String> {
    let fails = ideal.scalars().iter().any(|scalar| scalar.text.is_err());
    let errors = errors.iter().map(|error| {
        let has_reason = match error.rule {
            Broken::InvalidReference
            | Broken::UnterminatedReference
            | Broken::InvalidArgument
            | Broken::UnknownOutput => fails,
            Broken::FieldTypeMismatch => (ideal.scalars().iter())
                .any(|scalar| is_at(scalar, error) && !is_typed(scalar, &error.message)),
            Broken::DocumentIsNotYaml => ideal.scalars().iter().any(|scalar| {
                let name = scalar.path.last().map_or("", String::as_str);
                name.ends_with(".yaml") && scalar.embedded.is_none()
            }),
            Broken::DuplicateKey => has_equal_keys(ideal),
            // What the API server makes of a value is not known here: the corpora of the
            // unit tests hold that real text is not refused.
            Broken::RefusedValue => true,
            Broken::EncryptedDocument => {
                matches!(ideal, Ideal::Map(entries) if entries.iter().any(|(key, _)| key.template == "sops"))
            }
            _ => false,
        };
        if has_reason {
            Ok(Rule::Refused(error.rule))
        } else {
            Err(format!("landfall refuses: {}: {}", error.rule.id(), error.message))
        }
    });
    errors.collect()
}

/// Whether the field of the error is the scalar's.
fn is_at(scalar: &Scalar, error: &Diagnostic) -> bool {
    let field = error.field.as_deref().unwrap_or_default();
    let segment = field.rsplit(['.', '[']).next().unwrap_or_default();
    let last = segment.trim_end_matches(']');
    !last.is_empty() && scalar.path.last().is_some_and(|step| step == last)
}

/// Whether the text is of the type that the message says the field has.
fn is_typed(scalar: &Scalar, message: &str) -> bool {
    let text = scalar.unfolded.as_deref().unwrap_or_default();
    if message.contains("expects a boolean") {
        ["true", "false"].contains(&text)
    } else {
        text.parse::<i64>()
            .is_ok_and(|number| number.to_string() == text)
    }
}

fn has_equal_keys(ideal: &Ideal) -> bool {
    match ideal {
        Ideal::Same(_) | Ideal::Text(_) => false,
        Ideal::List(items) => items.iter().any(has_equal_keys),
        Ideal::Map(entries) => {
            let keys: BTreeSet<_> = entries.iter().map(|(key, _)| &key.unfolded).collect();
            keys.len() < entries.len() || entries.iter().any(|(_, value)| has_equal_keys(value))
        }
    }
}
