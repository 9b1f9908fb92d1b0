//! A value in the place of a whole node, whatever stands there now, and what is
//! missing put into a collection.

use std::ops::Range;

use super::substitute::{Misfit, Part, Scalar, edit, has_too_long_a_key, too_long_a_key};
use crate::manifest::{
    Chomping, Kind, NodeId, Place, Role, Style, block, decode, flow, is_block, plain_reads_back,
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
        let node = &self.tree.nodes[self.id];
        match node.kind {
            Kind::Scalar {
                style: Style::Plain,
                ..
            } if node.range.is_empty() => self.in_empty(value),
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

    /// The edits that put `missing`, a list or an object, at the end of the node.
    ///
    /// # Errors
    /// The node has no room for it.
    pub(crate) fn extended(&self, missing: &Value) -> Result<Vec<Edit>, Misfit> {
        if has_too_long_a_key(missing) {
            return Err(too_long_a_key());
        }
        let node = &self.tree.nodes[self.id];
        match node.kind {
            Kind::Scalar { .. } if node.range.is_empty() => self.in_empty(missing),
            Kind::Scalar { .. } | Kind::Alias(_) => {
                let range = node.range.clone();
                Ok(vec![edit(&range, flow(missing, self.place()))])
            }
            Kind::Sequence { flow: true, .. } | Kind::Mapping { flow: true, .. } => {
                Ok(vec![self.behind_flow(missing)])
            }
            Kind::Sequence { column, .. } | Kind::Mapping { column, .. } => {
                Ok(vec![self.behind_block(missing, column)])
            }
        }
    }

    /// Whether a node is this value already, however it is written.
    fn holds(&self, id: NodeId, value: &Value) -> bool {
        let node = &self.tree.nodes[id];
        match (&node.kind, value) {
            (Kind::Scalar { style, .. }, Value::String(_)) => {
                let Some(decoded) = decode(self.source, node) else {
                    return false;
                };
                let text = decoded.chomped(&decoded.text);
                // A plain scalar is what all readers take for that string only
                // when it would be written so.
                let is_string = *style != Style::Plain || plain_reads_back(text, self.place());
                is_string && Some(text) == value.text() && !text.is_empty()
            }
            (
                Kind::Scalar {
                    style: Style::Plain,
                    text,
                    ..
                },
                Value::Number(_) | Value::Bool(_),
            ) => node.tag.is_none() && Some(&**text) == value.text(),
            (Kind::Sequence { .. }, Value::List(items)) if !items.is_empty() => {
                let members = self.members(id);
                members.len() == items.len()
                    && members
                        .iter()
                        .zip(items)
                        .all(|(id, item)| self.holds(*id, item))
            }
            (Kind::Mapping { .. }, Value::Object(entries)) if !entries.is_empty() => {
                let members = self.members(id);
                members.len() == entries.len()
                    && members.iter().zip(entries).all(|(id, (key, value))| {
                        let name = match self.tree.nodes[*id].role {
                            Role::Value(key) => self.tree.text(key),
                            _ => None,
                        };
                        name == Some(&key.name) && self.holds(*id, value)
                    })
            }
            _ => false,
        }
    }

    /// A mapping's values, or a sequence's items.
    fn members(&self, id: NodeId) -> Vec<NodeId> {
        super::field_binding::members(self.tree, id).collect()
    }

    /// A value where a block collection stands.
    fn over_block(&self, value: &Value, column: usize) -> Result<Vec<Edit>, Misfit> {
        let node = &self.tree.nodes[self.id];
        let start = node.range.start;
        let line_start = self.line_start(start);
        let end = self.content_end(start..node.end);
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
        let at = self.behind_key().ok_or_else(no_room)?;
        let before = self.source[..line_start].trim_end_matches('\n');
        let before = before.strip_suffix('\r').unwrap_or(before).len().max(at);
        let behind = self.line_end(end);
        Ok(vec![
            edit(&(at..at), format!(" {}", self.in_line(value))),
            edit(&(before..behind), String::new()),
        ])
    }

    /// A value where nothing stands: `key:`
    fn in_empty(&self, value: &Value) -> Result<Vec<Edit>, Misfit> {
        let at = match self.tree.nodes[self.id].role {
            Role::Value(_) => self.behind_key(),
            Role::Item(_) => self.behind_dash(),
            Role::Key | Role::Root => None,
        };
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

    /// Behind the dash of an empty item.
    fn behind_dash(&self) -> Option<usize> {
        let node = &self.tree.nodes[self.id];
        let bytes = self.source.as_bytes();
        let mut at = node.after;
        while at < node.range.start {
            match bytes[at] {
                b'-' if bytes.get(at + 1).is_none_or(u8::is_ascii_whitespace) => {
                    return Some(at + 1);
                }
                b'#' => at = self.line_end(at),
                _ => at += 1,
            }
        }
        None
    }

    /// Behind the colon of the node's key, and behind the node's anchor and tag.
    fn behind_key(&self) -> Option<usize> {
        let Role::Value(key) = self.tree.nodes[self.id].role else {
            return None;
        };
        let skip = |at: usize| {
            let rest = &self.source[at..];
            at + (rest.len() - rest.trim_start_matches([' ', '\t']).len())
        };
        let colon = skip(self.tree.nodes[key].end);
        if !self.source[colon..].starts_with(':') {
            return None;
        }
        let mut behind = colon + 1;
        loop {
            let next = skip(behind);
            if !self.source[next..].starts_with(['&', '!']) {
                return Some(behind);
            }
            let token = self.source[next..].split([' ', '\t', '\n', '\r']).next();
            behind = next + token.map_or(0, str::len);
        }
    }

    /// What goes into a flow collection behind its last member.
    fn behind_flow(&self, missing: &Value) -> Edit {
        let node = &self.tree.nodes[self.id];
        let place = Place {
            flow: true,
            ..self.place()
        };
        let text = flow(missing, place);
        let inner = text.get(1..text.len() - 1).unwrap_or_default();
        let last = (self.id + 1..self.tree.nodes.len())
            .take_while(|id| {
                self.tree.nodes[*id]
                    .parent
                    .is_some_and(|parent| parent >= self.id)
            })
            .map(|id| self.tree.nodes[id].end)
            .max();
        let Some(last) = last else {
            return edit(&(node.range.end..node.range.end), inner.to_owned());
        };
        let behind = self.source[last..].trim_start();
        match behind.starts_with(',') {
            true => {
                let at = self.source.len() - behind.len() + 1;
                edit(&(at..at), format!(" {inner}"))
            }
            false => edit(&(last..last), format!(", {inner}")),
        }
    }

    /// What goes into a block collection behind its last member.
    fn behind_block(&self, missing: &Value, column: usize) -> Edit {
        let node = &self.tree.nodes[self.id];
        let text = block(missing, column, self.line_break());
        let indent = " ".repeat(column);
        if let Some(at) = self.behind_kept_lines() {
            return edit(&(at..at), format!("{indent}{text}{}", self.line_break()));
        }
        let at = self.line_end(self.content_end(node.range.start..node.end));
        edit(&(at..at), format!("{}{indent}{text}", self.line_break()))
    }

    /// Where the last member ends, if it is a block scalar that keeps the blank
    /// lines behind it.
    fn behind_kept_lines(&self) -> Option<usize> {
        let last = (self.id + 1..self.tree.nodes.len())
            .take_while(|id| {
                self.tree.nodes[*id]
                    .parent
                    .is_some_and(|parent| parent >= self.id)
            })
            .last()?;
        let decoded = decode(self.source, &self.tree.nodes[last])?;
        let keeps = decoded.header?.chomping == Chomping::Keep;
        let ended = self.source[..decoded.behind].ends_with('\n');
        (keeps && ended).then_some(decoded.behind)
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

    fn line_start(&self, at: usize) -> usize {
        self.source[..at]
            .rfind(['\n', '\r'])
            .map_or(0, |end| end + 1)
    }

    fn line_end(&self, at: usize) -> usize {
        self.source[at..]
            .find(['\n', '\r'])
            .map_or(self.source.len(), |length| at + length)
    }

    /// Behind the last byte of a range that is no blank or line break.
    fn content_end(&self, range: Range<usize>) -> usize {
        let text = self.source.get(range.clone()).unwrap_or_default();
        range.start + text.trim_end().len()
    }
}

fn no_room() -> Misfit {
    Misfit {
        part: 0,
        message: "there is no place for a value here".to_owned(),
        help: "write the field with some value first".to_owned(),
        unquote: false,
        as_json: false,
    }
}
