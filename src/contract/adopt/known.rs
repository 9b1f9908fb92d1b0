//! The values of outputs that are distinct enough to be found in manifests.

use crate::outputs::{Bindings, Value};
use crate::reference::{Dialect, Path, Reference, Segment, Step, Syntax};

/// The minimum length of a value, in characters.
const MIN_LENGTH: usize = 6;

/// The minimum length of a value that is only a part of a scalar, or that is sensitive and
/// a single word.
const MIN_PART_LENGTH: usize = 8;

/// A value and the outputs that have it.
pub(super) struct Known {
    pub(super) text: String,
    /// Each as it is written, with the name that messages show.
    pub(super) outputs: Vec<(String, String)>,
    pub(super) is_sensitive: bool,
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
                let path = Path::new(Some(name.to_owned()), output);
                collect(&bound.value, path, bound.sensitive, dialect, &mut all);
            }
        }
        all.sort_by(|a, b| (&a.text, &a.outputs).cmp(&(&b.text, &b.outputs)));
        let mut sorted: Vec<Known> = Vec::with_capacity(all.len());
        for known in all {
            match sorted.last_mut().filter(|last| last.text == known.text) {
                Some(last) => {
                    last.outputs.extend(known.outputs);
                    last.is_sensitive |= known.is_sensitive;
                }
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

    /// Returns the longest value that begins at a byte of the text and ends at a boundary.
    fn longest(&self, text: &str, at: usize) -> Option<&Known> {
        let mut rest = text.get(at..)?;
        loop {
            let next = self.sorted.partition_point(|known| *known.text <= *rest);
            let known = self.sorted.get(next.checked_sub(1)?)?;
            let common = common_prefix(&known.text, rest);
            if common < known.text.len() {
                // Any other value that `rest` begins with is shorter.
                if common == 0 {
                    return None;
                }
                rest = rest.get(..common)?;
                continue;
            }
            let is_long = known.text.chars().count() >= MIN_PART_LENGTH;
            if is_long && is_boundary(text, at + common) {
                return Some(known);
            }
            let last = known.text.char_indices().next_back()?.0;
            rest = rest.get(..last)?;
        }
    }
}

/// Returns the number of bytes with which both texts begin, in whole characters.
fn common_prefix(a: &str, b: &str) -> usize {
    let pairs = a.chars().zip(b.chars());
    pairs
        .take_while(|(a, b)| a == b)
        .map(|(a, _)| a.len_utf8())
        .sum()
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
    let shown = path.display();
    let reference = Reference::new(path, Vec::new());
    if let Some(written) = dialect.write(&Syntax::Reference(&reference), '"') {
        all.push(Known {
            text: text.clone(),
            outputs: vec![(written, shown)],
            is_sensitive,
        });
    }
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
fn is_boundary(text: &str, at: usize) -> bool {
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
