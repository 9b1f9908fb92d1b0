//! Estimates where a reference ends in raw YAML text, before the style of its scalar is
//! known.

use std::ops::Range;

use crate::reference::head::{skip_name, skip_space};

/// Returns the bytes that the reference at `at` probably spans, on its line: through its
/// `}`, otherwise up to the first byte that the grammar does not allow. The parse of the
/// decoded scalar decides.
///
/// The style of the scalar is not known yet in raw YAML text, so a quote in the reference
/// may be written as in any of them: `"`, `\"`, `'` or `''`.
pub(crate) fn extent(raw: &str, at: usize) -> Range<usize> {
    let bytes = raw.as_bytes();
    let mut end = at + 2;
    // The open brackets and parentheses: strings and commas occur only inside them, and an
    // unmatched closing one belongs to the manifest.
    let mut open: Vec<u8> = Vec::new();
    loop {
        // Most of a reference is names.
        end = skip_name(bytes, end);
        let Some(&byte) = bytes.get(end) else {
            break;
        };
        let opener: &[u8] = match byte {
            b'}' => return at..end + 1,
            b'"' | b'\'' | b'\\' | b',' | b'+' if open.is_empty() => break,
            b'\\' if bytes.get(end + 1) == Some(&b'"') => b"\\\"",
            b'\'' if bytes.get(end + 1) == Some(&b'\'') => b"\'\'",
            b'"' => b"\"",
            b'\'' => b"\'",
            b'[' | b'(' => {
                open.push(byte);
                b""
            }
            b']' | b')' => match (open.pop(), byte) {
                (Some(b'['), b']') | (Some(b'('), b')') => b"",
                _ => break,
            },
            b'*' if open.last() == Some(&b'[') => b"",
            b' ' | b'\t' | b'.' | b'|' | b',' | b'+' => b"",
            _ => break,
        };
        end = match opener {
            b"" => end + 1,
            _ => match string_end(bytes, end, opener) {
                Some(after) => after,
                // `''` may be an empty string outside single quotes.
                None if opener == b"\'\'" => end + 2,
                None => break,
            },
        };
    }
    // It is unclosed; trailing blanks belong to the manifest.
    let blanks = bytes[at + 2..end]
        .iter()
        .rev()
        .take_while(|b| matches!(b, b' ' | b'\t'));
    at..end - blanks.count()
}

/// Returns the end of the string that opens at `at`, if it ends on its line.
fn string_end(bytes: &[u8], at: usize, opener: &[u8]) -> Option<usize> {
    let start = at + opener.len();
    if opener == b"''" && matches!(bytes.get(skip_space(bytes, start)), Some(b')' | b']')) {
        return Some(start);
    }
    let mut end = start;
    while let Some(&byte) = bytes.get(end) {
        if matches!(byte, b'\n' | b'\r') {
            return None;
        }
        if bytes[end..].starts_with(opener) {
            return Some(end + opener.len());
        }
        // An escaped character of the expression: `\"` in plain text, `\\\"`
        // inside double quotes.
        end += match byte {
            b'\\' if opener == b"\\\"" && bytes[end..].starts_with(b"\\\\\\\"") => 4,
            b'\\' if opener == b"\\\"" && bytes[end..].starts_with(b"\\\\") => 2,
            b'\\' if opener != b"\\\"" => 2,
            _ => 1,
        };
    }
    None
}

#[cfg(test)]
mod tests {
    use super::extent;

    fn extent_of(raw: &str) -> &str {
        &raw[extent(raw, 0)]
    }

    #[test]
    fn the_extent_in_raw_yaml_ends_at_the_closing_brace() {
        assert_eq!(extent_of("${a.b} x}"), "${a.b}");
        assert_eq!(
            extent_of("${a.b | default(\"}\")} x"),
            "${a.b | default(\"}\")}"
        );
        assert_eq!(
            extent_of("${a.b | default(\\\"}\\\")}\" x"),
            "${a.b | default(\\\"}\\\")}"
        );
        assert_eq!(
            extent_of("${a.b | default(\\\"\\\\\\\"}\\\")}\" x"),
            "${a.b | default(\\\"\\\\\\\"}\\\")}"
        );
        assert_eq!(
            extent_of("${a.b | default(''}'')}' x"),
            "${a.b | default(''}'')}"
        );
        assert_eq!(
            extent_of("${a.b | default('')} ${a.c | default('')}"),
            "${a.b | default('')}"
        );
        assert_eq!(extent_of("${a[\"}\"]} x"), "${a[\"}\"]}");
        assert_eq!(extent_of("${a.b[*].c[ * ]} x}"), "${a.b[*].c[ * ]}");
    }

    #[test]
    fn the_extent_ends_with_its_line() {
        assert_eq!(extent_of("${a.b\nc: d}"), "${a.b");
        assert_eq!(extent_of("${a.b | default(\"x\n}"), "${a.b | default(");
        assert_eq!(extent_of("${a.b: c}"), "${a.b");
    }

    #[test]
    fn an_unclosed_extent_excludes_what_is_not_part_of_the_reference() {
        assert_eq!(extent_of("${a.b  # c"), "${a.b");
        assert_eq!(extent_of("${a.b]"), "${a.b");
        assert_eq!(extent_of("${a.b, c"), "${a.b");
        assert_eq!(extent_of("${a.b *c"), "${a.b");
        assert_eq!(extent_of("${a.b | f(*"), "${a.b | f(");
        assert_eq!(extent_of("${a.b\" # it's \"x\""), "${a.b");
        assert_eq!(extent_of("${a.b | default("), "${a.b | default(");
    }
}
