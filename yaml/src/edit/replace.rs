//! A value in the place of a whole node, whatever the node is.

use super::parts::has_long_key;
use super::{Data, DataType, Edit, Misfit, NodeEditor, Part, Shape, Why, block, flow};
use crate::line::{BLANKS, line_break, line_end, line_start};
use crate::scalar::{Context, decode, literal_cannot_hold, plain_reads_back};
use crate::tree::{Kind, NodeId, Role, Style};

impl NodeEditor<'_> {
    /// Replaces the whole node by the value of the one part in `parts`; returns no edits
    /// where the node has that value already, however it is written. Comments on the
    /// node's first line stay, and so do its anchor, its tag and the author's quotes.
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
    /// A value's type isn't allowed here, or there is no position for it.
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
                let text = match value.is_block() {
                    true => flow(value, context),
                    false => self.on_one_line(value),
                };
                Ok(vec![Edit::new(&(node.range().start..node.end()), text)])
            }
            Kind::Sequence { column, .. } | Kind::Mapping { column, .. } => {
                self.replace_block(value, column)
            }
        }
    }

    /// Whether a node is this value already, however it is written.
    fn holds<D: Data>(&self, id: NodeId, value: &D) -> bool {
        let node = &self.tree[id];
        // A tag may make another value of the same text.
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

    /// Whether a node is the value of this key.
    fn is_under(&self, id: NodeId, name: &str) -> bool {
        let Role::Value(key) = self.tree[id].role() else {
            return false;
        };
        self.tree[key].tag().is_none()
            && self.tree.text(key) == Some(name)
            && self.is_string(key, name)
    }

    /// Whether all readers take the text of a scalar for a string: a plain one when
    /// it would be written so.
    fn is_string(&self, id: NodeId, text: &str) -> bool {
        self.tree[id].style() != Some(Style::Plain) || plain_reads_back(text, self.context())
    }

    /// Whether a node begins its line and something follows it there: a comment would
    /// follow the last line of a block instead of the first.
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

    /// A text in the place of a block scalar, whose last line breaks are its author's; in
    /// quotes, as it is, where no block can hold it.
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
            return Ok(self.in_new_block(text, None));
        }
        if Some(lines.0) == self.decoded.text.get(held.clone()) {
            return Ok(Vec::new());
        }
        if self.decoded.text.starts_with('\n') {
            // Its first line has nothing that could be replaced.
            return Ok(self.in_new_block(text, Some(self.decoded.raw_range(&held).end)));
        }
        let part = [Part {
            raw: self.decoded.raw_range(&held),
            decoded: held,
            value: Some(&lines),
        }];
        let edits = self.in_block(&part, &self.text_with(&part));
        Ok(edits.unwrap_or_else(|| self.in_quotes(text)))
    }

    /// A text in the place of a block scalar, in lines of its own. `end` is where the
    /// old text ends; none where there is none.
    fn in_new_block(&self, text: &str, end: Option<usize>) -> Vec<Edit> {
        let lines = text.trim_end_matches('\n');
        let folds = self.style() == Style::Folded && lines.contains('\n');
        let begins_blank =
            lines.trim_matches(BLANKS).is_empty() || lines.starts_with([' ', '\t', '\n']);
        let fits = !folds && !begins_blank && !literal_cannot_hold(lines);
        let may_be = |explicit: bool| fits && (end.is_some() || !explicit);
        let header = self.decoded.header;
        let Some(header) = header.filter(|header| may_be(header.explicit_indent)) else {
            return self.in_quotes(text);
        };
        let column = match end {
            Some(_) => header.indent,
            None => {
                // Blank lines that are longer would be text.
                let blank = &self.source[header.content..self.decoded.next];
                let longest = blank.lines().map(str::len).max().unwrap_or(0);
                (self.tree.block_column(self.id).unwrap_or(0) + 2).max(longest)
            }
        };
        let line_break = line_break(self.source);
        let next_line = format!("{line_break}{}", " ".repeat(column));
        let mut made = String::new();
        for line in lines.split('\n') {
            made.push_str(if line.is_empty() {
                line_break
            } else {
                &next_line
            });
            made.push_str(line);
        }
        let at = self.source[..header.content]
            .trim_end_matches(['\n', '\r'])
            .len();
        vec![Edit::new(&(at..end.unwrap_or(at)), made)]
    }

    /// A value in the place of a block collection.
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
        // It moves up to its key's line, and its own lines go.
        let at = self.tree.empty_position(self.id);
        let at = at.filter(|at| self.tree.is_blank(*at..start));
        let at = at.ok_or(Misfit::of(Why::NoPosition))?;
        let before = self.source[..line_start].trim_end_matches('\n');
        let before = before.strip_suffix('\r').unwrap_or(before).len().max(at);
        let after = line_end(self.source, end);
        Ok(vec![
            Edit::new(&(at..at), format!(" {}", self.on_one_line(value))),
            Edit::new(&(before..after), String::new()),
        ])
    }

    /// A value where the node is empty: `key:`
    pub(crate) fn write_empty<D: Data>(&self, value: &D) -> Result<Vec<Edit>, Misfit> {
        let at = self.tree.empty_position(self.id);
        let at = at.filter(|at| self.tree.is_blank(*at..self.node().range().start));
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

    /// A value on one line.
    fn on_one_line<D: Data>(&self, value: &D) -> String {
        if value.is_block() && !self.context().flow {
            return flow(value, self.context());
        }
        let whole = self.whole_plain(value, &(0..0)).into_iter().next();
        let text = whole.map(|edit| String::from_utf8(edit.text).unwrap_or_default());
        text.unwrap_or_default()
    }
}

/// A string.
struct Text<'t>(&'t str);

impl Data for Text<'_> {
    fn shape(&self) -> Shape<'_, Self> {
        Shape::String(self.0)
    }

    fn entries(&self) -> impl ExactSizeIterator<Item = (&str, &Self)> {
        std::iter::empty()
    }
}
