//! The values of sensitive outputs, wherever they are in a document: in scalars, keys and
//! comments, escaped or in embedded documents.

use std::borrow::Cow;
use std::ops::Range;

use memchr::memmem::Finder;
use percent_encoding::percent_decode_str;

use crate::collections::OrderedMap;
use crate::contract::hard_coded::{
    MAX_NAMED, MAX_PREFIX, MIN_PART_LENGTH, Texted, is_boundary, is_distinct_or_secret, prefixes,
};
use crate::functions::hexadecimal;
use crate::kubernetes::is_kind;
use crate::outputs::{Bindings, Value, base64_text};
use crate::reference::{self, Heads, Path, mask_references};
use yaml::{Kind, NodeId, Tree, masked};

/// The minimum length of a line of a value with several lines: shorter ones, such as `}`,
/// are in many documents.
const MIN_LINE_LENGTH: usize = 4;

/// Text is searched as it is, and with this many levels of escapes removed.
const MAX_ESCAPES: usize = 3;

/// Documents that are embedded at a greater depth are taken for sensitive.
const MAX_DEPTH: usize = 8;

/// The text of all sensitive values.
pub(in crate::contract) struct SensitiveValues {
    /// The trimmed lines of values. Sorted, and each once.
    lines: Vec<String>,
    /// Values that are distinct enough to be reported. Sorted by text, and each text once.
    values: Vec<SensitiveValue>,
    /// Such lines and values that are longer than [`MAX_PREFIX`].
    long_lines: Vec<Finder<'static>>,
    long_values: Vec<(Finder<'static>, SensitiveValue)>,
}

/// A sensitive value, trimmed.
struct SensitiveValue {
    text: String,
    /// The first that have it: `infra.password`.
    outputs: Vec<String>,
}

impl Texted for SensitiveValue {
    fn text(&self) -> &str {
        &self.text
    }
}

/// A sensitive value in a text.
pub(in crate::contract) struct Occurrence<'s> {
    /// The bytes of the text.
    pub(in crate::contract) range: Range<usize>,
    /// The outputs that have this value.
    pub(in crate::contract) outputs: &'s [String],
}

/// Returns what a text is in the base64 of a longer one, with and without padding: three forms,
/// by the position of its first byte in a group of three.
fn base64_inside(text: &str) -> [String; 3] {
    [0, 1, 2].map(|before: usize| {
        let encoded = base64_text(&format!("{}{text}", " ".repeat(before)));
        // Characters that also depend on the bytes before and after.
        let first = [0, 2, 3][before];
        let last = encoded.len() - [0, 3, 2][(before + text.len()) % 3];
        encoded.get(first..last).unwrap_or_default().to_owned()
    })
}

impl SensitiveValues {
    /// Collects all strings and numbers in sensitive outputs.
    pub(in crate::contract) fn new(bindings: &Bindings) -> Self {
        let mut sensitive = Self {
            lines: Vec::new(),
            values: Vec::new(),
            long_lines: Vec::new(),
            long_values: Vec::new(),
        };
        for name in bindings.names() {
            let outputs = bindings
                .outputs(name)
                .into_iter()
                .flat_map(|map| map.iter());
            for (output, bound) in outputs.filter(|(_, bound)| bound.sensitive) {
                let label = Path::new(Some(name.to_owned()), output).display();
                sensitive.collect(&bound.value, &label);
            }
        }
        sensitive.lines.sort_unstable();
        sensitive.lines.dedup();
        let mut values = std::mem::take(&mut sensitive.values);
        values.sort_by(|a, b| (&a.text, &a.outputs).cmp(&(&b.text, &b.outputs)));
        for value in values {
            match sensitive
                .values
                .last_mut()
                .filter(|last| last.text == value.text)
            {
                Some(last) => last.outputs.extend(value.outputs),
                None => sensitive.values.push(value),
            }
        }
        for value in &mut sensitive.values {
            value.outputs.dedup();
            value.outputs.truncate(MAX_NAMED);
        }
        let is_long = |text: &str| text.len() > MAX_PREFIX;
        let finder = |text: &str| Finder::new(text).into_owned();
        let lines = sensitive.lines.extract_if(.., |line| is_long(line));
        sensitive.long_lines = lines.map(|line| finder(&line)).collect();
        let values = (sensitive.values).extract_if(.., |value| is_long(&value.text));
        sensitive.long_values = values.map(|value| (finder(&value.text), value)).collect();
        sensitive
    }

    fn collect(&mut self, value: &Value, output: &str) {
        let text = match value {
            Value::Object(entries) => {
                return (entries.iter()).for_each(|(_, value)| self.collect(value, output));
            }
            Value::List(items) => return items.iter().for_each(|item| self.collect(item, output)),
            Value::String(text) => text.trim(),
            Value::Number(digits) => digits.trim_start_matches('-'),
            Value::Bool(_) | Value::Null => return,
        };
        if text.is_empty() {
            return;
        }
        let min_length = if text.contains('\n') {
            MIN_LINE_LENGTH
        } else {
            1
        };
        let lines = text
            .lines()
            .map(str::trim)
            .filter(|line| line.chars().count() >= min_length);
        self.lines.extend(lines.map(str::to_owned));
        if text.chars().count() >= MIN_LINE_LENGTH {
            let inner = base64_inside(text);
            let is_long = |inner: &String| inner.len() >= MIN_LINE_LENGTH;
            self.lines.extend(inner.into_iter().filter(is_long));
            let hex = hexadecimal(text.as_bytes());
            self.lines.extend([hex.to_ascii_uppercase(), hex]);
        }
        if is_distinct_or_secret(text) {
            self.values.push(SensitiveValue {
                text: text.to_owned(),
                outputs: vec![output.to_owned()],
            });
        }
    }

    /// Returns whether no sensitive value is distinct enough to be reported.
    pub(in crate::contract) const fn is_empty(&self) -> bool {
        self.values.is_empty() && self.long_values.is_empty()
    }

    /// Returns whether the lines of a document must not be shown: its text or one of its
    /// decoded scalars contains a sensitive value, or it may contain a Secret.
    pub(in crate::contract) fn conceal(&self, text: &str, tree: &Tree, heads: &Heads) -> bool {
        self.are_in(text) || self.are_in_scalars(tree, heads, 0)
    }

    fn are_in_scalars(&self, tree: &Tree, heads: &Heads, depth: usize) -> bool {
        tree.ids().any(|id| match tree.text(id) {
            Some("kind") => has_variable_kind(tree, id),
            Some(text) => self.are_in(text) || self.are_embedded_in(text, heads, depth),
            None => false,
        })
    }

    /// Returns whether the text of a scalar is a document with scalars that contain
    /// sensitive values.
    fn are_embedded_in(&self, text: &str, heads: &Heads, depth: usize) -> bool {
        // In any other text, scalars are written as they are.
        if memchr::memchr3(b'\n', b'\'', b'"', text.as_bytes()).is_none() {
            return false;
        }
        yaml::split(text).iter().any(|document| {
            let masks = mask_references(document.text, heads, &OrderedMap::new());
            let ranges: Vec<Range<usize>> = masks.into_iter().map(|mask| mask.range).collect();
            let Ok(tree) = reference::locate(masked(document.text, ranges.iter())) else {
                return false;
            };
            let tree = tree.unmasked(document.text, &ranges);
            if tree.text(0) == Some(document.text.trim()) {
                // A plain scalar: there is nothing else in it.
                return false;
            }
            depth >= MAX_DEPTH || self.are_in_scalars(&tree, heads, depth + 1)
        })
    }

    /// Returns whether a text contains a sensitive value or the word `Secret`, escaped or
    /// not.
    fn are_in(&self, text: &str) -> bool {
        if memchr::memchr(b'%', text.as_bytes()).is_some()
            && let decoded = percent_decode_str(text).decode_utf8_lossy()
            && self.are_written_in(&decoded)
        {
            return true;
        }
        let mut text = Cow::Borrowed(text);
        for _ in 0..=MAX_ESCAPES {
            if has_secret(&text) || self.are_written_in(&text) {
                return true;
            }
            match unescaped(&text) {
                Some(unescaped) => text = Cow::Owned(unescaped),
                None => return false,
            }
        }
        false
    }

    fn are_written_in(&self, text: &str) -> bool {
        let begins = |at| prefixes(&self.lines, text.get(at..).unwrap_or_default()).next();
        !self.lines.is_empty() && text.char_indices().any(|(at, _)| begins(at).is_some())
            || (self.long_lines.iter()).any(|line| line.find(text.as_bytes()).is_some())
    }

    /// Returns the sensitive values in a text that are distinct enough to be reported, also
    /// overlapping ones: the longest at each byte, and each that is longer than
    /// [`MAX_PREFIX`].
    pub(in crate::contract) fn find<'s>(&'s self, text: &str) -> Vec<Occurrence<'s>> {
        let mut found = Vec::new();
        let whole = text.trim();
        let is_reported = |value: &SensitiveValue, at: usize| {
            let is_word = || value.text.chars().all(char::is_alphanumeric);
            let end = at + value.text.len();
            value.text == whole
                || value.text.chars().count() >= MIN_PART_LENGTH
                    && (is_boundary(text, at) && is_boundary(text, end) || !is_word())
        };
        let occurrence = |value: &'s SensitiveValue, at: usize| Occurrence {
            range: at..at + value.text.len(),
            outputs: &value.outputs,
        };
        if !self.values.is_empty() {
            for (at, _) in text.char_indices() {
                let rest = text.get(at..).unwrap_or_default();
                let mut begun = prefixes(&self.values, rest);
                if let Some(value) = begun.find(|value| is_reported(value, at)) {
                    found.push(occurrence(value, at));
                }
            }
        }
        for (finder, value) in &self.long_values {
            let all = finder.find_iter(text.as_bytes());
            for at in all.filter(|at| is_reported(value, *at)) {
                found.push(occurrence(value, at));
            }
        }
        found
    }
}

/// Returns whether a text contains the word `Secret`, `SecretList` or `stringData`: a
/// document of such a kind, and text that may become one.
fn has_secret(text: &str) -> bool {
    const SECRET: &str = "Secret";
    let is_word = |at: usize| {
        let before = text.get(..at).and_then(|text| text.chars().next_back());
        let rest = text.get(at + SECRET.len()..).unwrap_or_default();
        let after = rest.strip_prefix("List").unwrap_or(rest).chars().next();
        ![before, after]
            .into_iter()
            .flatten()
            .any(char::is_alphanumeric)
    };
    memchr::memmem::find_iter(text.as_bytes(), SECRET).any(is_word)
        || memchr::memmem::find(text.as_bytes(), b"stringData").is_some()
}

/// Returns whether the value of the key `kind` is not the name of a kind, but becomes one: a
/// variable, a template, an alias.
fn has_variable_kind(tree: &Tree, key: NodeId) -> bool {
    let Some(value) = tree.value_of(key) else {
        return false;
    };
    match tree[value].kind() {
        Kind::Scalar { .. } => !tree.text(value).is_some_and(is_kind),
        Kind::Alias(_) => true,
        Kind::Sequence { .. } | Kind::Mapping { .. } => false,
    }
}

/// Returns a text without one level of the escapes of JSON and YAML; `None` if it has none.
fn unescaped(text: &str) -> Option<String> {
    let mut unescaped = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = memchr::memchr2(b'\\', b'\'', rest.as_bytes()) {
        let (before, escape) = rest.split_at(at);
        unescaped.push_str(before);
        let (character, length) = escaped(escape).unwrap_or((char::from(rest.as_bytes()[at]), 1));
        unescaped.push(character);
        rest = escape.get(length..).unwrap_or_default();
    }
    unescaped.push_str(rest);
    (unescaped != text).then_some(unescaped)
}

/// Returns the character that an escape at the start of a text represents, and its length.
fn escaped(text: &str) -> Option<(char, usize)> {
    let hex = |from: usize, digits: usize| {
        let digits = text.get(from..from + digits)?;
        u32::from_str_radix(digits, 16).ok()
    };
    let of_code = |digits: usize| {
        let code = hex(2, digits)?;
        if let (0xd800..0xdc00, Some("\\u"), Some(low @ 0xdc00..0xe000)) =
            (code, text.get(6..8), hex(8, 4))
        {
            let code = 0x1_0000 + ((code - 0xd800) << 10) + (low - 0xdc00);
            return Some((char::from_u32(code)?, 12));
        }
        Some((char::from_u32(code)?, 2 + digits))
    };
    match text.as_bytes().get(1)? {
        b'\'' => Some(('\'', 2)),
        _ if text.starts_with('\'') => None,
        b'n' => Some(('\n', 2)),
        b't' => Some(('\t', 2)),
        b'r' => Some(('\r', 2)),
        other @ (b'\\' | b'"' | b'/' | b' ') => Some((char::from(*other), 2)),
        b'x' => of_code(2),
        b'u' => of_code(4),
        b'U' => of_code(8),
        _ => None,
    }
}
