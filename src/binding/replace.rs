//! A value in the place of a whole node, whatever stands there now.

use std::ops::Range;

use super::substitute::{Misfit, Part, Scalar, edit, has_too_long_a_key, too_long_a_key};
use crate::manifest::{
    BLANKS, Kind, NodeId, Place, Role, Style, block, decode, flow, is_block, literal_cannot_hold,
    plain_reads_back,
};
use crate::outputs::Value;
use crate::report::Edit;

impl Scalar<'_> {
    /// The edits that make the node the value of its one part: none where it holds
    /// it already.
    ///
    /// # Errors
    /// A value's type has no place here.
    pub(crate) fn replaced(&self, parts: &[Part<'_>]) -> Result<Vec<Edit>, Misfit> {
        let Some(value) = parts.first().and_then(|part| part.value) else {
            return Ok(Vec::new());
        };
        if has_too_long_a_key(value) {
            return Err(too_long_a_key());
        }
        if self.holds(self.id, value) {
            return Ok(Vec::new());
        }
        if let Some(misfit) = self.tag_misfit(value) {
            return Err(misfit);
        }
        let node = &self.tree.nodes[self.id];
        match node.kind {
            Kind::Scalar {
                style: Style::Plain,
                ..
            } if node.range.is_empty() => self.in_empty(value),
            Kind::Scalar {
                style: Style::Literal | Style::Folded,
                ..
            } => self.over_block_scalar(parts, value),
            Kind::Scalar {
                style: Style::Plain,
                ..
            }
            | Kind::Alias(_)
                if is_block(value) && !self.is_key() && self.shares_its_line() =>
            {
                Ok(vec![edit(&node.range, flow(value, self.place()))])
            }
            Kind::Scalar { .. } | Kind::Alias(_) => self.edits(parts),
            _ if self.is_key() => Err(no_room()),
            Kind::Sequence { flow: true, .. } | Kind::Mapping { flow: true, .. } => {
                let place = Place {
                    flow: true,
                    ..self.place()
                };
                let text = match is_block(value) {
                    true => flow(value, place),
                    false => self.in_line(value),
                };
                Ok(vec![edit(&(node.range.start..node.end), text)])
            }
            Kind::Sequence { column, .. } | Kind::Mapping { column, .. } => {
                self.over_block(value, column)
            }
        }
    }

    /// Whether a node is this value already, however it is written.
    fn holds(&self, id: NodeId, value: &Value) -> bool {
        let node = &self.tree.nodes[id];
        // A tag may make another value of the same text.
        if node.tag.is_some() && (id != self.id || self.core_tag() != Some("str")) {
            return false;
        }
        match (&node.kind, value) {
            (Kind::Scalar { style, .. }, Value::String(value)) => {
                let Some(decoded) = decode(self.source, node) else {
                    return false;
                };
                let text = decoded.chomped(&decoded.text);
                text == value && !text.is_empty() && self.is_string(*style, text)
            }
            (
                Kind::Scalar {
                    style: Style::Plain,
                    text,
                    ..
                },
                Value::Null | Value::Number(_) | Value::Bool(_),
            ) => node.tag.is_none() && **text == flow(value, self.place()),
            (Kind::Sequence { .. }, Value::List(items)) => {
                let members = self.members(id);
                members.len() == items.len()
                    && members
                        .iter()
                        .zip(items)
                        .all(|(id, item)| self.holds(*id, item))
            }
            (Kind::Mapping { .. }, Value::Object(entries)) => {
                let members = self.members(id);
                members.len() == entries.len()
                    && members.iter().zip(entries).all(|(id, (key, value))| {
                        self.is_under(*id, &key.name) && self.holds(*id, value)
                    })
            }
            _ => false,
        }
    }

    /// Whether a node is the value of this key.
    fn is_under(&self, id: NodeId, name: &str) -> bool {
        let Role::Value(key) = self.tree.nodes[id].role else {
            return false;
        };
        match &self.tree.nodes[key] {
            node if node.tag.is_some() => false,
            node => match &node.kind {
                Kind::Scalar { style, text, .. } => **text == *name && self.is_string(*style, text),
                _ => false,
            },
        }
    }

    /// Whether all readers take the text of a scalar for a string: a plain one when
    /// it would be written so.
    fn is_string(&self, style: Style, text: &str) -> bool {
        style != Style::Plain || plain_reads_back(text, self.place())
    }

    /// A mapping's values, or a sequence's items.
    fn members(&self, id: NodeId) -> Vec<NodeId> {
        self.tree.members(id).collect()
    }

    /// Whether a node begins its line and something follows it there: the comment
    /// that sets it would stand behind the last line of a block.
    fn shares_its_line(&self) -> bool {
        let node = &self.tree.nodes[self.id];
        let before = &self.source[self.line_start(node.range.start)..node.range.start];
        let behind = &self.source[node.range.end..self.line_end(node.range.end)];
        let is_property = |token: &str| token.starts_with(['&', '!']);
        let is_first = node.role == Role::Root || before.split_ascii_whitespace().all(is_property);
        is_first && !behind.trim_matches(BLANKS).is_empty()
    }

    /// A text where a block scalar stands, whose last line breaks are its author's;
    /// in quotes, as it is, where no block can hold it.
    fn over_block_scalar(&self, parts: &[Part<'_>], value: &Value) -> Result<Vec<Edit>, Misfit> {
        self.check_texts(parts)?;
        let text = value.text().unwrap_or_default();
        let lines = Value::String(text.trim_end_matches('\n').to_owned());
        let held = 0..self.decoded.text.trim_end_matches('\n').len();
        if held.is_empty() {
            return Ok(self.in_new_block(text, None));
        }
        if lines.text() == self.decoded.text.get(held.clone()) {
            return Ok(Vec::new());
        }
        if self.decoded.text.starts_with('\n') {
            // Nothing stands in its first line to be replaced.
            return Ok(self.in_new_block(text, Some(self.decoded.raw_range(&held).end)));
        }
        let part = [Part {
            raw: self.decoded.raw_range(&held),
            decoded: held,
            value: Some(&lines),
            read: true,
        }];
        let edits = self.in_block(&part, &self.target(&part));
        Ok(edits.unwrap_or_else(|| self.in_quotes(text)))
    }

    /// A text where a block scalar stands, in lines of its own. `end` is where the
    /// old text ends; none where there is none.
    fn in_new_block(&self, text: &str, end: Option<usize>) -> Vec<Edit> {
        let lines = text.trim_end_matches('\n');
        let is_folded = matches!(
            self.tree.nodes[self.id].kind,
            Kind::Scalar {
                style: Style::Folded,
                ..
            }
        );
        let folds = is_folded && lines.contains('\n');
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
                let blank = &self.source[header.content..self.decoded.behind];
                let longest = blank.lines().map(str::len).max().unwrap_or(0);
                (self.tree.block_column(self.id).unwrap_or(0) + 2).max(longest)
            }
        };
        let line_break = self.line_break();
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
        vec![edit(&(at..end.unwrap_or(at)), made)]
    }

    /// A value where a block collection stands.
    fn over_block(&self, value: &Value, column: usize) -> Result<Vec<Edit>, Misfit> {
        let node = &self.tree.nodes[self.id];
        let start = node.range.start;
        let line_start = self.line_start(start);
        let end = self.members_end();
        let alone = self.source[line_start..start].bytes().all(|b| b == b' ');
        if is_block(value) {
            // A sequence may stand in the column of its key, a mapping may not.
            let least = match (value, self.tree.block_column(self.id)) {
                (Value::Object(_), Some(outer)) if alone => outer + 1,
                _ => 0,
            };
            let wanted = if column < least { least + 1 } else { column };
            let text = format!(
                "{}{}",
                " ".repeat(wanted - column),
                block(value, wanted, self.line_break())
            );
            return Ok(vec![edit(&(start..end), text)]);
        }
        if !alone || !matches!(node.role, Role::Value(_)) {
            return Ok(vec![edit(&(start..end), self.in_line(value))]);
        }
        // It moves up, behind its key, and its lines go.
        let at = self.behind_key();
        let at = at.filter(|at| self.is_blank(*at..start));
        let at = at.ok_or_else(no_room)?;
        let before = self.source[..line_start].trim_end_matches('\n');
        let before = before.strip_suffix('\r').unwrap_or(before).len().max(at);
        let behind = self.line_end(end);
        Ok(vec![
            edit(&(at..at), format!(" {}", self.in_line(value))),
            edit(&(before..behind), String::new()),
        ])
    }

    /// A value where nothing stands: `key:`
    pub(super) fn in_empty(&self, value: &Value) -> Result<Vec<Edit>, Misfit> {
        let node = &self.tree.nodes[self.id];
        let at = match node.role {
            Role::Value(_) => self.behind_key(),
            Role::Item(_) => self.behind_dash(),
            Role::Key | Role::Root => None,
        };
        let at = at.filter(|at| self.is_blank(*at..node.range.start));
        let at = at.ok_or_else(no_room)?;
        if !is_block(value) || self.place().flow {
            return Ok(vec![edit(&(at..at), format!(" {}", self.in_line(value)))]);
        }
        let column = self
            .tree
            .block_column(self.id)
            .map_or(0, |column| column + 2);
        let line_end = self.line_end(at);
        let text = format!(
            "{}{}{}",
            self.line_break(),
            " ".repeat(column),
            block(value, column, self.line_break())
        );
        Ok(vec![edit(&(line_end..line_end), text)])
    }

    /// Whether nothing but comments stands in a range: no anchor or tag on a line of
    /// its own.
    fn is_blank(&self, range: Range<usize>) -> bool {
        let lines = self
            .source
            .get(range)
            .unwrap_or_default()
            .split(['\n', '\r']);
        lines.into_iter().all(|line| {
            let line = line.trim_matches(BLANKS);
            line.is_empty() || line.starts_with('#')
        })
    }

    /// Behind the dash of an empty item, and behind the item's anchor and tag.
    pub(super) fn behind_dash(&self) -> Option<usize> {
        let node = &self.tree.nodes[self.id];
        let bytes = self.source.as_bytes();
        let mut at = node.after;
        while at < node.range.start {
            match bytes[at] {
                b'-' if bytes.get(at + 1).is_none_or(u8::is_ascii_whitespace) => {
                    return Some(self.behind_properties(at + 1));
                }
                b'#' => at = self.line_end(at),
                _ => at += 1,
            }
        }
        None
    }

    /// Behind the colon of the node's key, and behind the node's anchor and tag.
    pub(super) fn behind_key(&self) -> Option<usize> {
        let Role::Value(key) = self.tree.nodes[self.id].role else {
            return None;
        };
        let mut colon = self.tree.nodes[key].end;
        loop {
            // That of a key behind `?` stands on a further line.
            let rest = &self.source[colon..];
            colon += rest.len() - rest.trim_ascii_start().len();
            match self.source.as_bytes().get(colon) {
                Some(b':') => return Some(self.behind_properties(colon + 1)),
                Some(b'#') => colon = self.line_end(colon),
                _ => return None,
            }
        }
    }

    fn behind_properties(&self, mut behind: usize) -> usize {
        loop {
            let next = self.behind_blanks(behind);
            if !self.source[next..].starts_with(['&', '!']) {
                return behind;
            }
            let token = &self.source[next..];
            let ends = |c: char| match c {
                ' ' | '\t' | '\n' | '\r' => true,
                ',' | '[' | ']' | '{' | '}' => self.place().flow,
                _ => false,
            };
            let length = match token.strip_prefix("!<").and_then(|tag| tag.find('>')) {
                Some(at) => at + 3,
                None => token.find(ends).unwrap_or(token.len()),
            };
            behind = next + length;
        }
    }

    fn behind_blanks(&self, at: usize) -> usize {
        let rest = &self.source[at..];
        at + (rest.len() - rest.trim_start_matches([' ', '\t']).len())
    }

    /// A value on one line.
    fn in_line(&self, value: &Value) -> String {
        let whole = self.whole_plain(value, &(0..0));
        match (
            is_block(value) && !self.place().flow,
            whole.into_iter().next(),
        ) {
            (false, Some(edit)) => String::from_utf8(edit.text).unwrap_or_default(),
            _ => flow(value, self.place()),
        }
    }

    pub(super) fn line_start(&self, at: usize) -> usize {
        self.source[..at]
            .rfind(['\n', '\r'])
            .map_or(0, |end| end + 1)
    }

    pub(super) fn line_end(&self, at: usize) -> usize {
        self.source[at..]
            .find(['\n', '\r'])
            .map_or(self.source.len(), |length| at + length)
    }

    /// Behind the last byte of a range that is no blank or line break.
    pub(super) fn content_end(&self, range: Range<usize>) -> usize {
        let text = self.source.get(range.clone()).unwrap_or_default();
        range.start + text.trim_end_matches(BLANKS).len()
    }
}

pub(super) fn no_room() -> Misfit {
    Misfit {
        part: 0,
        message: "there is no place for a value here".to_owned(),
        help: "write the field with some value first".to_owned(),
        unquote: false,
        as_json: false,
    }
}
