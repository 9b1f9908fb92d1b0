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

    /// Returns whether a reader that knows only 64-bit floats may change a number, alone or
    /// in a collection.
    pub(crate) fn has_number_inexact_as_float(&self) -> bool {
        self.digits(&is_inexact_as_float).is_some()
    }

    /// Returns the first number with this property.
    fn digits(&self, is_wanted: &dyn Fn(&str) -> bool) -> Option<&str> {
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

/// Returns whether a 64-bit float is certain to keep these digits: it has 15 significant
/// digits, and exponents up to 307. Nothing is converted, because code that converts
/// floats exactly is larger than the YAML parser.
fn fits_float(digits: &str) -> bool {
    let (mantissa, exponent) = digits.split_once(['e', 'E']).unwrap_or((digits, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let whole = whole.trim_start_matches(['-', '0']);
    let Ok(exponent) = exponent.parse::<i16>() else {
        return false;
    };
    let leading = fraction.len() - fraction.trim_start_matches('0').len();
    let digits = match (whole.is_empty(), fraction.trim_end_matches('0')) {
        (true, fraction) => fraction.len().saturating_sub(leading),
        (false, "") => whole.trim_end_matches('0').len(),
        (false, fraction) => whole.len() + fraction.len(),
    };
    let length = |length: usize| i64::try_from(length).unwrap_or(i64::MAX);
    let magnitude = match whole.is_empty() {
        true => -length(leading),
        false => length(whole.len()),
    };
    let magnitude = magnitude.saturating_add(i64::from(exponent));
    digits <= 15 && (-306..=308).contains(&magnitude)
}
