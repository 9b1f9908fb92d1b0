//! A reference that is being written, read up to the place where somebody writes.

use std::ops::Range;

use crate::reference::{Step, skip_name, skip_space};

/// How far a reference may have begun before the place: nobody writes longer ones,
/// and a `${` that is never closed must not cost more.
const FARTHEST: usize = 4096;

/// What is being written.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Spot {
    /// The name of a binding.
    Name { typed: Range<usize> },
    /// An output or a key.
    Step {
        /// What stands before.
        binding: String,
        steps: Vec<Step>,
        /// The byte of the `.` or `[`.
        opened: usize,
        /// How the quote behind `[` is written; none behind a dot, and where none
        /// stands yet.
        quote: Option<&'static str>,
        typed: Range<usize>,
    },
    /// A function.
    Function { typed: Range<usize> },
}

impl Spot {
    /// The bytes of what has been typed.
    pub(super) const fn typed(&self) -> &Range<usize> {
        match self {
            Self::Name { typed } | Self::Step { typed, .. } | Self::Function { typed } => typed,
        }
    }
}

/// The reference that is being written at `offset`: the byte of its `$`, and what of
/// it stands there.
pub(super) fn around(text: &str, offset: usize) -> Option<(usize, Spot)> {
    let before = &text.as_bytes()[..offset];
    let from = offset.saturating_sub(FARTHEST);
    // The outermost first: what looks like a reference inside a string of another is
    // text.
    for at in memchr::memchr_iter(b'$', &before[from..]).map(|at| from + at) {
        let escaped = at > 0 && before[at - 1] == b'$';
        if escaped || before.get(at + 1) != Some(&b'{') {
            continue;
        }
        let mut reader = Reader {
            text: &text[..offset],
            at: at + 2,
        };
        match reader.reference() {
            Halt::Written(spot) => return Some((at, spot)),
            Halt::Nothing => return None,
            Halt::Over => {}
        }
    }
    None
}

/// Why the reading stopped.
enum Halt {
    /// At its end, where this is being written.
    Written(Spot),
    /// At its end, where nothing can be offered.
    Nothing,
    /// Before: the reference is closed, or is none.
    Over,
}

/// How a string may open in the raw text of a manifest, longest first.
const QUOTES: &[&str] = &["\\\"", "''", "\"", "'"];

struct Reader<'t> {
    /// The manifest up to the place.
    text: &'t str,
    at: usize,
}

impl Reader<'_> {
    fn bytes(&self) -> &[u8] {
        self.text.as_bytes()
    }

    /// The next byte that is no space.
    fn peek(&mut self) -> Option<u8> {
        self.at = skip_space(self.bytes(), self.at);
        self.bytes().get(self.at).copied()
    }

    fn word(&mut self) -> Range<usize> {
        let start = self.at;
        self.at = skip_name(self.bytes(), start);
        start..self.at
    }

    fn is_over(&self) -> bool {
        self.at >= self.text.len()
    }

    fn reference(&mut self) -> Halt {
        if let Err(halt) = self.path() {
            return halt;
        }
        loop {
            match self.peek() {
                None => return Halt::Nothing,
                Some(b'|') => self.at += 1,
                Some(_) => return Halt::Over,
            }
            self.peek();
            let typed = self.word();
            if self.is_over() {
                return Halt::Written(Spot::Function { typed });
            }
            if typed.is_empty() {
                return Halt::Over;
            }
            if self.peek() == Some(b'(')
                && let Err(halt) = self.arguments()
            {
                return halt;
            }
        }
    }

    fn path(&mut self) -> Result<(), Halt> {
        self.peek();
        let name = self.word();
        if self.is_over() {
            return Err(Halt::Written(Spot::Name { typed: name }));
        }
        let binding = self.text[name.clone()].to_owned();
        let mut steps = Vec::new();
        loop {
            let opened = match self.peek() {
                Some(b'.' | b'[') if !name.is_empty() => self.at,
                Some(_) => return Ok(()),
                None => return Err(Halt::Nothing),
            };
            let dot = self.bytes()[opened] == b'.';
            self.at += 1;
            self.peek();
            let written = |typed, quote, steps: &mut Vec<Step>| {
                Err(Halt::Written(Spot::Step {
                    binding: binding.clone(),
                    steps: std::mem::take(steps),
                    opened,
                    quote,
                    typed,
                }))
            };
            let quote = QUOTES
                .iter()
                .find(|quote| !dot && self.text[self.at..].starts_with(**quote));
            let Some(quote) = quote else {
                let typed = self.word();
                if self.is_over() {
                    return written(typed, None, &mut steps);
                }
                let word = &self.text[typed];
                match word.parse() {
                    _ if word.is_empty() => return Err(Halt::Over),
                    Ok(index) if !dot => steps.push(Step::Index(index)),
                    _ => steps.push(Step::Key(word.to_owned())),
                }
                if !dot {
                    self.close(b']')?;
                }
                continue;
            };
            let start = self.at + quote.len();
            let Some(length) = self.text[start..].find(quote) else {
                return written(start..self.text.len(), Some(quote), &mut steps);
            };
            steps.push(Step::Key(self.text[start..start + length].to_owned()));
            self.at = start + length + quote.len();
            self.close(b']')?;
        }
    }

    fn close(&mut self, byte: u8) -> Result<(), Halt> {
        match self.peek() {
            None => Err(Halt::Nothing),
            Some(found) if found == byte => {
                self.at += 1;
                Ok(())
            }
            Some(_) => Err(Halt::Over),
        }
    }

    fn arguments(&mut self) -> Result<(), Halt> {
        self.at += 1;
        loop {
            let argument = self.peek();
            let start = self.at;
            let quote = QUOTES
                .iter()
                .find(|quote| self.text[start..].starts_with(**quote));
            if let Some(quote) = quote {
                self.string(quote)?;
            } else if argument != Some(b')') {
                let word = self.word();
                let begins_path = matches!(self.bytes().get(word.start), None | Some(b'a'..=b'z' | b'A'..=b'Z' | b'_'));
                match self.peek() {
                    None if begins_path && self.at == word.end => {
                        return Err(Halt::Written(Spot::Name { typed: word }));
                    }
                    Some(b'.' | b'[') if begins_path => {
                        self.at = start;
                        self.path()?;
                    }
                    // A number goes on behind its fraction's dot and its exponent's sign.
                    Some(b'.' | b'+') => {
                        while matches!(self.bytes().get(self.at), Some(b'.' | b'+')) {
                            self.at += 1;
                            self.word();
                        }
                    }
                    _ => {}
                }
            }
            match self.peek() {
                None => return Err(Halt::Nothing),
                Some(b',') => self.at += 1,
                Some(b')') => {
                    self.at += 1;
                    return Ok(());
                }
                Some(_) => return Err(Halt::Over),
            }
        }
    }

    /// Over a string, with its escapes.
    fn string(&mut self, quote: &str) -> Result<(), Halt> {
        self.at += quote.len();
        if quote == "''" && matches!(self.bytes().get(self.at), Some(b')' | b',')) {
            // An empty one, outside single quotes.
            return Ok(());
        }
        while let Some(character) = self.text[self.at..].chars().next() {
            if self.text[self.at..].starts_with(quote) {
                self.at += quote.len();
                return Ok(());
            }
            self.at += character.len_utf8();
            if character == '\\' && quote != "\\\"" {
                let escaped = self.text[self.at..].chars().next();
                self.at += escaped.map_or(0, char::len_utf8);
            }
        }
        Err(Halt::Nothing)
    }
}
