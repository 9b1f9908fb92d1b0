//! The names that fit a node of a reference.

use crate::analysis::document::TextAt;
use crate::assist::node::{Node, descendant, output, values_before};
use crate::assist::{Completion, CompletionKind};
use crate::collections::OrderedMap;
use crate::functions::{FUNCTIONS, Function, Inferred};
use crate::outputs::{Bindings, Bound, Type, Value};
use crate::reference::{Call, Path, Reference, Segment, landfall};
use yaml::Span;

/// An output, a key or an index.
struct Member {
    name: String,
    kind: CompletionKind,
    detail: String,
    is_index: bool,
}

/// What completions depend on: the text, the offset in it, and the bindings.
pub(super) struct CompletionContext<'a> {
    pub(super) text: &'a TextAt<'a>,
    /// The offset in the file.
    pub(super) offset: usize,
    /// Where the word around the offset ends in the text.
    pub(super) end: usize,
    pub(super) bindings: &'a Bindings,
}

impl CompletionContext<'_> {
    /// Returns everything that fits what has been typed, best first.
    pub(super) fn completions(&self, reference: &Reference, node: Node<'_>) -> Vec<Completion> {
        let start = node.range(reference).start.min(self.text.at);
        let offers = match node {
            Node::Binding(_) => {
                let mut offers = self.bindings(start);
                offers.extend(self.omit(start));
                offers
            }
            Node::Segment(path, nth) => self.members(start, path, nth),
            Node::Call { nth, depth } => self.functions(start, reference, nth, depth),
        };
        let written = self.text.text.get(start..self.text.at);
        let typed = written.unwrap_or_default().to_lowercase();
        let (mut best, mut rest) = (Vec::new(), Vec::new());
        for offer in offers {
            let label = offer.label.to_lowercase();
            if label.starts_with(&typed) {
                best.push(offer);
            } else if label.contains(&typed) {
                rest.push(offer);
            }
        }
        best.append(&mut rest);
        best
    }

    /// Returns the text after the word.
    fn rest(&self) -> &str {
        self.text.text.get(self.end..).unwrap_or_default()
    }

    /// Returns the completion that replaces the text from `start` to the end of the word.
    fn completion(
        &self,
        start: usize,
        label: &str,
        kind: CompletionKind,
        detail: String,
        insert: &str,
    ) -> Completion {
        let span = if start < self.end {
            let Span { start, end } = self.text.span(&(start..self.end));
            // The offset may be in a folded line break.
            Span::new(start, end.max(self.offset))
        } else {
            Span::point(self.offset)
        };
        Completion {
            label: label.to_owned(),
            kind,
            detail,
            insert: self.text.written(insert),
            span,
        }
    }

    /// Returns the word that only `default` takes.
    fn omit(&self, start: usize) -> Option<Completion> {
        let opened = self.text.text.get(..start)?.trim_end();
        let before = opened.strip_suffix('(')?.trim_end();
        if !before.ends_with("default") {
            return None;
        }
        let detail = "removes the entry or item if there is no value".to_owned();
        Some(self.completion(start, "omit", CompletionKind::Function, detail, "omit"))
    }

    fn bindings(&self, start: usize) -> Vec<Completion> {
        let continues = self.rest().starts_with(['.', '[']);
        let binding = |name: &str| {
            let detail = match self.bindings.outputs(name).map_or(0, OrderedMap::len) {
                1 => "1 output".to_owned(),
                outputs => format!("{outputs} outputs"),
            };
            let insert = format!("{name}{}", if continues { "" } else { "." });
            self.completion(start, name, CompletionKind::Binding, detail, &insert)
        };
        self.bindings.names().map(binding).collect()
    }

    /// Returns the functions that fit the value before a call, or the items of that value if
    /// the call is in another one.
    fn functions(
        &self,
        start: usize,
        reference: &Reference,
        nth: usize,
        depth: usize,
    ) -> Vec<Completion> {
        let calls = reference.calls.get(..nth).unwrap_or_default();
        let mut inferred = self.inferred(&reference.path, calls);
        for _ in 0..depth {
            inferred = inferred.item();
        }
        let fits = |function: &&Function| {
            inferred.fits(function) && (depth == 0 || function.is_for_items())
        };
        let mut functions: Vec<&Function> = FUNCTIONS.iter().filter(fits).collect();
        if inferred.of.is_some() {
            // The fewer types a function accepts, the more specific it is.
            functions.sort_by_key(|function| function.accepts.count());
        }
        let is_called = self.rest().starts_with('(');
        let completion = |function: &Function| {
            let name = function.name;
            let detail = format!("{}: {}", function.signature(), function.doc);
            let opens = !function.accepts_count(0) && !is_called;
            let insert = format!("{name}{}", if opens { "(" } else { "" });
            self.completion(start, name, CompletionKind::Function, detail, &insert)
        };
        functions.into_iter().map(completion).collect()
    }

    /// Returns the type of a path's value after some calls.
    fn inferred(&self, path: &Path, calls: &[Call]) -> Inferred {
        let output = output(path, self.bindings);
        let value =
            output.and_then(|output| descendant(output, path.segments.get(1..)?, self.bindings));
        let inferred = match (output, value) {
            // The items of a sensitive list are part of its value.
            (Some(output), Some(value)) if output.sensitive => Inferred::of_type(&value),
            (_, Some(value)) => Inferred::of_value(&value),
            _ => Inferred::default(),
        };
        calls.iter().fold(inferred, Inferred::after_call)
    }

    /// Returns the outputs of a binding, or what is inside the value before a segment.
    fn members(&self, start: usize, path: &Path, nth: usize) -> Vec<Completion> {
        let Some((before, [segment, ..])) = path.segments.split_at_checked(nth) else {
            return Vec::new();
        };
        let members: Vec<Member> = match before.split_first() {
            None => {
                let binding = path.binding.as_deref();
                let named = binding.and_then(|name| self.bindings.named(name));
                let outputs = named.into_iter().flat_map(|named| named.outputs.iter());
                outputs
                    .map(|(name, bound)| output_member(name, bound))
                    .collect()
            }
            Some((_, steps)) => {
                let output = output(path, self.bindings).filter(|output| !output.sensitive);
                let values = output.map_or_else(Vec::new, |output| values_before(output, steps));
                common_members(&values, self.bindings)
            }
        };
        let complete = |member| self.member(start, member, segment);
        members.into_iter().filter_map(complete).collect()
    }

    /// Returns the completion of a member; `None` for names that cannot be quoted here.
    fn member(&self, start: usize, member: Member, segment: &Segment) -> Option<Completion> {
        let Member {
            name,
            kind,
            detail,
            is_index,
        } = member;
        let bytes = self.text.text.as_bytes();
        let opened = segment.whole.start;
        let dot = bytes.get(opened) == Some(&b'.');
        let quotable =
            |name: &str| !name.contains(['"', '\'', '\\']) && !name.contains(char::is_control);
        if dot && landfall::is_key(&name) {
            return Some(self.completion(start, &name, kind, detail, &name));
        }
        // The quote that has been typed already.
        let quote = match segment
            .range
            .start
            .checked_sub(1)
            .and_then(|at| bytes.get(at))
        {
            Some(b'"') if !dot => Some("\""),
            Some(b'\'') if !dot => Some("'"),
            _ => None,
        };
        if !is_index && !quotable(&name) || is_index && quote.is_some() {
            return None;
        }
        let own_quote = if self.text.is_double_quoted() {
            "'"
        } else {
            "\""
        };
        let closes = !dot && self.rest().starts_with(']');
        let after = match (is_index, quote) {
            (_, Some(quote)) if self.rest().starts_with(quote) => String::new(),
            (_, Some(quote)) => format!("{quote}]"),
            (true, None) if closes => String::new(),
            (true, None) => "]".to_owned(),
            (false, None) if closes => own_quote.to_owned(),
            (false, None) => format!("{own_quote}]"),
        };
        let before = match (is_index, quote) {
            (true, _) if dot => "[".to_owned(),
            (true, _) | (_, Some(_)) => String::new(),
            (false, None) if dot => format!("[{own_quote}"),
            (false, None) => own_quote.to_owned(),
        };
        let insert = format!("{before}{name}{after}");
        // A dot becomes a bracket.
        let start = if dot { opened } else { start };
        Some(self.completion(start, &name, kind, detail, &insert))
    }
}

fn output_member(name: &str, bound: &Bound) -> Member {
    let found = bound.value.value_type().name();
    Member {
        name: name.to_owned(),
        kind: CompletionKind::Output,
        detail: if bound.sensitive {
            format!("{found}, sensitive")
        } else {
            found.to_owned()
        },
        is_index: false,
    }
}

/// Returns what all of these values have inside them, `[*]` last.
fn common_members(values: &[&Value], bindings: &Bindings) -> Vec<Member> {
    let Some((first, others)) = values.split_first() else {
        return Vec::new();
    };
    let has = |value: &Value, name: &str| match value {
        Value::Object(entries) => bindings.member(entries, name).is_some(),
        Value::List(items) => name.parse().is_ok_and(|index: usize| index < items.len()),
        _ => false,
    };
    let mut members = first.members();
    members.retain(|(name, ..)| others.iter().all(|value| has(value, name)));
    let mut members: Vec<Member> = members
        .into_iter()
        .map(|(name, found, is_index)| Member {
            name,
            kind: CompletionKind::Key,
            detail: found.name().to_owned(),
            is_index,
        })
        .collect();
    if values.iter().all(|value| has_members(value)) {
        members.push(Member {
            name: "*".to_owned(),
            kind: CompletionKind::Key,
            detail: Type::List.name().to_owned(),
            is_index: true,
        });
    }
    members
}

/// Returns whether a value is a list whose items have something inside them.
fn has_members(value: &Value) -> bool {
    match value {
        Value::List(items) => matches!(items.first(), Some(Value::List(_) | Value::Object(_))),
        _ => false,
    }
}
