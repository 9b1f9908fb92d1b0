//! The values of outputs that are written in a Binding or a contract may be sensitive, also
//! where a mistake hides the declaration: nothing that is reported about the document shows
//! them.

use crate::config::Config;
use crate::config::keys::{CLAUSE, OUTPUT};
use crate::report::{Diagnostic, Diagnostics, Origin};
use yaml::{Kind, NodeId, Role, Span, Tree, line_end, line_start};

/// The keys of `from` whose values name a document.
const NAMES: [&str; 4] = ["file", "mounted", "parameter", "resource"];

const INLINE: &str = "inline";

/// The key that declares outputs sensitive, of a bound document and in a contract.
const SENSITIVE: &str = "sensitive";

/// The keys of a contract's clause that have values of its output.
const EXAMPLES: [&str; 2] = ["enum", "example"];

/// Returns whether a document may have such values.
pub(crate) fn may_have(config: &Config) -> bool {
    [INLINE, SENSITIVE]
        .iter()
        .any(|key| memchr::memmem::find(&config.content, key.as_bytes()).is_some())
}

/// Conceals the values that are written in a document that could be read.
pub(crate) fn conceal_in(config: Option<&Config>, origin: Origin, found: &mut Diagnostics) {
    let mut labels = found.iter().flat_map(|found| &found.labels);
    let Some(config) = config.filter(|config| may_have(config)) else {
        return;
    };
    if labels.any(|label| label.origin == origin)
        && let Ok(text) = str::from_utf8(&config.content)
        && let Ok(tree) = yaml::locate(text)
    {
        conceal(&tree, origin, found);
    }
}

/// Conceals the values that are written in a document, whose tree this is.
pub(crate) fn conceal(tree: &Tree, origin: Origin, found: &mut Diagnostics) {
    let values = values(tree);
    if values.is_empty() {
        return;
    }
    for diagnostic in found.iter_mut() {
        conceal_one(diagnostic, tree.source(), &values, origin);
    }
}

/// Returns the bytes of the values, disjoint and in order.
fn values(tree: &Tree) -> Vec<Span> {
    let mut all: Vec<Span> = Vec::new();
    let mappings: Vec<(NodeId, Mapping)> =
        tree.ids().map(|id| (id, Mapping::of(tree, id))).collect();
    // What a contract in a Binding names may be what the Binding declares elsewhere.
    let has_sensitive = mappings.iter().any(|(_, of)| of.is_sensitive);
    for (mapping, of) in mappings {
        let is_example = |key: NodeId| {
            has_sensitive && tree.text(key).is_some_and(|name| EXAMPLES.contains(&name))
        };
        let entries = tree.entries(mapping);
        let values =
            entries.filter(|(key, value)| is_example(*key) || of.is_value(tree, *key, *value));
        all.extend(values.map(|(_, value)| with_properties(tree, value)));
    }
    all.sort_unstable();
    let mut values: Vec<Span> = Vec::new();
    for span in all {
        if values.last().is_none_or(|last| last.end <= span.start) {
            values.push(span);
        }
    }
    values
}

/// Returns the bytes of a value with its tag and anchor.
fn with_properties(tree: &Tree, value: NodeId) -> Span {
    let node = &tree[value];
    let extent = node.extent();
    let before = tree.source().get(node.after()..extent.start);
    let properties = before.unwrap_or_default().trim_start();
    Span::new(extent.start - properties.len(), extent.end)
}

/// What the values of a mapping are.
struct Mapping {
    /// It is that of the key `from`.
    is_source: bool,
    /// It declares the outputs that it is about sensitive.
    is_sensitive: bool,
}

impl Mapping {
    fn of(tree: &Tree, id: NodeId) -> Self {
        let is_source = match tree[id].role() {
            Role::Value(key) => tree.text(key) == Some("from"),
            _ => false,
        };
        let declares = |(key, value): (NodeId, NodeId)| {
            tree.text(key) == Some(SENSITIVE)
                && match tree.text(value) {
                    // Also if it is no bool.
                    Some(text) => !text.eq_ignore_ascii_case("false"),
                    None => matches!(tree[value].kind(), Kind::Sequence { .. }),
                }
        };
        Self {
            is_source,
            is_sensitive: tree.entries(id).any(declares),
        }
    }

    /// Returns whether the value of a key is, or may be meant as, the outputs themselves.
    fn is_value(&self, tree: &Tree, key: NodeId, value: NodeId) -> bool {
        match tree.text(key) {
            Some(INLINE) => true,
            // Not a mapping.
            Some("from") => tree.entries(value).next().is_none(),
            Some(name) if self.is_source => !NAMES.contains(&name),
            Some(name) if self.is_sensitive && name != SENSITIVE => {
                let mut known = OUTPUT.known.iter().chain(CLAUSE.known);
                !known.any(|known| *known == name)
            }
            Some(_) => false,
            None => self.is_source || self.is_sensitive,
        }
    }
}

fn conceal_one(diagnostic: &mut Diagnostic, text: &str, values: &[Span], origin: Origin) {
    let own = diagnostic
        .labels
        .iter()
        .filter(|label| label.origin == origin);
    let spans = own.map(|label| label.span);
    let Some(all) = spans.reduce(|a, b| Span::new(a.start.min(b.start), a.end.max(b.end))) else {
        return;
    };
    // Hosts show the lines of locations, and those between two of them.
    let start = line_start(text, all.start.min(text.len()));
    let end = line_end(text, all.end.min(text.len()));
    let first = values.partition_point(|value| value.end < start);
    if values.get(first).is_none_or(|value| value.start > end) {
        return;
    }
    diagnostic.fixes.clear();
    let mut is_about_a_value = false;
    for label in diagnostic
        .labels
        .iter_mut()
        .filter(|label| label.origin == origin)
    {
        label.conceal = true;
        let at = label.span.start;
        let line = line_start(text, at.min(text.len()));
        let next = values.partition_point(|value| value.start <= at);
        let before = next.checked_sub(1).and_then(|before| values.get(before));
        if let Some(value) = before.filter(|value| value.end > line) {
            is_about_a_value |= at < value.end;
            // The column would reveal how long the value is.
            label.span = Span::point(value.start.max(line));
        } else if values
            .get(next)
            .is_some_and(|value| value.start < label.span.end)
        {
            label.span.end = at;
        }
    }
    if is_about_a_value {
        diagnostic.message = unquoted(&diagnostic.message);
    }
}

/// Returns a message without the texts that it quotes, unless they are our own.
fn unquoted(message: &str) -> String {
    let mut unquoted = String::new();
    for (nth, part) in message.split('`').enumerate() {
        match nth % 2 {
            0 => unquoted.push_str(part),
            _ if part == INLINE || part == "from" => {
                unquoted.push('`');
                unquoted.push_str(part);
                unquoted.push('`');
            }
            _ => unquoted.push_str("`…`"),
        }
    }
    unquoted
}
