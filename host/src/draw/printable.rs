//! Text that cannot act on a terminal.

use std::borrow::Cow;

/// `text` with every character that moves a cursor, sets a mode or reorders
/// lines replaced by a visible one. Line breaks stay.
pub(crate) fn printable(text: &str) -> Cow<'_, str> {
    if text.chars().all(is_harmless) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(
        text.chars()
            .map(|char| {
                if is_harmless(char) {
                    char
                } else {
                    replacement(char)
                }
            })
            .collect(),
    )
}

/// What stands for a character that is not harmless.
pub(super) fn replacement(char: char) -> char {
    match char {
        '\u{7f}' => '\u{2421}',
        // The Unicode block of control pictures has them in the order of ASCII.
        _ if (char as u32) < 0x20 => {
            char::from_u32(0x2400 + char as u32).unwrap_or(char::REPLACEMENT_CHARACTER)
        }
        _ => char::REPLACEMENT_CHARACTER,
    }
}

/// Controls of both sets, bidirectional overrides, line separators and invisible
/// marks are not; nor are the private characters that [`super::finding`] uses.
pub(super) fn is_harmless(char: char) -> bool {
    match char {
        '\n' => true,
        '\u{feff}'
        | '\u{200b}'..='\u{200f}'
        | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' => false,
        '\u{f8f0}' | '\u{f8f1}' => false,
        _ => !char.is_control(),
    }
}

#[cfg(test)]
mod tests {
    use super::printable;

    #[test]
    fn terminals_are_not_commanded() {
        assert_eq!(printable("ключ: 😀\n"), "ключ: 😀\n");
        assert_eq!(printable("\u{1b}[2J\r\u{7f}\t"), "␛[2J␍␡␉");
        assert_eq!(
            printable("\u{9b}31m\u{202e}\u{feff}"),
            "\u{fffd}31m\u{fffd}\u{fffd}"
        );
    }
}
