//! The values of outputs that are distinct enough to be found in manifests.

use crate::contract::adopt::prefixes::MAX_PREFIX;
use crate::contract::adopt::prefixes::{Texted, prefixes};
use crate::outputs::{Bindings, Value};
use crate::reference::{Dialect, Path, Reference, Segment, Step, Syntax};

/// The minimum length of a value, in characters.
const MIN_LENGTH: usize = 6;

/// The minimum length of a value that is only a part of a scalar, or that is sensitive and
/// a single word.
pub(super) const MIN_PART_LENGTH: usize = 8;

/// A value and the outputs that have it.
pub(super) struct Known {
    pub(super) text: String,
    pub(super) outputs: Vec<KnownOutput>,
}

/// An output, or a member of one, that has a value.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct KnownOutput {
    /// The name that reports show. The keys of a sensitive object may be secret too, so its
    /// members have the name of the output.
    pub(super) label: String,
    /// The reference with its keys in double quotes and in single quotes.
    references: [String; 2],
    pub(super) is_sensitive: bool,
}

impl KnownOutput {
    /// Returns the reference as it is written where no character of `excluded` is allowed;
    /// `None` if it cannot be.
    pub(super) fn reference(&self, excluded: &str) -> Option<&str> {
        let is_allowed = |text: &&String| !text.contains(|c| excluded.contains(c) || c == '\\');
        self.references.iter().find(is_allowed).map(String::as_str)
    }
}

impl Known {
    pub(super) fn is_sensitive(&self) -> bool {
        self.outputs.iter().any(|output| output.is_sensitive)
    }
}

impl Texted for Known {
    fn text(&self) -> &str {
        &self.text
    }
}

/// All values that are looked for.
pub(super) struct KnownValues {
    /// Sorted by text, and each text once.
    sorted: Vec<Known>,
}

/// A value in a text.
pub(super) struct Found<'k> {
    /// The bytes of the text.
    pub(super) range: std::ops::Range<usize>,
    pub(super) known: &'k Known,
}

impl KnownValues {
    /// Collects the outputs and the members of objects. Items of lists are left out: the
    /// position of an item says nothing about what it is.
    pub(super) fn new(bindings: &Bindings, dialect: &dyn Dialect) -> Self {
        let mut all = Vec::new();
        for name in bindings.names() {
            for (output, bound) in bindings
                .outputs(name)
                .into_iter()
                .flat_map(|map| map.iter())
            {
                let path = match dialect.notation().names_variables {
                    true if !bindings.is_variable(name, output) => continue,
                    true => Path::new(None, output),
                    false => Path::new(Some(name.to_owned()), output),
                };
                collect(&bound.value, path, bound.sensitive, dialect, &mut all);
            }
        }
        all.sort_by(|a, b| (&a.text, &a.outputs).cmp(&(&b.text, &b.outputs)));
        let mut sorted: Vec<Known> = Vec::with_capacity(all.len());
        for known in all {
            match sorted.last_mut().filter(|last| last.text == known.text) {
                Some(last) => last.outputs.extend(known.outputs),
                None => sorted.push(known),
            }
        }
        Self { sorted }
    }

    /// Returns the values in the text of a scalar: the one that is all of it, or those at
    /// token boundaries, without overlaps.
    pub(super) fn find(&self, text: &str) -> Vec<Found<'_>> {
        let content = text.trim_end_matches('\n');
        if let Ok(at) = self
            .sorted
            .binary_search_by(|known| (*known.text).cmp(content))
        {
            let range = 0..content.len();
            return (self.sorted.get(at))
                .map(|known| Found { range, known })
                .into_iter()
                .collect();
        }
        let mut found = Vec::new();
        let mut done = 0;
        for (at, _) in text.char_indices() {
            if at < done || !is_boundary(text, at) {
                continue;
            }
            if let Some(known) = self.longest(text, at) {
                done = at + known.text.len();
                found.push(Found {
                    range: at..done,
                    known,
                });
            }
        }
        found
    }

    /// Returns the longest value that begins at a byte of the text and ends at a boundary. A
    /// value longer than [`MAX_PREFIX`] is only found as a whole text.
    fn longest(&self, text: &str, at: usize) -> Option<&Known> {
        let end = text.floor_char_boundary(at + MAX_PREFIX);
        prefixes(&self.sorted, text.get(at..end)?).find(|known| {
            known.text.chars().count() >= MIN_PART_LENGTH
                && is_boundary(text, at + known.text.len())
        })
    }
}

fn collect(
    value: &Value,
    path: Path,
    is_sensitive: bool,
    dialect: &dyn Dialect,
    all: &mut Vec<Known>,
) {
    if let Value::Object(entries) = value {
        for (key, value) in entries {
            let mut path = path.clone();
            path.segments.push(Segment {
                step: Step::Key(key.name.clone()),
                range: 0..0,
                whole: 0..0,
            });
            collect(value, path, is_sensitive, dialect, all);
        }
        return;
    }
    let text = match value {
        Value::String(text) if is_distinct(text) || (is_sensitive && is_secret(text)) => text,
        Value::Number(digits) if is_long_integer(digits) => digits,
        _ => return,
    };
    let label = path.display_to(if is_sensitive { 1 } else { path.segments.len() });
    let reference = Reference::new(path, Vec::new());
    let write = |quote| dialect.write(&Syntax::Reference(&reference), quote);
    if let (Some(double), Some(single)) = (write('"'), write('\'')) {
        all.push(Known {
            text: text.clone(),
            outputs: vec![KnownOutput {
                label,
                references: [double, single],
                is_sensitive,
            }],
        });
    }
}

/// Returns whether a sensitive value is reported where it is all of a scalar. It may have
/// several lines.
pub(super) fn is_distinct_or_secret(text: &str) -> bool {
    let length = text.chars().count();
    length >= MIN_PART_LENGTH || (length >= MIN_LENGTH && text.chars().any(|c| !c.is_alphabetic()))
}

/// Whether a text is unlikely to be in a manifest by chance: it is long enough, on one line,
/// and not a single word.
fn is_distinct(text: &str) -> bool {
    text.chars().count() >= MIN_LENGTH
        && !text.chars().any(char::is_control)
        && text.trim() == text
        && text.chars().any(|c| !c.is_alphabetic())
}

fn is_secret(text: &str) -> bool {
    text.chars().count() >= MIN_PART_LENGTH && !text.chars().any(char::is_control)
}

fn is_long_integer(digits: &str) -> bool {
    digits.len() >= MIN_LENGTH && digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether no word and no number with dots continues across byte `at`.
pub(super) fn is_boundary(text: &str, at: usize) -> bool {
    let (Some(before), Some(after)) = (text.get(..at), text.get(at..)) else {
        return false;
    };
    let mut back = before.chars().rev();
    let mut on = after.chars();
    let [last, before_last] = [back.next(), back.next()];
    let [first, second] = [on.next(), on.next()];
    let is = |c: Option<char>, test: fn(char) -> bool| c.is_some_and(test);
    let digit = |c: char| c.is_ascii_digit();
    let dotted_before = last == Some('.') && is(before_last, digit) && is(first, digit);
    let dotted_after = first == Some('.') && is(last, digit) && is(second, digit);
    let in_word = is(last, char::is_alphanumeric) && is(first, char::is_alphanumeric);
    !in_word && !dotted_before && !dotted_after
}
