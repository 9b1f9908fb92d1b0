//! What can be offered at a place.

use std::ops::Range;

use crate::assist::expression::Spot;
use crate::assist::place::Place;
use crate::assist::{Completion, CompletionKind};
use crate::functions::{catalogue, under};
use crate::outputs::{Bindings, Type};
use crate::reference::{Step, is_key, skip_name};
use yaml::Span;

/// Everything that fits what has been typed before `offset`, best first.
pub(super) fn of(
    text: &str,
    offset: usize,
    spot: &Spot,
    place: &Place,
    bindings: &Bindings,
) -> Vec<Completion> {
    let typed = spot.typed();
    let site = Site {
        text,
        word: typed.start..skip_name(text.as_bytes(), offset),
        place,
    };
    let offers: Vec<Completion> = match spot {
        Spot::Name { .. } => bindings
            .names()
            .map(|name| site.binding(name, bindings))
            .collect(),
        Spot::Function { .. } => catalogue()
            .map(|(name, signature, doc, takes)| site.function(name, &signature, doc, takes))
            .collect(),
        Spot::Step {
            binding,
            steps,
            opened,
            quote,
            ..
        } => members(bindings, binding, steps)
            .into_iter()
            .filter_map(|member| site.member(member, *opened, *quote))
            .collect(),
    };
    let wanted = text[typed.start..offset].to_lowercase();
    let (mut best, mut rest) = (Vec::new(), Vec::new());
    for offer in offers {
        let label = offer.label.to_lowercase();
        if label.starts_with(&wanted) {
            best.push(offer);
        } else if label.contains(&wanted) {
            rest.push(offer);
        }
    }
    best.append(&mut rest);
    best
}

/// An output, a key or a position.
struct Member {
    name: String,
    kind: CompletionKind,
    detail: String,
    /// It is a position in a list.
    is_index: bool,
}

/// What stands under these steps.
fn members(bindings: &Bindings, binding: &str, steps: &[Step]) -> Vec<Member> {
    let Some(outputs) = bindings.outputs(binding) else {
        return Vec::new();
    };
    let Some((first, rest)) = steps.split_first() else {
        let member = |(name, bound): (&String, &crate::outputs::Bound)| Member {
            name: name.clone(),
            kind: CompletionKind::Output,
            detail: match (bound.value.value_type().name(), bound.sensitive) {
                (found, true) => format!("{found}, sensitive"),
                (found, false) => found.to_owned(),
            },
            is_index: false,
        };
        return outputs.iter().map(member).collect();
    };
    let output = match first {
        Step::Key(name) => outputs.get(name),
        Step::Index(index) => outputs.get(&index.to_string()),
    };
    let Some(output) = output.filter(|output| !output.sensitive) else {
        return Vec::new();
    };
    let value = rest.iter().try_fold(&output.value, under);
    let member = |(name, found, is_index): (String, Type, bool)| Member {
        name,
        kind: CompletionKind::Key,
        detail: found.name().to_owned(),
        is_index,
    };
    let found = value.map_or_else(Vec::new, crate::outputs::Value::members);
    found.into_iter().map(member).collect()
}

/// Where a completion goes.
struct Site<'t> {
    text: &'t str,
    /// The word around the place.
    word: Range<usize>,
    place: &'t Place,
}

impl Site<'_> {
    /// What stands behind the word.
    fn rest(&self) -> &str {
        &self.text[self.word.end..]
    }

    fn completion(
        &self,
        label: &str,
        kind: CompletionKind,
        detail: String,
        insert: String,
    ) -> Completion {
        Completion {
            label: label.to_owned(),
            kind,
            detail,
            insert,
            span: Span::new(self.word.start, self.word.end),
        }
    }

    fn binding(&self, name: &str, bindings: &Bindings) -> Completion {
        let outputs = bindings.outputs(name).map_or(0, |outputs| outputs.len());
        let detail = match outputs {
            1 => "1 output".to_owned(),
            outputs => format!("{outputs} outputs"),
        };
        let goes_on = self.rest().starts_with(['.', '[']);
        let insert = format!("{name}{}", if goes_on { "" } else { "." });
        self.completion(name, CompletionKind::Binding, detail, insert)
    }

    fn function(&self, name: &str, signature: &str, doc: &str, takes: bool) -> Completion {
        let detail = format!("{signature}: {doc}");
        let opens = takes && !self.rest().starts_with('(');
        let insert = format!("{name}{}", if opens { "(" } else { "" });
        self.completion(name, CompletionKind::Function, detail, insert)
    }

    /// None for names that no person can write between quotes here.
    fn member(&self, member: Member, opened: usize, quote: Option<&str>) -> Option<Completion> {
        let Member {
            name,
            kind,
            detail,
            is_index,
        } = member;
        let dot = self.text.as_bytes().get(opened) == Some(&b'.');
        let quotable =
            |name: &str| !name.contains(['"', '\'', '\\']) && !name.contains(char::is_control);
        if dot && (is_index || is_key(&name)) {
            return Some(self.completion(&name, kind, detail, name.clone()));
        }
        if !is_index && !quotable(&name) || is_index && quote.is_some() {
            return None;
        }
        let behind = match (is_index, quote) {
            (_, Some(quote)) if self.rest().starts_with(quote) => String::new(),
            (_, Some(quote)) => format!("{quote}]"),
            (true, None) if self.rest().starts_with(']') => String::new(),
            (true, None) => "]".to_owned(),
            (false, None) if !dot && self.rest().starts_with(']') => self.place.quote.to_owned(),
            (false, None) => format!("{}]", self.place.quote),
        };
        let before = match (is_index, quote) {
            (true, _) | (_, Some(_)) => String::new(),
            (false, None) if dot => format!("[{}", self.place.quote),
            (false, None) => self.place.quote.to_owned(),
        };
        let insert = format!("{before}{name}{behind}");
        let mut completion = self.completion(&name, kind, detail, insert);
        if dot {
            // The dot goes too.
            completion.span.start = opened;
        }
        Some(completion)
    }
}
