//! Numbers whose digits readers may change.

use crate::outputs::Value;

/// The greatest integer up to which a 64-bit float represents every one: 2^53.
const MAX_EXACT: u64 = 1 << 53;

impl Value {
    /// Returns the digits of a number that YAML readers may change, alone or in a
    /// collection: one that does not fit int64, and may exceed the precision of float64.
    pub(crate) fn inexact_digits(&self) -> Option<&str> {
        self.digits(&|digits| digits.parse::<i64>().is_err() && !fits_float(digits))
    }

    /// Returns the digits of the first number with this property, alone or in a collection.
    pub(crate) fn digits(&self, is_wanted: &dyn Fn(&str) -> bool) -> Option<&str> {
        match self {
            Self::Number(digits) => Some(digits.as_str()).filter(|digits| is_wanted(digits)),
            Self::List(items) => items.iter().find_map(|item| item.digits(is_wanted)),
            Self::Object(entries) => entries
                .iter()
                .find_map(|(_, value)| value.digits(is_wanted)),
            Self::Null | Self::Bool(_) | Self::String(_) => None,
        }
    }
}

/// Returns whether a reader that knows only 64-bit floats may change these digits.
pub(crate) fn is_inexact_as_float(digits: &str) -> bool {
    match digits.parse::<i64>() {
        Ok(integer) => integer.unsigned_abs() > MAX_EXACT && !fits_float(digits),
        Err(_) => !fits_float(digits),
    }
}

/// Returns whether `%v` of Go's `fmt` writes these digits with an exponent if they are read as
/// a 64-bit float: `1e+06`, `1e-05` (`strconv`, whose shortest form has none from 1e-4 to 1e6).
pub(crate) fn has_exponent_as_float(digits: &str) -> bool {
    let size = Size::of(digits);
    size.is_some_and(|size| size.digits > 0 && !(-3..=6).contains(&size.magnitude))
}

/// Returns whether a 64-bit float is certain to keep these digits: it has 15 significant
/// digits, and exponents up to 307. Nothing is converted, because code that converts
/// floats exactly is larger than the YAML parser.
fn fits_float(digits: &str) -> bool {
    let size = Size::of(digits);
    size.is_some_and(|size| size.digits <= 15 && (-306..=308).contains(&size.magnitude))
}

/// The size of a decimal number.
struct Size {
    /// How many significant digits it has; 0 for zero.
    digits: usize,
    /// How many digits are before the point: 3 for `123.4`, -1 for `0.01`.
    magnitude: i64,
}

impl Size {
    /// `None` if the exponent is far beyond any float.
    fn of(digits: &str) -> Option<Self> {
        let (mantissa, exponent) = digits.split_once(['e', 'E']).unwrap_or((digits, "0"));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let whole = whole.trim_start_matches(['-', '0']);
        let exponent = exponent.parse::<i16>().ok()?;
        let leading = fraction.len() - fraction.trim_start_matches('0').len();
        let digits = match (whole.is_empty(), fraction.trim_end_matches('0')) {
            (true, fraction) => fraction.len().saturating_sub(leading),
            (false, "") => whole.trim_end_matches('0').len(),
            (false, fraction) => whole.len() + fraction.len(),
        };
        let length = |length: usize| i64::try_from(length).unwrap_or(i64::MAX);
        let magnitude = if whole.is_empty() {
            -length(leading)
        } else {
            length(whole.len())
        };
        let magnitude = magnitude.saturating_add(i64::from(exponent));
        Some(Self { digits, magnitude })
    }
}

#[cfg(test)]
mod tests {
    use super::has_exponent_as_float;

    #[test]
    fn finds_the_numbers_that_go_writes_with_an_exponent() {
        for digits in [
            "1000000",
            "-1048576",
            "8388608",
            "1234567.5",
            "1e6",
            "1E+21",
            "0.00001",
            "1.5e-5",
            "9007199254740993",
            "10000000000000000000000",
        ] {
            assert!(has_exponent_as_float(digits), "{digits}");
        }
        for digits in [
            "0", "-0", "0.0", "0e9", "1", "999999", "999999.5", "0.0001", "1e5", "10e4", "-0.001",
        ] {
            assert!(!has_exponent_as_float(digits), "{digits}");
        }
    }
}
