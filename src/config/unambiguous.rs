//! Rejects ambiguous YAML in configuration documents: anything that two YAML readers read
//! differently. A Binding or a policy is reviewed by people and read by other programs, so
//! a document that they could read differently is refused.

use crate::collections::OrderedMap;
use crate::report::{Diagnostic, Origin, Rule};
use yaml::Span;
use yaml::{BLANKS, Kind, NodeId, Role, Tree, split};

/// Something that readers may disagree on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Ambiguity {
    pub(crate) span: Span,
    pub(crate) message: String,
    pub(crate) help: &'static str,
    /// The first of two equal keys.
    pub(crate) first: Option<Span>,
}

impl Ambiguity {
    fn new(span: Span, message: impl Into<String>, help: &'static str) -> Self {
        Self {
            span,
            message: message.into(),
            help,
            first: None,
        }
    }
}

impl Ambiguity {
    /// Returns the error of a configuration document.
    pub(crate) fn diagnostic(self, origin: Origin, rule: Rule) -> Diagnostic {
        let error = Diagnostic::error(rule, self.message).in_config(origin, self.span, "");
        let error = match self.first {
            Some(first) => error.in_config(origin, first, "first defined here"),
            None => error,
        };
        error.help(self.help)
    }
}

/// Returns the first ambiguity in the text of a file that its tree doesn't show.
pub(crate) fn in_text(text: &str) -> Option<Ambiguity> {
    let mut chars = text.char_indices().peekable();
    let mut before = '\n';
    while let Some((at, found)) = chars.next() {
        let next = chars.peek().map(|(_, next)| *next);
        let span = Span::new(at, at + found.len_utf8());
        match found {
            '\u{85}' | '\u{2028}' | '\u{2029}' => {
                let code = u32::from(found);
                return Some(Ambiguity::new(
                    span,
                    format!("U+{code:04X} is a line break only to some YAML readers"),
                    "remove it, or write it as `\\u2028` in double quotes",
                ));
            }
            '\u{feff}' if at > 0 => {
                return Some(Ambiguity::new(
                    span,
                    "byte order mark in the middle of the file",
                    "remove it",
                ));
            }
            '\r' if next != Some('\n') => {
                return Some(Ambiguity::new(
                    span,
                    "a lone carriage return is a line break only to some YAML readers",
                    "end lines with a line feed",
                ));
            }
            '%' if matches!(before, '\n' | '\u{feff}') => {
                return Some(Ambiguity::new(
                    span,
                    "a YAML directive is not allowed here",
                    "remove the line",
                ));
            }
            _ => {}
        }
        before = found;
    }
    let mut others = split(text).into_iter().skip(1);
    let second = others.find(|document| !document.text.trim_matches(BLANKS).is_empty())?;
    let first_line = second.text.lines().next().unwrap_or_default();
    Some(Ambiguity::new(
        Span::new(second.offset, second.offset + first_line.trim_end().len()),
        "the file has more than one YAML document",
        "merge them into one `spec`, or move the second to a separate file",
    ))
}

/// Returns the ambiguities in the node `root` and its descendants, in order.
pub(crate) fn in_tree(tree: &Tree, root: NodeId) -> Vec<Ambiguity> {
    let mut found = Vec::new();
    let mut keys: OrderedMap<(NodeId, &str), Span> = OrderedMap::new();
    let below = (root + 1..tree.len())
        .take_while(|id| tree[*id].parent().is_some_and(|parent| parent >= root));
    for id in std::iter::once(root).chain(below) {
        let Some(node) = tree.get(id) else {
            continue;
        };
        let span = Span::new(node.range().start, node.range().end);
        if let Some(tag) = node.tag() {
            found.push(Ambiguity::new(
                Span::new(tag.start, tag.end),
                "a tag is not allowed here",
                "remove the tag and write the value itself",
            ));
        }
        if matches!(node.kind(), Kind::Alias(_)) {
            found.push(Ambiguity::new(
                span,
                "an alias is not allowed here",
                "repeat the value",
            ));
        }
        let (Role::Key, Some(parent), Some(text)) = (node.role(), node.parent(), tree.text(id))
        else {
            continue;
        };
        if text == "<<" {
            found.push(Ambiguity::new(
                span,
                "a merge key is not allowed here",
                "write the merged keys here",
            ));
        } else if let Some(first) = keys.get(&(parent, text)) {
            found.push(Ambiguity {
                first: Some(*first),
                ..Ambiguity::new(span, format!("duplicate key `{text}`"), "keep one of them")
            });
        } else {
            keys.insert((parent, text), span);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        let found: Vec<String> = match in_text(text) {
            Some(ambiguity) => vec![ambiguity],
            None => in_tree(&yaml::locate(text).unwrap(), 0),
        }
        .into_iter()
        .map(|found| format!("{:?}: {}", &text[found.span.range()], found.message))
        .collect();
        assert_eq!(found, expected, "{text:?}");
    }

    #[test]
    fn accepts_what_all_readers_read_alike() {
        check("a: {b: [c, 'd', \"\\u2028\"]}\n", &[]);
        check("\u{feff}# %\r\n---\r\na: &x 1\r\n...\r\n", &[]);
        check("a: {k: 1}\nb: {k: 1}\nc: [{k: 1}, {k: 1}]\n", &[]);
    }

    #[test]
    fn rejects_characters_that_break_lines_for_some_readers() {
        for (character, code) in [
            ("\u{85}", "U+0085"),
            ("\u{2028}", "U+2028"),
            ("\u{2029}", "U+2029"),
        ] {
            let text = format!("a: 1 # {character}b: 2\n");
            let message = "is a line break only to some YAML readers";
            check(&text, &[&format!("{character:?}: {code} {message}")]);
        }
        check(
            "a: 1 # \rb: 2\n",
            &["\"\\r\": a lone carriage return is a line break only to some YAML readers"],
        );
        check(
            "a: 1\n\u{feff}b: 2\n",
            &["\"\\u{feff}\": byte order mark in the middle of the file"],
        );
    }

    #[test]
    fn rejects_directives_and_further_documents() {
        let directive = "\"%\": a YAML directive is not allowed here";
        check("%YAML 1.1\n---\na: 1\n", &[directive]);
        check("# c\n%TAG ! tag:x,2000:\n---\na: !b 1\n", &[directive]);
        let second = "the file has more than one YAML document";
        check("a: 1\n---\nb: 2\n", &[&format!("\"---\": {second}")]);
        check(
            "a: 1\n...\n# only this\n",
            &[&format!("\"# only this\": {second}")],
        );
    }

    #[test]
    fn rejects_tags_aliases_and_duplicate_keys() {
        check(
            "a: !!str 1\nb: ! x\n!!binary a2luZA==: 2\nc: !x {}\n",
            &[
                "\"!!str\": a tag is not allowed here",
                "\"!\": a tag is not allowed here",
                "\"!!binary\": a tag is not allowed here",
                "\"!x\": a tag is not allowed here",
            ],
        );
        check(
            "a: &x {k: 1}\nb: *x\nc: {<<: *x}\n'<<': {k: 2}\n",
            &[
                "\"*x\": an alias is not allowed here",
                "\"<<\": a merge key is not allowed here",
                "\"*x\": an alias is not allowed here",
                "\"'<<'\": a merge key is not allowed here",
            ],
        );
        check(
            "a: 1\n'a': 2\n\"\\x61\": 3\nb: {c: 1, ? c : 2}\n",
            &[
                "\"'a'\": duplicate key `a`",
                "\"\\\"\\\\x61\\\"\": duplicate key `a`",
                "\"c\": duplicate key `c`",
            ],
        );
    }

    #[test]
    fn checks_only_the_node_and_its_descendants() {
        let text = "a: &x 1\nb: {c: *x, c: !t 2}\nd: *x\n";
        let tree = yaml::locate(text).unwrap();
        let b =
            (0..tree.len()).find(|id| matches!(tree[*id].kind(), Kind::Mapping { flow: true, .. }));
        let found: Vec<_> = in_tree(&tree, b.unwrap())
            .into_iter()
            .map(|found| found.message)
            .collect();
        assert_eq!(
            found,
            [
                "an alias is not allowed here",
                "duplicate key `c`",
                "a tag is not allowed here"
            ]
        );
    }
}
