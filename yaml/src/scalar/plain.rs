//! Determines whether a string needs no quotes: whether every one of go-yaml v2 and v3,
//! sigs.k8s.io/yaml, PyYAML, libyaml, serde_yaml, ruamel.yaml and Node's yaml, the last
//! two as YAML 1.1 and as 1.2, reads that very string.

use std::borrow::Cow;

/// The surroundings of a scalar that matter for quoting.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Context {
    /// Whether it is inside `[…]` or `{…}`.
    pub flow: bool,
    /// Whether the document is JSON, in which every string has quotes.
    pub json: bool,
}

/// Returns whether `text`, written without quotes on one line, reads back as the string
/// `text` in every reader.
///
/// # Examples
/// ```
/// use landfall_yaml::{Context, plain_reads_back};
///
/// let block = Context::default();
/// assert!(plain_reads_back("vpc-0ab1", block));
/// assert!(!plain_reads_back("on", block));
/// assert!(!plain_reads_back("1e3", block));
/// assert!(plain_reads_back("a,b", block));
/// assert!(!plain_reads_back("a,b", Context { flow: true, ..block }));
/// ```
#[must_use]
pub fn plain_reads_back(text: &str, context: Context) -> bool {
    let bytes = text.as_bytes();
    let (Some(&first), Some(&last)) = (bytes.first(), bytes.last()) else {
        return false;
    };
    if context.json || first == b' ' || last == b' ' || last == b':' {
        return false;
    }
    // Alone, or before a space, these are indicators.
    let second_is_space = bytes.get(1).is_none_or(|b| *b == b' ');
    let leading = match first {
        b'-' => second_is_space || is_marker(text, "---"),
        b'?' | b':' => second_is_space || context.flow,
        b'.' => is_marker(text, "..."),
        b',' | b'[' | b']' | b'{' | b'}' | b'#' | b'&' | b'*' | b'!' | b'|' | b'>' | b'\''
        | b'"' | b'%' | b'@' | b'`' => true,
        _ => false,
    };
    if leading || is_word(text) || reads_as_number_or_time(text) {
        return false;
    }
    let mut before = first;
    for &byte in bytes {
        match byte {
            b' ' if before == b':' => return false,
            b'#' if before == b' ' => return false,
            // go-yaml v2 ends a plain scalar at any `?` in flow (scannerc.go,
            // v2.4.0), the others only at a leading one.
            b',' | b'[' | b']' | b'{' | b'}' | b'?' if context.flow => return false,
            b'\t' => return false,
            _ => {}
        }
        before = byte;
    }
    super::single_quotes_can_hold(text)
}

/// Whether `text` would begin or end a document in column 0.
fn is_marker(text: &str, marker: &str) -> bool {
    text.strip_prefix(marker)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
}

/// Whether `text` is a word that YAML 1.1 or 1.2 gives another type, in any case.
fn is_word(text: &str) -> bool {
    const WORDS: &[&str] = &[
        "y", "n", "yes", "no", "on", "off", "true", "false", "null", "~", "=", "<<",
    ];
    const SPECIAL_FLOATS: &[&str] = &[".inf", "+.inf", "-.inf", ".nan"];
    text.len() <= 5
        && [WORDS, SPECIAL_FLOATS]
            .iter()
            .any(|words| words.iter().any(|word| text.eq_ignore_ascii_case(word)))
}

/// Whether some reader reads `text` as a number, a date or a time.
fn reads_as_number_or_time(text: &str) -> bool {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    // Underscores before the digits count only after a sign: `+_3` is 3 in go-yaml, and
    // ruamel.yaml (0.19.1) treats `-_` as an integer and fails on it.
    let first = unsigned.trim_start_matches('_').chars().next();
    let begins_number = match first {
        Some(first) => matches!(first, '0'..='9' | '.' | 'e' | 'E'),
        None => !unsigned.is_empty(),
    };
    if !begins_number || text.starts_with('_') {
        return false;
    }
    // YAML 1.1 allows underscores between digits, go-yaml anywhere.
    let digits: Cow<'_, str> = if unsigned.contains('_') {
        unsigned.replace('_', "").into()
    } else {
        unsigned.into()
    };
    // PyYAML fails on `0x_`, which it treats as a number without digits.
    (unsigned.len() > 2 && is_radix(&digits))
        || is_float(&digits)
        || is_sexagesimal(unsigned)
        || is_date(&digits)
}

/// Whether this is a number with a base: `0x1F`, `0o17`, `0b1`; go-yaml also reads a sign
/// after the base: `0b-1`.
fn is_radix(digits: &str) -> bool {
    let Some(radix) = digits.strip_prefix('0') else {
        return false;
    };
    let Some(number) = radix.strip_prefix(['x', 'X', 'o', 'O', 'b', 'B']) else {
        return false;
    };
    let hexadecimal = |text: &str| text.bytes().all(|b| b.is_ascii_hexdigit());
    match number.strip_prefix(['+', '-']) {
        Some(unsigned) => !unsigned.is_empty() && hexadecimal(unsigned),
        None => hexadecimal(number),
    }
}

/// Whether this is a decimal number: `12`, `1.`, `.5`, `1.5e3`, `1e+3`. Node's yaml
/// (2.9.1) as YAML 1.1 requires no digit before the exponent or beside the point: `e1`,
/// `.`.
fn is_float(digits: &str) -> bool {
    let (mantissa, exponent) = match digits.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (digits, None),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let all_digits = |part: &str| part.bytes().all(|b| b.is_ascii_digit());
    all_digits(whole)
        && all_digits(fraction)
        && exponent.is_none_or(|exponent| {
            let exponent = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
            !exponent.is_empty() && all_digits(exponent)
        })
}

/// Whether this is a number in base 60, as PyYAML reads it in YAML 1.1: `12:30`,
/// `190:20:30.15`; Node's yaml also reads leading zeros: `0:0`.
fn is_sexagesimal(unsigned: &str) -> bool {
    let (whole, fraction) = match unsigned.split_once('.') {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (unsigned, None),
    };
    let mut parts = whole.split(':');
    let first = parts.next().unwrap_or_default();
    let digit_or_line = |b: u8| b.is_ascii_digit() || b == b'_';
    let begins = first.bytes().next().is_some_and(|b| b.is_ascii_digit());
    let is_sixtieth = |part: &str| match part.as_bytes() {
        [one] => one.is_ascii_digit(),
        [ten, one] => matches!(ten, b'0'..=b'5') && one.is_ascii_digit(),
        _ => false,
    };
    begins
        && first.bytes().all(digit_or_line)
        && whole.contains(':')
        && parts.all(is_sixtieth)
        && fraction.is_none_or(|fraction| fraction.bytes().all(digit_or_line))
}

/// Whether `text` begins with a date such as `2024-01-31` or `2024-1-3`, and ends there or
/// continues like a time.
fn is_date(text: &str) -> bool {
    let mut parts = text.splitn(3, '-');
    let (Some(year), Some(month), Some(rest)) = (parts.next(), parts.next(), parts.next()) else {
        return false;
    };
    let all_digits = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    let day = rest.bytes().take_while(u8::is_ascii_digit).count();
    year.len() == 4
        && all_digits(year)
        && month.len() <= 2
        && all_digits(month)
        && matches!(day, 1 | 2)
        && matches!(rest.as_bytes().get(day), None | Some(b'T' | b't' | b' '))
}

#[cfg(test)]
mod tests {
    use super::*;

    const BLOCK: Context = Context {
        flow: false,
        json: false,
    };
    const FLOW: Context = Context {
        flow: true,
        json: false,
    };

    #[test]
    fn ordinary_strings_stay_plain() {
        for text in [
            "vpc-0ab1",
            "arn:aws:iam::012345678901:role/x",
            "https://a.b/c?d=e&f",
            "10.0.0.0/16",
            "10.0.0.1",
            "1.2.3",
            "v1.10",
            "a b",
            "a:b",
            "a#b",
            "-x",
            "--flag=x",
            "é",
            "日本",
            "😀",
            "3d",
            "12abc",
            "0xyz",
            "1-2",
            "a, b",
            "2024",
            "e3x",
            "e",
            "+",
            "+e",
            "_",
            "_1",
            "..",
            "0b-x",
            "00:60",
            "x=1",
            ".hidden",
            "-.x",
            "1.2.3.4:80",
            "0x",
            "ya",
            "nope",
        ] {
            let expected = text != "2024";
            assert_eq!(plain_reads_back(text, BLOCK), expected, "{text}");
        }
    }

    #[test]
    fn quotes_what_some_reader_reads_differently() {
        for text in [
            "",
            " a",
            "a ",
            "y",
            "N",
            "yes",
            "On",
            "TRUE",
            "null",
            "~",
            "=",
            "<<",
            "-",
            "- a",
            "?",
            "? a",
            ":",
            ": a",
            "a: b",
            "a:",
            "a #b",
            "#",
            "&a",
            "*a",
            "!a",
            "|",
            ">",
            "'",
            "\"",
            "%",
            "@",
            "`",
            "[",
            "]",
            "{",
            "}",
            ",",
            "---",
            "--- a",
            "...",
            "012345678901",
            "0",
            "-1",
            "+1",
            "1_000",
            "0x1F",
            "0o17",
            "0b1",
            "-0x1",
            "1.10",
            "1.",
            ".5",
            "0b-1",
            "0b+11",
            "0o-7",
            "0_b-1",
            "e1",
            "E-07",
            "-e1",
            ".e1",
            ".",
            "-.",
            "._",
            "._1",
            "-_",
            "+__",
            "0:0",
            "00:30",
            "1e3",
            "1E+3",
            "1.5e-7",
            "12:30",
            "190:20:30.15",
            "2024-01-31",
            "2024-1-3",
            "2024-01-31T12:00:00Z",
            "2001-12-14t21:59:43.10-05:00",
            "2024-01-31 12:00:00",
            ".inf",
            "-.INF",
            ".NaN",
            "a\tb",
            "a\nb",
            "a\u{85}b",
            "a\u{2028}b",
            "\u{feff}a",
            "a\u{7f}",
        ] {
            assert!(!plain_reads_back(text, BLOCK), "{text:?}");
        }
    }

    #[test]
    fn flow_has_more_indicators() {
        for text in [
            "a,b",
            "a[b",
            "a]b",
            "a{b",
            "a}b",
            "?a",
            ":a",
            "https://a/b?c",
        ] {
            assert!(!plain_reads_back(text, FLOW), "{text:?}");
        }
        assert!(plain_reads_back("https://a/b", FLOW));
    }

    #[test]
    fn quotes_every_string_in_json() {
        assert!(!plain_reads_back(
            "a",
            Context {
                flow: true,
                json: true
            }
        ));
    }
}
