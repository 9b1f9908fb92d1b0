//! Finds text that YAML readers, or programs that split YAML streams, interpret
//! differently.

use std::ops::Range;

/// Returns the first bytes of a document that readers interpret differently, and what they
/// are. `follows` is whether other documents precede it in its stream.
///
/// YAML 1.1 has line breaks that YAML 1.2 does not have: in YAML 1.1, U+0085 ends a
/// comment. The splitter of API servers (`k8s.io/apimachinery/pkg/util/yaml`) treats every
/// line that begins with `---` as a separator, drops the rest of the line, and does not
/// recognize `...`.
///
/// # Examples
/// ```
/// use landfall_yaml::read_differently;
///
/// assert_eq!(read_differently("a: 1 # c\n", false), None);
/// let (bytes, what) = read_differently("--- {a: 1}\n", false).unwrap();
/// assert_eq!((bytes, what), (0..10, "content on the line of a `---`, which some readers drop"));
/// ```
#[must_use]
pub fn read_differently(text: &str, follows: bool) -> Option<(Range<usize>, &'static str)> {
    odd_character(text, follows).or_else(|| odd_line(text, follows))
}

fn odd_character(text: &str, follows: bool) -> Option<(Range<usize>, &'static str)> {
    // Nearly every document has only these characters. Without a branch for each byte, the
    // compiler can vectorize the check.
    let is_odd = |byte: &u8| u8::from(!matches!(byte, b'\t' | b'\n' | b' '..=b'~'));
    let are_odd = |bytes: &[u8]| bytes.iter().map(is_odd).fold(0, |any, odd| any | odd) > 0;
    if !text.as_bytes().chunks(1024).any(are_odd) {
        return None;
    }
    let mut characters = text.char_indices().peekable();
    while let Some((at, character)) = characters.next() {
        let what = match character {
            '\t' | '\n' | ' '..='~' => continue,
            '\r' if characters.peek().is_some_and(|(_, next)| *next == '\n') => continue,
            '\r' => "a lone carriage return, which not all readers treat as a line break",
            '\u{85}' | '\u{2028}' | '\u{2029}' => {
                "a YAML 1.1 line break, which YAML 1.2 does not treat as one"
            }
            '\u{feff}' if at == 0 && !follows => continue,
            '\u{feff}' => "a byte order mark inside the text",
            c if c.is_control() || is_noncharacter(c) => "a control character",
            _ => continue,
        };
        return Some((at..at + character.len_utf8(), what));
    }
    None
}

const fn is_noncharacter(c: char) -> bool {
    matches!(c as u32 & 0xffff, 0xfffe | 0xffff)
}

fn odd_line(text: &str, follows: bool) -> Option<(Range<usize>, &'static str)> {
    let mut marked = false;
    let ends = memchr::memchr_iter(b'\n', text.as_bytes());
    for start in std::iter::once(0).chain(ends.map(|end| end + 1)) {
        let line = &text[start..];
        if !line.starts_with(['-', '%', '\u{feff}']) {
            continue;
        }
        let line = line.split('\n').next().unwrap_or_default().trim_end();
        let content = line.trim_start_matches('\u{feff}');
        let what = match content.strip_prefix("---") {
            Some(rest) if rest.starts_with([' ', '\t']) || rest.is_empty() => {
                marked = true;
                let rest = rest.trim_start();
                if rest.is_empty() || rest.starts_with('#') {
                    continue;
                }
                "content on the line of a `---`, which some readers drop"
            }
            Some(_) => {
                "a line that starts with `---` but is not a marker, where some readers split"
            }
            None if content.starts_with('%') => "a directive",
            None => continue,
        };
        return Some((start..start + line.len(), what));
    }
    (follows && !marked).then_some((
        0..0,
        "a document after `...` without `---`, where not all readers split",
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, follows: bool, expected: Option<&str>) {
        let found = read_differently(text, follows);
        let bytes = found.as_ref().map(|(range, _)| &text[range.clone()]);
        assert_eq!(bytes, expected, "{text:?}: {found:?}");
    }

    #[test]
    fn accepts_what_all_readers_read_alike() {
        for text in [
            "a: b\n",
            "---\na: b\r\n\tc\n",
            "--- # c\na: é €\u{a0}\u{10348}\n",
            "\u{feff}# c\n---\n",
            "a: |\n  ---\n  %x\n...\n",
        ] {
            check(text, false, None);
        }
        check("# c\n---\na: b\n", true, None);
        check("a:\n- b\n-c\n", false, None);
    }

    #[test]
    fn characters() {
        check("a: b # \u{85}c: d\n", false, Some("\u{85}"));
        check("a: \"\u{2028}\"\n", false, Some("\u{2028}"));
        check("a: '\u{2029}'\n", false, Some("\u{2029}"));
        check("a: b\rc: d\n", false, Some("\r"));
        check("a: b\r", false, Some("\r"));
        check("\u{feff}a: b\n", true, Some("\u{feff}"));
        check("a: \u{feff}b\n", false, Some("\u{feff}"));
        check("a: \u{0}b\n", false, Some("\u{0}"));
        check("a: \u{7f}\n", false, Some("\u{7f}"));
        check("a: \u{9f}\n", false, Some("\u{9f}"));
        check("a: \u{ffff}\n", false, Some("\u{ffff}"));
    }

    #[test]
    fn markers() {
        check("%YAML 1.1\n---\na: b\n", false, Some("%YAML 1.1"));
        check("--- {a: b}\n", false, Some("--- {a: b}"));
        check("--- |\n a\n", false, Some("--- |"));
        check("---\na: b\n---c: d\n", false, Some("---c: d"));
        check("a: b\n----\n", false, Some("----"));
        check("a: b\n", true, Some(""));
        check("\u{feff}%éé\n", false, Some("\u{feff}%éé"));
    }

    #[test]
    fn says_what_is_read_differently() {
        for (text, expected) in [
            ("\r", "a lone carriage return, "),
            ("\u{85}", "a YAML 1.1 line break, "),
            ("a\u{feff}", "a byte order mark "),
            ("\u{7f}", "a control character"),
            ("--- a", "content on the line of a `---`, "),
            (
                "---a",
                "a line that starts with `---` but is not a marker, ",
            ),
            ("%a", "a directive"),
        ] {
            let (_, what) = read_differently(text, false).unwrap();
            assert!(what.starts_with(expected), "{text:?}: {what}");
        }
    }
}
