//! Numbers as every YAML reader reads them.

/// Returns a JSON number in a form that every YAML reader reads as a number: PyYAML
/// requires a fraction and a sign with an exponent (`1.0e-07`; it reads `1e-07` as text).
/// The result is valid JSON too.
#[must_use]
pub fn number(digits: &str) -> String {
    let Some((mantissa, exponent)) = digits.split_once(['e', 'E']) else {
        return digits.to_owned();
    };
    let fraction = if mantissa.contains('.') { "" } else { ".0" };
    let sign = if exponent.starts_with(['+', '-']) {
        ""
    } else {
        "+"
    };
    format!("{mantissa}{fraction}e{sign}{exponent}")
}

/// Returns whether a text is a number as JSON writes it, and nothing else.
///
/// # Examples
/// ```
/// use landfall_yaml::is_number;
///
/// assert!(is_number("-1.50e+3"));
/// assert!(!is_number("0x1f") && !is_number("012") && !is_number("1 "));
/// ```
#[must_use]
pub fn is_number(text: &str) -> bool {
    number_length(text) == Some(text.len())
}

/// Returns the length of the JSON number that a text begins with.
#[must_use]
pub fn number_length(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let skip = |at: usize, any_of: &[u8]| {
        at + usize::from(bytes.get(at).is_some_and(|byte| any_of.contains(byte)))
    };
    let digits = |at: usize| {
        let rest = bytes.get(at..)?;
        let count = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        (count > 0).then_some(at + count)
    };
    let sign = skip(0, b"-");
    let mut end = match bytes.get(sign) {
        Some(b'0') => sign + 1,
        _ => digits(sign)?,
    };
    if bytes.get(end) == Some(&b'.') {
        end = digits(end + 1)?;
    }
    match skip(end, b"eE") {
        exponent if exponent > end => digits(skip(exponent, b"+-")),
        _ => Some(end),
    }
}

#[cfg(test)]
mod tests {
    use super::{is_number, number, number_length};

    #[test]
    fn writes_numbers_that_every_reader_reads_as_numbers() {
        for (digits, expected) in [
            ("1e-07", "1.0e-07"),
            ("1.5E3", "1.5e+3"),
            ("2e+1", "2.0e+1"),
            ("10", "10"),
            ("1.50", "1.50"),
        ] {
            assert_eq!(number(digits), expected);
        }
    }

    #[test]
    fn accepts_only_numbers_of_json() {
        for text in ["0", "-0", "8080", "1.50", "1e-07", "1E5", "-1.5e+300"] {
            assert!(is_number(text), "{text}");
        }
        for text in [
            "", "-", "+1", "01", "1.", ".5", "1e", "1e+", " 1", "1 ", "0x1", "1_000", "é",
        ] {
            assert!(!is_number(text), "{text:?}");
        }
        assert_eq!(number_length("12, 13"), Some(2));
        assert_eq!(number_length("01"), Some(1));
        assert_eq!(number_length("1.x"), None);
    }
}
