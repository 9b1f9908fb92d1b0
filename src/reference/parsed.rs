//! References that were parsed before: most references of a source occur many times.

use std::cell::RefCell;
use std::sync::Arc;

use crate::reference::{Dialect, Reference, SyntaxError};

/// How many references are remembered at a time. Each has one slot that it may be in, so
/// that neither many references nor unlucky ones make the search long.
const SLOTS: usize = 4096;

/// The longest reference that is remembered, in bytes.
const MAX_LENGTH: usize = 256;

/// A reference as it was parsed at one position of a text.
#[derive(Clone, Debug)]
pub(crate) struct ParsedReference {
    pub(crate) reference: Arc<Reference>,
    /// References of one source with the same number are equal; `None` if it wasn't
    /// remembered.
    pub(crate) number: Option<u32>,
}

impl ParsedReference {
    /// Returns a reference that isn't remembered.
    pub(crate) fn new(reference: Reference) -> Self {
        Self {
            reference: Arc::new(reference),
            number: None,
        }
    }
}

/// References that were parsed, with their texts. Ranges count from the beginning of the
/// text around a reference, so it is shared only where it begins at the same offset: in
/// most scalars it is all of the text, or follows the same words.
#[derive(Debug, Default)]
pub(crate) struct ParsedReferences {
    slots: RefCell<Slots>,
}

#[derive(Debug, Default)]
struct Slots {
    slots: Vec<Option<Box<Slot>>>,
    count: u32,
}

#[derive(Debug)]
struct Slot {
    text: Box<str>,
    at: usize,
    number: u32,
    reference: Arc<Reference>,
}

impl ParsedReferences {
    /// Creates those of a source that has references with lower numbers than `first` already.
    pub(crate) fn numbered_from(first: u32) -> Self {
        let parsed = Self::default();
        parsed.slots.borrow_mut().count = first;
        parsed
    }

    /// Returns the number of the next reference.
    pub(crate) fn count(&self) -> u32 {
        self.slots.borrow().count
    }

    /// Parses the reference at byte `at` of `text`, unless the same one was parsed before.
    ///
    /// # Errors
    /// As of [`Dialect::parse`].
    pub(crate) fn parse(
        &self,
        dialect: &dyn Dialect,
        text: &str,
        at: usize,
    ) -> Result<ParsedReference, SyntaxError> {
        let parse = || dialect.parse(text, at).map(ParsedReference::new);
        let Some(own) = own_text(dialect, text, at) else {
            return parse();
        };
        let mut slots = self.slots.borrow_mut();
        let Slots { slots, count } = &mut *slots;
        if slots.is_empty() {
            slots.resize_with(SLOTS, || None);
        }
        let position = hash(own, at) % SLOTS;
        let known = slots.get(position).and_then(Option::as_deref);
        let is_same = |known: &&Slot| known.at == at && *known.text == *own;
        if let Some(known) = known.filter(is_same) {
            return Ok(ParsedReference {
                reference: Arc::clone(&known.reference),
                number: Some(known.number),
            });
        }
        let parsed = parse()?;
        // In `"}"`, the closer is part of the reference, whose end depends on more text.
        if parsed.reference.range != (at..at + own.len()) {
            return Ok(parsed);
        }
        let number = *count;
        *count = count.saturating_add(1);
        if let Some(slot) = slots.get_mut(position) {
            *slot = Some(Box::new(Slot {
                text: own.into(),
                at,
                number,
                reference: Arc::clone(&parsed.reference),
            }));
        }
        Ok(ParsedReference {
            reference: parsed.reference,
            number: Some(number),
        })
    }
}

/// Returns the text of the reference at byte `at` through the first closer. `None` if what is
/// before it may matter, or if it is long.
fn own_text<'t>(dialect: &dyn Dialect, text: &'t str, at: usize) -> Option<&'t str> {
    if dialect.escape_before(text.as_bytes(), at) > 0 {
        return None;
    }
    let closer = dialect.notation().closer;
    let rest = text.as_bytes().get(at..)?;
    let rest = rest.get(..MAX_LENGTH).unwrap_or(rest);
    let (first, others) = closer.as_bytes().split_first()?;
    let end = memchr::memchr_iter(*first, rest).find(|end| {
        rest.get(end + 1..)
            .is_some_and(|after| after.starts_with(others))
    })?;
    text.get(at..at + end + closer.len())
}

/// Returns a number that differs for most texts and positions.
fn hash(text: &str, at: usize) -> usize {
    const MULTIPLIER: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut state = at as u64;
    let mut mix = |word: u64| state = (state.rotate_left(5) ^ word).wrapping_mul(MULTIPLIER);
    let mut words = text.as_bytes().chunks_exact(8);
    for word in &mut words {
        mix(word
            .iter()
            .fold(0, |word, byte| word << 8 | u64::from(*byte)));
    }
    mix(words
        .remainder()
        .iter()
        .fold(1, |word, byte| word << 8 | u64::from(*byte)));
    usize::try_from(state >> 40).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::ParsedReferences;
    use crate::reference::{DIALECTS, LANDFALL, Notation};

    #[test]
    fn a_reference_at_the_same_offset_is_shared() {
        let parsed = ParsedReferences::default();
        let parse = |text: &str, at| parsed.parse(LANDFALL, text, at).unwrap();
        let first = parse("${infra.a}", 0);
        assert_eq!(parse("${infra.a}/b", 0).number, first.number);
        for (text, at) in [("-${infra.a}", 1), ("${infra.b}", 0), ("${infra.a }", 0)] {
            assert_ne!(parse(text, at).number, first.number, "{text}");
        }
    }

    #[test]
    fn a_remembered_reference_is_what_its_dialect_parses() {
        let texts = [
            "${infra.a} }} >>",
            "${infra.a | default(\"}\")}",
            "$${infra.a}",
            "${infra[\"}\"]}${infra.b}",
            "${A:-${B}} ${A}",
            "${A} ${A:-${B}}",
            "{{ a }} {{ \"}}\" }}",
            "<<a>> << b >>",
            "${infra.a",
        ];
        for dialect in DIALECTS {
            let Notation { opener, closer, .. } = dialect.notation();
            let own = format!("{opener}a{closer} {opener} b {closer} {opener}a");
            let texts = texts.iter().copied().chain([&*own]);
            let parsed = ParsedReferences::default();
            for _ in 0..2 {
                for text in texts.clone() {
                    for at in (0..text.len()).filter(|at| dialect.is_opener(text.as_bytes(), *at)) {
                        let expected = dialect.parse(text, at);
                        let found = parsed.parse(*dialect, text, at);
                        assert_eq!(
                            found.map(|one| (*one.reference).clone()),
                            expected,
                            "{text}"
                        );
                    }
                }
            }
        }
    }
}
