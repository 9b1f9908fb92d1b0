//! A model of how `apply-setters` sets one scalar (kpt-functions-catalog 033c1e4,
//! `applysetters/apply_setters.go`): it reads the pattern and the value as texts, without a
//! parser, so that it shares nothing with the dialect.

use std::collections::BTreeMap;

/// What happens to a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    Unchanged,
    Set(String),
    /// "values for setters … must be provided"
    Unresolved,
}

/// A pattern: literals, and the names between them.
#[derive(Clone, Debug)]
pub(super) struct Pattern {
    /// One more than names.
    pub(super) literals: Vec<String>,
    pub(super) names: Vec<String>,
}

impl Pattern {
    pub(super) fn text(&self) -> String {
        let mut text = self.literals[0].clone();
        for (name, literal) in self.names.iter().zip(&self.literals[1..]) {
            text.push_str(&format!("${{{name}}}{literal}"));
        }
        text
    }

    /// Returns the text with these parts.
    pub(super) fn with(&self, parts: &[String]) -> String {
        let mut text = self.literals[0].clone();
        for (part, literal) in parts.iter().zip(&self.literals[1..]) {
            text.push_str(part);
            text.push_str(literal);
        }
        text
    }

    /// Returns every way to divide all of `value` by the pattern; parts may be empty.
    pub(super) fn divisions(&self, value: &str) -> Vec<Vec<String>> {
        let mut found = Vec::new();
        if let Some(rest) = value.strip_prefix(&self.literals[0]) {
            self.divide(0, rest, &mut Vec::new(), &mut found);
        }
        found
    }

    fn divide(
        &self,
        nth: usize,
        rest: &str,
        parts: &mut Vec<String>,
        found: &mut Vec<Vec<String>>,
    ) {
        if nth == self.names.len() {
            if rest.is_empty() {
                found.push(parts.clone());
            }
            return;
        }
        for (end, _) in rest.char_indices().chain([(rest.len(), ' ')]) {
            if let Some(after) = rest[end..].strip_prefix(self.literals[nth + 1].as_str()) {
                parts.push(rest[..end].to_owned());
                self.divide(nth + 1, after, parts, found);
                parts.pop();
            }
        }
    }

    /// Returns the parts of the first match in `value`, as Go's regexp does for
    /// `(.*)` in place of each name: leftmost, and each part as long as possible.
    pub(super) fn first_match(&self, value: &str) -> Option<Vec<String>> {
        let starts = value.char_indices().map(|(at, _)| at).chain([value.len()]);
        for start in starts {
            let Some(rest) = value[start..].strip_prefix(&self.literals[0]) else {
                continue;
            };
            let mut parts = Vec::new();
            if self.match_from(0, rest, &mut parts) {
                return Some(parts);
            }
        }
        None
    }

    fn match_from(&self, nth: usize, rest: &str, parts: &mut Vec<String>) -> bool {
        if nth == self.names.len() {
            return true;
        }
        let line = rest.find('\n').unwrap_or(rest.len());
        let mut ends: Vec<usize> = rest[..line].char_indices().map(|(at, _)| at).collect();
        ends.push(line);
        for end in ends.into_iter().rev() {
            if let Some(after) = rest[end..].strip_prefix(self.literals[nth + 1].as_str()) {
                parts.push(rest[..end].to_owned());
                if self.match_from(nth + 1, after, parts) {
                    return true;
                }
                parts.pop();
            }
        }
        false
    }
}

/// Returns the outcome for a value and these setters, no value of which contains `${`.
pub(super) fn apply(pattern: &Pattern, value: &str, setters: &BTreeMap<String, String>) -> Outcome {
    let mut text = pattern.text();
    let named = |name: &String| format!("${{{name}}}");
    if !setters.keys().any(|name| text.contains(&named(name))) {
        return Outcome::Unchanged;
    }
    for (name, value) in setters {
        text = text.replace(&named(name), value);
    }
    let parts = pattern.first_match(value).unwrap_or_default();
    if !parts.iter().any(String::is_empty) {
        // The last part of a repeated name wins.
        let current: BTreeMap<_, _> = pattern.names.iter().zip(parts).collect();
        for (name, part) in current {
            text = text.replace(&named(name), &part);
        }
    }
    if text.contains("${") {
        Outcome::Unresolved
    } else {
        Outcome::Set(text)
    }
}

#[test]
fn the_model_follows_the_examples_of_the_function() {
    let pattern = |text: &str| {
        let mut literals = vec![String::new()];
        let mut names = Vec::new();
        for (nth, piece) in text.split(['<', '>']).enumerate() {
            match nth % 2 {
                0 => *literals.last_mut().unwrap() = piece.to_owned(),
                _ => {
                    names.push(piece.to_owned());
                    literals.push(String::new());
                }
            }
        }
        Pattern { literals, names }
    };
    let apply = |text: &str, value: &str, setters: &[(&str, &str)]| {
        let setters = setters
            .iter()
            .map(|(a, b)| ((*a).to_owned(), (*b).to_owned()));
        apply(&pattern(text), value, &setters.collect())
    };
    let set = |text: &str| Outcome::Set(text.to_owned());
    assert_eq!(
        apply(
            "<image>:<tag>",
            "nginx:1.7.1",
            &[("image", "ubuntu"), ("tag", "1.8.0")]
        ),
        set("ubuntu:1.8.0")
    );
    assert_eq!(
        apply(
            "my-app-layer.<stage>.<domain>.<tld>",
            "my-app-layer.dev.example.com",
            &[("stage", "prod")]
        ),
        set("my-app-layer.prod.example.com")
    );
    assert_eq!(
        apply("<image>:<tag>", "nginx", &[("tag", "1")]),
        Outcome::Unresolved
    );
    assert_eq!(
        apply("<image>:<tag>", ":2", &[("tag", "1")]),
        Outcome::Unresolved
    );
    assert_eq!(
        apply("<image>", "nginx", &[("tag", "1")]),
        Outcome::Unchanged
    );
    // Text around the match is lost.
    assert_eq!(apply("b<x>c<t>d", "abxc1de", &[("t", "2")]), set("bxc2d"));
    assert_eq!(apply("<x>-<t>", "a-b-c", &[("t", "1")]), set("a-b-1"));
}
