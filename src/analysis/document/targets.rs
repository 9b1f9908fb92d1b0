//! The targets of field bindings in one document: each field path is followed to the nodes
//! that it matches, and into documents embedded in scalars.

use super::{Analyser, AssignedNode, NodeTarget};
use crate::analysis::annotation::Disabled;
use crate::analysis::targets::{ListedFields, Members, PathEnd, PathId, TargetId, find, is_null};
use crate::collections::{OrderedMap, OrderedSet};
use crate::config::substitutions::{Options, PathStep};
use crate::kubernetes::resources::Resources;
use crate::report::shown_at;
use yaml::{Kind, LocateError, NodeId, Role, Span, Tree};

/// What field bindings write in one document.
#[derive(Default)]
pub(super) struct Targets {
    pub(super) assignments: Vec<AssignedNode>,
    /// The paths that continue in the text of a scalar.
    pub(super) inner_targets: OrderedMap<NodeId, Vec<InnerTarget>>,
    /// The fields that already get a value: two paths of a binding may match the same
    /// field.
    assigned: OrderedSet<(usize, NodeId, String)>,
}

/// A path that continues in a document embedded in a scalar.
#[derive(Clone, Copy, Debug)]
pub(crate) struct InnerTarget {
    pub(crate) id: PathId,
    /// The first step inside the embedded document.
    rest: usize,
    /// Its position among the paths that are followed in the outer document.
    pub(crate) outer: usize,
}

/// One path in one resource, or in one document embedded in a scalar.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FollowedPath {
    pub(crate) id: PathId,
    /// Whether it matches a field.
    pub(crate) matched: bool,
    /// Where it ends without a match.
    pub(crate) unmatched: Option<UnmatchedEnd>,
}

/// Where a path ends without a match.
#[derive(Clone, Copy, Debug)]
pub(crate) enum UnmatchedEnd {
    /// The field does not exist: an error unless the path matches elsewhere.
    Absent(PathEnd),
    /// The node cannot have such a field: an error even if the path matches elsewhere.
    Unfit(PathEnd),
}

impl UnmatchedEnd {
    pub(crate) const fn end(self) -> PathEnd {
        match self {
            Self::Absent(end) | Self::Unfit(end) => end,
        }
    }

    pub(crate) const fn is_unfit(self) -> bool {
        matches!(self, Self::Unfit(_))
    }
}

/// A path that would have to continue in the text of a scalar, but cannot.
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
        listed: &ListedFields<'_>,
    ) -> Targets {
        let mut targets = Targets::default();
        let bindings = self.scope.field_bindings;
        if self.source.is_embedded() {
            if self.targets.is_empty() {
                return targets;
            }
            let members = Members::new(tree);
            for inner in self.targets {
                self.follow(&members, listed, 0, inner.id, inner.rest, &mut targets);
            }
            return targets;
        }
        if self.scope.keep_references || bindings.list.is_empty() {
            return targets;
        }
        let members = Members::new(tree);
        for (resource, target) in bindings.selected(&members, resources, self.scope.steps) {
            if !self.is_rendered(resources, resource) || disabled.covers(tree, resource) {
                continue;
            }
            self.selected_targets.push(target);
            for path in 0..bindings.target(target).paths().len() {
                let id = PathId { target, path };
                self.follow(&members, listed, resource, id, 0, &mut targets);
            }
        }
        targets
    }

    /// Follows a path from its step `rest` on.
    fn follow(
        &mut self,
        members: &Members<'_>,
        listed: &ListedFields<'_>,
        at: NodeId,
        id: PathId,
        rest: usize,
        targets: &mut Targets,
    ) {
        let (_, target, path) = self.scope.field_bindings.path(id);
        let mut followed = FollowedPath {
            id,
            matched: false,
            unmatched: None,
        };
        let mut ends = Vec::new();
        find(members, at, &path.steps, rest, self.scope.steps, &mut ends);
        for end in ends {
            let node_target = match Resolution::of(end, &path.steps, &target.options, members) {
                Resolution::Target(node_target) => node_target,
                Resolution::Inside { node, rest } => {
                    let outer = self.followed_paths.len();
                    let inner = InnerTarget { id, rest, outer };
                    targets.inner_targets.entry(node).or_default().push(inner);
                    continue;
                }
                Resolution::Absent => {
                    let is_further =
                        |known: UnmatchedEnd| !known.is_unfit() && known.end().rest() < end.rest();
                    if followed.unmatched.is_none_or(is_further) {
                        followed.unmatched = Some(UnmatchedEnd::Absent(end));
                    }
                    continue;
                }
                Resolution::Unfit => {
                    if followed.unmatched.is_none_or(|known| !known.is_unfit()) {
                        followed.unmatched = Some(UnmatchedEnd::Unfit(end));
                    }
                    continue;
                }
            };
            followed.matched = true;
            let base64 = target.options.base64;
            let key = match node_target {
                NodeTarget::New { rest, .. } => {
                    format!("{base64} {}", unique_key(&path.steps[rest..]))
                }
                NodeTarget::Node(_) => base64.to_string(),
                // Parts are compared with each other once the text is known.
                NodeTarget::Part(_) => {
                    let TargetId { binding, target } = id.target;
                    format!("{binding} {target} {}", id.path)
                }
            };
            let binding = id.target.binding;
            if targets.assigned.insert((binding, node_target.node(), key)) {
                let listed = match node_target {
                    NodeTarget::Node(node) | NodeTarget::Part(node) => listed.get(node),
                    NodeTarget::New { .. } => listed.of_created(at, &path.steps[rest..]),
                };
                targets.assignments.push(AssignedNode::Binding {
                    path: id,
                    target: node_target,
                    listed,
                });
            }
        }
        self.followed_paths.push(followed);
    }

    /// Ends the paths that would have to continue in the text of a scalar, but cannot.
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
    pub(super) fn end_in_unparsed_text(&mut self, error: &LocateError) {
        let at = shown_at(error);
        let span = self.span(&(at..at));
        for inner in self.targets {
            self.text_ends.push(TextEnd {
                followed: self.followed_paths.len(),
                message: error.described("it"),
                span,
                help: "a field path can only continue in YAML or JSON: end it at this field",
            });
            self.followed_paths.push(FollowedPath {
                id: inner.id,
                matched: false,
                unmatched: None,
            });
        }
    }
}

impl PathEnd {
    /// Returns the first step that was not followed.
    const fn rest(self) -> usize {
        match self {
            Self::Node(_) => usize::MAX,
            Self::Inside { rest, .. } | Self::Missing { rest, .. } | Self::Unfit { rest, .. } => {
                rest
            }
        }
    }
}

/// What a field binding does at the end of a field path.
enum Resolution {
    Target(NodeTarget),
    /// The path continues in the text of a scalar.
    Inside {
        node: NodeId,
        rest: usize,
    },
    /// The field does not exist and is not created.
    Absent,
    /// The node cannot have such a field.
    Unfit,
}

impl Resolution {
    fn of(end: PathEnd, steps: &[PathStep], options: &Options, members: &Members<'_>) -> Self {
        let tree = members.tree();
        match end {
            PathEnd::Node(node) if options.key => match tree[node].role() {
                Role::Value(key) => Self::Target(NodeTarget::Node(key)),
                _ => Self::Unfit,
            },
            PathEnd::Node(node) => match &options.delimiter {
                None => Self::Target(NodeTarget::Node(node)),
                Some(_) if tree[node].style().is_some() && !is_null(members, node) => {
                    Self::Target(NodeTarget::Part(node))
                }
                Some(_) => Self::Unfit,
            },
            // An embedded document that is a single scalar does not embed another.
            PathEnd::Inside { node, .. } if tree[node].role() == Role::Root => Self::Unfit,
            PathEnd::Inside { node, .. } if tree[node].tag().is_some() => Self::Unfit,
            PathEnd::Inside { node, rest } => Self::Inside { node, rest },
            PathEnd::Unfit { .. } => Self::Unfit,
            PathEnd::Missing { parent, rest } => {
                let missing = steps.get(rest..).unwrap_or_default();
                if options.create && can_be_created(missing) {
                    let in_map = matches!(tree[parent].kind(), Kind::Mapping { .. });
                    return Self::Target(NodeTarget::New {
                        parent,
                        rest,
                        in_map,
                    });
                }
                // An index past the end of a list is always an error, unlike a field that some
                // items lack.
                match (tree[parent].kind(), missing.first()) {
                    (Kind::Sequence { .. }, Some(PathStep::Index { .. })) => Self::Unfit,
                    _ => Self::Absent,
                }
            }
        }
    }
}

/// Returns a text that is equal only for equal steps.
fn unique_key(steps: &[PathStep]) -> String {
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

/// Whether the steps determine everything that has to be created.
fn can_be_created(steps: &[PathStep]) -> bool {
    let is_determined = |step: &PathStep| match step {
        PathStep::Any => false,
        PathStep::Match { value, .. } => value.literal().is_some(),
        PathStep::Key(_) | PathStep::Index { .. } | PathStep::Append => true,
    };
    // An item that is matched by a key is a map, so it cannot be the value.
    let can_end = match steps.last() {
        Some(PathStep::Match { key, .. }) => key.is_empty(),
        _ => true,
    };
    can_end && steps.iter().all(is_determined)
}
