//! Reads block collections and the nodes in them.

use super::lines::{END, separates};
use super::properties::Properties;
use super::{Column, Content, Leaf, Level, LevelKind, MAX_KEY, Scanner};
use crate::line::Marker;

/// Where a node is expected in block context.
struct Expected {
    kind: ExpectedKind,
    /// The column of the collection around it.
    indent: Column,
    /// Where the node is if it is not written.
    missing: usize,
    /// Whether a block collection may begin on this line.
    collections: bool,
}

/// The properties of a node.
#[derive(Clone, Copy)]
struct NodeProperties<'p> {
    /// On an earlier line.
    earlier: &'p Properties,
    /// On the line of the node.
    own: &'p Properties,
}

impl<'p> NodeProperties<'p> {
    /// Returns those of a node that has them on one line.
    fn only(self) -> Option<&'p Properties> {
        if self.earlier.is_empty() {
            Some(self.own)
        } else if self.own.is_empty() {
            Some(self.earlier)
        } else {
            None
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum ExpectedKind {
    Root,
    Item,
    /// The key of another entry of the innermost mapping.
    Key,
    Value,
}

impl Scanner<'_> {
    /// Reads the document.
    pub(super) fn document(&mut self) -> Option<()> {
        let mut root = Expected {
            kind: ExpectedKind::Root,
            indent: -1,
            missing: self.at,
            collections: true,
        };
        if self.prologue()? {
            self.at += "---".len();
            root.missing = self.at;
            root.collections = false;
            self.builder.after = self.at;
        } else if self.next_token()? == END {
            return Some(());
        }
        let mut expected = Some(root);
        while let Some(now) = expected {
            expected = match self.node(now)? {
                Some(inner) => Some(inner),
                None => self.next_member()?,
            };
        }
        Some(())
    }

    /// Moves to the first line that is not blank, and returns whether it is `---`.
    fn prologue(&mut self) -> Option<bool> {
        loop {
            if self.at == self.line && self.marker(self.at) == Some(Marker::Start) {
                return Some(true);
            }
            if !matches!(self.byte(self.at), b' ' | b'\t' | b'\n' | b'\r' | b'#') {
                return Some(false);
            }
            let start = self.at;
            self.at = self.after_blanks(start);
            match self.byte(self.at) {
                b'#' => self.comment(self.at),
                b'\n' | b'\r' | 0 => {}
                _ => {
                    self.at = start;
                    return Some(false);
                }
            }
            self.at = self.after_break(self.at);
            self.line = self.at;
        }
    }

    /// Ends the collections that end before the next token, and returns what is expected
    /// there in the collection that continues; `Some(None)` at the end of the document.
    fn next_member(&mut self) -> Option<Option<Expected>> {
        let column = self.next_token()?;
        loop {
            let Some(level) = self.levels.last().copied() else {
                return (column == END).then_some(None);
            };
            if level.column < column {
                return None;
            }
            let is_same = level.column == column;
            match level.kind {
                LevelKind::Sequence | LevelKind::Indentless if is_same && self.is_dash() => {
                    return self.item(column).map(Some);
                }
                LevelKind::Mapping if is_same => {
                    return Some(Some(Expected {
                        kind: ExpectedKind::Key,
                        indent: column,
                        missing: self.at,
                        collections: true,
                    }));
                }
                _ => self.close(None),
            }
        }
    }

    fn is_dash(&self) -> bool {
        self.byte(self.at) == b'-' && separates(self.byte(self.at + 1))
    }

    /// Moves over a dash, and returns what is expected after it.
    fn item(&mut self, column: Column) -> Option<Expected> {
        self.at += 1;
        let start = self.at;
        let is_finished = self.finish_line()?;
        let blanks = self.bytes.get(start..self.at).unwrap_or_default();
        if !is_finished && blanks.contains(&b'\t') {
            return None;
        }
        Some(Expected {
            kind: ExpectedKind::Item,
            indent: column,
            missing: self.at,
            collections: true,
        })
    }

    /// Reads a node, or the beginning of a collection: then returns what is expected in
    /// it.
    fn node(&mut self, mut expected: Expected) -> Option<Option<Expected>> {
        let mut earlier = Properties::NONE;
        loop {
            if self.finish_line()? {
                let column = self.next_token()?;
                if column <= expected.indent {
                    return self.missing_or_indentless(&expected, column, &earlier);
                }
                expected.collections = true;
            }
            let start = self.at;
            let column = Column::try_from(start - self.line).ok()?;
            match self.byte(start) {
                b'-' if separates(self.byte(start + 1)) => {
                    if !expected.collections || expected.kind == ExpectedKind::Key {
                        return None;
                    }
                    self.begin(LevelKind::Sequence, column, start, &earlier)?;
                    return self.item(column).map(Some);
                }
                b'?' | b':' if separates(self.byte(start + 1)) => return None,
                _ => {}
            }
            let properties = self.properties()?;
            let ends_here = matches!(self.byte(self.at), b'#' | b'\n' | b'\r' | 0);
            if properties.is_empty() || !ends_here {
                let both = NodeProperties {
                    earlier: &earlier,
                    own: &properties,
                };
                return self.content(&expected, start, column, both);
            }
            if !earlier.is_empty() || expected.kind == ExpectedKind::Key {
                return None;
            }
            // A comment needs the blanks before it.
            self.at = properties.end;
            expected.missing = properties.end;
            earlier = properties;
        }
    }

    /// Adds a node that is not written before the next token, or begins a list in the
    /// column of its key.
    fn missing_or_indentless(
        &mut self,
        expected: &Expected,
        column: Column,
        properties: &Properties,
    ) -> Option<Option<Expected>> {
        if expected.kind == ExpectedKind::Value && column == expected.indent && self.is_dash() {
            let dash = self.at;
            self.begin(LevelKind::Indentless, column, dash, properties)?;
            return self.item(column).map(Some);
        }
        self.add_missing(expected.missing, properties.tag());
        self.add_anchor(properties);
        self.ahead = Some(column);
        Some(None)
    }

    /// Begins a block collection.
    fn begin(
        &mut self,
        kind: LevelKind,
        column: Column,
        at: usize,
        properties: &Properties,
    ) -> Option<()> {
        self.open(Level { kind, column }, at..at, properties.tag())?;
        self.add_anchor(properties);
        Some(())
    }

    /// Reads a scalar, an alias, a flow collection, or the first key of a mapping. The
    /// properties before it on this line, or else it, begin at `start`.
    fn content(
        &mut self,
        expected: &Expected,
        start: usize,
        column: Column,
        both: NodeProperties<'_>,
    ) -> Option<Option<Expected>> {
        let leaf = match self.byte(self.at) {
            b'[' | b'{' | b'|' | b'>' => {
                return self.collection_or_block_scalar(expected, both);
            }
            b'*' if both.own.is_empty() => self.alias()?,
            b'"' | b'\'' => self.quoted(expected.indent, false)?,
            b'*' | b',' | b']' | b'}' | b'%' | b'@' | b'`' | b'#' | b'&' | b'!' => return None,
            b'-' | b'?' | b':' if separates(self.byte(self.at + 1)) => return None,
            _ => self.plain(expected.indent, false)?,
        };
        let colon = self.after_blanks(self.at);
        let is_key = self.byte(colon) == b':' && separates(self.byte(colon + 1));
        if is_key {
            return self.key(expected, leaf, start, column, colon, both);
        }
        if expected.kind == ExpectedKind::Key || !self.finish_line()? {
            return None;
        }
        let properties = both.only()?;
        if matches!(leaf.content, Content::Alias) && !properties.is_empty() {
            return None;
        }
        self.add(leaf, properties.tag());
        self.add_anchor(properties);
        Some(None)
    }

    fn key(
        &mut self,
        expected: &Expected,
        leaf: Leaf,
        start: usize,
        column: Column,
        colon: usize,
        both: NodeProperties<'_>,
    ) -> Option<Option<Expected>> {
        if leaf.multiline || !expected.collections || colon - start > MAX_KEY {
            return None;
        }
        if expected.kind != ExpectedKind::Key {
            self.begin(LevelKind::Mapping, column, start, both.earlier)?;
        }
        self.add(leaf, both.own.tag());
        self.add_anchor(both.own);
        self.at = colon + 1;
        Some(Some(Expected {
            kind: ExpectedKind::Value,
            indent: column,
            missing: colon,
            collections: false,
        }))
    }

    fn collection_or_block_scalar(
        &mut self,
        expected: &Expected,
        both: NodeProperties<'_>,
    ) -> Option<Option<Expected>> {
        if expected.kind == ExpectedKind::Key {
            return None;
        }
        let properties = both.only()?;
        if matches!(self.byte(self.at), b'|' | b'>') {
            self.block_scalar(expected.indent, properties)?;
            self.add_anchor(properties);
        } else {
            self.flow(expected.indent, properties)?;
            if !self.finish_line()? {
                return None;
            }
        }
        Some(None)
    }
}
