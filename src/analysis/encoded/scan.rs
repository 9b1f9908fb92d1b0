//! Base64 that encodes a head, found in raw text without decoding it.
//!
//! The first two bytes of a head, `${`, have three forms in base64, one for each position
//! in a group of three bytes. Each fixes all or most of three characters, so comparing
//! every three characters is enough; bytes are decoded only where they match.

use crate::reference::{Dialect, opening_at};

/// How many bytes of a head are decoded: its opener, blanks, a name and what follows it.
const MAX_HEAD: usize = 512;

/// Not a base64 character.
const NONE: u8 = 0xff;
/// A blank: encoders wrap long lines.
const BLANK: u8 = 0xfe;
/// A backslash: in double quotes, as in all of JSON, blanks and letters may be escapes.
const ESCAPE: u8 = 0xfd;

/// The six bits of every base64 character.
const SEXTETS: [u8; 256] = {
    let mut table = [NONE; 256];
    let alphabet = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut value = 0;
    while value < 64 {
        table[alphabet[value as usize] as usize] = value;
        value += 1;
    }
    table[b'\\' as usize] = ESCAPE;
    table[b' ' as usize] = BLANK;
    table[b'\t' as usize] = BLANK;
    table[b'\r' as usize] = BLANK;
    table[b'\n' as usize] = BLANK;
    table
};

/// Returns the bytes of `text` at which base64 may encode a head whose name `is_wanted`.
/// Whether the text is base64 at all, and where its groups begin, is left to a decoder.
pub(crate) fn encoded_heads(
    text: &str,
    dialect: &dyn Dialect,
    is_wanted: &dyn Fn(Option<&[u8]>) -> bool,
) -> Vec<usize> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let Some(forms) = forms(dialect.notation().opener) else {
        return found;
    };
    if !may_hold(bytes, &forms) {
        return found;
    }
    // The last two sextets with their positions.
    let (mut first, mut second) = ((NONE, 0), (NONE, 0));
    for (at, third) in sextets(bytes) {
        if third == BLANK {
            continue;
        }
        if let Some(skipped) = skipped_bits(&forms, [first.0, second.0, third]) {
            let head = decoded(&bytes[first.1..], skipped);
            if opening_at(dialect, &head, 0).is_some_and(|found| is_wanted(found.binding(&head))) {
                found.push(first.1);
            }
        }
        (first, second) = (second, (third, at));
    }
    found
}

/// Whether a scan can find anything. The second of the three characters is one of
/// three, whatever precedes the head, unless it is written as an escape.
fn may_hold(bytes: &[u8], forms: &[Form; 3]) -> bool {
    let sextet = |byte: &u8| match SEXTETS[usize::from(*byte)] {
        BLANK => None,
        sextet => Some(sextet),
    };
    let is_head = |at: usize| {
        let before = bytes[..at].iter().rev().find_map(sextet);
        let after = bytes[at + 1..].iter().find_map(sextet);
        let (Some(first), Some(third)) = (before, after) else {
            return false;
        };
        skipped_bits(forms, [first, SEXTETS[usize::from(bytes[at])], third]).is_some()
    };
    let [a, b, c] = forms.each_ref().map(|form| form.character);
    memchr::memchr(b'\\', bytes).is_some() || memchr::memchr3_iter(a, b, c, bytes).any(is_head)
}

/// Returns the position of every character of `bytes`, and its sextet, `NONE` or `BLANK`.
fn sextets(bytes: &[u8]) -> impl Iterator<Item = (usize, u8)> + '_ {
    let mut at = 0;
    std::iter::from_fn(move || {
        let start = at;
        let sextet = SEXTETS[usize::from(*bytes.get(start)?)];
        let (sextet, length) = match sextet {
            ESCAPE => escaped(&bytes[start + 1..]),
            sextet => (sextet, 1),
        };
        at += length;
        Some((start, sextet))
    })
}

/// Returns the sextet of an escape in double quotes, and its length in bytes; `rest`
/// follows the backslash. Outside double quotes there are no escapes, and no base64 with
/// backslashes.
fn escaped(rest: &[u8]) -> (u8, usize) {
    let digits = match rest.first() {
        Some(b'n' | b'r' | b't' | b' ' | b'\t' | b'\n' | b'\r') => return (BLANK, 2),
        Some(b'/') => return (SEXTETS[usize::from(b'/')], 2),
        Some(b'x') => 2,
        Some(b'u') => 4,
        Some(b'U') => 8,
        _ => return (NONE, 1),
    };
    let character = rest
        .get(1..=digits)
        .and_then(|digits| std::str::from_utf8(digits).ok())
        .and_then(|digits| u8::from_str_radix(digits, 16).ok());
    match character.map(|character| SEXTETS[usize::from(character)]) {
        Some(ESCAPE) | None => (NONE, 1),
        Some(sextet) => (sextet, digits + 2),
    }
}

/// Three sextets that may contain the first two bytes of a head.
struct Form {
    /// How many bits of the first sextet belong to the byte before the head.
    before: u32,
    /// The other bits of the first sextet.
    first: u8,
    second: u8,
    /// How many bits of the third sextet belong to the byte after those two.
    after: u32,
    /// The other bits of the third sextet.
    third: u8,
    /// The base64 character of the second sextet.
    character: u8,
}

/// Returns the forms of an opener, one for each position of its first byte in a group of
/// three.
fn forms(opener: &str) -> Option<[Form; 3]> {
    let [first, second, ..] = *opener.as_bytes() else {
        return None;
    };
    let bits = u16::from_be_bytes([first, second]);
    let low = |bits: u16| bits.to_be_bytes()[1] & 0x3f;
    let form = |before: u32| {
        let second = low(bits >> (4 + before));
        let (third, after) = match before {
            0 => (low(bits) & 0x0f, 2),
            2 => (low(bits), 0),
            _ => (low(bits >> 2), 0),
        };
        let character = SEXTETS.iter().position(|sextet| *sextet == second);
        Some(Form {
            before,
            first: low(bits >> (10 + before)),
            second,
            after,
            third,
            character: u8::try_from(character?).ok()?,
        })
    };
    Some([form(0)?, form(2)?, form(4)?])
}

/// Returns how many bits of the first sextet belong to the byte before the head, if these
/// three sextets begin an encoded head.
fn skipped_bits(forms: &[Form; 3], sextets: [u8; 3]) -> Option<u32> {
    let [first, second, third] = sextets;
    let is_head = |form: &&Form| {
        second == form.second
            && first < 64
            && third < 64
            && first & (0x3f >> form.before) == form.first
            && third >> form.after == form.third
    };
    forms.iter().find(is_head).map(|form| form.before)
}

/// Decodes the first bytes of base64, without its first `skipped` bits.
fn decoded(encoded: &[u8], skipped: u32) -> Vec<u8> {
    let mut head = Vec::new();
    let (mut bits, mut held) = (0_u32, 0_u32);
    let sextets = sextets(encoded)
        .map(|(_, sextet)| sextet)
        .filter(|sextet| *sextet != BLANK)
        .take_while(|sextet| *sextet != NONE);
    for (nth, sextet) in sextets.enumerate() {
        bits = bits << 6 | u32::from(sextet);
        held += if nth == 0 { 6 - skipped } else { 6 };
        if held >= 8 {
            held -= 8;
            head.extend(u8::try_from(bits >> held & 0xff));
            if head.len() == MAX_HEAD {
                break;
            }
        }
    }
    head
}

#[cfg(test)]
mod tests {
    use base64ct::{Base64, Encoding};

    use super::encoded_heads as encoded_in;
    use crate::reference::LANDFALL;

    fn encoded_heads(text: &str, is_wanted: fn(&[u8]) -> bool) -> Vec<usize> {
        encoded_in(text, LANDFALL, &|name| name.is_some_and(is_wanted))
    }

    #[test]
    fn finds_heads_at_every_alignment_and_over_wrapped_lines() {
        for before in 0..7 {
            for width in [1, 2, 3, 4, 5, 7, 64] {
                let text = format!("{}${{infra.vpc_id}} after", "x".repeat(before));
                let encoded = Base64::encode_string(text.as_bytes());
                let lines: Vec<&str> = encoded
                    .as_bytes()
                    .chunks(width)
                    .map(|line| std::str::from_utf8(line).unwrap())
                    .collect();
                let wrapped = lines.join("\n    ");
                let is_infra: fn(&[u8]) -> bool = |name| name == b"infra";
                assert_eq!(encoded_heads(&wrapped, is_infra).len(), 1, "{wrapped}");
                assert!(encoded_heads(&wrapped, |name| name == b"infr").is_empty());
            }
        }
    }

    #[test]
    fn finds_heads_whose_characters_are_escaped() {
        let is_infra: fn(&[u8]) -> bool = |name| name == b"infra";
        for encoded in [
            "JHtp\\nbmZy\\r\\nYS54fQ==",
            "JHtp\\\n    bmZyYS54fQ==",
            "\\x4aHt\\u0070bmZy\\U00000059S54fQ==",
        ] {
            assert_eq!(encoded_heads(encoded, is_infra).len(), 1, "{encoded}");
        }
        for none in ["JHtp\\", "JHtp\\x", "JHtp\\u00e9bmZyYS54", "JHtp\\q"] {
            assert!(encoded_heads(none, is_infra).is_empty(), "{none}");
        }
    }

    #[test]
    fn takes_linear_time_where_heads_begin_everywhere() {
        let text = "JHsg".repeat(100_000);
        assert!(encoded_heads(&text, |_| true).is_empty());
    }
}
