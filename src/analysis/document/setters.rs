//! Setter comments: `vpcId: vpc-0ab1  # landfall: ${infra.vpc_id}`.

use std::cmp::Reverse;
use std::ops::Range;

use super::{Analyser, AssignedNode, FoundReference};
use crate::analysis::annotation::Disabled;
use crate::analysis::{look_alike, look_alike_warning};
use crate::kubernetes::resources::Resources;
use crate::reference::{Dialect, Template, not_a_reference};
use crate::report::{Diagnostic, Rule};
use yaml::{BLANKS, Kind, NodeId, Role, Tree};

impl Analyser<'_> {
    /// Returns the nodes that the setter comments of the document set.
    pub(super) fn setters(
        &mut self,
        tree: &Tree,
        resources: &Resources<'_>,
        disabled: &Disabled,
    ) -> Vec<AssignedNode> {
        let mut setters = Vec::new();
        let mut lines = None;
        let source = self.source;
        let origin = source.origin;
        let dialect = self.scope.heads.dialect();
        for comment in tree.comments() {
            if disabled.covers_comment(tree, comment.start) {
                continue;
            }
            let Some(text) = template_of(dialect, source.text, comment) else {
                self.looks_like_a_setter(comment);
                continue;
            };
            let template = &source.text[text.clone()];
            if !self.scope.heads.any(template) {
                continue;
            }
            let lines = lines.get_or_insert_with(|| Lines::new(tree, source.text));
            let Some(node) = lines.marked(comment.start) else {
                let error = Diagnostic::error(
                    Rule::InvalidSetter,
                    "this setter comment follows no value",
                )
                .at(origin, self.span(comment), "")
                .help("put it at the end of the line with the value that it sets: after the key of a block list or map, after the closing bracket of a flow one");
                self.findings.push(None, error);
                continue;
            };
            if !self.is_rendered(resources, node) || disabled.covers(tree, node) {
                continue;
            }
            let (template, broken) = Template::parse(template, self.scope.heads);
            let span_of = |range: &Range<usize>| {
                source.span(&(text.start + range.start..text.start + range.end))
            };
            for wrong in &broken {
                let text = &source.text[text.clone()];
                let found =
                    not_a_reference(dialect, &wrong.error, text, &wrong.range, origin, &span_of);
                self.findings.push(Some(node), found);
            }
            if template.references.is_empty() {
                continue;
            }
            if let Some(at) = template.remark() {
                let error = Diagnostic::error(
                    Rule::InvalidSetter,
                    "this setter comment contains another comment",
                )
                .at(origin, span_of(&(at..at + 1)), "here")
                .help(format!(
                    "everything after `{}` is the value: put other comments on a separate line",
                    dialect.notation().setter.unwrap_or_default()
                ));
                self.findings.push(Some(node), error);
                continue;
            }
            let references = template
                .references
                .iter()
                .map(|reference| FoundReference {
                    reference: reference.clone(),
                    origin,
                    span: span_of(&reference.range),
                    raw: text.start + reference.range.start..text.start + reference.range.end,
                })
                .collect();
            setters.push(AssignedNode::Comment {
                node,
                template,
                references,
                start: text.start,
                span: self.span(comment),
            });
        }
        setters
    }

    /// Warns of a comment that holds a reference and looks like a setter's.
    fn looks_like_a_setter(&mut self, comment: &Range<usize>) {
        let Some(text) = self.source.text.get(comment.clone()) else {
            return;
        };
        if !self.scope.heads.any(text) {
            return;
        }
        let dialect = self.scope.heads.dialect();
        let Some(word) = look_alike(dialect, text) else {
            return;
        };
        let raw = comment.start + word.start..comment.start + word.end;
        let found = look_alike_warning(
            dialect,
            self.source.origin,
            self.span(&raw),
            !self.source.is_embedded(),
        );
        self.findings.push(None, found);
    }
}

/// The bytes of the template in a comment, if it is a setter's.
pub(super) fn template_of(
    dialect: &dyn Dialect,
    source: &str,
    comment: &Range<usize>,
) -> Option<Range<usize>> {
    let comment_text = source.get(comment.clone())?;
    let rest = comment_text.get(dialect.setter(comment_text)?)?;
    let template = rest.trim();
    let start = comment.end - rest.trim_start().len();
    Some(start..start + template.len())
}

/// The last token of every line.
struct Lines<'t> {
    tree: &'t Tree,
    source: &'t str,
    /// Where scalars, aliases and flow collections end, in order.
    ends: Vec<(usize, Reverse<NodeId>)>,
}

impl<'t> Lines<'t> {
    fn new(tree: &'t Tree, source: &'t str) -> Self {
        let ends_here = |id: &NodeId| {
            let node = &tree[*id];
            match node.kind() {
                Kind::Scalar { style, .. } => !node.range().is_empty() && !style.is_block(),
                Kind::Alias(_) => true,
                Kind::Sequence { flow, .. } | Kind::Mapping { flow, .. } => flow,
            }
        };
        let mut ends: Vec<_> = (0..tree.len())
            .filter(ends_here)
            .map(|id| (tree[id].end(), Reverse(id)))
            .collect();
        ends.sort_unstable();
        Self { tree, source, ends }
    }

    /// The node that a comment at byte `at` marks.
    fn marked(&self, at: usize) -> Option<NodeId> {
        let before = &self.source[..at];
        let line_start = before.rfind(['\n', '\r']).map_or(0, |end| end + 1);
        let line = before[line_start..].trim_start_matches('\u{feff}');
        let line_start = at - line.len();
        let last = self.ends.partition_point(|(end, _)| *end <= at);
        let token = last
            .checked_sub(1)
            .map(|nth| self.ends[nth])
            .filter(|(end, _)| *end > line_start);
        if let Some((end, Reverse(id))) = token {
            let between = before[end..].trim_matches(BLANKS);
            return match self.tree[id].role() {
                // After `key: [` it would be inside the value that it sets.
                Role::Key => self.tree.value_of(id).filter(|_| follows_key(between)),
                // Below an empty key nothing could be marked again.
                Role::Value(key) if self.tree[key].range().is_empty() => None,
                _ if matches!(between, "" | ",") => Some(id),
                _ => None,
            };
        }
        // `- # landfall: …`, `- | # landfall: …`: the item is below, or is empty.
        let mut line = line.trim_end_matches(BLANKS);
        while let Some(token) = line.split([' ', '\t']).next_back()
            && (is_property(token) || is_block_header(token))
        {
            line = line[..line.len() - token.len()].trim_end_matches(BLANKS);
        }
        let indicator = line_start + line.len().checked_sub(1)?;
        // `:` belongs to a key after `?`; `---` is not a dash.
        let token = line.split([' ', '\t']).next_back();
        if token != Some("-") && line.trim_start_matches(BLANKS) != ":" {
            return None;
        }
        if !before[line_start..indicator]
            .bytes()
            .all(|b| matches!(b, b'-' | b' ' | b'\t'))
        {
            return None;
        }
        let nodes = self.tree;
        let from = nodes.first_from(indicator + 1);
        let found = (from..nodes.len()).find(|id| match nodes[*id].role() {
            Role::Item(_) => before.as_bytes()[indicator] == b'-',
            Role::Value(key) => {
                before.as_bytes()[indicator] == b':' && !nodes[key].range().is_empty()
            }
            Role::Key | Role::Root => false,
        });
        found.filter(|id| nodes[*id].after() <= indicator)
    }
}

/// Whether nothing is between a key and a comment but what belongs to the key's
/// value: `: &anchor |`.
fn follows_key(between: &str) -> bool {
    let between = between
        .strip_suffix(',')
        .unwrap_or(between)
        .trim_end_matches(BLANKS);
    let value = between.strip_prefix(':').unwrap_or(between);
    value
        .split_ascii_whitespace()
        .all(|token| is_property(token) || is_block_header(token))
}

/// An anchor or a tag.
fn is_property(token: &str) -> bool {
    token.starts_with(['&', '!'])
}

/// `|`, `>-`, `|2+`: what a block scalar begins with.
fn is_block_header(token: &str) -> bool {
    let indicators = token.strip_prefix(['|', '>']);
    indicators.is_some_and(|rest| rest.bytes().all(|b| matches!(b, b'+' | b'-' | b'0'..=b'9')))
}
