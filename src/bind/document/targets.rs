//! The targets of field bindings in one document: each field path followed to the
//! nodes that it names, and on into the documents that scalars hold.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use crate::analysis::Disabled;
use crate::analysis::targets::{Found, Members, PathId, Prepared, find, is_nothing};
use crate::bind::document::assignment::{Assignment, Place, Written};
use crate::bind::document::{Read, Rendered, Renderer};
use crate::config::substitutions::{FieldPath, Options, PathStep, Target};
use crate::kubernetes::resources::Places;
use crate::report::Diagnostic;
use yaml::Span;
use yaml::{Kind, LocateError, NodeId, Role, Tree};

/// What field bindings want to write in one document.
#[derive(Default)]
pub(crate) struct Targets<'c> {
    pub(crate) assignments: Vec<Assignment<'c>>,
    /// The paths that go on in the text of a scalar.
    pub(crate) inside: BTreeMap<NodeId, Vec<InnerTarget>>,
    /// What has a value: one binding may reach a field by two paths.
    written: BTreeSet<(usize, NodeId, String)>,
}

/// A path that goes on in a document that a scalar holds.
pub(crate) struct InnerTarget {
    id: PathId,
    /// The first step inside.
    rest: usize,
    /// Its position among those that are followed in the outer document.
    outer: usize,
}

/// One path in one resource, or in one document that a scalar holds.
#[derive(Debug)]
pub(crate) struct Followed {
    id: PathId,
    /// It led somewhere.
    found: bool,
    /// Where it ended instead.
    ended: Option<Ended>,
}

#[derive(Debug)]
struct Ended {
    /// None where it would not be shown.
    diagnostic: Option<Diagnostic>,
    /// It is an error wherever else the path leads.
    unfit: bool,
}

impl Followed {
    /// What is reported if the path leads nowhere else.
    pub(crate) fn diagnostic(&mut self) -> Option<&mut Diagnostic> {
        self.ended.as_mut()?.diagnostic.as_mut()
    }

    const fn new(id: PathId) -> Self {
        Self {
            id,
            found: false,
            ended: None,
        }
    }

    /// Adds where the path ended; what is an error in any case comes first.
    fn end(&mut self, ended: Ended) {
        let known = self.ended.as_ref();
        if known.is_none_or(|known| ended.unfit && !known.unfit) {
            self.ended = Some(ended);
        }
    }
}

impl<'c> Renderer<'_, 'c> {
    /// The targets in this document.
    pub(crate) fn targets(
        &mut self,
        tree: &Tree,
        places: &Places<'_>,
        disabled: &Disabled,
    ) -> Targets<'c> {
        let mut targets = Targets::default();
        let bindings = &self.context.field_bindings;
        if let Some(inside) = &self.ground.inside {
            if inside.targets.is_empty() {
                return targets;
            }
            let members = Members::new(tree);
            for inner in inside.targets {
                self.follow(&members, places, 0, inner.id, inner.rest, &mut targets);
            }
            return targets;
        }
        if self.context.keep_references || bindings.list.is_empty() {
            return targets;
        }
        let members = Members::new(tree);
        for (resource, binding, target) in bindings.selected(&members, places) {
            if !self.is_rendered(places, resource) || disabled.covers(tree, resource) {
                continue;
            }
            let (selecting, met) = &bindings.list[binding].targets[target];
            met.set(true);
            for path in 0..selecting.paths().len() {
                let id = (binding, target, path);
                self.follow(&members, places, resource, id, 0, &mut targets);
            }
        }
        targets
    }

    fn path(&self, id: PathId) -> (&'c Prepared, &'c Target, &'c FieldPath) {
        let binding = &self.context.field_bindings.list[id.0];
        let target = &binding.targets[id.1].0;
        (binding, target, &target.paths()[id.2])
    }

    /// Follows a path from its step `rest` on.
    fn follow(
        &mut self,
        members: &Members<'_>,
        places: &Places<'_>,
        at: NodeId,
        id: PathId,
        rest: usize,
        targets: &mut Targets<'c>,
    ) {
        let (binding, target, path) = self.path(id);
        let steps = &self.context.field_bindings.steps;
        let mut followed = Followed::new(id);
        let mut found = Vec::new();
        find(members, at, &path.steps, rest, steps, &mut found);
        let mut end: Option<(Found, bool)> = None;
        for found in found {
            let place = match aim(found, &path.steps, &target.options, members) {
                Aim::At(place) => place,
                Aim::Inside { node, rest } => {
                    let outer = self.followed.len();
                    let inner = InnerTarget { id, rest, outer };
                    targets.inside.entry(node).or_default().push(inner);
                    continue;
                }
                Aim::Absent => {
                    if end.is_none_or(|(known, unfit)| !unfit && known.rest() < found.rest()) {
                        end = Some((found, false));
                    }
                    continue;
                }
                Aim::Unfit => {
                    if end.is_none_or(|(_, unfit)| !unfit) {
                        end = Some((found, true));
                    }
                    continue;
                }
            };
            followed.found = true;
            let base64 = target.options.base64;
            let written = match &place {
                Place::New { steps, .. } => format!("{base64} {}", told_apart(steps)),
                Place::Node(_) => base64.to_string(),
                // Parts are compared with each other when the text is known.
                Place::Part { .. } => format!("{} {} {}", id.0, id.1, id.2),
            };
            if targets.written.insert((id.0, place.node(), written)) {
                let assignment = self.assignment(binding, &target.options, place, path.span);
                targets.assignments.push(assignment);
            }
        }
        if let Some((end, unfit)) = end {
            let missing = &self.context.field_bindings.missing;
            let shown = (unfit || !followed.found) && missing.wants(id);
            followed.end(Ended {
                diagnostic: shown.then(|| self.not_found(id, end, members, places)),
                unfit,
            });
        }
        self.followed.push(followed);
    }

    /// Ends the paths that go on in the text of a scalar, and cannot.
    pub(crate) fn not_inside(
        &mut self,
        targets: &[InnerTarget],
        message: &str,
        span: Span,
        help: &str,
    ) {
        for inner in targets {
            let ended = self.ended_in_text(inner.id, message, span, help);
            self.followed[inner.outer].end(ended);
        }
    }

    fn ended_in_text(&self, id: PathId, message: &str, span: Span, help: &str) -> Ended {
        let (_, _, path) = self.path(id);
        let shown = self.context.field_bindings.missing.wants(id);
        Ended {
            diagnostic: shown.then(|| self.ends_in_text(path, message, span, help)),
            unfit: true,
        }
    }

    /// How the paths ended that go on in this text, which is not YAML.
    pub(crate) fn unread_targets(&self, error: &LocateError) -> Vec<Followed> {
        let Some(inside) = &self.ground.inside else {
            return Vec::new();
        };
        let message = error.described("it");
        let span = self.span(&(error.at..error.at));
        let help = "a field path goes on in YAML and JSON only: let it end at the field";
        let ended = |inner: &InnerTarget| {
            let mut followed = Followed::new(inner.id);
            followed.end(self.ended_in_text(inner.id, &message, span, help));
            followed
        };
        inside.targets.iter().map(ended).collect()
    }

    /// Adds how paths went on in the document of a scalar.
    pub(crate) fn went_on(&mut self, targets: &[InnerTarget], followed: Vec<Followed>) {
        for (inner, followed) in targets.iter().zip(followed) {
            let outer = &mut self.followed[inner.outer];
            outer.found |= followed.found;
            if let Some(ended) = followed.ended {
                outer.end(ended);
            }
        }
    }

    /// What has become of this document: where paths have ended is reported to the
    /// text around it, or for the whole render.
    pub(crate) fn finish(mut self) -> Rendered {
        if self.ground.inside.is_some() {
            self.rendered.followed = self.followed;
            return self.rendered;
        }
        for followed in self.followed {
            if let Some(ended) = followed
                .ended
                .filter(|ended| ended.unfit || !followed.found)
            {
                let missing = &self.context.field_bindings.missing;
                missing.add(followed.id, ended.diagnostic);
            }
        }
        self.rendered
    }

    fn assignment(
        &self,
        binding: &'c Prepared,
        options: &Options,
        place: Place<'c>,
        span: Span,
    ) -> Assignment<'c> {
        let origin = self.context.field_bindings.origin;
        let references = &binding.template.references;
        let reads = references.iter().map(|reference| {
            let range = &reference.range;
            Read {
                reference: reference.clone(),
                origin,
                span: binding.value.span_of(range),
                written: self.written(binding.value.text.get(range.clone()).unwrap_or_default()),
                raw: 0..0,
            }
        });
        Assignment {
            reads: reads.collect(),
            template: Rc::clone(&binding.template),
            written: Written::Binding(&binding.value),
            place,
            base64: options.base64,
            origin,
            span,
        }
    }
}

impl InnerTarget {
    /// The position of its binding.
    pub(crate) const fn binding(&self) -> usize {
        self.id.0
    }
}

impl Found {
    /// The step that it ended before.
    const fn rest(self) -> usize {
        match self {
            Self::Node(_) => usize::MAX,
            Self::Inside { rest, .. } | Self::Missing { rest, .. } | Self::Unfit { rest, .. } => {
                rest
            }
        }
    }
}

/// What becomes of a place that a field path leads to.
enum Aim<'c> {
    At(Place<'c>),
    /// The path goes on in the text of a scalar.
    Inside {
        node: NodeId,
        rest: usize,
    },
    /// The field is not there, and is not made.
    Absent,
    /// What is there has no such field.
    Unfit,
}

fn aim<'c>(
    found: Found,
    steps: &'c [PathStep],
    options: &'c Options,
    members: &Members<'_>,
) -> Aim<'c> {
    let nodes = members.tree();
    match found {
        Found::Node(node) if options.key => match nodes[node].role() {
            Role::Value(key) => Aim::At(Place::Node(key)),
            _ => Aim::Unfit,
        },
        Found::Node(node) => match &options.delimiter {
            None => Aim::At(Place::Node(node)),
            Some(delimiter)
                if matches!(nodes[node].kind(), Kind::Scalar { .. })
                    && !is_nothing(members, node) =>
            {
                Aim::At(Place::Part {
                    node,
                    delimiter,
                    index: options.index,
                })
            }
            Some(_) => Aim::Unfit,
        },
        // The text of an embedded document that is one scalar holds no other.
        Found::Inside { node, .. } if nodes[node].role() == Role::Root => Aim::Unfit,
        Found::Inside { node, .. } if nodes[node].tag().is_some() => Aim::Unfit,
        Found::Inside { node, rest } => Aim::Inside { node, rest },
        Found::Unfit { .. } => Aim::Unfit,
        Found::Missing { parent, rest } => {
            let steps = steps.get(rest..).unwrap_or_default();
            if options.create && can_be_made(steps) {
                let in_map = matches!(nodes[parent].kind(), Kind::Mapping { .. });
                return Aim::At(Place::New {
                    parent,
                    steps,
                    in_map,
                });
            }
            // An item that a list is too short for is no field that some items lack.
            match (&nodes[parent].kind(), steps.first()) {
                (Kind::Sequence { .. }, Some(PathStep::Index { .. })) => Aim::Unfit,
                _ => Aim::Absent,
            }
        }
    }
}

/// The same text for the same steps, and another one for others.
fn told_apart(steps: &[PathStep]) -> String {
    let mut told = String::new();
    for step in steps {
        let (kind, [first, second]) = match step {
            PathStep::Key(key) => ("key", [key.as_str(), ""]),
            PathStep::Index { key, .. } => ("index", [key.as_str(), ""]),
            PathStep::Match { key, value } => ("match", [key.as_str(), value.written()]),
            PathStep::Any => ("any", [""; 2]),
            PathStep::Append => ("append", [""; 2]),
        };
        let parts = format!("{kind} {} {first} {} {second} ", first.len(), second.len());
        told.push_str(&parts);
    }
    told
}

/// Whether the steps say everything about what is to be made.
fn can_be_made(steps: &[PathStep]) -> bool {
    let says = |step: &PathStep| match step {
        PathStep::Any => false,
        PathStep::Match { value, .. } => value.literal().is_some(),
        PathStep::Key(_) | PathStep::Index { .. } | PathStep::Append => true,
    };
    // An item that is found by its key is a map, and not the value.
    let ends = match steps.last() {
        Some(PathStep::Match { key, .. }) => key.is_empty(),
        _ => true,
    };
    ends && steps.iter().all(says)
}
