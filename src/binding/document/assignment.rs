//! Fields that get a value without holding a reference: by a setter comment, or
//! by a field binding.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::rc::Rc;

use super::annotation::Disabled;
use super::judge::Arrival;
use super::values::Values;
use super::{Read, Renderer};
use crate::binding::field_binding::{Found, Options, PathStep, Prepared, Sited, find};
use crate::binding::place::{Field, Places};
use crate::binding::template::Template;
use crate::manifest::{Kind, NodeId, Role, Tree};
use crate::report::{Diagnostic, Origin, Rule, Span};

/// One value for one field.
pub(super) struct Assignment<'c> {
    pub(super) template: Rc<Template>,
    pub(super) reads: Vec<Read>,
    pub(super) written: Written<'c>,
    pub(super) place: Place<'c>,
    /// The value is written as base64.
    pub(super) base64: bool,
    /// What says so: the comment, or the field path.
    pub(super) origin: Origin,
    pub(super) span: Span,
}

/// Where the template is written.
pub(super) enum Written<'c> {
    /// In a setter comment, from this byte of the document's text on.
    Comment(usize),
    /// In the Binding.
    Binding(&'c Sited),
}

/// Where the value goes.
pub(super) enum Place<'c> {
    /// A key, a scalar, a list or a map becomes the value.
    Node(NodeId),
    /// One part of a scalar's text.
    Part {
        node: NodeId,
        delimiter: &'c str,
        index: i64,
    },
    /// What is not there yet: the steps from `parent` on.
    New {
        parent: NodeId,
        steps: &'c [PathStep],
    },
}

impl Place<'_> {
    pub(super) const fn node(&self) -> NodeId {
        match self {
            Self::Node(node) | Self::Part { node, .. } => *node,
            Self::New { parent, .. } => *parent,
        }
    }
}

impl Assignment<'_> {
    /// What arrives at a node, with the values of the references.
    pub(super) fn arrival<'a, 'b>(
        &'a self,
        id: NodeId,
        values: &'a Values<'b>,
        field: &'a Field,
    ) -> Arrival<'a, 'b> {
        Arrival {
            id,
            reads: &self.reads,
            values: &values.values,
            field,
            encoded: self.base64,
        }
    }

    /// Bytes of the template as bytes of its file.
    pub(super) fn span_of(&self, renderer: &Renderer<'_, '_>, range: &Range<usize>) -> Span {
        match self.written {
            Written::Comment(offset) => renderer.span(&(offset + range.start..offset + range.end)),
            Written::Binding(value) => value.span_of(range),
        }
    }
}

/// The assignments of one document.
#[derive(Default)]
pub(super) struct Assignments<'c> {
    pub(super) list: Vec<Assignment<'c>>,
    /// Scalars with references that stay: nothing may replace them either.
    pub(super) kept: BTreeSet<NodeId>,
}

impl Assignments<'_> {
    pub(super) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    pub(super) fn reads(&self) -> impl Iterator<Item = &Read> {
        self.list.iter().flat_map(|assignment| &assignment.reads)
    }
}

impl<'c> Renderer<'_, 'c> {
    /// What setter comments and field bindings want to write in this document.
    pub(super) fn assignments(
        &mut self,
        tree: &Tree<'_>,
        places: &Places<'_>,
        disabled: &Disabled,
        kept: BTreeSet<NodeId>,
    ) -> Assignments<'c> {
        let mut list = self.setters(tree, places, disabled);
        // Field bindings reach what stands in files, not what scalars embed.
        if self.ground.inside.is_none() && !self.context.keep_references {
            for binding in &self.context.field_bindings.list {
                self.targets(binding, tree, places, disabled, &mut list);
            }
        }
        Assignments { list, kept }
    }

    fn targets(
        &mut self,
        binding: &'c Prepared,
        tree: &Tree<'_>,
        places: &Places<'_>,
        disabled: &Disabled,
        list: &mut Vec<Assignment<'c>>,
    ) {
        for (target, met) in &binding.targets {
            for resource in target.fields().select(tree, places) {
                if !self.is_rendered(places, resource) || disabled.covers(tree, resource) {
                    continue;
                }
                met.set(true);
                for path in target.fields().paths() {
                    let mut found = Vec::new();
                    find(tree, places, resource, &path.steps, 0, &mut found);
                    let before = list.len();
                    for found in &found {
                        let place = place(found, &path.steps, &target.options, tree);
                        let Some(place) = place else { continue };
                        list.push(self.assignment(binding, &target.options, place, path.span));
                    }
                    if list.len() == before {
                        self.not_found(path, &target.options, resource, &found, tree, places);
                    }
                }
            }
        }
    }

    fn assignment(
        &self,
        binding: &'c Prepared,
        options: &Options,
        place: Place<'c>,
        span: Span,
    ) -> Assignment<'c> {
        let origin = self.context.field_bindings.origin;
        let reads = binding
            .template
            .references
            .iter()
            .map(|reference| Read {
                reference: reference.clone(),
                origin,
                span: binding.value.span_of(&reference.range),
                written: self.written(
                    binding
                        .value
                        .text
                        .get(reference.range.clone())
                        .unwrap_or_default(),
                ),
                raw: 0..0,
            })
            .collect();
        Assignment {
            template: Rc::clone(&binding.template),
            reads,
            written: Written::Binding(&binding.value),
            place,
            base64: options.base64,
            origin,
            span,
        }
    }

    /// The assignments by the node that they change; those that get in each
    /// other's way, or in that of a reference, are told and left out.
    pub(super) fn without_conflicts<'a>(
        &mut self,
        assignments: &'a Assignments<'c>,
        mut holders: BTreeSet<NodeId>,
        tree: &Tree<'_>,
        places: &Places<'_>,
    ) -> BTreeMap<NodeId, Vec<(usize, &'a Assignment<'c>)>> {
        let mut groups: BTreeMap<NodeId, Vec<(usize, &'a Assignment<'c>)>> = BTreeMap::new();
        for (nth, assignment) in assignments.list.iter().enumerate() {
            groups
                .entry(assignment.place.node())
                .or_default()
                .push((nth, assignment));
        }
        holders.extend(&assignments.kept);
        let mut refused = BTreeSet::new();
        for (node, group) in &groups {
            let node = *node;
            let whole = group
                .iter()
                .filter(|(_, assignment)| matches!(assignment.place, Place::Node(_)))
                .count();
            let (_, first) = group[0];
            let news = group
                .iter()
                .filter(|(_, assignment)| matches!(assignment.place, Place::New { .. }))
                .count();
            let mixed = (whole > 0 || news > 0) && news < group.len() && group.len() > 1;
            if mixed {
                let error = Diagnostic::error(
                    Rule::ConflictingSubstitutions,
                    "two values are to become the same field",
                );
                let (_, second) = group[1];
                let error = error
                    .at(second.origin, second.span, "this one")
                    .at(first.origin, first.span, "and this one")
                    .help("keep one of them; parts of a text can have values of their own by `delimiter` and `index`");
                self.tell(error, &places.field(node));
                refused.insert(node);
                continue;
            }
            let is_new = matches!(first.place, Place::New { .. });
            // A reference or another assignment inside what is replaced.
            let last = last_member(tree, node);
            let inner = holders
                .range(node..=last)
                .next()
                .or_else(|| {
                    let mut inside = groups.range(node..=last).map(|(inner, _)| inner);
                    inside.find(|inner| **inner != node)
                })
                .copied();
            if let Some(inner) = inner.filter(|_| !is_new) {
                let error = Diagnostic::error(
                    Rule::ConflictingSubstitutions,
                    match inner == node {
                        true => "this scalar has a reference of its own",
                        false => "a value inside this list or map has a reference of its own",
                    },
                );
                let error = error
                    .at(first.origin, first.span, "this would replace it")
                    .at(self.origin(), self.span(&tree.nodes[inner].range), "here")
                    .help("keep one of them");
                self.tell(error, &places.field(node));
                refused.insert(node);
                continue;
            }
            let anchored = (node + 1..=last).find(|id| tree.nodes[*id].anchor.is_some());
            if let Some(anchored) = anchored.filter(|_| !is_new) {
                let error = Diagnostic::error(
                    Rule::ConflictingSubstitutions,
                    "an anchor stands inside what would be replaced",
                );
                let error = error
                    .at(first.origin, first.span, "this would replace it")
                    .at(
                        self.origin(),
                        self.span(&tree.nodes[anchored].range),
                        "anchored here",
                    )
                    .help("move the anchor elsewhere: aliases would lose it");
                self.tell(error, &places.field(node));
                refused.insert(node);
            }
        }
        groups.retain(|node, _| !refused.contains(node));
        groups
    }
}

/// The last node inside a collection, or the node itself.
fn last_member(tree: &Tree<'_>, node: NodeId) -> NodeId {
    let inside = (node + 1..tree.nodes.len())
        .take_while(|id| tree.nodes[*id].parent.is_some_and(|parent| parent >= node));
    inside.last().unwrap_or(node)
}

/// What becomes of a place that a field path leads to.
fn place<'c>(
    found: &Found,
    steps: &'c [PathStep],
    options: &'c Options,
    tree: &Tree<'_>,
) -> Option<Place<'c>> {
    match *found {
        Found::Node(node) if options.key => match tree.nodes[node].role {
            Role::Value(key) => Some(Place::Node(key)),
            _ => None,
        },
        Found::Node(node) => match &options.delimiter {
            None => Some(Place::Node(node)),
            Some(delimiter) => {
                matches!(tree.nodes[node].kind, Kind::Scalar { .. }).then_some(Place::Part {
                    node,
                    delimiter,
                    index: options.index,
                })
            }
        },
        Found::Missing { parent, rest } => {
            let steps = steps.get(rest..)?;
            let fits = match (&tree.nodes[parent].kind, steps.first()?) {
                (Kind::Mapping { .. }, PathStep::Key(_))
                | (Kind::Sequence { .. }, PathStep::Append | PathStep::Match { .. }) => true,
                // What holds nothing yet can become either.
                (
                    Kind::Scalar { text, .. },
                    PathStep::Key(_) | PathStep::Append | PathStep::Match { .. },
                ) => text.is_empty() || text == "null" || text == "~",
                _ => false,
            };
            let known = steps.iter().all(|step| !matches!(step, PathStep::Any));
            (options.create && fits && known).then_some(Place::New { parent, steps })
        }
    }
}
