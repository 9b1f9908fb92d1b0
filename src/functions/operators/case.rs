//! Upper and lower case as Go's `unicode.ToUpper` and `unicode.ToLower` have them: one
//! character for each character, whatever surrounds it.

/// Returns a character in upper case. `ß` has none.
pub(super) fn upper(character: char) -> char {
    single(character.to_uppercase()).unwrap_or_else(|| with_iota(character))
}

/// Returns a character in lower case.
pub(super) fn lower(character: char) -> char {
    match character {
        'İ' => 'i',
        _ => single(character.to_lowercase()).unwrap_or(character),
    }
}

fn single(mut converted: impl Iterator<Item = char>) -> Option<char> {
    match (converted.next(), converted.next()) {
        (first, None) => first,
        _ => None,
    }
}

/// Returns the one upper-case character of a Greek letter with a subscript iota, which Rust
/// converts to two (`UnicodeData.txt`, simple mappings of U+1F80 and the following).
fn with_iota(character: char) -> char {
    let offset = match character {
        '\u{1f80}'..='\u{1f87}' | '\u{1f90}'..='\u{1f97}' | '\u{1fa0}'..='\u{1fa7}' => 8,
        '\u{1fb3}' | '\u{1fc3}' | '\u{1ff3}' => 9,
        _ => 0,
    };
    char::from_u32(u32::from(character) + offset).unwrap_or(character)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn converts_character_by_character() {
        let upper = |text: &str| text.chars().map(upper).collect::<String>();
        let lower = |text: &str| text.chars().map(lower).collect::<String>();
        assert_eq!(upper("straße é ŉ ᾳ ᾀ"), "STRAßE É ŉ ᾼ ᾈ");
        assert_eq!(lower("ÉΣΑΣ İ"), "éσασ i");
    }
}
