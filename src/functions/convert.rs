//! Lossless conversions between types.

use crate::functions::text::text;
use crate::functions::{Arguments, Failure};
use crate::outputs::Value;
use yaml::is_number;

pub(crate) fn string(value: &Value, _: &Arguments<'_>) -> Result<Value, Failure> {
    Ok(Value::String(text(value)?.to_owned()))
}

/// Converts to a number. A number keeps its digits; a string must be a JSON number, so that
/// `012345678901` is never read as one.
pub(crate) fn number(value: &Value, _: &Arguments<'_>) -> Result<Value, Failure> {
    const NUMBER: &str = "a JSON number";
    match value {
        Value::Number(_) => Ok(value.clone()),
        Value::String(digits) if is_number(digits) => Ok(Value::Number(digits.clone())),
        Value::String(_) => Err(Failure::Form(NUMBER)),
        _ => Err(Failure::Type("a number or a string")),
    }
}

/// Converts like Terraform's tobool: exactly the words `true` and `false`.
pub(crate) fn bool(value: &Value, _: &Arguments<'_>) -> Result<Value, Failure> {
    match value {
        Value::Bool(_) => Ok(value.clone()),
        Value::String(word) => match word.as_str() {
            "true" => Ok(Value::Bool(true)),
            "false" => Ok(Value::Bool(false)),
            _ => Err(Failure::Form("`true` or `false`")),
        },
        _ => Err(Failure::Type("a bool or a string")),
    }
}

/// Returns the value itself. In the `data` of a Secret it marks the value as base64
/// already.
pub(crate) fn verbatim(value: &Value, _: &Arguments<'_>) -> Result<Value, Failure> {
    Ok(value.clone())
}

#[cfg(test)]
mod tests {
    use super::super::call::check_function as check;

    #[test]
    fn numbers_are_those_of_json() {
        for digits in [
            "0",
            "-0",
            "1.50",
            "1e999",
            "123456789012345678901234567890",
            "1E+5",
        ] {
            check("number", &format!("{digits:?}"), &[], digits);
            check("number", digits, &[], digits);
        }
        for text in [
            "", " 1", "1 ", "+1", "01", "0x1", ".5", "1.", "1e", "1_000", "NaN", "-", "null",
            "\"1\"",
        ] {
            check(
                "number",
                &format!("{text:?}"),
                &[],
                "Form(\"a JSON number\")",
            );
        }
    }

    #[test]
    fn only_true_and_false_are_bools() {
        check("bool", "\"true\"", &[], "true");
        check("bool", "false", &[], "false");
        for word in ["True", "yes", "1", "", " true"] {
            check(
                "bool",
                &format!("{word:?}"),
                &[],
                "Form(\"`true` or `false`\")",
            );
        }
        check("bool", "1", &[], "Type(\"a bool or a string\")");
    }
}
