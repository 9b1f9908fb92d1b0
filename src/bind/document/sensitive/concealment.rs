//! What diagnostics may show of the text around their locations: nothing of a Secret,
//! nor of a value that a sensitive output replaces. Hosts show whole lines, so a line
//! that shares text with either is concealed.

use std::ops::Range;

use crate::analysis::is_like_setter;
use crate::bind::document::Renderer;
use crate::bind::document::assign::Assignments;
use crate::bind::document::source::RenderSource;
use crate::bind::document::targets::PathOutcome;
use crate::collections::OrderedSet;
use crate::functions::look_up::target_of;
use crate::kubernetes::is_kind;
use crate::kubernetes::resources::Resources;
use crate::outputs::Bindings;
use crate::reference::{Mask, Reference, has_own_text};
use crate::report::{Diagnostic, Origin};
use yaml::Span;
use yaml::{BLANKS, Kind, Role, Tree, line_start};

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
        let OlderSecrets { replaced, possible } = self.older_secrets(tree, assignments);
        let mut secrets: Vec<Span> = possible_secrets(tree, resources, self.source.text)
            .map(|range| self.span(&range))
            .collect();
        secrets.extend(replaced.iter().chain(&possible));
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

    /// Returns the values that may be older secrets: those that sensitive outputs replace, and
    /// those that others may, because a comment is broken or names what is not there.
    fn older_secrets(&self, tree: &Tree, assignments: &Assignments<'_>) -> OlderSecrets {
        let mut older = OlderSecrets::default();
        let bindings = self.context.bindings;
        if !bindings.has_sensitive() {
            return older;
        }
        let mut read = OrderedSet::new();
        for assignment in &assignments.list {
            let mut outputs = Outputs::Public;
            for found in assignment.references {
                outputs = outputs.max(Outputs::of(&found.reference, bindings));
            }
            let node = &tree[assignment.target.node()];
            older.add(outputs, self.span(&node.extent()));
            if assignment.origin == self.origin() {
                read.insert(assignment.span.start);
            }
        }
        let text = self.source.text;
        for comment in tree.comments() {
            let written = text.get(comment.clone()).unwrap_or_default();
            if is_like_setter(written) && !read.contains(&self.span(comment).start) {
                let mut names = bindings.sensitive_names();
                let outputs = if names.any(|name| written.contains(name)) {
                    Outputs::Sensitive
                } else {
                    Outputs::Unknown
                };
                let line = line_start(text, comment.start);
                older.add(outputs, self.span(&(line..comment.start)));
            }
        }
        older.replaced.sort_unstable();
        older
    }
}

/// Values that may be older secrets.
#[derive(Default)]
struct OlderSecrets {
    /// Not even their lengths may be shown. In order.
    replaced: Vec<Span>,
    /// The others.
    possible: Vec<Span>,
}

impl OlderSecrets {
    fn add(&mut self, outputs: Outputs, value: Span) {
        match outputs {
            Outputs::Public => {}
            Outputs::Unknown => self.possible.push(value),
            Outputs::Sensitive => self.replaced.push(value),
        }
    }
}

/// What a setter comment names.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Outputs {
    Public,
    /// Some are not there.
    Unknown,
    /// Some are sensitive.
    Sensitive,
}

impl Outputs {
    fn of(reference: &Reference, bindings: &Bindings) -> Self {
        let mut outputs = Self::Public;
        reference.for_each_path(&mut |path| {
            outputs = outputs.max(match target_of(path, bindings) {
                Some(target) if target.named.has_sensitive(&target.output) => Self::Sensitive,
                Some(target) if target.bound().is_some() => Self::Public,
                _ => Self::Unknown,
            });
        });
        outputs
    }
}

/// Returns the bytes of everything in a document that is a Secret, or may be one.
fn possible_secrets<'a>(
    tree: &'a Tree,
    resources: &'a Resources<'_>,
    text: &'a str,
) -> impl Iterator<Item = Range<usize>> + 'a {
    let is_secret = move |(id, node): (usize, &yaml::Node)| {
        let Role::Value(key) = node.role() else {
            return None;
        };
        let is_secret = match resources.text(key)? {
            "stringData" => true,
            // Its `literals` are the data of Secrets that kustomize generates.
            "secretGenerator" => return Some(id),
            // A Binding may have outputs in it.
            "apiVersion" => resources
                .text(id)
                .is_some_and(|text| text.starts_with("landfall.dev/")),
            "kind" => match (resources.text(id), node.kind()) {
                // Otherwise its reference failed, is sensitive, or is another tool's.
                (Some(kind), _) => matches!(kind, "Secret" | "SecretList") || !is_kind(kind),
                // An alias may be any kind.
                (None, kind) => matches!(kind, Kind::Alias(_)),
            },
            _ => false,
        };
        if !is_secret {
            return None;
        }
        node.parent()
    };
    let nodes = tree.nodes();
    nodes.filter_map(is_secret).map(|mapping| {
        let node = &tree[mapping];
        let content = text.get(node.range().start..node.end()).unwrap_or_default();
        node.range().start..node.range().start + content.trim_end_matches(BLANKS).len()
    })
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

    /// Narrows the span of a concealed label to its start, unless it is in the path of a
    /// reference or in a comment.
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
        let is_shown = is_inside(&self.references) || is_inside(&self.comments);
        if is_shown && !has_own_text(self.source.raw(span)) {
            span
        } else {
            Span::point(span.start)
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
