//! Encodes text so that every YAML reader decodes it to the same text.

/// Whether `c` must be escaped in every style: YAML does not count it as printable, or
/// some reader treats it as a line break.
const fn is_unprintable(c: char) -> bool {
    matches!(
        c,
        '\0'..='\u{8}' | '\u{b}'..='\u{1f}' | '\u{7f}'..='\u{9f}' | '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}'
    )
}

/// Whether `text` consists of printable ASCII alone. Most values do, and this looks at many
/// bytes at once.
fn is_printable_ascii(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, b' '..=b'~'))
}

/// Returns whether `text` consists of printable ASCII and line feeds.
pub(crate) fn is_ascii_text(text: &str) -> bool {
    // Without a branch for each byte of a block, the compiler can vectorize it.
    let is_text = |byte: &u8| ((*byte >= b' ') & (*byte <= b'~')) | (*byte == b'\n');
    let (blocks, rest) = text.as_bytes().as_chunks::<64>();
    let mut blocks = blocks.iter();
    blocks.all(|block| block.iter().fold(true, |all, byte| all & is_text(byte)))
        && rest.iter().all(is_text)
}

/// Appends `text` as written between double quotes, with the escapes that every reader
/// knows: `\" \\ \n \r \t \b \f \uXXXX`. Characters outside the Basic Multilingual Plane
/// are not escaped: some readers do not join surrogates.
pub(crate) fn push_double_quoted(text: &str, out: &mut String) {
    let is_special = |text: &str| memchr::memchr2(b'"', b'\\', text.as_bytes()).is_some();
    if is_printable_ascii(text) && !is_special(text) {
        out.push_str(text);
        return;
    }
    let mut rest = text;
    while let Some(at) = rest.find(|c| matches!(c, '"' | '\\' | '\n' | '\t') || is_unprintable(c)) {
        out.push_str(&rest[..at]);
        let mut characters = rest[at..].chars();
        match characters.next() {
            Some('"') => out.push_str("\\\""),
            Some('\\') => out.push_str("\\\\"),
            Some('\n') => out.push_str("\\n"),
            Some('\r') => out.push_str("\\r"),
            Some('\t') => out.push_str("\\t"),
            Some('\u{8}') => out.push_str("\\b"),
            Some('\u{c}') => out.push_str("\\f"),
            Some(other) => out.push_str(&format!("\\u{:04x}", u32::from(other))),
            None => {}
        }
        rest = characters.as_str();
    }
    out.push_str(rest);
}

/// Returns `text` as a double-quoted scalar, with the escapes that every reader knows:
/// `\" \\ \n \r \t \b \f \uXXXX`.
#[must_use]
pub fn double_quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    push_double_quoted(text, &mut out);
    out.push('"');
    out
}

/// Appends `text` as written between single quotes.
pub(crate) fn push_single_quoted(text: &str, out: &mut String) {
    for (nth, piece) in text.split('\'').enumerate() {
        if nth > 0 {
            out.push_str("''");
        }
        out.push_str(piece);
    }
}

/// Whether single quotes can hold `text`: one line, and nothing that needs an
/// escape.
pub(crate) fn single_quotes_can_hold(text: &str) -> bool {
    is_printable_ascii(text)
        || !text
            .chars()
            .any(|c| matches!(c, '\n' | '\t') || is_unprintable(c))
}

/// Whether a block scalar cannot hold `text`: it has no escapes.
pub(crate) fn literal_cannot_hold(text: &str) -> bool {
    !is_ascii_text(text) && text.chars().any(is_unprintable)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes() {
        assert_eq!(
            double_quoted("a\"b\\c\n\r\t\u{8}\u{c}\u{0}\u{1b}\u{85}\u{2028}\u{feff}é😀/"),
            r#""a\"b\\c\n\r\t\b\f\u0000\u001b\u0085\u2028\ufeffé😀/""#
        );
    }

    #[test]
    fn single_quotes() {
        let mut out = String::new();
        push_single_quoted("it's", &mut out);
        assert_eq!(out, "it''s");
        assert!(single_quotes_can_hold(" a: b # c "));
        assert!(
            !single_quotes_can_hold("a\nb")
                && !single_quotes_can_hold("a\tb")
                && !single_quotes_can_hold("\u{7f}")
        );
    }
}
