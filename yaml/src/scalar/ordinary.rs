//! Texts that are written in the same way in every scalar.

use super::plain::{Context, plain_reads_back};

/// The shortest ordinary text: longer than every word that YAML gives another type.
const MIN_ORDINARY: usize = 6;

/// The longest ordinary text: longer than names, ids, ARNs and most URLs. A longer one is
/// not worth a copy for each of its references.
const MAX_ORDINARY: usize = 512;

/// Returns whether `text` is written as it is wherever
/// [`writes_ordinary_texts`](crate::NodeEditor::writes_ordinary_texts) allows any such
/// text: it begins with a letter, continues with ASCII letters, digits and some punctuation,
/// needs no quotes of its own, is part of no number or date, whatever surrounds it, and is
/// not long. Names, ids, ARNs and URLs without a query are such texts.
///
/// # Examples
/// ```
/// use landfall_yaml::is_ordinary;
///
/// assert!(is_ordinary("vpc-0ab1"));
/// assert!(is_ordinary("arn:aws:iam::012345678901:role/web"));
/// assert!(!is_ordinary(&"certificate".repeat(100)));
/// for text in ["", "true", "0.0.0.0", "10-nodes", "ab:cd:", "two words", "it's", "deadbeef"] {
///     assert!(!is_ordinary(text), "{text}");
/// }
/// ```
#[must_use]
pub fn is_ordinary(text: &str) -> bool {
    // Digits of a number, in any base, with its exponent and sign.
    let is_of_number = |b: u8| matches!(b, b'a'..=b'f' | b'A'..=b'F' | b'o' | b'O' | b'x' | b'X');
    let bytes = text.as_bytes();
    let (Some(first), Some(last)) = (bytes.first(), bytes.last()) else {
        return false;
    };
    if !(MIN_ORDINARY..=MAX_ORDINARY).contains(&bytes.len()) {
        return false;
    }
    let mut is_number = true;
    for &byte in bytes {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' => is_number &= is_of_number(byte),
            b'0'..=b'9' | b'-' | b'_' | b'.' | b'/' | b':' | b'@' | b'+' | b'=' | b'~' => {}
            _ => return false,
        }
    }
    let in_flow = Context {
        flow: true,
        json: false,
    };
    first.is_ascii_alphabetic() && *last != b':' && !is_number && plain_reads_back(text, in_flow)
}

#[cfg(test)]
mod tests {
    use super::is_ordinary;

    #[test]
    fn an_ordinary_text_means_itself_whatever_is_around_it() {
        for text in [
            "abcdeg",
            "Team-1",
            "x=~g@b+c",
            "https://a.b/c_d",
            "oxabcdefg",
        ] {
            assert!(is_ordinary(text), "{text}");
        }
        for text in [
            "abcdef", "OxAbc0", "e+1234", "1abcdeg", "-abcdeg", "abcdeg:", "abcd,g", "abcd#g",
            "abcdé",
        ] {
            assert!(!is_ordinary(text), "{text}");
        }
        for (length, expected) in [(0, false), (5, false), (6, true), (512, true), (513, false)] {
            assert_eq!(is_ordinary(&"g".repeat(length)), expected, "{length}");
        }
    }
}
