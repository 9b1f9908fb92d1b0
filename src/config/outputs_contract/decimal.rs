//! Compares numbers by their digits, without converting them to floats.

use std::cmp::Ordering;

/// A JSON number (RFC 8259, 6): `0.digits × 10^magnitude`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Decimal {
    negative: bool,
    /// Without leading or trailing zeros; zero is empty.
    digits: String,
    magnitude: i128,
}

impl Decimal {
    /// Parses a JSON number; returns `None` for other text.
    pub(crate) fn read(text: &str) -> Option<Self> {
        let unsigned = text.strip_prefix('-').unwrap_or(text);
        let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, Some(exponent)),
            None => (unsigned, None),
        };
        let (whole, fraction) = match mantissa.split_once('.') {
            Some((whole, fraction)) => (whole, Some(fraction)),
            None => (mantissa, None),
        };
        let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        let is_json = is_digits(whole)
            && fraction.is_none_or(is_digits)
            && exponent.is_none_or(|text| is_digits(text.strip_prefix(['+', '-']).unwrap_or(text)))
            && (whole == "0" || !whole.starts_with('0'));
        if !is_json {
            return None;
        }
        let all_digits = format!("{whole}{}", fraction.unwrap_or_default());
        let digits = all_digits.trim_start_matches('0');
        let zeros = all_digits.len() - digits.len();
        let digits = digits.trim_end_matches('0').to_owned();
        let shift = i128::try_from(whole.len()).ok()? - i128::try_from(zeros).ok()?;
        Some(if digits.is_empty() {
            Self {
                negative: false,
                digits,
                magnitude: 0,
            }
        } else {
            Self {
                negative: text.starts_with('-'),
                digits,
                magnitude: exponent.map_or(0, saturated).saturating_add(shift),
            }
        })
    }

    /// Returns the number without its fraction, and the next integer away from zero. `None`
    /// for large numbers.
    pub(crate) fn around(&self) -> Option<[i64; 2]> {
        // Without floats, which nothing else in the module needs.
        let length = usize::try_from(self.magnitude.max(0)).ok()?;
        if length > 17 {
            return None;
        }
        let digits = self.digits.chars().chain(std::iter::repeat('0'));
        let whole = digits.take(length).fold(0, |whole, digit| {
            whole * 10 + i64::from(digit.to_digit(10).unwrap_or(0))
        });
        Some(if self.negative {
            [-whole, -whole - 1]
        } else {
            [whole, whole + 1]
        })
    }

    /// Returns whether it has no fraction: `3`, `3.0`, `3e2`.
    pub(crate) fn is_integer(&self) -> bool {
        i128::try_from(self.digits.len()).is_ok_and(|digits| digits <= self.magnitude)
            || self.digits.is_empty()
    }
}

/// Parses an exponent, saturating at the largest one.
fn saturated(exponent: &str) -> i128 {
    let most = i128::MAX / 4;
    let least = if exponent.starts_with('-') {
        -most
    } else {
        most
    };
    exponent
        .parse::<i128>()
        .map_or(least, |exponent| exponent.clamp(-most, most))
}

impl Ord for Decimal {
    fn cmp(&self, other: &Self) -> Ordering {
        let sign = |number: &Self| match (number.negative, number.digits.is_empty()) {
            (true, _) => -1,
            (false, true) => 0,
            (false, false) => 1,
        };
        let by_size = || {
            // Without leading zeros, digits compare as strings do.
            (self.magnitude, &self.digits).cmp(&(other.magnitude, &other.digits))
        };
        sign(self).cmp(&sign(other)).then_with(|| {
            if self.negative {
                by_size().reverse()
            } else {
                by_size()
            }
        })
    }
}

impl PartialOrd for Decimal {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_integers_around_a_number() {
        let around = |text: &str| Decimal::read(text).and_then(|number| number.around());
        for (text, expected) in [
            ("1.5", [1, 2]),
            ("-1.5", [-1, -2]),
            ("0", [0, 1]),
            ("0.05", [0, 1]),
            ("12e2", [1200, 1201]),
        ] {
            assert_eq!(around(text), Some(expected), "{text}");
        }
        assert_eq!(around("1e30"), None);
    }

    #[test]
    fn orders_numbers_by_value() {
        let ascending = [
            "-1e999999999999999999999999999999999999999999",
            "-100",
            "-9.5",
            "-9.4",
            "-1e-999999999999999999999999999999999999999999",
            "0",
            "1e-400",
            "0.05",
            "0.5",
            "1",
            "9",
            "9.01",
            "10",
            "9007199254740992",
            "9007199254740993",
            "18446744073709551616",
            "1e400",
            "1.0000000000000000000000000000001e400",
        ];
        for (nth, number) in ascending.iter().enumerate() {
            for (other_nth, other) in ascending.iter().enumerate() {
                let order = Decimal::read(number)
                    .unwrap()
                    .cmp(&Decimal::read(other).unwrap());
                assert_eq!(order, nth.cmp(&other_nth), "{number} and {other}");
            }
        }
    }

    #[test]
    fn equal_numbers_are_equal_however_written() {
        for writings in [
            &["0", "-0", "0.0", "0e7", "-0.000e-9"][..],
            &["100", "1e2", "1.0E+2", "1000e-1", "100.00"],
            &["0.05", "5e-2", "0.050"],
        ] {
            for writing in writings {
                assert_eq!(
                    Decimal::read(writing),
                    Decimal::read(writings[0]),
                    "{writing}"
                );
            }
        }
    }

    #[test]
    fn integers_have_no_fraction() {
        for (text, expected) in [
            ("0", true),
            ("3.0", true),
            ("15e-1", false),
            ("150e-1", true),
            ("1e-400", false),
            ("1e400", true),
        ] {
            assert_eq!(
                Decimal::read(text).unwrap().is_integer(),
                expected,
                "{text}"
            );
        }
    }

    #[test]
    fn rejects_text_that_is_not_a_json_number() {
        for text in [
            "", "-", "+1", "01", ".5", "5.", "1e", "1e+", "0x1", "1_0", "nan", "٣", " 1",
        ] {
            assert_eq!(Decimal::read(text), None, "{text}");
        }
    }
}
