//! Appends members to a collection.

use super::parts::has_long_key;
use super::{Data, Edit, Misfit, NodeEditor, Why, block, flow};
use crate::line::{BLANKS, line_break, line_end, line_start};
use crate::scalar::{Chomping, Context, decode};
use crate::tree::{Kind, NodeId, Role, Style, Tree};

impl NodeEditor<'_> {
    /// Appends the members of `missing`, a list or a map, to the node, a collection of
    /// that kind. A scalar, empty or not, is replaced with `missing`.
    ///
    /// ```yaml
    /// # before
    /// labels:
    ///   app: web   # comment
    /// args: [a, b]
    /// empty:
    /// # after: `tier: db` for `labels` and `empty`, `c` for `args`
    /// labels:
    ///   app: web   # comment
    ///   tier: db
    /// args: [a, b, c]
    /// empty:
    ///   tier: db
    /// ```
    ///
    /// # Errors
    /// There is no position for it, or a key is too long.
    pub fn append<D: Data>(&self, missing: &D) -> Result<Vec<Edit>, Misfit> {
        if has_long_key(missing) {
            return Err(Misfit::of(Why::LongKey));
        }
        let node = self.node();
        match node.kind() {
            Kind::Scalar { .. } if node.range().is_empty() => self.write_empty(missing),
            Kind::Scalar { .. } | Kind::Alias(_) => {
                let text = flow(missing, self.context());
                Ok(vec![Edit::new(&node.range(), text)])
            }
            Kind::Sequence { flow: true, .. } | Kind::Mapping { flow: true, .. } => {
                // `[a: b]` contains a mapping without braces, which can have only one
                // pair.
                if !self.source[node.range().start..].starts_with(['[', '{']) {
                    return Err(Misfit::of(Why::NoPosition));
                }
                Ok(vec![self.append_to_flow(missing)])
            }
            Kind::Sequence { column, .. } | Kind::Mapping { column, .. } => {
                Ok(self.append_to_block(missing, column))
            }
        }
    }

    fn append_to_flow<D: Data>(&self, missing: &D) -> Edit {
        let node = self.node();
        let context = Context {
            flow: true,
            ..self.context()
        };
        let text = flow(missing, context);
        let inner = text.get(1..text.len() - 1).unwrap_or_default();
        // Go back from the closing bracket, over comments.
        let mut at = node.end().saturating_sub(1);
        loop {
            at = self.source[..at].trim_end_matches(BLANKS).len();
            let comments = self.tree.comments();
            let before = comments.partition_point(|comment| comment.end <= at);
            match before.checked_sub(1).map(|nth| &comments[nth]) {
                Some(comment) if comment.end == at && comment.start > node.range().start => {
                    at = comment.start;
                }
                _ => break,
            }
        }
        let text = match self.source.as_bytes().get(at.wrapping_sub(1)) {
            _ if at <= node.range().end => inner.to_owned(),
            Some(b',') => format!(" {inner}"),
            // Right after a colon, a comma may be part of a text.
            Some(b':') => format!(" , {inner}"),
            _ => format!(", {inner}"),
        };
        Edit::new(&(at..at), text)
    }

    fn append_to_block<D: Data>(&self, missing: &D, column: usize) -> Vec<Edit> {
        let line_break = line_break(self.source);
        let text = block(missing, column, line_break);
        let indent = " ".repeat(column);
        let own_line = |at: usize| Edit::new(&(at..at), format!("{line_break}{indent}{text}"));
        let before_line = |at: usize| Edit::new(&(at..at), format!("{indent}{text}{line_break}"));
        let last = self.tree.inside(self.id).last();
        let end = self.members_end();
        let decoded = last.and_then(|last| decode(self.source, self.tree, last));
        let Some((header, decoded)) =
            decoded.and_then(|decoded| decoded.header.map(|header| (header, decoded)))
        else {
            return vec![own_line(line_end(self.source, end))];
        };
        let kept = decoded.chomped(&decoded.text);
        if kept.is_empty() {
            return vec![own_line(
                self.source[..header.content].trim_end_matches(BLANKS).len(),
            )];
        }
        if !decoded.text.ends_with('\n') {
            // Its last line has no line break yet, and must not get one in its text.
            let keep_sign = self.source[header.start..header.end].find('+');
            let indicator = match (header.chomping, keep_sign) {
                (Chomping::Keep, Some(at)) => header.start + at..header.start + at + 1,
                (Chomping::Clip, _) => header.end..header.end,
                _ => return vec![own_line(decoded.next)],
            };
            return vec![
                Edit::new(&indicator, "-".to_owned()),
                own_line(decoded.next),
            ];
        }
        // Trailing blanks and blank lines may belong to its text.
        let may_own_blanks =
            header.chomping == Chomping::Keep || kept.trim_end_matches('\n').ends_with([' ', '\t']);
        if !may_own_blanks {
            return vec![own_line(line_end(self.source, end))];
        }
        if self.source[..decoded.next].ends_with('\n') {
            return vec![before_line(decoded.next)];
        }
        // Blanks after the last line break are not a line yet.
        let blanks = line_start(self.source, decoded.next)..decoded.next;
        vec![Edit::new(&blanks, format!("{indent}{text}"))]
    }

    /// Returns where the last member of a block collection ends.
    pub(crate) fn members_end(&self) -> usize {
        content_end(self.source, self.tree, self.id)
    }
}

/// Returns where a node ends, without the blank lines that may follow its last scalar; an
/// empty one ends after its colon or dash.
pub(super) fn content_end(source: &str, tree: &Tree, id: NodeId) -> usize {
    let node = &tree[id];
    let content = source
        .get(..node.end())
        .unwrap_or_default()
        .trim_end_matches(BLANKS);
    let end = content.len();
    let last = tree.inside(id).last().unwrap_or(id);
    match tree[last].kind() {
        Kind::Scalar { style, .. } if style.is_block() => {
            // A line of tabs at its end is part of its text, and not valid YAML after it.
            let text = source.get(end..node.end());
            let tabs = text.and_then(|text| text.rfind('\t'));
            tabs.map_or(end, |at| end + at + 1)
        }
        Kind::Scalar {
            style: Style::Plain,
            ..
        } if tree[last].range().is_empty()
            && !matches!(tree[last].role(), Role::Key | Role::Root) =>
        {
            let position = tree.empty_position(last);
            position.map_or(end, |position| position.max(end))
        }
        _ => end,
    }
}
