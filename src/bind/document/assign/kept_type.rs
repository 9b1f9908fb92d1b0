//! The type of a field of unknown type: a field binding keeps that of the plain number or
//! boolean that it replaces, as kustomize's replacements do.

use crate::outputs::Value;
use yaml::NodeEditor;

/// Returns the value as a number or boolean if the scalar is one and the value's text is
/// canonical for that type, otherwise unchanged. `08` and `1.20` stay strings: as numbers
/// they would be 8 and 1.2.
pub(crate) fn with_kept_type(scalar: &NodeEditor<'_>, value: Value) -> Value {
    let (Value::String(new), Some(old)) = (&value, scalar.tree.text(scalar.id)) else {
        return value;
    };
    if !scalar.is_plain() {
        return value;
    }
    let unsigned = old.strip_prefix(['-', '+']).unwrap_or(old);
    let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let is_float = |text: &str| {
        let parts = text.split_once('.');
        parts.is_some_and(|(whole, fraction)| is_digits(whole) && is_digits(fraction))
    };
    match old {
        "true" | "false" | "True" | "False" | "TRUE" | "FALSE" => match new.as_str() {
            "true" => Value::Bool(true),
            "false" => Value::Bool(false),
            _ => value,
        },
        _ if is_digits(unsigned) && is_integer(new) => Value::Number(new.clone()),
        _ if is_float(unsigned) && (is_integer(new) || is_decimal(new)) => {
            Value::Number(new.clone())
        }
        _ => value,
    }
}

/// Returns whether a text is an integer in canonical form.
fn is_integer(text: &str) -> bool {
    let unsigned = text.strip_prefix('-').unwrap_or(text);
    text == "0"
        || (unsigned.bytes().all(|b| b.is_ascii_digit())
            && unsigned.starts_with(|c: char| matches!(c, '1'..='9')))
}

/// Returns whether a text is a decimal fraction in canonical form.
fn is_decimal(text: &str) -> bool {
    let unsigned = text.strip_prefix('-').unwrap_or(text);
    unsigned.split_once('.').is_some_and(|(whole, fraction)| {
        is_integer(whole)
            && !whole.starts_with('-')
            && fraction.bytes().all(|b| b.is_ascii_digit())
            && fraction.ends_with(|c: char| matches!(c, '1'..='9'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recognises_canonical_numbers() {
        for text in ["0", "7", "-7", "10", "123456789012"] {
            assert!(is_integer(text), "{text}");
        }
        for text in [
            "", "-", "-0", "00", "08", "+7", "1_0", "0x1", " 1", "1.0", "٣",
        ] {
            assert!(!is_integer(text), "{text}");
        }
        for text in ["0.5", "-0.5", "10.25"] {
            assert!(is_decimal(text), "{text}");
        }
        for text in ["1.0", ".5", "5.", "1.20", "01.5", "1.5.1", "--1.5", "1e5"] {
            assert!(!is_decimal(text), "{text}");
        }
    }
}
