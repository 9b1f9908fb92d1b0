//! What diagnostics may show of the text around their locations: nothing of a Secret,
//! nor of a value that a sensitive output replaces. Hosts show whole lines, so a line
//! that shares text with either is concealed.

use std::ops::Range;

use crate::bind::document::Renderer;
use crate::bind::document::assign::Assignments;
use crate::bind::document::source::RenderSource;
use crate::bind::document::targets::PathOutcome;
use crate::functions::look_up::target_of;
use crate::kubernetes::resources::Resources;
use crate::outputs::Bindings;
use crate::reference::Mask;
use crate::reference::Reference;
use crate::report::{Diagnostic, Origin};
use yaml::Span;
use yaml::{BLANKS, Kind, Role, Tree};

impl Renderer<'_, '_> {
    /// Conceals what the diagnostics of this document may not show. Must be called after
    /// everything has been reported.
    pub(crate) fn conceal(
        &mut self,
        tree: &Tree,
        resources: &Resources<'_>,
        assignments: &Assignments<'_>,
        masks: &[Mask],
    ) {
        let mut outcomes = self.path_outcomes.iter_mut();
        if self.rendered.diagnostics.is_empty() && !outcomes.any(|it| it.diagnostic().is_some()) {
            return;
        }
        let replaced = self.replaced(tree, assignments);
        let opener = self.context.dialect().notation().opener;
        let secrets = possible_secrets(tree, resources, self.source.text, opener);
        let mut secrets: Vec<Span> = secrets.map(|range| self.span(&range)).collect();
        secrets.extend(&replaced);
        if secrets.is_empty() {
            return;
        }
        let concealment = Concealment {
            source: self.source,
            lines: lines(self.source, secrets),
            replaced,
            references: masks.iter().map(|mask| self.span(&mask.range)).collect(),
            comments: tree
                .comments()
                .iter()
                .map(|range| self.span(range))
                .collect(),
        };
        let origin = self.origin();
        let outcomes = self.path_outcomes.iter_mut();
        let of_paths = outcomes.filter_map(PathOutcome::diagnostic);
        for diagnostic in self.rendered.diagnostics.iter_mut().chain(of_paths) {
            concealment.apply(diagnostic, origin);
        }
    }

    /// Returns the values that sensitive outputs replace: they may be older secrets.
    fn replaced(&self, tree: &Tree, assignments: &Assignments<'_>) -> Vec<Span> {
        let assignments = assignments.list.iter();
        let sensitive = assignments.filter(|assignment| {
            let mut references = assignment.references.iter();
            references.any(|found| names_sensitive_output(&found.reference, self.context.bindings))
        });
        let mut replaced: Vec<Span> = sensitive
            .map(|assignment| {
                let node = &tree[assignment.target.node()];
                self.span(&(node.extent()))
            })
            .collect();
        replaced.sort_unstable();
        replaced
    }
}

/// Returns the bytes of everything in a document that is a Secret, or may be one.
fn possible_secrets<'a>(
    tree: &'a Tree,
    resources: &'a Resources<'_>,
    text: &'a str,
    opener: &'static str,
) -> impl Iterator<Item = Range<usize>> + 'a {
    let is_secret = move |(id, node): (usize, &yaml::Node)| {
        let Role::Value(key) = node.role() else {
            return None;
        };
        let is_secret = match resources.text(key)? {
            "stringData" => true,
            "kind" => match (resources.text(id), node.kind()) {
                (Some(kind), _) => {
                    matches!(kind, "Secret" | "SecretList") || is_unknown(kind, opener)
                }
                // An alias may be any kind.
                (None, kind) => matches!(kind, Kind::Alias(_)),
            },
            _ => false,
        };
        node.parent().filter(|_| is_secret)
    };
    let nodes = tree.nodes();
    nodes.filter_map(is_secret).map(|mapping| {
        let node = &tree[mapping];
        let content = text.get(node.range().start..node.end()).unwrap_or_default();
        node.range().start..node.range().start + content.trim_end_matches(BLANKS).len()
    })
}

/// Returns whether a kind is unknown: its reference failed, or is sensitive.
fn is_unknown(kind: &str, opener: &str) -> bool {
    kind.contains(opener) || kind.contains(crate::bind::document::validate::SENSITIVE)
}

fn names_sensitive_output(reference: &Reference, bindings: &Bindings) -> bool {
    let mut is_sensitive = false;
    reference.for_each_path(&mut |path| {
        let bound = target_of(path, bindings).and_then(|target| target.bound());
        is_sensitive |= bound.is_some_and(|bound| bound.sensitive);
    });
    is_sensitive
}

/// Returns the lines that share text with any of these spans, disjoint and in order.
fn lines(source: &RenderSource<'_>, mut spans: Vec<Span>) -> Vec<Span> {
    spans.sort_unstable();
    let mut lines: Vec<Span> = Vec::new();
    for span in spans {
        match lines.last_mut() {
            // A long line is searched only once.
            Some(last) if span.end <= last.end => {}
            Some(last) if span.start <= last.end => {
                last.end = source.lines(Span::point(span.end)).end;
            }
            _ => lines.push(source.lines(span)),
        }
    }
    lines
}

/// What to conceal in one document. All spans are bytes of the file.
struct Concealment<'a> {
    source: &'a RenderSource<'a>,
    /// The lines that may not be shown, disjoint and in order.
    lines: Vec<Span>,
    /// The values that sensitive outputs replace, in order.
    replaced: Vec<Span>,
    /// May be shown anywhere; disjoint and in order, like `comments`.
    references: Vec<Span>,
    comments: Vec<Span>,
}

impl Concealment<'_> {
    fn apply(&self, diagnostic: &mut Diagnostic, origin: Origin) {
        let labels = &mut diagnostic.labels;
        let mut in_source: Vec<usize> = (0..labels.len())
            .filter(|nth| labels[*nth].origin == origin)
            .collect();
        for nth in &in_source {
            let label = &mut labels[*nth];
            if self.shares_lines(label.span) {
                label.conceal = true;
                label.span = self.narrowed(label.span);
            }
        }
        // Hosts show the lines between two locations that are close to each other.
        in_source.sort_by_key(|nth| labels[*nth].span);
        for pair in in_source.windows(2) {
            let (first, last) = (labels[pair[0]].span, labels[pair[1]].span);
            if self.shares_lines(Span::new(first.start, last.end.max(first.end))) {
                labels[pair[0]].conceal = true;
                labels[pair[1]].conceal = true;
            }
        }
    }

    fn shares_lines(&self, span: Span) -> bool {
        let before = self.lines.partition_point(|line| line.start <= span.end);
        let last = before.checked_sub(1).and_then(|nth| self.lines.get(nth));
        last.is_some_and(|line| span.start <= line.end)
    }

    /// Narrows the span of a concealed label to its start, unless it is in a reference or
    /// a comment.
    fn narrowed(&self, span: Span) -> Span {
        if let Some(value) = self.replaced_before(span) {
            // The column would reveal how long the value is.
            return Span::point(value.start);
        }
        let is_inside = |spans: &[Span]| {
            let after = spans.partition_point(|outer| outer.start <= span.start);
            let outer = after.checked_sub(1).and_then(|nth| spans.get(nth));
            outer.is_some_and(|outer| span.end <= outer.end)
        };
        match is_inside(&self.references) || is_inside(&self.comments) {
            true => span,
            false => Span::point(span.start),
        }
    }

    /// Returns the replaced value that ends before this span, on the line where the span
    /// starts.
    fn replaced_before(&self, span: Span) -> Option<Span> {
        let after = self
            .replaced
            .partition_point(|value| value.end <= span.start);
        let value = *self.replaced.get(after.checked_sub(1)?)?;
        let line_end = self.source.lines(Span::point(value.end)).end;
        (span.start <= line_end).then_some(value)
    }
}
