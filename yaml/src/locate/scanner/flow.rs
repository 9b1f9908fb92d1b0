//! Reads flow collections.

use super::lines::separates;
use super::plain::is_flow_indicator;
use super::properties::Properties;
use super::{Column, Leaf, Level, LevelKind, MAX_KEY, Scanner};

/// What may follow in a flow collection.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Next {
    /// A key or an item, or the end of the collection.
    Member,
    /// The value of a key, whose colon is at this offset.
    Value(usize),
    /// A comma, or the end of the collection.
    Separator,
}

impl Scanner<'_> {
    /// Reads a flow collection in a block collection of column `indent`, and adds it to
    /// the tree.
    pub(super) fn flow(&mut self, indent: Column, properties: &Properties) -> Option<()> {
        let outer = self.levels.len();
        self.open_flow(indent, properties)?;
        let mut next = Next::Member;
        while self.levels.len() > outer {
            let byte = self.flow_token(indent)?;
            next = match (byte, next) {
                (b']' | b'}', _) => {
                    self.close_flow(byte, next)?;
                    Next::Separator
                }
                (b',', Next::Separator) => {
                    self.at += 1;
                    Next::Member
                }
                (b',', Next::Value(colon)) => {
                    self.add_missing(colon, None);
                    self.at += 1;
                    Next::Member
                }
                (_, Next::Separator) | (b',', Next::Member) => return None,
                (_, Next::Member) if self.builder.in_mapping() => self.flow_key(indent)?,
                (_, Next::Member | Next::Value(_)) => self.flow_node(indent)?,
            };
        }
        Some(())
    }

    fn open_flow(&mut self, indent: Column, properties: &Properties) -> Option<()> {
        let kind = match self.byte(self.at) {
            b'[' => LevelKind::FlowSequence,
            _ => LevelKind::FlowMapping,
        };
        let level = Level {
            kind,
            column: indent,
        };
        self.open(level, self.at..self.at + 1, properties.tag())?;
        self.add_anchor(properties);
        self.at += 1;
        Some(())
    }

    fn close_flow(&mut self, bracket: u8, next: Next) -> Option<()> {
        let kind = match bracket {
            b']' => LevelKind::FlowSequence,
            _ => LevelKind::FlowMapping,
        };
        if self.levels.last()?.kind != kind {
            return None;
        }
        if let Next::Value(colon) = next {
            self.add_missing(colon, None);
        }
        self.at += 1;
        self.close(Some(self.at));
        Some(())
    }

    /// Reads an item or a value, or the bracket that begins one.
    fn flow_node(&mut self, indent: Column) -> Option<Next> {
        let properties = self.properties()?;
        if matches!(self.byte(self.at), b'[' | b'{') {
            self.open_flow(indent, &properties)?;
            return Some(Next::Member);
        }
        let leaf = self.flow_leaf(&properties)?;
        self.add(leaf, properties.tag());
        self.add_anchor(&properties);
        Some(Next::Separator)
    }

    /// Reads a key, and the colon after it; a key without a colon has no value.
    fn flow_key(&mut self, indent: Column) -> Option<Next> {
        let start = self.at;
        let properties = self.properties()?;
        let leaf = self.flow_leaf(&properties)?;
        let multiline = leaf.multiline;
        let is_quoted = matches!(self.byte(leaf.range.start), b'"' | b'\'');
        self.add(leaf, properties.tag());
        self.add_anchor(&properties);
        let line = self.line;
        match self.flow_token(indent)? {
            b':' => {
                let colon = self.at;
                // After a key in quotes, the value may follow without a blank.
                let is_colon = is_quoted || separates(self.byte(colon + 1));
                if multiline || line != self.line || colon - start > MAX_KEY || !is_colon {
                    return None;
                }
                self.at = colon + 1;
                Some(Next::Value(colon))
            }
            b',' | b'}' => {
                self.add_missing(self.at, None);
                Some(Next::Separator)
            }
            _ => None,
        }
    }

    /// Reads a scalar or an alias.
    fn flow_leaf(&mut self, properties: &Properties) -> Option<Leaf> {
        let next = self.byte(self.at + 1);
        match self.byte(self.at) {
            b'*' if properties.is_empty() => self.alias(),
            b'"' | b'\'' => self.quoted(-1, true),
            b'-' if separates(next) || is_flow_indicator(next) => None,
            b'*' | b',' | b'[' | b']' | b'{' | b'}' | b'|' | b'>' | b'%' | b'@' | b'`' | b'#'
            | b'&' | b'!' | b'?' | b':' | b'\n' | b'\r' | 0 => None,
            _ => self.plain(-1, true),
        }
    }

    /// Moves to the next token in flow context, and returns its first byte.
    #[inline]
    fn flow_token(&mut self, indent: Column) -> Option<u8> {
        loop {
            let from = self.at;
            let at = self.after_blanks(from);
            let byte = self.byte(at);
            self.at = at;
            match byte {
                b'#' if at > from || at == self.line => self.comment(at),
                b'#' | 0 => return None,
                b'\n' | b'\r' => {
                    self.at = self.after_break(at);
                    self.line = self.at;
                }
                _ if from == self.line => {
                    let blanks = self.bytes.get(from..at)?;
                    let is_indented = indent < 0 || !blanks.contains(&b'\t');
                    let is_token = at > from || (byte != b'%' && self.marker(at).is_none());
                    return (is_indented && is_token).then_some(byte);
                }
                _ => return Some(byte),
            }
        }
    }
}
