//! Numbers as every YAML reader reads them.

/// The digits of a JSON number as every YAML reader reads them as a number:
/// PyYAML wants a fraction and a sign with an exponent (`1.0e-07`; it reads
/// `1e-07` as text). That is JSON too.
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

#[cfg(test)]
mod tests {
    use super::number;

    #[test]
    fn numbers() {
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
}
