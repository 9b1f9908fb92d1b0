//! Makes a text that matches a regular expression, for sample values. It covers what
//! patterns of names and ids use; the caller checks the result with the pattern itself.

use std::iter::Peekable;
use std::str::Chars;

/// The maximum size of the text, in bytes.
const MAX_SIZE: usize = 64 << 10;

/// The maximum depth of groups.
const MAX_DEPTH: usize = 64;

/// Characters to try for a negated class.
const CANDIDATES: &str = "a0A-_ .x";

/// Returns a text that a pattern probably matches: the first alternative of each group,
/// the first character of each class, and `repeat` repetitions where the pattern allows
/// any number. `None` if the pattern has syntax that isn't covered.
pub(super) fn matching_text(pattern: &str, repeat: usize) -> Option<String> {
    let mut parser = PatternParser {
        rest: pattern.chars().peekable(),
        repeat,
        depth: 0,
    };
    let text = parser.alternatives()?;
    parser.rest.next().is_none().then_some(text)
}

struct PatternParser<'p> {
    rest: Peekable<Chars<'p>>,
    repeat: usize,
    depth: usize,
}

impl PatternParser<'_> {
    /// Reads alternatives to the end of their group, and returns a text for the first.
    fn alternatives(&mut self) -> Option<String> {
        let first = self.concatenation()?;
        while self.rest.next_if_eq(&'|').is_some() {
            self.concatenation()?;
        }
        Some(first)
    }

    fn concatenation(&mut self) -> Option<String> {
        let mut text = String::new();
        while let Some(next) = self.rest.next_if(|next| !matches!(next, '|' | ')')) {
            let atom = self.atom(next)?;
            let count = self.repetitions()?;
            if text.len() + atom.len().checked_mul(count)? > MAX_SIZE {
                return None;
            }
            text.push_str(&atom.repeat(count));
        }
        Some(text)
    }

    fn atom(&mut self, first: char) -> Option<String> {
        match first {
            '(' => self.group(),
            '[' => self.class().map(String::from),
            '\\' => self.escape(),
            '^' | '$' => Some(String::new()),
            '.' => Some("a".to_owned()),
            other => Some(other.to_string()),
        }
    }

    fn group(&mut self) -> Option<String> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return None;
        }
        if self.rest.next_if_eq(&'?').is_some() {
            // `(?:…)`, `(?<name>…)`, `(?P<name>…)` or flags.
            let end = self.rest.find(|c| matches!(c, ':' | '>' | ')'))?;
            if end == ')' {
                self.depth -= 1;
                return Some(String::new());
            }
        }
        let text = self.alternatives()?;
        self.depth -= 1;
        self.rest.next_if_eq(&')').map(|_| text)
    }

    /// Reads the quantifier after an atom, and returns how often the atom is repeated.
    fn repetitions(&mut self) -> Option<usize> {
        let (min, max) = match self.rest.peek() {
            Some('*') => (0, None),
            Some('+') => (1, None),
            Some('?') => (0, Some(0)),
            Some('{') => {
                self.rest.next();
                let range: String = self.rest.by_ref().take_while(|c| *c != '}').collect();
                let (min, max) = match range.split_once(',') {
                    Some((min, "")) => (min, None),
                    Some((min, max)) => (min, Some(max.trim().parse().ok()?)),
                    None => (range.as_str(), Some(range.trim().parse().ok()?)),
                };
                self.rest.next_if_eq(&'?');
                let min = min.trim().parse().ok()?;
                return Some(self.repeat.max(min).min(max.unwrap_or(usize::MAX)));
            }
            _ => return Some(1),
        };
        self.rest.next();
        self.rest.next_if_eq(&'?');
        Some(self.repeat.max(min).min(max.unwrap_or(usize::MAX)))
    }

    fn escape(&mut self) -> Option<String> {
        Some(match self.rest.next()? {
            'd' => "0".to_owned(),
            'w' | 'D' | 'S' => "a".to_owned(),
            's' => " ".to_owned(),
            'W' => "-".to_owned(),
            'b' | 'A' | 'z' => String::new(),
            'n' => "\n".to_owned(),
            't' => "\t".to_owned(),
            other if other.is_ascii_punctuation() => other.to_string(),
            _ => return None,
        })
    }

    /// Returns a character of a class.
    fn class(&mut self) -> Option<char> {
        let is_negated = self.rest.next_if_eq(&'^').is_some();
        let mut ranges: Vec<(char, char)> = Vec::new();
        loop {
            let start = match self.rest.next()? {
                ']' if !ranges.is_empty() => break,
                '[' => return None,
                '\\' => match self.rest.next()? {
                    'd' => {
                        ranges.push(('0', '9'));
                        continue;
                    }
                    'w' => {
                        ranges.extend([('a', 'z'), ('A', 'Z'), ('0', '9'), ('_', '_')]);
                        continue;
                    }
                    's' => {
                        ranges.push((' ', ' '));
                        continue;
                    }
                    other if other.is_ascii_punctuation() => other,
                    _ => return None,
                },
                other => other,
            };
            let mut ahead = self.rest.clone();
            let is_range = ahead.next() == Some('-') && ahead.peek().is_some_and(|c| *c != ']');
            if !is_range {
                ranges.push((start, start));
                continue;
            }
            self.rest.next();
            match self.rest.next()? {
                '\\' => ranges.push((start, self.rest.next()?)),
                end => ranges.push((start, end)),
            }
        }
        if is_negated {
            CANDIDATES.chars().find(|candidate| {
                !ranges
                    .iter()
                    .any(|(start, end)| (start..=end).contains(&candidate))
            })
        } else {
            ranges.first().map(|(start, _)| *start)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(pattern: &str, repeat: usize, expected: &str) {
        let text = matching_text(pattern, repeat).unwrap();
        assert_eq!(text, expected, "{pattern}");
        let regex = regex_lite::Regex::new(pattern).unwrap();
        assert!(regex.is_match(&text), "{pattern}: {text:?}");
    }

    #[test]
    fn makes_texts_for_the_patterns_of_names_and_ids() {
        check("^vpc-[0-9a-f]{8}$", 1, "vpc-00000000");
        check(
            "^arn:aws:iam::\\d{12}:role/.+$",
            1,
            "arn:aws:iam::000000000000:role/a",
        );
        check("^(eu|us)-(west|east)-[12]$", 1, "eu-west-1");
        check("^(?:a|b)*c?$", 3, "aaa");
        check("^[a-z]+$", 5, "aaaaa");
        check("^[a-z]{2,4}$", 9, "aaaa");
        check("^[^a-z]+$", 1, "0");
        check("^\\w+@\\w+\\.example$", 1, "a@a.example");
        check("^(?P<name>x)(?i)$", 1, "x");
        check("^[]x-]+$", 1, "]");
    }

    #[test]
    fn is_none_for_other_syntax() {
        for pattern in [
            "[[:alpha:]]",
            "\\x41",
            "\\p{L}",
            "(a{9999}){9999}",
            "a{",
            "(",
        ] {
            assert_eq!(matching_text(pattern, 1), None, "{pattern}");
        }
    }
}
