//! Fields that get a value without containing a reference, from a setter comment or a
//! field binding.

use std::ops::Range;

use crate::analysis::document::{AssignedNode, FoundReference, InnerTarget, NodeTarget};
use crate::analysis::targets::FieldBindings;
use crate::bind::document::Renderer;
use crate::bind::document::assign::created::field_steps;
use crate::bind::document::assign::setter_value::Replaced;
use crate::bind::document::source::RenderSource;
use crate::bind::document::validate::Placement;
use crate::bind::document::values::ResolvedReferences;
use crate::collections::{OrderedMap, OrderedSet};
use crate::config::substitutions::{PathStep, SpannedText};
use crate::kubernetes::Format;
use crate::kubernetes::resources::{Occurrences, Resources};
use crate::reference::Template;
use crate::report::{Diagnostic, Origin, Rule};
use yaml::Span;
use yaml::{NodeId, Tree};

/// One value for one field.
pub(crate) struct Assignment<'c> {
    pub(crate) template: &'c Template,
    pub(crate) references: &'c [FoundReference],
    pub(crate) template_location: TemplateLocation<'c>,
    pub(crate) target: AssignmentTarget<'c>,
    /// What the Binding lists the field as.
    pub(crate) listed: Option<Format>,
    /// Whether the value is written as base64.
    pub(crate) base64: bool,
    /// Where it is declared: the comment, or the field path.
    pub(crate) origin: Origin,
    pub(crate) span: Span,
    /// For each reference that nothing binds, its part of the current value; empty if there
    /// is none.
    pub(crate) derived: Vec<Option<String>>,
    /// What it replaces, if that decides which values are allowed.
    pub(crate) replaced: Option<Replaced>,
}

/// Where the template is written.
pub(crate) enum TemplateLocation<'c> {
    /// In a setter comment, starting at this byte of the document's text.
    Comment(usize),
    /// In the Binding.
    Binding(&'c SpannedText),
}

/// Where the value goes.
pub(crate) enum AssignmentTarget<'c> {
    /// The value replaces a key, a scalar, a list or a map.
    Node(NodeId),
    /// One part of a scalar's text.
    Part {
        node: NodeId,
        delimiter: &'c str,
        index: i64,
    },
    /// A new field: the steps from `parent`.
    New {
        parent: NodeId,
        steps: &'c [PathStep],
        /// Whether the parent is a mapping.
        in_map: bool,
    },
}

impl AssignmentTarget<'_> {
    pub(crate) const fn node(&self) -> NodeId {
        match self {
            Self::Node(node) | Self::Part { node, .. } => *node,
            Self::New { parent, .. } => *parent,
        }
    }

    /// Returns the node that gets a new field.
    pub(crate) const fn extended(&self) -> Option<NodeId> {
        match self {
            Self::New { parent, .. } => Some(*parent),
            Self::Node(_) | Self::Part { .. } => None,
        }
    }
}

impl<'c> Assignment<'c> {
    pub(crate) fn new(
        assigned: &'c AssignedNode,
        bindings: &'c FieldBindings,
        origin: Origin,
    ) -> Self {
        match assigned {
            AssignedNode::Comment {
                node,
                template,
                references,
                start,
                span,
                listed,
                ..
            } => Self {
                template,
                references,
                template_location: TemplateLocation::Comment(*start),
                target: AssignmentTarget::Node(*node),
                listed: *listed,
                base64: false,
                origin,
                span: *span,
                derived: Vec::new(),
                replaced: None,
            },
            AssignedNode::Binding {
                path,
                target,
                listed,
            } => {
                let (binding, binding_target, path) = bindings.path(*path);
                let options = &binding_target.options;
                Self {
                    template: &binding.template,
                    references: &binding.references,
                    template_location: TemplateLocation::Binding(&binding.value),
                    target: match *target {
                        NodeTarget::Node(node) => AssignmentTarget::Node(node),
                        NodeTarget::Part(node) => AssignmentTarget::Part {
                            node,
                            delimiter: options.delimiter.as_deref().unwrap_or_default(),
                            index: options.index,
                        },
                        NodeTarget::New {
                            parent,
                            rest,
                            in_map,
                        } => AssignmentTarget::New {
                            parent,
                            steps: path.steps.get(rest..).unwrap_or_default(),
                            in_map,
                        },
                    },
                    listed: *listed,
                    base64: options.base64,
                    origin: bindings.origin,
                    span: path.span,
                    derived: Vec::new(),
                    replaced: None,
                }
            }
        }
    }

    /// Returns the placement of the value at a node, with the values of its references.
    pub(crate) fn placement<'a, 'b>(
        &'a self,
        id: NodeId,
        values: &'a ResolvedReferences<'b>,
        occurrences: &'a Occurrences,
    ) -> Placement<'a, 'b> {
        Placement {
            id,
            references: self.references,
            template: Some(self.template.text()),
            values: &values.values,
            derived: &self.derived,
            field: &occurrences.own.field,
            occurrences,
            listed: self.listed,
            encoded: self.base64,
        }
    }

    pub(crate) const fn is_field_binding(&self) -> bool {
        matches!(self.template_location, TemplateLocation::Binding(_))
    }

    /// Returns whether the part of a reference is derived from the current value.
    pub(crate) fn is_derived(&self, nth: usize) -> bool {
        self.derived.get(nth).is_some_and(Option::is_some)
    }

    /// Converts a range of the template to a span of its file.
    pub(crate) fn span_of(&self, source: &RenderSource<'_>, range: &Range<usize>) -> Span {
        match self.template_location {
            TemplateLocation::Comment(offset) => {
                source.span(&(offset + range.start..offset + range.end))
            }
            TemplateLocation::Binding(value) => value.span_of(range),
        }
    }
}

/// The assignments of one document.
pub(crate) struct Assignments<'c> {
    pub(crate) list: Vec<Assignment<'c>>,
    /// The field paths that continue in the text of a scalar.
    pub(crate) inner_targets: &'c OrderedMap<NodeId, Vec<InnerTarget>>,
    /// Scalars whose references stay, so that nothing may replace them either.
    pub(crate) kept_scalars: &'c OrderedSet<NodeId>,
}

impl Assignments<'_> {
    pub(crate) fn is_empty(&self) -> bool {
        self.list.is_empty() && self.inner_targets.is_empty()
    }

    /// Returns the first key of each field that is added to a mapping.
    pub(crate) fn added_keys(&self) -> OrderedMap<NodeId, Vec<&str>> {
        let mut added: OrderedMap<NodeId, Vec<&str>> = OrderedMap::new();
        for assignment in &self.list {
            if let AssignmentTarget::New { parent, steps, .. } = assignment.target
                && let Some(PathStep::Key(key)) = steps.first()
            {
                added.entry(parent).or_default().push(key);
            }
        }
        added
    }

    pub(crate) fn references(&self) -> impl Iterator<Item = &FoundReference> {
        self.list
            .iter()
            .flat_map(|assignment| assignment.references)
    }
}

impl<'c> Renderer<'_, 'c> {
    /// Returns all occurrences of the value of an assignment.
    pub(crate) fn assigned_occurrences(
        &mut self,
        tree: &Tree,
        resources: &Resources<'_>,
        assignment: &Assignment<'_>,
    ) -> Option<Occurrences> {
        let added_steps: Option<Vec<_>> = match assignment.target {
            AssignmentTarget::New { steps, in_map, .. } => {
                Some(field_steps(steps, in_map).collect())
            }
            AssignmentTarget::Node(_) | AssignmentTarget::Part { .. } => None,
        };
        let node = assignment.target.node();
        self.occurrences(tree, resources, node, added_steps.as_deref())
    }

    /// Returns the assignments by the node that they change, in their order. Those that
    /// conflict with each other or with a reference are reported and left out.
    pub(crate) fn without_conflicts<'a>(
        &mut self,
        assignments: &'a Assignments<'c>,
        mut occupied: OrderedSet<NodeId>,
        tree: &Tree,
        resources: &Resources<'_>,
    ) -> Vec<(NodeId, Vec<(usize, &'a Assignment<'c>)>)> {
        let mut groups: OrderedMap<NodeId, Vec<(usize, &'a Assignment<'c>)>> = OrderedMap::new();
        for (nth, assignment) in assignments.list.iter().enumerate() {
            groups
                .entry(assignment.target.node())
                .or_default()
                .push((nth, assignment));
        }
        occupied.extend(assignments.kept_scalars.iter().copied());
        let mut conflicting = OrderedSet::new();
        for (node, group) in &groups {
            let node = *node;
            let whole = group
                .iter()
                .filter(|(_, assignment)| matches!(assignment.target, AssignmentTarget::Node(_)))
                .count();
            let (_, first) = group[0];
            let new_fields = group
                .iter()
                .filter(|(_, assignment)| matches!(assignment.target, AssignmentTarget::New { .. }))
                .count();
            let mixed =
                (whole > 0 || new_fields > 0) && new_fields < group.len() && group.len() > 1;
            if mixed {
                let error = Diagnostic::error(
                    Rule::ConflictingSubstitutions,
                    "two values for the same field",
                );
                let (_, second) = group[1];
                let error = error
                    .at(second.origin, second.span, "this value")
                    .at(first.origin, first.span, "conflicts with this one")
                    .help(
                        "keep one of them, or set parts of the string with `delimiter` and `index`",
                    );
                self.report(error, &resources.field(node));
                conflicting.insert(node);
                continue;
            }
            let is_new = matches!(first.target, AssignmentTarget::New { .. });
            // A reference or another assignment inside the replaced node.
            let inside = tree.inside(node);
            let last = inside.end - 1;
            let inner = occupied
                .range(node..=last)
                .next()
                .or_else(|| {
                    let mut inside = groups.range(node..=last).map(|(inner, _)| inner);
                    inside.find(|inner| **inner != node)
                })
                .copied();
            if let Some(inner) = inner
                && !is_new
            {
                let error = Diagnostic::error(
                    Rule::ConflictingSubstitutions,
                    match (
                        inner == node,
                        assignments.inner_targets.contains_key(&inner),
                    ) {
                        (_, true) => "cannot replace a text that another field binding changes",
                        (true, false) => "cannot replace a scalar that contains a reference",
                        (false, false) => "cannot replace a list or map that contains a reference",
                    },
                )
                .at(first.origin, first.span, "this would replace it")
                .at(self.origin(), self.span(&tree[inner].range()), "here")
                .help("keep one of them");
                self.report(error, &resources.field(node));
                conflicting.insert(node);
                continue;
            }
            let anchored = (node + 1..=last).find(|id| tree[*id].has_anchor());
            if let Some(anchored) = anchored
                && !is_new
            {
                let error = Diagnostic::error(
                    Rule::ConflictingSubstitutions,
                    "cannot replace a node that contains an anchor",
                )
                .at(first.origin, first.span, "this would replace it")
                .at(
                    self.origin(),
                    self.span(&tree[anchored].range()),
                    "the anchor",
                )
                .help("move the anchor elsewhere, so that its aliases keep their value");
                self.report(error, &resources.field(node));
                conflicting.insert(node);
            }
        }
        let groups = groups.into_iter();
        groups
            .filter(|(node, _)| !conflicting.contains(node))
            .collect()
    }
}
