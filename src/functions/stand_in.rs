//! Texts that stand for sensitive values in the files that another tool reads.

use sha2::{Digest, Sha256};

use crate::functions::encoding::hexadecimal;

/// One of the two texts that stand for a sensitive value. They have nothing in common: what a
/// tool makes of both alike does not depend on the value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StandIn {
    /// Only letters, which no tool takes apart.
    First,
    /// Also the characters at which a tool may take a text apart.
    Second,
}

/// What separates the parts of URLs, lists and assignments; no character that a dialect, a
/// template or Kubernetes expands.
const DELIMITERS: &str = "://?&=, ;|#@%+.-_~!*'\"\\/()[]<>^`\t:";

impl StandIn {
    /// Returns the text for a reference: the same wherever it is written alike. `is_base64`:
    /// the text must be base64.
    pub(crate) fn text(self, reference: &str, is_base64: bool) -> String {
        let digest = Sha256::digest(reference.as_bytes());
        let digits = hexadecimal(&digest[..16]).into_bytes();
        let letter = |base: u8| {
            let place = move |digit: u8| match digit {
                b'0'..=b'9' => digit - b'0',
                digit => digit - b'a' + 10,
            };
            move |digit: &u8| char::from(base + place(*digit))
        };
        match self {
            Self::First => {
                let letters = digits.iter().map(letter(b'A'));
                format!("SENSITIV{}", letters.collect::<String>())
            }
            Self::Second => {
                let letters: String = digits.iter().map(letter(b'a')).collect();
                if is_base64 {
                    letters
                } else {
                    format!("{letters}{DELIMITERS}{letters}")
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::StandIn;
    use crate::functions::is_base64;

    #[test]
    fn the_texts_of_a_reference_differ_and_can_be_base64() {
        let [first, second] =
            [StandIn::First, StandIn::Second].map(|stand_in| stand_in.text("${infra.a}", true));
        assert!(is_base64(&first) && is_base64(&second));
        assert_ne!(first.len(), second.len());
        assert!(!first.chars().any(|char| second.contains(char)));
        assert_eq!(first, StandIn::First.text("${infra.a}", false));
        assert_ne!(first, StandIn::First.text("${infra.b}", false));
        assert!(!is_base64(&StandIn::Second.text("${infra.a}", false)));
    }
}
