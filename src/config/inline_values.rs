//! The outputs that are written in a Binding may be sensitive, also where a mistake hides
//! the declaration: nothing that is reported about the Binding shows them.

use crate::config::Config;
use crate::report::{Diagnostic, Diagnostics, Origin};
use yaml::{NodeId, Role, Span, Tree, line_end, line_start};

/// The keys of `from` whose values name a document.
const NAMES: [&str; 3] = ["file", "mounted", "parameter"];

const INLINE: &str = "inline";

/// Returns whether a document may have such values.
pub(crate) fn may_have(config: &Config) -> bool {
    memchr::memmem::find(&config.content, INLINE.as_bytes()).is_some()
}

/// Conceals the values that are written in a Binding that could be read.
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

/// Conceals the values that are written in a Binding, whose tree this is.
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
    let mut values: Vec<Span> = Vec::new();
    for key in tree.ids() {
        if let Some(value) = tree
            .value_of(key)
            .filter(|value| is_value(tree, key, *value))
        {
            let value = Span::from(tree[value].extent());
            if values.last().is_none_or(|last| last.end <= value.start) {
                values.push(value);
            }
        }
    }
    values
}

/// Returns whether the value of a key is, or may be meant as, the outputs themselves.
fn is_value(tree: &Tree, key: NodeId, value: NodeId) -> bool {
    let name = tree.text(key);
    let parent = tree[key].parent().map(|parent| tree[parent].role());
    let in_from = match parent {
        Some(Role::Value(key)) => tree.text(key) == Some("from"),
        _ => false,
    };
    match name {
        Some(INLINE) => true,
        // Not a mapping.
        Some("from") => tree.entries(value).next().is_none(),
        name => in_from && !name.is_some_and(|name| NAMES.contains(&name)),
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
