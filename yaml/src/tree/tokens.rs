//! The tokens around a node: its colon, its dash, its block header, comments.

use std::ops::Range;

use super::{NodeId, Role, Tree};
use crate::line::{BLANKS, Line, line_end};
use crate::scalar::Chomping;

/// The header of a block scalar, such as `|2-`, and where the content begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockHeader {
    /// The offset of `|` or `>`.
    pub start: usize,
    /// The offset after its indicators.
    pub end: usize,
    /// The offset after the header's line.
    pub content: usize,
    /// Whether the author gave the indentation as a digit.
    pub explicit_indent: bool,
    /// How trailing line breaks are chomped.
    pub chomping: Chomping,
    /// The number of columns before the content.
    pub indent: usize,
}

impl BlockHeader {
    /// Finds the header of the block scalar whose content begins at `content` (after its
    /// indentation). The token before the scalar ends at `after`.
    pub(crate) fn find(source: &str, after: usize, content: usize, indent: usize) -> Option<Self> {
        let bytes = source.as_bytes();
        let mut at = after;
        while at < content {
            match bytes[at] {
                b'|' | b'>' => break,
                b'#' => at = Line::at(source, at).next,
                b'&' | b'!' | b'%' => at = token_end(bytes, at),
                _ => at += 1,
            }
        }
        if at >= content {
            return None;
        }
        let start = at;
        let mut end = start + 1;
        let (mut chomping, mut explicit_indent) = (Chomping::Clip, false);
        while let Some(indicator) = bytes.get(end) {
            match indicator {
                b'-' => chomping = Chomping::Strip,
                b'+' => chomping = Chomping::Keep,
                b'1'..=b'9' => explicit_indent = true,
                _ => break,
            }
            end += 1;
        }
        let line = Line::at(source, end);
        (line.next <= content).then_some(Self {
            start,
            end,
            content: line.next,
            explicit_indent,
            chomping,
            indent,
        })
    }
}

/// Returns the end of the token at `at`: the next blank or line break.
fn token_end(bytes: &[u8], at: usize) -> usize {
    let length = bytes[at..].iter().position(u8::is_ascii_whitespace);
    length.map_or(bytes.len(), |length| at + length)
}

/// Finds a dash of a block sequence between two offsets, outside comments, anchors and
/// tags.
pub(crate) fn dash_between(source: &str, from: usize, to: usize) -> Option<usize> {
    let bytes = source.as_bytes();
    let mut at = from;
    while at < to {
        match bytes[at] {
            b'-' if bytes.get(at + 1).is_none_or(u8::is_ascii_whitespace) => return Some(at),
            b'#' => at = line_end(source, at),
            b'&' | b'!' => at = token_end(bytes, at),
            _ => at += 1,
        }
    }
    None
}

impl Tree {
    /// Returns the comment that contains byte `at`.
    #[must_use]
    pub fn comment_at(&self, at: usize) -> Option<Range<usize>> {
        range_at(&self.comments, at)
    }

    /// Returns whether byte `at` follows a line break of YAML 1.1 in a comment (U+0085,
    /// U+2028, U+2029): YAML 1.1 readers treat it as part of a new line of the document.
    #[must_use]
    pub fn is_cut_off(&self, at: usize) -> bool {
        range_at(&self.cut_off, at).is_some()
    }

    /// Returns the offset of the colon after the node's key; `None` if the node isn't a
    /// value, or its key has no colon.
    #[must_use]
    pub fn colon(&self, id: NodeId) -> Option<usize> {
        let Role::Value(key) = self.nodes[id].role() else {
            return None;
        };
        let mut at = self.nodes[key].end();
        loop {
            // The colon of a key after `?` is on a later line.
            let rest = &self.source[at..];
            at += rest.len() - rest.trim_ascii_start().len();
            match self.source.as_bytes().get(at) {
                Some(b':') => return Some(at),
                Some(b'#') => at = line_end(&self.source, at),
                _ => return None,
            }
        }
    }

    /// Returns the offset of the dash of an empty item of a block sequence.
    #[must_use]
    pub fn dash(&self, id: NodeId) -> Option<usize> {
        let node = &self.nodes[id];
        dash_between(&self.source, node.after(), node.range().start)
    }

    /// Returns where the value of an empty node can be written: after its colon or dash,
    /// and after its anchor and tag.
    #[must_use]
    pub fn empty_position(&self, id: NodeId) -> Option<usize> {
        let indicator = match self.nodes[id].role() {
            Role::Value(_) => self.colon(id)?,
            Role::Item(_) => self.dash(id)?,
            Role::Key | Role::Root => return None,
        };
        Some(self.after_properties(id, indicator + 1))
    }

    /// Returns the offset after the anchor and tag of a node, which begin at `at`.
    fn after_properties(&self, id: NodeId, mut at: usize) -> usize {
        let in_flow = self.in_flow(id);
        loop {
            let rest = &self.source[at..];
            let token = rest.trim_start_matches([' ', '\t']);
            if !token.starts_with(['&', '!']) {
                return at;
            }
            let ends = |c: char| match c {
                ' ' | '\t' | '\n' | '\r' => true,
                ',' | '[' | ']' | '{' | '}' => in_flow,
                _ => false,
            };
            let length = match token.strip_prefix("!<").and_then(|tag| tag.find('>')) {
                Some(end) => end + 3,
                None => token.find(ends).unwrap_or(token.len()),
            };
            at += rest.len() - token.len() + length;
        }
    }

    /// Returns whether a range of the source has only blanks and comments.
    pub(crate) fn is_blank(&self, range: Range<usize>) -> bool {
        let text = self.source.get(range).unwrap_or_default();
        let mut lines = text.split(['\n', '\r']);
        lines.all(|line| {
            let line = line.trim_matches(BLANKS);
            line.is_empty() || line.starts_with('#')
        })
    }
}

fn range_at(ranges: &[Range<usize>], at: usize) -> Option<Range<usize>> {
    let next = ranges.partition_point(|range| range.start <= at);
    let range = ranges.get(next.checked_sub(1)?)?;
    (at < range.end).then(|| range.clone())
}

#[cfg(test)]
mod tests {
    use crate::locate;

    #[test]
    fn tokens_are_found_around_a_node() {
        let source = "a: # :\n- b # - c\n-  &x !t # d\n? e # :\n: f\n";
        let tree = locate(&source[..29]).unwrap();
        let id = |text: &str| tree.ids().find(|id| tree.text(*id) == Some(text)).unwrap();
        assert_eq!(tree.colon(2), Some(1));
        assert_eq!([tree.colon(1), tree.colon(id("b"))], [None, None]);
        assert_eq!([tree.dash(id("b")), tree.dash(4)], [Some(7), Some(17)]);
        assert_eq!(tree.empty_position(4), Some(25));
        assert_eq!(
            [tree.empty_position(0), tree.empty_position(1)],
            [None, None]
        );
        assert_eq!(tree.comment_at(3), Some(3..6));
        assert_eq!([tree.comment_at(2), tree.comment_at(6)], [None, None]);
        assert_eq!(
            [tree.comment_at(11), tree.comment_at(15)],
            [Some(11..16), Some(11..16)]
        );
        assert!(tree.is_blank(2..7) && !tree.is_blank(2..8) && tree.is_blank(16..17));
        let tree = locate(&source[29..]).unwrap();
        assert_eq!(tree.colon(2), Some(9));
    }

    #[test]
    fn a_value_is_written_after_its_properties() {
        for (source, expected) in [
            ("a: &x\n", 5),
            ("{a: !<b,c> , d: 1}\n", 10),
            ("a: !t # c\n", 5),
            ("a:\n", 2),
            ("{a: &x, b: 1}\n", 6),
            ("{a: !t}\n", 6),
            ("- &x\n", 4),
        ] {
            let tree = locate(source).unwrap();
            let is_empty = |id: &usize| tree.text(*id) == Some("");
            let id = tree.ids().find(is_empty).unwrap();
            assert_eq!(tree.empty_position(id), Some(expected), "{source:?}");
        }
    }

    #[test]
    fn a_comment_ends_for_some_readers_at_a_line_break_of_yaml_1_1() {
        for character in ["\u{85}", "\u{2028}", "\u{2029}"] {
            let source = format!("a: 1 # b{character}c: d\n");
            let tree = locate(source.as_str()).unwrap();
            let end = source.len() - 1;
            assert_eq!(tree.comments().first(), Some(&(5..8)));
            assert_eq!(
                [7, 8, end - 1, end].map(|at| tree.is_cut_off(at)),
                [false, true, true, false]
            );
        }
    }
}
