//! Lossless conversions of a value to a field's type.

use std::borrow::Cow;

use crate::kubernetes::resources::FieldStep;
use crate::kubernetes::types::FieldType;
use crate::outputs::{Type, Value};

/// More digits than any 64-bit integer has.
const MAX_DIGITS: usize = 20;

/// A value that a field's type does not allow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Mismatch {
    /// The path from the value to the part that does not fit.
    pub(crate) inside: Vec<FieldStep>,
    pub(crate) takes: FieldType,
    pub(crate) found: Type,
}

/// Returns the value in this type: owned if it was converted.
///
/// Numbers and bools become strings; a string becomes the integer, number or bool whose
/// JSON text it is; a number without a fraction becomes an integer. Members of lists and
/// objects are converted likewise. Null fits everywhere: what it does inside a list or an
/// object is decided by [`null_member`](super::null_members::null_member).
///
/// # Errors
/// A part of the value does not fit.
pub(crate) fn fit<'v>(value: &'v Value, takes: &FieldType) -> Result<Cow<'v, Value>, Mismatch> {
    let mismatch = || Mismatch {
        inside: Vec::new(),
        takes: takes.clone(),
        found: value.value_type(),
    };
    match (takes, value) {
        (FieldType::Unknown, _)
        | (_, Value::Null)
        | (FieldType::String, Value::String(_))
        | (FieldType::Boolean, Value::Bool(_))
        | (FieldType::Either, Value::String(_) | Value::Number(_)) => Ok(Cow::Borrowed(value)),
        (FieldType::String, Value::Number(_) | Value::Bool(_)) => {
            let text = value.text().unwrap_or_default();
            Ok(Cow::Owned(Value::String(text.to_owned())))
        }
        (FieldType::Integer, Value::Number(digits)) => match integer(digits) {
            Some(text) if text == *digits => Ok(Cow::Borrowed(value)),
            Some(text) => Ok(Cow::Owned(Value::Number(text))),
            None => Err(mismatch()),
        },
        (FieldType::Integer, Value::String(text)) => match integer(text) {
            // Only if the number itself would be written the same way.
            Some(digits) if digits == *text => Ok(Cow::Owned(Value::Number(digits))),
            _ => Err(mismatch()),
        },
        (FieldType::Number, Value::Number(_)) => Ok(Cow::Borrowed(value)),
        (FieldType::Number, Value::String(text)) if Number::read(text).is_some() => {
            Ok(Cow::Owned(Value::Number(text.clone())))
        }
        (FieldType::Boolean, Value::String(text)) => match text.as_str() {
            "true" => Ok(Cow::Owned(Value::Bool(true))),
            "false" => Ok(Cow::Owned(Value::Bool(false))),
            _ => Err(mismatch()),
        },
        (FieldType::List(_), Value::List(items)) => {
            let fit_item = |(nth, item)| {
                fit(item, &takes.item()).map_err(|error| error.inside(FieldStep::Index(nth)))
            };
            let fitted: Vec<Cow<'_, Value>> = items
                .iter()
                .enumerate()
                .map(fit_item)
                .collect::<Result<_, _>>()?;
            Ok(if all_borrowed(&fitted) {
                Cow::Borrowed(value)
            } else {
                Cow::Owned(Value::List(
                    fitted.into_iter().map(Cow::into_owned).collect(),
                ))
            })
        }
        (FieldType::Object(_), Value::Object(entries)) => {
            let fitted: Vec<Cow<'_, Value>> = entries
                .iter()
                .map(|(key, value)| {
                    fit(value, &takes.field(&key.name))
                        .map_err(|error| error.inside(FieldStep::Key(key.name.as_str().into())))
                })
                .collect::<Result<_, _>>()?;
            if all_borrowed(&fitted) {
                return Ok(Cow::Borrowed(value));
            }
            let keys = entries.iter().map(|(key, _)| key.clone());
            let values = fitted.into_iter().map(Cow::into_owned);
            Ok(Cow::Owned(Value::Object(keys.zip(values).collect())))
        }
        _ => Err(mismatch()),
    }
}

/// Returns the value of text composed of several parts, if a number or a string is allowed.
/// It has no type of its own, so digits are a number: Kubernetes rejects them as a string
/// for ports and percentages.
pub(crate) fn digits(text: &Value) -> Cow<'_, Value> {
    fit(text, &FieldType::Integer).unwrap_or(Cow::Borrowed(text))
}

fn all_borrowed(values: &[Cow<'_, Value>]) -> bool {
    values.iter().all(|value| matches!(value, Cow::Borrowed(_)))
}

impl Mismatch {
    fn inside(mut self, step: FieldStep) -> Self {
        self.inside.insert(0, step);
        self
    }

    /// Describes what was found, with its article.
    pub(crate) const fn described(&self) -> &'static str {
        match (&self.takes, self.found) {
            (FieldType::Integer, Type::Number) => "a number that is not one",
            (FieldType::Integer | FieldType::Number | FieldType::Boolean, Type::String) => {
                "a string that does not parse as one"
            }
            (_, found) => found.described(),
        }
    }

    /// Returns the help of the diagnostic.
    pub(crate) const fn help(&self) -> &'static str {
        match (&self.takes, self.found) {
            (FieldType::Integer, Type::String) => {
                "a string is only converted if it is an integer, such as \"3\""
            }
            (FieldType::Number, Type::String) => {
                "a string is only converted if it is a number, such as \"0.5\""
            }
            (FieldType::Integer, Type::Number) => "an integer has no fraction and at most 64 bits",
            (FieldType::Boolean, Type::String) => {
                "a string is only converted if it is \"true\" or \"false\""
            }
            (FieldType::String | FieldType::Either, Type::List) => {
                "select one item, such as `[0]`, or join all items: `| join(\",\")`"
            }
            (FieldType::String | FieldType::Either, Type::Object) => {
                "select one of its keys, or convert it to a string: `| json`"
            }
            (FieldType::List(_), Type::String | Type::Number | Type::Bool) => {
                "put brackets around it to make it a list"
            }
            (_, Type::List | Type::Object) => "select one item or key",
            (_, Type::Null) => {
                "Kubernetes would read it as an empty string, 0 or false: publish a value or leave the key out, remove nulls from a list with `| compact`, or set the policy `empty: allow`"
            }
            _ => "bind an output of that type, or convert it in Terraform",
        }
    }
}

/// Returns a JSON number as an integer in its shortest form; `None` if it has a fraction or
/// more than 64 bits, or the text isn't a JSON number.
fn integer(number: &str) -> Option<String> {
    let Number {
        sign,
        whole,
        fraction,
        exponent,
    } = Number::read(number)?;
    let fraction = fraction.trim_end_matches('0');
    let all = format!("{whole}{fraction}");
    let digits = all.trim_start_matches('0');
    if digits.is_empty() {
        return Some("0".to_owned());
    }
    // The number of trailing zeros to add, or of fraction digits.
    let zeros = exponent.checked_sub(i64::try_from(fraction.len()).ok()?)?;
    let text = match usize::try_from(zeros) {
        Ok(zeros) if digits.len().saturating_add(zeros) <= MAX_DIGITS => {
            format!("{sign}{digits}{}", "0".repeat(zeros))
        }
        Ok(_) => return None,
        Err(_) => {
            let dropped = usize::try_from(zeros.unsigned_abs()).ok()?;
            let (kept, fraction) = digits.split_at_checked(digits.len().checked_sub(dropped)?)?;
            if kept.is_empty() || fraction.bytes().any(|b| b != b'0') {
                return None;
            }
            format!("{sign}{kept}")
        }
    };
    text.parse::<i64>().is_ok().then_some(text)
}

/// A JSON number (RFC 8259, 6).
struct Number<'n> {
    sign: &'n str,
    whole: &'n str,
    /// The digits after the point, if any.
    fraction: &'n str,
    exponent: i64,
}

impl<'n> Number<'n> {
    fn read(text: &'n str) -> Option<Self> {
        let unsigned = text.strip_prefix('-').unwrap_or(text);
        let (sign, _) = text.split_at(text.len() - unsigned.len());
        let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, exponent.parse().ok()?),
            None => (unsigned, 0),
        };
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, "0"));
        let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        let is_json =
            is_digits(whole) && is_digits(fraction) && (whole == "0" || !whole.starts_with('0'));
        is_json.then_some(Self {
            sign,
            whole,
            fraction,
            exponent,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_are_integers() {
        for (number, expected) in [
            ("0", Some("0")),
            ("-0", Some("0")),
            ("3", Some("3")),
            ("-17", Some("-17")),
            ("3.0", Some("3")),
            ("10.000", Some("10")),
            ("1e3", Some("1000")),
            ("1.50E+2", Some("150")),
            ("1500e-2", Some("15")),
            ("0e99999", Some("0")),
            ("9223372036854775807", Some("9223372036854775807")),
            ("9223372036854775808", None),
            ("1e19", None),
            ("1e99999999999999999999", None),
            ("1.5", None),
            ("15e-2", None),
            ("1e-400", None),
            ("012", None),
            ("+3", None),
            ("", None),
            ("-", None),
            (".5", None),
            ("3.", None),
            ("3e", None),
            ("3e+2", Some("300")),
            ("3 ", None),
            ("0x1", None),
            ("٣", None),
            ("three", None),
        ] {
            assert_eq!(integer(number).as_deref(), expected, "{number}");
        }
    }
}
