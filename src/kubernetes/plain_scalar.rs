//! Plain scalars as the YAML reader of Kubernetes and Argo CD resolves them: go-yaml 2.4.4,
//! `resolve.go`, which sigs.k8s.io/yaml 1.6.0 uses. That is YAML 1.1 without numbers in base 60; timestamps are
//! strings in JSON.

use std::borrow::Cow;

/// What a plain scalar is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum PlainScalar {
    Null,
    Bool(bool),
    /// Its decimal digits.
    Integer(String),
    /// As written, without `_`. [`float_digits`] has its value.
    Float(String),
    String,
    /// `.inf` and `.nan`.
    NotJson,
}

/// Returns what a plain scalar is.
pub(crate) fn resolve(text: &str) -> PlainScalar {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return PlainScalar::Null,
        "y" | "Y" | "yes" | "Yes" | "YES" | "true" | "True" | "TRUE" | "on" | "On" | "ON" => {
            return PlainScalar::Bool(true);
        }
        "n" | "N" | "no" | "No" | "NO" | "false" | "False" | "FALSE" | "off" | "Off" | "OFF" => {
            return PlainScalar::Bool(false);
        }
        ".nan" | ".NaN" | ".NAN" | ".inf" | ".Inf" | ".INF" | "+.inf" | "+.Inf" | "+.INF"
        | "-.inf" | "-.Inf" | "-.INF" => return PlainScalar::NotJson,
        _ => {}
    }
    match text.as_bytes().first() {
        Some(b'0'..=b'9' | b'+' | b'-') if !is_timestamp(text) => {
            let plain = text.replace('_', "");
            match integer(&plain) {
                Some(digits) => PlainScalar::Integer(digits),
                None if decimal(&plain).is_some() => PlainScalar::Float(plain),
                None => PlainScalar::String,
            }
        }
        Some(b'.') if decimal(text).is_some() => PlainScalar::Float(text.to_owned()),
        _ => PlainScalar::String,
    }
}

/// Returns the key of a JSON object that a plain key becomes: `yes` is `true`, `0x1` is `1`, and
/// `1.50` is `1.5`. A fraction that JSON writes with an exponent or rounds is its own text: what
/// converts floats would be a tenth of a module without `expand`.
pub(crate) fn json_key(text: &str) -> Cow<'_, str> {
    match resolve(text) {
        PlainScalar::Bool(value) => Cow::Borrowed(if value { "true" } else { "false" }),
        PlainScalar::Integer(digits) => Cow::Owned(digits),
        PlainScalar::Float(written) => match decimal(&written) {
            Some(number) => number.plain().map_or(Cow::Borrowed(text), Cow::Owned),
            None => Cow::Borrowed(text),
        },
        PlainScalar::Null | PlainScalar::String | PlainScalar::NotJson => Cow::Borrowed(text),
    }
}

/// Returns the decimal digits of an integer of 64 bits (`strconv.ParseInt` with base 0).
fn integer(text: &str) -> Option<String> {
    let (sign, digits) = match text.as_bytes().first()? {
        b'-' => ("-", &text[1..]),
        b'+' => ("", &text[1..]),
        _ => ("", text),
    };
    let (radix, digits) = match digits.get(..2) {
        Some("0x" | "0X") => (16, &digits[2..]),
        Some("0o" | "0O") => (8, &digits[2..]),
        Some("0b" | "0B") => (2, &digits[2..]),
        _ if digits.len() > 1 && digits.starts_with('0') => (8, &digits[1..]),
        _ => (10, digits),
    };
    if digits.starts_with(['+', '-']) {
        return None;
    }
    let value = u64::from_str_radix(digits, radix).ok()?;
    match sign {
        "-" if value > 1 << 63 => None,
        "-" if value == 0 => Some("0".to_owned()),
        _ => Some(format!("{sign}{value}")),
    }
}

/// A decimal fraction: `-1.50e3`.
struct Decimal<'text> {
    is_negative: bool,
    whole: &'text str,
    fraction: &'text str,
    exponent: Option<&'text str>,
}

/// Returns the parts of a decimal fraction: `^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$`.
fn decimal(text: &str) -> Option<Decimal<'_>> {
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    let (mantissa, exponent) = match unsigned.find(['e', 'E']) {
        Some(at) => (&unsigned[..at], Some(&unsigned[at + 1..])),
        None => (unsigned, None),
    };
    let are_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let has_digits = !whole.is_empty() || !fraction.is_empty();
    if !has_digits || !are_digits(whole) || !are_digits(fraction) {
        return None;
    }
    if let Some(exponent) = exponent {
        let digits = exponent.strip_prefix(['-', '+']).unwrap_or(exponent);
        if digits.is_empty() || !are_digits(digits) {
            return None;
        }
    }
    Some(Decimal {
        is_negative: text.starts_with('-'),
        whole,
        fraction,
        exponent,
    })
}

impl Decimal<'_> {
    /// Returns the digits as JSON writes them, of a number that it writes without an exponent
    /// and that a float has exactly as written.
    fn plain(&self) -> Option<String> {
        /// Every decimal of so many digits is the shortest text of its float of 64 bits.
        const MAX_DIGITS: usize = 15;
        let whole = self.whole.trim_start_matches('0');
        let fraction = self.fraction.trim_end_matches('0');
        let is_small = whole.is_empty() && fraction.starts_with("000000");
        if self.exponent.is_some() || is_small || whole.len() + fraction.len() > MAX_DIGITS {
            return None;
        }
        let sign = if self.is_negative { "-" } else { "" };
        let whole = if whole.is_empty() { "0" } else { whole };
        let point = if fraction.is_empty() { "" } else { "." };
        Some(format!("{sign}{whole}{point}{fraction}"))
    }
}

/// Returns the digits of a [`PlainScalar::Float`] as JSON writes them; `None` if it is too large
/// and is a string.
pub(crate) fn float_digits(written: &str) -> Option<String> {
    let value: f64 = written.parse().ok()?;
    value.is_finite().then(|| json_float(value))
}

/// Writes a number as Go's `encoding/json` does: with an exponent below 1e-6 and from 1e21.
pub(crate) fn json_float(value: f64) -> String {
    let size = value.abs();
    if size != 0.0 && !(1e-6..1e21).contains(&size) {
        exponential(value, 1)
    } else {
        format!("{value}")
    }
}

/// Writes a number as `%v` of Go's `fmt` does: with an exponent below 1e-4 and from 1e6.
pub(crate) fn printed_float(value: f64) -> String {
    let size = value.abs();
    if size != 0.0 && !(1e-4..1e6).contains(&size) {
        exponential(value, 2)
    } else {
        format!("{value}")
    }
}

/// Writes a number with an exponent of at least this many digits: `1.5e+21`.
fn exponential(value: f64, digits: usize) -> String {
    let written = format!("{value:e}");
    let (mantissa, exponent) = written.split_once('e').unwrap_or((&written, "0"));
    let (sign, exponent) = match exponent.strip_prefix('-') {
        Some(exponent) => ('-', exponent),
        None => ('+', exponent),
    };
    format!("{mantissa}e{sign}{exponent:0>digits$}")
}

/// Returns whether go-yaml reads a scalar as a timestamp: a date, or a date and a time.
fn is_timestamp(text: &str) -> bool {
    let mut parts = text.splitn(3, '-');
    let (Some(year), Some(month), Some(rest)) = (parts.next(), parts.next(), parts.next()) else {
        return false;
    };
    let are_digits =
        |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let day: String = rest.chars().take_while(char::is_ascii_digit).collect();
    year.len() == 4 && are_digits(year) && are_digits(month) && !day.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn resolves_plain_scalars_as_yaml_1_1() {
        let integer = |digits: &str| PlainScalar::Integer(digits.to_owned());
        let float = |written: &str| PlainScalar::Float(written.to_owned());
        for (text, expected) in [
            ("", PlainScalar::Null),
            ("~", PlainScalar::Null),
            ("on", PlainScalar::Bool(true)),
            ("No", PlainScalar::Bool(false)),
            ("y", PlainScalar::Bool(true)),
            ("oN", PlainScalar::String),
            ("8080", integer("8080")),
            ("+1", integer("1")),
            ("-0", integer("0")),
            ("0123", integer("83")),
            ("0o17", integer("15")),
            ("0x1F", integer("31")),
            ("0b11", integer("3")),
            ("1_000", integer("1000")),
            ("089", float("089")),
            ("1_0.50", float("10.50")),
            (".5", float(".5")),
            ("1.", float("1.")),
            ("1e3", float("1e3")),
            ("18446744073709551615", integer("18446744073709551615")),
            ("18446744073709551616", float("18446744073709551616")),
            ("2024-01-31", PlainScalar::String),
            ("12:30", PlainScalar::String),
            ("1.2.3", PlainScalar::String),
            ("v1", PlainScalar::String),
            ("-", PlainScalar::String),
            (".", PlainScalar::String),
            ("+-1", PlainScalar::String),
            ("--1", PlainScalar::String),
            (".inf", PlainScalar::NotJson),
            ("<<", PlainScalar::String),
        ] {
            assert_eq!(resolve(text), expected, "{text}");
        }
    }

    #[test]
    fn writes_floats_and_keys_as_json() {
        for (written, float, key) in [
            ("089", "89", "89"),
            ("1.50", "1.5", "1.5"),
            ("-01.0", "-1", "-1"),
            (".5", "0.5", "0.5"),
            ("1.", "1", "1"),
            ("0.0000010", "0.000001", "0.000001"),
            ("0.00000010", "1e-7", "0.00000010"),
            ("1e3", "1000", "1e3"),
            ("1e21", "1e+21", "1e21"),
            (
                "18446744073709551616",
                "18446744073709552000",
                "18446744073709551616",
            ),
        ] {
            assert_eq!(float_digits(written).as_deref(), Some(float), "{written}");
            assert_eq!(json_key(written), key, "{written}");
        }
        assert_eq!(float_digits("1e999"), None);
        assert_eq!(json_key("-0.0"), "-0");
        assert_eq!(json_key("No"), "false");
        assert_eq!(json_key("0x1"), "1");
    }

    #[test]
    fn prints_numbers_as_go_does() {
        for (value, expected) in [
            (8080.0, "8080"),
            (100_000.0, "100000"),
            (1_000_000.0, "1e+06"),
            (1_234_567.0, "1.234567e+06"),
            (0.5, "0.5"),
            (0.0001, "0.0001"),
            (0.00001, "1e-05"),
            (-1.25, "-1.25"),
            (1e21, "1e+21"),
            (1.5e300, "1.5e+300"),
        ] {
            assert_eq!(printed_float(value), expected);
        }
    }
}
