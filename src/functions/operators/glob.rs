//! Removes the beginning or the end of a text that matches a pattern.
//!
//! ```text
//! *          any characters
//! ?          one character
//! [a-z]      one of these, [^a-z] none of these
//! \c         the character c
//! ```
//!
//! An invalid pattern matches nothing. All possible matches are followed at once, so that
//! the time is linear in the text, whatever the pattern.

use crate::functions::Failure;
use crate::outputs::Value;

/// The maximum number of characters and groups in a pattern: the bits of a state.
const MAX_TOKENS: usize = 127;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Match {
    Shortest,
    Longest,
}

enum Token {
    Any,
    Character(char),
    Class {
        ranges: Vec<(char, char)>,
        negated: bool,
    },
    Star,
}

/// Removes the beginning of `text` that matches.
pub(super) fn trim_start(text: &str, pattern: &str, which: Match) -> Result<Value, Failure> {
    let length = matching(text.chars(), pattern.chars(), which)?;
    Ok(Value::String(text.chars().skip(length).collect()))
}

/// Removes the end of `text` that matches. As in Flux, text and pattern are reversed, so that
/// groups and escapes in the pattern do not work.
pub(super) fn trim_end(text: &str, pattern: &str, which: Match) -> Result<Value, Failure> {
    let length = matching(text.chars().rev(), pattern.chars().rev(), which)?;
    let kept = text.chars().count().saturating_sub(length);
    Ok(Value::String(text.chars().take(kept).collect()))
}

/// Returns the number of characters at the beginning of a text that match a pattern.
fn matching(
    text: impl Iterator<Item = char>,
    pattern: impl Iterator<Item = char>,
    which: Match,
) -> Result<usize, Failure> {
    let pattern: Vec<char> = pattern.take(4 * MAX_TOKENS).collect();
    let Some(tokens) = tokens(&pattern) else {
        return Ok(0);
    };
    if tokens.len() > MAX_TOKENS {
        let message = format!("the pattern has more than {MAX_TOKENS} characters");
        return Err(Failure::Argument(0, message));
    }
    let accepted = 1_u128 << tokens.len();
    // Bit n: the tokens before the n-th have matched.
    let mut state = after_stars(1, &tokens);
    let mut found = 0;
    for (nth, character) in text.enumerate() {
        let mut next = 0;
        for (at, token) in tokens.iter().enumerate() {
            let bit = 1_u128 << at;
            if state & bit == 0 {
                continue;
            }
            next |= match token {
                Token::Star => bit,
                token if token.matches(character) => bit << 1,
                _ => 0,
            };
        }
        state = after_stars(next, &tokens);
        if state & accepted != 0 {
            found = nth + 1;
            if which == Match::Shortest {
                break;
            }
        }
        if state == 0 {
            break;
        }
    }
    Ok(found)
}

/// Adds the states after stars, which may match nothing.
fn after_stars(mut state: u128, tokens: &[Token]) -> u128 {
    for (at, token) in tokens.iter().enumerate() {
        if matches!(token, Token::Star) && state & (1 << at) != 0 {
            state |= 1 << (at + 1);
        }
    }
    state
}

impl Token {
    fn matches(&self, character: char) -> bool {
        match self {
            Self::Any | Self::Star => true,
            Self::Character(one) => *one == character,
            Self::Class { ranges, negated } => {
                let mut ranges = ranges.iter();
                ranges.any(|(low, high)| (*low..=*high).contains(&character)) != *negated
            }
        }
    }
}

/// Returns the tokens of a pattern; `None` if it is invalid.
fn tokens(pattern: &[char]) -> Option<Vec<Token>> {
    let mut tokens = Vec::new();
    let mut rest = pattern;
    while let [first, after @ ..] = rest {
        rest = after;
        tokens.push(match first {
            '*' => Token::Star,
            '?' => Token::Any,
            '\\' => {
                let (character, after) = rest.split_first()?;
                rest = after;
                Token::Character(*character)
            }
            '[' => {
                let (class, after) = class(rest)?;
                rest = after;
                class
            }
            character => Token::Character(*character),
        });
    }
    Some(tokens)
}

/// Reads a group after its `[`.
fn class(mut rest: &[char]) -> Option<(Token, &[char])> {
    let negated = rest.first() == Some(&'^');
    if negated {
        rest = rest.get(1..)?;
    }
    let mut ranges = Vec::new();
    loop {
        if let [']', after @ ..] = rest
            && !ranges.is_empty()
        {
            return Some((Token::Class { ranges, negated }, after));
        }
        let low;
        (low, rest) = member(rest)?;
        let mut high = low;
        if let ['-', after @ ..] = rest {
            (high, rest) = member(after)?;
        }
        ranges.push((low, high));
    }
}

/// Reads a character of a group, which something must follow.
fn member(rest: &[char]) -> Option<(char, &[char])> {
    let (character, after) = match rest {
        [] | ['-' | ']', ..] => return None,
        ['\\', character, after @ ..] => (character, after),
        ['\\'] => return None,
        [character, after @ ..] => (character, after),
    };
    (!after.is_empty()).then_some((*character, after))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trimmed(text: &str, operator: &str, pattern: &str) -> String {
        let trim = if operator.starts_with('#') {
            trim_start
        } else {
            trim_end
        };
        let which = match operator.len() {
            1 => Match::Shortest,
            _ => Match::Longest,
        };
        let value = trim(text, pattern, which).unwrap();
        value.text().unwrap().to_owned()
    }

    #[test]
    fn removes_the_shortest_or_longest_match() {
        assert_eq!(trimmed("a/b/c", "#", "*/"), "b/c");
        assert_eq!(trimmed("a/b/c", "##", "*/"), "c");
        assert_eq!(trimmed("bash.string.txt", "%", ".*"), "bash.string");
        assert_eq!(trimmed("bash.string.txt", "%%", ".*"), "bash");
        assert_eq!(trimmed("abc", "#", "*"), "bc");
        assert_eq!(trimmed("abc", "##", "*"), "");
        assert_eq!(trimmed("abc", "#", "b"), "abc");
        assert_eq!(trimmed("v1.2", "#", "[a-z]"), "1.2");
        assert_eq!(trimmed("v1.2", "#", "[^0-9]?."), "2");
        assert_eq!(trimmed("*x", "#", "\\*"), "x");
        assert_eq!(trimmed("été", "#", "?"), "té");
    }

    #[test]
    fn an_invalid_pattern_matches_nothing() {
        for pattern in ["[", "[]", "[a", "[a-]", "[^]", "x\\", "[-a]", "[]a]"] {
            assert_eq!(trimmed("x]a-", "##", pattern), "x]a-", "{pattern}");
        }
        // Reversed, they are not groups.
        assert_eq!(trimmed("x-1", "%", "[0-9]"), "x-1");
    }

    #[test]
    fn limits_patterns_and_not_texts() {
        let text = "a".repeat(1_000_000);
        assert_eq!(trimmed(&text, "##", &"*a".repeat(60)), "");
        assert!(trim_start("a", &"a".repeat(128), Match::Shortest).is_err());
        assert_eq!(trimmed("a", "#", ""), "a");
    }
}
