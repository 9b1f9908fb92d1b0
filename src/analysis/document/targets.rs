//! The targets of field bindings in one document: each field path followed to the nodes
//! that it names, and on into the documents that scalars hold.

use super::{Analyser, AssignedNode, NodeTarget};
use crate::analysis::annotation::Disabled;
use crate::analysis::targets::{Found, Members, PathId, find, is_nothing};
use crate::collections::{OrderedMap, OrderedSet};
use crate::config::substitutions::{Options, PathStep};
use crate::kubernetes::resources::Resources;
use yaml::{Kind, LocateError, NodeId, Role, Span, Tree};

/// What field bindings want to write in one document.
#[derive(Default)]
pub(super) struct Targets {
    pub(super) assignments: Vec<AssignedNode>,
    /// The paths that continue in the text of a scalar.
    pub(super) inside: OrderedMap<NodeId, Vec<InnerTarget>>,
    /// What has a value: one binding may reach a field by two paths.
    written: OrderedSet<(usize, NodeId, String)>,
}

/// A path that continues in a document that a scalar holds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct InnerTarget {
    pub(crate) id: PathId,
    /// The first step inside.
    rest: usize,
    /// Its position among those that are followed in the outer document.
    pub(crate) outer: usize,
}

/// One path in one resource, or in one document that a scalar holds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FollowedPath {
    pub(crate) id: PathId,
    /// It leads somewhere.
    pub(crate) found: bool,
    /// Where it ends instead, and whether that is an error wherever else it leads.
    pub(crate) end: Option<(Found, bool)>,
}

/// The end of a path that continues in a text, and cannot.
#[derive(Clone, Debug)]
pub(crate) struct TextEnd {
    /// Its position among the paths that are followed in this document.
    pub(crate) followed: usize,
    pub(crate) message: String,
    pub(crate) span: Span,
    pub(crate) help: &'static str,
}

impl Analyser<'_> {
    /// Returns the targets in this document.
    pub(super) fn targets(
        &mut self,
        tree: &Tree,
        resources: &Resources<'_>,
        disabled: &Disabled,
    ) -> Targets {
        let mut targets = Targets::default();
        let bindings = self.scope.field_bindings;
        if self.source.is_embedded() {
            if self.targets.is_empty() {
                return targets;
            }
            let members = Members::new(tree);
            for inner in self.targets {
                self.follow(&members, 0, inner.id, inner.rest, &mut targets);
            }
            return targets;
        }
        if self.scope.keep_references || bindings.list.is_empty() {
            return targets;
        }
        let members = Members::new(tree);
        for (resource, binding, target) in bindings.selected(&members, resources, self.scope.steps)
        {
            if !self.is_rendered(resources, resource) || disabled.covers(tree, resource) {
                continue;
            }
            let selecting = &bindings.list[binding].targets[target];
            self.met.push((binding, target));
            for path in 0..selecting.paths().len() {
                let id = (binding, target, path);
                self.follow(&members, resource, id, 0, &mut targets);
            }
        }
        targets
    }

    /// Follows a path from its step `rest` on.
    fn follow(
        &mut self,
        members: &Members<'_>,
        at: NodeId,
        id: PathId,
        rest: usize,
        targets: &mut Targets,
    ) {
        let (_, target, path) = self.scope.field_bindings.path(id);
        let mut followed = FollowedPath {
            id,
            found: false,
            end: None,
        };
        let mut found = Vec::new();
        find(members, at, &path.steps, rest, self.scope.steps, &mut found);
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
                    let is_further =
                        |(known, unfit): (Found, bool)| !unfit && known.rest() < found.rest();
                    if followed.end.is_none_or(is_further) {
                        followed.end = Some((found, false));
                    }
                    continue;
                }
                Aim::Unfit => {
                    if followed.end.is_none_or(|(_, unfit)| !unfit) {
                        followed.end = Some((found, true));
                    }
                    continue;
                }
            };
            followed.found = true;
            let base64 = target.options.base64;
            let written = match place {
                NodeTarget::New { rest, .. } => {
                    format!("{base64} {}", distinct(&path.steps[rest..]))
                }
                NodeTarget::Node(_) => base64.to_string(),
                // Parts are compared with each other once the text is known.
                NodeTarget::Part(_) => format!("{} {} {}", id.0, id.1, id.2),
            };
            if targets.written.insert((id.0, place.node(), written)) {
                let target = place;
                targets
                    .assignments
                    .push(AssignedNode::Binding { path: id, target });
            }
        }
        self.followed.push(followed);
    }

    /// Ends the paths that continue in the text of a scalar, and cannot.
    pub(super) fn end_in_text(
        &mut self,
        targets: &[InnerTarget],
        message: &str,
        span: Span,
        help: &'static str,
    ) {
        let ends = targets.iter().map(|inner| TextEnd {
            followed: inner.outer,
            message: message.to_owned(),
            span,
            help,
        });
        self.text_ends.extend(ends);
    }

    /// Ends the paths that continue in this text, which is not YAML.
    pub(super) fn unread_targets(&mut self, error: &LocateError) {
        let span = self.span(&(error.at..error.at));
        for inner in self.targets {
            self.text_ends.push(TextEnd {
                followed: self.followed.len(),
                message: error.described("it"),
                span,
                help: "a field path can only continue in YAML or JSON: end it at this field",
            });
            self.followed.push(FollowedPath {
                id: inner.id,
                found: false,
                end: None,
            });
        }
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

/// What happens to a node that a field path leads to.
enum Aim {
    At(NodeTarget),
    /// The path continues in the text of a scalar.
    Inside {
        node: NodeId,
        rest: usize,
    },
    /// The field is not there, and is not made.
    Absent,
    /// What is there has no such field.
    Unfit,
}

fn aim(found: Found, steps: &[PathStep], options: &Options, members: &Members<'_>) -> Aim {
    let tree = members.tree();
    match found {
        Found::Node(node) if options.key => match tree[node].role() {
            Role::Value(key) => Aim::At(NodeTarget::Node(key)),
            _ => Aim::Unfit,
        },
        Found::Node(node) => match &options.delimiter {
            None => Aim::At(NodeTarget::Node(node)),
            Some(_) if tree[node].style().is_some() && !is_nothing(members, node) => {
                Aim::At(NodeTarget::Part(node))
            }
            Some(_) => Aim::Unfit,
        },
        // The text of an embedded document that is one scalar holds no other.
        Found::Inside { node, .. } if tree[node].role() == Role::Root => Aim::Unfit,
        Found::Inside { node, .. } if tree[node].tag().is_some() => Aim::Unfit,
        Found::Inside { node, rest } => Aim::Inside { node, rest },
        Found::Unfit { .. } => Aim::Unfit,
        Found::Missing { parent, rest } => {
            let missing = steps.get(rest..).unwrap_or_default();
            if options.create && can_be_made(missing) {
                let in_map = matches!(tree[parent].kind(), Kind::Mapping { .. });
                return Aim::At(NodeTarget::New {
                    parent,
                    rest,
                    in_map,
                });
            }
            // An item that a list is too short for is no field that some items lack.
            match (tree[parent].kind(), missing.first()) {
                (Kind::Sequence { .. }, Some(PathStep::Index { .. })) => Aim::Unfit,
                _ => Aim::Absent,
            }
        }
    }
}

/// The same text for the same steps, and another one for others.
fn distinct(steps: &[PathStep]) -> String {
    let mut text = String::new();
    for step in steps {
        let (kind, [first, second]) = match step {
            PathStep::Key(key) => ("key", [key.as_str(), ""]),
            PathStep::Index { key, .. } => ("index", [key.as_str(), ""]),
            PathStep::Match { key, value } => ("match", [key.as_str(), value.written()]),
            PathStep::Any => ("any", [""; 2]),
            PathStep::Append => ("append", [""; 2]),
        };
        let parts = format!("{kind} {} {first} {} {second} ", first.len(), second.len());
        text.push_str(&parts);
    }
    text
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
