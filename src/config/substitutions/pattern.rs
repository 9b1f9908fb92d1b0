//! Patterns of selectors and of `[key=value]`: regular expressions that must match a whole
//! string, as kustomize anchors them.

use std::fmt;

use regex_lite::{Regex, RegexBuilder};

/// The maximum size of a compiled pattern, in bytes. The steps of a match grow with it:
/// [`Pattern::cost`].
const MAX_COMPILED: usize = 64 << 10;

/// A pattern that must match a whole string.
#[derive(Clone)]
pub(crate) struct Pattern {
    /// As written in the Binding.
    written: String,
    test: Test,
}

#[derive(Clone)]
enum Test {
    Literal(String),
    Expression {
        regex: Regex,
        /// An upper bound of the compiled size, in bytes.
        size: usize,
    },
}

/// Shows the pattern as written, which determines everything else.
impl fmt::Debug for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.written, f)
    }
}

impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        self.written == other.written
    }
}

impl Eq for Pattern {}

impl Pattern {
    /// Parses a regular expression. A pattern without special characters is literal text,
    /// and so is one whose only special character is the dot: names contain dots, and
    /// `name: a.example.com` must not select `a-example-com`.
    ///
    /// # Errors
    /// Why it isn't a regular expression.
    pub(crate) fn read(text: &str) -> Result<Self, String> {
        let test = match literal(text) {
            Some(literal) => Test::Literal(literal),
            None => expression(text)?,
        };
        Ok(Self {
            written: text.to_owned(),
            test,
        })
    }

    /// Returns a pattern that matches only this string.
    pub(crate) fn exactly(text: String) -> Self {
        Self {
            written: text.clone(),
            test: Test::Literal(text),
        }
    }

    /// Returns the one string that matches, if there is only one.
    pub(crate) fn literal(&self) -> Option<&str> {
        match &self.test {
            Test::Literal(literal) => Some(literal),
            Test::Expression { .. } => None,
        }
    }

    pub(crate) fn matches(&self, text: &str) -> bool {
        match &self.test {
            Test::Literal(literal) => literal == text,
            Test::Expression { regex, .. } => regex.is_match(text),
        }
    }

    /// Returns an upper bound of the steps that a match against this string takes.
    pub(crate) fn cost(&self, text: &str) -> u64 {
        match &self.test {
            Test::Literal(_) => 1,
            Test::Expression { size, .. } => {
                let steps = (size / 64).saturating_mul(text.len() + 1);
                u64::try_from(steps).unwrap_or(u64::MAX)
            }
        }
    }

    /// Returns the pattern as written in the Binding.
    pub(crate) fn written(&self) -> &str {
        &self.written
    }
}

/// Returns the one string that a pattern without special characters matches.
fn literal(text: &str) -> Option<String> {
    let inner = text.strip_prefix('^').unwrap_or(text);
    let inner = match inner.strip_suffix('$') {
        Some(rest) if !rest.ends_with('\\') => rest,
        _ => inner,
    };
    let has_escapes = inner.contains('\\');
    let mut literal = String::with_capacity(inner.len());
    let mut characters = inner.chars();
    while let Some(character) = characters.next() {
        match character {
            '\\' => literal.push(characters.next().filter(char::is_ascii_punctuation)?),
            // An author who escapes one dot means the other dots as wildcards.
            '.' if has_escapes => return None,
            '*' | '+' | '?' | '(' | ')' | '|' | '[' | ']' | '{' | '}' | '^' | '$' => return None,
            _ => literal.push(character),
        }
    }
    Some(literal)
}

fn expression(text: &str) -> Result<Test, String> {
    let wrong = |error: regex_lite::Error| {
        let reason = error.to_string();
        if reason.contains("size limit") {
            format!("the pattern `{text}` is too large")
        } else {
            format!("invalid regular expression `{text}`: {reason}")
        }
    };
    // Compiled alone first: `a)|(b` would be balanced only inside the anchors.
    RegexBuilder::new(text)
        .size_limit(MAX_COMPILED)
        .build()
        .map_err(wrong)?;
    let anchored = format!("^(?:{text})$");
    let mut size = 1 << 10;
    loop {
        let built = RegexBuilder::new(&anchored).size_limit(size).build();
        match built {
            Ok(regex) => return Ok(Test::Expression { regex, size }),
            Err(error) if size > MAX_COMPILED => return Err(wrong(error)),
            Err(_) => size *= 2,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(pattern: &str, matching: &[&str], others: &[&str]) {
        let pattern = Pattern::read(pattern).unwrap();
        for text in matching {
            assert!(pattern.matches(text), "{pattern:?} and {text}");
        }
        for text in others {
            assert!(!pattern.matches(text), "{pattern:?} and {text}");
        }
    }

    #[test]
    fn patterns_are_anchored() {
        check("web", &["web"], &["web-proxy", "a-web", ""]);
        check("web|api", &["web", "api"], &["web-proxy", "my-api"]);
        check("web-.*", &["web-", "web-1"], &["web", "a-web-1"]);
        check("^web$", &["web"], &["^web$", "web2"]);
        check("", &[""], &["a"]);
    }

    #[test]
    fn a_pattern_without_other_special_characters_than_dots_is_literal() {
        check("a.example.com", &["a.example.com"], &["a-example.com"]);
        check(r"a\.b", &["a.b"], &["a-b", r"a\.b"]);
        check(r"a\.b.", &["a.bc"], &["a.b.c", "a-bc"]);
        check("a.b-.*", &["a.b-1", "a-b-1"], &["a.b"]);
    }

    #[test]
    fn rejects_what_is_not_a_regular_expression() {
        for pattern in ["a(", "a)|(b", "*", "a{2,1}", "(?x)a # )", r"\d{9999}{99}"] {
            let error = Pattern::read(pattern).unwrap_err();
            assert!(
                error.contains("regular expression") || error.contains("too large"),
                "{error}"
            );
        }
    }
}
