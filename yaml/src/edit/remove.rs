//! Removes members of a collection: entries of a mapping or items of a sequence.

use std::cell::Cell;
use std::ops::Range;

use super::Edit;
use super::append::content_end;
use crate::line::{Line, line_end, line_start};
use crate::tree::{Kind, NodeId, Role, Style, Tree};

/// Why a member cannot be removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotRemoved {
    /// An alias repeats the anchor of this node, which would be removed.
    Anchor(NodeId),
    /// The member is written in a form that edits don't remove, such as after `?`, or the
    /// block scalar before it would get the lines after it.
    Form(NodeId),
}

/// A member that is removed, or stays: its bytes with its key, anchors and tags.
struct Member {
    id: NodeId,
    range: Range<usize>,
    is_removed: bool,
}

/// Removes members of collections with their trailing comments, and the lines or commas that
/// are left. `removed` are all values and items of the document that are removed, ascending;
/// several of them are scalars. A collection without members becomes `{}` or `[]`.
///
/// ```yaml
/// # before: everything with `<>` is removed
/// name: web
/// class: <>   # comment
/// ports: [<>, 80, <>]
/// labels:
///   tier: <>
/// args:
///   - <>
///   # kept
///   - --verbose
/// # after
/// name: web
/// ports: [80]
/// labels: {}
/// args:
///   # kept
///   - --verbose
/// ```
///
/// The edits are ascending and disjoint, and cover the bytes of the members.
///
/// # Errors
/// The members that cannot be removed.
///
/// # Examples
/// ```
/// use landfall_yaml::{locate, remove_members, splice};
///
/// let source = "a: 1   # one\nb: 2\n";
/// let tree = locate(source).unwrap();
/// let edits = remove_members(source, &tree, &[2]).unwrap();
/// assert_eq!(splice(source.as_bytes(), &edits).unwrap(), b"b: 2\n");
/// ```
pub fn remove_members(
    source: &str,
    tree: &Tree,
    removed: &[NodeId],
) -> Result<Vec<Edit>, Vec<NotRemoved>> {
    let mut by_parent: Vec<(NodeId, NodeId)> = Vec::with_capacity(removed.len());
    for id in removed {
        let parent = tree[*id].parent().ok_or(vec![NotRemoved::Form(*id)])?;
        by_parent.push((parent, *id));
    }
    by_parent.sort_unstable();
    let mut errors = repeated_anchors(tree, removed);
    let mut edits = Vec::new();
    let before = Cell::new((tree.len(), false));
    for group in by_parent.chunk_by(|one, other| one.0 == other.0) {
        let collection = group.first().map_or(0, |(parent, _)| *parent);
        let mut members = Vec::new();
        for id in tree.members(collection) {
            let is_removed = removed.binary_search(&id).is_ok();
            let start = match start_of(source, tree, id) {
                Some(start) => start,
                None if !is_removed => tree[id].range().start,
                None => {
                    errors.push(NotRemoved::Form(id));
                    continue;
                }
            };
            let end = match tree[id].kind() {
                Kind::Sequence { flow: true, .. } | Kind::Mapping { flow: true, .. } => {
                    tree[id].end()
                }
                _ => content_end(source, tree, id),
            };
            members.push(Member {
                id,
                range: start..end.max(start),
                is_removed,
            });
        }
        let remover = Remover {
            source,
            tree,
            removed,
            collection,
            members,
            before: &before,
        };
        let found = match tree[collection].kind() {
            Kind::Sequence { flow: true, .. } | Kind::Mapping { flow: true, .. } => {
                remover.in_flow()
            }
            _ => remover.in_block(),
        };
        match found {
            Ok(found) => edits.extend(found),
            Err(error) => errors.push(error),
        }
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    edits.sort_by_key(|edit: &Edit| edit.span);
    Ok(edits)
}

/// Returns where a member begins: with its dash, or its key with anchor and tag. `None` if a
/// `?` precedes it.
fn start_of(source: &str, tree: &Tree, id: NodeId) -> Option<usize> {
    let first = match tree[id].role() {
        Role::Value(key) => key,
        Role::Item(_) if !tree.in_flow(id) => return tree.dash(id),
        Role::Item(_) => id,
        Role::Key | Role::Root => return None,
    };
    // A pair in brackets, `[a: b]`, begins with its key.
    let end = tree[first].range().start;
    let mut at = tree[first].after();
    loop {
        let rest = source.get(at..end)?;
        at += rest.len() - rest.trim_ascii_start().len();
        match source.as_bytes().get(at) {
            Some(b'#') if at < end => at = line_end(source, at),
            // A colon, if the value before it is empty.
            Some(b',' | b':') if at < end => at += 1,
            Some(b'?') if at < end => return None,
            _ => return Some(at),
        }
    }
}

/// Returns the anchors of removed nodes that aliases repeat.
fn repeated_anchors(tree: &Tree, removed: &[NodeId]) -> Vec<NotRemoved> {
    let mut anchored = Vec::new();
    for id in removed {
        let key = match tree[*id].role() {
            Role::Value(key) => Some(key),
            _ => None,
        };
        let nodes = key.into_iter().chain([*id]);
        anchored.extend(nodes.filter(|node| tree[*node].has_anchor()));
    }
    if anchored.is_empty() {
        return Vec::new();
    }
    let aliases = tree.nodes().filter_map(|(_, node)| node.alias_target());
    let mut repeated: Vec<NodeId> = aliases.collect();
    repeated.sort_unstable();
    anchored.retain(|id| repeated.binary_search(id).is_ok());
    anchored.into_iter().map(NotRemoved::Anchor).collect()
}

/// Removes members of one collection.
struct Remover<'a> {
    source: &'a str,
    tree: &'a Tree,
    /// All removed members of the document.
    removed: &'a [NodeId],
    collection: NodeId,
    members: Vec<Member>,
    /// A node, and whether the last node before it that stays is a block scalar.
    before: &'a Cell<(NodeId, bool)>,
}

impl Remover<'_> {
    fn removed(&self) -> impl Iterator<Item = &Member> {
        self.members.iter().filter(|member| member.is_removed)
    }

    fn in_block(&self) -> Result<Vec<Edit>, NotRemoved> {
        if self.members.iter().all(|member| member.is_removed) {
            return self.empty_block();
        }
        let mut edits: Vec<Edit> = Vec::new();
        // Where the text after removed members is moved to, if something precedes the first
        // of them on its line.
        let mut attached = None;
        for member in self.removed() {
            let Range { start, end } = member.range;
            let line = Line::at(self.source, end);
            self.check_before(member, line.next)?;
            if attached != Some(start) && self.begins_line(start) {
                let first = line_start(self.source, start);
                // The line break before it is gone if the first line is.
                let range = match edits.last() {
                    Some(last) if last.span.end == first => first..line.next,
                    _ => self.line(start, end),
                };
                edits.push(Edit::new(&range, String::new()));
                continue;
            }
            let next_line = self.source.get(line.next..).unwrap_or_default();
            let indent = next_line.len() - next_line.trim_start_matches(' ').len();
            if line.next == line.text.end {
                return Err(NotRemoved::Form(member.id));
            }
            attached = Some(line.next + indent);
            edits.push(Edit::new(&(start..line.next + indent), String::new()));
        }
        Ok(edits)
    }

    /// Removes all members of a block collection.
    fn empty_block(&self) -> Result<Vec<Edit>, NotRemoved> {
        let Some((first, others)) = self.members.split_first() else {
            return Ok(Vec::new());
        };
        let empty = match self.tree[self.collection].kind() {
            Kind::Sequence { .. } => "[]",
            _ => "{}",
        };
        let mut edits = Vec::new();
        let position = self.tree.empty_position(self.collection).filter(|at| {
            self.tree.is_blank(*at..first.range.start) && self.begins_line(first.range.start)
        });
        let Range { start, end } = first.range;
        self.check_before(first, Line::at(self.source, end).next)?;
        match position {
            Some(at) => {
                edits.push(Edit::new(&(at..at), format!(" {empty}")));
                edits.push(Edit::new(&self.line(start, end), String::new()));
            }
            None if self.tree[self.collection].role() == Role::Key => {
                return Err(NotRemoved::Form(first.id));
            }
            None => edits.push(Edit::new(
                &(start..line_end(self.source, end)),
                empty.to_owned(),
            )),
        }
        for member in others {
            let Range { start, end } = member.range;
            if !self.begins_line(start) {
                return Err(NotRemoved::Form(member.id));
            }
            self.check_before(member, Line::at(self.source, end).next)?;
            edits.push(Edit::new(&self.line(start, end), String::new()));
        }
        Ok(edits)
    }

    /// Returns whether only spaces precede byte `at` on its line.
    fn begins_line(&self, at: usize) -> bool {
        let before = self
            .source
            .get(..at)
            .unwrap_or_default()
            .trim_end_matches(' ');
        before.is_empty() || before.ends_with(['\n', '\r'])
    }

    /// Returns the bytes of the lines from byte `start` to `end`, with the line break before
    /// them: what is added after the last of them then keeps its place.
    fn line(&self, start: usize, end: usize) -> Range<usize> {
        let first = line_start(self.source, start);
        let line = Line::at(self.source, end);
        let before = self.source.get(..first).unwrap_or_default();
        let without_break = before.strip_suffix('\n').unwrap_or(before);
        let without_break = without_break.strip_suffix('\r').unwrap_or(without_break);
        // A block scalar may need the line break at its end.
        let is_last = line.next == line.text.end;
        match first {
            0 => first..line.next,
            _ if is_last && self.follows_block_scalar(start) => first..line.next,
            _ => without_break.len()..line.text.end,
        }
    }

    /// Returns whether the last node before byte `at` that stays is a block scalar.
    fn follows_block_scalar(&self, at: usize) -> bool {
        let (known, answer) = self.before.get();
        let from = self.tree.first_from(at);
        let mut next = from;
        let follows = loop {
            if next == known {
                break answer;
            }
            let Some(id) = next.checked_sub(1) else {
                break false;
            };
            let value = match self.tree[id].role() {
                Role::Key => self.tree.value_of(id).unwrap_or(id),
                _ => id,
            };
            if self.removed.binary_search(&value).is_err() {
                break self.tree[id].style().is_some_and(Style::is_block);
            }
            next = id;
        };
        self.before.set((from, follows));
        follows
    }

    /// Checks that the block scalar before a member does not get the lines after it: blank
    /// lines, and comments.
    fn check_before(&self, member: &Member, next: usize) -> Result<(), NotRemoved> {
        // A key is a node before its value.
        if !self.follows_block_scalar(member.range.start) {
            return Ok(());
        }
        let line = Line::at(self.source, next);
        let text = self
            .source
            .get(line.text)
            .unwrap_or_default()
            .trim_matches([' ', '\t']);
        if next < self.source.len() && (text.is_empty() || text.starts_with('#')) {
            return Err(NotRemoved::Form(member.id));
        }
        Ok(())
    }

    fn in_flow(&self) -> Result<Vec<Edit>, NotRemoved> {
        let node = &self.tree[self.collection];
        let (open, close) = (node.range().end, node.end().saturating_sub(1));
        let has_brackets = !node.range().is_empty() && self.source.is_char_boundary(close);
        let Some(last) = self.members.last() else {
            return Ok(Vec::new());
        };
        if !has_brackets {
            // `[a: b]` contains a mapping without braces, with one pair.
            return Ok(vec![Edit::new(&last.range, "{}".to_owned())]);
        }
        let comments = self.tree.comments();
        let has_comment = |range: &Range<usize>| {
            let first = comments.partition_point(|comment| comment.start < range.start);
            comments
                .get(first)
                .is_some_and(|comment| comment.start < range.end)
        };
        let kept = self.members.iter().rposition(|member| !member.is_removed);
        if kept.is_none() && !has_comment(&(open..close)) {
            return Ok(vec![Edit::new(&(open..close), String::new())]);
        }
        let mut commas = Vec::with_capacity(self.members.len());
        for (nth, member) in self.members.iter().enumerate() {
            let next = self.members.get(nth + 1);
            let until = next.map_or(close, |next| next.range.start);
            commas.push(self.comma(member.range.end, until));
        }
        let mut edits = Vec::new();
        if let Some(kept) = kept
            && kept + 1 < self.members.len()
        {
            // The comma after the last member that stays.
            let comma = commas[kept].ok_or(NotRemoved::Form(last.id))?;
            let rest = self.source.get(comma..last.range.end).unwrap_or_default();
            if !rest.contains(['\n', '\r']) {
                edits.push(Edit::new(&(comma..last.range.end), String::new()));
                commas.truncate(kept + 1);
            } else {
                edits.push(Edit::new(&(comma..comma + 1), String::new()));
            }
        }
        for (nth, (member, comma)) in self.members.iter().zip(&commas).enumerate() {
            if !member.is_removed {
                continue;
            }
            let start = member.range.start;
            let end = comma.map_or(member.range.end, |comma| comma + 1);
            // A line may have any number of members: it is not read for each of them.
            let rest = self
                .source
                .get(end..)
                .unwrap_or_default()
                .trim_start_matches([' ', '\t']);
            let ends_line = rest.starts_with(['#', '\n', '\r']);
            let is_alone = ends_line && self.begins_line(start);
            let is_in_line = |next: usize| {
                let between = self.source.get(end..next).unwrap_or_default();
                !between.contains(['\n', '\r'])
            };
            let has_break = || {
                let line = Line::at(self.source, end);
                line.next > line.text.end
            };
            let range = match self.members.get(nth + 1).map(|next| next.range.start) {
                _ if is_alone && has_break() => self.line(start, end),
                Some(next) if is_in_line(next) => start..next,
                _ => start..end,
            };
            edits.push(Edit::new(&range, String::new()));
        }
        edits.sort_by_key(|edit| edit.span);
        Ok(edits)
    }

    /// Returns the first comma between two bytes, outside comments.
    fn comma(&self, from: usize, until: usize) -> Option<usize> {
        let mut at = from;
        while at < until {
            match self.source.as_bytes().get(at)? {
                b',' => return Some(at),
                b'#' => at = line_end(self.source, at),
                _ => at += 1,
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edit::splice;
    use crate::locate::locate;

    /// Removes the members whose text is `X`, and compares the result.
    #[track_caller]
    fn check(source: &str, expected: &str) {
        let tree = locate(source).unwrap();
        let is_removed = |id: &NodeId| tree.text(*id) == Some("X");
        let removed: Vec<NodeId> = tree.ids().filter(is_removed).collect();
        let edits = match remove_members(source, &tree, &removed) {
            Ok(edits) => edits,
            Err(errors) => return assert_eq!(format!("{errors:?}"), expected),
        };
        let result = String::from_utf8(splice(source.as_bytes(), &edits).unwrap()).unwrap();
        assert_eq!(result, expected);
        locate(&result).unwrap();
    }

    #[test]
    fn removes_entries_and_items_of_blocks() {
        check("a: X\nb: 1\n", "b: 1\n");
        check("a: X\nb: X\nc: 1\n", "c: 1\n");
        check("a: 1\nb: X # c\nd: 2\n", "a: 1\nd: 2\n");
        check("a: 1\r\nb: X # c\r\nd: 2\r\n", "a: 1\r\nd: 2\r\n");
        check("a: 1\nb: X", "a: 1");
        check("a:\n  - X\n  - b # c\n  - X\n", "a:\n  - b # c\n");
        check("a:\n- X\n- b\n- X", "a:\n- b");
        check(
            "a: 1\n# about b\nb: X\n# about c\nc: 2\n",
            "a: 1\n# about b\n# about c\nc: 2\n",
        );
        check("a: 1\n\n&k b: !!str X\n\nc: 2\n", "a: 1\n\n\nc: 2\n");
        check("a: 1\n'b': 'X'\n\"c\": \"X\"\n", "a: 1\n");
        check("a:\n  - # c\n    X\n  - b\n", "a:\n  - b\n");
        check("a:\n    X\nb: 1\n", "b: 1\n");
        check("a:\n  # c\nb: X\n", "a:\n  # c\n");
        check("{a: , b: X}", "{a: }");
    }

    #[test]
    fn what_follows_a_first_member_takes_its_place() {
        check("- a: X\n  b: 1\n", "- b: 1\n");
        check("- a: X # c\n  b: X\n  d: 1\n", "- d: 1\n");
        check("- a: X\n  # about b\n  b: 1\n", "- # about b\n  b: 1\n");
        check(
            "- a: X\n  # about b\n  b: X\n  d: 1\n",
            "- # about b\n  d: 1\n",
        );
        check("- a: X\n\n  b: 1\n", "- \n  b: 1\n");
        check("- - X\n  - b\n", "- - b\n");
        check("\u{feff}a: X\nb: 1\n", "\u{feff}b: 1\n");
    }

    #[test]
    fn an_empty_block_stays() {
        check("a:\n  b: X\nc: 1\n", "a: {}\nc: 1\n");
        check("a: # c\n  - X # d\n  - X\n", "a: [] # c\n");
        check("a:\n- X\nb: 1\n", "a: []\nb: 1\n");
        check("a: &x\n  # c\n  b: X\n", "a: &x {}\n  # c\n");
        check("- a: X # c\n  b: X\n- 1\n", "- {}\n- 1\n");
        check("-\n  a: X\n- 1\n", "- {}\n- 1\n");
        check("a: X\n", "{}\n");
        check("a: X # c\n# d\nb: X", "{}\n# d");
        check("- X\n- X\n", "[]\n");
        check("- - X\n- X\n", "- []\n");
    }

    #[test]
    fn removes_members_of_flow_collections() {
        check("a: [X, b, X, c, X]\n", "a: [b, c]\n");
        check("a: [X, X, b]\n", "a: [b]\n");
        check("a: [b, X, X]\n", "a: [b]\n");
        check("a: [ X ]\n", "a: []\n");
        check("a: [X, X, ]\n", "a: []\n");
        check("a: { b: X }\n", "a: {}\n");
        check("a: { b: X, c: 1 }\n", "a: { c: 1 }\n");
        check("a: { c: 1, b: X }\n", "a: { c: 1 }\n");
        check("a: { c: 1, b: X, }\n", "a: { c: 1, }\n");
        check("{\"a\":\"X\",\"b\":1,\"c\":\"X\"}", "{\"b\":1}");
        check("a: [b: X]\n", "a: [{}]\n");
        check("a: [X, b: X, c]\n", "a: [{}, c]\n");
    }

    #[test]
    fn removes_lines_of_flow_collections() {
        check("a: [\n  X, # c\n  b,\n  X\n]\n", "a: [\n  b\n]\n");
        check("a: [\n  b, # c\n  X, # d\n]\n", "a: [\n  b # c\n]\n");
        check("a: [\n  b, # c\n  X]\n", "a: [\n  b # c\n  ]\n");
        check("a: [\n  # c\n  X\n]\n", "a: [\n  # c\n]\n");
        check("{\n  \"a\": 1,\n  \"b\": \"X\"\n}\n", "{\n  \"a\": 1\n}\n");
        check("{\n  \"b\": \"X\",\n  \"a\": 1\n}\n", "{\n  \"a\": 1\n}\n");
        check("{\n  \"b\": \"X\"\n}\n", "{}\n");
        check("[X, b,\n  X, c]\n", "[b,\n  c]\n");
    }

    #[test]
    fn a_block_scalar_before_a_member_keeps_its_text() {
        check("a: |\n  t\nb: X\nc: 1\n", "a: |\n  t\nc: 1\n");
        check("a: |\n  t\nb: X", "a: |\n  t\n");
        check("a: |+\n  t\n\nb: X\nc: 1\n", "a: |+\n  t\n\nc: 1\n");
        check("a: |+\n  t\nb: X\n\nc: 1\n", "[Form(4)]");
        check("a: |\n  t\nb: X\n  # c\n", "[Form(4)]");
        check("a: |\n  t\nb: X\nc: X\n  # c\n", "[Form(6)]");
        check("- a: |+\n    t\n  b: X\n- X\n\n- 1\n", "[Form(6)]");
    }

    #[test]
    fn an_anchor_that_an_alias_repeats_stays() {
        check("a: &x X\nb: 1\n", "b: 1\n");
        check("a: &x X\nb: *x\n", "[Anchor(2)]");
        check("&x a: X\nb: *x\n", "[Anchor(1)]");
        check("? a\n: X\nb: 1\n", "[Form(2)]");
    }
}
