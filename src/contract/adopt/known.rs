//! The values of outputs that are distinct enough to be found in manifests.

use crate::contract::adopt::lists::{END, MAX_ITEMS};
use crate::contract::hard_coded::{
    MAX_NAMED, MAX_PREFIX, MIN_LENGTH, MIN_PART_LENGTH, Texted, is_boundary, prefixes,
};
use crate::outputs::{Bindings, Value};
use crate::reference::{Dialect, LANDFALL, Path, Reference, Segment, Step, Syntax};

/// A value and the outputs that have it.
pub(super) struct Known {
    pub(super) text: String,
    /// Those that are named, sorted.
    pub(super) outputs: Vec<KnownOutput>,
    pub(super) is_sensitive: bool,
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
    /// Leaves as many outputs as are named, and of those with one label two: a value with two
    /// outputs is ambiguous.
    fn truncate(&mut self) {
        // Of public and of sensitive outputs: the last label, and how often it was left.
        let mut left = [(String::new(), 0), (String::new(), 0)];
        let mut labels = [0, 0];
        self.outputs.retain(|output| {
            let class = usize::from(output.is_sensitive);
            let (label, count) = &mut left[class];
            if *count == 0 || *label != output.label {
                (*label, *count) = (output.label.clone(), 0);
                labels[class] += 1;
            }
            *count += 1;
            *count <= 2 && labels[class] <= MAX_NAMED
        });
    }
}

impl Texted for Known {
    fn text(&self) -> &str {
        &self.text
    }
}

/// A list and the outputs that have it.
pub(super) struct KnownList {
    /// Its items, each followed by [`END`].
    pub(super) text: String,
    /// The names that reports show, and the paths.
    pub(super) outputs: Vec<(String, Path)>,
}

impl Texted for KnownList {
    fn text(&self) -> &str {
        &self.text
    }
}

/// All values that are looked for.
#[derive(Default)]
pub(super) struct KnownValues {
    /// Sorted by text, and each text once.
    sorted: Vec<Known>,
    /// Likewise.
    lists: Vec<KnownList>,
}

/// A value in a text.
pub(super) struct Found<'k> {
    /// The bytes of the text.
    pub(super) range: std::ops::Range<usize>,
    pub(super) known: &'k Known,
}

impl KnownValues {
    /// Collects the outputs, the members of objects, and whole lists. Single items of lists are
    /// left out: the position of an item says nothing about what it is.
    pub(super) fn new(bindings: &Bindings, dialect: &dyn Dialect) -> Self {
        let (mut all, mut lists) = (Vec::new(), Vec::new());
        for name in bindings.names() {
            for (output, bound) in bindings
                .outputs(name)
                .into_iter()
                .flat_map(|map| map.iter())
            {
                let path = if !dialect.notation().names_variables {
                    Path::new(Some(name.to_owned()), output)
                } else if bindings.is_variable(name, output) {
                    Path::new(None, output)
                } else {
                    continue;
                };
                let each = &mut |value: &Value, path: Path| {
                    if !bound.sensitive {
                        lists.extend(known_list(value, &path));
                    }
                    all.extend(known_value(value, path, bound.sensitive, dialect));
                };
                visit(&bound.value, path, each);
            }
        }
        if dialect.notation().id != LANDFALL.notation().id {
            lists.clear();
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
        sorted.iter_mut().for_each(Known::truncate);
        lists.sort_by(|a, b| a.text.cmp(&b.text));
        lists.dedup_by(|next: &mut KnownList, last| {
            let is_equal = next.text == last.text;
            if is_equal {
                last.outputs.append(&mut next.outputs);
            }
            is_equal
        });
        Self { sorted, lists }
    }

    pub(super) const fn has_lists(&self) -> bool {
        !self.lists.is_empty()
    }

    /// Returns whether a text is the first item of a list.
    pub(super) fn begins_list(&self, item: &str) -> bool {
        let begins = |list: &KnownList| {
            let rest = list.text.strip_prefix(item);
            rest.is_some_and(|rest| rest.starts_with(END))
        };
        // `END` sorts before all else.
        let next = self.lists.partition_point(|list| *list.text < *item);
        self.lists.get(next).is_some_and(begins)
    }

    /// Returns the longest list with which these items begin, each followed by [`END`].
    pub(super) fn longest_list(&self, items: &str) -> Option<&KnownList> {
        prefixes(&self.lists, items).next()
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

/// Calls `each` with a value, or with the members of an object, at any depth.
fn visit(value: &Value, path: Path, each: &mut dyn FnMut(&Value, Path)) {
    let Value::Object(entries) = value else {
        return each(value, path);
    };
    for (key, value) in entries {
        let mut path = path.clone();
        path.segments.push(Segment {
            step: Step::Key(key.name.clone()),
            range: 0..0,
            whole: 0..0,
        });
        visit(value, path, each);
    }
}

/// Returns a value that is distinct enough to be found.
fn known_value(
    value: &Value,
    path: Path,
    is_sensitive: bool,
    dialect: &dyn Dialect,
) -> Option<Known> {
    let text = match value {
        Value::String(text) if is_distinct(text) || (is_sensitive && is_secret(text)) => text,
        Value::Number(digits) if is_long_integer(digits) => digits,
        _ => return None,
    };
    let label = path.display_to(if is_sensitive { 1 } else { path.segments.len() });
    let reference = Reference::new(path, Vec::new());
    let write = |quote| dialect.write(&Syntax::Reference(&reference), quote);
    Some(Known {
        text: text.clone(),
        outputs: vec![KnownOutput {
            label,
            references: [write('"')?, write('\'')?],
            is_sensitive,
        }],
        is_sensitive,
    })
}

/// Returns a list of at least two strings, each of which is distinct enough to be found.
fn known_list(value: &Value, path: &Path) -> Option<KnownList> {
    let Value::List(items) = value else {
        return None;
    };
    let mut text = String::new();
    for item in items {
        let Value::String(item) = item else {
            return None;
        };
        text.push_str(Some(item).filter(|item| is_distinct(item))?);
        text.push(END);
    }
    let outputs = vec![(path.display(), path.clone())];
    let is_found = (2..=MAX_ITEMS).contains(&items.len());
    is_found.then_some(KnownList { text, outputs })
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
