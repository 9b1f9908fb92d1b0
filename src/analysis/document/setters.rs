//! Setter comments: `vpcId: vpc-0ab1  # landfall: ${infra.vpc_id}`.

use std::cmp::Reverse;
use std::ops::Range;
use std::sync::Arc;

use super::scalars::PendingScalar;
use super::{Analyser, AssignedNode, FoundReference};
use crate::analysis::annotation::Disabled;
use crate::analysis::near_miss::setter_before;
use crate::analysis::targets::ListedFields;
use crate::analysis::{look_alike, look_alike_diagnostic};
use crate::kubernetes::resources::Resources;
use crate::reference::{Dialect, Template, invalid_reference};
use crate::report::{Diagnostic, Rule, Severity};
use yaml::{BLANKS, Edit, Kind, NodeId, Role, Tree};

impl Analyser<'_> {
    /// Returns the nodes that the setter comments of the document set.
    pub(super) fn setters(
        &mut self,
        tree: &Tree,
        resources: &Resources<'_>,
        disabled: &Disabled,
        listed: &ListedFields<'_>,
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
                self.warn_of_look_alike(comment);
                continue;
            };
            let template = &source.text[text.clone()];
            if !self.scope.heads.any(template) {
                continue;
            }
            let lines = lines.get_or_insert_with(|| LineEnds::new(tree, source.text));
            let Some(node) = lines.node_before(comment.start) else {
                let error = Diagnostic {
                    // Whether its names are outputs is not known here.
                    severity: if dialect.only_in_setters() {
                        Severity::Warning
                    } else {
                        Severity::Error
                    },
                    ..Diagnostic::error(Rule::InvalidSetter, "this setter comment follows no value")
                        .at(origin, self.span(comment), "")
                        .help("put it at the end of the line with the value that it sets: after the key of a block list or map, after the closing bracket of a flow one")
                };
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
            let mut errors: Vec<Diagnostic> = broken
                .iter()
                .map(|broken_reference| {
                    invalid_reference(
                        dialect,
                        &broken_reference.error,
                        &source.text[text.clone()],
                        &broken_reference.range,
                        origin,
                        &span_of,
                    )
                })
                .collect();
            let has_comment = if template.references.is_empty() {
                None
            } else {
                template.comment_start()
            };
            if let Some(at) = has_comment {
                let error = Diagnostic::error(
                    Rule::InvalidSetter,
                    "this setter comment contains another comment",
                )
                .at(origin, span_of(&(at..at + 1)), "here")
                .help(format!(
                    "everything after `{}` is the value: put other comments on a separate line",
                    dialect.notation().setter.unwrap_or_default()
                ));
                errors.push(error);
            }
            if let Some(quotes) = own_quotes(&source.text[text.clone()], tree.text(node))
                && !dialect.only_in_setters()
                && !template.references.is_empty()
            {
                let inner = template.text().trim_matches(['"', '\'']);
                let span = span_of(&(0..text.len()));
                let message =
                    format!("the {quotes} in this setter comment would become part of the value");
                let mut error = Diagnostic::error(Rule::InvalidSetter, message)
                    .at(origin, span, "")
                    .help("remove them: the value gets quotes where it needs some");
                if !inner.contains(['"', '\'']) && !source.is_embedded() {
                    let text = inner.as_bytes().to_vec();
                    error = error.fix("remove the quotes", origin, vec![Edit { span, text }]);
                }
                errors.push(error);
            }
            let deferred = if dialect.only_in_setters() {
                // Whether its names are outputs is not known here.
                std::mem::take(&mut errors)
            } else {
                Vec::new()
            };
            for error in errors {
                self.findings.push(Some(node), error);
            }
            if template.references.is_empty() || (has_comment.is_some() && deferred.is_empty()) {
                for found in deferred {
                    let severity = Severity::Warning;
                    self.findings
                        .push(Some(node), Diagnostic { severity, ..found });
                }
                continue;
            }
            let references = template
                .references
                .iter()
                .map(|reference| FoundReference {
                    reference: Arc::new(reference.clone()),
                    number: None,
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
                listed: listed.get(node),
                errors: deferred,
            });
        }
        setters
    }

    /// Reports references in the text of a scalar that follow the beginning of a setter comment:
    /// they set nothing, but are replaced.
    pub(super) fn report_setters_in_text(&mut self, scalar: &PendingScalar<'_>) {
        let dialect = self.scope.heads.dialect();
        let text = &*scalar.decoded.text;
        if memchr::memchr(b'#', text.as_bytes()).is_none() {
            return;
        }
        let mut last = None;
        for reference in &scalar.references {
            let hash = scalar
                .decoded
                .decoded_at(reference.raw.start)
                .and_then(|at| setter_before(dialect, text, at));
            if hash.is_none() || hash == last {
                continue;
            }
            last = hash;
            let message =
                "a setter comment works only in YAML that landfall parses, and this is text";
            let found = Diagnostic {
                severity: self.scope.unbound.severity(),
                ..Diagnostic::error(Rule::SetterLookAlike, message)
                    .at(reference.origin, reference.span, "replaced in the comment")
                    .help("write the reference in place of the value; if the text is YAML, list its field in `spec.embedded` of the Binding with `format: yaml`")
            };
            self.findings.push(Some(scalar.id), found);
        }
    }

    /// Warns about a comment that contains a reference and looks like a setter comment.
    fn warn_of_look_alike(&mut self, comment: &Range<usize>) {
        let Some(text) = self.source.text.get(comment.clone()) else {
            return;
        };
        if !self.scope.heads.any(text) {
            return;
        }
        let dialect = self.scope.heads.dialect();
        let Some(found) = look_alike(dialect, text) else {
            return;
        };
        let raw = comment.start + found.range.start..comment.start + found.range.end;
        let (origin, span) = (self.source.origin, self.span(&raw));
        let in_place = !self.source.is_embedded();
        let found = look_alike_diagnostic(dialect, origin, span, &found, in_place);
        let severity = if self.source.is_embedded() {
            Severity::Warning
        } else {
            self.scope.unbound.severity()
        };
        self.findings.push(None, Diagnostic { severity, ..found });
    }
}

/// Returns the name of the quotes at the ends of a template, unless the value that it sets has
/// them, too.
fn own_quotes(template: &str, value: Option<&str>) -> Option<&'static str> {
    let is_own = |quote: char| {
        (template.starts_with(quote) || template.ends_with(quote))
            && !value.is_some_and(|value| value.starts_with(quote) || value.ends_with(quote))
    };
    match (is_own('"'), is_own('\'')) {
        (true, _) => Some("double quotes"),
        (_, true) => Some("single quotes"),
        _ => None,
    }
}

/// Returns the bytes of the template in a comment, if it is a setter comment.
pub(crate) fn template_of(
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
struct LineEnds<'t> {
    tree: &'t Tree,
    source: &'t str,
    /// Where scalars, aliases and flow collections end, in order.
    ends: Vec<(usize, Reverse<NodeId>)>,
}

impl<'t> LineEnds<'t> {
    fn new(tree: &'t Tree, source: &'t str) -> Self {
        let is_last_token = |id: &NodeId| {
            let node = &tree[*id];
            match node.kind() {
                Kind::Scalar { style, .. } => !node.range().is_empty() && !style.is_block(),
                Kind::Alias(_) => true,
                Kind::Sequence { flow, .. } | Kind::Mapping { flow, .. } => flow,
            }
        };
        let mut ends: Vec<_> = (0..tree.len())
            .filter(is_last_token)
            .map(|id| (tree[id].end(), Reverse(id)))
            .collect();
        ends.sort_unstable();
        Self { tree, source, ends }
    }

    /// Returns the node that a setter comment at byte `comment` sets: the one whose last
    /// token precedes it on its line, or whose indicator does.
    fn node_before(&self, comment: usize) -> Option<NodeId> {
        let before = &self.source[..comment];
        let line_start = before.rfind(['\n', '\r']).map_or(0, |end| end + 1);
        let line = before[line_start..].trim_start_matches('\u{feff}');
        let line_start = comment - line.len();
        let last = self.ends.partition_point(|(end, _)| *end <= comment);
        let token = last
            .checked_sub(1)
            .map(|nth| self.ends[nth])
            .filter(|(end, _)| *end > line_start);
        match token {
            Some((end, Reverse(id))) => self.node_of_token(id, before[end..].trim_matches(BLANKS)),
            None => self.node_of_indicator(line, line_start),
        }
    }

    /// Returns the node that a setter comment sets after the last token of the node `token`.
    /// `between` is the text between the two.
    fn node_of_token(&self, token: NodeId, between: &str) -> Option<NodeId> {
        match self.tree[token].role() {
            // After `key: [` it would be inside the value that it sets.
            Role::Key if !follows_key(between) => None,
            Role::Key => self.tree.value_of(token),
            // After an empty key, a later render could not find the value again.
            Role::Value(key) if self.tree[key].range().is_empty() => None,
            _ if matches!(between, "" | ",") => Some(token),
            _ => None,
        }
    }

    /// Returns the node whose indicator ends `line`, the text before a setter comment:
    /// `- # landfall: …`, `- | # landfall: …`. The node is below, or is empty.
    fn node_of_indicator(&self, line: &str, line_start: usize) -> Option<NodeId> {
        let mut line = line.trim_end_matches(BLANKS);
        while let Some(token) = line.split([' ', '\t']).next_back()
            && (is_property(token) || is_block_header(token))
        {
            line = line[..line.len() - token.len()].trim_end_matches(BLANKS);
        }
        let indicator = line.len().checked_sub(1)?;
        // `:` belongs to a key after `?`; `---` is not a dash.
        let is_dash = line.split([' ', '\t']).next_back() == Some("-");
        let is_colon = line.trim_start_matches(BLANKS) == ":";
        if !is_dash && !is_colon {
            return None;
        }
        let is_dash_or_blank = |b: u8| matches!(b, b'-' | b' ' | b'\t');
        if !line[..indicator].bytes().all(is_dash_or_blank) {
            return None;
        }
        let tree = self.tree;
        let indicator = line_start + indicator;
        let from = tree.first_from(indicator + 1);
        let found = (from..tree.len()).find(|id| match tree[*id].role() {
            Role::Item(_) => is_dash,
            Role::Value(key) => is_colon && !tree[key].range().is_empty(),
            Role::Key | Role::Root => false,
        });
        found.filter(|id| tree[*id].after() <= indicator)
    }
}

/// Whether only the start of the key's value is between a key and a comment: `: &anchor |`.
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

/// Whether a token is an anchor or a tag.
fn is_property(token: &str) -> bool {
    token.starts_with(['&', '!'])
}

/// Whether a token is the header of a block scalar: `|`, `>-`, `|2+`.
fn is_block_header(token: &str) -> bool {
    let indicators = token.strip_prefix(['|', '>']);
    indicators.is_some_and(|rest| rest.bytes().all(|b| matches!(b, b'+' | b'-' | b'0'..=b'9')))
}
