//! One glob of `spec.manifests`, translated to a regular expression. No pattern is matched
//! by backtracking: `regex-lite` takes time linear in the path for any pattern.

use std::fmt::Write;
use std::iter::Peekable;
use std::str::Chars;

/// The maximum nesting of `{…}`.
const MAX_NESTED_BRACES: usize = 4;

/// A pattern in a form that can be matched against paths.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Glob {
    /// No wildcards: exactly this path.
    Path(String),
    /// With wildcards.
    Wild {
        /// The prefix of every path that matches.
        prefix: String,
        /// Matches the whole path.
        regex: String,
        /// Whether a segment of the pattern begins with a dot.
        names_dotfiles: bool,
    },
}

/// Why a string is not a pattern, and what to write instead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Malformed {
    pub(crate) message: String,
    pub(crate) help: String,
}

fn malformed(message: impl Into<String>, help: impl Into<String>) -> Malformed {
    Malformed {
        message: message.into(),
        help: help.into(),
    }
}

impl Glob {
    /// Translates `pattern`, without the `!` that excludes paths.
    ///
    /// # Errors
    /// The pattern is malformed.
    pub(crate) fn parse(pattern: &str) -> Result<Self, Malformed> {
        let pattern = pattern.strip_prefix("./").unwrap_or(pattern);
        if pattern.starts_with('/') {
            return Err(malformed(
                "the pattern starts with `/`",
                "patterns are relative to the application's folder: remove the `/`",
            ));
        }
        if pattern
            .split('/')
            .any(|segment| matches!(segment, "." | ".."))
        {
            return Err(malformed(
                "the pattern has a segment `.` or `..`",
                "patterns are relative to the application's folder and stay inside it",
            ));
        }
        if pattern.contains("//") {
            return Err(malformed(
                "the pattern has an empty segment",
                "write a single `/`",
            ));
        }
        let mut translation = Translation {
            rest: pattern.chars().peekable(),
            regex: String::from("(?s)^"),
            literal: String::new(),
            is_literal: true,
            braces: 0,
            at_segment: true,
            names_dotfiles: false,
        };
        translation.run()?;
        let Translation {
            mut regex,
            literal,
            is_literal,
            names_dotfiles,
            ..
        } = translation;
        if is_literal {
            return Ok(Self::Path(literal));
        }
        regex.push('$');
        Ok(Self::Wild {
            prefix: literal,
            regex,
            names_dotfiles,
        })
    }
}

struct Translation<'p> {
    rest: Peekable<Chars<'p>>,
    regex: String,
    /// The literal text before the first wildcard.
    literal: String,
    is_literal: bool,
    /// The number of open `{`.
    braces: usize,
    /// Whether the next character is the first of a segment.
    at_segment: bool,
    names_dotfiles: bool,
}

impl Translation<'_> {
    fn run(&mut self) -> Result<(), Malformed> {
        while let Some(next) = self.rest.next() {
            let at_segment = std::mem::replace(&mut self.at_segment, false);
            match next {
                '*' => self.star(at_segment)?,
                '?' => self.wildcard("[^/]"),
                '[' => self.class()?,
                '{' => {
                    self.braces += 1;
                    if self.braces > MAX_NESTED_BRACES {
                        return Err(malformed(
                            format!("braces are nested more than {MAX_NESTED_BRACES} levels deep"),
                            "split it into several patterns",
                        ));
                    }
                    self.wildcard("(?:");
                    self.at_segment = at_segment;
                }
                ',' if self.braces > 0 => {
                    self.regex.push('|');
                    // Each alternative may begin a segment.
                    self.at_segment = true;
                }
                '}' if self.braces > 0 => {
                    self.braces -= 1;
                    self.regex.push(')');
                }
                '}' => {
                    return Err(malformed(
                        "`}` without `{`",
                        "write `\\}` for a literal brace",
                    ));
                }
                '\\' => match self.rest.next() {
                    Some(escaped) => self.character(escaped, at_segment),
                    None => {
                        return Err(malformed(
                            "the pattern ends with `\\`",
                            "`\\` escapes the next character; separate folders with `/`",
                        ));
                    }
                },
                '/' => {
                    self.character('/', at_segment);
                    self.at_segment = true;
                    if self.rest.peek().is_none() {
                        // A folder matches everything below it.
                        self.wildcard(".+");
                    }
                }
                other => self.character(other, at_segment),
            }
        }
        if self.braces > 0 {
            return Err(malformed(
                "`{` without `}`",
                "close it, or write `\\{` for a literal brace",
            ));
        }
        Ok(())
    }

    fn wildcard(&mut self, regex: &str) {
        self.is_literal = false;
        self.regex.push_str(regex);
    }

    fn character(&mut self, character: char, at_segment: bool) {
        self.names_dotfiles |= at_segment && character == '.';
        if self.is_literal {
            self.literal.push(character);
        }
        push_literal(&mut self.regex, character);
    }

    fn star(&mut self, at_segment: bool) -> Result<(), Malformed> {
        if self.rest.next_if_eq(&'*').is_none() {
            self.wildcard("[^/]*");
            return Ok(());
        }
        let is_whole = at_segment && matches!(self.rest.peek(), None | Some('/'));
        if !is_whole || self.braces > 0 {
            return Err(malformed(
                "`**` must be a whole segment of the pattern",
                "write `**/*.yaml` for files in all folders, or `*` within a segment",
            ));
        }
        match self.rest.next() {
            Some(_) if self.rest.peek().is_some() => {
                self.wildcard("(?:[^/]+/)*");
                self.at_segment = true;
            }
            // A trailing `**/` matches a folder of any name and everything below it.
            Some(_) => self.wildcard("[^/]+/.+"),
            None => self.wildcard(".+"),
        }
        Ok(())
    }

    fn class(&mut self) -> Result<(), Malformed> {
        let unclosed = || {
            malformed(
                "`[` without `]`",
                "close it, or write `\\[` for a literal bracket",
            )
        };
        let slash = || {
            malformed(
                "`/` inside `[…]`",
                "a character class matches one character within a segment",
            )
        };
        let negated = self.rest.next_if(|c| matches!(c, '!' | '^')).is_some();
        let mut class = String::new();
        let mut is_first = true;
        loop {
            let from = match self.rest.next().ok_or_else(unclosed)? {
                ']' if !is_first => break,
                '/' => return Err(slash()),
                '\\' => self.rest.next().ok_or_else(unclosed)?,
                other => other,
            };
            is_first = false;
            let mut to = from;
            // A `-` before `]` is a literal.
            let mut ahead = self.rest.clone();
            if ahead.next() == Some('-') && !matches!(ahead.peek(), None | Some(']')) {
                self.rest.next();
                to = match self.rest.next().ok_or_else(unclosed)? {
                    '/' => return Err(slash()),
                    '\\' => self.rest.next().ok_or_else(unclosed)?,
                    other => other,
                };
            }
            if to < from {
                return Err(malformed(
                    format!("the range `{from}-{to}` is empty"),
                    format!("write `{to}-{from}`"),
                ));
            }
            push_range(&mut class, from, to);
        }
        let (open, but) = if negated { ("[^", "/") } else { ("[", "") };
        self.wildcard(&format!("{open}{but}{class}]"));
        Ok(())
    }
}

fn push_literal(regex: &mut String, character: char) {
    let mut bytes = [0; 4];
    regex.push_str(&regex_lite::escape(character.encode_utf8(&mut bytes)));
}

/// Returns a range inside `[…]` without `/`: a class never spans two segments.
fn push_range(class: &mut String, from: char, to: char) {
    let mut push = |from: char, to: char| {
        // Writing into a string cannot fail.
        let _ = write!(class, r"\x{{{:x}}}-\x{{{:x}}}", from as u32, to as u32);
    };
    if from <= '/' && '/' <= to {
        if from < '/' {
            push(from, '.');
        }
        if to > '/' {
            push('0', to);
        }
    } else {
        push(from, to);
    }
}
