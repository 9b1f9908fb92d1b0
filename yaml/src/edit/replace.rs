//! Replaces a whole node, of any kind, with a value.

use super::parts::has_long_key;
use super::{Data, DataType, Edit, Misfit, NodeEditor, Part, Shape, Text, Why, block, flow};
use crate::line::{BLANKS, line_break, line_end, line_start};
use crate::scalar::{Context, decode, literal_cannot_hold, plain_reads_back};
use crate::tree::{Kind, NodeId, Role, Style};

impl NodeEditor<'_> {
    /// Replaces the whole node with the value of the one part in `parts`; returns no edits
    /// if the node has that value already, however it is written. Comments on the node's
    /// first line stay, and so do its anchor, its tag and the author's quotes.
    ///
    /// ```yaml
    /// # before
    /// key: old   # comment
    /// list:
    ///   - a
    ///   - b
    /// # after: a list for `key`, `new` for `list`
    /// key:   # comment
    ///   - x
    ///   - "true"
    /// list: new
    /// ```
    ///
    /// # Errors
    /// A value's type isn't allowed here, there is no position for it, or a key is too
    /// long.
    pub fn replace<D: Data>(&self, parts: &[Part<'_, D>]) -> Result<Vec<Edit>, Misfit> {
        let Some(value) = parts.first().and_then(|part| part.value) else {
            return Ok(Vec::new());
        };
        if has_long_key(value) {
            return Err(Misfit::of(Why::LongKey));
        }
        if self.holds(self.id, value) {
            return Ok(Vec::new());
        }
        if let Some(misfit) = self.tag_misfit(value) {
            return Err(misfit);
        }
        let node = self.node();
        match node.kind() {
            Kind::Scalar {
                style: Style::Plain,
                ..
            } if node.range().is_empty() => self.write_empty(value),
            Kind::Scalar { style, .. } if style.is_block() => {
                self.replace_block_scalar(parts, value)
            }
            Kind::Scalar {
                style: Style::Plain,
                ..
            }
            | Kind::Alias(_)
                if value.is_block() && !self.is_key() && self.shares_its_line() =>
            {
                let text = flow(value, self.context());
                Ok(vec![Edit::new(&node.range(), text)])
            }
            Kind::Scalar { .. } | Kind::Alias(_) => self.replace_parts(parts),
            _ if self.is_key() => Err(Misfit::of(Why::NoPosition)),
            Kind::Sequence { flow: true, .. } | Kind::Mapping { flow: true, .. } => {
                let context = Context {
                    flow: true,
                    ..self.context()
                };
                let text = if value.is_block() {
                    flow(value, context)
                } else {
                    self.on_one_line(value)
                };
                Ok(vec![Edit::new(&(node.range().start..node.end()), text)])
            }
            Kind::Sequence { column, .. } | Kind::Mapping { column, .. } => {
                self.replace_block(value, column)
            }
        }
    }

    /// Returns whether a node has this value already, however it is written.
    fn holds<D: Data>(&self, id: NodeId, value: &D) -> bool {
        let node = &self.tree[id];
        // A tag may give the same text another value.
        if node.tag().is_some() && (id != self.id || self.core_tag() != Some("str")) {
            return false;
        }
        let text = self.tree.text(id).unwrap_or_default();
        match (node.kind(), value.shape()) {
            (Kind::Scalar { .. }, Shape::String(value)) => {
                let Some(decoded) = decode(self.source, self.tree, id) else {
                    return false;
                };
                let text = decoded.chomped(&decoded.text);
                text == value && !text.is_empty() && self.is_string(id, text)
            }
            (
                Kind::Scalar {
                    style: Style::Plain,
                    ..
                },
                Shape::Null | Shape::Number(_) | Shape::Bool(_),
            ) => node.tag().is_none() && text == flow(value, self.context()),
            (Kind::Sequence { .. }, Shape::List(items)) => {
                let members: Vec<_> = self.tree.members(id).collect();
                members.len() == items.len()
                    && members
                        .iter()
                        .zip(items)
                        .all(|(id, item)| self.holds(*id, item))
            }
            (Kind::Mapping { .. }, Shape::Map) => {
                let members: Vec<_> = self.tree.members(id).collect();
                let entries = value.entries();
                members.len() == entries.len()
                    && members.iter().zip(entries).all(|(id, (name, value))| {
                        self.is_under(*id, name) && self.holds(*id, value)
                    })
            }
            _ => false,
        }
    }

    /// Returns whether a node is the value of this key.
    fn is_under(&self, id: NodeId, name: &str) -> bool {
        let Role::Value(key) = self.tree[id].role() else {
            return false;
        };
        self.tree[key].tag().is_none()
            && self.tree.text(key) == Some(name)
            && self.is_string(key, name)
    }

    /// Returns whether all readers read the text of a scalar as a string: for a plain
    /// scalar, if the text would be written plain.
    fn is_string(&self, id: NodeId, text: &str) -> bool {
        self.tree[id].style() != Some(Style::Plain) || plain_reads_back(text, self.context())
    }

    /// Returns whether a node begins its line and is followed by something, such as a
    /// comment, that would then follow the last line of a block instead of the first.
    fn shares_its_line(&self) -> bool {
        let node = self.node();
        let range = node.range();
        let before = &self.source[line_start(self.source, range.start)..range.start];
        let after = &self.source[range.end..line_end(self.source, range.end)];
        let is_property = |token: &str| token.starts_with(['&', '!']);
        let is_first =
            node.role() == Role::Root || before.split_ascii_whitespace().all(is_property);
        is_first && !after.trim_matches(BLANKS).is_empty()
    }

    /// Replaces the text of a block scalar, keeping the author's trailing line breaks. A
    /// text that no block scalar can represent is quoted, with its own line breaks.
    fn replace_block_scalar<D: Data>(
        &self,
        parts: &[Part<'_, D>],
        value: &D,
    ) -> Result<Vec<Edit>, Misfit> {
        self.check_texts(parts)?;
        let text = value.as_text().unwrap_or_default();
        let lines = Text(text.trim_end_matches('\n'));
        let held = 0..self.decoded.text.trim_end_matches('\n').len();
        if held.is_empty() {
            return Ok(self.write_lines(text, None));
        }
        if Some(lines.0) == self.decoded.text.get(held.clone()) {
            return Ok(Vec::new());
        }
        if self.decoded.text.starts_with('\n') {
            // Its first line is empty: there are no bytes to replace.
            return Ok(self.write_lines(text, Some(self.decoded.raw_range(&held).end)));
        }
        let part = [Part {
            raw: self.decoded.raw_range(&held),
            decoded: held,
            value: Some(&lines),
        }];
        let edits = self.block_edits(&part, &self.text_with(&part));
        Ok(edits.unwrap_or_else(|| self.replace_with_quoted(text)))
    }

    /// Writes a text to a block scalar as new lines, or in quotes if that isn't possible.
    /// `end` is where the old text ends; `None` if there is none.
    fn write_lines(&self, text: &str, end: Option<usize>) -> Vec<Edit> {
        let lines = text.trim_end_matches('\n');
        let folds = self.style() == Style::Folded && lines.contains('\n');
        let begins_blank =
            lines.trim_matches(BLANKS).is_empty() || lines.starts_with([' ', '\t', '\n']);
        let fits = !folds && !begins_blank && !literal_cannot_hold(lines);
        let may_be = |explicit: bool| fits && (end.is_some() || !explicit);
        let header = self.decoded.header;
        let Some(header) = header.filter(|header| may_be(header.explicit_indent)) else {
            return self.replace_with_quoted(text);
        };
        let column = match end {
            Some(_) => header.indent,
            None => {
                // Longer blank lines would become text.
                let blank = &self.source[header.content..self.decoded.next];
                let longest = blank.lines().map(str::len).max().unwrap_or(0);
                (self.tree.block_column(self.id).unwrap_or(0) + 2).max(longest)
            }
        };
        let line_break = line_break(self.source);
        let next_line = format!("{line_break}{}", " ".repeat(column));
        let mut text = String::new();
        for line in lines.split('\n') {
            text.push_str(if line.is_empty() {
                line_break
            } else {
                &next_line
            });
            text.push_str(line);
        }
        let at = self.source[..header.content]
            .trim_end_matches(['\n', '\r'])
            .len();
        vec![Edit::new(&(at..end.unwrap_or(at)), text)]
    }

    /// Replaces a block collection with a value.
    fn replace_block<D: Data>(&self, value: &D, column: usize) -> Result<Vec<Edit>, Misfit> {
        let node = self.node();
        let start = node.range().start;
        let line_start = line_start(self.source, start);
        let end = self.members_end();
        let alone = self.source[line_start..start].bytes().all(|b| b == b' ');
        if value.is_block() {
            // A sequence may begin in the column of its key, a mapping may not.
            let least = match (value.data_type(), self.tree.block_column(self.id)) {
                (DataType::Map, Some(outer)) if alone => outer + 1,
                _ => 0,
            };
            let wanted = if column < least { least + 1 } else { column };
            let text = format!(
                "{}{}",
                " ".repeat(wanted - column),
                block(value, wanted, line_break(self.source))
            );
            return Ok(vec![Edit::new(&(start..end), text)]);
        }
        if !alone || !matches!(node.role(), Role::Value(_)) {
            return Ok(vec![Edit::new(&(start..end), self.on_one_line(value))]);
        }
        // The value is written on its key's line, and the old lines are removed.
        let at = self
            .tree
            .empty_position(self.id)
            .filter(|at| self.tree.is_blank(*at..start));
        let at = at.ok_or(Misfit::of(Why::NoPosition))?;
        let before = self.source[..line_start].trim_end_matches('\n');
        let before = before.strip_suffix('\r').unwrap_or(before).len().max(at);
        let after = line_end(self.source, end);
        Ok(vec![
            Edit::new(&(at..at), format!(" {}", self.on_one_line(value))),
            Edit::new(&(before..after), String::new()),
        ])
    }

    /// Writes a value to an empty node: `key:`
    pub(crate) fn write_empty<D: Data>(&self, value: &D) -> Result<Vec<Edit>, Misfit> {
        let at = self
            .tree
            .empty_position(self.id)
            .filter(|at| self.tree.is_blank(*at..self.node().range().start));
        let at = at.ok_or(Misfit::of(Why::NoPosition))?;
        if !value.is_block() || self.context().flow {
            let text = format!(" {}", self.on_one_line(value));
            return Ok(vec![Edit::new(&(at..at), text)]);
        }
        let column = self.member_column();
        let line_end = line_end(self.source, at);
        let line_break = line_break(self.source);
        let text = format!(
            "{line_break}{}{}",
            " ".repeat(column),
            block(value, column, line_break)
        );
        Ok(vec![Edit::new(&(line_end..line_end), text)])
    }

    /// Returns a value as written on one line.
    fn on_one_line<D: Data>(&self, value: &D) -> String {
        if value.is_block() && !self.context().flow {
            return flow(value, self.context());
        }
        let whole = self.whole_scalar_edits(value, &(0..0)).into_iter().next();
        let text = whole.map(|edit| String::from_utf8(edit.text).unwrap_or_default());
        text.unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edit::{decode_node, splice};
    use crate::locate::locate;

    /// Replaces the value of the first key.
    #[track_caller]
    fn check(source: &str, value: &str, expected: &str) {
        let tree = locate(source).unwrap();
        let decoded = decode_node(source, &tree, 2).unwrap();
        let editor = NodeEditor {
            source,
            tree: &tree,
            id: 2,
            decoded: &decoded,
            json: false,
        };
        let all = 0..decoded.text.len();
        let part = Part {
            raw: decoded.raw_range(&all),
            decoded: all,
            value: Some(&Text(value)),
        };
        let edits = editor.replace(&[part]).unwrap();
        let result = String::from_utf8(splice(source.as_bytes(), &edits).unwrap()).unwrap();
        assert_eq!(result, expected, "{source:?}");
    }

    #[test]
    fn a_block_without_text_gets_lines() {
        check("a: |\nb: 1\n", "c", "a: |\n  c\nb: 1\n");
        check("a: |\nb: 1\n", "c\n\nd\n", "a: |\n  c\n\n  d\nb: 1\n");
        check("a: >\nb: 1\n", "c", "a: >\n  c\nb: 1\n");
        check("a: >\nb: 1\n", "c\nd", "a: \"c\\nd\"\nb: 1\n");
        check("a: |\nb: 1\n", " c", "a: \" c\"\nb: 1\n");
        check("a: |\nb: 1\n", "\tc", "a: \"\\tc\"\nb: 1\n");
        check("a: |\nb: 1\n", "\u{1}", "a: \"\\u0001\"\nb: 1\n");
        check("a: |2\nb: 1\n", "c", "a: \"c\"\nb: 1\n");
        check(
            "a: |+ # d\n\n   \nb: 1\n",
            "c",
            "a: |+ # d\n   c\n\n   \nb: 1\n",
        );
        check("a: |\r\nb: 1\r\n", "c\nd", "a: |\r\n  c\r\n  d\r\nb: 1\r\n");
    }

    #[test]
    fn a_block_that_begins_with_an_empty_line_gets_other_lines() {
        check("a: |\n\n  b\nc: 1\n", "d\ne", "a: |\n  d\n  e\nc: 1\n");
        check("a: >\n\n  b\nc: 1\n", "d\ne", "a: \"d\\ne\"\nc: 1\n");
        check("a: |3-\n\n   b\nc: 1\n", "d", "a: |3-\n   d\nc: 1\n");
        check("a: |\n\n  b\nc: 1\n", "\nb", "a: |\n\n  b\nc: 1\n");
    }
}
