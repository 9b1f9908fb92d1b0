//! What is missing in a collection, put behind its last member.

use super::replace::no_room;
use super::substitute::{Misfit, Scalar, edit, has_too_long_a_key, too_long_a_key};
use crate::manifest::{BLANKS, Chomping, Kind, NodeId, Place, Role, Style, block, decode, flow};
use crate::outputs::Value;
use crate::report::Edit;

impl Scalar<'_> {
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
                // `[a: b]` holds a mapping without brackets: it has one pair.
                match self.source[node.range.start..].starts_with(['[', '{']) {
                    true => Ok(vec![self.behind_flow(missing)]),
                    false => Err(no_room()),
                }
            }
            Kind::Sequence { column, .. } | Kind::Mapping { column, .. } => {
                Ok(self.behind_block(missing, column))
            }
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
        // Back from the bracket, over comments.
        let mut at = node.end.saturating_sub(1);
        loop {
            at = self.source[..at].trim_end_matches(BLANKS).len();
            let comments = &self.tree.comments;
            let before = comments.partition_point(|comment| comment.end <= at);
            match before.checked_sub(1).map(|nth| &comments[nth]) {
                Some(comment) if comment.end == at && comment.start > node.range.start => {
                    at = comment.start;
                }
                _ => break,
            }
        }
        let text = match self.source.as_bytes().get(at.wrapping_sub(1)) {
            _ if at <= node.range.end => inner.to_owned(),
            Some(b',') => format!(" {inner}"),
            // Right behind a colon a comma may belong to a text.
            Some(b':') => format!(" , {inner}"),
            _ => format!(", {inner}"),
        };
        edit(&(at..at), text)
    }

    /// What goes into a block collection behind its last member.
    fn behind_block(&self, missing: &Value, column: usize) -> Vec<Edit> {
        let text = block(missing, column, self.line_break());
        let indent = " ".repeat(column);
        let line_break = self.line_break();
        let own_line = |at: usize| edit(&(at..at), format!("{line_break}{indent}{text}"));
        let before_line = |at: usize| edit(&(at..at), format!("{indent}{text}{line_break}"));
        let last = self.last_inside();
        let end = self.members_end();
        let decoded = last.and_then(|last| decode(self.source, &self.tree.nodes[last]));
        let Some((header, decoded)) =
            decoded.and_then(|decoded| decoded.header.map(|header| (header, decoded)))
        else {
            return vec![own_line(self.line_end(end))];
        };
        let kept = decoded.chomped(&decoded.text);
        if kept.is_empty() {
            return vec![own_line(
                self.source[..header.content].trim_end_matches(BLANKS).len(),
            )];
        }
        if !decoded.text.ends_with('\n') {
            // Its last line has no break yet, and gets none into its text.
            let sign = self.source[header.start..header.end].find('+');
            let sign = match (header.chomping, sign) {
                (Chomping::Keep, Some(at)) => header.start + at..header.start + at + 1,
                (Chomping::Clip, _) => header.end..header.end,
                _ => return vec![own_line(decoded.behind)],
            };
            return vec![edit(&sign, "-".to_owned()), own_line(decoded.behind)];
        }
        // Blanks and blank lines at its end may belong to its text.
        match header.chomping == Chomping::Keep
            || kept.trim_end_matches('\n').ends_with([' ', '\t'])
        {
            // Blanks behind the last break are no line yet.
            true if !self.source[..decoded.behind].ends_with('\n') => {
                let gone = self.line_start(decoded.behind)..decoded.behind;
                vec![edit(&gone, format!("{indent}{text}"))]
            }
            true => vec![before_line(decoded.behind)],
            false => vec![own_line(self.line_end(end))],
        }
    }

    /// Where the last member of a block collection ends, one that is empty with its
    /// colon or dash.
    pub(super) fn members_end(&self) -> usize {
        let node = &self.tree.nodes[self.id];
        let end = self.content_end(node.range.start..node.end);
        let Some(id) = self.last_inside() else {
            return end;
        };
        let last = Scalar {
            source: self.source,
            tree: self.tree,
            id,
            decoded: self.decoded,
            json: self.json,
        };
        let node = &self.tree.nodes[id];
        if let Kind::Scalar {
            style: Style::Literal | Style::Folded,
            ..
        } = node.kind
        {
            // A line of tabs at its end is text, and no line of YAML without it.
            let text = self.source.get(end..self.tree.nodes[self.id].end);
            let tabs = text.and_then(|text| text.rfind('\t'));
            return tabs.map_or(end, |at| end + at + 1);
        }
        let is_empty = matches!(
            node.kind,
            Kind::Scalar {
                style: Style::Plain,
                ..
            }
        ) && node.range.is_empty();
        let behind = match node.role {
            Role::Value(_) if is_empty => last.behind_key(),
            Role::Item(_) if is_empty => last.behind_dash(),
            _ => None,
        };
        behind.map_or(end, |behind| behind.max(end))
    }

    /// The last node inside of this one.
    fn last_inside(&self) -> Option<NodeId> {
        (self.id + 1..self.tree.nodes.len())
            .take_while(|id| {
                self.tree.nodes[*id]
                    .parent
                    .is_some_and(|parent| parent >= self.id)
            })
            .last()
    }
}
