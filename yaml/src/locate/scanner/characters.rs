//! Finds the characters that readers of YAML treat in different ways.

use crate::scalar::is_ascii_text;

/// Returns whether a document has only characters that are text or the usual blanks and
/// line breaks: no control characters, no carriage return without a line feed, none of the
/// line breaks of YAML 1.1, and a byte order mark only at its start.
pub(super) fn are_usual(text: &str) -> bool {
    // Most documents are no more than this, which takes a third of the time.
    if is_ascii_text(text) {
        return true;
    }
    let bytes = text.as_bytes();
    let mut seen = Seen::default();
    let (blocks, rest) = bytes.as_chunks::<64>();
    for block in blocks {
        seen.add(block);
    }
    seen.add(rest);
    if seen.control {
        return false;
    }
    (!seen.carriage_return || returns_are_in_pairs(bytes))
        && (!seen.non_ascii || non_ascii_is_usual(bytes))
}

#[derive(Default)]
struct Seen {
    control: bool,
    carriage_return: bool,
    non_ascii: bool,
}

impl Seen {
    /// Looks at some bytes, without a branch for each, so that the compiler can vectorize
    /// it.
    #[inline]
    fn add(&mut self, bytes: &[u8]) {
        let (mut control, mut carriage_return, mut any) = (0u8, 0u8, 0u8);
        for byte in bytes {
            let is_break = (*byte == b'\n') | (*byte == b'\r') | (*byte == b'\t');
            control |= u8::from((*byte < b' ') & !is_break) | u8::from(*byte == 0x7f);
            carriage_return |= u8::from(*byte == b'\r');
            any |= *byte;
        }
        self.control |= control != 0;
        self.carriage_return |= carriage_return != 0;
        self.non_ascii |= any >= 0x80;
    }
}

fn returns_are_in_pairs(bytes: &[u8]) -> bool {
    memchr::memchr_iter(b'\r', bytes).all(|at| bytes.get(at + 1) == Some(&b'\n'))
}

/// Returns whether none of U+0080 to U+009F, U+2028, U+2029, U+FEFF (except at the start),
/// U+FFFE and U+FFFF occurs.
fn non_ascii_is_usual(bytes: &[u8]) -> bool {
    memchr::memchr3_iter(0xc2, 0xe2, 0xef, bytes).all(|at| match bytes.get(at..) {
        Some([0xc2, second, ..]) => *second >= 0xa0,
        Some([0xe2, 0x80, 0xa8 | 0xa9, ..]) => false,
        Some([0xef, 0xbb, 0xbf, ..]) => at == 0,
        Some([0xef, 0xbf, 0xbe | 0xbf, ..]) => false,
        _ => true,
    })
}

#[cfg(test)]
mod tests {
    use super::are_usual;

    #[test]
    fn accepts_text() {
        let long = "a: é €\u{a0}\u{10348}\u{2027}\u{fffd}\r\n\t# b\n".repeat(9);
        for text in ["", "a\tb\n", "\u{feff}a: b\r\n", &long] {
            assert!(are_usual(text), "{text:?}");
        }
    }

    #[test]
    fn declines_unusual_characters_at_any_offset() {
        for unusual in [
            "\0", "\u{1}", "\u{b}", "\u{1b}", "\u{7f}", "\r", "\u{80}", "\u{85}", "\u{9f}",
            "\u{2028}", "\u{2029}", "\u{feff}", "\u{fffe}", "\u{ffff}",
        ] {
            for before in 1..150 {
                let text = format!("{}{unusual}b\n", "a".repeat(before));
                assert!(!are_usual(&text), "{text:?}");
            }
        }
    }
}
